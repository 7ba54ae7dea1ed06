//! Zones: parts of the region that are accessed more or less often.

use super::grid::{ALIGN, PART, SOME_PART, Slots};
use sansim_kernel::{RandomStream, Weighted};
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Dimensioned, ListOf, Share};
use sansim_schema::{codes, table};

/// The most zones, as in fio.
const MOST_ZONES: usize = 256;
/// The whole, in millionths.
const ALL: u64 = 1_000_000;

table! {
    /// The region is cut into zones, and each takes its part of the accesses; within a zone each place is as likely as any other.
    pub struct ZonesParameters {
        /// The part of the accesses that goes to each zone; all of them are 100 %.
        accesses: Vec<Share> = ListOf::between(1, MOST_ZONES, PART), required r#"["50 %", "30 %", "20 %"]"#, source "fio, random_distribution=zoned";
        /// The part of the region that each zone is, in their order; all of them are 100 %.
        sizes: Vec<Share> = ListOf::between(1, MOST_ZONES, SOME_PART), required r#"["5 %", "15 %", "80 %"]"#, source "fio, random_distribution=zoned";
        /// Alignment of offsets; by default the size of the request.
        align: Option<u64> = ALIGN.or("request"), default r#""request""#, source "ours: requests do not overlap by halves";
    }
    checks(check_zones)
}

impl ZonesParameters {
    /// Checks that there are as many shares of accesses as of the region, and that both add up to the whole.
    fn check_zones(&self, keys: &mut Keys<'_, '_>) {
        if !keys.all_readable(&["accesses", "sizes"]) {
            return;
        }
        let sizes = keys.value_position("sizes");
        if self.accesses.len() != self.sizes.len() {
            let message = "there are not as many sizes as accesses";
            let fault =
                Diagnostic::new(codes::CONTRADICTION, sizes, message).with_label("needs one for each zone");
            let accesses = keys.value_position("accesses");
            keys.report_with("sizes", fault, Some((accesses, "the accesses")));
            return;
        }
        for (key, shares) in [("accesses", &self.accesses), ("sizes", &self.sizes)] {
            let sum: u64 = shares.iter().map(|share| share.millionths).sum();
            if sum != ALL {
                let message = format!("all {key} are {} %", sum as f64 / 1e4);
                let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position(key), message)
                    .with_label("must be 100 %");
                keys.report(key, fault);
            }
        }
    }
}

/// The generator of zoned places.
#[derive(Clone, Debug)]
pub struct Zones {
    region: u64,
    align: Option<u64>,
    choice: Option<Weighted>,
    /// The share of the region at which each zone ends.
    ends: Vec<Share>,
}

impl Zones {
    /// The generator for a region of this many bytes.
    pub fn new(parameters: &ZonesParameters, region: u64, _: &mut RandomStream) -> Zones {
        let weights: Vec<f64> = parameters.accesses.iter().map(|share| share.fraction()).collect();
        let mut end = 0;
        let ends = parameters.sizes.iter().map(|share| {
            end = (end + share.millionths).min(ALL);
            Share { millionths: end }
        });
        Zones { region, align: parameters.align, choice: Weighted::new(&weights), ends: ends.collect() }
    }

    /// The next offset.
    pub fn next(&mut self, bytes: u64, _: bool, random: &mut RandomStream) -> u64 {
        let slots = Slots::new(self.region, bytes, self.align);
        let zone = self.choice.as_ref().map_or(0, |choice| choice.draw(random)).min(self.ends.len() - 1);
        let begin = if zone == 0 { 0 } else { slots.places_before(self.ends[zone - 1]) };
        let end = slots.places_before(self.ends[zone]);
        // A zone that is smaller than a request still has one place, at which it begins.
        let slot = begin + random.draw_below(end.saturating_sub(begin).max(1));
        slot.min(slots.count - 1) * slots.step
    }
}
