//! The units of FC-NVMe as bytes: NVMe_CMND, NVMe_RSP, NVMe_ERSP.
//!
//! Their frames have TYPE 08 and the R_CTL of FCP; only a long response has an R_CTL of its own. XFER_RDY and DATA are those of FCP.
//!
//! Source: Linux, `include/linux/nvme-fc.h` (layouts); `drivers/nvme/host/fc.c` (descriptor of the data, numbers from 1); SPDK, `include/spdk/nvmf_fc_spec.h` (R_CTL). Ours: the association is named
//! after the address of its initiator, and a namespace after the number of its device behind the port of the target.

use super::entries::{self, DataDescriptor, QUEUE, length32, status_code};
use crate::unit_sizes::UnitSizes;
use sansim_pdu::{Pdu, PduKind};
use sansim_request::{DEALLOCATION_LIST_BYTES, Operation, Request};

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
            entries::deallocated_range(bytes, request);
            Some(DEALLOCATION_LIST_BYTES as usize)
        }
        _ => None,
    }
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
    let descriptor = DataDescriptor::Transport;
    entries::submission(&mut bytes[24..88], request, namespace, command_identifier, descriptor);
}

/// Writes NVMe_ERSP, with a completion queue entry.
fn long_response(bytes: &mut [u8], unit: &Pdu, request: &Request, command_identifier: u16) {
    bytes[2..4].copy_from_slice(&((LONG_RESPONSE_BYTES / 4) as u16).to_be_bytes());
    bytes[4..8].copy_from_slice(&unit.burst_bytes.to_be_bytes());
    let code = status_code(unit);
    let moved = if code == 0 { request.data_bytes() } else { 0 };
    bytes[8..12].copy_from_slice(&length32(moved).to_be_bytes());
    entries::completion(&mut bytes[16..32], code, unit.offset as u16, command_identifier);
}
