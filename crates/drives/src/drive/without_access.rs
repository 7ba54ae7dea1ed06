//! Flushes and deallocations, which have their turn among the commands and no access: a flush waits until the medium has written what the
//! cache holds, and a deallocation is done with its list.

use super::catalogue::DriveStage;
use super::{Drive, InWork};
use crate::cache::StreamCacheSegment;
use sansim_component::Context;
use sansim_request::Operation;

impl Drive {
    /// A flush or a deallocation comes into work. A flush waits until the medium has what the cache holds of writes; a deallocation only gets
    /// its list.
    pub(super) fn start_without_access(&mut self, cx: &mut Context<'_>, work: InWork) {
        let now = self.own_time(cx);
        let operation = work.command.operation;
        self.in_work.push(InWork { accessed: true, ..work });
        let index = self.in_work.len() - 1;
        let free = self.cache.as_ref().map_or(now, StreamCacheSegment::medium_free_time);
        if operation == Operation::Deallocate {
            self.give_room(cx, index);
        } else if free > now {
            cx.ledger().enter_segment(work.command.request, DriveStage::MediumTaken as usize);
            self.wake(cx, index, free);
        } else {
            self.done(cx, index);
        }
    }
}
