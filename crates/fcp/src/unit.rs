//! Information units as bytes: the payload of FCP_CMND, FCP_XFER_RDY and FCP_RSP, and the headers of their frames.
//!
//! The link services by which exchanges are aborted (basic) and recovered (extended, and of FCP) are in this file too.
//!
//! Sources: FCP-4 (information units, R_CTL, F_CTL, SRR), FC-FS (ABTS, BA_ACC, BA_RJT), FC-LS (REC, LS_ACC, LS_RJT; layouts as in Linux,
//! `include/uapi/scsi/fc/fc_els.h` and `include/scsi/fc/fc_fcp.h`), SAM-5 (status codes, LUNs), SBC-3 (READ and WRITE of 10
//! and 16 bytes).
//!
//! The payload of data frames is not simulated; it is zeros. A unit that the scenario makes shorter than the standard does (the
//! 28 bytes of FCP_CMND in the thesis of Wang) is written with the length of the standard: cut off, it would not be a command.
//! A unit that the scenario makes longer has zeros after its end.

use crate::nvme;
use sansim_fc::frame::{Frame, LinkControl, Pdu, PduKind};
use sansim_fc::wire::{
    EndDelimiter, Header, NETWORK_HEADER, StartDelimiter, TYPE_BASIC, TYPE_EXTENDED, TYPE_FCP, TYPE_IP,
    UNASSIGNED, control, routing,
};
use sansim_pdu::{Address, CommandSet, link_service};
use sansim_request::{BLOCK_BYTES, DEALLOCATION_LIST_BYTES, Operation, Request, Status};

mod association;
mod command;
pub mod ip;
pub mod login;
mod status;

pub(crate) use status::sense_of;
pub use status::{has_sense_data, status_byte, status_of};

/// The payload of FCP_CMND with a CDB of up to 16 bytes.
pub const COMMAND_BYTES: usize = 32;
/// The payload of FCP_XFER_RDY.
pub const TRANSFER_READY_BYTES: usize = 12;
/// The payload of FCP_RSP with neither sense data nor response information.
pub const RESPONSE_BYTES: usize = 24;

/// The payload of BA_ACC.
pub const ACCEPT_BYTES: usize = 12;
/// The payload of BA_RJT.
pub const REJECT_BYTES: usize = 4;

/// The payload of REC.
pub const READ_EXCHANGE_BYTES: usize = 12;
/// The payload of LS_ACC to REC.
pub const READ_EXCHANGE_ACCEPT_BYTES: usize = 24;
/// The payload of SRR.
pub const RETRANSMISSION_BYTES: usize = 16;
/// The payload of FCP_RSP with response information, which answers a task management function.
pub const FUNCTION_RESPONSE_BYTES: usize = RESPONSE_BYTES + RESPONSE_INFORMATION_BYTES;
/// The length of response information.
const RESPONSE_INFORMATION_BYTES: usize = 8;

/// The payload of LS_ACC to SRR.
pub const SERVICE_ACCEPT_BYTES: usize = 4;
/// The payload of LS_RJT.
pub const SERVICE_REJECT_BYTES: usize = 8;

/// The command code of LS_ACC.
const SERVICE_ACCEPTED: u8 = 0x02;
/// The command code of LS_RJT.
const SERVICE_REJECTED: u8 = 0x01;
/// The reason codes of LS_RJT to REC and SRR: the command cannot be performed, because the OX_ID and RX_ID belong to no exchange.
const SERVICE_REJECT_REASON: [u8; 2] = [0x09, 0x17];

/// The reason codes of BA_RJT: the command cannot be performed, because the OX_ID and RX_ID belong to no
/// exchange.
const REJECT_REASON: [u8; 2] = [0x09, 0x03];

