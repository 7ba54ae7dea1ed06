//! Child requests that a component cannot send at once, that follow another child, or for which other requests wait.

use super::Context;
use crate::show::ObservableKind;
use sansim_request::{Request, RequestId};

/// Child requests that a component cannot send at once, that follow another child, or for which other requests wait.
pub struct DelayedChildRequests<'c, 'a>(&'c mut Context<'a>);

impl<'a> Context<'a> {
    /// The functions for child requests with other options than a plain request for each.
    #[inline]
    pub fn child_requests(&mut self) -> DelayedChildRequests<'_, 'a> {
        DelayedChildRequests(self)
    }
}

impl DelayedChildRequests<'_, '_> {
    /// Makes a forked request wait for this many further children, which the component sends next.
    pub fn await_more_children(&mut self, parent: RequestId, more: u16) {
        self.0.around.requests.await_more_children(parent, more);
    }

    /// Begins a child request that cannot be sent yet: it waits in a segment of this component.
    pub fn begin_child(&mut self, parent: RequestId, request: Request, segment: usize) -> RequestId {
        let line = self.0.line(segment);
        let id = self.0.around.requests.open_child(self.0.now, parent, request, line);
        self.0.show_issued(id, line);
        id
    }

    /// Begins a child request that follows another child request, which is done and not closed yet: the time of the earlier one is on the
    /// later one's path.
    pub fn begin_child_after_sibling(
        &mut self,
        parent: RequestId,
        request: Request,
        segment: usize,
        other: RequestId,
    ) -> RequestId {
        let line = self.0.line(segment);
        let id = self.0.around.requests.open_child_after_sibling(self.0.now, parent, request, line, other);
        self.0.show_issued(id, line);
        id
    }

    /// Makes a request wait for a child of another request that was just sent: both requests were merged into the child.
    pub fn wait_for_merged_child(&mut self, id: RequestId) {
        self.0.around.requests.await_one_child(id);
    }

    /// Notes that the merged child for which a request waited was just closed.
    pub fn merged_child_closed(&mut self, id: RequestId, child: RequestId) {
        let went_on = self.0.around.requests.child_wait_satisfied(self.0.now, id, child);
        if self.0.around.shows.requests {
            self.0.report_observation(self.0.now, ObservableKind::Joined(id, child));
            if let Some(line) = went_on {
                self.0.report_observation(self.0.now, ObservableKind::Enters(id, line));
            }
        }
    }
}
