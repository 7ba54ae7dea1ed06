//! OX_ID and RX_ID: the identifiers of each exchange, and the identifiers that may be reused.

use sansim_fc::frame::{Frame, PduKind, RequestTag};
use sansim_fc::wire::UNASSIGNED;
use sansim_fcp::unit::Identifiers;
use sansim_kernel::Time;
use sansim_pdu::Address;
use sansim_request::Request;
use std::cmp::Reverse;
use std::collections::hash_map::Entry as Place;
use std::collections::{BinaryHeap, HashMap};

/// The number of identifiers that can be assigned: all 16-bit numbers but [`UNASSIGNED`].
const NUMBERS: u64 = UNASSIGNED as u64;

/// The identifiers of one port. Identifiers are assigned in turn, so that a number is not soon reused: Wireshark keeps the
/// frames that it has merged into an exchange, and regards frames of a later exchange with the same numbers as repetitions.
#[derive(Debug, Default)]
struct Pool {
    /// A bit for each number in use, as far as numbers have been assigned.
    taken: Vec<u64>,
    /// By number, the SEQ_ID that follows the SEQ_IDs of all exchanges that had the number before.
    next_sequences: Vec<u8>,
    count: u64,
    /// The count of numbers passed in turn so far, whether assigned or skipped.
    passed: u64,
    /// The numbers that have been given back, with the time before which each must not be reused.
    returning: BinaryHeap<Reverse<(Time, u16)>>,
}

impl Pool {
    /// The next free number; [`UNASSIGNED`] if all numbers are in use.
    fn take(&mut self, now: Time) -> u16 {
        while let Some(&Reverse((at, number))) = self.returning.peek()
            && at <= now
        {
            self.returning.pop();
            self.taken[usize::from(number / 64)] &= !(1 << (number % 64));
            self.count -= 1;
        }
        if self.count == NUMBERS {
            return UNASSIGNED;
        }
        loop {
            let number = self.passed % NUMBERS;
            self.passed += 1;
            let place = (number / 64) as usize;
            if place == self.taken.len() {
                self.taken.push(0);
                self.next_sequences.resize(64 * self.taken.len(), 0);
            }
            let bit = 1 << (number % 64);
            if self.taken[place] & bit == 0 {
                self.taken[place] |= bit;
                self.count += 1;
                return number as u16;
            }
        }
    }

    /// The SEQ_ID with which an exchange with this number begins.
    fn sequence(&self, number: u16) -> u8 {
        self.next_sequences.get(usize::from(number)).copied().unwrap_or(0)
    }

    /// An exchange with this number, which used this number of sequences, is over.
    fn give_back(&mut self, at: Time, number: u16, sequences: u8) {
        if number != UNASSIGNED {
            self.returning.push(Reverse((at, number)));
            let next = &mut self.next_sequences[usize::from(number)];
            *next = next.wrapping_add(sequences);
        }
    }
}

/// A port, given by its network and its address on the network.
type Port = (usize, Address);

/// The two ports of an exchange, and the request for which it is. At most one exchange at a time has the same
/// key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key {
    network: usize,
    originator: Address,
    responder: Address,
    tag: RequestTag,
}

impl Key {
    fn of(network: usize, frame: &Frame) -> Self {
        let (originator, responder) = if frame.is_from_originator() {
            (frame.source, frame.destination)
        } else {
            (frame.destination, frame.source)
        };
        Self { network, originator, responder, tag: frame.tag }
    }

    fn originator(&self) -> Port {
        (self.network, self.originator)
    }

    fn responder(&self) -> Port {
        (self.network, self.responder)
    }
}

/// An exchange with its identifiers.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The number of the I/O of the exchange, which is needed because tags are reused.
    io: u64,
    ids: Identifiers,
    /// The number of the last sequence seen.
    last_sequence: u16,
    originator_taken: bool,
    responder_taken: bool,
}

impl Entry {
    /// The number of SEQ_IDs that the exchange used, rounded up to an even number, as a whole exchange uses.
    fn sequences(&self) -> u8 {
        (self.last_sequence | 1).wrapping_add(1) as u8
    }
}

/// Assigns identifiers to exchanges: at the initiator with the command, at the target with its first frame. The identifiers are
/// free again at the end of FCP_RSP: at the target when it is sent, at the initiator when it is received. When an OX_ID is
/// reused, its SEQ_IDs differ from the SEQ_IDs used before.
#[derive(Debug, Default)]
pub(super) struct IdentifierTable {
    /// The exchanges that are not over.
    entries: HashMap<Key, Entry>,
    originators: HashMap<Port, Pool>,
    responders: HashMap<Port, Pool>,
}

