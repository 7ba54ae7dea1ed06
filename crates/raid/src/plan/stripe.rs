//! The current stripe of a plan: the positions of its units, and the units from which lost ones can be recovered.

use super::{ArithmeticField, Calculation, CalculationKind, PlanContext, RequestPlan};
use crate::array::{Array, NoPlan, Part};
use crate::layout::{MemberRow, RaidLevel};

impl Array {
    /// Begins to plan a stripe. The positions of a stripe's units are looked up once, unless all members work.
    pub(super) fn begin(&self, stripe: u64, plan: &mut RequestPlan) {
        plan.sources.clear();
        plan.sums.clear();
        plan.places.clear();
        if !self.health.all_members_work() {
            let places = (0..self.positions()).map(|position| self.locate(stripe, position));
            plan.places.extend(places);
        }
    }

    /// The present position of a unit of the current stripe.
    #[inline]
    pub(super) fn at(&self, stripe: u64, position: u32, plan: &RequestPlan) -> Option<MemberRow> {
        if self.health.all_members_work() {
            return Some(self.layout.raid_level().slot(stripe, position));
        }
        plan.places.get(position as usize).copied().flatten()
    }

    /// Whether a unit of the current stripe can be read.
    #[inline]
    pub(super) fn is_there(&self, position: u32, plan: &RequestPlan) -> bool {
        self.health.all_members_work() || plan.places.get(position as usize).is_some_and(Option::is_some)
    }

    /// Whether the cache has bytes of a data unit.
    #[inline]
    pub(super) fn has(
        &self,
        view: &impl PlanContext,
        stripe: u64,
        position: u32,
        (from, upto): (u64, u64),
    ) -> bool {
        view.cached(self.logical(stripe, position) + from, upto - from)
    }

    /// Reads the sources of lost units, the bytes `hull` of each: all readable data units, and checks in place of the lost ones; in
    /// addition the bytes of data units in `part`. The reads of the survivors are the sources of calculations. Returns whether Q is among
    /// the survivors.
    pub(super) fn survivors(
        &self,
        stripe: u64,
        part: Option<&Part>,
        hull: (u64, u64),
        view: &impl PlanContext,
        plan: &mut RequestPlan,
    ) -> Result<bool, NoPlan> {
        let data = self.layout.raid_level().data_units();
        let mut known = 0;
        for position in 0..data {
            let mut range = hull;
            if let Some(part) = part.filter(|part| part.contains_unit(position)) {
                let own = part.unit_range(position, self.layout.stripe_unit_bytes());
                range = (range.0.min(own.0), range.1.max(own.1));
            }
            if self.has(view, stripe, position, range) {
                known += 1;
            } else if let Some(slot) = self.at(stripe, position, plan) {
                plan.source(self.piece(slot, range));
                known += 1;
            }
        }
        let mut of_q = false;
        for position in data..self.positions() {
            if known == data {
                break;
            }
            let before = known;
            if view.cached_check(self.unit(stripe, position), hull.0, hull.1) {
                known += 1;
            } else if let Some(slot) = self.at(stripe, position, plan) {
                plan.source(self.piece(slot, hull));
                known += 1;
            }
            of_q |= known > before && position > data;
        }
        if known < data { Err(self.lost_too_much(stripe)) } else { Ok(of_q) }
    }

    /// Recovers a lost unit from the sources: as a sum, unless Q is among the sources or is the lost unit.
    pub(super) fn recover(
        &self,
        stripe: u64,
        position: u32,
        (from, upto): (u64, u64),
        of_q: bool,
        plan: &mut RequestPlan,
    ) -> u32 {
        let data = self.layout.raid_level().data_units();
        let field = if of_q || position > data { ArithmeticField::Galois } else { ArithmeticField::Xor };
        let bytes = u64::from(data) * (upto - from);
        let unit = self.unit(stripe, position);
        plan.calculate(Calculation { what: CalculationKind::Recover, field, unit, from, upto, bytes })
    }
}
