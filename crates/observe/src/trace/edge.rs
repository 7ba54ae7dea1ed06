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
    /// Whether runs of IDLE are shown.
    pub idle: bool,
    /// Whether runs of ARB(x) and ARB(F0) are shown.
    pub arbitrate: bool,
    /// Whether OPN is shown.
    pub open: bool,
    /// Whether CLS is shown.
    pub close: bool,
    /// Whether R_RDY is shown.
    pub ready: bool,
    /// Whether the other primitive signals, and answers of class 2, are shown.
    pub other_signals: bool,
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
    /// No kinds of lines.
    pub const NONE: Self = Self {
        idle: false,
        arbitrate: false,
        open: false,
        close: false,
        ready: false,
        other_signals: false,
        commands: false,
        transfer_readies: false,
        data: false,
        responses: false,
    };
    /// Fill words.
    pub const FILL: Self = Self { idle: true, arbitrate: true, ..Self::NONE };
    /// Primitive signals.
    pub const SIGNALS: Self =
        Self { open: true, close: true, ready: true, other_signals: true, ..Self::NONE };
    /// Frames.
    pub const FRAMES: Self =
        Self { commands: true, transfer_readies: true, data: true, responses: true, ..Self::NONE };
    /// All kinds of lines.
    pub const ALL: Self = Self::FILL.union(Self::SIGNALS).union(Self::FRAMES);

    /// The words by which kinds are chosen, with the kinds that each word chooses.
    pub const WORDS: [(&'static str, Self); 12] = [
        ("fill", Self::FILL),
        ("idle", Self { idle: true, ..Self::NONE }),
        ("arb", Self { arbitrate: true, ..Self::NONE }),
        ("signal", Self::SIGNALS),
        ("opn", Self { open: true, ..Self::NONE }),
        ("cls", Self { close: true, ..Self::NONE }),
        ("r-rdy", Self { ready: true, ..Self::NONE }),
        ("frame", Self::FRAMES),
        ("command", Self { commands: true, ..Self::NONE }),
        ("xfer-rdy", Self { transfer_readies: true, ..Self::NONE }),
        ("data", Self { data: true, ..Self::NONE }),
        ("response", Self { responses: true, ..Self::NONE }),
    ];

    /// The kinds of lines that either of the two shows.
    pub const fn union(self, other: Self) -> Self {
        Self {
            idle: self.idle || other.idle,
            arbitrate: self.arbitrate || other.arbitrate,
            open: self.open || other.open,
            close: self.close || other.close,
            ready: self.ready || other.ready,
            other_signals: self.other_signals || other.other_signals,
            commands: self.commands || other.commands,
            transfer_readies: self.transfer_readies || other.transfer_readies,
            data: self.data || other.data,
            responses: self.responses || other.responses,
        }
    }

    /// Whether runs of a fill word are shown.
    pub fn shows_fill(self, fill: FillWord) -> bool {
        match fill {
            FillWord::Idle => self.idle,
            FillWord::Arb(_) | FillWord::ArbF0 => self.arbitrate,
        }
    }

    /// Whether a primitive signal is shown.
    pub fn shows_signal(self, signal: PrimitiveSignal) -> bool {
        match signal {
            PrimitiveSignal::Open { .. } => self.open,
            PrimitiveSignal::Close => self.close,
            PrimitiveSignal::ReceiverReady => self.ready,
            _ => self.other_signals,
        }
    }

    /// Whether a frame of this kind is shown.
    pub fn shows(self, kind: PduKind) -> bool {
        match kind {
            PduKind::Command | PduKind::Abort | PduKind::ServiceRequest => self.commands,
            PduKind::TransferReady => self.transfer_readies,
            PduKind::Data | PduKind::Ip => self.data,
            PduKind::Response
            | PduKind::AbortAccept
            | PduKind::AbortReject
            | PduKind::Confirm
            | PduKind::ServiceAccept
            | PduKind::ServiceReject => self.responses,
            PduKind::Control => self.other_signals,
        }
    }
}
