//! Observations at the port of a network, in terms that every network can use: states, words on the wire, and units.
//!
//! A frame of Fibre Channel that a port sends is `PortSight::Sent(WireUnit { pdu, header })`; its class is in the header. The network that
//! reports an observation and the observers that read it agree on the numbers of states and headers; all other components pass these
//! numbers on.

use crate::{Address, FrameSight, Pdu, StreamUnitSight};

/// A word on the wire, as four bytes.
pub type WireWord = [u8; 4];

/// A unit in the form in which it crosses one network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireUnit {
    /// The protocol data unit that is carried, or the part of one.
    pub pdu: Pdu,
    /// All fields that the network adds to the unit, as a number with a meaning for that network; 0 where the network
    /// adds nothing that varies.
    pub header: u16,
}

/// A unit by which the ports of a network manage it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceUnit {
    /// The word that identifies the unit.
    pub identifier: WireWord,
    /// The entries of the ports in the unit, with a meaning for that network.
    pub map: u128,
    /// The port for which all ports send the unit.
    pub by: Address,
}

/// An observation at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortSight {
    /// The port enters a state, given by the network's number of the state.
    State(u8),
    /// The port sends another fill word from now on.
    SentFill(WireWord),
    /// The port receives another fill word from now on.
    ReceivedFill(WireWord),
    /// The port sends a signal of one word.
    SentSignal(WireWord),
    /// The port receives a signal of one word.
    ReceivedSignal(WireWord),
    /// The port begins to send a unit.
    Sent(WireUnit),
    /// The port receives a unit.
    Received(WireUnit),
    /// The port begins to send a unit of the network itself, which belongs to no request.
    SentService(ServiceUnit),
    /// The port receives such a unit.
    ReceivedService(ServiceUnit),
    /// The node at the port hands a unit over to a stream of bytes.
    HandedToStream(StreamUnitSight),
    /// The node at the port has all bytes of a stream, given by its number, up to a place.
    TookFromStream(u32, u64),
    /// The port begins to send a frame that carries bytes of streams; on a link whose times are known, this may be reported before its time.
    SentFrame(FrameSight),
    /// The port begins to receive such a frame; reported before its time.
    ReceivedFrame(FrameSight),
}

impl From<Pdu> for WireUnit {
    /// A unit to which the network adds nothing that varies.
    fn from(pdu: Pdu) -> Self {
        Self { pdu, header: 0 }
    }
}
