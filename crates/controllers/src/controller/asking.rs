//! Child requests of a controller: the choice of their paths, and their answers.

use super::{Controller, segment};
use sansim_component::policy::PathDecision;
use sansim_component::{Context, Message};
use sansim_request::{ParentState, Request, RequestId, Status};

impl Controller {
    /// Sends a child request of a request.
    pub(super) fn ask(&mut self, cx: &mut Context<'_>, id: RequestId, part: Request) {
        match self.paths.choose_port(cx.now, &part) {
            Some(port) => {
                self.asked += 1;
                cx.fork_request(id, 1);
                let part = cx.ask_child(port, id, part);
                self.paths.request_sent(cx.now, part);
                self.is_behind(id, part, Some(port));
            }
            None => {
                self.asked += 1;
                cx.fork_request(id, 1);
                let part = cx.child_requests().begin_child(id, part, segment::FAIL_OVER);
                self.is_behind(id, part, None);
                let onward = self.paths.wait_for_path(cx, part, segment::FAIL_OVER);
                self.go(cx, part, onward);
            }
        }
    }

    /// Sends a child request on the path that was chosen for it.
    fn go(&mut self, cx: &mut Context<'_>, part: RequestId, onward: PathDecision) {
        match onward {
            PathDecision::By(port) => {
                if let Some(id) = cx.request(part).parent {
                    self.is_behind(id, part, Some(port));
                }
                self.paths.request_sent(cx.now, part);
                cx.send(port, Message::Request(part, cx.now));
            }
            PathDecision::Waits => {}
            PathDecision::NoWay => self.complete(cx, part, Status::Failed),
        }
    }

    /// Sends child requests that waited for a path.
    pub(super) fn go_on(&mut self, cx: &mut Context<'_>) {
        while let Some((part, onward)) = self.paths.next_ready_request(cx, segment::FAIL_OVER) {
            self.go(cx, part, onward);
        }
    }

    /// A child request is done.
    pub(super) fn done(&mut self, cx: &mut Context<'_>, port: u16, part: RequestId, status: Status) {
        self.paths.request_answered(cx, part, port);
        cx.send(port, Message::Release(part));
        let id = cx.request(part).parent;
        let aborted = id.and_then(|id| self.in_hand.get(&id)).is_some_and(|in_hand| in_hand.aborted);
        if status == Status::Unreachable && aborted {
            self.complete(cx, part, Status::Aborted);
        } else if status == Status::Unreachable {
            if let Some(id) = id {
                self.is_behind(id, part, None);
            }
            let onward = self.paths.path_failed(cx, part, port, segment::FAIL_OVER);
            self.go(cx, part, onward);
        } else {
            self.complete(cx, part, status);
        }
    }

    pub(super) fn complete(&mut self, cx: &mut Context<'_>, part: RequestId, status: Status) {
        self.asked -= 1;
        let returned = cx.close_request(part, status);
        if let ParentState::Satisfied(request, _) = returned.joined {
            self.is_back(cx, request, status);
        }
        self.go_on_inside(cx);
    }
}
