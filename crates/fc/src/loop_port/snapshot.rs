//! Snapshots of a port, by which its states at two moments can be compared, and an earlier state can be
//! restored.
//!
//! The rules of a port use no absolute time, only differences of times and slots. From equal snapshots a port therefore behaves equally,
//! shifted in time, as long as its inputs are the same.

mod byte;

use super::{Circuit, CircuitFrames, Coming, Earliest, LoopPort, PortState, QueueArrivals, QueueWait};
use crate::al_pa::AlPa;
use crate::credit::{ReceiverCredit, SenderCredit};
use crate::frame::{Frame, RequestTag};
use crate::word::FillWord;
use byte::InByte;
use sansim_kernel::{Span, Time};
use std::collections::VecDeque;

/// A moment as a time since an origin, because no rule depends on the absolute time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RelativeTime(u64);

impl RelativeTime {
    pub(crate) const NEVER: Self = Self(u64::MAX);

    /// The moment relative to `origin`.
    #[inline]
    pub(crate) fn of(at: Time, origin: Time) -> Self {
        if at == Time::NEVER { Self::NEVER } else { Self(at.ticks().saturating_sub(origin.ticks())) }
    }

    /// The absolute time of this moment, counted from another origin.
    #[inline]
    pub(crate) fn after(self, origin: Time) -> Time {
        // "Never" is the last of all moments, and remains the last.
        Time(origin.ticks().saturating_add(self.0))
    }
}

/// The state of a port without its queues and items in flight, stored as numbers so that comparing two
/// snapshots is fast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PortSnapshot {
    /// The moments in the state of the port: near the origin, or never. The moments are the first field,
    /// because most snapshots differ in them.
    times: [u32; 12],
    /// The credit of the port, and its counts of frames.
    counts: [u32; 8],
    /// The state, fill words and addresses of the port.
    bytes: [u8; 8],
    flags: [bool; 10],
}

/// The distance from the origin that no moment of a [`PortSnapshot`] reaches, except "never", which is the
/// last of all moments.
const FAR: u64 = 1 << 31;

/// The absolute time of this moment, counted from another origin.
#[inline(always)]
fn after(soon: u32, origin: Time) -> Time {
    if soon == u32::MAX { Time::NEVER } else { Time(origin.ticks() + u64::from(soon)) }
}

impl PortSnapshot {
    /// A hash of the times of the snapshot, combined with the hash `others`; different snapshots mostly have
    /// different hashes.
    pub(crate) fn print(&self, others: u64) -> u64 {
        let mixed = |print: u64, &[one, other]: &[u32; 2]| {
            let times = u64::from(one) << 32 | u64::from(other);
            (print ^ times).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
        };
        let (pairs, _) = self.times.as_chunks();
        pairs.iter().fold(others, mixed)
    }
}

impl LoopPort {
    /// Whether a [`PortSnapshot`] covers the whole state of the port.
    #[inline]
    pub(crate) fn is_quiescent(&self, now: Time) -> bool {
        !self.moves()
            && self.circuit.unfinished.is_none()
            && self.cut_short.is_empty()
            && self.passes_fill == Time::NEVER
            && self.queueing.is_over(now, self.link.word)
    }

    fn moves(&self) -> bool {
        self.sending.is_some() || self.receiving || !self.coming.is_empty()
    }

