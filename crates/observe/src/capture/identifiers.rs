//! OX_ID and RX_ID: which exchange has which, and which may be given again.

use sansim_fc::al_pa::AlPa;
use sansim_fc::frame::{ExchangeId, Frame, FrameKind};
use sansim_fc::wire::UNASSIGNED;
use sansim_fcp::exchange::Exchange;
use sansim_fcp::unit::Identifiers;
use sansim_kernel::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The identifiers of one port.
#[derive(Debug, Default)]
struct Pool {
    free: BinaryHeap<Reverse<u16>>,
    /// The least that has never been given.
    next: u16,
    /// Given back, but not to be given again before a time.
    returning: BinaryHeap<Reverse<(Time, u16)>>,
}

impl Pool {
    /// The lowest that is free. [`UNASSIGNED`] when all are taken.
    fn take(&mut self, now: Time) -> u16 {
        while let Some(&Reverse((at, id))) = self.returning.peek()
            && at <= now
        {
            self.returning.pop();
            self.free.push(Reverse(id));
        }
        if let Some(Reverse(id)) = self.free.pop() {
            return id;
        }
        let id = self.next;
        if id != UNASSIGNED {
            self.next += 1;
        }
        id
    }

    fn give_back(&mut self, at: Time, id: u16) {
        if id != UNASSIGNED {
            self.returning.push(Reverse((at, id)));
        }
    }
}

/// The exchange at a place of the exchange table.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The I/O, for places are used again.
    io: Option<u64>,
    initiator: AlPa,
    target: AlPa,
    ids: Identifiers,
    originator_taken: bool,
    responder_taken: bool,
}

/// Gives identifiers to exchanges. Each port gives the lowest one it has free: an initiator with the command, a target with its
/// first frame. They are free again at the end of FCP_RSP: of the target when it is sent, of the initiator when
/// it is received.
#[derive(Debug)]
pub(super) struct IdentifierTable {
    entries: Vec<Entry>,
    originators: Vec<Pool>,
    responders: Vec<Pool>,
}

impl IdentifierTable {
    pub(super) fn new() -> Self {
        let pools = || (0..256).map(|_| Pool::default()).collect();
        Self { entries: Vec::new(), originators: pools(), responders: pools() }
    }

    /// The identifiers of a frame's exchange. Frames sent must be shown in order of time.
    pub(super) fn of(&mut self, now: Time, frame: &Frame, exchange: &Exchange) -> Identifiers {
        let index = self.place(frame.exchange, exchange);
        if self.entries[index].io != Some(exchange.io) {
            // What it replaces was not seen to its end if anything is still taken.
            self.give_back_originator(now, index);
            self.give_back_responder(now, index);
            let originator = self.originators[usize::from(exchange.initiator.value())].take(now);
            self.entries[index] = Entry {
                io: Some(exchange.io),
                initiator: exchange.initiator,
                target: exchange.target,
                ids: Identifiers { originator, responder: UNASSIGNED },
                originator_taken: true,
                responder_taken: false,
            };
        }
        let entry = &mut self.entries[index];
        if entry.ids.responder == UNASSIGNED && frame.source == exchange.target {
            entry.ids.responder = self.responders[usize::from(exchange.target.value())].take(now);
            entry.responder_taken = true;
        }
        entry.ids
    }

    /// A frame has been sent; its last word leaves at `end`.
    pub(super) fn sent(&mut self, end: Time, frame: &Frame, exchange: &Exchange) {
        if frame.kind == FrameKind::Response {
            let index = self.place(frame.exchange, exchange);
            self.give_back_responder(end, index);
        }
    }

    /// A frame has been received; its last word is in at `end`.
    pub(super) fn received(&mut self, end: Time, frame: &Frame, exchange: &Exchange) {
        if frame.kind == FrameKind::Response {
            let index = self.place(frame.exchange, exchange);
            self.give_back_originator(end, index);
        }
    }

