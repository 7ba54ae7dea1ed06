//! The parts that all tracks share: the encoder, the root, and names that are used everywhere.

use super::perfetto::{ArgumentKey, ArgumentValue, Arguments, Encoder, InternedText, Track, TrackKind};
use crate::file::FileError;
use sansim_fc::frame::{Frame, LinkControl, PduKind};
use sansim_fc::loop_port::PortState;
use sansim_fc::word::PrimitiveSignal;
use std::collections::HashMap;
use std::path::Path;

/// The states of a port by code.
const STATES: [&str; 8] = [
    "MONITORING",
    "ARBITRATING",
    "ARBITRATION WON",
    "OPEN",
    "OPENED",
    "TRANSMITTED CLOSE",
    "RECEIVED CLOSE",
    "TRANSFER",
];
const FRAMES: [&str; 4] = ["FCP_CMND", "FCP_XFER_RDY", "FCP_DATA", "FCP_RSP"];

/// The argument of a slice that began before the window opened.
pub const CUT_BEGIN: Arguments<'static> = &[(ArgumentKey::CutBegin, ArgumentValue::Yes)];

/// The arguments of the end of a slice; `cut` says that the window ended it.
pub fn end_arguments(cut: bool) -> Arguments<'static> {
    if cut { &[(ArgumentKey::CutEnd, ArgumentValue::Yes)] } else { &[] }
}

/// The I/O to which an entry belongs; child requests of one I/O have the same.
#[derive(Clone, Copy, Debug)]
pub struct EntrySubject {
    /// The name of the I/O, for example `read #17`; for a write that has to read first, the reading child
    /// request has the name `read #17`.
    pub name: InternedText,
    /// The number of the I/O.
    pub io: u64,
}

impl EntrySubject {
    /// The flow through all entries that belong to the I/O. Zero would mean no flow.
    pub fn flow(self) -> Option<u64> {
        Some(self.io + 1)
    }
}

/// The parts shared by all tracks.
#[derive(Debug)]
pub struct TrackContext {
    /// The encoder of all entries.
    pub encoder: Encoder,
    /// The track above all others.
    pub root: Track,
    states: [InternedText; STATES.len()],
    frames: [InternedText; FRAMES.len()],
    /// The names of ABTS and its answers, which most runs do not have.
    others: [Option<InternedText>; 7],
    /// The names of signals: as many as there are pairs of addresses in use.
    signals: HashMap<PrimitiveSignal, InternedText>,
}

impl TrackContext {
    /// Creates a trace that contains only the root.
    pub fn create(path: &Path, title: &str, limit_bytes: Option<u64>) -> Result<Self, FileError> {
        let mut encoder = Encoder::create(path, limit_bytes)?;
        Ok(Self {
            root: encoder.track(None, 0, title, TrackKind::Group),
            states: STATES.map(|name| encoder.intern_name(name)),
            frames: FRAMES.map(|name| encoder.intern_name(name)),
            others: [None; 7],
            signals: HashMap::new(),
            encoder,
        })
    }

    /// The name of a state.
    pub fn state(&self, state: PortState) -> InternedText {
        self.states[usize::from(state.state_code())]
    }

    /// The name of the content of a frame.
    pub fn frame_name(&mut self, frame: &Frame) -> InternedText {
        match frame.kind {
            PduKind::Command => self.frames[0],
            PduKind::TransferReady => self.frames[1],
            PduKind::Data => self.frames[2],
            PduKind::Response => self.frames[3],
            PduKind::Abort => self.other(0, "ABTS"),
            PduKind::AbortAccept => self.other(1, "BA_ACC"),
            PduKind::AbortReject => self.other(2, "BA_RJT"),
            PduKind::Ip => self.other(3, "IP"),
            PduKind::Control => match frame.control {
                Some((LinkControl::FabricBusy, _)) => self.other(5, "F_BSY"),
                Some((LinkControl::FabricReject, _)) => self.other(6, "F_RJT"),
                _ => self.other(4, "ACK_1"),
            },
        }
    }

    fn other(&mut self, number: usize, name: &str) -> InternedText {
        let encoder = &mut self.encoder;
        *self.others[number].get_or_insert_with(|| encoder.intern_name(name))
    }

    /// The name of a signal.
    pub fn signal_name(&mut self, signal: PrimitiveSignal) -> InternedText {
        let encoder = &mut self.encoder;
        *self.signals.entry(signal).or_insert_with(|| encoder.intern_name(&signal.to_string()))
    }
}
