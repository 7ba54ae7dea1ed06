//! The outcome of a command in SCSI: status bytes, sense keys and sense codes.

use sansim_fc::frame::Pdu;
use sansim_pdu::sense_key;
use sansim_request::Status;

/// The status byte of SCSI for the outcome of a command.
pub fn status_byte(status: Status) -> u8 {
    match status {
        Status::Good => 0x00,
        Status::CheckCondition
        | Status::NotReady
        | Status::AbortedCommand
        | Status::Failed
        | Status::Unreachable
        | Status::Unreadable
        | Status::Refused => 0x02,
        Status::Busy => 0x08,
        Status::QueueFull => 0x28,
        Status::Aborted => 0x40,
    }
}

/// Whether a target has sense data for the outcome of a command.
pub fn has_sense_data(status: Status) -> bool {
    status_byte(status) == 0x02
}

/// The sense key that a response carries for the outcome of a command, beside what its flags say.
pub(crate) fn sense_key_of(status: Status) -> u8 {
    match status {
        Status::NotReady => sense_key::NOT_READY,
        Status::AbortedCommand => sense_key::ABORTED_COMMAND,
        _ => 0,
    }
}

/// The sense key, the additional sense code and its qualifier for the outcome in an FCP_RSP with CHECK CONDITION. Source: SPC-4, 4.5.
pub(super) fn sense_codes(frame: &Pdu) -> [u8; 3] {
    if frame.unreachable {
        // NOT READY: not accessible, target port in unavailable state.
        [0x02, 0x04, 0x0C]
    } else if frame.failed {
        // HARDWARE ERROR: internal target failure.
        [0x04, 0x44, 0x00]
    } else if frame.unreadable {
        // MEDIUM ERROR: unrecovered read error.
        [0x03, 0x11, 0x00]
    } else if frame.sense_key == sense_key::NOT_READY {
        // NOT READY: the logical unit is in the process of becoming ready.
        [frame.sense_key, 0x04, 0x01]
    } else if frame.sense_key == sense_key::ABORTED_COMMAND {
        // ABORTED COMMAND: data phase error.
        [frame.sense_key, 0x4B, 0x00]
    } else {
        // UNIT ATTENTION: power on, reset, or bus device reset occurred.
        [0x06, 0x29, 0x00]
    }
}

/// The outcome of a command, by the status byte of its FCP_RSP and its sense data.
pub fn status_of(frame: &Pdu) -> Status {
    match frame.status {
        _ if frame.unreachable => Status::Unreachable,
        _ if frame.failed => Status::Failed,
        _ if frame.unreadable => Status::Unreadable,
        0x00 => Status::Good,
        0x08 => Status::Busy,
        0x28 => Status::QueueFull,
        0x40 => Status::Aborted,
        _ if frame.sense_key == sense_key::NOT_READY => Status::NotReady,
        _ if frame.sense_key == sense_key::ABORTED_COMMAND => Status::AbortedCommand,
        _ => Status::CheckCondition,
    }
}
