//! Plans of writes, with the reads that checks need.
//!
//! As in Linux md (`handle_stripe_dirtying`) the variant with fewer reads, after cache hits, is used: read the replaced data and the checks
//! (read-modify-write), or read the other data (reconstruct-write). Lost units cannot be read; if both variants need a lost unit, all
//! remaining units are read and the lost unit is recovered. All writes of a stripe begin when its checks have been calculated. If the
//! writes of a stripe are interrupted between the first and the last, data and checks do not agree, and a unit that is lost afterwards is
//! recovered wrongly: `Array::plan_check_repair` has to come before.

use super::{ArithmeticField, Calculation, CalculationKind, PlanContext, RequestPlan};
use crate::array::{Array, NoPlan, Part, WriteRule};
use crate::layout::{ErasureCode, MemberRow, RaidLevel};

/// The method by which a write finds the new checks of a part of a stripe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The checks are updated from the replaced data (read-modify-write).
    Modify,
    /// The checks are calculated from the unchanged and the new data (reconstruct-write).
    Reconstruct,
    /// The checks are calculated after lost units have been recovered from all readable units.
    Recover,
}

/// The checks of a stripe that can be written.
type Checks = [Option<MemberRow>; 2];

impl Array {
    /// Plans a write of a range, in bytes.
    ///
    /// # Errors
    /// If the range ends beyond the array, or so many units are lost that the written data, or their check, cannot be kept; then there is
    /// no plan.
    pub fn plan_write(
        &self,
        offset: u64,
        bytes: u64,
        view: &mut impl PlanContext,
        plan: &mut RequestPlan,
    ) -> Result<(), NoPlan> {
        plan.clear(self.layout.member_count());
        let written = self.parts(offset, bytes).and_then(|mut parts| {
            parts.try_for_each(|part| match self.layout.erasure_code() {
                ErasureCode::None => self.write_units(&part, plan),
                ErasureCode::Copies(_) => self.write_copies(&part, plan),
                ErasureCode::Parity | ErasureCode::DoubleParity => self.write_protected(&part, view, plan),
            })
        });
        written.inspect_err(|_| plan.clear(0))
    }

    /// Plans a deallocation of a range: the writes of the plan are deallocations of members, without data, reads and calculations. Under
    /// parity only stripes that lie completely within the range are deallocated, with their checks: the rest stays as it is, as in Linux md
    /// (`make_discard_request` of raid5.c, which discards whole stripes where members read as zeros afterwards; zeros agree with checks of
    /// zeros).
    ///
    /// # Errors
    /// If the range ends beyond the array, or a unit of it has no place.
    pub fn plan_deallocation(&self, offset: u64, bytes: u64, plan: &mut RequestPlan) -> Result<(), NoPlan> {
        plan.clear(self.layout.member_count());
        let strip = self.layout.stripe_unit_bytes();
        let data = self.layout.raid_level().data_units();
        let planned = self.parts(offset, bytes).and_then(|mut parts| {
            parts.try_for_each(|part| match self.layout.erasure_code() {
                ErasureCode::None => self.write_units(&part, plan),
                ErasureCode::Copies(_) => self.write_copies(&part, plan),
                ErasureCode::Parity | ErasureCode::DoubleParity => {
                    let is_whole = (part.first, part.from, part.last, part.upto) == (0, 0, data - 1, strip);
                    self.begin(part.stripe, plan);
                    for position in (0..self.positions()).filter(|_| is_whole) {
                        if let Some(slot) = self.at(part.stripe, position, plan) {
                            plan.write(self.piece(slot, (0, strip)));
                        }
                    }
                    Ok(())
                }
            })
        });
        planned.inspect_err(|_| plan.clear(0))
    }

    fn write_units(&self, part: &Part, plan: &mut RequestPlan) -> Result<(), NoPlan> {
        self.begin(part.stripe, plan);
        for position in part.first..=part.last {
            let slot = self.at(part.stripe, position, plan);
            let slot = slot.ok_or_else(|| self.lost_too_much(part.stripe))?;
            plan.write(self.piece(slot, part.unit_range(position, self.layout.stripe_unit_bytes())));
        }
        Ok(())
    }

    fn write_copies(&self, part: &Part, plan: &mut RequestPlan) -> Result<(), NoPlan> {
        self.begin(part.stripe, plan);
        let mut written = false;
        for position in 0..self.positions() {
            if let Some(slot) = self.at(part.stripe, position, plan) {
                plan.write(self.piece(slot, (part.from, part.upto)));
                written = true;
            }
        }
        if written { Ok(()) } else { Err(self.lost_too_much(part.stripe)) }
    }

