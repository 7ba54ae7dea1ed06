//! The next request of a stream.

use sansim_kernel::Span;
use sansim_request::{CacheControl, Operation};

/// The next request of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NextRequest {
    /// The time at which the request is to be issued, counted from the beginning of the stream; for a recorded pace only.
    pub at: Span,
    /// The time for which the whole stream rests before it issues the request; for a closed pace only.
    pub pause: Span,
    /// The device of the request, by its number in the workload.
    pub device: u32,
    /// The first byte of the request on the device, a multiple of a block.
    pub offset_bytes: u64,
    /// The number of bytes of the request.
    pub bytes: u64,
    /// The operation of the request.
    pub operation: Operation,
    /// The cache control of a write.
    pub cache_control: CacheControl,
    /// The part of the stream, of those that results list separately, to which the request belongs
    /// ([`ContentPlan::parts`](super::content::ContentPlan::parts)).
    pub part: u32,
}

impl NextRequest {
    /// A flush of a device, by its number in the workload.
    pub fn flush_of_device(device: u32) -> Self {
        Self {
            at: Span::ZERO,
            pause: Span::ZERO,
            device,
            offset_bytes: 0,
            bytes: 0,
            operation: Operation::Flush,
            cache_control: CacheControl::NONE,
            part: 0,
        }
    }
}

/// The directions that a request may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueDirections {
    /// Whether a read is due.
    pub read: bool,
    /// Whether a write is due.
    pub write: bool,
}
