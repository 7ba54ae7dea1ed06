//! The parts of a trace: the moments at which a port begins to send something else.

use sansim_fc::frame::{Frame, PduKind};
use sansim_fc::loop_port::PortState;
use sansim_fc::wire::Start;
use sansim_fc::word::{FillWord, Signal};
use sansim_kernel::Time;

/// The item that a port begins to send, or the state it enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortChange {
    /// Another fill word.
    Fill(FillWord),
    /// A primitive signal.
    Signal(Signal),
    /// A frame, with the number of its I/O and its SOF.
    Frame(Frame, u64, Start),
    /// The port is in another state.
    State(PortState),
    /// The port is seen again from here on, after a while in which nothing was seen.
    Resumes {
        /// The fill word that the port sends,
        fill: FillWord,
        /// once something else has been sent until then.
        busy_until: Time,
        /// The state of the port.
        state: PortState,
    },
    /// The window closes.
    Pauses,
}

/// A change at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortEdge {
    /// The time of the change.
    pub at: Time,
    /// The port, by its place among the stations of the network.
    pub station: u16,
    /// The change.
    pub what: PortChange,
}

/// The lines that a trace shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds {
    /// Runs of fill words.
    pub fill: bool,
    /// Primitive signals.
    pub signals: bool,
    /// FCP_CMND.
    pub commands: bool,
    /// FCP_XFER_RDY.
    pub transfer_readies: bool,
    /// FCP_DATA.
    pub data: bool,
    /// FCP_RSP.
    pub responses: bool,
}

impl Kinds {
    /// Everything.
    pub const ALL: Self = Self {
        fill: true,
        signals: true,
        commands: true,
        transfer_readies: true,
        data: true,
        responses: true,
    };
    /// Nothing.
    pub const NONE: Self = Self {
        fill: false,
        signals: false,
        commands: false,
        transfer_readies: false,
        data: false,
        responses: false,
    };

    /// Words for choosing kinds, with what they choose.
    pub const WORDS: [(&'static str, Self); 7] = [
        ("fill", Self { fill: true, ..Self::NONE }),
        ("signal", Self { signals: true, ..Self::NONE }),
        ("frame", Self { fill: false, signals: false, ..Self::ALL }),
        ("command", Self { commands: true, ..Self::NONE }),
        ("xfer-rdy", Self { transfer_readies: true, ..Self::NONE }),
        ("data", Self { data: true, ..Self::NONE }),
        ("response", Self { responses: true, ..Self::NONE }),
    ];

    /// The lines that either shows.
    pub fn or(self, other: Self) -> Self {
        Self {
            fill: self.fill || other.fill,
            signals: self.signals || other.signals,
            commands: self.commands || other.commands,
            transfer_readies: self.transfer_readies || other.transfer_readies,
            data: self.data || other.data,
            responses: self.responses || other.responses,
        }
    }

    /// Whether a frame of this kind is shown.
    pub fn shows(self, kind: PduKind) -> bool {
        match kind {
            PduKind::Command | PduKind::Abort => self.commands,
            PduKind::TransferReady => self.transfer_readies,
            PduKind::Data | PduKind::Ip => self.data,
            PduKind::Response | PduKind::AbortAccept | PduKind::AbortReject => self.responses,
            PduKind::Control => self.signals,
        }
    }
}
