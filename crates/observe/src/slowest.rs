//! The times at which the slowest measured I/Os were in the system, for a run of any length.

use crate::observer::{Observer, RequestStep, WantedCalls, is_workload_io};
use sansim_component::ComponentId;
use sansim_kernel::{Span, Time};
use sansim_request::{RequestId, Requests};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An I/O with its rank: the response time, then the earlier number; and its time in the system.
type Ranked = (Span, Reverse<u64>, Time, Time);

/// Keeps the times of the `count` slowest I/Os.
#[derive(Clone, Debug)]
pub struct SlowestIos {
    count: usize,
    /// By request: the number and the time of issue, if the request is an I/O.
    issued: Vec<Option<(u64, Time)>>,
    kept: BinaryHeap<Reverse<Ranked>>,
}

impl SlowestIos {
    /// A list without I/Os.
    pub fn new(count: usize) -> Self {
        Self { count, issued: Vec::new(), kept: BinaryHeap::new() }
    }

    /// Adds an I/O that was issued and completed at these times.
    pub fn add(&mut self, io: u64, issued: Time, completed: Time) {
        self.kept.push(Reverse((completed - issued, Reverse(io), issued, completed)));
        if self.kept.len() > self.count {
            self.kept.pop();
        }
    }

    /// The times in which the slowest I/Os were in the system, including their completions.
    pub fn into_spans(self) -> Vec<(Time, Time)> {
        self.kept
            .into_iter()
            .map(|Reverse((_, _, issued, completed))| (issued, completed + Span(1)))
            .collect()
    }
}

impl Observer for SlowestIos {
    fn wants(&self) -> WantedCalls {
        WantedCalls { requests: true, ..WantedCalls::default() }
    }

    fn at_request(
        &mut self,
        now: Time,
        _: ComponentId,
        request: RequestId,
        what: RequestStep,
        requests: &Requests,
    ) {
        let index = request.0 as usize;
        match what {
            RequestStep::Issued(_) => {
                if index >= self.issued.len() {
                    self.issued.resize(index + 1, None);
                }
                let begun = requests.issue_time(request);
                let request = requests.request(request);
                self.issued[index] = is_workload_io(request).then_some((request.number, begun));
            }
            RequestStep::Completed { measured: true } => {
                if let Some((io, issued)) = self.issued[index] {
                    self.add(io, issued, now);
                }
            }
            RequestStep::Completed { measured: false } | RequestStep::Enters(_) | RequestStep::Joined(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::example::sample_read;
    use sansim_request::{LedgerLine, Request, RequestOrigin};

    #[test]
    fn the_slowest_are_kept_and_of_equals_the_earlier() {
        let mut slowest = SlowestIos::new(2);
        for (io, takes) in [(0, 5), (1, 9), (2, 7), (3, 9), (4, 9)] {
            slowest.add(io, Time(100 * io), Time(100 * io + takes));
        }
        let mut spans = slowest.into_spans();
        spans.sort_unstable();
        assert_eq!(spans, [(Time(100), Time(110)), (Time(300), Time(310))]);
    }

    #[test]
    fn parts_of_others_and_what_nobody_waits_for_are_not_among_them() {
        let (mut slowest, mut requests) = (SlowestIos::new(5), Requests::default());
        let line = LedgerLine(0);
        let origin = RequestOrigin::BACKGROUND;
        let io = requests.open_request(Time(0), sample_read(0), line);
        let part = requests.open_child(Time(0), io, sample_read(0), line);
        let unseen = requests.open_request(Time(0), Request { origin, ..sample_read(1) }, line);
        for id in [io, part, unseen] {
            slowest.at_request(Time(0), ComponentId(0), id, RequestStep::Issued(line), &requests);
            slowest.at_request(
                Time(9),
                ComponentId(0),
                id,
                RequestStep::Completed { measured: true },
                &requests,
            );
        }
        assert_eq!(slowest.into_spans(), [(Time(0), Time(10))]);
    }
}
