//! How urgent the requests of a stream are.

use sansim_request::LEAST_PRIORITY;
use sansim_schema::quantities::Count;

/// A priority as it is written.
pub(crate) const PRIORITY: Count<u8> = Count::<u8>::between(0, LEAST_PRIORITY as u64);
