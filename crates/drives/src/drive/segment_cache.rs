//! A drive with a cache: hits in the segment, and the waits of a command for the medium.

use super::catalogue::DriveStage;
use super::{Drive, InWork};
use sansim_component::Context;
use sansim_kernel::Time;
use sansim_request::RequestId;

impl Drive {
    /// A command of a drive with a cache comes into work.
    pub(super) fn start_cached(&mut self, cx: &mut Context<'_>, mut work: InWork, from: Time) {
        let now = self.own_time(cx);
        let Some(cache) = &mut self.cache else { return };
        let command = work.command;
        let mut free = now;
        if !cache.begin_command(now, command.write, command.from, command.to) {
            free = cache.medium_free_time();
            let access = self.parameters.access_time.draw(&mut self.random);
            work.until = cache.position_medium(now, command.write, command.from, from, access);
        }
        self.in_work.push(work);
        if free > now {
            cx.ledger().enter_segment(command.request, DriveStage::MediumTaken as usize);
            self.wake(cx, self.in_work.len() - 1, free);
        } else {
            self.serve_cached(cx);
        }
    }

    /// Passes on the data that the cache has for the command in work, or finds the time at which there will be more.
    pub(super) fn serve_cached(&mut self, cx: &mut Context<'_>) {
        let now = self.own_time(cx);
        let (Some(work), Some(cache)) = (self.in_work.first(), &mut self.cache) else { return };
        let InWork { command, transferred, until: positioned, .. } = *work;
        self.short_of_room = false;
        let mut done = transferred;
        let next = |done: u64| (done + command.piece).min(command.bytes);
        let (stage, at) = if command.write && cache.space_ready_time(next(done) - done) <= now {
            // The data of a write can come while the medium is being positioned.
            self.give_room(cx, 0);
            return;
        } else if positioned > now {
            (DriveStage::Access, Some(positioned))
        } else if command.write {
            (DriveStage::MediumTaken, Some(cache.space_ready_time(next(done) - done)))
        } else {
            let at = loop {
                if done == command.bytes {
                    if !self.in_work[0].answered {
                        self.done(cx, 0);
                    }
                    return;
                }
                let Some(cache) = &mut self.cache else { return };
                match cache.data_ready_time(command.from + next(done)) {
                    Some(at) if at <= now => {
                        done = next(done);
                        cache.pass_data_on(command.from + done);
                        if !self.give_data(cx, 0, done) {
                            return;
                        }
                    }
                    later => break later,
                }
            };
            (DriveStage::Transfer, at)
        };
        // A read enters the segment here only for its first data: for later data the adapter enters it when it has sent the data before.
        if command.write || done == 0 {
            cx.ledger().enter_segment(command.request, stage as usize);
        }
        match at {
            Some(at) => self.wake(cx, 0, at),
            None => self.short_of_room = true,
        }
    }

    /// The data of a read have been sent up to this byte of the request. The request may have been closed before.
    pub(super) fn taken(&mut self, cx: &mut Context<'_>, request: RequestId, upto: u64) {
        let now = self.own_time(cx);
        if let Some(cache) = &mut self.cache {
            cache.data_sent_up_to(now, cx.request(request).first_byte() + upto);
            if self.short_of_room {
                self.serve_cached(cx);
            }
        }
    }
}
