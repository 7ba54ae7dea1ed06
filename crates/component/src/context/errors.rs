//! Reports of failures and losses by components.

use super::Context;
use crate::error_log::{ErrorCounts, TimeOut};
use sansim_kernel::Time;
use sansim_request::{Cause, Loss, Request, RequestId};

/// Reports failures and losses.
pub struct Trouble<'c, 'a>(&'c mut Context<'a>);

impl<'a> Context<'a> {
    /// The reports of failures and losses.
    #[inline]
    pub fn trouble(&mut self) -> Trouble<'_, 'a> {
        Trouble(self)
    }
}

impl Trouble<'_, '_> {
    /// A device that this component presents has failed, by its number in the system: all components that may send requests to it are
    /// notified at this moment ([`EventAction::DeviceFails`](crate::EventAction::DeviceFails)).
    pub fn device_fails(&mut self, device: u32) {
        self.0.around.failed_devices.push(device);
    }

    /// The component cannot continue, and never will: the run ends soon, and [`fault`](crate::Component::fault) has the reason.
    pub fn give_up(&mut self) {
        self.0.around.given_up = true;
    }

    /// A request gets no answer, because of an event at this component. A recorded loss only feeds the reports.
    pub fn lose(&mut self, id: RequestId, cause: Cause) {
        self.0.around.requests.lose(id, Loss { component: self.0.me.0, cause });
        if cause == Cause::FrameLost {
            self.0.around.errors.frame_lost(self.0.me);
        }
    }

    /// The errors that this host has seen so far.
    pub fn counts(&mut self) -> &mut ErrorCounts {
        self.0.around.errors.of(self.0.me)
    }

    /// Notes that a request of this host timed out: it was sent at this time, and this was its n-th attempt. `told` is the request as the
    /// error message shows it.
    pub fn timed_out(&mut self, id: RequestId, told: Request, since: Time, attempt: u32) {
        let (line, loss) = self.0.around.requests.whereabouts(id);
        let time_out = TimeOut { at: self.0.now, host: self.0.me, request: told, attempt, since, line, loss };
        self.0.around.errors.timed_out(time_out);
    }
}
