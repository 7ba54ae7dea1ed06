//! Retries: requests that come back with an error are passed on again.
//!
//! Source: Wang 2005, section 3.1.4: the driver "may re-issue the I/O request to the HBA for retry, depending on different error types", up
//! to a maximum; then the request fails. The waiting times are from the SCSI layer of Linux (`drivers/scsi/scsi_error.c`, `scsi_lib.c`):
//!
//! | it came back with | it goes again | it counts as a retry |
//! |---|---|---|
//! | BUSY | after `busy_wait` | yes; Linux has a limit of time instead |
//! | QUEUE FULL | when the device has room again, but if it has nothing of this host after `busy_wait` | no, as in Linux |
//! | CHECK CONDITION with UNIT ATTENTION or ABORTED COMMAND, aborted after a time-out | at once | yes |
//! | CHECK CONDITION with NOT READY | after `busy_wait` | yes; Linux has a limit of time instead |
//! | CHECK CONDITION with HARDWARE ERROR | not at all | |
//! | MEDIUM ERROR: some of it cannot be read | not at all, for the medium would say the same | |
//! | a refusal: it is in no zone with the host, or masked | not at all, for it would be refused again | |
//!
//! A retried request goes to the head of the queue of its device and through the arrival process like any other, on a path that is chosen
//! anew.

use super::catalogue::segment;
use super::{Host, MERGED, what};
use sansim_component::scheduling::QueuedRequest;
use sansim_component::{Context, EventTurn, Timer};
use sansim_kernel::Time;
use sansim_request::{RequestId, RequestMap, Status};
use std::collections::VecDeque;

/// The attempts of requests, and the requests that wait for their next attempt.
#[derive(Clone, Debug, Default)]
pub(super) struct Retries {
    /// The number of failed attempts of requests that came back with an error.
    tries: RequestMap<u32>,
    /// Requests that wait for `busy_wait`, in the order of their next attempts.
    waiting: VecDeque<(Time, RequestId)>,
}

impl Retries {
    /// The number of failed attempts of a request.
    pub fn failed_attempt_count(&self, id: RequestId) -> u32 {
        self.tries.get(&id).copied().unwrap_or(0)
    }

    /// Drops the counts of a request that is done.
    #[inline]
    fn forget(&mut self, id: RequestId) {
        if !self.tries.is_empty() {
            self.tries.remove(&id);
        }
    }
}

impl Host {
    /// The request by which the driver identifies this one: of merged requests the first.
    pub(super) fn first_of(&self, cx: &Context<'_>, id: RequestId) -> RequestId {
        if self.askers[id.0 as usize] == MERGED { cx.request(id).parent.unwrap_or(id) } else { id }
    }

    /// Retries a request, if its status and the number of its attempts allow a retry. Returns whether the request is retried.
    pub(super) fn is_tried_again(&mut self, cx: &mut Context<'_>, id: RequestId, status: Status) -> bool {
        if !status.may_be_retried() {
            match status {
                Status::Unreadable => cx.failures().error_counts().unreadable += 1,
                Status::Refused => {
                    cx.failures().error_counts().refused += self.devices.merged_requests(id).count() as u64
                }
                _ => {}
            }
            self.retries.forget(id);
            return false;
        }
        let device = cx.request(id).device;
        let others = self.devices.outstanding_request_count(device);
        match status {
            Status::Busy => cx.failures().error_counts().busy += 1,
            Status::QueueFull => {
                cx.failures().error_counts().queue_full += 1;
                self.devices.queue_full_reported(cx.now, device);
            }
            Status::CheckCondition | Status::NotReady | Status::AbortedCommand => {
                cx.failures().error_counts().check_condition += 1
            }
            _ => {}
        }
        let tries = self.retries.tries.entry(id).or_insert(0);
        if status != Status::QueueFull {
            if *tries >= self.parameters.retries {
                cx.failures().error_counts().given_up += self.devices.merged_requests(id).count() as u64;
                self.retries.forget(id);
                return false;
            }
            *tries += 1;
        }
        cx.failures().error_counts().retries += 1;
        self.devices.merged_requests(id).for_each(|member| cx.ledger().enter_segment(member, segment::RETRY));
        let is_later = matches!(status, Status::Busy | Status::NotReady);
        if is_later || (status == Status::QueueFull && others == 0) {
            let at = cx.now + self.parameters.busy_wait;
            self.retries.waiting.push_back((at, id));
            cx.set_timer(at, EventTurn::turn_of_node(u32::from(what::RETRY)), Timer::new(what::RETRY, 0));
        } else {
            self.come_back(cx, id);
        }
        true
    }

    /// A request goes to the head of the queue of its device.
    fn come_back(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let one = QueuedRequest::from_merged(
            self.devices.merged_requests(id).map(|member| (member, *cx.request(member))),
            cx.now,
        );
        if let Some(one) = one {
            self.devices.add_returned_request(cx.request(id).device, one);
        }
    }

    /// Retries the requests that have waited for `busy_wait`.
    pub(super) fn retry_due(&mut self, cx: &mut Context<'_>) {
        while let Some(&(at, id)) = self.retries.waiting.front()
            && at <= cx.now
        {
            self.retries.waiting.pop_front();
            self.come_back(cx, id);
        }
        self.take_up(cx);
    }
}
