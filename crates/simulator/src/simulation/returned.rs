//! Requests that have come back to their workloads, and the measured interval.

use super::Simulation;
use crate::counted::IoRecord;
use crate::measure::CompletionEffect;
use sansim_kernel::{Order, Time, Total};
use sansim_request::{RequestId, ReturnedRequest, Status};

impl Simulation<'_> {
    /// Handles the requests that have come back.
    pub(super) fn take_returned(&mut self, now: Time) {
        // The list is taken out while it is read, and is put back with its capacity.
        let mut list = std::mem::take(&mut self.around.returned);
        for (id, returned, status) in &list {
            if !returned.request.origin.background {
                self.complete(now, *id, returned, *status);
            }
        }
        list.clear();
        self.around.returned = list;
    }

    fn complete(&mut self, now: Time, id: RequestId, returned: &ReturnedRequest, status: Status) {
        let ReturnedRequest { request, response, .. } = returned;
        self.balance.completed += 1;
        if status == Status::Good {
            self.balance.data_completed += request.data_bytes();
        } else {
            self.balance.failed += 1;
        }
        if !self.around.requests.dwells_add_up(id) {
            self.balance.ledger_errors += 1;
            self.balance.first_ledger_error.get_or_insert(request.number);
        }
        let record = IoRecord {
            response: *response,
            completed: now,
            bytes: request.bytes,
            io: request.number,
            lba: request.lba,
            workload: request.origin.workload,
            stream: request.origin.stream,
            slot: request.origin.slot,
            drive: self.device_stations[request.device as usize],
            device: request.device,
            operation: request.operation,
            failed: status != Status::Good,
        };
        if now >= self.watch.next && self.measurement.is_open() {
            self.look_at_stocks(now);
        }
        let window = self.measurement.complete(now, &record, self.around.requests.past_dwells(id));
        if window != CompletionEffect::Same {
            self.note(now, window);
        }
        self.around.sources.most = self.measurement.io_limit();
        self.end_if_drained(now);
    }

    /// Ends the run if all requests have been issued and have come back.
    fn end_if_drained(&mut self, now: Time) {
        if !self.is_drained() {
            return;
        }
        self.around.sources.is_over = true;
        // Later actions of the scenario would affect no request.
        self.actions.iter().for_each(|&(_, _, key)| {
            self.around.calendar.cancel(key);
        });
        // Random failures that are still to come would affect no request either.
        for key in std::mem::take(&mut self.around.asides) {
            self.around.calendar.cancel(key);
        }
        if self.around.sources.endless_background_requests() > 0 {
            // A background request might continue for ever.
            (self.is_over, self.until) = (true, now);
        } else if self.around.sources.passing > 0 {
            // The remaining events are the last steps of background requests, which may take half a lease: no samples are
            // needed.
            self.until = Time::HORIZON;
        }
    }

    /// Records the meters when the measured interval begins or ends, or may begin.
    fn note(&mut self, now: Time, window: CompletionEffect) {
        self.catch_up_all();
        let meters = self.read_meters(now);
        match window {
            CompletionEffect::Same => {}
            CompletionEffect::MayOpen => self.openings.push(meters),
            CompletionEffect::MayOpenFewer => {
                self.openings.push(meters);
                let mut number = 0;
                self.openings.retain(|_| {
                    number += 1;
                    number % 2 == 0
                });
            }
            CompletionEffect::Opens => {
                self.at_opening = meters;
                self.watch.begin_interval(now);
            }
            CompletionEffect::Closes => self.at_closing = Some(meters),
        }
        self.next_edge = self.measurement.next_edge();
    }

    /// Begins and ends the measured interval at the given times, before an event at `now`.
    #[cold]
    pub(super) fn pass_edges(&mut self, now: Time) {
        while self.next_edge <= now {
            let at = self.next_edge;
            self.lookahead().catch_up_all_bursts((at, Order::default()));
            let window = self.measurement.pass_interval_edge();
            self.note(at, window);
        }
        self.around.sources.most = self.measurement.io_limit();
        // All I/Os may have come back before.
        self.end_if_drained(now);
    }

    /// Chooses the meters at the beginning of the measured interval, now that the number of I/Os that the automatic
    /// rule leaves out is known.
    pub(crate) fn open_at(&mut self, opening: Option<usize>) {
        if let Some(meters) = opening.and_then(|number| self.openings.get(number)) {
            self.at_opening.clone_from(meters);
        }
    }

    /// The increase of every meter in the measured interval, up to now or to its end.
    pub(crate) fn metered(&self) -> Vec<Total> {
        let until = self.at_closing.clone().unwrap_or_else(|| self.read_meters(self.now()));
        until.iter().zip(&self.at_opening).map(|(end, start)| *end - *start).collect()
    }
}
