//! Uniform places: any place, each as likely as any other.

use super::grid::{ALIGN, Slots};
use sansim_kernel::RandomStream;
use sansim_schema::quantities::Dimensioned;
use sansim_schema::table;

table! {
    /// Anywhere in the region, each place as likely as any other.
    #[derive(Copy, Eq)]
    pub struct UniformParameters {
        /// Alignment of offsets; by default the size of the request.
        align: Option<u64> = ALIGN.or("request"), default r#""request""#, source "ours: requests do not overlap by halves";
    }
}

/// The generator of uniform places.
#[derive(Clone, Debug)]
pub struct UniformLocations {
    align: Option<u64>,
    region: u64,
}

impl UniformLocations {
    /// The generator for a region of this many bytes.
    pub fn new(parameters: &UniformParameters, region: u64, _: &mut RandomStream) -> UniformLocations {
        UniformLocations { align: parameters.align, region }
    }

    /// The next offset.
    pub fn next(&mut self, bytes: u64, _: bool, random: &mut RandomStream) -> u64 {
        let slots = Slots::new(self.region, bytes, self.align);
        random.draw_below(slots.count) * slots.step
    }
}
