//! The memory of a cache: it moves the data of one request at a time, first come first served.

use super::catalogue::segment;
use super::{DeviceCache, Stage, wake, what};
use sansim_component::Context;
use sansim_kernel::{Span, Time, TimeWeighted, Total};
use sansim_request::{RequestId, Status};
use std::collections::VecDeque;

/// The memory of a cache: it moves the data of one request at a time, first come first served.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    bytes_per_second: Option<u64>,
    waiting: VecDeque<RequestId>,
    /// The request whose data are being moved. The request may have been answered since.
    current: Option<RequestId>,
    busy: TimeWeighted,
}

impl Memory {
    pub(super) fn new(bytes_per_second: Option<u64>) -> Self {
        let (waiting, busy) = (VecDeque::with_capacity(64), TimeWeighted::new());
        Self { bytes_per_second, waiting, current: None, busy }
    }

    pub(super) fn busy(&self, now: Time) -> Total {
        self.busy.total(now)
    }

    /// A request waits for the memory no more.
    pub(super) fn forget(&mut self, id: RequestId) {
        self.waiting.retain(|waiting| *waiting != id);
    }
}

impl DeviceCache {
    /// The data of a request are moved, when its turn has come.
    pub(super) fn move_data(&mut self, cx: &mut Context<'_>, id: RequestId) {
        self.put(id, Stage::Memory);
        if self.memory.bytes_per_second.is_none() {
            self.moved(cx, id);
            return;
        }
        cx.ledger().locate_request(id, segment::MEMORY_QUEUE);
        self.memory.waiting.push_back(id);
        self.move_next(cx);
    }

    fn move_next(&mut self, cx: &mut Context<'_>) {
        while self.memory.current.is_none() {
            let Some(id) = self.memory.waiting.pop_front() else { return };
            if !self.in_hand.contains_key(&id) {
                continue;
            }
            let bytes = cx.request(id).data_bytes();
            let time = self.memory.bytes_per_second.map_or(Span::ZERO, |rate| Span::to_move(bytes, rate));
            self.memory.current = Some(id);
            self.memory.busy.set(cx.now, 1);
            cx.ledger().locate_request(id, segment::MEMORY);
            wake(cx, cx.now + time, what::MEMORY);
        }
    }

    pub(super) fn memory_due(&mut self, cx: &mut Context<'_>) {
        if let Some(id) = self.memory.current.take() {
            self.memory.busy.set(cx.now, 0);
            if self.stage(id) == Some(Stage::Memory) {
                self.moved(cx, id);
            }
        }
        self.move_next(cx);
    }

    /// Continues a request whose data have moved into the memory or out of it.
    fn moved(&mut self, cx: &mut Context<'_>, id: RequestId) {
        let Some(in_hand) = self.in_hand.get(&id) else { return };
        match (in_hand.operation.is_write(), in_hand.aborted) {
            (_, true) => self.answer(cx, id, Status::Aborted),
            (true, false) => self.look_up(cx, id),
            (false, false) => self.answer(cx, id, Status::Good),
        }
    }
}
