//! The parts of a trace: the moments at which a port begins to send something else.

use sansim_fc::frame::{Frame, PduKind};
use sansim_fc::initialisation_frame::InitialisationFrame;
use sansim_fc::loop_port::PortState;
use sansim_fc::wire::StartDelimiter;
use sansim_fc::word::{FillWord, PrimitiveSignal};
use sansim_kernel::Time;

/// The item that a port begins to send, or the state that it enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortChange {
    /// The port begins to send another fill word.
    Fill(FillWord),
    /// The port sends a primitive signal.
    Signal(PrimitiveSignal),
    /// The port sends a frame, given with the number of its I/O and its SOF.
    Frame(Frame, u64, StartDelimiter),
    /// The port sends an initialisation frame.
    Initialisation(InitialisationFrame),
    /// The port enters another state.
    State(PortState),
    /// The port is observed again from here on, after a time without observations.
    Resumes {
        /// The fill word that the port sends,
        fill: FillWord,
        /// after it has sent something else until this time.
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

/// The kinds of lines that a trace shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineKinds {
    /// Whether runs of fill words are shown.
    pub fill: bool,
    /// Whether primitive signals are shown.
    pub signals: bool,
    /// Whether FCP_CMND is shown.
    pub commands: bool,
    /// Whether FCP_XFER_RDY is shown.
    pub transfer_readies: bool,
    /// Whether FCP_DATA is shown.
    pub data: bool,
    /// Whether FCP_RSP is shown.
    pub responses: bool,
}

impl LineKinds {
    /// All kinds of lines.
    pub const ALL: Self = Self {
        fill: true,
        signals: true,
        commands: true,
        transfer_readies: true,
        data: true,
        responses: true,
    };
    /// No kinds of lines.
    pub const NONE: Self = Self {
        fill: false,
        signals: false,
        commands: false,
        transfer_readies: false,
        data: false,
        responses: false,
    };

    /// The words by which kinds are chosen, with the kinds that each word chooses.
    pub const WORDS: [(&'static str, Self); 7] = [
        ("fill", Self { fill: true, ..Self::NONE }),
        ("signal", Self { signals: true, ..Self::NONE }),
        ("frame", Self { fill: false, signals: false, ..Self::ALL }),
        ("command", Self { commands: true, ..Self::NONE }),
        ("xfer-rdy", Self { transfer_readies: true, ..Self::NONE }),
        ("data", Self { data: true, ..Self::NONE }),
        ("response", Self { responses: true, ..Self::NONE }),
    ];

    /// The kinds of lines that either of the two shows.
    pub fn union(self, other: Self) -> Self {
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