    /// The end of one unit and the beginning of the next have no bytes of a check in common unless they overlap: such a write is two
    /// writes.
    fn write_protected(
        &self,
        part: &Part,
        view: &impl PlanContext,
        plan: &mut RequestPlan,
    ) -> Result<(), NoPlan> {
        if self.partial_strips && part.last == part.first + 1 && part.upto <= part.from {
            let strip = self.layout.stripe_unit_bytes();
            self.write_part(&Part { last: part.first, upto: strip, ..*part }, view, plan)?;
            return self.write_part(&Part { first: part.last, from: 0, ..*part }, view, plan);
        }
        self.write_part(part, view, plan)
    }

    fn write_part(&self, part: &Part, view: &impl PlanContext, plan: &mut RequestPlan) -> Result<(), NoPlan> {
        self.begin(part.stripe, plan);
        let lost = plan.places.iter().filter(|place| place.is_none()).count();
        if lost > self.layout.erasure_code().checks() as usize {
            return Err(self.lost_too_much(part.stripe));
        }
        let data = self.layout.raid_level().data_units();
        let mut checks = [None; 2];
        for (slot, position) in checks.iter_mut().zip(data..self.positions()) {
            *slot = self.at(part.stripe, position, plan);
        }
        // Without a writable check no data are lost, and nothing has to be read.
        let is_protected = checks.iter().any(Option::is_some);
        if is_protected {
            match self.way(part, &checks, view, plan) {
                Way::Modify => self.modify(part, &checks, view, plan),
                Way::Reconstruct => self.reconstruct(part, &checks, view, plan),
                Way::Recover => self.recover_and_encode(part, &checks, view, plan)?,
            }
            if !self.partial_strips {
                // The array writes the old sectors of a stripe unit back with the new ones, so the writes wait for the reads.
                plan.sums.extend_from_slice(&plan.sources);
            }
        }
        let strip = self.layout.stripe_unit_bytes();
        for position in part.first..=part.last {
            if let Some(slot) = self.at(part.stripe, position, plan) {
                let own = if is_protected {
                    self.replaced(part, position)
                } else {
                    part.unit_range(position, strip)
                };
                plan.write(self.piece(slot, own));
            }
        }
        for slot in checks.into_iter().flatten() {
            plan.write(self.piece(slot, self.hull(part)));
        }
        Ok(())
    }

    /// The bytes of the check's stripe unit that the write replaces.
    fn hull(&self, part: &Part) -> (u64, u64) {
        let strip = self.layout.stripe_unit_bytes();
        if self.partial_strips { part.covering_range(strip) } else { (0, strip) }
    }

    /// The bytes of a data unit that the array writes, and that a read-modify-write reads before.
    fn replaced(&self, part: &Part, position: u32) -> (u64, u64) {
        let strip = self.layout.stripe_unit_bytes();
        if self.partial_strips { part.unit_range(position, strip) } else { (0, strip) }
    }

    /// The parts of a data unit, among the bytes that the check's change covers, that are not written: before and after the written bytes.
    fn left(&self, part: &Part, position: u32) -> [(u64, u64); 2] {
        let (from, upto) = self.hull(part);
        let own = part.unit_range(position, self.layout.stripe_unit_bytes());
        match part.contains_unit(position) {
            false => [(from, upto), (upto, upto)],
            true if self.partial_strips => [(from, own.0), (own.1, upto)],
            // A stripe unit is read as a whole, unless all of it is written.
            true if own == (from, upto) => [(upto, upto); 2],
            true => [(from, upto), (upto, upto)],
        }
    }

