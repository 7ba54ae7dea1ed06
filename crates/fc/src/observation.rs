//! Observations at a port of a loop, a loop switch or a fabric, in the terms of Fibre Channel and as numbers, in which the network reports
//! them.
//!
//! Source: FC-FS and FC-AL-2 ordered sets for words; the numbers of states are the state codes of FC-AL-2. In the header of a unit, bit 0
//! is set for class 2; the bits above it are 0, or `1 + c + 3 * k` for link control `c` about a frame of kind `k`.

use crate::address::FcAddress;
use crate::al_pa::AlPa;
use crate::frame::{Frame, LinkControl, PduKind};
use crate::initialisation_frame::{InitialisationFrame, InitialisationUnit};
use crate::loop_port::PortState;
use crate::word::{FillWord, LinkItem, PrimitiveSignal};
use sansim_pdu::{PortSight, ServiceUnit, WireUnit};

/// An observation at a port that does more than repeat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Observation {
    /// The port entered this state.
    State(PortState),
    /// The port changed its fill word.
    SentFill(FillWord),
    /// The port received another fill word.
    ReceivedFill(FillWord),
    /// The port sent an item of its own.
    SentItem(LinkItem),
    /// The port received an item that is addressed to it.
    ReceivedItem(LinkItem),
    /// The port sent an initialisation frame.
    SentInitialisation(InitialisationUnit),
    /// The port received an initialisation frame.
    ReceivedInitialisation(InitialisationUnit),
}

/// The kinds of units by their numbers in a header.
const KINDS: [PduKind; 13] = [
    PduKind::Command,
    PduKind::TransferReady,
    PduKind::Data,
    PduKind::Response,
    PduKind::Abort,
    PduKind::AbortAccept,
    PduKind::AbortReject,
    PduKind::Ip,
    PduKind::Control,
    PduKind::Confirm,
    PduKind::ServiceRequest,
    PduKind::ServiceAccept,
    PduKind::ServiceReject,
];

/// The kinds of link control by their numbers in a header.
const CONTROLS: [LinkControl; 3] =
    [LinkControl::Acknowledge, LinkControl::FabricBusy, LinkControl::FabricReject];

impl From<Frame> for WireUnit {
    fn from(Frame { pdu, class_2, control }: Frame) -> Self {
        let control = control.map_or(0, |(control, kind)| 1 + control as u16 + 3 * kind as u16);
        Self { pdu, header: u16::from(class_2) | control << 1 }
    }
}

impl From<WireUnit> for Frame {
    fn from(WireUnit { pdu, header }: WireUnit) -> Self {
        let control = (header >> 1).checked_sub(1).and_then(|number| {
            Some((CONTROLS[usize::from(number % 3)], *KINDS.get(usize::from(number / 3))?))
        });
        Self { pdu, class_2: header & 1 != 0, control }
    }
}

impl From<InitialisationUnit> for ServiceUnit {
    fn from(InitialisationUnit { frame, map, master }: InitialisationUnit) -> Self {
        Self { identifier: frame.identifier(), map, by: master.address() }
    }
}

/// The initialisation frame in what a loop reported; none if the unit is another.
fn initialisation_unit(ServiceUnit { identifier, map, by }: ServiceUnit) -> Option<InitialisationUnit> {
    let frame = InitialisationFrame::from_identifier(identifier)?;
    Some(InitialisationUnit { frame, map, master: AlPa::new(by.port())? })
}

impl From<Observation> for PortSight {
    fn from(observation: Observation) -> Self {
        match observation {
            Observation::State(state) => Self::State(state.state_code()),
            Observation::SentFill(fill) => Self::SentFill(fill.wire_bytes()),
            Observation::ReceivedFill(fill) => Self::ReceivedFill(fill.wire_bytes()),
            Observation::SentItem(LinkItem::Signal(signal)) => Self::SentSignal(signal.wire_bytes()),
            Observation::ReceivedItem(LinkItem::Signal(signal)) => Self::ReceivedSignal(signal.wire_bytes()),
            Observation::SentItem(LinkItem::Frame(frame)) => Self::Sent(frame.into()),
            Observation::ReceivedItem(LinkItem::Frame(frame)) => Self::Received(frame.into()),
            Observation::SentInitialisation(unit) => Self::SentService(unit.into()),
            Observation::ReceivedInitialisation(unit) => Self::ReceivedService(unit.into()),
        }
    }
}

