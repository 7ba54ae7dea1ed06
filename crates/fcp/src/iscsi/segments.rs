//! The units of iSCSI as bytes: basic header segments, and the sense data of a response.
//!
//! Source: RFC 7143, 11.2 to 11.8. Ours: the transfer tag of an R2T is the task tag of its command, and a session has one connection.

use crate::stream_content::unit_facts::{DataUnit, UnitFacts};
use crate::unit::{scsi_command, scsi_lun, scsi_sense, scsi_unmap_list};
use sansim_pdu::{Pdu, PduKind, task_management};
use sansim_request::{BLOCK_BYTES, Operation, Request, Status};

/// The bytes of a basic header segment.
pub(crate) const HEADER_BYTES: usize = 48;

/// The operation codes; an initiator sends those below 0x20.
mod code {
    pub const IMMEDIATE: u8 = 0x40;
    pub const COMMAND: u8 = 0x01;
    pub const TASK_MANAGEMENT: u8 = 0x02;
    pub const DATA_OUT: u8 = 0x05;
    pub const RESPONSE: u8 = 0x21;
    pub const TASK_MANAGEMENT_RESPONSE: u8 = 0x22;
    pub const DATA_IN: u8 = 0x25;
    pub const READY_TO_TRANSFER: u8 = 0x31;
}

/// Flags of byte 1.
mod flag {
    pub const FINAL: u8 = 0x80;
    pub const READ: u8 = 0x40;
    pub const WRITE: u8 = 0x20;
    pub const SIMPLE: u8 = 0x01;
    pub const OVERFLOW: u8 = 0x04;
    pub const STATUS: u8 = 0x01;
}

/// A tag that names nothing.
const NO_TAG: u32 = u32::MAX;
/// The commands for which a target has room beyond those that it has taken. Source: Linux, `drivers/target/iscsi`, `TA_DEFAULT_CMDSN_DEPTH`.
const COMMAND_WINDOW: u32 = 64;
/// Functions of task management.
const ABORT_TASK: u8 = 1;
const ABORT_TASK_SET: u8 = 2;
const CLEAR_TASK_SET: u8 = 4;
const LOGICAL_UNIT_RESET: u8 = 5;
const TARGET_RESET: u8 = 6;
/// A response of task management: the task does not exist.
const NO_SUCH_TASK: u8 = 1;

fn put(bytes: &mut [u8], place: usize, value: u32) {
    bytes[place..place + 4].copy_from_slice(&value.to_be_bytes());
}

/// The numbers that units of a target have: StatSN of this status, or of the next one if the unit has none; ExpCmdSN; MaxCmdSN.
fn put_target_numbers(bytes: &mut [u8], facts: &UnitFacts<'_>, has_status: bool) {
    let numbers = facts.numbers;
    let status = numbers.next_status().wrapping_sub(u32::from(has_status));
    put(bytes, 24, status);
    put(bytes, 28, numbers.expected_command());
    put(bytes, 32, numbers.expected_command().wrapping_add(COMMAND_WINDOW - 1));
}

fn put_length(bytes: &mut [u8], data: u64) {
    bytes[5..8].copy_from_slice(&(data as u32).to_be_bytes()[1..]);
}

/// The residual count of a command whose data are not whole blocks.
fn residual(request: &Request) -> u32 {
    match request.operation {
        Operation::Read | Operation::Write => (request.block_count() * BLOCK_BYTES - request.bytes) as u32,
        Operation::Flush | Operation::Deallocate | Operation::CheckPath => 0,
    }
}

/// A unit without data; a response may have sense data behind its header segment.
pub(crate) fn unit(facts: &UnitFacts<'_>, unit: &Pdu) -> Vec<u8> {
    let mut bytes = vec![0; HEADER_BYTES];
    match unit.kind {
        // A command that is made for data that follow it has their number.
        PduKind::Command => command(&mut bytes, facts, 0, unit.write && unit.burst_bytes > 0),
        PduKind::TransferReady => {
            (bytes[0], bytes[1]) = (code::READY_TO_TRANSFER, flag::FINAL);
            bytes[8..16].copy_from_slice(&scsi_lun(facts.logical_unit));
            put(&mut bytes, 16, facts.command.command);
            put(&mut bytes, 20, facts.command.command);
            put_target_numbers(&mut bytes, facts, false);
            put(&mut bytes, 36, facts.command.requests_for_data.saturating_sub(1));
            put(&mut bytes, 40, unit.offset);
            put(&mut bytes, 44, unit.burst_bytes);
        }
        PduKind::Response => response(&mut bytes, facts, unit),
        PduKind::Abort | PduKind::ServiceRequest => function(&mut bytes, facts, unit),
        _ => {
            (bytes[0], bytes[1]) = (code::TASK_MANAGEMENT_RESPONSE, flag::FINAL);
            bytes[2] = if unit.kind == PduKind::AbortReject { NO_SUCH_TASK } else { 0 };
            put(&mut bytes, 16, facts.numbers.of_abort(unit.tag));
            put_target_numbers(&mut bytes, facts, true);
        }
    }
    bytes
}