/// A flag of FCP_RSP: FCP_DL was too small for the blocks that the CDB names; the residual count has the
/// difference.
const RESIDUAL_OVER: u8 = 0x04;
/// A flag of FCP_RSP: response information follows.
const RESPONSE_INFORMATION: u8 = 0x01;
/// A flag of FCP_RSP: sense data follow.
const SENSE_DATA: u8 = 0x02;
/// The bytes of sense data of fixed format without additional bytes.
const SENSE_BYTES: usize = 18;
/// A flag of FCP_RSP: the target waits for FCP_CONF.
const CONFIRM: u8 = 0x10;

/// R_CTL of an information unit of FCP; SRR names by it the unit that is to be sent again.
pub fn routing_of(kind: PduKind) -> u8 {
    match kind {
        PduKind::Command => routing::COMMAND,
        PduKind::TransferReady => routing::DATA_DESCRIPTOR,
        PduKind::Response => routing::STATUS,
        PduKind::Confirm => routing::SOLICITED_CONTROL,
        _ => routing::SOLICITED_DATA,
    }
}

/// The identifiers of an exchange, by which both ends know its frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identifiers {
    /// OX_ID, which the initiator assigns.
    pub originator: u16,
    /// RX_ID, which the target assigns; the RX_ID is [`UNASSIGNED`] before the target's first frame.
    pub responder: u16,
    /// The SEQ_ID of the command, an even number. The SEQ_IDs of the later sequences count from the SEQ_ID of
    /// the command.
    pub sequence: u8,
}

/// The most bytes of a payload that are not zeros: the bytes of PLOGI.
const HEAD_BYTES: usize = login::PORT_LOGIN_BYTES;

/// The first bytes of a payload, which is zeros after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayloadHead {
    bytes: [u8; HEAD_BYTES],
    length: u8,
}

