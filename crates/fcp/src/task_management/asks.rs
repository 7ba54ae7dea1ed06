//! The initiator's end of task management: it asks for a function, and then sends ABTS for the commands that it may have ended.

use crate::exchange::Exchange;
use crate::initiator::Initiator;
use sansim_component::{Context, TaskManagement};
use sansim_pdu::{Pdu, PduKind, task_management as code};
use sansim_request::RequestId;

impl Initiator {
    /// The host has no answer to its abort of a request: asks the target to carry out a function.
    pub(crate) fn manage(&mut self, cx: &mut Context<'_>, request: RequestId, function: TaskManagement) {
        let Some(id) = self.exchanges.find_exchange(request) else { return };
        let Some(flag) = function.flag() else { return self.reset(cx) };
        let Exchange { peer, aborted, logged_out, abort_answered, .. } = self.exchanges[id];
        // A command of which nothing was sent ends by itself, and so does one whose ABTS has been answered.
        if !aborted || logged_out || abort_answered || !self.rules.manages_tasks {
            return;
        }
        let device = cx.request(request).device;
        for other in self.exchanges.open_with(peer) {
            let Exchange { request, sent, .. } = self.exchanges[other];
            if sent && (function == TaskManagement::TargetReset || cx.request(request).device == device) {
                self.exchanges[other].managed = true;
            }
        }
        let unit = self.service(cx, id, PduKind::ServiceRequest, 0);
        let payload_bytes = self.sizes.command_payload as u32;
        self.send_service(cx, Pdu { status: flag, payload_bytes, ..unit });
    }

    /// A function is complete. ABTS is sent for each command that it may have ended, and again if ABTS has not been answered.
    pub(crate) fn function_complete(&mut self, cx: &mut Context<'_>, answer: &Pdu) {
        let device = cx.request(RequestId(answer.tag.0)).device;
        for id in self.exchanges.open_with(answer.source) {
            let Exchange { request, aborted, telling, status_in, managed, logged_out, .. } =
                self.exchanges[id];
            let is_meant = answer.status == code::TARGET_RESET || cx.request(request).device == device;
            if !managed || !is_meant || telling || logged_out || (status_in && !aborted) {
                continue;
            }
            self.exchanges[id].managed = false;
            if !aborted {
                self.end_watch(cx, id);
                self.begin_abort(cx, id);
                self.send_abort(cx, id);
            } else if let Some(place) = self.role.aborts.iter().position(|&(other, _)| other == id) {
                let (_, timer) = self.role.aborts.swap_remove(place);
                cx.cancel_timer(timer);
                self.send_abort(cx, id);
            }
        }
    }
}
