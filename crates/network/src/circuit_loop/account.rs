//! What went over a loop that carries circuits: its use, and what has to balance.

use super::stream::Run;
use crate::frames::{FRAME_KINDS, kind_index};
use sansim_component::Rest;
use sansim_fc::frame::{Frame, FrameKind};
use sansim_kernel::{Span, Time};

/// Use of a loop up to some time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Use {
    pub owned: Span,
    /// Time in which frames were sent, in one direction or in both.
    pub carrying: Span,
    pub both_ways: Span,
    pub tenancies: u64,
    pub frames: u64,
}

/// What one direction carries in a circuit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Carried {
    begin: Option<Time>,
    end: Time,
    carrying: Span,
    frames: u64,
}

impl Carried {
    /// What it has carried so far, with a run that is going on.
    fn until(mut self, now: Time, run: Option<&Run>) -> Self {
        if let Some(run) = run {
            let full = Run::carrying(run);
            let (begin, end) = (run.begin(), run.end());
            let length = u128::from((end - begin).ticks().max(1));
            let passed = u128::from(now.saturating_since(begin).ticks()).min(length);
            self.carrying += Span((u128::from(full.ticks()) * passed / length) as u64);
            self.frames += run.started_by(now);
            self.begin = self.begin.or(Some(begin));
            self.end = end.min(now);
        }
        self
    }

    /// A run has been carried, or will be with nothing in its way.
    pub fn add(&mut self, run: &Run) {
        self.begin = self.begin.or(Some(run.begin()));
        self.end = run.end();
        self.carrying += run.carrying();
        self.frames += run.frames;
    }
}

/// A circuit that goes on: since when, and of each direction what it has carried and the run that it carries.
pub(super) type GoesOn<'a> = (Time, [(Carried, Option<&'a Run>); 2]);

/// Use and balance since the beginning of the run.
#[derive(Clone, Debug, Default)]
pub(super) struct Account {
    done: Use,
    /// Sequences that left a port, and that arrived, by kind.
    sent: [u64; FRAME_KINDS.len()],
    received: [u64; FRAME_KINDS.len()],
    /// Data bytes that left a port, and that arrived.
    data: [u64; 2],
}

/// Time in which both directions carry frames, each with as many of them as in all of its time.
fn both_ways(one: &Carried, other: &Carried) -> Span {
    let (Some(from), Some(begin)) = (one.begin, other.begin) else { return Span::ZERO };
    let overlap = one.end.min(other.end).saturating_since(from.max(begin));
    let share = |carried: &Carried, begin: Time| {
        let length = carried.end.saturating_since(begin).ticks().max(1);
        u128::from(carried.carrying.ticks()) * u128::from(overlap.ticks()) / u128::from(length)
    };
    Span(share(one, from).min(share(other, begin)) as u64)
}

impl Account {
    pub fn sent(&mut self, frame: &Frame) {
        self.sent[kind_index(frame.kind)] += 1;
        if frame.kind == FrameKind::Data {
            self.data[0] += u64::from(frame.payload_bytes);
        }
    }

    pub fn received(&mut self, frame: &Frame) {
        self.received[kind_index(frame.kind)] += 1;
        if frame.kind == FrameKind::Data {
            self.data[1] += u64::from(frame.payload_bytes);
        }
    }

    /// A tenancy has begun.
    pub fn begins(&mut self) {
        self.done.tenancies += 1;
    }

    /// A circuit is over in which a port owned the loop for so long.
    pub fn ends(&mut self, owned: Span, carried: &[Carried; 2]) {
        self.done = self.with(owned, carried);
    }

    fn with(&self, owned: Span, carried: &[Carried; 2]) -> Use {
        let mut used = self.done;
        let [one, other] = carried;
        let both = both_ways(one, other);
        used.owned += owned;
        used.carrying += one.carrying + other.carrying - both;
        used.both_ways += both;
        used.frames += one.frames + other.frames;
        used
    }

    /// Use up to now, with a circuit that goes on.
    pub fn until(&self, now: Time, circuit: Option<GoesOn<'_>>) -> Use {
        let Some((since, directions)) = circuit else { return self.done };
        let carried = directions.map(|(carried, run)| carried.until(now, run));
        self.with(now - since, &carried)
    }

    /// What has to balance at the end.
    pub fn rest(&self, rest: &mut Rest) {
        for (kind, (sent, received)) in FRAME_KINDS.iter().zip(self.sent.into_iter().zip(self.received)) {
            rest.equal(kind, ("sent", sent), ("received", received));
        }
        rest.equal("data bytes", ("sent", self.data[0]), ("received", self.data[1]));
    }
}
