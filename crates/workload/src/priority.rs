//! How urgent the requests of a stream are.

use sansim_describe::quantities::Count;
use sansim_request::LEAST_PRIORITY;

/// A priority as it is written.
pub(crate) const PRIORITY: Count<u8> = Count::<u8>::between(0, LEAST_PRIORITY as u64);
