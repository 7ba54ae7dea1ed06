//! One direction of a connection of queue pairs (reliable connected): the packets that its sender sends, and those that its receiver has.
//!
//! A message is cut into packets from its begin on, each with as much payload as a packet may have. Packets arrive in order or not at all as
//! far as the receiver is concerned: behind a missing packet it accepts nothing, and reports the packet that it expects, once; the sender
//! begins again there (go-back-N). The last packet of a message asks for an acknowledgement, and so does one of many.
//!
//! Places in a flow are counted in bytes of payload, as if packet sequence numbers were these; a message without payload has one byte there.

use crate::packet::RdmaOperation;
use sansim_pdu::Pdu;
use std::collections::VecDeque;

/// A part of a message that was handed over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RdmaPart {
    /// The unit.
    pub unit: Pdu,
    /// The operation that carries it.
    pub operation: RdmaOperation,
    /// The place of its first byte in the flow.
    pub begin: u64,
    /// The place behind its last byte.
    pub end: u64,
    /// The place of the first byte of its message.
    message: u64,
    /// Whether it ends the message.
    ends: bool,
}

/// A packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RdmaPacket {
    /// The place of its first byte in the flow.
    pub begin: u64,
    /// The place behind its last byte.
    pub end: u64,
    /// The operation of its message.
    pub operation: RdmaOperation,
    /// Whether it is the first packet of its message.
    pub first: bool,
    /// Whether it is the last packet of its message.
    pub last: bool,
    /// Whether it asks for an acknowledgement.
    pub asks: bool,
}

/// The rules by which messages are cut into packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketRules {
    /// The most bytes of payload of a packet.
    pub payload: u64,
    /// The packets of which one asks for an acknowledgement, beside the last of each message.
    pub ack_every: u32,
}

/// The action of a receiver for a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiverAction {
    /// The receiver has the packet, and says nothing.
    Nothing,
    /// The receiver acknowledges all that it has.
    Acknowledge,
    /// The receiver reports the packet that it expects.
    ReportMissing,
}

/// One direction of a connection.
#[derive(Clone, Debug, Default)]
pub struct RdmaFlow {
    /// The parts that have not been acknowledged or not been delivered, in order.
    parts: VecDeque<RdmaPart>,
    /// The number of these parts whose sending has begun, of those that have been sent completely, for the first time, and of those that have been
    /// delivered.
    begun: usize,
    sent: usize,
    delivered: usize,
    /// The bytes that were handed over; the place of the message to which the next part belongs.
    handed: u64,
    message: Option<u64>,
    /// The place of the next packet; of the first packet that is not acknowledged; and the place up to which packets have been sent.
    next: u64,
    acknowledged: u64,
    furthest: u64,
    /// The packets since the last one that asked for an acknowledgement, and the place behind the furthest that did.
    unasked: u32,
    asked: u64,
    /// The bytes that the receiver has, and whether it has reported a missing packet since the last that it accepted.
    received: u64,
    has_reported: bool,
}

impl RdmaFlow {
    /// A unit is handed over, with this number of bytes; `ends` for the last part of its message.
    pub fn hand_over(&mut self, unit: Pdu, operation: RdmaOperation, bytes: u64, ends: bool) {
        // A message whose exchange was aborted ends with the parts that have come.
        if self.message.is_some()
            && let Some(last) = self.parts.back_mut()
            && (last.unit.tag, last.operation) != (unit.tag, operation)
        {
            last.ends = true;
            self.message = None;
        }
        let begin = self.handed;
        let message = *self.message.get_or_insert(begin);
        self.handed += bytes.max(1);
        self.parts.push_back(RdmaPart { unit, operation, begin, end: self.handed, message, ends });
        if ends {
            self.message = None;
        }
    }

    /// The next packet, if there is one. Bytes that do not fill a packet wait for the rest of its message, unless `takes_short`.
    pub fn next_packet(&self, rules: PacketRules, takes_short: bool) -> Option<RdmaPacket> {
        let at = self.parts.partition_point(|part| part.end <= self.next);
        let part = self.parts.get(at)?;
        let mut end = part.end;
        let mut ends = part.ends;
        let mut behind = at + 1;
        while !ends && end - self.next < rules.payload {
            match self.parts.get(behind) {
                Some(more) => (end, ends, behind) = (more.end, more.ends, behind + 1),
                None if takes_short => break,
                None => return None,
            }
        }
        let is_cut = end - self.next > rules.payload;
        let last = ends && !is_cut;
        Some(RdmaPacket {
            begin: self.next,
            end: if is_cut { self.next + rules.payload } else { end },
            operation: part.operation,
            first: self.next == part.message,
            last,
            asks: last || self.unasked + 1 >= rules.ack_every,
        })
    }

