//! The errors of a run, for reports. The recorded errors change nothing in the run.

use crate::site::ComponentId;
use sansim_kernel::Time;
use sansim_request::{LedgerLine, LostRequest, Request};

/// Number of time-outs that are listed one by one, the first of a run.
pub const TOLD: usize = 20;

/// A request that timed out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeOut {
    /// The time of the time-out.
    pub at: Time,
    /// The host whose timeout expired.
    pub host: ComponentId,
    /// The request; for several merged requests the first, with the bytes of all.
    pub request: Request,
    /// The number of the attempt that timed out.
    pub attempt: u32,
    /// The time at which this attempt was sent.
    pub since: Time,
    /// The ledger line in which the request was at this moment.
    pub line: LedgerLine,
    /// The reason why there was no answer; none if the request was still being served.
    pub loss: Option<LostRequest>,
}

/// The errors that a host saw in the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ErrorCounts {
    /// The number of answers BUSY.
    pub busy: u64,
    /// The number of answers QUEUE FULL.
    pub queue_full: u64,
    /// The number of answers CHECK CONDITION.
    pub check_condition: u64,
    /// The number of answers MEDIUM ERROR: some of the requested blocks cannot be read.
    pub unreadable: u64,
    /// The number of requests for devices that the host may not access, or that are hidden from it.
    pub refused: u64,
    /// The number of time-outs of requests that their device did not answer.
    pub no_answer: u64,
    /// The number of time-outs of requests that lost a frame.
    pub frame_lost: u64,
    /// The number of time-outs of requests that were still being served.
    pub slow: u64,
    /// The number of task management functions that were asked for.
    pub task_management: u64,
    /// The number of times that a path was found to have failed, by a check of it or by an I/O.
    pub paths_failed: u64,
    /// The number of times that a check found that a failed path works again.
    pub paths_back: u64,
    /// The number of times that a path to a device became marginal.
    pub paths_marginal: u64,
    /// The number of requests that were sent again.
    pub retries: u64,
    /// The number of requests that failed because no further attempt was allowed.
    pub given_up: u64,
}

/// The log of the errors of a run, for reports.
#[derive(Clone, Debug, Default)]
pub struct ErrorLog {
    /// The counts of each host that saw an error, in the order of the first errors.
    pub hosts: Vec<(ComponentId, ErrorCounts)>,
    /// The first time-outs.
    pub time_outs: Vec<TimeOut>,
    /// The number of frames that each adapter discarded because they were damaged.
    pub frames_lost: Vec<(ComponentId, u64)>,
}

impl ErrorLog {
    /// The counts of a host.
    pub fn host_counts(&mut self, host: ComponentId) -> &mut ErrorCounts {
        let place = self.hosts.iter().position(|(other, _)| *other == host).unwrap_or_else(|| {
            self.hosts.push((host, ErrorCounts::default()));
            self.hosts.len() - 1
        });
        &mut self.hosts[place].1
    }

    /// A frame was discarded.
    pub fn record_lost_frame(&mut self, adapter: ComponentId) {
        match self.frames_lost.iter_mut().find(|(other, _)| *other == adapter) {
            Some((_, count)) => *count += 1,
            None => self.frames_lost.push((adapter, 1)),
        }
    }

    /// A request timed out.
    pub fn record_time_out(&mut self, told: TimeOut) {
        use sansim_request::LossCause;
        let counts = self.host_counts(told.host);
        match told.loss.map(|loss| loss.cause) {
            Some(LossCause::NoAnswer) => counts.no_answer += 1,
            Some(LossCause::FrameLost) => counts.frame_lost += 1,
            None => counts.slow += 1,
        }
        if self.time_outs.len() < TOLD {
            self.time_outs.push(told);
        }
    }
}
