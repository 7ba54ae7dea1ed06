//! Every missing block comes in.

use super::AdmissionRule;
use sansim_schema::table;

table! {
    /// Every block that was missing.
    #[derive(Copy, Eq)]
    pub struct AlwaysParameters {}
}

/// The admission policy that admits every block.
#[derive(Clone, Copy, Debug)]
pub struct Always;

impl Always {
    pub(super) fn new(_: &AlwaysParameters, _: u32) -> Self {
        Self
    }
}

impl AdmissionRule for Always {
    fn admits(&mut self, _: u64, _: u32) -> bool {
        true
    }
}
