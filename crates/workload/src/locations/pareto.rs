//! Blocks by popularity, by Pareto's law.

use super::bijection::Bijection;
use super::grid::{ALIGN, Blocks};
use sansim_kernel::RandomStream;
use sansim_kernel::functions::{natural_logarithm, power};
use sansim_schema::quantities::{Flag, Number};
use sansim_schema::table;

table! {
    /// Pareto's rule: the part h of the blocks takes the part 1 - h of the accesses, and so on within that part.
    #[derive(Copy)]
    pub struct ParetoParameters {
        /// The part of the blocks that is popular: 0.2 is the rule of 80 and 20.
        h: f64 = Number::between(0.000_001, 0.999_999), default "0.2", source "fio, random_distribution=pareto";
        /// Size of the blocks that are popular. A larger request begins with one of them.
        block: u64 = ALIGN, default r#""4 KiB""#, source "ours: a page of most operating systems";
        /// Whether popular blocks are anywhere; otherwise they are at the begin, by their rank.
        scattered: bool = Flag, default "true", source "fio, random_distribution=pareto";
    }
}

/// Blocks by popularity.
#[derive(Clone, Debug)]
pub struct ParetoLocations {
    blocks: Blocks,
    /// The exponent of Pareto's law: a uniform number to this power is the share of the blocks that are more popular.
    exponent: f64,
    places: Option<Bijection>,
}

impl ParetoLocations {
    /// The generator for a region of this many bytes.
    pub fn new(parameters: &ParetoParameters, region: u64, random: &mut RandomStream) -> ParetoLocations {
        let blocks = Blocks::new(region, parameters.block);
        let exponent = natural_logarithm(parameters.h) / natural_logarithm(1.0 - parameters.h);
        let places = parameters.scattered.then(|| Bijection::new(blocks.count, random));
        ParetoLocations { blocks, exponent, places }
    }

    /// The next offset.
    pub fn next(&mut self, bytes: u64, _: bool, random: &mut RandomStream) -> u64 {
        let part = power(random.open_unit_f64(), self.exponent);
        let rank = ((part * self.blocks.count as f64) as u64).min(self.blocks.count - 1);
        self.blocks.offset(self.places.as_ref().map_or(rank, |places| places.permuted_number(rank)), bytes)
    }
}
