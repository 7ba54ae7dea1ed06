//! Scrubbing: whole stripes are read and compared; and units that do not agree are repaired.

use super::{ArithmeticField, Calculation, CalculationKind, RequestPlan};
use crate::array::{Array, NoPlan, Part};
use crate::layout::{ErasureCode, RaidLevel};
use std::ops::Range;

impl Array {
    /// Plans a scrub of some stripes: all of their readable units are read, and each readable check is compared with all data; or the
    /// copies with each other. A scrub finds unreadable sectors whether or not there is a check to compare.
    pub fn plan_scrub(&self, stripes: Range<u64>, plan: &mut RequestPlan) {
        plan.clear(self.layout.member_count());
        let data = self.layout.raid_level().data_units();
        let strip = self.layout.stripe_unit_bytes();
        for stripe in stripes.start..stripes.end.min(self.layout.stripe_count()) {
            self.begin(stripe, plan);
            for position in 0..self.positions() {
                if let Some(slot) = self.locate(stripe, position) {
                    plan.source(self.piece(slot, (0, strip)));
                }
            }
            let mut compare = |position: u32, field, units: u64| {
                let (unit, bytes) = (self.unit(stripe, position), units * strip);
                let what = CalculationKind::Compare;
                plan.calculate(Calculation { what, field, unit, from: 0, upto: strip, bytes });
            };
            if let ErasureCode::Copies(_) = self.layout.erasure_code() {
                let copies = self.positions() - self.lost(stripe);
                if copies > 1 {
                    compare(0, ArithmeticField::Xor, copies.into());
                }
            } else if (0..data).all(|position| self.locate(stripe, position).is_some()) {
                for position in data..self.positions() {
                    if self.locate(stripe, position).is_some() {
                        let field =
                            if position == data { ArithmeticField::Xor } else { ArithmeticField::Galois };
                        compare(position, field, u64::from(data) + 1);
                    }
                }
            }
        }
    }

    /// Plans to calculate the checks of some stripes anew from their data, or to overwrite the other copies with the first, as a resynchronisation
    /// after interrupted writes does.
    ///
    /// # Errors
    /// If data of a stripe are lost: the checks cannot be calculated, and there is no plan.
    pub fn plan_check_repair(&self, stripes: Range<u64>, plan: &mut RequestPlan) -> Result<(), NoPlan> {
        plan.clear(self.layout.member_count());
        let end = stripes.end.min(self.layout.stripe_count());
        let repaired = (stripes.start..end).try_for_each(|stripe| match self.layout.erasure_code() {
            ErasureCode::None => Ok(()),
            ErasureCode::Copies(_) => self.repair_copies(stripe, plan),
            ErasureCode::Parity | ErasureCode::DoubleParity => self.repair_checks(stripe, plan),
        });
        repaired.inspect_err(|_| plan.clear(0))
    }

    fn repair_copies(&self, stripe: u64, plan: &mut RequestPlan) -> Result<(), NoPlan> {
        let whole = (0, self.layout.stripe_unit_bytes());
        let mut there = (0..self.positions()).filter_map(|position| self.locate(stripe, position));
        let first = there.next().ok_or_else(|| self.lost_too_much(stripe))?;
        self.begin(stripe, plan);
        let read = plan.read(self.piece(first, whole));
        plan.sums.push(read);
        there.for_each(|slot| plan.write(self.piece(slot, whole)));
        Ok(())
    }

    fn repair_checks(&self, stripe: u64, plan: &mut RequestPlan) -> Result<(), NoPlan> {
        let (data, strip) = (self.layout.raid_level().data_units(), self.layout.stripe_unit_bytes());
        let all = Part { stripe, first: 0, last: data - 1, from: 0, upto: strip };
        self.begin(stripe, plan);
        for position in all.first..=all.last {
            let slot = self.locate(stripe, position).ok_or_else(|| self.lost_too_much(stripe))?;
            plan.source(self.piece(slot, (0, strip)));
        }
        for position in data..self.positions() {
            if self.locate(stripe, position).is_some() {
                let field = if position == data { ArithmeticField::Xor } else { ArithmeticField::Galois };
                let (unit, bytes) = (self.unit(stripe, position), u64::from(data) * strip);
                let what = CalculationKind::Encode;
                plan.calculate(Calculation { what, field, unit, from: 0, upto: strip, bytes });
            }
        }
        for position in data..self.positions() {
            if let Some(slot) = self.locate(stripe, position) {
                plan.write(self.piece(slot, (0, strip)));
            }
        }
        Ok(())
    }
}