    /// The method with the fewer reads, as the rule for writes says.
    fn way(&self, part: &Part, checks: &Checks, view: &impl PlanContext, plan: &RequestPlan) -> Way {
        let stripe = part.stripe;
        let data = self.layout.raid_level().data_units();
        // None means that a unit that has to be read is lost.
        let (mut modify, mut reconstruct) = (Some(0), Some(0));
        let one_more = |reads: Option<u32>, position: u32| {
            let is_there = self.is_there(position, plan);
            reads.filter(|_| is_there).map(|reads| reads + 1)
        };
        for position in 0..data {
            if part.contains_unit(position)
                && !self.has(view, stripe, position, self.replaced(part, position))
            {
                modify = one_more(modify, position);
            }
            for range in self.left(part, position) {
                if range.0 < range.1 && !self.has(view, stripe, position, range) {
                    reconstruct = one_more(reconstruct, position);
                }
            }
        }
        let (from, upto) = self.hull(part);
        for (_, position) in checks.iter().zip(data..).filter(|(slot, _)| slot.is_some()) {
            if !view.cached_check(self.unit(stripe, position), from, upto) {
                modify = one_more(modify, position);
            }
        }
        match (modify, reconstruct) {
            (None, None) => Way::Recover,
            (Some(_), None) => Way::Modify,
            (None, Some(_)) => Way::Reconstruct,
            (Some(modify), Some(reconstruct)) => {
                let by_modify = match self.rule {
                    WriteRule::Never => false,
                    WriteRule::IfFewer => modify < reconstruct,
                    WriteRule::Prefer => modify <= reconstruct,
                    WriteRule::UpToHalf => 2 * (part.last - part.first + 1) <= data,
                };
                if by_modify { Way::Modify } else { Way::Reconstruct }
            }
        }
    }

    /// Reads the replaced data and the checks, and updates the checks.
    fn modify(&self, part: &Part, checks: &Checks, view: &impl PlanContext, plan: &mut RequestPlan) {
        let (from, upto) = self.hull(part);
        let mut replaced = 0;
        for position in part.first..=part.last {
            let range = self.replaced(part, position);
            replaced += range.1 - range.0;
            if !self.has(view, part.stripe, position, range)
                && let Some(slot) = self.at(part.stripe, position, plan)
            {
                plan.source(self.piece(slot, range));
            }
        }
        for (slot, position) in checks.iter().zip(self.layout.raid_level().data_units()..) {
            if let Some(slot) = slot
                && !view.cached_check(self.unit(part.stripe, position), from, upto)
            {
                plan.source(self.piece(*slot, (from, upto)));
            }
        }
        // The calculation takes old data, new data, and the old check.
        self.checks(CalculationKind::Update, part, 2 * replaced + (upto - from), checks, plan);
    }

    /// Reads the unchanged data, and calculates the checks from them and the new data.
    fn reconstruct(&self, part: &Part, checks: &Checks, view: &impl PlanContext, plan: &mut RequestPlan) {
        let data = self.layout.raid_level().data_units();
        for position in 0..data {
            for range in self.left(part, position) {
                if range.0 < range.1
                    && !self.has(view, part.stripe, position, range)
                    && let Some(slot) = self.at(part.stripe, position, plan)
                {
                    plan.source(self.piece(slot, range));
                }
            }
        }
        self.encode(part, checks, plan);
    }

    /// Reads all readable units, recovers the unchanged bytes of the lost units, and calculates the checks.
    fn recover_and_encode(
        &self,
        part: &Part,
        checks: &Checks,
        view: &impl PlanContext,
        plan: &mut RequestPlan,
    ) -> Result<(), NoPlan> {
        let hull = self.hull(part);
        let of_q = self.survivors(part.stripe, None, hull, view, plan)?;
        for position in 0..self.layout.raid_level().data_units() {
            let is_left = self.left(part, position).iter().any(|(from, upto)| from < upto);
            let is_lost = self.at(part.stripe, position, plan).is_none();
            if is_left && is_lost && !self.has(view, part.stripe, position, hull) {
                self.recover(part.stripe, position, hull, of_q, plan);
            }
        }
        plan.sources.extend_from_slice(&plan.sums);
        self.encode(part, checks, plan);
        Ok(())
    }

    fn encode(&self, part: &Part, checks: &Checks, plan: &mut RequestPlan) {
        let (from, upto) = self.hull(part);
        let data = u64::from(self.layout.raid_level().data_units());
        self.checks(CalculationKind::Encode, part, data * (upto - from), checks, plan);
    }

    /// Adds the calculations of the writable checks, each with this many input bytes. The writes of the stripe wait only for the
    /// calculations of the checks.
    fn checks(
        &self,
        what: CalculationKind,
        part: &Part,
        bytes: u64,
        checks: &Checks,
        plan: &mut RequestPlan,
    ) {
        plan.sums.clear();
        let data = self.layout.raid_level().data_units();
        let (from, upto) = self.hull(part);
        for (slot, position) in checks.iter().zip(data..) {
            if slot.is_some() {
                let field = if position == data { ArithmeticField::Xor } else { ArithmeticField::Galois };
                let unit = self.unit(part.stripe, position);
                plan.calculate(Calculation { what, field, unit, from, upto, bytes });
            }
        }
    }
}
