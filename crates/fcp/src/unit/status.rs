//! The outcome of a command in SCSI: status bytes, sense keys and sense codes.

use sansim_fc::frame::Pdu;
use sansim_pdu::Sense;
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

/// The sense data of a response for the outcome of a command.
pub(crate) fn sense_of(status: Status, unreachable: bool) -> Sense {
    match status {
        _ if unreachable => Sense::NotAccessible,
        Status::Failed | Status::Unreachable | Status::Refused => Sense::HardwareError,
        Status::Unreadable => Sense::MediumError,
        Status::NotReady => Sense::NotReady,
        Status::AbortedCommand => Sense::AbortedCommand,
        Status::CheckCondition => Sense::UnitAttention,
        Status::Good | Status::Busy | Status::QueueFull | Status::Aborted => Sense::None,
    }
}

/// The sense key, the additional sense code and its qualifier. Source: SPC-4, 4.5.
pub(super) fn sense_codes(sense: Sense) -> [u8; 3] {
    match sense {
        Sense::None => [0; 3],
        // The logical unit is in the process of becoming ready.
        Sense::NotReady => [0x02, 0x04, 0x01],
        // Not accessible, target port in unavailable state.
        Sense::NotAccessible => [0x02, 0x04, 0x0C],
        // Unrecovered read error.
        Sense::MediumError => [0x03, 0x11, 0x00],
        // Internal target failure.
        Sense::HardwareError => [0x04, 0x44, 0x00],
        // Power on, reset, or bus device reset occurred.
        Sense::UnitAttention => [0x06, 0x29, 0x00],
        // Data phase error.
        Sense::AbortedCommand => [0x0B, 0x4B, 0x00],
    }
}

/// The outcome of a command, by the sense data of its FCP_RSP, or else by its status byte.
pub fn status_of(frame: &Pdu) -> Status {
    match (frame.sense, frame.status) {
        (Sense::NotAccessible, _) => Status::Unreachable,
        (Sense::HardwareError, _) => Status::Failed,
        (Sense::MediumError, _) => Status::Unreadable,
        (Sense::NotReady, _) => Status::NotReady,
        (Sense::AbortedCommand, _) => Status::AbortedCommand,
        (Sense::None, 0x00) => Status::Good,
        (Sense::None, 0x08) => Status::Busy,
        (Sense::None, 0x28) => Status::QueueFull,
        (Sense::None, 0x40) => Status::Aborted,
        (Sense::None | Sense::UnitAttention, _) => Status::CheckCondition,
    }
}
