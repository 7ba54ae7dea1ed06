//! A hot spot: one part of the region gets most of the accesses.

use super::grid::{ALIGN, PART, SOME_PART, Slots};
use sansim_kernel::RandomStream;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Dimensioned, Share};
use sansim_schema::{codes, table};

table! {
    /// A hot spot: one part of the region takes a part of the accesses, the rest the others. Within both each place is as likely as any
    /// other.
    #[derive(Copy, Eq)]
    pub struct HotSpotParameters {
        /// The part of the accesses that goes to the hot spot.
        accesses: Share = PART, default r#""80 %""#, source "ours: the rule of 80 and 20";
        /// The part of the region that the hot spot is.
        space: Share = SOME_PART, default r#""20 %""#, source "ours: the rule of 80 and 20";
        /// Beginning of the hot spot, as a share of the region.
        begin: Share = PART, default r#""0 %""#, source "ours: at the beginning";
        /// Alignment of offsets; by default the size of the request.
        align: Option<u64> = ALIGN.or("request"), default r#""request""#, source "ours: requests do not overlap by halves";
    }
    checks(check_end)
}

impl HotSpotParameters {
    /// Checks that the hot spot ends within the region.
    fn check_end(&self, keys: &mut Keys<'_, '_>) {
        if self.begin.millionths + self.space.millionths <= 1_000_000
            || !keys.all_readable(&["space", "begin"])
        {
            return;
        }
        let fault = Diagnostic::new(
            codes::CONTRADICTION,
            keys.value_position("begin"),
            "the hot spot goes beyond the end",
        )
        .with_label(format!("this and {} are at most 100 % together", keys.full_path("space")));
        keys.report("begin", fault);
    }
}

/// The generator of a hot spot.
#[derive(Clone, Debug)]
pub struct HotSpotLocations {
    region: u64,
    parameters: HotSpotParameters,
}

impl HotSpotLocations {
    /// The generator for a region of this many bytes.
    pub fn new(parameters: &HotSpotParameters, region: u64, _: &mut RandomStream) -> HotSpotLocations {
        HotSpotLocations { region, parameters: *parameters }
    }

    /// The next offset.
    pub fn next(&mut self, bytes: u64, _: bool, random: &mut RandomStream) -> u64 {
        let HotSpotParameters { accesses, space, begin, align } = self.parameters;
        let slots = Slots::new(self.region, bytes, align);
        // A hot spot that is smaller than a request still has a place.
        let begin = slots.places_before(begin).min(slots.count - 1);
        let hot = slots.places_before(space).clamp(1, slots.count - begin);
        let cold = slots.count - hot;
        let slot = if random.chance(accesses.fraction()) || cold == 0 {
            begin + random.draw_below(hot)
        } else {
            let slot = random.draw_below(cold);
            if slot < begin { slot } else { slot + hot }
        };
        slot * slots.step
    }
}