    /// Takes a snapshot of the port, with times relative to `origin`. `number` returns the number of the frame with a tag. Returns whether
    /// a snapshot is possible.
    pub(crate) fn snapshot(
        &self,
        origin: Time,
        number: impl Fn(RequestTag) -> Option<u8>,
        standing: &mut PortSnapshot,
    ) -> bool {
        let Self {
            parameters: _,
            schedule: _,
            own_rules: _,
            may_close_first: _,
            link: _,
            frame_reaction: _,
            state,
            received_fill,
            received_fill_since,
            current_fill,
            answers_from,
            sent_fill,
            sent_fill_since,
            access,
            f0_sent,
            f0_on_its_way,
            purge_f0,
            purge_own,
            free_at,
            act_at,
            wake_at,
            also_asked,
            earliest: Earliest { ready, frame, close },
            // None of these fields is in use when a snapshot is possible.
            sending: _,
            receiving: _,
            coming: _,
            passes_fill: _,
            initialised_at: _,
            circuit,
            occupied_buffers,
            closed_by_peer,
            frames_in_tenancy,
            interrupted,
            frames: _,
            commands: _,
            cut_short: _,
            queueing: _,
            told,
            told_from,
            logins: _,
            class_2: _,
        } = self;
        let Some(told) = Self::told_by_number(*told, number) else { return false };
        let mut farthest = 0;
        let mut since = |at: &Time| {
            let ticks = at.ticks().saturating_sub(origin.ticks());
            let is_never = *at == Time::NEVER;
            farthest |= if is_never { 0 } else { ticks };
            if is_never { u32::MAX } else { ticks as u32 }
        };
        let &Circuit {
            peer,
            owner,
            opens_at,
            may_send,
            dynamic,
            relinquished,
            sender,
            receiver,
            to_return,
            unfinished: _,
        } = circuit;
        let ([available, to_discard], [login_credit, ready_sent, frames_received]) =
            (sender.numbers(), receiver.numbers());
        *standing = PortSnapshot {
            times: [
                since(received_fill_since),
                since(answers_from),
                since(sent_fill_since),
                since(free_at),
                since(act_at),
                since(wake_at),
                since(also_asked),
                since(ready),
                since(frame),
                since(close),
                since(&opens_at),
                since(told_from),
            ],
            counts: [
                available,
                to_discard,
                login_credit,
                ready_sent,
                frames_received,
                to_return,
                *occupied_buffers,
                *frames_in_tenancy,
            ],
            bytes: [
                state.byte(),
                received_fill.byte(),
                current_fill.byte(),
                sent_fill.byte(),
                peer.byte(),
                interrupted.byte(),
                told.map(|told| told.1).byte(),
                told.map_or(0, |told| told.0),
            ],
            flags: [
                *access,
                *f0_sent,
                *f0_on_its_way,
                *purge_f0,
                *purge_own,
                *closed_by_peer,
                owner,
                may_send,
                dynamic,
                relinquished,
            ],
        };
        farthest < FAR
    }

    /// The last report on a waiting frame, with the number of that frame; none if the frame has no number.
    #[inline]
    fn told_by_number(
        told: Option<(RequestTag, QueueWait)>,
        number: impl Fn(RequestTag) -> Option<u8>,
    ) -> Option<Option<(u8, QueueWait)>> {
        match told {
            // The wait of a frame that has been sent is not reported again.
            None | Some((_, QueueWait::Wire)) => Some(None),
            Some((tag, waiting)) => number(tag).map(|number| Some((number, waiting))),
        }
    }

    /// Restores a snapshot of the port, with times relative to `origin`, except for the queues. `tag` returns the tag of the frame
    /// with a number.
    #[inline]
    pub(crate) fn restore(
        &mut self,
        standing: &PortSnapshot,
        origin: Time,
        tag: impl Fn(u8) -> Option<RequestTag>,
    ) {
        let [
            received_fill_since,
            answers_from,
            sent_fill_since,
            free_at,
            act_at,
            wake_at,
            also_asked,
            ready,
            frame,
            close,
            opens_at,
            told_from,
        ] = standing.times.map(|soon| after(soon, origin));
        let [
            available,
            to_discard,
            login_credit,
            ready_sent,
            frames_received,
            to_return,
            occupied_buffers,
            frames_in_tenancy,
        ] = standing.counts;
        let [state, received_fill, current_fill, sent_fill, peer, interrupted, waiting, number] =
            standing.bytes;
        let [
            access,
            f0_sent,
            f0_on_its_way,
            purge_f0,
            purge_own,
            closed_by_peer,
            owner,
            may_send,
            dynamic,
            relinquished,
        ] = standing.flags;
        self.state = PortState::of_byte(state);
        self.received_fill = FillWord::of_byte(received_fill);
        self.current_fill = FillWord::of_byte(current_fill);
        self.sent_fill = FillWord::of_byte(sent_fill);
        self.interrupted = InByte::of_byte(interrupted);
        let waiting = Option::<QueueWait>::of_byte(waiting);
        self.told = waiting.and_then(|waiting| Some((tag(number)?, waiting)));
        (self.access, self.f0_sent, self.f0_on_its_way) = (access, f0_sent, f0_on_its_way);
        (self.purge_f0, self.purge_own, self.closed_by_peer) = (purge_f0, purge_own, closed_by_peer);
        self.circuit = Circuit {
            peer: InByte::of_byte(peer),
            owner,
            opens_at,
            may_send,
            dynamic,
            relinquished,
            sender: SenderCredit::of_numbers([available, to_discard]),
            receiver: ReceiverCredit::of_numbers([login_credit, ready_sent, frames_received]),
            to_return,
            unfinished: None,
        };
        self.occupied_buffers = occupied_buffers;
        self.frames_in_tenancy = frames_in_tenancy;
        self.received_fill_since = received_fill_since;
        self.answers_from = answers_from;
        self.sent_fill_since = sent_fill_since;
        self.free_at = free_at;
        self.act_at = act_at;
        self.wake_at = wake_at;
        self.also_asked = also_asked;
        self.earliest = Earliest { ready, frame, close };
        self.told_from = told_from;
        self.sending = None;
        self.receiving = false;
        self.coming.forget();
        self.passes_fill = Time::NEVER;
        self.queueing = QueueArrivals::NOTHING;
    }

