//! Blocks by popularity, after Zipf's law.

use super::bijection::Bijection;
use super::grid::{ALIGN, Blocks};
use sansim_kernel::RandomStream;
use sansim_kernel::functions::{exponential, natural_logarithm};
use sansim_schema::quantities::{Flag, Number};
use sansim_schema::table;

table! {
    /// Zipf's law: the block of rank r is asked for in proportion to 1 / r^theta.
    #[derive(Copy)]
    pub struct ZipfParameters {
        /// Skew of the popularity: 0 is uniform, 1 is Zipf's own law.
        theta: f64 = Number::between(0.0, 10.0), default "1.1", source "fio, random_distribution=zipf";
        /// Size of the blocks that are popular. A larger request begins with one of them.
        block: u64 = ALIGN, default r#""4 KiB""#, source "ours: a page of most operating systems";
        /// Whether popular blocks are anywhere; otherwise they are at the begin, by their rank.
        scattered: bool = Flag, default "true", source "fio, random_distribution=zipf";
    }
}

/// Blocks by popularity.
#[derive(Clone, Debug)]
pub struct ZipfLocations {
    blocks: Blocks,
    ranks: ZipfRanks,
    places: Option<Bijection>,
}

impl ZipfLocations {
    /// The generator for a region of this many bytes.
    pub fn new(parameters: &ZipfParameters, region: u64, random: &mut RandomStream) -> ZipfLocations {
        let blocks = Blocks::new(region, parameters.block);
        let places = parameters.scattered.then(|| Bijection::new(blocks.count, random));
        ZipfLocations { blocks, ranks: ZipfRanks::new(blocks.count, parameters.theta), places }
    }

    /// The next offset.
    pub fn next(&mut self, bytes: u64, _: bool, random: &mut RandomStream) -> u64 {
        let rank = self.ranks.draw(random);
        self.blocks.offset(self.places.as_ref().map_or(rank, |places| places.permuted_number(rank)), bytes)
    }
}

/// Draws ranks 0 .. `count`, the r-th with a probability proportional to 1 / (r + 1)^theta, by rejection-inversion (Hoermann and
/// Derflinger, ACM Transactions on Modeling and Computer Simulation 6, 1996): no table, and hardly more than one draw for each rank.
#[derive(Clone, Debug)]
pub struct ZipfRanks {
    count: f64,
    theta: f64,
    /// The integral of the hat function from 1 to 1.5, less the first column; and up to the end.
    from: f64,
    to: f64,
    /// A value that is rounded up by at most this much is accepted as a rank without a further check.
    sure: f64,
}

impl ZipfRanks {
    /// Ranks below `count`, at least one, with the skew `theta`: zero or more.
    pub fn new(count: u64, theta: f64) -> ZipfRanks {
        let mut ranks = ZipfRanks { count: count.max(1) as f64, theta, from: 0.0, to: 0.0, sure: 0.0 };
        ranks.from = ranks.integral(1.5) - 1.0;
        ranks.to = ranks.integral(ranks.count + 0.5);
        ranks.sure = 2.0 - ranks.inverse(ranks.integral(2.5) - ranks.height(2.0));
        ranks
    }

    /// Draws a rank.
    pub fn draw(&self, random: &mut RandomStream) -> u64 {
        loop {
            let area = random.uniform(self.from, self.to);
            let x = self.inverse(area);
            let rank = (x + 0.5).floor().clamp(1.0, self.count);
            if rank - x <= self.sure || area >= self.integral(rank + 0.5) - self.height(rank) {
                return rank as u64 - 1;
            }
        }
    }

    /// The height of the hat function at x: x^-theta.
    fn height(&self, x: f64) -> f64 {
        exponential(-self.theta * natural_logarithm(x))
    }

    /// The integral of the hat function from 1 to x: (x^(1 - theta) - 1) / (1 - theta), which is ln x for a theta of one.
    fn integral(&self, x: f64) -> f64 {
        let logarithm = natural_logarithm(x);
        logarithm * exponential_less_one_over((1.0 - self.theta) * logarithm)
    }

    /// The x at which the integral of the hat function has this value.
    fn inverse(&self, integral: f64) -> f64 {
        // The value is kept above the pole, below which rounding might lead.
        let t = (integral * (1.0 - self.theta)).max(-1.0 + f64::EPSILON);
        exponential(integral * logarithm_of_more_over(t))
    }
}

/// The function (e^t - 1) / t, which is 1 at zero.
fn exponential_less_one_over(t: f64) -> f64 {
    if t.abs() < 1e-3 {
        return 1.0 + t / 2.0 * (1.0 + t / 3.0 * (1.0 + t / 4.0 * (1.0 + t / 5.0)));
    }
    (exponential(t) - 1.0) / t
}

/// The function ln(1 + t) / t, which is 1 at zero.
fn logarithm_of_more_over(t: f64) -> f64 {
    if t.abs() < 1e-3 {
        return 1.0 - t * (1.0 / 2.0 - t * (1.0 / 3.0 - t * (1.0 / 4.0 - t / 5.0)));
    }
    natural_logarithm(1.0 + t) / t
}