    fn place(&mut self, id: ExchangeId, exchange: &Exchange) -> usize {
        let index = id.0 as usize;
        if index >= self.entries.len() {
            let nobody = Entry {
                io: None,
                initiator: exchange.initiator,
                target: exchange.target,
                ids: Identifiers { originator: UNASSIGNED, responder: UNASSIGNED },
                originator_taken: false,
                responder_taken: false,
            };
            self.entries.resize(index + 1, nobody);
        }
        index
    }

    fn give_back_originator(&mut self, at: Time, index: usize) {
        let entry = &mut self.entries[index];
        if std::mem::take(&mut entry.originator_taken) {
            self.originators[usize::from(entry.initiator.value())].give_back(at, entry.ids.originator);
        }
    }

    fn give_back_responder(&mut self, at: Time, index: usize) {
        let entry = &mut self.entries[index];
        if std::mem::take(&mut entry.responder_taken) {
            self.responders[usize::from(entry.target.value())].give_back(at, entry.ids.responder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(io: u64) -> Exchange {
        let [initiator, target] = [0x01, 0xE8].map(|value| AlPa::new(value).expect("valid"));
        Exchange { io, ..Exchange::new(initiator, target, false, 512, 512) }
    }

    fn frame(place: u32, kind: FrameKind, exchange: &Exchange) -> Frame {
        let out = kind == FrameKind::Command;
        let (source, destination) = (exchange.initiator, exchange.target);
        Frame {
            exchange: ExchangeId(place),
            kind,
            source: if out { source } else { destination },
            destination: if out { destination } else { source },
            payload_bytes: 32,
            sequence_count: 0,
            offset: 0,
            last_of_sequence: true,
            last_of_data: false,
        }
    }

    /// Identifiers with which a frame of an I/O at a place of the exchange table is sent.
    fn send(table: &mut IdentifierTable, now: u64, place: u32, io: u64, kind: FrameKind) -> (u16, u16) {
        let exchange = exchange(io);
        let frame = frame(place, kind, &exchange);
        let ids = table.of(Time(now), &frame, &exchange);
        table.sent(Time(now + 10), &frame, &exchange);
        (ids.originator, ids.responder)
    }

    fn receive_status(table: &mut IdentifierTable, end: u64, place: u32, io: u64) {
        let exchange = exchange(io);
        table.received(Time(end), &frame(place, FrameKind::Response, &exchange), &exchange);
    }

    #[test]
    fn the_lowest_free_number_is_given_and_comes_back_with_the_status() {
        use FrameKind::{Command, Data, Response};
        let table = &mut IdentifierTable::new();
        assert_eq!(send(table, 0, 0, 0, Command), (0, UNASSIGNED));
        assert_eq!(send(table, 20, 1, 1, Command), (1, UNASSIGNED));
        assert_eq!(send(table, 40, 1, 1, Data), (1, 0), "the target's first exchange");
        assert_eq!(send(table, 60, 0, 0, Response), (0, 1));
        receive_status(table, 100, 0, 0);
        assert_eq!(send(table, 99, 2, 2, Command), (2, UNASSIGNED), "the status is not in yet");
        assert_eq!(send(table, 100, 0, 3, Command), (0, UNASSIGNED));
        assert_eq!(send(table, 120, 2, 2, Data), (2, 1));
        assert_eq!(send(table, 140, 1, 1, Data), (1, 0), "it keeps what it has");
    }

    #[test]
    fn what_was_not_seen_to_its_end_comes_back_when_its_place_is_used_again() {
        let table = &mut IdentifierTable::new();
        for io in 0..70_000 {
            assert_eq!(send(table, io, 0, io, FrameKind::Command).0, 0);
        }
    }

    #[test]
    fn the_65536th_exchange_at_once_has_no_number() {
        let table = &mut IdentifierTable::new();
        for io in 0..65_535 {
            assert_eq!(u64::from(send(table, io, io as u32, io, FrameKind::Command).0), io);
        }
        assert_eq!(send(table, 70_000, 65_535, 65_535, FrameKind::Command).0, UNASSIGNED);
        receive_status(table, 80_000, 7, 7);
        assert_eq!(send(table, 80_000, 65_536, 65_536, FrameKind::Command).0, 7);
    }
}