    /// The longest time that the rules of a port look back.
    pub(crate) fn looks_back(&self) -> Span {
        self.words(32) + self.frame_reaction
    }

    /// The two queues of the port: the queue of frames, and the queue of commands that go first.
    pub(crate) fn queues(&self) -> [&VecDeque<Frame>; 2] {
        [&self.frames, &self.commands]
    }

    /// The frames of a queue that may matter in circuits of some ports, in their order, each with the port to which it goes: the frames for
    /// these ports, and the first frame for another port, which blocks the frames behind it unless they may pass it. A port that gathers
    /// frames looks at its whole queue.
    #[inline]
    pub(crate) fn that_matter<'a>(
        &'a self,
        queue: &'a VecDeque<Frame>,
        goes_to: impl Fn(AlPa) -> Option<u8> + 'a,
    ) -> impl Iterator<Item = (&'a Frame, Option<u8>)> {
        let passes = self.parameters.circuit_frames == CircuitFrames::All;
        let gathers = self.gathers();
        let mut is_stopped = false;
        let mut all = queue.iter();
        std::iter::from_fn(move || {
            loop {
                if is_stopped && !passes && !gathers {
                    return None;
                }
                let frame = all.next()?;
                let goes = goes_to(self.towards(frame.destination));
                if goes.is_some() || gathers {
                    return Some((frame, goes));
                }
                if !std::mem::replace(&mut is_stopped, true) {
                    return Some((frame, None));
                }
            }
        })
    }

    /// Adds a frame to the queue that the port was handed while its state was frozen.
    pub(crate) fn put_in_queue(&mut self, frame: Frame) {
        self.queue_for(&frame).push_back(frame);
    }

    /// Removes a frame that has left its queue, if the queue still has it.
    pub(crate) fn take_out_of_queue(&mut self, frame: &Frame) {
        let queue = self.queue_for(frame);
        if queue.front() == Some(frame) {
            queue.pop_front();
        } else if let Some(place) = queue.iter().position(|other| other == frame) {
            queue.remove(place);
        }
    }

    /// The address that the port opens next, if it has a frame.
    pub(crate) fn opens(&self) -> Option<AlPa> {
        self.head().map(|frame| self.towards(frame.destination))
    }

    /// The number of frames within their sequences at the head of the queue, of the first two frames.
    #[inline]
    pub(crate) fn next_within_sequence(&self) -> usize {
        let is_within = |place| self.frames.get(place).is_some_and(|frame| frame.is_within_unit());
        if !is_within(0) { 0 } else { 1 + usize::from(is_within(1)) }
    }

    /// The slots for which the port has asked.
    pub(crate) fn asked_for(&self) -> [Time; 2] {
        [self.wake_at, self.also_asked]
    }

    /// The next slot for which the port has asked.
    pub(crate) fn wakes_at(&self) -> Time {
        self.wake_at
    }

    /// The next slot for which the port would ask if it had asked for no slot yet.
    pub(crate) fn would_wake_at(&self) -> Time {
        self.next_to_do()
    }

    /// The time of the last arrival that has come but has not been applied, and the time of the first arrival that has not
    /// come.
    pub(crate) fn between_what_comes(&self, now: Time) -> (Option<Time>, Time) {
        self.coming.around(now)
    }
}

impl Coming {
    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty() && self.ready.is_empty()
    }

    fn forget(&mut self) {
        self.frames.clear();
        self.ready.clear();
        self.next = Time::NEVER;
    }

    fn around(&self, now: Time) -> (Option<Time>, Time) {
        let all = self.frames.iter().map(|&(begin, _)| begin).chain(self.ready.iter().copied());
        let last = all.clone().filter(|&at| at <= now).max();
        (last, all.filter(|&at| at > now).min().unwrap_or(Time::NEVER))
    }
}
