//! The content of the two streams of a connection between adapters, as bytes: the units of NVMe/TCP, NVMe/RDMA and iSCSI at their places.
//!
//! An observer passes on every unit that an adapter hands over ([`StreamSession::hand_over`]). The header of a data unit has its
//! length, and the length is known when its last part has been handed over; up to [`StreamSession::known_upto`] the content of a stream is complete. Data are zeros.
//!
//! The units of other protocols on TCP, whose bytes no standard fixes, are zeros.

mod format;
mod numbers;
mod runs;
pub(crate) mod unit_facts;

pub use format::StreamFormat;

use crate::crc32c::crc32c;
use crate::iscsi::segments;
use crate::nvme::capsules;
use format::StreamProtocol;
use numbers::SessionNumbers;
use runs::StreamRuns;
use sansim_pdu::{Pdu, PduKind, RequestTag};
use sansim_request::{Operation, Request};
use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use unit_facts::{DataUnit, UnitFacts};

/// A unit in a stream, for observers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedUnit {
    /// The number of the I/O.
    pub io: u64,
    /// The unit, or the part of one.
    pub unit: Pdu,
    /// The place of its first byte.
    pub begin: u64,
    /// The place behind its last byte.
    pub end: u64,
}

impl PlacedUnit {
    /// Whether the sender pushes the unit: no other is about to share a segment with its end.
    pub fn is_pushed(&self) -> bool {
        self.unit.last_of_unit && !self.unit.stream_part.joins_next()
    }
}

/// A unit of data whose end has not been handed over.
#[derive(Clone, Copy, Debug)]
struct OpenUnit {
    unit: DataUnit,
    /// The places of the header and of the first data.
    header: u64,
    data: u64,
    request: Request,
    logical_unit: u32,
}

/// The content of one direction.
#[derive(Clone, Debug, Default)]
struct StreamContent {
    runs: StreamRuns,
    units: VecDeque<PlacedUnit>,
    open: Option<OpenUnit>,
    /// The data so far of the sequences that have been begun and are not over.
    in_sequence: HashMap<RequestTag, u64>,
    /// The bytes that were handed over.
    handed: u64,
}

impl StreamContent {
    fn known_upto(&self) -> u64 {
        self.open.map_or(self.handed, |open| open.header)
    }
}

/// The content of the streams of a connection.
#[derive(Clone, Debug)]
pub struct StreamSession {
    format: Option<StreamFormat>,
    numbers: SessionNumbers,
    /// From the initiator to the target, and back.
    directions: [StreamContent; 2],
}

impl StreamSession {
    /// A connection on which nothing has been handed over. Without a format all units are zeros.
    pub fn new(format: Option<StreamFormat>) -> Self {
        Self { format, numbers: SessionNumbers::default(), directions: Default::default() }
    }

    /// The place of a direction up to which its content is complete: 0 is that to the target.
    pub fn known_upto(&self, direction: usize) -> u64 {
        self.directions[direction].known_upto()
    }

    /// The units that have bytes in a range of places.
    pub fn units(&self, direction: usize, range: Range<u64>) -> impl Iterator<Item = &PlacedUnit> {
        let units = &self.directions[direction].units;
        let first = units.partition_point(|unit| unit.end <= range.start);
        units.range(first..).take_while(move |unit| unit.begin < range.end)
    }

    /// The unit with a byte, and the bytes of its whole message: of all parts of its sequence that have been handed over.
    pub fn message_at(&self, direction: usize, place: u64) -> Option<(PlacedUnit, Range<u64>)> {
        let units = &self.directions[direction].units;
        let at = units.partition_point(|unit| unit.end <= place);
        let found = *units.get(at).filter(|unit| unit.begin <= place)?;
        let is_same =
            |other: &PlacedUnit| (other.unit.tag, other.unit.kind) == (found.unit.tag, found.unit.kind);
        let before =
            (0..at).rev().take_while(|&other| units[other + 1].unit.part > 0 && is_same(&units[other]));
        let first = before.last().unwrap_or(at);
        let behind = (at..units.len()).take_while(|&other| {
            other == at || (!units[other - 1].unit.last_of_unit && is_same(&units[other]))
        });
        let last = behind.last().unwrap_or(at);
        Some((found, units[first].begin..units[last].end))
    }

    /// The identifier of a command.
    pub fn command_identifier(&self, tag: RequestTag) -> u32 {
        self.numbers.of_command(tag).command
    }

    /// Writes what is not zero in a range of places, each run at its distance from the begin of the range.
    pub fn copy(&self, direction: usize, range: Range<u64>, write: impl FnMut(usize, &[u8])) {
        self.directions[direction].runs.copy(range, write);
    }

