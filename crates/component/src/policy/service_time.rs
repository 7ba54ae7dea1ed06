//! The policy that chooses the path on which a request would be done first.
//!
//! The estimate is that of the path selector with this name in Linux (`drivers/md/dm-ps-service-time.c` and its page under
//! `Documentation/admin-guide/device-mapper`): (bytes in flight to the device + bytes of the request) / relative throughput of the path. A
//! path with a throughput of 0 is the last resort.

use super::rotation::TurnRotation;
use super::{ChoiceCandidate, ChoiceContext, ChoicePolicy};
use sansim_request::Request;
use std::cmp::Ordering;

/// The policy that chooses the path on which a request would be done first.
#[derive(Clone, Debug, Default)]
pub struct ServiceTimePolicy {
    rotation: TurnRotation,
}

impl ChoicePolicy for ServiceTimePolicy {
    fn choose(&mut self, _: &ChoiceContext, request: &Request, candidates: &[ChoiceCandidate]) -> usize {
        self.rotation
            .choose_candidate(candidates, |one, other| compare(one, other, request.data_bytes()).is_lt())
    }
}

/// Compares two paths by the time at which these bytes would be done.
fn compare(one: &ChoiceCandidate, other: &ChoiceCandidate, bytes: u64) -> Ordering {
    let faster = other.throughput.cmp(&one.throughput);
    if faster.is_eq() {
        return one.bytes.cmp(&other.bytes);
    }
    if one.bytes == other.bytes || one.throughput == 0 || other.throughput == 0 {
        return faster;
    }
    let time = |way: &ChoiceCandidate, over: u32| u128::from(way.bytes + bytes) * u128::from(over);
    time(one, other.throughput).cmp(&time(other, one.throughput)).then(faster)
}
