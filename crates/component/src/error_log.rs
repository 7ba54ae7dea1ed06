//! The errors of a run, for reports. They change nothing.

use crate::site::ComponentId;
use sansim_kernel::Time;
use sansim_request::{LedgerLine, Loss, Request};

/// Number of time-outs that are listed one by one, the first of a run.
pub const TOLD: usize = 20;

/// A request that timed out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeOut {
    /// When.
    pub at: Time,
    /// At whose patience.
    pub host: ComponentId,
    /// The request; for several merged ones the first, with the bytes of all.
    pub request: Request,
    /// The how manieth try it was.
    pub attempt: u32,
    /// When this try was passed on.
    pub since: Time,
    /// Where it was at this moment.
    pub line: LedgerLine,
    /// Why there was no answer: none if it was still being served.
    pub loss: Option<Loss>,
}

/// The errors that a host saw in the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ErrorCounts {
    /// Answers BUSY.
    pub busy: u64,
    /// Answers QUEUE FULL.
    pub queue_full: u64,
    /// Answers CHECK CONDITION.
    pub check_condition: u64,
    /// Answers MEDIUM ERROR: some of the requested blocks cannot be read.
    pub unreadable: u64,
    /// Requests for devices that the host may not talk to, or is not shown.
    pub refused: u64,
    /// Time-outs of requests that their device did not answer, that lost a frame, and that were still being served.
    pub no_answer: u64,
    /// See [`ErrorCounts::no_answer`].
    pub frame_lost: u64,
    /// See [`ErrorCounts::no_answer`].
    pub slow: u64,
    /// Requests that were passed on again.
    pub retries: u64,
    /// Requests that failed because they had been tried as often as is allowed.
    pub given_up: u64,
}

/// See the text at the top of this file.
#[derive(Clone, Debug, Default)]
pub struct ErrorLog {
    /// The counts of each host that saw an error, in the order of the first errors.
    pub hosts: Vec<(ComponentId, ErrorCounts)>,
    /// The first time-outs.
    pub time_outs: Vec<TimeOut>,
    /// Frames that each adapter threw away because they were damaged.
    pub frames_lost: Vec<(ComponentId, u64)>,
}

impl ErrorLog {
    /// The counts of a host.
    pub fn of(&mut self, host: ComponentId) -> &mut ErrorCounts {
        let place = self.hosts.iter().position(|(other, _)| *other == host).unwrap_or_else(|| {
            self.hosts.push((host, ErrorCounts::default()));
            self.hosts.len() - 1
        });
        &mut self.hosts[place].1
    }

    /// A frame was thrown away.
    pub fn frame_lost(&mut self, adapter: ComponentId) {
        match self.frames_lost.iter_mut().find(|(other, _)| *other == adapter) {
            Some((_, count)) => *count += 1,
            None => self.frames_lost.push((adapter, 1)),
        }
    }

    /// A request timed out.
    pub fn timed_out(&mut self, told: TimeOut) {
        use sansim_request::Cause;
        let counts = self.of(told.host);
        match told.loss.map(|loss| loss.cause) {
            Some(Cause::NoAnswer) => counts.no_answer += 1,
            Some(Cause::FrameLost) => counts.frame_lost += 1,
            None => counts.slow += 1,
        }
        if self.time_outs.len() < TOLD {
            self.time_outs.push(told);
        }
    }
}
