//! Plans of reads: lost units are recovered from other units.

use super::{NONE, PlanContext, RequestPlan};
use crate::array::{Array, NoPlan, Part};
use crate::layout::ErasureCode;

impl Array {
    /// Plans a read of a range, in bytes. Cached bytes are not read from members.
    ///
    /// # Errors
    /// If the range ends beyond the array, or data in it are lost; then there is no plan.
    pub fn plan_read(
        &self,
        offset: u64,
        bytes: u64,
        view: &mut impl PlanContext,
        plan: &mut RequestPlan,
    ) -> Result<(), NoPlan> {
        plan.clear(self.layout.member_count());
        let read = self.parts(offset, bytes).and_then(|mut parts| {
            parts.try_for_each(|part| match self.layout.erasure_code() {
                ErasureCode::None => self.read_units(&part, view, plan),
                ErasureCode::Copies(_) => self.read_copy(&part, view, plan),
                ErasureCode::Parity | ErasureCode::DoubleParity => self.read_protected(&part, view, plan),
            })
        });
        read.inspect_err(|_| plan.clear(0))
    }

    /// Reads units without redundancy, which are in their slots or lost for good.
    fn read_units(&self, part: &Part, view: &impl PlanContext, plan: &mut RequestPlan) -> Result<(), NoPlan> {
        for position in part.first..=part.last {
            let range = part.unit_range(position, self.layout.stripe_unit_bytes());
            if self.has(view, part.stripe, position, range) {
                continue;
            }
            let slot = self.locate(part.stripe, position);
            let slot = slot.ok_or_else(|| self.lost_too_much(part.stripe))?;
            plan.read(self.piece(slot, range));
        }
        Ok(())
    }

    /// Reads one of the copies of a unit.
    fn read_copy(
        &self,
        part: &Part,
        view: &mut impl PlanContext,
        plan: &mut RequestPlan,
    ) -> Result<(), NoPlan> {
        let range = (part.from, part.upto);
        if !self.has(view, part.stripe, 0, range) {
            let position = self.choose_copy(part.stripe, part.from, view, plan)?;
            if let Some(slot) = self.locate(part.stripe, position) {
                plan.read(self.piece(slot, range));
            }
        }
        Ok(())
    }

    /// The position of the copy that is read: a plan makes the same choice among the same members, so that adjacent units are read in one
    /// access.
    pub(super) fn choose_copy(
        &self,
        stripe: u64,
        from: u64,
        view: &mut impl PlanContext,
        plan: &mut RequestPlan,
    ) -> Result<u32, NoPlan> {
        plan.copies.clear();
        let there = || (0..self.positions()).filter_map(|position| self.locate(stripe, position));
        plan.copies.extend(there().map(|slot| slot.member));
        let at = there().next().map_or(0, |slot| slot.row * self.layout.stripe_unit_bytes() + from);
        let first = *plan.copies.first().ok_or_else(|| self.lost_too_much(stripe))?;
        plan.chosen.resize(self.layout.member_count() as usize, NONE);
        let known = plan.chosen[first as usize];
        let member = if plan.copies.contains(&known) {
            known
        } else {
            let place = view.copy(&plan.copies, at);
            plan.copies.get(place).copied().unwrap_or(first)
        };
        plan.chosen[first as usize] = member;
        let is_on = |position: &u32| self.locate(stripe, *position).is_some_and(|slot| slot.member == member);
        (0..self.positions()).find(is_on).ok_or_else(|| self.lost_too_much(stripe))
    }

    /// Reads units under parity: lost units are recovered from the others.
    fn read_protected(
        &self,
        part: &Part,
        view: &impl PlanContext,
        plan: &mut RequestPlan,
    ) -> Result<(), NoPlan> {
        if self.health.all_members_work() {
            return self.read_units(part, view, plan);
        }
        let (stripe, strip) = (part.stripe, self.layout.stripe_unit_bytes());
        self.begin(stripe, plan);
        let missing = |plan: &RequestPlan, position: u32| {
            let range = part.unit_range(position, strip);
            self.at(stripe, position, plan).is_none() && !self.has(view, stripe, position, range)
        };
        // The range of bytes of stripe units in which lost units have to be recovered: empty if there is none.
        let mut hull = (strip, 0);
        for position in (part.first..=part.last).filter(|position| missing(plan, *position)) {
            let own = part.unit_range(position, strip);
            hull = (hull.0.min(own.0), hull.1.max(own.1));
        }
        if hull.0 > hull.1 {
            return self.read_units(part, view, plan);
        }
        let of_q = self.survivors(stripe, Some(part), hull, view, plan)?;
        for position in part.first..=part.last {
            if missing(plan, position) {
                self.recover(stripe, position, hull, of_q, plan);
            }
        }
        Ok(())
    }
}
