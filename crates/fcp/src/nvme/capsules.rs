//! The units of NVMe/TCP and the capsules of NVMe/RDMA as bytes.
//!
//! Source: NVMe/TCP Transport Specification, 3.6.2 (layouts); Linux, `include/linux/nvme-tcp.h` and `drivers/nvme/host/tcp.c`, `rdma.c`
//! (descriptors of data). Ours: the command Abort is on the queue of the command that it aborts, where a real host has it on the admin
//! queue; a transfer tag, and the key by which a target of RDMA uses the memory of a host, is the identifier of the command.

use super::entries::{self, COMPLETION_BYTES, DataDescriptor, SUBMISSION_BYTES, length32, status_code};
use crate::stream_content::unit_facts::{DataUnit, UnitFacts};
use sansim_pdu::{Pdu, PduKind};
use sansim_request::{DEALLOCATION_LIST_BYTES, Operation, Request};

/// The bytes of the common header.
const COMMON_BYTES: usize = 8;
/// The bytes of the headers of R2T, H2CData and C2HData.
const DATA_HEADER_BYTES: usize = 24;

/// The types of units.
mod kind {
    pub const COMMAND: u8 = 0x04;
    pub const RESPONSE: u8 = 0x05;
    pub const HOST_DATA: u8 = 0x06;
    pub const CONTROLLER_DATA: u8 = 0x07;
    pub const READY_TO_TRANSFER: u8 = 0x09;
}

/// The flags of the common header.
mod flag {
    pub const HEADER_DIGEST: u8 = 0x01;
    pub const DATA_DIGEST: u8 = 0x02;
    pub const LAST: u8 = 0x04;
    pub const SUCCESS: u8 = 0x08;
}

/// The identifier of a command.
fn identifier(facts: &UnitFacts<'_>) -> u16 {
    facts.command.command as u16
}

/// A common header in front of `header_bytes` in all, of a unit with this number of bytes of data.
fn with_common_header(facts: &UnitFacts<'_>, kind: u8, header_bytes: usize, data: u64, flags: u8) -> Vec<u8> {
    let mut bytes = vec![0; header_bytes];
    let digest = |has: bool, flag: u8| if has { (4, flag) } else { (0, 0) };
    let (of_header, header_flag) = digest(facts.format.header_digest, flag::HEADER_DIGEST);
    let (of_data, data_flag) = digest(facts.format.data_digest && data > 0, flag::DATA_DIGEST);
    let data_begins = header_bytes as u64 + of_header;
    (bytes[0], bytes[1], bytes[2]) = (kind, flags | header_flag | data_flag, header_bytes as u8);
    bytes[3] = if data > 0 { data_begins as u8 } else { 0 };
    bytes[4..8].copy_from_slice(&length32(data_begins + data + of_data).to_le_bytes());
    bytes
}

/// The head of the submission queue: the commands that the target has taken.
fn queue_head(facts: &UnitFacts<'_>) -> u16 {
    (facts.numbers.taken_commands() % facts.format.queue_size) as u16
}

/// The entry of a completion queue for a response, or for the answer to an Abort.
fn completion(facts: &UnitFacts<'_>, unit: &Pdu) -> [u8; COMPLETION_BYTES] {
    let mut entry = [0; COMPLETION_BYTES];
    let (code, command) = match unit.kind {
        PduKind::Response => (status_code(unit), identifier(facts)),
        _ => (0, facts.numbers.of_abort(unit.tag) as u16),
    };
    // Bit 0 of the result of Abort: the command was not aborted.
    entry[0] = u8::from(unit.kind == PduKind::AbortReject);
    entries::completion(&mut entry, code, queue_head(facts), command);
    entry
}

/// The entry of a submission queue for an Abort.
fn abort(facts: &UnitFacts<'_>, unit: &Pdu) -> [u8; SUBMISSION_BYTES] {
    let mut entry = [0; SUBMISSION_BYTES];
    entries::abort(&mut entry, facts.numbers.of_abort(unit.tag) as u16, identifier(facts));
    entry
}

