//! Completion queues and their interrupts.
//!
//! Source: NVMe, interrupt coalescing (feature 08h): a controller interrupts when as many completions wait as the threshold says, or when the
//! first has waited for the time. Each queue pair has an interrupt vector of its own. A host that polls finds a completion as soon as it is
//! written: what the polls cost is the business of its processors.

use super::catalogue::segment;
use super::packets::Step;
use super::parcel::Parcel;
use super::{PcieNetwork, request_of, what};
use sansim_component::{Context, EventTurn, Timer};
use sansim_kernel::EventKey;
use sansim_pdu::Pdu;
use std::collections::VecDeque;

/// Decisions come after arrivals at the same moment.
const DECIDES: u8 = 3;

/// A completion queue in the host's memory.
#[derive(Clone, Debug, Default)]
pub(super) struct CompletionQueue {
    /// The completions of which the host has not learnt, in the order in which they were written.
    written: VecDeque<Pdu>,
    /// How many of them have an interrupt in flight: the number for each interrupt.
    interrupts: VecDeque<usize>,
    /// The timer of the completions without an interrupt.
    deadline: Option<EventKey>,
}

impl CompletionQueue {
    /// The completions of which the host has not learnt.
    pub fn waiting_completion_count(&self) -> usize {
        self.written.len()
    }

    /// The completions without an interrupt.
    fn silent_completion_count(&self) -> usize {
        self.written.len() - self.interrupts.iter().sum::<usize>()
    }
}

impl PcieNetwork {
    /// A completion has been written into its queue.
    pub(super) fn completion_written(&mut self, cx: &mut Context<'_>, number: usize, parcel: Parcel) {
        self.counts.completions += 1;
        if self.parameters.polled {
            self.completed(cx, number, parcel.unit);
            self.head_moves(cx, number, parcel);
            return;
        }
        // Completions of aborts are not coalesced.
        let is_abort = parcel.queue == self.parameters.queues;
        let threshold = if is_abort { 1 } else { self.parameters.coalescing_threshold as usize };
        let queue = &mut self.links[number].completion[parcel.queue as usize];
        queue.written.push_back(parcel.unit);
        cx.ledger().enter_segment(request_of(&parcel.unit), segment::COALESCING);
        if queue.silent_completion_count() >= threshold {
            self.interrupt(cx, number, parcel.queue);
        } else if queue.deadline.is_none() {
            let turn = EventTurn { priority: DECIDES, unit: number as u32 };
            let timer = Timer { what: what::COALESCED, place: number as u16, number: parcel.queue };
            let at = cx.now + self.parameters.coalescing_time;
            queue.deadline = Some(cx.set_cancellable_timer(at, turn, timer));
        }
    }

    /// The first completion without an interrupt has waited for as long as it may.
    pub(super) fn coalescing_over(&mut self, cx: &mut Context<'_>, number: usize, queue: u32) {
        self.links[number].completion[queue as usize].deadline = None;
        self.interrupt(cx, number, queue);
    }

    /// The controller interrupts for all completions of a queue that have no interrupt.
    fn interrupt(&mut self, cx: &mut Context<'_>, number: usize, place: u32) {
        let queue = &mut self.links[number].completion[place as usize];
        if let Some(deadline) = queue.deadline.take() {
            cx.cancel_timer(deadline);
        }
        let count = queue.silent_completion_count();
        let Some(&last) = queue.written.back().filter(|_| count > 0) else { return };
        queue.interrupts.push_back(count);
        self.counts.interrupts += 1;
        // The ledger of the last completion has the packet; the others wait as before.
        let parcel = Parcel { has_left: true, ..Parcel::new(Step::Interrupt, last, place) };
        self.put(cx, number, parcel);
    }

    /// An interrupt has come: the host learns of its completions.
    pub(super) fn interrupted(&mut self, cx: &mut Context<'_>, number: usize, place: u32) {
        let queue = &mut self.links[number].completion[place as usize];
        let count = queue.interrupts.pop_front().unwrap_or(0);
        let units: Vec<Pdu> = queue.written.drain(..count).collect();
        let Some(&last) = units.last() else { return };
        for unit in units {
            self.completed(cx, number, unit);
        }
        self.head_moves(cx, number, Parcel::new(Step::HeadDoorbell, last, place));
    }

    /// The host has handled completions: it writes the head of the completion queue. No request waits for that.
    fn head_moves(&mut self, cx: &mut Context<'_>, number: usize, parcel: Parcel) {
        self.put(
            cx,
            number,
            Parcel { step: Step::HeadDoorbell, has_request: false, has_left: true, ..parcel },
        );
    }

    /// The host learns of a completion: its entry of the submission queue is free for a command that waits for one.
    fn completed(&mut self, cx: &mut Context<'_>, number: usize, unit: Pdu) {
        if let Some((queue, command)) = self.links[number].command_completed(&unit) {
            self.put(cx, number, Parcel::new(Step::Doorbell, command, queue));
        }
        self.deliver(cx, number, unit);
    }
}