/// SCSI Command with this number of bytes of immediate data.
fn command(bytes: &mut [u8], facts: &UnitFacts<'_>, immediate: u64, more_follows: bool) {
    let request = facts.request;
    let direction = match request.operation {
        Operation::Read => flag::READ,
        Operation::Write | Operation::Deallocate => flag::WRITE,
        Operation::Flush | Operation::CheckPath => 0,
    };
    let last = if more_follows { 0 } else { flag::FINAL };
    (bytes[0], bytes[1]) = (code::COMMAND, last | direction | flag::SIMPLE);
    put_length(bytes, immediate);
    let (lun, cdb, length) = scsi_command(request, facts.logical_unit);
    bytes[8..16].copy_from_slice(&lun);
    put(bytes, 16, facts.command.command);
    put(bytes, 20, length);
    // The command has been counted.
    put(bytes, 24, facts.numbers.next_command().wrapping_sub(1));
    put(bytes, 28, facts.numbers.expected_status());
    bytes[32..48].copy_from_slice(&cdb);
}

/// SCSI Response.
fn response(bytes: &mut Vec<u8>, facts: &UnitFacts<'_>, unit: &Pdu) {
    let residual = residual(facts.request);
    (bytes[0], bytes[1], bytes[3]) = (code::RESPONSE, flag::FINAL, unit.status);
    if residual > 0 {
        bytes[1] |= flag::OVERFLOW;
        put(bytes, 44, residual);
    }
    put(bytes, 16, facts.command.command);
    put_target_numbers(bytes, facts, true);
    // Both kinds of units that the initiator has got for the command are counted.
    let counted =
        if facts.request.is_read() { facts.command.data_units } else { facts.command.requests_for_data };
    put(bytes, 36, counted);
    let digest = if facts.format.data_digest { 4 } else { 0 };
    let beside = if facts.format.header_digest { 4 } else { 0 } + HEADER_BYTES as u32 + digest;
    if unit.status == crate::unit::status_byte(Status::CheckCondition) && unit.payload_bytes > beside {
        let segment = (unit.payload_bytes - beside) as usize;
        let sense = scsi_sense(unit, segment.saturating_sub(2));
        put_length(bytes, 2 + sense.len() as u64);
        bytes.extend_from_slice(&(sense.len() as u16).to_be_bytes());
        bytes.extend_from_slice(&sense);
        bytes.resize(HEADER_BYTES + segment, 0);
    }
}

/// Task management: ABORT TASK, or a function for more commands. It does not wait for its turn among commands (immediate delivery).
fn function(bytes: &mut [u8], facts: &UnitFacts<'_>, unit: &Pdu) {
    let function = match (unit.kind, unit.status) {
        (PduKind::Abort, _) => ABORT_TASK,
        (_, task_management::ABORT_TASK_SET) => ABORT_TASK_SET,
        (_, task_management::CLEAR_TASK_SET) => CLEAR_TASK_SET,
        (_, task_management::LOGICAL_UNIT_RESET) => LOGICAL_UNIT_RESET,
        _ => TARGET_RESET,
    };
    (bytes[0], bytes[1]) = (code::IMMEDIATE | code::TASK_MANAGEMENT, flag::FINAL | function);
    bytes[8..16].copy_from_slice(&scsi_lun(facts.logical_unit));
    put(bytes, 16, facts.numbers.of_abort(unit.tag));
    put(bytes, 20, if function == ABORT_TASK { facts.command.command } else { NO_TAG });
    put(bytes, 24, facts.numbers.next_command());
    put(bytes, 28, facts.numbers.expected_status());
}

/// The header segment of a unit with data.
pub(crate) fn data(facts: &UnitFacts<'_>, unit: &DataUnit, has_status: bool) -> Vec<u8> {
    let mut bytes = vec![0; HEADER_BYTES];
    let is_last = if unit.ends_sequence { flag::FINAL } else { 0 };
    if unit.has_command {
        command(&mut bytes, facts, unit.bytes, !unit.ends_sequence);
        return bytes;
    }
    put_length(&mut bytes, unit.bytes);
    bytes[8..16].copy_from_slice(&scsi_lun(facts.logical_unit));
    put(&mut bytes, 16, facts.command.command);
    put(&mut bytes, 36, facts.command.data_units);
    put(&mut bytes, 40, unit.offset);
    bytes[1] = is_last;
    if unit.part.write {
        bytes[0] = code::DATA_OUT;
        let is_asked = unit.part.unit > 0;
        put(&mut bytes, 20, if is_asked { facts.command.command } else { NO_TAG });
        put(&mut bytes, 28, facts.numbers.expected_status());
    } else {
        bytes[0] = code::DATA_IN;
        put(&mut bytes, 20, NO_TAG);
        put_target_numbers(&mut bytes, facts, has_status);
        if has_status {
            bytes[1] |= flag::STATUS;
            let residual = residual(facts.request);
            if residual > 0 {
                bytes[1] |= flag::OVERFLOW;
                put(&mut bytes, 44, residual);
            }
        } else {
            put(&mut bytes, 24, 0);
        }
    }
    bytes
}

/// The list of a deallocation.
pub(crate) fn list_of_ranges(request: &Request) -> Vec<u8> {
    scsi_unmap_list(request)
}