impl Observation {
    /// The observation in what a Fibre Channel network reported; none for words and states of another
    /// network.
    pub fn from_port_sight(sight: PortSight) -> Option<Self> {
        let signal = |word| PrimitiveSignal::from_wire_bytes(word).map(LinkItem::Signal);
        Some(match sight {
            PortSight::State(code) => Self::State(PortState::from_code(code)?),
            PortSight::SentFill(word) => Self::SentFill(FillWord::from_wire_bytes(word)?),
            PortSight::ReceivedFill(word) => Self::ReceivedFill(FillWord::from_wire_bytes(word)?),
            PortSight::SentSignal(word) => Self::SentItem(signal(word)?),
            PortSight::ReceivedSignal(word) => Self::ReceivedItem(signal(word)?),
            PortSight::Sent(unit) => Self::SentItem(LinkItem::Frame(unit.into())),
            PortSight::Received(unit) => Self::ReceivedItem(LinkItem::Frame(unit.into())),
            PortSight::SentService(unit) => Self::SentInitialisation(initialisation_unit(unit)?),
            PortSight::ReceivedService(unit) => Self::ReceivedInitialisation(initialisation_unit(unit)?),
            // Networks of Fibre Channel have no streams of bytes.
            PortSight::HandedToStream(_)
            | PortSight::TookFromStream(..)
            | PortSight::SentFrame(_)
            | PortSight::ReceivedFrame(_) => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Pdu;

    fn all() -> Vec<Observation> {
        let [x, y] = [0x01, 0xE8].map(|value| AlPa::new(value).expect("a valid address"));
        let fills = [FillWord::Idle, FillWord::Arb(x), FillWord::ArbF0];
        let signals = [
            PrimitiveSignal::Open { destination: y, source: Some(x) },
            PrimitiveSignal::Open { destination: y, source: None },
            PrimitiveSignal::Close,
            PrimitiveSignal::ReceiverReady,
            PrimitiveSignal::DynamicHalfDuplex,
            PrimitiveSignal::Mark,
            PrimitiveSignal::Initialise { source: None },
            PrimitiveSignal::Initialise { source: Some(x) },
        ];
        let controls = CONTROLS.iter().flat_map(|&control| KINDS.map(|kind| Some((control, kind))));
        let frames = controls.chain([None]).flat_map(|control| {
            [false, true].map(|class_2| LinkItem::Frame(Frame { pdu: Pdu::example(), class_2, control }))
        });
        let items: Vec<LinkItem> = signals.into_iter().map(LinkItem::Signal).chain(frames).collect();
        let states = (0..10).map(|code| Observation::State(PortState::from_code(code).expect("a state")));
        let fills =
            fills.into_iter().flat_map(|fill| [Observation::SentFill(fill), Observation::ReceivedFill(fill)]);
        let items =
            items.into_iter().flat_map(|item| [Observation::SentItem(item), Observation::ReceivedItem(item)]);
        let services = InitialisationFrame::ALL.into_iter().flat_map(|frame| {
            let unit = InitialisationUnit { frame, map: 0b110, master: x };
            [Observation::SentInitialisation(unit), Observation::ReceivedInitialisation(unit)]
        });
        states.chain(fills).chain(items).chain(services).collect()
    }

    #[test]
    fn every_observation_is_read_back_as_it_was_shown() {
        let all = all();
        assert_eq!(all.len(), 10 + 2 * 3 + 2 * (8 + 2 * (3 * 13 + 1)) + 2 * 7);
        for observation in all {
            assert_eq!(Observation::from_port_sight(observation.into()), Some(observation));
        }
    }

    #[test]
    fn words_and_states_of_no_loop_are_not_read() {
        for sight in [
            PortSight::State(10),
            PortSight::SentFill([0xBC, 0x95, 0x4A, 0x4A]),
            PortSight::SentFill([0xBC, 0x94, 0x03, 0x03]),
            PortSight::SentSignal([0xBC, 0x95, 0xB5, 0xB5]),
            PortSight::ReceivedSignal([0xBC, 0x91, 0x03, 0x01]),
        ] {
            assert_eq!(Observation::from_port_sight(sight), None, "{sight:?}");
        }
    }
}
