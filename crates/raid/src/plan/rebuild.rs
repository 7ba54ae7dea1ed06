//! Rebuilding: row by row of a member, from the remaining units of each stripe to the destination that the member's state gives.

use super::{PlanContext, RequestPlan};
use crate::array::{Array, NoPlan};
use crate::layout::{ErasureCode, MemberRow, RaidLevel, StripeUnit};
use std::ops::Range;

impl Array {
    /// Plans the rebuilding of some rows of a member that is [`Rebuilding`](crate::MemberState::Rebuilding),
    /// [`Spared`](crate::MemberState::Spared) or [`Returning`](crate::MemberState::Returning). Cached units are written, units in the space
    /// of a distributed spare are copied back, mirrored units are copied, and all other units are recovered from their stripe. A rebuild
    /// skips spare space, unless a unit of another member was rebuilt in it, and units without a destination, because the member of their
    /// spare space has failed as well: the rebuild of that member restores them.
    ///
    /// # Errors
    /// If content of these rows is lost; then there is no plan.
    pub fn plan_rebuild(
        &self,
        member: u32,
        rows: Range<u64>,
        view: &mut impl PlanContext,
        plan: &mut RequestPlan,
    ) -> Result<(), NoPlan> {
        plan.clear(self.layout.member_count());
        let level = self.layout.raid_level();
        let rebuilt = (rows.start..rows.end.min(self.layout.rows_per_member())).try_for_each(|row| {
            let slot = MemberRow { member, row };
            let (Some(unit), Some(to)) =
                (self.health.unit_held(&self.layout, slot), self.health.rebuild_destination(level, slot))
            else {
                return Ok(());
            };
            self.rebuild_unit(unit, to, view, plan)
        });
        rebuilt.inspect_err(|_| plan.clear(0))
    }

    /// Whether a logical range has bytes in a stripe of which some of these rows of a member hold a unit: a write to the range must not be
    /// in progress while these rows are rebuilt.
    pub fn range_touches_rows(&self, member: u32, rows: Range<u64>, offset: u64, bytes: u64) -> bool {
        let stripes = self.layout.stripes_of(offset, bytes);
        rows.into_iter().any(|row| {
            let held = self.health.unit_held(&self.layout, MemberRow { member, row });
            held.is_some_and(|unit| stripes.contains(&unit.stripe))
        })
    }

    fn rebuild_unit(
        &self,
        unit: StripeUnit,
        to: MemberRow,
        view: &mut impl PlanContext,
        plan: &mut RequestPlan,
    ) -> Result<(), NoPlan> {
        let whole = (0, self.layout.stripe_unit_bytes());
        let StripeUnit { stripe, position } = unit;
        self.begin(stripe, plan);
        let at = self.locate(stripe, position);
        if at == Some(to) {
            return Ok(());
        }
        if self.is_cached(unit, view) {
            plan.write(self.piece(to, whole));
            return Ok(());
        }
        let copy = match (at, self.layout.erasure_code()) {
            (Some(at), _) => Some(at),
            (None, ErasureCode::None) => return Err(self.lost_too_much(stripe)),
            (None, ErasureCode::Copies(_)) => {
                let position = self.choose_copy(stripe, 0, view, plan)?;
                self.locate(stripe, position)
            }
            (None, ErasureCode::Parity | ErasureCode::DoubleParity) => None,
        };
        if let Some(at) = copy {
            let read = plan.read(self.piece(at, whole));
            // The write waits for the read, as other writes wait for calculations.
            plan.sums.push(read);
        } else {
            let of_q = self.survivors(stripe, None, whole, view, plan)?;
            self.recover(stripe, position, whole, of_q, plan);
        }
        plan.write(self.piece(to, whole));
        Ok(())
    }

    /// Whether the cache has all bytes of a unit.
    fn is_cached(&self, unit: StripeUnit, view: &impl PlanContext) -> bool {
        let whole = (0, self.layout.stripe_unit_bytes());
        match self.layout.erasure_code() {
            ErasureCode::Copies(_) => self.has(view, unit.stripe, 0, whole),
            _ if unit.position < self.layout.raid_level().data_units() => {
                self.has(view, unit.stripe, unit.position, whole)
            }
            _ => view.cached_check(unit, whole.0, whole.1),
        }
    }
}
