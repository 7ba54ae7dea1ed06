//! The units of FC-NVMe as bytes: NVMe_CMND, NVMe_RSP, NVMe_ERSP.
//!
//! Their frames have TYPE 08 and the R_CTL of FCP; only a long response has an R_CTL of its own. XFER_RDY and DATA are those of FCP.
//!
//! Source: Linux, `include/linux/nvme-fc.h` (layouts) and `include/linux/nvme.h` (submission and completion queue entries, status codes);
//! `drivers/nvme/host/fc.c` (descriptor of the data, numbers from 1); SPDK, `include/spdk/nvmf_fc_spec.h` (R_CTL). Ours: the association is named
//! after the address of its initiator, and a namespace after the number of its device behind the port of the target.

use crate::unit_sizes::UnitSizes;
use sansim_pdu::{Pdu, PduKind, Sense};
use sansim_request::{BLOCK_BYTES, DEALLOCATION_LIST_BYTES, Operation, Request};

/// The payload of NVMe_CMND.
pub const COMMAND_BYTES: usize = 96;
/// The payload of XFER_RDY.
pub const TRANSFER_READY_BYTES: usize = 12;
/// The payload of a short response, NVMe_RSP: zeros.
pub const RESPONSE_BYTES: usize = 12;
/// The payload of a long response, NVMe_ERSP.
pub const LONG_RESPONSE_BYTES: usize = 32;

/// The payloads of the units without data; a long response is longer.
pub(crate) const SIZES: UnitSizes = UnitSizes {
    command_payload: COMMAND_BYTES as u64,
    xfer_rdy_payload: TRANSFER_READY_BYTES as u64,
    response_payload: RESPONSE_BYTES as u64,
};

/// R_CTL of a long response.
pub(crate) const LONG_RESPONSE_ROUTING: u8 = 0x08;
/// The first two bytes of NVMe_CMND: its format and FC-NVMe.
const COMMAND_IDENTIFIER: [u8; 2] = [0xFD, 0x28];
/// The flags of NVMe_CMND: the direction of the data.
const WRITE_FLAG: u8 = 0x01;
const READ_FLAG: u8 = 0x02;
/// The opcodes of the command set.
const WRITE_OPCODE: u8 = 0x01;
const READ_OPCODE: u8 = 0x02;
const FLUSH_OPCODE: u8 = 0x00;
const DATASET_MANAGEMENT_OPCODE: u8 = 0x09;
/// The opcode of Keep Alive, an admin command (NVMe over Fabrics).
const KEEP_ALIVE_OPCODE: u8 = 0x18;
/// The attribute of Dataset Management by which its ranges are deallocated.
const DEALLOCATES: u8 = 0x04;
/// FUA in the last byte of dword 12 of a write: bit 30 of the dword. Source: Linux, `NVME_RW_FUA`.
const FORCE_UNIT_ACCESS: u8 = 0x40;
/// A flag of a submission queue entry: the data are described by a scatter gather list.
const SCATTER_GATHER: u8 = 0x40;
/// The kind of the descriptor: data that the transport moves.
const TRANSPORT_DATA: u8 = 0x5A;
/// The number of the first I/O queue.
const QUEUE: u16 = 1;

/// Whether a response is long.
pub(crate) fn is_long_response(unit: &Pdu) -> bool {
    unit.payload_bytes as usize >= LONG_RESPONSE_BYTES
}

/// The bytes that a unit has at least in the standard; none for a unit that is the same as in FCP.
pub(crate) fn least_bytes(unit: &Pdu) -> Option<usize> {
    match unit.kind {
        PduKind::Command => Some(COMMAND_BYTES),
        PduKind::Response => Some(RESPONSE_BYTES),
        _ => None,
    }
}

/// Writes a command or a response; the identifier of the command is that of its exchange (OX_ID). Returns its length; none for a unit that is the same as in FCP.
pub(crate) fn write(
    bytes: &mut [u8],
    unit: &Pdu,
    request: &Request,
    namespace: u32,
    command_identifier: u16,
) -> Option<usize> {
    match unit.kind {
        PduKind::Command => {
            command(bytes, unit, request, namespace, command_identifier);
            Some(COMMAND_BYTES)
        }
        PduKind::Response if is_long_response(unit) => {
            long_response(bytes, unit, request, command_identifier);
            Some(LONG_RESPONSE_BYTES)
        }
        PduKind::Response => Some(RESPONSE_BYTES),
        PduKind::Data if request.operation == Operation::Deallocate => {
            range(bytes, request);
            Some(DEALLOCATION_LIST_BYTES as usize)
        }
        _ => None,
    }
}

