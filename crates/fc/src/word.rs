//! Transmission words of a loop: fill words, primitive signals, and their bytes on the wire.
//!
//! Source: FC-FS and FC-AL-2 ordered sets (first byte K28.5 = BC). A frame is not a single word but a run of words,
//! and is defined in [`crate::frame`].

use crate::al_pa::AlPa;
use crate::frame::Frame;
use std::fmt;

/// A fill word: a transmitter sends it between frames and signals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FillWord {
    /// IDLE: no port arbitrates; IDLE opens an access window.
    #[default]
    Idle,
    /// ARB(x): the port with this address wants the loop.
    Arb(AlPa),
    /// ARB(F0): the owner of the loop asks whether any port arbitrates. ARB(F0) has lower priority than any
    /// address.
    ArbF0,
}

/// A primitive signal: a single word with a meaning of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrimitiveSignal {
    /// OPN(yx) with a source (full duplex) or OPN(yy) without a source (half duplex).
    Open {
        /// The port that is opened (y).
        destination: AlPa,
        /// The port that opens the circuit (x); `None` in a half-duplex OPN, which does not name the opener.
        source: Option<AlPa>,
    },
    /// CLS: the sender will send no more frames or credits in this circuit.
    Close,
    /// R_RDY: one more frame buffer is free.
    ReceiverReady,
    /// DHD: the opened port shall close first when it is done.
    DynamicHalfDuplex,
    /// MRK(tx): synchronisation mark, repeated by all ports.
    Mark,
    /// The first of a sequence of LIPs: LIP(F7,x) of a port with an address, LIP(F7,F7) of a port without one.
    Initialise {
        /// The address of the port that sends LIP (x), if it has one.
        source: Option<AlPa>,
    },
}

/// The item after the fill words on a link: a primitive signal or a whole frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkItem {
    /// A primitive signal, which is one word.
    Signal(PrimitiveSignal),
    /// A frame from SOF to EOF.
    Frame(Frame),
}

impl LinkItem {
    /// Length on the wire in transmission words.
    pub fn length_in_words(&self) -> u64 {
        match self {
            Self::Signal(_) => 1,
            Self::Frame(frame) => frame.length_in_words(),
        }
    }

    /// The frame, if the item is one.
    pub fn frame(&self) -> Option<&Frame> {
        match self {
            Self::Signal(_) => None,
            Self::Frame(frame) => Some(frame),
        }
    }
}

impl FillWord {
    /// The four bytes of the fill word as sent.
    pub fn wire_bytes(self) -> [u8; 4] {
        match self {
            Self::Idle => [0xBC, 0x95, 0xB5, 0xB5],
            Self::Arb(x) => [0xBC, 0x94, x.address_byte(), x.address_byte()],
            Self::ArbF0 => [0xBC, 0x94, 0xF0, 0xF0],
        }
    }

    /// The fill word with these four bytes; none if the bytes are no fill word.
    pub fn from_wire_bytes(bytes: [u8; 4]) -> Option<Self> {
        Some(match bytes {
            [0xBC, 0x95, 0xB5, 0xB5] => Self::Idle,
            [0xBC, 0x94, 0xF0, 0xF0] => Self::ArbF0,
            [0xBC, 0x94, x, again] if x == again => Self::Arb(AlPa::new(x)?),
            _ => return None,
        })
    }
}

impl PrimitiveSignal {
    /// The four bytes of the signal as sent.
    pub fn wire_bytes(self) -> [u8; 4] {
        match self {
            Self::Open { destination: y, source: Some(x) } => {
                [0xBC, 0x91, y.address_byte(), x.address_byte()]
            }
            Self::Open { destination: y, source: None } => [0xBC, 0x91, y.address_byte(), y.address_byte()],
            Self::Close => [0xBC, 0x85, 0xB5, 0xB5],
            Self::ReceiverReady => [0xBC, 0x95, 0x4A, 0x4A],
            Self::DynamicHalfDuplex => [0xBC, 0x8A, 0xB5, 0xB5],
            Self::Mark => [0xBC, 0x5F, 0x00, 0x00],
            Self::Initialise { source } => [0xBC, 0x15, 0xF7, source.map_or(0xF7, AlPa::address_byte)],
        }
    }

    /// The signal with these four bytes; none if the bytes are no signal.
    pub fn from_wire_bytes(bytes: [u8; 4]) -> Option<Self> {
        Some(match bytes {
            [0xBC, 0x91, y, x] => {
                let (destination, source) = (AlPa::new(y)?, AlPa::new(x)?);
                Self::Open { destination, source: (x != y).then_some(source) }
            }
            [0xBC, 0x85, 0xB5, 0xB5] => Self::Close,
            [0xBC, 0x95, 0x4A, 0x4A] => Self::ReceiverReady,
            [0xBC, 0x8A, 0xB5, 0xB5] => Self::DynamicHalfDuplex,
            [0xBC, 0x5F, 0x00, 0x00] => Self::Mark,
            [0xBC, 0x15, 0xF7, 0xF7] => Self::Initialise { source: None },
            [0xBC, 0x15, 0xF7, x] => Self::Initialise { source: Some(AlPa::new(x)?) },
            _ => return None,
        })
    }
}

impl fmt::Display for FillWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Idle => write!(f, "IDLE"),
            Self::Arb(x) => write!(f, "ARB({x},{x})"),
            Self::ArbF0 => write!(f, "ARB(F0,F0)"),
        }
    }
}

impl fmt::Display for PrimitiveSignal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open { destination: y, source: Some(x) } => write!(f, "OPN({y},{x})"),
            Self::Open { destination: y, source: None } => write!(f, "OPN({y},{y})"),
            Self::Close => write!(f, "CLS"),
            Self::ReceiverReady => write!(f, "R_RDY"),
            Self::DynamicHalfDuplex => write!(f, "DHD"),
            Self::Mark => write!(f, "MRK"),
            Self::Initialise { source: Some(x) } => write!(f, "LIP(F7,{x})"),
            Self::Initialise { source: None } => write!(f, "LIP(F7,F7)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_standard() {
        let e1 = AlPa::new(0xE1).expect("valid");
        let e2 = AlPa::new(0xE2).expect("valid");
        assert_eq!(FillWord::Idle.wire_bytes(), [0xBC, 0x95, 0xB5, 0xB5]);
        assert_eq!(FillWord::Arb(e1).wire_bytes(), [0xBC, 0x94, 0xE1, 0xE1]);
        assert_eq!(PrimitiveSignal::ReceiverReady.wire_bytes(), [0xBC, 0x95, 0x4A, 0x4A]);
        let full = PrimitiveSignal::Open { destination: e2, source: Some(e1) };
        let half = PrimitiveSignal::Open { destination: e2, source: None };
        assert_eq!(full.wire_bytes(), [0xBC, 0x91, 0xE2, 0xE1]);
        assert_eq!(half.wire_bytes(), [0xBC, 0x91, 0xE2, 0xE2]);
        assert_eq!(full.to_string(), "OPN(E2,E1)");
    }
}
