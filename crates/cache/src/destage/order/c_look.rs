//! C-LOOK: the next stripe upwards is destaged, and after the last stripe the first.
//!
//! Source: Gill, Modha: WOW: wise ordering for writes, FAST 2005, where it is called CSCAN.

use super::{DestageCandidate, DestageOrderRule, StripeRank};
use sansim_kernel::sweep::round_order_key;
use sansim_schema::table;

table! {
    /// The next stripe upwards, and from the last one back to the first: C-LOOK.
    #[derive(Copy, Eq)]
    pub struct CLookParameters {}
}

/// The destaging order C-LOOK: the next stripe upwards is destaged, and after the last stripe the first.
#[derive(Clone, Copy, Debug)]
pub struct CLookDestage {
    sweep: u64,
    /// The stripe after the last stripe that was destaged.
    position: u64,
}

impl From<CLookParameters> for CLookDestage {
    fn from(_: CLookParameters) -> Self {
        Self { sweep: 0, position: 0 }
    }
}

impl DestageOrderRule for CLookDestage {
    /// Stripes before the position wait for the next sweep.
    fn rank(&mut self, candidate: DestageCandidate) -> StripeRank {
        let (anew, number) = round_order_key(candidate.number, self.position);
        candidate.before.unwrap_or((self.sweep + u64::from(anew), number))
    }

    fn took(&mut self, number: u64, (sweep, _): StripeRank) {
        (self.sweep, self.position) = (sweep, number.saturating_add(1));
    }
}
