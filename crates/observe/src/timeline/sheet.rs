//! The parts that all tracks share: the encoder, the root, and names that are used everywhere.

use super::perfetto::{ArgumentKey, ArgumentValue, Arguments, Encoder, InternedText, Track, TrackKind};
use crate::file::FileError;
use sansim_fc::frame::Frame;
use sansim_fc::loop_port::PortState;
use sansim_fc::moves::{MOVES, STATES, move_of_frame};
use sansim_fc::word::PrimitiveSignal;
use std::collections::HashMap;
use std::path::Path;

/// The number of kinds of frames that nearly every run has; they are the first of [`MOVES`].
const USUAL: usize = 4;

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
    states: Vec<InternedText>,
    /// The names of frames by kind; those that most runs do not have are written when they are needed.
    frames: Vec<Option<InternedText>>,
    /// The names of signals: as many as there are pairs of addresses in use.
    signals: HashMap<PrimitiveSignal, InternedText>,
}

impl TrackContext {
    /// Creates a trace that contains only the root.
    pub fn create(path: &Path, title: &str, limit_bytes: Option<u64>) -> Result<Self, FileError> {
        let mut encoder = Encoder::create(path, limit_bytes)?;
        Ok(Self {
            root: encoder.track(None, 0, title, TrackKind::Group),
            states: STATES.iter().map(|name| encoder.intern_name(name)).collect(),
            frames: MOVES.iter().take(USUAL).map(|kind| Some(encoder.intern_name(kind.name))).collect(),
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
        let kind = move_of_frame(frame);
        self.frames.resize(MOVES.len(), None);
        let encoder = &mut self.encoder;
        *self.frames[kind].get_or_insert_with(|| encoder.intern_name(MOVES[kind].name))
    }

    /// The name of a signal.
    pub fn signal_name(&mut self, signal: PrimitiveSignal) -> InternedText {
        let encoder = &mut self.encoder;
        *self.signals.entry(signal).or_insert_with(|| encoder.intern_name(&signal.to_string()))
    }
}
