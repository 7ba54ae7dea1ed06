//! Watermarks: no block is destaged until the number of dirty blocks reaches the high mark; then blocks are destaged at the highest rate
//! until the number is down to the low mark.
//!
//! Source: Biswas, Ramakrishnan, Towsley: Trace driven analysis of write caching policies for disks, SIGMETRICS 1993.

use super::{DestagePaceRule, check_marks, mark};
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Percentage, Share};
use sansim_schema::table;

const MARK: Percentage = Percentage { range: (0, 1_000_000) };

table! {
    /// From a high watermark of dirty blocks on, until a low watermark is reached.
    #[derive(Copy, Eq)]
    pub struct WatermarkParameters {
        /// Low mark, at which destaging stops: a share of the blocks that may be dirty.
        low: Share = MARK, default r#""60 %""#, source "ours: well below `high`, so that destaging goes on for a while";
        /// High mark, at which destaging begins: a share of the blocks that may be dirty.
        high: Share = MARK, default r#""80 %""#, source "ours: room is left for a burst of writes";
    }
    checks(check)
}

impl WatermarkParameters {
    fn check(&self, keys: &mut Keys<'_, '_>) {
        check_marks(keys, self.low < self.high);
    }
}

/// The destaging pace between a high and a low watermark of dirty blocks.
#[derive(Clone, Copy, Debug)]
pub struct Watermarks {
    low: Share,
    high: Share,
    draining: bool,
}

impl From<WatermarkParameters> for Watermarks {
    fn from(parameters: WatermarkParameters) -> Self {
        Self { low: parameters.low, high: parameters.high, draining: false }
    }
}

impl DestagePaceRule for Watermarks {
    fn urgency(&mut self, dirty: u32, limit: u32) -> f64 {
        if dirty <= mark(self.low, limit) {
            self.draining = false;
        } else if dirty >= mark(self.high, limit) {
            self.draining = true;
        }
        if self.draining { 1.0 } else { 0.0 }
    }

    fn marks(&self, limit: u32) -> (u32, u32) {
        (mark(self.low, limit), mark(self.high, limit))
    }

    /// The number of dirty blocks goes up and down between the marks. On the way up nothing is destaged, however long that lasts; so the
    /// settled number is the upper mark, at which destaging begins: the devices then have at least their mean load.
    fn settled(&self, limit: u32) -> u32 {
        mark(self.high, limit)
    }
}
