//! Linear threshold: the rate of destaging grows linearly with the dirty blocks between the marks.
//!
//! Source: Varma, Jacobson: Destage algorithms for disk arrays with nonvolatile caches, ISCA 1995.

use super::{DestagePaceRule, check_marks, mark};
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Percentage, Share};
use sansim_schema::table;

const MARK: Percentage = Percentage { range: (0, 1_000_000) };

table! {
    /// Faster with more dirty blocks: the rate grows linearly between two marks.
    #[derive(Copy, Eq)]
    pub struct Linear {
        /// Low mark, up to which nothing is destaged: a share of the blocks that may be dirty.
        low: Share = MARK, default r#""60 %""#, source "ours: the marks of `\"watermarks\"`";
        /// High mark, from which on destaging is as fast as possible: a share of the blocks that may be dirty.
        high: Share = MARK, default r#""80 %""#, source "ours: the marks of `\"watermarks\"`";
    }
    checks(check)
}

impl Linear {
    fn check(&self, keys: &mut Keys<'_, '_>) {
        check_marks(keys, self.low < self.high);
    }
}

impl DestagePaceRule for Linear {
    fn urgency(&mut self, dirty: u32, limit: u32) -> f64 {
        let (low, high) = (mark(self.low, limit), mark(self.high, limit));
        if dirty <= low {
            0.0
        } else if dirty >= high {
            1.0
        } else {
            f64::from(dirty - low) / f64::from(high - low)
        }
    }

    fn marks(&self, limit: u32) -> (u32, u32) {
        (mark(self.low, limit), mark(self.high, limit))
    }

    /// In balance as many blocks are destaged as are written, at a level between the marks that depends on the devices. The balanced level
    /// is unknown without the devices, so the middle between the marks is assumed.
    fn settled(&self, limit: u32) -> u32 {
        let (low, high) = self.marks(limit);
        low + (high - low) / 2
    }
}
