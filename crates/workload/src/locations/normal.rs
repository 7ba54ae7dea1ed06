//! Places with a normal distribution about a middle.

use super::grid::{ALIGN, PART, SOME_PART, Slots};
use sansim_kernel::RandomStream;
use sansim_schema::quantities::{Dimensioned, Share};
use sansim_schema::table;

table! {
    /// Normally distributed about a middle; what would be outside the region is drawn again.
    #[derive(Copy, Eq)]
    pub struct NormalParameters {
        /// Standard deviation, as a part of the region.
        deviation: Share = SOME_PART, default r#""10 %""#, source "fio, random_distribution=normal";
        /// The middle, as a part of the region.
        middle: Share = PART, default r#""50 %""#, source "fio, random_distribution=normal";
        /// Alignment of offsets; by default the size of the request.
        align: Option<u64> = ALIGN.or("request"), default r#""request""#, source "ours: requests do not overlap by halves";
    }
}

/// The generator of places about a middle.
#[derive(Clone, Debug)]
pub struct NormalLocations {
    region: u64,
    parameters: NormalParameters,
}

impl NormalLocations {
    /// The generator for a region of this many bytes.
    pub fn new(parameters: &NormalParameters, region: u64, _: &mut RandomStream) -> NormalLocations {
        NormalLocations { region, parameters: *parameters }
    }

    /// The next offset.
    pub fn next(&mut self, bytes: u64, _: bool, random: &mut RandomStream) -> u64 {
        let NormalParameters { deviation, middle, align } = self.parameters;
        let slots = Slots::new(self.region, bytes, align);
        loop {
            // At least a third of the drawn values is within the region, wherever the middle is.
            let at = random.normal(middle.fraction(), deviation.fraction());
            if (0.0..1.0).contains(&at) {
                return ((at * slots.count as f64) as u64).min(slots.count - 1) * slots.step;
            }
        }
    }
}
