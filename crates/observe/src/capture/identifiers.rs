//! OX_ID and RX_ID: which exchange has which, and which may be given again.

use sansim_fc::al_pa::AlPa;
use sansim_fc::frame::{ExchangeId, Frame, FrameKind};
use sansim_fc::wire::UNASSIGNED;
use sansim_fcp::exchange::Exchange;
use sansim_fcp::unit::{self, Identifiers};
use sansim_kernel::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Numbers that can be given: all of 16 bits but [`UNASSIGNED`].
const NUMBERS: u64 = UNASSIGNED as u64;

/// The identifiers of one port. They are given in turn, so that a number is not soon given again: Wireshark keeps what it has
/// put together of an exchange, and takes frames of a later one with the same numbers for repetitions.
#[derive(Debug, Default)]
struct Pool {
    /// A bit for each number that is taken, as far as they have been given.
    taken: Vec<u64>,
    count: u64,
    /// Numbers passed in turn so far, given or skipped.
    passed: u64,
    /// Given back, but not to be given again before a time.
    returning: BinaryHeap<Reverse<(Time, u16)>>,
}

impl Pool {
    /// The next free number, and how often its turn has come before; [`UNASSIGNED`] when all are taken.
    fn take(&mut self, now: Time) -> (u16, u64) {
        while let Some(&Reverse((at, number))) = self.returning.peek()
            && at <= now
        {
            self.returning.pop();
            self.taken[usize::from(number / 64)] &= !(1 << (number % 64));
            self.count -= 1;
        }
        if self.count == NUMBERS {
            return (UNASSIGNED, 0);
        }
        loop {
            let (number, turn) = (self.passed % NUMBERS, self.passed / NUMBERS);
            self.passed += 1;
            let place = (number / 64) as usize;
            if place == self.taken.len() {
                self.taken.push(0);
            }
            let bit = 1 << (number % 64);
            if self.taken[place] & bit == 0 {
                self.taken[place] |= bit;
                self.count += 1;
                return (number as u16, turn);
            }
        }
    }

    fn give_back(&mut self, at: Time, number: u16) {
        if number != UNASSIGNED {
            self.returning.push(Reverse((at, number)));
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

/// Gives identifiers to exchanges: an initiator with the command, a target with its first frame. They are free again at the end
/// of FCP_RSP: of the target when it is sent, of the initiator when it is received. When an OX_ID is given again, its
/// SEQ_IDs are others than before.
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
            let pool = &mut self.originators[usize::from(exchange.initiator.value())];
            let (originator, turn) = pool.take(now);
            let sequence = turn.wrapping_mul(unit::sequences(exchange)) as u8;
            self.entries[index] = Entry {
                io: Some(exchange.io),
                initiator: exchange.initiator,
                target: exchange.target,
                ids: Identifiers { originator, responder: UNASSIGNED, sequence },
                originator_taken: true,
                responder_taken: false,
            };
        }
        let entry = &mut self.entries[index];
        if entry.ids.responder == UNASSIGNED && frame.source == exchange.target {
            let pool = &mut self.responders[usize::from(exchange.target.value())];
            (entry.ids.responder, _) = pool.take(now);
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
                ids: Identifiers { originator: UNASSIGNED, responder: UNASSIGNED, sequence: 0 },
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
    fn numbers_are_given_in_turn_and_come_back_with_the_status() {
        use FrameKind::{Command, Data, Response};
        let table = &mut IdentifierTable::new();
        assert_eq!(send(table, 0, 0, 0, Command), (0, UNASSIGNED));
        assert_eq!(send(table, 20, 1, 1, Command), (1, UNASSIGNED));
        assert_eq!(send(table, 40, 1, 1, Data), (1, 0), "the target's first exchange");
        assert_eq!(send(table, 60, 0, 0, Response), (0, 1));
        receive_status(table, 100, 0, 0);
        assert_eq!(send(table, 110, 0, 2, Command), (2, UNASSIGNED));
        assert_eq!(send(table, 120, 0, 2, Data), (2, 2));
        assert_eq!(send(table, 140, 1, 1, Data), (1, 0), "it keeps what it has");
    }

    #[test]
    fn a_number_is_given_again_when_it_is_free_and_with_other_sequences() {
        let table = &mut IdentifierTable::new();
        send(table, 0, 0, 0, FrameKind::Command);
        send(table, 0, 1, 1, FrameKind::Command);
        receive_status(table, 100_000, 1, 1);
        // All others, one after the other at a place of the table.
        for io in 2..65_535 {
            assert_eq!(u64::from(send(table, io, 2, io, FrameKind::Command).0), io);
        }
        let first = exchange(0);
        assert_eq!(table.of(Time(99_999), &frame(0, FrameKind::Data, &first), &first).sequence, 0);
        assert_eq!(send(table, 99_999, 3, 70_000, FrameKind::Command).0, 2, "0 is taken, 1 is not back yet");
        let again = exchange(70_001);
        let ids = table.of(Time(100_000), &frame(4, FrameKind::Command, &again), &again);
        assert_eq!((ids.originator, ids.sequence), (3, 4), "two sequences for the ends, two for a burst");
    }

    #[test]
    fn the_65536th_exchange_at_once_has_no_number() {
        let table = &mut IdentifierTable::new();
        for io in 0..65_535 {
            assert_eq!(u64::from(send(table, io, io as u32, io, FrameKind::Command).0), io);
        }
        assert_eq!(send(table, 70_000, 65_535, 65_535, FrameKind::Command).0, UNASSIGNED);
        receive_status(table, 80_000, 7, 7);
        assert_eq!(send(table, 79_999, 65_536, 65_536, FrameKind::Command).0, UNASSIGNED);
        assert_eq!(send(table, 80_000, 65_537, 65_537, FrameKind::Command).0, 7);
    }
}