impl IdentifierTable {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// The identifiers of the exchange of a frame for the I/O of this number. Sent frames must be passed to this function
    /// in order of time.
    pub(super) fn of(&mut self, now: Time, network: usize, frame: &Frame, io: u64) -> Identifiers {
        let key = Key::of(network, frame);
        let entry = match self.entries.entry(key) {
            Place::Occupied(place) => {
                let found = place.into_mut();
                if found.io != io {
                    // The end of the exchange that is replaced was not seen.
                    give_back_originator(&mut self.originators, now, &key, found);
                    give_back_responder(&mut self.responders, now, &key, found);
                    *found = begin(&mut self.originators, now, &key, io);
                }
                found
            }
            Place::Vacant(place) => place.insert(begin(&mut self.originators, now, &key, io)),
        };
        entry.last_sequence = entry.last_sequence.max(frame.unit);
        if entry.ids.responder == UNASSIGNED && !frame.is_from_originator() {
            entry.ids.responder = self.responders.entry(key.responder()).or_default().take(now);
            entry.responder_taken = true;
        }
        entry.ids
    }

    /// The identifiers of the exchange that a link service is about, if the frame is one of a link service and the exchange was seen.
    pub(super) fn about(&self, network: usize, frame: &Frame, request: &Request) -> Option<Identifiers> {
        let is_service =
            matches!(frame.kind, PduKind::ServiceRequest | PduKind::ServiceAccept | PduKind::ServiceReject);
        let about = request.parent.filter(|_| is_service)?;
        let key = Key { tag: RequestTag(about.0), ..Key::of(network, frame) };
        let none = Identifiers { originator: UNASSIGNED, responder: UNASSIGNED, sequence: 0 };
        Some(self.entries.get(&key).map_or(none, |entry| entry.ids))
    }

    /// A frame has been sent; its last word leaves at `end`.
    pub(super) fn sent(&mut self, end: Time, network: usize, frame: &Frame) {
        self.ends_at(end, network, frame, frame.is_from_originator());
    }

    /// Records a received frame whose last word arrived at `end`.
    pub(super) fn received(&mut self, end: Time, network: usize, frame: &Frame) {
        self.ends_at(end, network, frame, !frame.is_from_originator());
    }

    /// If a frame is the last of its exchange, the exchange is over for one of its ends.
    fn ends_at(&mut self, end: Time, network: usize, frame: &Frame, originator: bool) {
        if !ends(frame) {
            return;
        }
        let key = Key::of(network, frame);
        match self.entries.get_mut(&key) {
            Some(entry) if originator => give_back_originator(&mut self.originators, end, &key, entry),
            Some(entry) => give_back_responder(&mut self.responders, end, &key, entry),
            None => {}
        }
        self.forget_if_over(&key);
    }

    /// An exchange that neither end has open any more is removed; the next frame with the same key belongs to
    /// another exchange.
    fn forget_if_over(&mut self, key: &Key) {
        if self.entries.get(key).is_some_and(|entry| !entry.originator_taken && !entry.responder_taken) {
            self.entries.remove(key);
        }
    }
}

/// Whether a frame is the last of its exchange: in class 2 the answer to the last frame is. A response that is to be confirmed is not the
/// last.
fn ends(frame: &Frame) -> bool {
    let last = |kind| match kind {
        PduKind::Response => !frame.is_to_be_confirmed(),
        PduKind::AbortAccept
        | PduKind::AbortReject
        | PduKind::Confirm
        | PduKind::ServiceAccept
        | PduKind::ServiceReject => true,
        _ => false,
    };
    frame.control.map_or(!frame.class_2 && last(frame.kind), |(_, of)| last(of))
}

fn begin(originators: &mut HashMap<Port, Pool>, now: Time, key: &Key, io: u64) -> Entry {
    let pool = originators.entry(key.originator()).or_default();
    let originator = pool.take(now);
    let ids = Identifiers { originator, responder: UNASSIGNED, sequence: pool.sequence(originator) };
    Entry { io, ids, last_sequence: 0, originator_taken: true, responder_taken: false }
}

fn give_back_originator(originators: &mut HashMap<Port, Pool>, at: Time, key: &Key, entry: &mut Entry) {
    if std::mem::take(&mut entry.originator_taken) {
        let pool = originators.entry(key.originator()).or_default();
        pool.give_back(at, entry.ids.originator, entry.sequences());
    }
}

