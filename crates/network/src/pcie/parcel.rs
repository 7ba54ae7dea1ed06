//! The steps of commands on a link, and the directions that carry them.

use super::catalogue::move_of;
use super::packets::{PAGE, Step};
use super::request_of;
use sansim_component::{Context, MoveEnd, Movement, ObservableKind};
use sansim_kernel::{Span, Time};
use sansim_pdu::Pdu;
use std::collections::VecDeque;

/// A step of a command on a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parcel {
    pub step: Step,
    /// The unit to which the step belongs; of an interrupt or the head of a completion queue, the last unit for which it is.
    pub unit: Pdu,
    /// The number of the queue pair.
    pub queue: u32,
    /// The bytes of data that are still to be moved, or that are asked for.
    pub left: u64,
    /// Whether the request of the unit is open, so that its ledger has the step.
    pub has_request: bool,
    /// Whether the first packet of the unit has left.
    pub has_left: bool,
}

impl Parcel {
    /// The first step of a unit.
    pub fn new(step: Step, unit: Pdu, queue: u32) -> Self {
        let left = match step {
            Step::AskData => unit.burst_bytes.into(),
            Step::WriteData | Step::ReadData => unit.payload_bytes.into(),
            _ => 0,
        };
        // A command has left with its doorbell.
        let has_left = step == Step::FetchEntry;
        Self { step, unit, queue, left, has_request: true, has_left }
    }

    /// Whether packets of the step carry data of a command, which go page by page.
    pub fn moves_data(&self) -> bool {
        matches!(self.step, Step::WriteData | Step::ReadData)
    }

    /// The bytes of data of the next packets of the step.
    pub fn next_data_bytes(&self) -> u64 {
        if self.moves_data() { self.left.min(PAGE) } else { self.left }
    }
}

/// A direction of a link.
#[derive(Clone, Debug, Default)]
pub(super) struct Direction {
    pub waiting: VecDeque<Parcel>,
    /// The packets on the link, and when they have left.
    pub sending: Option<(Parcel, Time)>,
    /// The time of packets, including those on the link.
    pub taken: Span,
}

impl Direction {
    /// The time for which packets were on the link, up to now.
    pub fn busy_time(&self, now: Time) -> Span {
        let ahead = self.sending.as_ref().map_or(Span::ZERO, |(_, until)| until.saturating_since(now));
        self.taken - ahead
    }
}

/// Shows the packets of a step to observers.
pub(super) fn show_move(cx: &mut Context<'_>, parcel: &Parcel, ends: [usize; 2], lasts: Span, data: u64) {
    if !cx.wanted_sights().ports {
        return;
    }
    let [from, to] = ends.map(|port| MoveEnd::Place(port as u16));
    cx.report_observation(
        cx.now,
        ObservableKind::Moves(Movement {
            kind: move_of(parcel.step),
            from,
            to,
            began: cx.now,
            lasts,
            arrives: Some(cx.now),
            request: parcel.has_request.then(|| request_of(&parcel.unit)),
            bytes: if parcel.moves_data() { data as u32 } else { 0 },
            hop: None,
        }),
    );
}