    /// All bytes of a direction up to a place have been taken.
    pub fn taken_upto(&mut self, direction: usize, place: u64) {
        self.numbers.taken_upto(direction, place);
    }

    /// Forgets the content of a direction before a place, up to which it is complete.
    pub fn forget_before(&mut self, direction: usize, place: u64) {
        let content = &mut self.directions[direction];
        content.runs.forget_before(place);
        while content.units.front().is_some_and(|unit| unit.end <= place) {
            content.units.pop_front();
        }
    }

    /// An adapter hands a unit over, or a part of one, with its bytes from one place to another.
    pub fn hand_over(
        &mut self,
        direction: usize,
        (begin, end): (u64, u64),
        unit: &Pdu,
        request: &Request,
        logical_unit: u32,
    ) {
        let content = &mut self.directions[direction];
        content.units.push_back(PlacedUnit { io: request.number, unit: *unit, begin, end });
        let Some(format) = self.format else {
            content.handed = end;
            return;
        };
        let mut writer =
            Writer { format, content, numbers: &mut self.numbers, direction, request, logical_unit };
        writer.cut_open_unit(unit);
        if unit.kind == PduKind::Data {
            writer.data(unit, begin);
        } else {
            writer.unit(unit, begin);
        }
        content.handed = end;
    }
}

/// The writer of a unit.
struct Writer<'a> {
    format: StreamFormat,
    content: &'a mut StreamContent,
    numbers: &'a mut SessionNumbers,
    direction: usize,
    request: &'a Request,
    logical_unit: u32,
}

