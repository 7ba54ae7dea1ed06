//! At once: dirty blocks are destaged as fast as possible.

use super::DestagePaceRule;
use sansim_schema::table;

table! {
    /// At once: a dirty block is destaged as soon as there is one.
    #[derive(Copy, Eq)]
    pub struct AtOnce {}
}

impl DestagePaceRule for AtOnce {
    fn urgency(&mut self, dirty: u32, _: u32) -> f64 {
        if dirty > 0 { 1.0 } else { 0.0 }
    }

    fn marks(&self, limit: u32) -> (u32, u32) {
        (0, limit)
    }

    fn settled(&self, _: u32) -> u32 {
        0
    }
}
