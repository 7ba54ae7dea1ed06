//! The names of port states and of moves over a Fibre Channel network, for observers.
//!
//! Source: the states of FC-AL-2; the information units of FCP-3, and link control and primitive signals of FC-FS and FC-AL-2.

use crate::frame::{Frame, LinkControl, PduKind};
use crate::word::{LinkItem, PrimitiveSignal};
use sansim_schema::catalogue::{MoveKind, move_colour as colour};

/// The states of a loop port by code.
pub const STATES: &[&str] = &[
    "MONITORING",
    "ARBITRATING",
    "ARBITRATION WON",
    "OPEN",
    "OPENED",
    "TRANSMITTED CLOSE",
    "RECEIVED CLOSE",
    "TRANSFER",
    "INITIALIZING",
    "OPEN-INIT",
];

/// The kinds of moves: frames, then primitive signals.
pub const MOVES: &[MoveKind] = &[
    MoveKind::unit("FCP_CMND", "A command.", colour::COMMAND),
    MoveKind::unit("FCP_XFER_RDY", "The target asks for data of a write.", colour::ASK),
    MoveKind::unit("FCP_DATA", "Data of a read or a write.", colour::DATA),
    MoveKind::unit("FCP_RSP", "The status of a command.", colour::STATUS),
    MoveKind::unit("ABTS", "The initiator ends an exchange.", colour::ABORT),
    MoveKind::unit("BA_ACC", "The target has ended an exchange.", colour::ABORT),
    MoveKind::unit("BA_RJT", "The target does not know an exchange.", colour::ABORT),
    MoveKind::unit("IP", "An IP datagram.", colour::DATA),
    MoveKind::unit("ACK_1", "Class 2: the receiver has a frame.", colour::CONTROL),
    MoveKind::unit("F_BSY", "Class 2: the fabric is busy.", colour::ABORT),
    MoveKind::unit("F_RJT", "Class 2: the fabric refuses a frame.", colour::ABORT),
    MoveKind::signal("OPN", "The owner of the loop opens a circuit.", colour::COMMAND),
    MoveKind::signal("CLS", "A port closes a circuit.", colour::STATUS),
    MoveKind::signal("R_RDY", "The receiver has a free buffer.", colour::CONTROL),
    MoveKind::signal("DHD", "The owner of the loop sends no more in this circuit.", colour::STATUS),
    MoveKind::signal("MRK", "A mark for the other ports of the loop.", colour::CONTROL),
    MoveKind::unit("FCP_CONF", "The initiator has the status of a command.", colour::CONTROL),
    MoveKind::unit("LS request", "A port asks for a link service, such as REC or SRR.", colour::ABORT),
    MoveKind::unit("LS_ACC", "The answer to a link service.", colour::ABORT),
    MoveKind::unit("LS_RJT", "A port refuses a link service.", colour::ABORT),
    MoveKind::signal("LIP", "A port initialises the loop.", colour::ABORT),
];

/// The kind of the move of an item, by its place in [`MOVES`].
pub fn move_of(item: &LinkItem) -> usize {
    match item {
        LinkItem::Frame(frame) => move_of_frame(frame),
        LinkItem::Signal(PrimitiveSignal::Open { .. }) => 11,
        LinkItem::Signal(PrimitiveSignal::Close) => 12,
        LinkItem::Signal(PrimitiveSignal::ReceiverReady) => 13,
        LinkItem::Signal(PrimitiveSignal::DynamicHalfDuplex) => 14,
        LinkItem::Signal(PrimitiveSignal::Mark) => 15,
        LinkItem::Signal(PrimitiveSignal::Initialise { .. }) => 20,
    }
}

/// The kind of the move of a frame, by its place in [`MOVES`].
pub fn move_of_frame(frame: &Frame) -> usize {
    match frame.kind {
        PduKind::Command => 0,
        PduKind::TransferReady => 1,
        PduKind::Data => 2,
        PduKind::Response => 3,
        PduKind::Abort => 4,
        PduKind::AbortAccept => 5,
        PduKind::AbortReject => 6,
        PduKind::Ip => 7,
        PduKind::Confirm => 16,
        PduKind::ServiceRequest => 17,
        PduKind::ServiceAccept => 18,
        PduKind::ServiceReject => 19,
        PduKind::Control => match frame.control {
            Some((LinkControl::FabricBusy, _)) => 9,
            Some((LinkControl::FabricReject, _)) => 10,
            _ => 8,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::al_pa::AlPa;
    use crate::frame::Pdu;
    use crate::loop_port::PortState;

    #[test]
    fn every_signal_and_frame_has_a_name_of_its_own() {
        let y = AlPa::new(0xE8).expect("a valid address");
        let signals = [
            PrimitiveSignal::Open { destination: y, source: None },
            PrimitiveSignal::Close,
            PrimitiveSignal::ReceiverReady,
            PrimitiveSignal::DynamicHalfDuplex,
            PrimitiveSignal::Mark,
            PrimitiveSignal::Initialise { source: Some(y) },
        ];
        for signal in signals {
            let kind = MOVES[move_of(&LinkItem::Signal(signal))];
            assert!(kind.signal && signal.to_string().starts_with(kind.name), "{signal}");
        }
        let frame = Frame { pdu: Pdu::example(), class_2: false, control: None };
        assert_eq!(MOVES[move_of(&LinkItem::Frame(frame))].name, "FCP_DATA");
        let confirm = Frame { pdu: Pdu { kind: PduKind::Confirm, ..Pdu::example() }, ..frame };
        assert_eq!(MOVES[move_of(&LinkItem::Frame(confirm))].name, "FCP_CONF");
        for (place, kind) in MOVES.iter().enumerate() {
            assert_eq!(MOVES.iter().position(|other| other.name == kind.name), Some(place));
        }
    }

    #[test]
    fn every_state_has_a_name() {
        assert!(PortState::from_code(STATES.len() as u8).is_none());
        assert!(PortState::from_code(STATES.len() as u8 - 1).is_some());
    }
}
