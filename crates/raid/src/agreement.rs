//! The agreement of an array: the checks that agree with their data, byte by byte, and the copies that are equal. A real array does not
//! know which checks agree, and the model has no contents; but the history of completed and interrupted writes determines the agreement.
//!
//! All checks agree at first. A write that is carried out only in part, because power was lost between its first and its last access,
//! leaves checks that disagree with their data (the *write hole*): a check agrees if it is new together with all written data units, or old
//! together with all of them. A check that is calculated from all data agrees; a check that is updated from the replaced data agrees or
//! disagrees as before. A unit that is recovered from a disagreeing check is wrong, and if it is written it becomes the data from then on:
//! the checks from which it was recovered agree with it, other checks do not.
//!
//! The contents are assumed to differ wherever they are rewritten. The content of a unit on a failed member is given by the checks.

use crate::array::Array;
use crate::health::MemberState;
use crate::layout::{ErasureCode, MemberRow, RaidLevel, StripeUnit};
use crate::plan::{CalculationKind, PlanStep, RequestPlan};
use sansim_kernel::Ranges;
use std::collections::BTreeMap;
use std::ops::Range;

/// The agreement of an array: which checks agree with their data, and which copies are equal.
#[derive(Clone, Debug, Default)]
pub struct Agreement {
    /// The bytes of the first and of the second check that disagree, stripe after stripe as bytes of their stripe units; with copies the
    /// first entry covers all copies.
    apart: [Ranges; 2],
}

/// A unit that a plan recovers from checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecoveredUnit {
    /// The unit that is recovered.
    unit: StripeUnit,
    /// The first byte within the stripe unit, and the end, of the recovered bytes.
    from: u64,
    upto: u64,
    /// The checks from which the unit is recovered.
    of: [bool; 2],
    /// The lost data units of the stripe: if the recovered unit is written it determines all of them.
    lost: [Option<u32>; 2],
    /// Whether one of the checks disagrees with its data there.
    pub wrong: bool,
}

impl RecoveredUnit {
    /// The bytes of the array that are lost and are determined by the recovered unit from the time on when it is written.
    pub fn lost_bytes(&self, array: &Array) -> impl Iterator<Item = Range<u64>> + use<> {
        let starts = self.lost.map(|lost| lost.map(|position| array.logical(self.unit.stripe, position)));
        let (from, upto) = (self.from, self.upto);
        starts.into_iter().flatten().map(move |start| start + from..start + upto)
    }
}

/// A unit to which an interrupted write would have written bytes.
#[derive(Clone, Copy, Debug)]
struct Touched {
    position: u32,
    from: u64,
    upto: u64,
    /// Whether the interrupted write has written the bytes.
    is_new: bool,
}

impl Touched {
    fn covers(&self, from: u64) -> bool {
        (self.from..self.upto).contains(&from)
    }
}

impl Agreement {
    /// Whether all checks agree with their data.
    #[inline]
    pub fn all_checks_agree(&self) -> bool {
        self.apart.iter().all(Ranges::is_empty)
    }

    /// Whether a check of a stripe disagrees with its data anywhere; with `check` 0 and a mirror, whether its copies differ.
    pub fn check_disagrees(&self, array: &Array, stripe: u64, check: usize) -> bool {
        self.check_disagrees_within(array, stripe, check, 0..array.layout.stripe_unit_bytes())
    }

    /// Whether these bytes of the stripe unit of a check disagree with their data anywhere; with `check` 0 and a mirror, whether the copies
    /// differ.
    pub fn check_disagrees_within(
        &self,
        array: &Array,
        stripe: u64,
        check: usize,
        bytes: Range<u64>,
    ) -> bool {
        self.apart[check].first_within(bytes_of(array, stripe, bytes.start, bytes.end)).is_some()
    }

    /// The number of stripes with a check or copy that disagrees.
    pub fn disagreeing_stripe_count(&self, array: &Array) -> u64 {
        let strip = array.layout.stripe_unit_bytes();
        let all = 0..array.layout.stripe_count() * strip;
        let mut stripes: Vec<u64> = Vec::new();
        for ranges in &self.apart {
            stripes.extend(
                ranges
                    .ranges_within(all.clone())
                    .flat_map(|part| part.start / strip..part.end.div_ceil(strip)),
            );
        }
        stripes.sort_unstable();
        stripes.dedup();
        stripes.len() as u64
    }

    /// All bytes that a plan writes have been written.
    pub fn plan_written(&mut self, array: &Array, plan: &RequestPlan) {
        if self.all_checks_agree() {
            return;
        }
        let is_copies = matches!(array.layout.erasure_code(), ErasureCode::Copies(_));
        for operation in plan.plan_operations() {
            match operation.action {
                PlanStep::Calculate(made) if made.what == CalculationKind::Encode => {
                    let check = (made.unit.position - array.layout.raid_level().data_units()) as usize;
                    self.apart[check].remove(bytes_of(array, made.unit.stripe, made.from, made.upto));
                }
                PlanStep::Write(piece) if is_copies => {
                    for (unit, from, upto) in array.units(piece) {
                        self.apart[0].remove(bytes_of(array, unit.stripe, from, upto));
                    }
                }
                _ => {}
            }
        }
    }

