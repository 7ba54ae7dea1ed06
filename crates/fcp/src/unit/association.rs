//! The steps of an association of FC-NVMe as bytes: link services with TYPE 28, and commands of fabrics with TYPE 08.
//!
//! Source: Linux, `include/linux/nvme-fc.h` (link services and their descriptors) and `include/linux/nvme.h` (commands of fabrics). The names of hosts and
//! subsystems, and the identifier of the host, are zeros. Connect and its data are one exchange in the standard; here each has one of its own.

use crate::nvme::fc;
use sansim_fc::frame::{Frame, PduKind};
use sansim_fc::wire::{TYPE_FCP, routing};
use sansim_pdu::association;

/// TYPE of a link service of FC-NVMe.
const TYPE_NVME: u8 = 0x28;
/// The command codes of the link services.
const ACCEPT: u8 = 2;
const CREATE_ASSOCIATION: u8 = 3;
const CREATE_CONNECTION: u8 = 4;
/// The tags of descriptors: the request that is answered, Create Association, Create Connection, the identifiers of a connection and of an association.
const REQUEST_TAG: u8 = 1;
const ASSOCIATION_COMMAND_TAG: u8 = 3;
const CONNECTION_COMMAND_TAG: u8 = 4;
const CONNECTION_TAG: u8 = 6;
const ASSOCIATION_TAG: u8 = 7;
/// The opcode of commands of fabrics, and the types of two of them.
const FABRICS_OPCODE: u8 = 0x7F;
const CONNECT_TYPE: u8 = 0x01;
const PROPERTY_GET_TYPE: u8 = 0x04;

/// R_CTL and TYPE of a step or of its answer.
pub(super) fn routing_and_type(frame: &Frame) -> (u8, u8) {
    let is_request = frame.kind == PduKind::ServiceRequest;
    match frame.status {
        association::CONNECT if is_request => (routing::COMMAND, TYPE_FCP),
        association::CONNECT => (routing::DATA_DESCRIPTOR, TYPE_FCP),
        association::CONNECT_DATA if is_request => (routing::SOLICITED_DATA, TYPE_FCP),
        association::PROPERTY if is_request => (routing::COMMAND, TYPE_FCP),
        association::CONNECT_DATA | association::PROPERTY => (fc::LONG_RESPONSE_ROUTING, TYPE_FCP),
        _ if is_request => (routing::FCP_REQUEST, TYPE_NVME),
        _ => (routing::FCP_REPLY, TYPE_NVME),
    }
}

/// Writes a descriptor with its tag and length. Returns the place behind it.
fn descriptor(bytes: &mut [u8], at: usize, tag: u8, length: u8) -> usize {
    (bytes[at + 3], bytes[at + 7]) = (tag, length);
    at + 8 + usize::from(length)
}

/// Writes a step or its answer. Returns the bytes that may differ from zero.
pub(super) fn write(bytes: &mut [u8], frame: &Frame) -> usize {
    let is_request = frame.kind == PduKind::ServiceRequest;
    match frame.status {
        association::CREATE_ASSOCIATION | association::CREATE_CONNECTION => {
            let is_association = frame.status == association::CREATE_ASSOCIATION;
            let code = if is_association { CREATE_ASSOCIATION } else { CREATE_CONNECTION };
            bytes[4..8].copy_from_slice(&(frame.payload_bytes - 8).to_be_bytes());
            if is_request {
                bytes[0] = code;
                let (tag, at) = if is_association {
                    (ASSOCIATION_COMMAND_TAG, 8)
                } else {
                    (CONNECTION_COMMAND_TAG, descriptor(bytes, 8, ASSOCIATION_TAG, 8))
                };
                // The descriptor of the command fills the rest of the payload.
                bytes[at + 3] = tag;
                let length = frame.payload_bytes - at as u32 - 8;
                bytes[at + 4..at + 8].copy_from_slice(&length.to_be_bytes());
            } else {
                (bytes[0], bytes[16]) = (ACCEPT, code);
                let mut end = descriptor(bytes, 8, REQUEST_TAG, 8);
                if is_association {
                    end = descriptor(bytes, end, ASSOCIATION_TAG, 8);
                }
                descriptor(bytes, end, CONNECTION_TAG, 8);
            }
            (frame.payload_bytes as usize).min(bytes.len())
        }
        association::CONNECT | association::PROPERTY if is_request => {
            bytes[0..4].copy_from_slice(&[0xFD, 0x28, 0, (fc::COMMAND_BYTES / 4) as u8]);
            bytes[24] = FABRICS_OPCODE;
            bytes[28] = if frame.status == association::CONNECT { CONNECT_TYPE } else { PROPERTY_GET_TYPE };
            fc::COMMAND_BYTES
        }
        association::CONNECT => {
            bytes[4..8].copy_from_slice(&1024_u32.to_be_bytes());
            fc::TRANSFER_READY_BYTES
        }
        association::CONNECT_DATA if is_request => 0,
        _ => {
            bytes[3] = (fc::LONG_RESPONSE_BYTES / 4) as u8;
            fc::LONG_RESPONSE_BYTES
        }
    }
}
