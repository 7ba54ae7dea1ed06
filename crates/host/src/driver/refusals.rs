//! Requests that fail at the instant at which they were issued: no path to their device works, or all of them are refused, in zero time.
//!
//! A workload that reissues at once would keep simulated time at that instant for ever. The driver reports a failure in zero time
//! `refusal_time` later. The value of `refusal_time` is an assumption; that a failure needs some time is not: a driver runs some code
//! before it gives up.

use super::catalogue::segment;
use super::{Host, what};
use sansim_component::{Context, EventTurn, Timer};
use sansim_kernel::Time;
use sansim_request::{RequestId, Status};
use std::collections::VecDeque;

/// Requests whose failure is reported later, in the order of these reports.
#[derive(Clone, Debug, Default)]
pub(super) struct Refusals {
    waiting: VecDeque<(Time, RequestId, Status)>,
}

impl Host {
    /// Whether the failure of a request is reported later, because the request failed in zero time.
    pub(super) fn reports_later(&mut self, cx: &mut Context<'_>, id: RequestId, status: Status) -> bool {
        if status == Status::Good || cx.requests().issue_time(id) < cx.now {
            return false;
        }
        self.devices
            .merged_requests(id)
            .for_each(|member| cx.ledger().enter_segment(member, segment::COMPLETION));
        let at = cx.now + self.parameters.refusal_time;
        self.refusals.waiting.push_back((at, id, status));
        cx.set_timer(at, EventTurn::turn_of_node(u32::from(what::REFUSAL)), Timer::new(what::REFUSAL, 0));
        true
    }

    /// The time after which failures are reported has passed.
    pub(super) fn refusal_due(&mut self, cx: &mut Context<'_>) {
        while let Some(&(at, id, status)) = self.refusals.waiting.front()
            && at <= cx.now
        {
            self.refusals.waiting.pop_front();
            self.report(cx, id, status);
        }
    }
}