    /// A write was interrupted: these of its operations have not been carried out.
    pub fn write_interrupted(&mut self, array: &Array, plan: &RequestPlan, undone: &[u32]) {
        if array.layout.erasure_code() == ErasureCode::None {
            return;
        }
        let mut stripes: BTreeMap<u64, Vec<Touched>> = BTreeMap::new();
        for (number, operation) in (0..).zip(plan.plan_operations()) {
            let PlanStep::Write(piece) = operation.action else { continue };
            if matches!(
                array.health.member_state(piece.member),
                MemberState::Failed | MemberState::Spared { .. }
            ) {
                continue;
            }
            let is_new = !undone.contains(&number);
            for (StripeUnit { stripe, position }, from, upto) in array.units(piece) {
                stripes.entry(stripe).or_default().push(Touched { position, from, upto, is_new });
            }
        }
        let is_made_anew = |stripe: u64, position: u32, from: u64| {
            plan.plan_operations().iter().any(|operation| match operation.action {
                PlanStep::Calculate(made) => {
                    made.what == CalculationKind::Encode
                        && made.unit == StripeUnit { stripe, position }
                        && (made.from..made.upto).contains(&from)
                }
                _ => false,
            })
        };
        for (stripe, touched) in stripes {
            let mut cuts: Vec<u64> = touched.iter().flat_map(|one| [one.from, one.upto]).collect();
            cuts.sort_unstable();
            cuts.dedup();
            for between in cuts.windows(2) {
                let bytes = bytes_of(array, stripe, between[0], between[1]);
                self.cut_between(array, stripe, bytes, between[0], &touched, &is_made_anew);
            }
        }
    }

    /// Notes an interrupted write for a range of bytes of which each unit has either all or none written.
    fn cut_between(
        &mut self,
        array: &Array,
        stripe: u64,
        bytes: Range<u64>,
        from: u64,
        touched: &[Touched],
        is_made_anew: &impl Fn(u64, u32, u64) -> bool,
    ) {
        let data = array.layout.raid_level().data_units();
        let of = |is_data: bool, is_new: bool| {
            touched
                .iter()
                .any(|one| one.covers(from) && one.is_new == is_new && (one.position < data) == is_data)
        };
        if let ErasureCode::Copies(_) = array.layout.erasure_code() {
            let has = |is_new: bool| of(true, is_new) || of(false, is_new);
            match (has(true), has(false)) {
                (true, true) => self.apart[0].add(bytes),
                (true, false) => self.apart[0].remove(bytes),
                _ => {}
            }
            return;
        }
        // If all data that would have been written are lost, the new checks determine them, and the old checks disagree.
        let is_said_by_new = !of(true, true) && !of(true, false) && of(false, true);
        for one in touched.iter().filter(|one| one.position >= data && one.covers(from)) {
            let apart = &mut self.apart[(one.position - data) as usize];
            // The data units of the stripe that can be read are new or old, and decide whether the check agrees.
            if of(true, !one.is_new) || (is_said_by_new && !one.is_new) {
                apart.add(bytes.clone());
            } else if one.is_new && is_made_anew(stripe, one.position, from) {
                apart.remove(bytes.clone());
            }
        }
    }

    /// The units that a plan recovers from checks, with the members in their state when the plan is made; in parts, so that each part is
    /// either wrong or right.
    pub fn recovered_units(&self, array: &Array, plan: &RequestPlan, found: &mut Vec<RecoveredUnit>) {
        found.clear();
        if self.all_checks_agree() {
            return;
        }
        let level = array.layout.raid_level();
        let data = level.data_units();
        for operation in plan.plan_operations() {
            let PlanStep::Calculate(made) = operation.action else { continue };
            if made.what != CalculationKind::Recover {
                continue;
            }
            let is_there = |position: u32| {
                array.health.present_slot(level, level.slot(made.unit.stripe, position)).is_some()
            };
            let mut gone = (0..data).filter(|position| !is_there(*position));
            let lost = [gone.next(), gone.next()];
            let many = lost.iter().flatten().count();
            // The survivors are chosen in the same order as in a plan: data, then the first check, then the second.
            let of_first = many > 0 && is_there(data);
            let of = [of_first, many > usize::from(of_first)];
            let whole =
                RecoveredUnit { unit: made.unit, from: made.from, upto: made.upto, of, lost, wrong: false };
            found.push(whole);
            let mut wrong = Ranges::default();
            for (apart, _) in self.apart.iter().zip(of).filter(|(_, of)| *of) {
                let bytes = bytes_of(array, made.unit.stripe, made.from, made.upto);
                apart.ranges_within(bytes).for_each(|part| wrong.add(part));
            }
            let strip = array.layout.stripe_unit_bytes();
            let base = made.unit.stripe * strip;
            let parts = wrong.ranges_within(0..u64::MAX);
            found.extend(parts.map(|part| RecoveredUnit {
                from: part.start - base,
                upto: part.end - base,
                wrong: true,
                ..whole
            }));
        }
    }