/// Writes the range of a deallocation: attributes, blocks, first block. Assumption: the list has the length of that of UNMAP, eight bytes more
/// than a range.
fn range(bytes: &mut [u8], request: &Request) {
    bytes[4..8].copy_from_slice(&length32(request.block_count()).to_le_bytes());
    bytes[8..16].copy_from_slice(&request.lba.to_le_bytes());
}

fn length32(bytes: u64) -> u32 {
    bytes.try_into().unwrap_or(u32::MAX)
}

/// Writes NVMe_CMND: numbers of the unit are big-endian, those of the submission queue entry little-endian.
fn command(bytes: &mut [u8], unit: &Pdu, request: &Request, namespace: u32, command_identifier: u16) {
    bytes[0..2].copy_from_slice(&COMMAND_IDENTIFIER);
    bytes[2..4].copy_from_slice(&((COMMAND_BYTES / 4) as u16).to_be_bytes());
    bytes[7] = match request.operation {
        Operation::Read => READ_FLAG,
        Operation::Write | Operation::Deallocate => WRITE_FLAG,
        Operation::Flush | Operation::CheckPath => 0,
    };
    let connection = u64::from(unit.source.value()) << 16 | u64::from(QUEUE);
    bytes[8..16].copy_from_slice(&connection.to_be_bytes());
    bytes[16..20].copy_from_slice(&unit.offset.to_be_bytes());
    bytes[20..24].copy_from_slice(&length32(request.data_bytes()).to_be_bytes());
    let entry = &mut bytes[24..88];
    entry[0] = match request.operation {
        Operation::Read => READ_OPCODE,
        Operation::Write => WRITE_OPCODE,
        Operation::Flush => FLUSH_OPCODE,
        Operation::Deallocate => DATASET_MANAGEMENT_OPCODE,
        Operation::CheckPath => KEEP_ALIVE_OPCODE,
    };
    entry[1] = SCATTER_GATHER;
    entry[2..4].copy_from_slice(&command_identifier.to_le_bytes());
    entry[4..8].copy_from_slice(&(namespace + 1).to_le_bytes());
    entry[32..36].copy_from_slice(&length32(request.data_bytes()).to_le_bytes());
    entry[39] = TRANSPORT_DATA;
    match request.operation {
        Operation::Read | Operation::Write => {}
        Operation::Flush | Operation::CheckPath => return,
        Operation::Deallocate => {
            // The number of ranges counts from 0: there is one.
            entry[44] = DEALLOCATES;
            return;
        }
    }
    entry[40..48].copy_from_slice(&request.lba.to_le_bytes());
    // The number of blocks counts from 0.
    let blocks = (request.bytes.div_ceil(BLOCK_BYTES)).saturating_sub(1);
    entry[48..50].copy_from_slice(&(blocks.min(u16::MAX.into()) as u16).to_le_bytes());
    if request.forces_unit_access() {
        entry[51] = FORCE_UNIT_ACCESS;
    }
}

/// Writes NVMe_ERSP, with a completion queue entry.
fn long_response(bytes: &mut [u8], unit: &Pdu, request: &Request, command_identifier: u16) {
    bytes[2..4].copy_from_slice(&((LONG_RESPONSE_BYTES / 4) as u16).to_be_bytes());
    bytes[4..8].copy_from_slice(&unit.burst_bytes.to_be_bytes());
    let code = status_code(unit);
    let moved = if code == 0 { request.data_bytes() } else { 0 };
    bytes[8..12].copy_from_slice(&length32(moved).to_be_bytes());
    let entry = &mut bytes[16..32];
    entry[8..10].copy_from_slice(&(unit.offset as u16).to_le_bytes());
    entry[10..12].copy_from_slice(&QUEUE.to_le_bytes());
    entry[12..14].copy_from_slice(&command_identifier.to_le_bytes());
    // Bit 0 is the phase tag.
    entry[14..16].copy_from_slice(&(code << 1).to_le_bytes());
}

/// The status code and its type for the outcome of a command. NVMe has no BUSY and no QUEUE FULL; ours: such a command is interrupted, so that a
/// host repeats it.
pub fn status_code(unit: &Pdu) -> u16 {
    match (unit.sense, unit.status) {
        // Asymmetric access inaccessible.
        (Sense::NotAccessible, _) => 0x302,
        // Unrecovered read error.
        (Sense::MediumError, _) => 0x281,
        // Internal error, which a host does not repeat (DNR).
        (Sense::HardwareError, _) => 0x4006,
        // Namespace not ready.
        (Sense::NotReady, _) => 0x082,
        // Data transfer error.
        (Sense::AbortedCommand, _) => 0x004,
        (Sense::None, 0x00) => 0x000,
        // Command interrupted.
        (Sense::None, 0x08 | 0x28) => 0x021,
        // Command abort requested.
        (Sense::None, 0x40) => 0x007,
        // Internal error.
        (Sense::None | Sense::UnitAttention, _) => 0x006,
    }
}