impl Writer<'_> {
    /// A unit that continues no open unit ends it: its exchange was aborted.
    fn cut_open_unit(&mut self, next: &Pdu) {
        let continues =
            |open: &OpenUnit| next.kind == PduKind::Data && next.tag == open.unit.part.tag && next.part != 0;
        if let Some(open) = self.content.open
            && !continues(&open)
        {
            // Its digest, which would have come with the last part, takes the place of the last bytes that came.
            let bytes = open.unit.bytes - self.format.headers.digest;
            let unit = DataUnit { ends_sequence: true, bytes, ..open.unit };
            self.close(OpenUnit { unit, ..open }, open.data + bytes);
        }
    }

    fn facts(&self, tag: RequestTag) -> UnitFacts<'_> {
        UnitFacts {
            format: &self.format,
            request: self.request,
            logical_unit: self.logical_unit,
            numbers: self.numbers,
            command: self.numbers.of_command(tag),
        }
    }

    /// A unit without data.
    fn unit(&mut self, unit: &Pdu, begin: u64) {
        match unit.kind {
            PduKind::Command => {
                self.numbers.command_begins(unit.tag);
            }
            PduKind::TransferReady => self.numbers.asks_for_data(unit.tag, unit.offset),
            PduKind::Response | PduKind::AbortAccept | PduKind::AbortReject | PduKind::ServiceAccept => {
                self.numbers.status_sent();
            }
            PduKind::Abort | PduKind::ServiceRequest => {
                self.numbers.abort_begins(unit.tag);
            }
            _ => {}
        }
        let facts = self.facts(unit.tag);
        let mut bytes = match self.format.protocol {
            StreamProtocol::Iscsi => segments::unit(&facts, unit),
            StreamProtocol::NvmeTcp => capsules::unit(&facts, unit),
            StreamProtocol::NvmeRdma => capsules::rdma_unit(&facts, unit),
        };
        let header = match self.format.protocol {
            StreamProtocol::Iscsi => bytes.len().min(segments::HEADER_BYTES),
            _ => bytes.len(),
        };
        let mut behind = bytes.split_off(header);
        self.format.finish_header(&mut bytes);
        if !behind.is_empty() && self.format.data_digest {
            let digest = crc32c(&behind, 0);
            behind.extend_from_slice(&digest.to_le_bytes());
        }
        bytes.append(&mut behind);
        let end = begin + bytes.len() as u64;
        self.content.runs.push(begin, bytes);
        self.numbered_unit_ends(unit.kind, end);
    }

    fn numbered_unit_ends(&mut self, kind: PduKind, end: u64) {
        let is_numbered = match kind {
            PduKind::Command => self.direction == 0,
            PduKind::Response | PduKind::AbortAccept | PduKind::AbortReject | PduKind::ServiceAccept => {
                self.direction == 1
            }
            _ => false,
        };
        if is_numbered {
            self.numbers.ends_at(self.direction, end);
        }
    }

    /// A part of data: the end of a unit, and the begin of others.
    fn data(&mut self, part: &Pdu, begin: u64) {
        let with_command = part.write && part.unit == 0;
        let most = self.format.most(part.write, with_command);
        let (mut place, mut left) = (begin, u64::from(part.payload_bytes));
        let mut offset = part.offset;
        let before = if part.part == 0 { None } else { self.content.in_sequence.remove(&part.tag) };
        let mut in_sequence = before.unwrap_or(0);
        while left > 0 {
            let mut open = match self.content.open {
                Some(open) => open,
                None => self.open(part, &mut place, offset, with_command && in_sequence == 0),
            };
            let bytes = left.min(most - in_sequence % most);
            in_sequence += bytes;
            (left, place, offset) = (left - bytes, place + bytes, offset.wrapping_add(bytes as u32));
            (open.unit.bytes, open.unit.part) = (open.unit.bytes + bytes, *part);
            open.unit.ends_sequence = left == 0 && part.last_of_unit;
            if open.unit.ends_sequence || in_sequence.is_multiple_of(most) {
                self.close(open, place);
                place += self.format.headers.digest;
            } else {
                self.content.open = Some(open);
            }
        }
        if !part.last_of_unit {
            self.content.in_sequence.insert(part.tag, in_sequence);
        }
    }

    /// A data unit begins at a place, which moves behind its header.
    fn open(&mut self, part: &Pdu, place: &mut u64, offset: u32, opens_command: bool) -> OpenUnit {
        let mut header = *place;
        let mut header_bytes = self.format.headers.header;
        if opens_command {
            self.numbers.command_begins(part.tag);
            header_bytes = self.format.headers.command;
            if !self.format.immediate_data {
                // The command is a unit of its own, before that of the data.
                let command = Pdu { kind: PduKind::Command, ..*part };
                let mut bytes = segments::unit(&self.facts(part.tag), &command);
                self.format.finish_header(&mut bytes);
                header += bytes.len() as u64;
                self.content.runs.push(*place, bytes);
                self.numbers.ends_at(self.direction, header);
            }
        }
        *place += header_bytes;
        let has_command = opens_command && self.format.immediate_data;
        let unit = DataUnit { part: *part, offset, bytes: 0, has_command, ends_sequence: false };
        let Self { request, logical_unit, .. } = *self;
        OpenUnit { unit, header, data: *place, request: *request, logical_unit }
    }

    /// A data unit is whole; its data end at a place.
    fn close(&mut self, open: OpenUnit, end: u64) {
        self.content.open = None;
        let unit = open.unit;
        let has_status =
            self.format.status_in_data && !unit.part.write && unit.ends_sequence && unit.part.last_of_data;
        if has_status {
            self.numbers.status_sent();
        }
        let command = self.numbers.of_command(unit.part.tag);
        let OpenUnit { request, logical_unit, .. } = &open;
        let logical_unit = *logical_unit;
        let facts = UnitFacts { format: &self.format, request, logical_unit, numbers: self.numbers, command };
        let mut header = match self.format.protocol {
            StreamProtocol::Iscsi => segments::data(&facts, &unit, has_status),
            StreamProtocol::NvmeTcp => capsules::data(&facts, &unit, has_status),
            StreamProtocol::NvmeRdma if unit.has_command => capsules::rdma_command(&facts, true),
            StreamProtocol::NvmeRdma => Vec::new(),
        };
        self.numbers.sends_data(unit.part.tag);
        self.format.finish_header(&mut header);
        if !header.is_empty() {
            self.content.runs.push(open.header, header);
        }
        let mut list = self.list_of_ranges(&unit, request);
        let zeros = unit.bytes - list.len() as u64;
        if self.format.headers.digest > 0 {
            let digest = crc32c(&list, zeros).to_le_bytes();
            if !list.is_empty() {
                self.content.runs.push(open.data, std::mem::take(&mut list));
            }
            self.content.runs.push(end, digest.to_vec());
        } else if !list.is_empty() {
            self.content.runs.push(open.data, list);
        }
        let end = end + self.format.headers.digest;
        if unit.has_command {
            self.numbered_unit_ends(PduKind::Command, end);
        } else if has_status {
            self.numbered_unit_ends(PduKind::Response, end);
        }
    }

    /// The data of a deallocation, as far as they are in a unit; empty for other data.
    fn list_of_ranges(&self, unit: &DataUnit, request: &Request) -> Vec<u8> {
        if request.operation != Operation::Deallocate || unit.offset != 0 || !unit.part.write {
            return Vec::new();
        }
        let mut list = match self.format.protocol {
            StreamProtocol::Iscsi => segments::list_of_ranges(request),
            _ => capsules::list_of_ranges(request),
        };
        list.truncate(unit.bytes as usize);
        list
    }
}

#[cfg(test)]
mod tests;
