//! Reads: of what is there; where it is lost, of what it can be worked out from.

use super::{Calculation, Field, NONE, Plan, View, What};
use crate::array::{Array, Part, Refused};
use crate::layout::{Code, Level};

impl Array {
    /// Plans a read of a range, in bytes. What the cache has is not read.
    ///
    /// # Errors
    /// If the range ends beyond the array, or something in it is lost; then there is no plan.
    pub fn read(
        &self,
        offset: u64,
        bytes: u64,
        view: &mut impl View,
        plan: &mut Plan,
    ) -> Result<(), Refused> {
        plan.clear(self.layout.members());
        let read = self.parts(offset, bytes).and_then(|mut parts| {
            parts.try_for_each(|part| match self.layout.code() {
                Code::None => self.read_units(&part, view, plan),
                Code::Copies(_) => self.read_copy(&part, view, plan),
                Code::Parity | Code::DoubleParity => self.read_protected(&part, view, plan),
            })
        });
        read.inspect_err(|_| plan.clear(0))
    }

    /// Whether the cache has bytes of a data unit.
    #[inline]
    pub(super) fn has(&self, view: &impl View, stripe: u64, position: u32, (from, upto): (u64, u64)) -> bool {
        view.cached(self.logical(stripe, position) + from, upto - from)
    }

    /// Units that lie where they lie, or are lost for good.
    fn read_units(&self, part: &Part, view: &impl View, plan: &mut Plan) -> Result<(), Refused> {
        for position in part.first..=part.last {
            let range = part.of(position, self.layout.strip());
            if self.has(view, part.stripe, position, range) {
                continue;
            }
            let slot = self.locate(part.stripe, position);
            let slot = slot.ok_or_else(|| self.lost_too_much(part.stripe))?;
            plan.read(self.piece(slot, range));
        }
        Ok(())
    }

    /// One of the copies.
    fn read_copy(&self, part: &Part, view: &mut impl View, plan: &mut Plan) -> Result<(), Refused> {
        let range = (part.from, part.upto);
        if !self.has(view, part.stripe, 0, range) {
            let position = self.choose_copy(part.stripe, view, plan)?;
            if let Some(slot) = self.locate(part.stripe, position) {
                plan.read(self.piece(slot, range));
            }
        }
        Ok(())
    }

    /// The position of the copy that is read: the same in all of a plan where there is the same choice, so that what is next to
    /// each other is read in one.
    pub(super) fn choose_copy(
        &self,
        stripe: u64,
        view: &mut impl View,
        plan: &mut Plan,
    ) -> Result<u32, Refused> {
        plan.copies.clear();
        let there = (0..self.positions()).filter_map(|position| self.locate(stripe, position));
        plan.copies.extend(there.map(|slot| slot.member));
        let first = *plan.copies.first().ok_or_else(|| self.lost_too_much(stripe))?;
        plan.chosen.resize(self.layout.members() as usize, NONE);
        let known = plan.chosen[first as usize];
        let member = if plan.copies.contains(&known) {
            known
        } else {
            let place = view.copy(&plan.copies);
            plan.copies.get(place).copied().unwrap_or(first)
        };
        plan.chosen[first as usize] = member;
        let is_on = |position: &u32| self.locate(stripe, *position).is_some_and(|slot| slot.member == member);
        (0..self.positions()).find(is_on).ok_or_else(|| self.lost_too_much(stripe))
    }

    /// Units under parity: those that are lost are worked out from the others.
    fn read_protected(&self, part: &Part, view: &impl View, plan: &mut Plan) -> Result<(), Refused> {
        let (stripe, strip) = (part.stripe, self.layout.strip());
        let missing = |position: &u32| {
            let range = part.of(*position, strip);
            self.locate(stripe, *position).is_none() && !self.has(view, stripe, *position, range)
        };
        if self.health.is_sound() || !(part.first..=part.last).any(|position| missing(&position)) {
            return self.read_units(part, view, plan);
        }
        let lost = (part.first..=part.last).filter(missing).map(|position| part.of(position, strip));
        let hull = lost.fold((strip, 0), |(from, upto), range| (from.min(range.0), upto.max(range.1)));
        plan.next_stripe();
        let of_q = self.survivors(stripe, Some(part), hull, view, plan)?;
        for position in part.first..=part.last {
            if missing(&position) {
                self.recover(stripe, position, hull, of_q, plan);
            }
        }
        Ok(())
    }

    /// Reads what lost units can be worked out from, the bytes `hull` of each: all data units that are there, and checks for those
    /// that are not; of data units what of them is in `part` as well. What is read are the sources of calculations. Says whether Q is
    /// among them.
    pub(super) fn survivors(
        &self,
        stripe: u64,
        part: Option<&Part>,
        hull: (u64, u64),
        view: &impl View,
        plan: &mut Plan,
    ) -> Result<bool, Refused> {
        let data = self.layout.level().data_units();
        let mut known = 0;
        for position in 0..data {
            let mut range = hull;
            if let Some(part) = part.filter(|part| part.has(position)) {
                let own = part.of(position, self.layout.strip());
                range = (range.0.min(own.0), range.1.max(own.1));
            }
            if self.has(view, stripe, position, range) {
                known += 1;
            } else if let Some(slot) = self.locate(stripe, position) {
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
            } else if let Some(slot) = self.locate(stripe, position) {
                plan.source(self.piece(slot, hull));
                known += 1;
            }
            of_q |= known > before && position > data;
        }
        if known < data { Err(self.lost_too_much(stripe)) } else { Ok(of_q) }
    }

    /// Works a lost unit out from the sources: as a sum, unless Q is among them or comes out.
    pub(super) fn recover(
        &self,
        stripe: u64,
        position: u32,
        (from, upto): (u64, u64),
        of_q: bool,
        plan: &mut Plan,
    ) -> u32 {
        let data = self.layout.level().data_units();
        let field = if of_q || position > data { Field::Galois } else { Field::Xor };
        let bytes = u64::from(data) * (upto - from);
        let unit = self.unit(stripe, position);
        plan.calculate(Calculation { what: What::Recover, field, unit, from, upto, bytes })
    }
}
