//! The next request of a stream.

use sansim_kernel::Span;

/// The next request of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// When it is wanted, counted from the beginning of the stream; for a recorded pace only.
    pub at: Span,
    /// The whole stream rests so long before it asks for this; for a closed pace only.
    pub pause: Span,
    /// The device, by its number in the workload.
    pub device: u32,
    /// First byte on the device, a multiple of a block.
    pub offset_bytes: u64,
    /// How many bytes.
    pub bytes: u64,
    /// Whether they are written.
    pub write: bool,
    /// To which of the parts that results tell apart it belongs ([`ContentPlan::parts`](super::content::ContentPlan::parts)).
    pub part: u32,
}

/// The directions that a request may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectionsDue {
    /// It may read.
    pub read: bool,
    /// It may write.
    pub write: bool,
}