impl PayloadHead {
    /// The bytes at the head of the payload.
    pub fn leading_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

/// The payload bytes of a frame as a capture has them: the simulated number, or the number of the standard if that
/// is greater.
pub fn payload_bytes(frame: &Frame) -> usize {
    let of_nvme = if frame.command_set == CommandSet::Nvme { nvme::fc::least_bytes(frame) } else { None };
    let least = match frame.kind {
        _ if of_nvme.is_some() => of_nvme.unwrap_or(0),
        PduKind::Command => COMMAND_BYTES,
        PduKind::TransferReady => TRANSFER_READY_BYTES,
        PduKind::Response => RESPONSE_BYTES,
        PduKind::AbortAccept => ACCEPT_BYTES,
        PduKind::AbortReject => REJECT_BYTES,
        PduKind::Ip => ip::HEAD_BYTES,
        PduKind::ServiceRequest if frame.manages_tasks() => COMMAND_BYTES,
        PduKind::ServiceAccept if frame.manages_tasks() => FUNCTION_RESPONSE_BYTES,
        // These have the lengths of the standard.
        PduKind::ServiceRequest | PduKind::ServiceAccept | PduKind::ServiceReject => 0,
        PduKind::Data | PduKind::Abort | PduKind::Control | PduKind::Confirm => 0,
    };
    least.max(frame.payload_bytes as usize)
}

/// The number of the first sequence of a burst in its exchange. FCP_CMND is before all bursts, and each burst has two sequences,
/// one for FCP_XFER_RDY and one for its data; a burst of a read has two numbers as well, because Wireshark merges sequences of a
/// responder whose SEQ_IDs differ only in the lowest bit.
pub fn first_sequence_number(burst: u16) -> u16 {
    burst.wrapping_mul(2).wrapping_add(1)
}

/// The delimiters of a frame.
///
/// In class 2 a sequence is over when its last frame is acknowledged: EOFt is at the end of that ACK (FC-FS).
pub fn frame_delimiters(frame: &Frame) -> (StartDelimiter, EndDelimiter) {
    if frame.class_2 {
        let begins = frame.part == 0 && !frame.is_link_control();
        let acknowledges = matches!(frame.control, Some((LinkControl::Acknowledge, _)));
        let ends = frame.last_of_unit && acknowledges;
        let start = if begins { StartDelimiter::InitiateClass2 } else { StartDelimiter::NormalClass2 };
        return (start, if ends { EndDelimiter::Terminate } else { EndDelimiter::Normal });
    }
    let start = if frame.part == 0 { StartDelimiter::Initiate } else { StartDelimiter::Normal };
    let end = if frame.last_of_unit { EndDelimiter::Terminate } else { EndDelimiter::Normal };
    (start, end)
}

/// The code of F_BSY in the field TYPE: the fabric is busy.
const FABRIC_IS_BUSY: u8 = 0x10;
/// The code of F_RJT in the parameter field: the frame may be sent again, and the port cannot be reached at
/// present.
const NOT_AVAILABLE: u32 = 0x0103_0000;

/// The header of a link control frame: the header of the frame that it answers, with source and destination
/// exchanged (FC-FS).
fn link_control(frame: &Frame, (control, of): (LinkControl, PduKind), identifiers: Identifiers) -> Header {
    let about = Frame { pdu: Pdu { kind: of, ..frame.pdu }, control: None, ..*frame };
    let header = frame_header(&about, identifiers);
    let (routing, kind, parameter) = match control {
        LinkControl::FabricBusy => (routing::FABRIC_BUSY, FABRIC_IS_BUSY, 0),
        LinkControl::FabricReject => (routing::FABRIC_REJECT, TYPE_BASIC, NOT_AVAILABLE),
        // The parameter is the number of frames that the ACK acknowledges.
        LinkControl::Acknowledge => (routing::ACK_1, TYPE_BASIC, 1),
    };
    let kept = header.control & !(control::RELATIVE_OFFSET | control::ACK_1_WANTED);
    Header {
        routing,
        kind,
        parameter,
        control: (kept ^ control::RESPONDER) | control::RECIPIENT,
        responder: identifiers.responder,
        ..header
    }
}

/// Whether a frame of a link service belongs to a link service of FCP, or to task management, rather than to an extended link service.
fn is_of_fcp(frame: &Frame) -> bool {
    frame.status == link_service::SEQUENCE_RETRANSMISSION || frame.manages_tasks()
}

/// Whether a frame is the first of an exchange, to which its responder has assigned no RX_ID yet.
fn is_first(frame: &Frame) -> bool {
    frame.kind == PduKind::Command || (frame.kind == PduKind::ServiceRequest && frame.manages_tasks())
}

/// The header of a frame.
pub fn frame_header(frame: &Frame, identifiers: Identifiers) -> Header {
    if let Some(control) = frame.control {
        return link_control(frame, control, identifiers);
    }
    let (routing, context) = match frame.kind {
        PduKind::Command => (routing::COMMAND, control::FIRST_SEQUENCE | control::INITIATIVE),
        PduKind::TransferReady => (routing::DATA_DESCRIPTOR, control::RESPONDER | control::INITIATIVE),
        PduKind::Data if frame.write && frame.last_of_unit => {
            // The target continues the exchange, with FCP_XFER_RDY or FCP_RSP.
            (routing::SOLICITED_DATA, control::RELATIVE_OFFSET | control::INITIATIVE)
        }
        PduKind::Data if frame.write => (routing::SOLICITED_DATA, control::RELATIVE_OFFSET),
        PduKind::Data => (routing::SOLICITED_DATA, control::RESPONDER | control::RELATIVE_OFFSET),
        // FCP_CONF is the last sequence of an exchange that is confirmed.
        PduKind::Response if frame.is_to_be_confirmed() => {
            (routing::STATUS, control::RESPONDER | control::INITIATIVE)
        }
        PduKind::Response => {
            let long = frame.command_set == CommandSet::Nvme && nvme::fc::is_long_response(frame);
            let routing = if long { nvme::fc::LONG_RESPONSE_ROUTING } else { routing::STATUS };
            (routing, control::RESPONDER | control::LAST_SEQUENCE | control::INITIATIVE)
        }
        PduKind::Confirm => (routing::SOLICITED_CONTROL, control::LAST_SEQUENCE | control::INITIATIVE),
        PduKind::ServiceRequest => {
            let routing = match is_of_fcp(frame) {
                _ if frame.is_of_association() => association::routing_and_type(frame).0,
                true if frame.manages_tasks() => routing::COMMAND,
                true => routing::FCP_REQUEST,
                false => routing::EXTENDED_REQUEST,
            };
            (routing, control::FIRST_SEQUENCE | control::INITIATIVE)
        }
        PduKind::ServiceAccept | PduKind::ServiceReject => {
            let routing = match is_of_fcp(frame) {
                _ if frame.is_of_association() => association::routing_and_type(frame).0,
                true if frame.manages_tasks() => routing::STATUS,
                true => routing::FCP_REPLY,
                false => routing::EXTENDED_REPLY,
            };
            (routing, control::RESPONDER | control::LAST_SEQUENCE | control::INITIATIVE)
        }
        PduKind::Abort => (routing::ABORT, control::INITIATIVE),
        PduKind::AbortAccept => {
            (routing::ACCEPT, control::RESPONDER | control::LAST_SEQUENCE | control::INITIATIVE)
        }
        PduKind::AbortReject => {
            (routing::REJECT, control::RESPONDER | control::LAST_SEQUENCE | control::INITIATIVE)
        }
        PduKind::Ip => (routing::UNSOLICITED_DATA, control::FIRST_SEQUENCE),
        // Link control has been handled above.
        PduKind::Control => (0, 0),
    };
    let end = if frame.last_of_unit { control::END_OF_SEQUENCE } else { 0 };
    let class = if frame.class_2 { control::ACK_1_WANTED } else { 0 };
    let is_ip = frame.kind == PduKind::Ip;
    Header {
        routing,
        destination: frame.destination.value(),
        class_control: 0,
        source: frame.source.value(),
        kind: match frame.kind {
            PduKind::Abort | PduKind::AbortAccept | PduKind::AbortReject => TYPE_BASIC,
            _ if frame.is_of_association() => association::routing_and_type(frame).1,
            PduKind::ServiceRequest | PduKind::ServiceAccept | PduKind::ServiceReject
                if !is_of_fcp(frame) =>
            {
                TYPE_EXTENDED
            }
            PduKind::Ip => TYPE_IP,
            _ => TYPE_FCP,
        },
        control: context | end | class,
        sequence: identifiers.sequence.wrapping_add(frame.unit as u8),
        data_field_control: if is_ip { NETWORK_HEADER } else { 0 },
        sequence_count: frame.part,
        originator: identifiers.originator,
        responder: if is_ip || is_first(frame) { UNASSIGNED } else { identifiers.responder },
        parameter: if frame.kind == PduKind::Data { frame.offset } else { 0 },
    }
}

/// The first bytes of a frame's payload. `logical_unit` is the number of the requested device among the devices behind the port of the
/// target. The identifiers are those of the exchange that the unit is about.
pub fn payload_head(
    frame: &Frame,
    request: &Request,
    logical_unit: u32,
    identifiers: Identifiers,
) -> PayloadHead {
    let mut bytes = [0; HEAD_BYTES];
    if frame.command_set == CommandSet::Nvme
        && let Some(length) =
            nvme::fc::write(&mut bytes, frame, request, logical_unit, identifiers.originator)
    {
        return PayloadHead { bytes, length: length as u8 };
    }
    let length = match frame.kind {
        PduKind::Command => {
            command::command(&mut bytes, request, logical_unit);
            COMMAND_BYTES
        }
        PduKind::TransferReady => {
            bytes[0..4].copy_from_slice(&frame.offset.to_be_bytes());
            bytes[4..8].copy_from_slice(&frame.burst_bytes.to_be_bytes());
            TRANSFER_READY_BYTES
        }
        PduKind::Data if request.operation == Operation::Deallocate => {
            command::unmap_list(&mut bytes, request);
            DEALLOCATION_LIST_BYTES as usize
        }
        PduKind::Data => 0,
        PduKind::Response => {
            bytes[11] = frame.status;
            let residual = match request.operation {
                Operation::Read | Operation::Write => request.block_count() * BLOCK_BYTES - request.bytes,
                Operation::Flush | Operation::Deallocate | Operation::CheckPath => 0,
            };
            if residual > 0 {
                bytes[10] = RESIDUAL_OVER;
                bytes[12..16].copy_from_slice(&length32(residual).to_be_bytes());
            }
            if frame.burst_bytes > 0 {
                bytes[10] |= CONFIRM;
            }
            let sense_data = (frame.payload_bytes as usize).saturating_sub(RESPONSE_BYTES);
            if frame.status == status_byte(Status::CheckCondition) && sense_data >= SENSE_BYTES {
                bytes[10] |= SENSE_DATA;
                bytes[16..20].copy_from_slice(&(sense_data as u32).to_be_bytes());
                let sense = &mut bytes[RESPONSE_BYTES..RESPONSE_BYTES + SENSE_BYTES];
                put_sense(sense, frame, sense_data);
            }
            RESPONSE_BYTES + if bytes[10] & SENSE_DATA > 0 { SENSE_BYTES } else { 0 }
        }
        // BA_ACC is for the whole exchange: no SEQ_ID is valid, the OX_ID and RX_ID equal the IDs of the header,
        // and all SEQ_CNTs are covered.
        PduKind::AbortAccept => {
            bytes[4..6].copy_from_slice(&identifiers.originator.to_be_bytes());
            bytes[6..8].copy_from_slice(&identifiers.responder.to_be_bytes());
            bytes[10..12].copy_from_slice(&u16::MAX.to_be_bytes());
            ACCEPT_BYTES
        }
        PduKind::AbortReject => {
            bytes[1..3].copy_from_slice(&REJECT_REASON);
            REJECT_BYTES
        }
        PduKind::Ip => {
            ip::head(&mut bytes, frame);
            ip::HEAD_BYTES
        }
        PduKind::ServiceRequest if frame.manages_tasks() => {
            bytes[0..8].copy_from_slice(&lun(logical_unit));
            bytes[10] = frame.status;
            COMMAND_BYTES
        }
        PduKind::ServiceAccept if frame.manages_tasks() => {
            // RSP_CODE is 0: the function is complete.
            bytes[10] = RESPONSE_INFORMATION;
            bytes[20..24].copy_from_slice(&(RESPONSE_INFORMATION_BYTES as u32).to_be_bytes());
            FUNCTION_RESPONSE_BYTES
        }
        PduKind::ServiceRequest | PduKind::ServiceAccept if frame.is_of_association() => {
            association::write(&mut bytes, frame)
        }
        PduKind::ServiceRequest | PduKind::ServiceAccept | PduKind::ServiceReject => {
            service(&mut bytes, frame, identifiers);
            frame.payload_bytes as usize
        }
        PduKind::Abort | PduKind::Control | PduKind::Confirm => 0,
    };
    PayloadHead { bytes, length: length as u8 }
}

/// LUN, CDB and length of the data of a command of SCSI.
pub(crate) fn scsi_command(request: &Request, logical_unit: u32) -> ([u8; 8], [u8; 16], u32) {
    let mut bytes = [0; HEAD_BYTES];
    command::command(&mut bytes, request, logical_unit);
    let mut cdb = [0; 16];
    cdb.copy_from_slice(&bytes[12..28]);
    (lun(logical_unit), cdb, length32(request.data_bytes()))
}

/// The LUN of a logical unit.
pub(crate) fn scsi_lun(logical_unit: u32) -> [u8; 8] {
    lun(logical_unit)
}

/// The parameter list of UNMAP.
pub(crate) fn scsi_unmap_list(request: &Request) -> Vec<u8> {
    let mut bytes = [0; HEAD_BYTES];
    command::unmap_list(&mut bytes, request);
    bytes[..DEALLOCATION_LIST_BYTES as usize].to_vec()
}

/// Sense data of at most this number of bytes for a response.
pub(crate) fn scsi_sense(response: &Pdu, most: usize) -> Vec<u8> {
    let mut sense = vec![0; most.max(SENSE_BYTES)];
    let length = sense.len();
    put_sense(&mut sense, response, length);
    sense.truncate(most);
    sense
}

/// Writes current sense data in fixed format, of this length; the additional length in them counts from byte 8.
fn put_sense(sense: &mut [u8], response: &Pdu, length: usize) {
    let [key, code, qualifier] = status::sense_codes(response.sense);
    (sense[0], sense[2], sense[7]) = (0x70, key, (length - 8) as u8);
    (sense[12], sense[13]) = (code, qualifier);
}

/// Writes REC, SRR, or an answer to one of them.
fn service(bytes: &mut [u8; HEAD_BYTES], frame: &Frame, about: Identifiers) {
    let [originator, responder] = [about.originator, about.responder].map(u16::to_be_bytes);
    let address = |address: Address| address.value().to_be_bytes();
    match (frame.kind, frame.status) {
        _ if frame.is_of_login() => login::write(bytes, frame),
        (PduKind::ServiceRequest, link_service::SEQUENCE_RETRANSMISSION) => {
            bytes[0] = frame.status;
            bytes[4..6].copy_from_slice(&originator);
            bytes[6..8].copy_from_slice(&responder);
            bytes[8..12].copy_from_slice(&frame.offset.to_be_bytes());
            bytes[12] = frame.burst_bytes as u8;
        }
        (PduKind::ServiceRequest, _) => {
            bytes[0] = frame.status;
            bytes[4..8].copy_from_slice(&address(frame.source));
            bytes[8..10].copy_from_slice(&originator);
            bytes[10..12].copy_from_slice(&responder);
        }
        (PduKind::ServiceAccept, link_service::READ_EXCHANGE_CONCISE) => {
            bytes[0] = SERVICE_ACCEPTED;
            bytes[4..6].copy_from_slice(&originator);
            bytes[6..8].copy_from_slice(&responder);
            bytes[8..12].copy_from_slice(&address(frame.destination));
            bytes[12..16].copy_from_slice(&address(frame.source));
            bytes[16..20].copy_from_slice(&frame.offset.to_be_bytes());
            bytes[20..24].copy_from_slice(&frame.burst_bytes.to_be_bytes());
        }
        (PduKind::ServiceAccept, _) => bytes[0] = SERVICE_ACCEPTED,
        _ => {
            bytes[0] = SERVICE_REJECTED;
            bytes[5..7].copy_from_slice(&SERVICE_REJECT_REASON);
        }
    }
}

/// A length in the 32 bits that FCP provides for it.
fn length32(bytes: u64) -> u32 {
    bytes.try_into().unwrap_or(u32::MAX)
}

/// The LUN of a logical unit, of one level, by the first method of addressing with a sufficient range: a peripheral device of bus 0 up
/// to 255, flat space up to 16,383, extended flat space up to 2^24 - 1, long extended flat space. Source: SAM-5, LUN addressing methods.
fn lun(logical_unit: u32) -> [u8; 8] {
    let [a, b, c, d] = logical_unit.to_be_bytes();
    match logical_unit {
        0..=0xFF => [0x00, d, 0, 0, 0, 0, 0, 0],
        0x100..=0x3FFF => [0x40 | c, d, 0, 0, 0, 0, 0, 0],
        0x4000..=0xFF_FFFF => [0xD2, b, c, d, 0, 0, 0, 0],
        _ => [0xE2, 0, a, b, c, d, 0, 0],
    }
}

#[cfg(test)]
mod tests;