/// A unit of NVMe/TCP without data.
pub(crate) fn unit(facts: &UnitFacts<'_>, unit: &Pdu) -> Vec<u8> {
    let capsule = |kind, entry: &[u8]| {
        let mut bytes = with_common_header(facts, kind, COMMON_BYTES + entry.len(), 0, 0);
        bytes[COMMON_BYTES..].copy_from_slice(entry);
        bytes
    };
    match unit.kind {
        PduKind::Command => command(facts, 0, DataDescriptor::Transport),
        PduKind::TransferReady => {
            let mut bytes = with_common_header(facts, kind::READY_TO_TRANSFER, DATA_HEADER_BYTES, 0, 0);
            put_data_fields(&mut bytes, facts, true, unit.offset, unit.burst_bytes);
            bytes
        }
        PduKind::Abort => capsule(kind::COMMAND, &abort(facts, unit)),
        _ => capsule(kind::RESPONSE, &completion(facts, unit)),
    }
}

/// CapsuleCmd with this number of bytes of data.
fn command(facts: &UnitFacts<'_>, data: u64, descriptor: DataDescriptor) -> Vec<u8> {
    let mut bytes = with_common_header(facts, kind::COMMAND, COMMON_BYTES + SUBMISSION_BYTES, data, 0);
    let entry = &mut bytes[COMMON_BYTES..];
    entries::submission(entry, facts.request, facts.logical_unit, identifier(facts), descriptor);
    bytes
}

fn put_data_fields(
    bytes: &mut [u8],
    facts: &UnitFacts<'_>,
    has_transfer_tag: bool,
    offset: u32,
    length: u32,
) {
    bytes[8..10].copy_from_slice(&identifier(facts).to_le_bytes());
    if has_transfer_tag {
        bytes[10..12].copy_from_slice(&identifier(facts).to_le_bytes());
    }
    bytes[12..16].copy_from_slice(&offset.to_le_bytes());
    bytes[16..20].copy_from_slice(&length.to_le_bytes());
}

/// The header of a unit of NVMe/TCP with data.
pub(crate) fn data(facts: &UnitFacts<'_>, unit: &DataUnit, has_status: bool) -> Vec<u8> {
    if unit.has_command {
        return command(facts, unit.bytes, DataDescriptor::InCapsule);
    }
    let write = unit.part.write;
    let kind = if write { kind::HOST_DATA } else { kind::CONTROLLER_DATA };
    // The last unit of a sequence of a write, and the last of all data of a read.
    let is_last = unit.ends_sequence && (write || unit.part.last_of_data);
    let flags = if is_last { flag::LAST } else { 0 } | if has_status { flag::SUCCESS } else { 0 };
    let mut bytes = with_common_header(facts, kind, DATA_HEADER_BYTES, unit.bytes, flags);
    put_data_fields(&mut bytes, facts, write, unit.offset, length32(unit.bytes));
    bytes
}

/// A capsule of NVMe/RDMA without data, or the extended header of an RDMA READ request (address, key, length).
pub(crate) fn rdma_unit(facts: &UnitFacts<'_>, unit: &Pdu) -> Vec<u8> {
    match unit.kind {
        PduKind::Command => rdma_command(facts, false),
        PduKind::TransferReady => memory(facts, unit.offset, unit.burst_bytes).to_vec(),
        PduKind::Abort => abort(facts, unit).to_vec(),
        _ => completion(facts, unit).to_vec(),
    }
}

/// The command capsule of NVMe/RDMA.
pub(crate) fn rdma_command(facts: &UnitFacts<'_>, with_data: bool) -> Vec<u8> {
    let mut entry = vec![0; SUBMISSION_BYTES];
    let key = facts.command.command;
    let descriptor = if with_data { DataDescriptor::InCapsule } else { DataDescriptor::Keyed(key) };
    entries::submission(&mut entry, facts.request, facts.logical_unit, identifier(facts), descriptor);
    entry
}

/// The memory of a host as an extended header of RDMA names it: the address is the place in the data of the command.
fn memory(facts: &UnitFacts<'_>, offset: u32, length: u32) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[0..8].copy_from_slice(&u64::from(offset).to_be_bytes());
    bytes[8..12].copy_from_slice(&facts.command.command.to_be_bytes());
    bytes[12..16].copy_from_slice(&length.to_be_bytes());
    bytes
}

/// The list of a deallocation.
pub(crate) fn list_of_ranges(request: &Request) -> Vec<u8> {
    debug_assert_eq!(request.operation, Operation::Deallocate);
    let mut bytes = vec![0; DEALLOCATION_LIST_BYTES as usize];
    entries::deallocated_range(&mut bytes, request);
    bytes
}
