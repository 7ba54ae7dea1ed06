//! Waits for the medium to have what the cache holds: those of flushes, and of writes with forced unit access.
//!
//! Flushes and deallocations, which have their turn among the commands and no access: a flush waits until the medium has written what the
//! cache holds, and a deallocation is done with its list.

use super::catalogue::DriveStage;
use super::{Drive, InWork};
use crate::cache::StreamCacheSegment;
use sansim_component::Context;
use sansim_kernel::Time;
use sansim_request::Operation;

impl Drive {
    /// A flush or a deallocation comes into work. A flush waits until the medium has what the cache holds of writes; a deallocation only gets
    /// its list.
    pub(super) fn start_without_access(&mut self, cx: &mut Context<'_>, work: InWork) {
        let now = self.own_time(cx);
        let operation = work.command.operation;
        self.in_work.push(InWork { accessed: true, ..work });
        let index = self.in_work.len() - 1;
        if operation == Operation::Deallocate {
            self.give_room(cx, index);
        } else {
            self.end_on_medium(cx, index, now);
        }
    }

    /// Ends a command when the medium has what the cache holds of writes.
    fn end_on_medium(&mut self, cx: &mut Context<'_>, index: usize, now: Time) {
        let free = self.cache.as_ref().map_or(now, StreamCacheSegment::medium_free_time);
        if free > now {
            let request = self.in_work[index].command.request;
            cx.ledger().enter_segment(request, DriveStage::MediumTaken as usize);
            self.wake(cx, index, free);
        } else {
            self.done(cx, index);
        }
    }

    /// All data of a write are in the cache: the write is done, or has to wait for the medium.
    pub(super) fn end_cached_write(&mut self, cx: &mut Context<'_>, index: usize) {
        if self.in_work[index].command.force_unit_access {
            let now = self.own_time(cx);
            self.end_on_medium(cx, index, now);
        } else {
            self.done(cx, index);
        }
    }

    /// Whether a write with forced unit access has all its data in the cache, and waits for the medium to have them.
    pub(super) fn awaits_medium(&self, index: usize) -> bool {
        let InWork { command, transferred, .. } = self.in_work[index];
        self.cache.is_some() && command.force_unit_access && transferred == command.bytes
    }
}
