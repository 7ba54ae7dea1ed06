//! Child requests that are done, and the consequences for blocks and for the parent request.

use super::{Asked, DeviceCache, InHand, UnderWay};
use sansim_component::Context;
use sansim_component::child_requests::CompletedChild as Part;
use sansim_request::{Operation, RequestId, Status};

impl DeviceCache {
    /// Does all work that has become possible: handles answers and waiting requests, fetches and destages.
    pub(super) fn proceed(&mut self, cx: &mut Context<'_>) {
        loop {
            while let Some(part) = self.behind.close_next_done(cx) {
                self.came_back(cx, &part);
            }
            self.go_on_with_flushes(cx);
            self.take_up_waiting(cx);
            self.fetch_for_itself(cx);
            self.destage(cx);
            if self.behind.next_done_child().is_none() && !self.has_changed {
                return;
            }
        }
    }

    /// Handles the answer to a child request.
    pub(super) fn came_back(&mut self, cx: &mut Context<'_>, part: &Part) {
        let Some(UnderWay { what, blocks, era }) = self.under_way.remove(&part.part) else { return };
        let good = part.status == Status::Good;
        let counts = era == self.failing.era();
        self.has_changed = true;
        self.ordered.retain(|(other, _)| *other != part.part);
        if good {
            self.trouble.over(part.place);
        }
        match what {
            Asked::Fetch(request) => {
                self.fetched(cx, part, &blocks, counts);
                if let Some(id) = request {
                    self.part_done(cx, id, part);
                }
            }
            Asked::Bypass(id) => self.part_done(cx, id, part),
            Asked::Through(id) => {
                if counts && good {
                    self.flush_progresses(&blocks);
                    self.cache.destaged(blocks);
                } else if counts {
                    self.cache.destage_failed(blocks);
                }
                self.part_done(cx, id, part);
            }
            Asked::Onward(id) => self.part_done(cx, id, part),
            Asked::Destage => {
                self.destages -= 1;
                if good && counts {
                    self.flush_progresses(&blocks);
                    self.cache.destaged(blocks);
                } else if !good {
                    self.not_destaged(cx, part.place, blocks, counts);
                }
            }
        }
    }

    /// A child request of a request is done.
    pub(super) fn part_done(&mut self, cx: &mut Context<'_>, id: RequestId, part: &Part) {
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        if in_hand.status == Status::Good {
            in_hand.status = part.status;
        }
        if !matches!(part.returned.joined, sansim_request::ParentState::Satisfied(..)) {
            return;
        }
        let InHand { operation, status, awaits, missed, lost, aborted, .. } = *in_hand;
        match status {
            _ if lost => self.answer(cx, id, self.failing.answers()),
            Status::Good if operation == Operation::Flush && !aborted => self.is_flushed_behind(cx, id),
            Status::Good if operation.is_write() => self.answer(cx, id, Status::Good),
            Status::Good if aborted => self.answer(cx, id, Status::Aborted),
            Status::Good if awaits > 0 => self.await_others(cx, id),
            Status::Good if missed => self.read_for_itself(cx, id),
            Status::Good => self.has_all(cx, id),
            status => self.answer(cx, id, status),
        }
    }
}