fn give_back_responder(responders: &mut HashMap<Port, Pool>, at: Time, key: &Key, entry: &mut Entry) {
    if std::mem::take(&mut entry.responder_taken) {
        let pool = responders.entry(key.responder()).or_default();
        pool.give_back(at, entry.ids.responder, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_fc::frame::Pdu;

    /// A frame of an exchange of one burst, between the same two ports, for the request at a place of the table.
    fn frame(place: u32, kind: PduKind) -> Frame {
        let [initiator, target] = [0x01, 0xE8].map(Address::new);
        let (source, destination) =
            if kind == PduKind::Command { (initiator, target) } else { (target, initiator) };
        let sequence = match kind {
            PduKind::Command => 0,
            PduKind::TransferReady => 1,
            PduKind::Data => 2,
            _ => 3,
        };
        Frame::from(Pdu {
            tag: RequestTag(place),
            kind,
            source,
            destination,
            unit: sequence,
            ..Pdu::example()
        })
    }

    /// Identifiers with which a frame of an I/O is sent on a network.
    fn send_on(
        network: usize,
        table: &mut IdentifierTable,
        now: u64,
        place: u32,
        io: u64,
        kind: PduKind,
    ) -> (u16, u16) {
        let frame = frame(place, kind);
        let ids = table.of(Time(now), network, &frame, io);
        table.sent(Time(now + 10), network, &frame);
        (ids.originator, ids.responder)
    }

    fn send(table: &mut IdentifierTable, now: u64, place: u32, io: u64, kind: PduKind) -> (u16, u16) {
        send_on(0, table, now, place, io, kind)
    }

    fn receive_status(table: &mut IdentifierTable, end: u64, place: u32, io: u64) {
        let frame = frame(place, PduKind::Response);
        table.of(Time(end), 0, &frame, io);
        table.sent(Time(end), 0, &frame);
        table.received(Time(end), 0, &frame);
    }

    #[test]
    fn numbers_are_given_in_turn_and_come_back_with_the_status() {
        use PduKind::{Command, Data, Response};
        let table = &mut IdentifierTable::new();
        assert_eq!(send(table, 0, 0, 0, Command), (0, UNASSIGNED));
        assert_eq!(send(table, 20, 1, 1, Command), (1, UNASSIGNED));
        assert_eq!(send(table, 40, 1, 1, Data), (1, 0), "the target's first exchange");
        assert_eq!(send(table, 60, 0, 0, Response), (0, 1));
        receive_status(table, 100, 0, 0);
        assert_eq!(send(table, 110, 0, 2, Command), (2, UNASSIGNED));
        assert_eq!(send(table, 120, 0, 2, Data), (2, 2));
        assert_eq!(send(table, 140, 1, 1, Data), (1, 0), "it keeps what it has");
        assert_eq!(table.entries.len(), 2, "what is over is forgotten");
    }

    #[test]
    fn a_number_is_given_again_when_it_is_free_and_with_other_sequences() {
        let table = &mut IdentifierTable::new();
        send(table, 0, 0, 0, PduKind::Command);
        send(table, 0, 1, 1, PduKind::Command);
        receive_status(table, 100_000, 1, 1);
        // All other exchanges are sent one after the other at a place of the table.
        for io in 2..65_535 {
            assert_eq!(u64::from(send(table, io, 2, io, PduKind::Command).0), io);
            receive_status(table, io, 2, io);
        }
        assert_eq!(table.of(Time(99_999), 0, &frame(0, PduKind::Data), 0).sequence, 0);
        assert_eq!(send(table, 99_999, 3, 70_000, PduKind::Command).0, 2, "0 is taken, 1 is not back yet");
        let ids = table.of(Time(100_000), 0, &frame(4, PduKind::Command), 70_001);
        assert_eq!((ids.originator, ids.sequence), (3, 4), "two sequences for the ends, two for a burst");
    }

    #[test]
    fn a_number_that_was_lost_on_the_way_begins_with_even_sequences_behind_those_that_were_seen() {
        let table = &mut IdentifierTable::new();
        for io in 0..65_535 {
            send(table, io, 0, io, PduKind::Command);
            send(table, io, 0, io, PduKind::Data);
        }
        let ids = table.of(Time(70_000), 0, &frame(0, PduKind::Command), 65_535);
        assert_eq!((ids.originator, ids.sequence), (0, 4));
    }

    #[test]
    fn ports_of_equal_addresses_on_two_networks_give_numbers_each_by_itself() {
        use PduKind::{Command, Response};
        let table = &mut IdentifierTable::new();
        assert_eq!(send_on(0, table, 0, 0, 0, Command), (0, UNASSIGNED));
        assert_eq!(send_on(0, table, 10, 1, 1, Command), (1, UNASSIGNED));
        assert_eq!(send_on(1, table, 20, 1, 1, Command), (0, UNASSIGNED), "the same request, handed on");
        assert_eq!(send_on(1, table, 30, 1, 1, Response), (0, 0));
        assert_eq!(send_on(0, table, 40, 1, 1, Response), (1, 0));
    }

    #[test]
    fn two_exchanges_for_one_request_have_numbers_of_their_own() {
        let table = &mut IdentifierTable::new();
        assert_eq!(send(table, 0, 0, 0, PduKind::Command), (0, UNASSIGNED));
        receive_status(table, 100, 0, 0);
        assert_eq!(send(table, 200, 0, 0, PduKind::Command), (1, UNASSIGNED));
        assert_eq!(send(table, 210, 0, 0, PduKind::Command), (1, UNASSIGNED), "where it is received");
    }

    #[test]
    fn the_65536th_exchange_at_once_has_no_number() {
        let table = &mut IdentifierTable::new();
        for io in 0..65_535 {
            assert_eq!(u64::from(send(table, io, io as u32, io, PduKind::Command).0), io);
        }
        assert_eq!(send(table, 70_000, 65_535, 65_535, PduKind::Command).0, UNASSIGNED);
        receive_status(table, 80_000, 7, 7);
        assert_eq!(send(table, 79_999, 65_536, 65_536, PduKind::Command).0, UNASSIGNED);
        assert_eq!(send(table, 80_000, 65_537, 65_537, PduKind::Command).0, 7);
    }
}
