//! The choice of the records that a run keeps: I/Os and samples.

use crate::samples::Sampling;

/// The records that a run keeps besides its summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// A record of every measured I/O.
    pub ios: bool,
    /// Samples of queues and use.
    pub sampling: Sampling,
}

impl Recording {
    /// The records of the measured I/Os only.
    pub const IOS: Self = Self { ios: true, sampling: Sampling::Off };
}
