//! Preflushes: the device is flushed first, and the write follows when the flush is answered.
//!
//! Source: Linux, `block/blk-flush.c`: a write with REQ_PREFLUSH is the sequence PREFLUSH, DATA. Other requests go on beside it, as in Linux.
//! Linux lets several writes that wait share one flush; here each has its own.

use super::catalogue::segment;
use super::{Host, PREFLUSH};
use sansim_component::Context;
use sansim_request::{Request, RequestId, Status};

impl Host {
    /// A request that no limit holds back waits for its device; if it has a preflush, a flush of the device waits in its place.
    pub(super) fn begin(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let request = *cx.request(id);
        if !request.cache_control.preflush {
            self.wait_in_parts(cx, id);
            return;
        }
        cx.fork_request(id, 1);
        let flush = Request::flush_of(request.device, request);
        let flush = cx.child_requests().begin_child(id, flush, segment::QUEUE);
        self.came_by(flush, PREFLUSH);
        self.wait(cx, flush);
    }

    /// A preflush is done: its write waits for its device, or fails as the flush did.
    pub(super) fn preflush_done(&mut self, cx: &mut Context<'_>, flush: RequestId, status: Status) {
        let write = cx.request(flush).parent;
        cx.close_request(flush, status);
        let Some(write) = write else { return };
        if status == Status::Good {
            cx.ledger().enter_segment(write, segment::QUEUE);
            self.wait_in_parts(cx, write);
        } else {
            self.in_hand -= 1;
            cx.answer(self.askers[write.0 as usize], write, status);
        }
    }
}
