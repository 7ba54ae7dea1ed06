//! The priority of the requests of a stream.

use sansim_request::LEAST_PRIORITY;
use sansim_schema::quantities::Count;

/// The range of a priority as it is written in a scenario.
pub(crate) const PRIORITY: Count<u8> = Count::<u8>::between(0, LEAST_PRIORITY as u64);
