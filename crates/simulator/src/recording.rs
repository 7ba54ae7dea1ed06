//! The choice of the records that a run keeps: I/Os and samples.

use crate::samples::Sampling;

/// The records that a run keeps besides its summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordingOptions {
    /// Whether a record of every measured I/O is kept.
    pub ios: bool,
    /// The sampling of queues and utilisations.
    pub sampling: Sampling,
}

impl RecordingOptions {
    /// The recording of the measured I/Os, without samples.
    pub const IOS: Self = Self { ios: true, sampling: Sampling::Off };
}