    /// Notes that the recovered units are written to their members, or into checks. Returns the number of bytes of data that are wrong from
    /// now on.
    pub fn recovered_units_written(&mut self, array: &Array, worked_out: &[RecoveredUnit]) -> u64 {
        let checks = array.layout.erasure_code().checks() as usize;
        let mut wrong = 0;
        for one in worked_out {
            let bytes = bytes_of(array, one.unit.stripe, one.from, one.upto);
            let own = one.unit.position.checked_sub(array.layout.raid_level().data_units());
            let is_own = |check: usize| own.is_some_and(|own| own as usize == check);
            if !one.wrong {
                // A check that is calculated anew agrees with the units from which it was calculated.
                (0..checks)
                    .filter(|check| is_own(*check))
                    .for_each(|check| self.apart[check].remove(bytes.clone()));
                continue;
            }
            let is_apart =
                |check: usize| one.of[check] && self.apart[check].first_within(bytes.clone()).is_some();
            if !(0..checks).any(is_apart) {
                // Another recovered unit of the same stripe has determined the lost data already.
                continue;
            }
            wrong += one.lost_bytes(array).map(|bytes| bytes.end - bytes.start).sum::<u64>();
            for check in 0..checks {
                let agrees = one.of[check] || is_own(check);
                let apart = &mut self.apart[check];
                if agrees { apart.remove(bytes.clone()) } else { apart.add(bytes.clone()) }
            }
        }
        wrong
    }

    /// Copies have been made of the only remaining copy, so all copies are equal.
    pub fn copies_made(&mut self, array: &Array, plan: &RequestPlan) {
        if self.all_checks_agree() || !matches!(array.layout.erasure_code(), ErasureCode::Copies(_)) {
            return;
        }
        let level = array.layout.raid_level();
        let positions = level.data_units() + array.layout.erasure_code().checks();
        for operation in plan.plan_operations() {
            let PlanStep::Write(piece) = operation.action else { continue };
            for (unit, from, upto) in array.units(piece) {
                let there = (0..positions)
                    .filter_map(|position| {
                        array.health.present_slot(level, level.slot(unit.stripe, position))
                    })
                    .filter(|slot| slot.member != piece.member);
                if there.count() == 1 {
                    self.apart[0].remove(bytes_of(array, unit.stripe, from, upto));
                }
            }
        }
    }

    /// The stripes that a scrub finds to disagree: the scrub compares bytes of them that disagree.
    pub fn disagreeing_stripes<'a>(
        &'a self,
        array: &'a Array,
        plan: &'a RequestPlan,
    ) -> impl Iterator<Item = u64> + 'a {
        let data = array.layout.raid_level().data_units();
        let mut last = None;
        plan.plan_operations().iter().filter_map(move |operation| {
            let PlanStep::Calculate(made) = operation.action else { return None };
            let check = made.unit.position.saturating_sub(data) as usize;
            let is_found = made.what == CalculationKind::Compare
                && last != Some(made.unit.stripe)
                && self.check_disagrees(array, made.unit.stripe, check);
            is_found.then(|| {
                last = Some(made.unit.stripe);
                made.unit.stripe
            })
        })
    }

    /// The readable checks of stripes have been calculated anew from all data, or all copies have been made from one.
    pub fn checks_recalculated(&mut self, array: &Array, stripes: Range<u64>) {
        let strip = array.layout.stripe_unit_bytes();
        let level = array.layout.raid_level();
        let data = level.data_units();
        for (stripe, check) in stripes.flat_map(|stripe| (0..2_u32).map(move |check| (stripe, check))) {
            let is_there = check >= array.layout.erasure_code().checks()
                || matches!(array.layout.erasure_code(), ErasureCode::Copies(_))
                || array.health.present_slot(level, level.slot(stripe, data + check)).is_some();
            if is_there {
                self.apart[check as usize].remove(stripe * strip..(stripe + 1) * strip);
            }
        }
    }
}

/// The bytes of the stripe units of a stripe, numbered over all stripes.
fn bytes_of(array: &Array, stripe: u64, from: u64, upto: u64) -> Range<u64> {
    let base = stripe * array.layout.stripe_unit_bytes();
    base + from..base + upto
}

impl Array {
    /// The units of which a piece of a member holds bytes, and the range of these bytes in the stripe unit.
    fn units(&self, piece: crate::layout::MemberPiece) -> impl Iterator<Item = (StripeUnit, u64, u64)> + '_ {
        let strip = self.layout.stripe_unit_bytes();
        let end = piece.offset + piece.bytes;
        (piece.offset / strip..end.div_ceil(strip)).filter_map(move |row| {
            let slot = MemberRow { member: piece.member, row };
            let unit = self.health.unit_held(&self.layout, slot)?;
            let base = row * strip;
            Some((unit, piece.offset.max(base) - base, end.min(base + strip) - base))
        })
    }
}