    /// A packet begins to leave. Returns the parts whose sending begins with it for the first time.
    pub fn begin_packet(&mut self, packet: RdmaPacket) -> impl Iterator<Item = &RdmaPart> {
        self.next = packet.end;
        self.furthest = self.furthest.max(packet.end);
        if packet.asks {
            (self.unasked, self.asked) = (0, self.asked.max(packet.end));
        } else {
            self.unasked += 1;
        }
        let first = self.begun;
        while self.parts.get(self.begun).is_some_and(|part| part.begin < packet.end) {
            self.begun += 1;
        }
        self.parts.range(first..self.begun)
    }

    /// A packet has left. Returns the next part that has left completely for the first time, until there is none.
    pub fn next_sent_part(&mut self, packet: RdmaPacket) -> Option<RdmaPart> {
        let part = *self.parts.get(self.sent).filter(|part| part.end <= packet.end)?;
        self.sent += 1;
        Some(part)
    }

    /// A packet arrives at the receiver.
    pub fn packet_arrives(&mut self, packet: RdmaPacket) -> ReceiverAction {
        if packet.begin > self.received {
            let reports = !self.has_reported;
            self.has_reported = true;
            return if reports { ReceiverAction::ReportMissing } else { ReceiverAction::Nothing };
        }
        if packet.end > self.received {
            self.received = packet.end;
            self.has_reported = false;
        }
        // A packet that came before is acknowledged again, if it asks for it.
        if packet.asks { ReceiverAction::Acknowledge } else { ReceiverAction::Nothing }
    }

    /// Takes the next part that has arrived completely.
    pub fn next_arrived_part(&mut self) -> Option<RdmaPart> {
        let part = *self.parts.get(self.delivered).filter(|part| part.end <= self.received)?;
        self.delivered += 1;
        Some(part)
    }

    /// Forgets parts that are acknowledged and delivered.
    fn forget(&mut self) {
        while self.delivered > 0 && self.parts.front().is_some_and(|part| part.end <= self.acknowledged) {
            self.parts.pop_front();
            self.begun -= 1;
            self.sent = self.sent.saturating_sub(1);
            self.delivered -= 1;
        }
    }

    /// The place behind the last byte that was handed over.
    pub fn handed_over(&self) -> u64 {
        self.handed
    }

    /// The place up to which the receiver has all packets.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// An acknowledgement arrives. Returns whether it says something new.
    pub fn acknowledgement_arrives(&mut self, upto: u64) -> bool {
        if upto <= self.acknowledged {
            return false;
        }
        self.acknowledged = upto;
        self.next = self.next.max(upto);
        self.forget();
        true
    }

    /// The report of a missing packet arrives: the sender begins again with it. Returns whether it does.
    pub fn report_arrives(&mut self, expected: u64) -> bool {
        self.acknowledgement_arrives(expected);
        let goes_back = expected < self.next;
        self.next = self.next.min(expected.max(self.acknowledged));
        goes_back
    }

    /// The sender has waited for too long, and begins again with the first packet that is not acknowledged.
    pub fn timed_out(&mut self) {
        self.next = self.acknowledged;
    }

    /// Whether the sender waits for an acknowledgement of something that it has sent.
    pub fn awaits_acknowledgement(&self) -> bool {
        self.acknowledged < self.asked
    }

    /// Whether a packet has been sent before.
    pub fn is_sent_before(&self, packet: RdmaPacket) -> bool {
        packet.begin < self.furthest
    }

    /// The bytes that were handed over and have not arrived.
    pub fn bytes_left(&self) -> u64 {
        self.handed - self.received
    }

    /// The parts that were handed over and have not been delivered.
    pub fn undelivered_parts(&self) -> usize {
        self.parts.len() - self.delivered
    }

    /// The part that begins with the next packet, if it has not begun.
    pub fn next_part(&self) -> Option<&RdmaPart> {
        self.parts.get(self.begun).filter(|part| part.begin == self.next)
    }

    /// The part with a place, if it has not been forgotten.
    pub fn part_at(&self, place: u64) -> Option<&RdmaPart> {
        let at = self.parts.partition_point(|part| part.end <= place);
        self.parts.get(at).filter(|part| part.begin <= place)
    }
}

#[cfg(test)]
mod tests;
