//! Tests of arrays of real bytes under random writes, failures, rebuilds and scrubs: no data are lost that the level promises to keep.

use crate::common::disks::{Disks, Reference, Request};
use crate::common::{LEVELS, array, galois};
use sansim_kernel::RandomStream;
use sansim_raid::layout::{ErasureCode, MemberRow, RaidLevel, StripeUnit};
use sansim_raid::{Array, MemberState, NoPlan, NumberSweep, RequestPlan, WriteRule};
use std::ops::Range;

struct Trial {
    name: String,
    array: Array,
    disks: Disks,
    reference: Reference,
    plan: RequestPlan,
    random: RandomStream,
    /// The number of rebuild steps, degraded reads and degraded writes that happened, which shows that the trial tests something.
    rebuilt: u64,
    degraded: u64,
    on_spares: u64,
    /// The number of writes that ran beside a rebuild.
    beside: u64,
}

impl Trial {
    fn new(text: &str, members: u32, seed: u64) -> Self {
        let mut random = RandomStream::new(seed, "trial");
        let strip = 1 + random.draw_below(9);
        let array = array(text, members, strip, 12 + random.draw_below(8));
        let mut trial = Self {
            name: format!("{text:?} of {members}, seed {seed}"),
            disks: Disks::new(&array, seed),
            reference: Reference::new(&array),
            array,
            plan: RequestPlan::new(),
            random,
            rebuilt: 0,
            degraded: 0,
            on_spares: 0,
            beside: 0,
        };
        let rules = [WriteRule::Never, WriteRule::IfFewer, WriteRule::Prefer, WriteRule::UpToHalf];
        trial.array.rule = rules[trial.random.draw_below(4) as usize];
        trial.array.partial_strips = trial.random.chance(0.7);
        trial
    }

    fn number(&mut self, below: u64) -> u64 {
        self.random.draw_below(below)
    }

    /// A random range that is not empty, and is mostly short.
    fn range(&mut self) -> (u64, u64) {
        let capacity = self.array.layout.capacity();
        let longest =
            if self.random.chance(0.2) { capacity } else { 3 * self.array.layout.stripe_unit_bytes() };
        let bytes = 1 + self.number(longest.min(capacity));
        (self.number(capacity - bytes + 1), bytes)
    }

    fn member(&mut self) -> u32 {
        self.number(self.array.layout.member_count().into()) as u32
    }

    /// The most units that any stripe has lost.
    fn most_lost(&self) -> u32 {
        let layout = &self.array.layout;
        let level = layout.raid_level();
        let positions = level.data_units() + layout.erasure_code().checks();
        let is_lost = |stripe, position: &u32| {
            self.array.health.present_slot(level, level.slot(stripe, *position)).is_none()
        };
        let lost = |stripe| (0..positions).filter(|position| is_lost(stripe, position)).count() as u32;
        (0..layout.stripe_count()).map(lost).max().unwrap_or(0)
    }

    fn cache_something(&mut self) {
        self.reference.cached.fill(false);
        self.reference.cached_checks.clear();
        if self.random.chance(0.5) {
            return;
        }
        for _ in 0..3 {
            let (offset, bytes) = self.range();
            self.reference.cached[offset as usize..(offset + bytes) as usize].fill(true);
        }
        let data = self.array.layout.raid_level().data_units();
        if self.array.layout.erasure_code().is_parity() {
            let stripe = self.number(self.array.layout.stripe_count());
            let position = data + self.number(self.array.layout.erasure_code().checks().into()) as u32;
            self.reference.cached_checks.insert(StripeUnit { stripe, position });
        }
        self.reference.copy = self.number(5) as usize;
    }

    fn write(&mut self) {
        let (offset, bytes) = self.range();
        self.write_range(offset, bytes);
    }

    fn write_range(&mut self, offset: u64, bytes: u64) {
        let new: Vec<u8> = (0..bytes).map(|_| self.random.next_u64() as u8).collect();
        self.cache_something();
        let mut view = &self.reference;
        let planned = self.array.plan_write(offset, bytes, &mut view, &mut self.plan);
        assert_eq!(planned, Ok(()), "{}", self.name);
        self.degraded += u64::from(!self.array.health.all_members_work());
        let request = Request { offset, new: &new };
        self.disks.carry_out(&self.array, &self.reference, request, &mut self.plan, usize::MAX);
        self.reference.bytes[offset as usize..(offset + bytes) as usize].copy_from_slice(&new);
        self.reference.cached.fill(false);
        self.reference.cached_checks.clear();
        self.is_consistent();
    }

    fn read(&mut self) {
        let (offset, bytes) = self.range();
        self.cache_something();
        self.reads_what_was_written(offset, bytes);
    }

    fn reads_what_was_written(&mut self, offset: u64, bytes: u64) {
        let mut view = &self.reference;
        let planned = self.array.plan_read(offset, bytes, &mut view, &mut self.plan);
        assert_eq!(planned, Ok(()), "{}", self.name);
        let found = self.disks.read(&self.array, &self.reference, (offset, bytes), &mut self.plan);
        let wanted = &self.reference.bytes[offset as usize..(offset + bytes) as usize];
        assert!(found.iter().zip(wanted).all(|(found, wanted)| *found == Some(*wanted)), "{}", self.name);
    }

    /// Every unit that is not lost has the expected content, checks included.
    fn is_consistent(&self) {
        let layout = &self.array.layout;
        let (level, strip) = (layout.raid_level(), layout.stripe_unit_bytes());
        let data = level.data_units();
        for stripe in 0..layout.stripe_count() {
            for position in 0..data + layout.erasure_code().checks() {
                let Some(slot) = self.array.health.present_slot(level, level.slot(stripe, position)) else {
                    continue;
                };
                for within in 0..strip {
                    let of = |unit: u32| {
                        let at = stripe * layout.stripe_bytes() + u64::from(unit) * strip + within;
                        self.reference.bytes[at as usize]
                    };
                    let wanted = match layout.erasure_code() {
                        ErasureCode::Copies(_) => of(0),
                        _ => galois::encode(position, &(0..data).map(of).collect::<Vec<_>>()),
                    };
                    let found =
                        self.disks.members[slot.member as usize][(slot.row * strip + within) as usize];
                    assert_eq!(found, wanted, "{}: position {position} of stripe {stripe}", self.name);
                }
            }
        }
    }

    /// A member fails, if the level promises to tolerate one more failure.
    fn fail(&mut self) {
        let member = self.member();
        let before = self.array.health.member_state(member);
        if matches!(before, MemberState::Failed | MemberState::Spared { .. }) {
            return;
        }
        self.array.health.set_member_state(member, MemberState::Failed);
        if self.most_lost() > self.array.layout.erasure_code().checks() {
            self.array.health.set_member_state(member, before);
        } else {
            self.disks.spoil(member);
        }
    }

    /// A failed member is replaced, or its content goes to a free spare.
    fn help(&mut self) {
        let member = self.member();
        let members = 0..self.array.layout.member_count();
        let has = |spare: u32| {
            members.clone().any(|member| match self.array.health.member_state(member) {
                MemberState::Spared { spare: its, .. } | MemberState::Returning { spare: its, .. } => {
                    its == spare
                }
                _ => false,
            })
        };
        let free = (0..self.array.layout.raid_level().spares()).find(|spare| !has(*spare));
        let state = match (self.array.health.member_state(member), free) {
            (MemberState::Failed, Some(spare)) if self.random.chance(0.7) => {
                MemberState::Spared { spare, rows: 0 }
            }
            (MemberState::Failed, _) => MemberState::Rebuilding { rows: 0 },
            (MemberState::Spared { spare, rows }, _) if rows == self.array.layout.rows_per_member() => {
                MemberState::Returning { spare, rows: 0 }
            }
            _ => return,
        };
        if !matches!(state, MemberState::Spared { .. }) {
            self.disks.spoil(member);
        }
        self.array.health.set_member_state(member, state);
    }

    /// Rebuilds some rows of a member.
    fn rebuild(&mut self) {
        let member = self.member();
        let all = self.array.layout.rows_per_member();
        let state = self.array.health.member_state(member);
        let (MemberState::Rebuilding { rows }
        | MemberState::Spared { rows, .. }
        | MemberState::Returning { rows, .. }) = state
        else {
            return;
        };
        if rows == all {
            return;
        }
        let upto = (rows + 1 + self.number(6)).min(all);
        let between = rows + self.number(upto - rows);
        // The later rows are rebuilt first, then writes are made that touch neither part, then the earlier rows are rebuilt.
        self.rebuild_rows(member, between..upto);
        for _ in 0..3 {
            let (offset, bytes) = self.range();
            if !self.array.range_touches_rows(member, rows..upto, offset, bytes) {
                self.write_range(offset, bytes);
                self.beside += 1;
            }
        }
        self.rebuild_rows(member, rows..between);
        let next = match state {
            MemberState::Spared { spare, .. } => MemberState::Spared { spare, rows: upto },
            _ if upto == all => MemberState::Working,
            MemberState::Returning { spare, .. } => MemberState::Returning { spare, rows: upto },
            _ => MemberState::Rebuilding { rows: upto },
        };
        self.array.health.set_member_state(member, next);
        self.rebuilt += upto - rows;
        self.on_spares += u64::from(matches!(next, MemberState::Spared { rows, .. } if rows == all));
        self.is_consistent();
    }

    fn rebuild_rows(&mut self, member: u32, rows: Range<u64>) {
        self.cache_something();
        let mut view = &self.reference;
        let planned = self.array.plan_rebuild(member, rows, &mut view, &mut self.plan);
        assert_eq!(planned, Ok(()), "{}", self.name);
        let nothing = Request { offset: 0, new: &[] };
        self.disks.carry_out(&self.array, &self.reference, nothing, &mut self.plan, usize::MAX);
    }

    fn scrub(&mut self) {
        let mut sweep = NumberSweep::new(self.array.layout.stripe_count());
        self.reference.cached.fill(false);
        self.reference.cached_checks.clear();
        while let Some(stripes) = sweep.next_numbers(5) {
            self.array.plan_scrub(stripes.clone(), &mut self.plan);
            let nothing = Request { offset: 0, new: &[] };
            let differences =
                self.disks.carry_out(&self.array, &self.reference, nothing, &mut self.plan, usize::MAX);
            assert_eq!(differences, 0, "{}", self.name);
            sweep.range_completed(&stripes);
        }
        assert!(sweep.is_complete());
    }

    fn run(&mut self, steps: u32) {
        for _ in 0..steps {
            match self.number(20) {
                0 => self.fail(),
                1..=2 => self.help(),
                3..=7 => self.rebuild(),
                8 => self.scrub(),
                9..=13 => self.read(),
                _ => self.write(),
            }
        }
        self.reference.cached.fill(false);
        self.reference.cached_checks.clear();
        self.reads_what_was_written(0, self.array.layout.capacity());
    }
}

/// A trial of every level in the list, with a few seeds each.
fn trials() -> impl Iterator<Item = Trial> {
    let arrays = LEVELS.iter().flat_map(|(text, all)| all.iter().map(move |members| (*text, *members)));
    arrays.flat_map(|(text, members)| (0..8).map(move |seed| Trial::new(text, members, seed)))
}

#[test]
fn no_level_loses_or_changes_what_it_promises_to_keep() {
    let (mut rebuilt, mut degraded, mut on_spares, mut beside) = (0, 0, 0, 0);
    for mut trial in trials() {
        trial.run(250);
        (rebuilt, degraded) = (rebuilt + trial.rebuilt, degraded + trial.degraded);
        (on_spares, beside) = (on_spares + trial.on_spares, beside + trial.beside);
    }
    assert!(beside > 1_000, "{beside}");
    assert!(rebuilt > 10_000 && degraded > 10_000 && on_spares > 30, "{rebuilt} {degraded} {on_spares}");
}

/// Whatever has failed, a read returns the written data, or reports that they are lost.
#[test]
fn a_read_after_too_many_failures_is_refused_or_right() {
    let (mut refused, mut right) = (0, 0);
    for mut trial in trials() {
        (0..10).for_each(|_| trial.write());
        let failures = 1 + trial.array.layout.erasure_code().checks() + u32::from(trial.random.chance(0.5));
        for _ in 0..failures {
            let member = trial.member();
            trial.array.health.set_member_state(member, MemberState::Failed);
            trial.disks.spoil(member);
        }
        for _ in 0..30 {
            let (offset, bytes) = trial.range();
            match trial.array.plan_read(offset, bytes, &mut (), &mut trial.plan) {
                Ok(()) => {
                    trial.reads_what_was_written(offset, bytes);
                    right += 1;
                }
                Err(NoPlan::Lost { lost, stands, .. }) => {
                    assert!(lost > stands, "{}", trial.name);
                    assert!(trial.plan.plan_operations().is_empty());
                    refused += 1;
                }
                Err(other) => panic!("{other}"),
            }
            // An accepted write is kept as far as the remaining members allow.
            let (offset, bytes) = trial.range();
            if trial.array.plan_write(offset, bytes, &mut (), &mut trial.plan).is_ok() {
                let new: Vec<u8> = (0..bytes).map(|_| trial.random.next_u64() as u8).collect();
                let request = Request { offset, new: &new };
                trial.disks.carry_out(&trial.array, &trial.reference, request, &mut trial.plan, usize::MAX);
                trial.reference.bytes[offset as usize..(offset + bytes) as usize].copy_from_slice(&new);
                trial.reads_what_was_written(offset, bytes);
            }
        }
    }
    assert!(refused > 500 && right > 500, "{refused} {right}");
}

/// A member fails, and its distributed spare space on another member that fails as well; both are found on the second spare.
#[test]
fn what_was_rebuilt_into_spare_space_survives_the_member_that_has_it() {
    let text = "level = \"declustered\"\ndata = 2\nspares = 2\npermutations = 2";
    let mut trial = Trial::new(text, 6, 1);
    (0..20).for_each(|_| trial.write());
    // The members are the one with the spare space of the first row, and one with a unit in that row.
    let level = trial.array.layout.raid_level();
    let second = level.spare_slot(0, 0).map_or(0, |slot| slot.member);
    let has_something =
        |member: &u32| trial.array.layout.unit_in_slot(MemberRow { member: *member, row: 0 }).is_some();
    let first = (0..6).find(has_something).unwrap_or(second);
    let third = (0..6).find(|member| *member != first && *member != second).unwrap_or(second);
    for (spare, member) in [(0, first), (1, second)] {
        trial.array.health.set_member_state(member, MemberState::Failed);
        trial.disks.spoil(member);
        trial.array.health.set_member_state(member, MemberState::Spared { spare, rows: 0 });
        while trial.array.health.member_state(member)
            != (MemberState::Spared { spare, rows: trial.array.layout.rows_per_member() })
        {
            trial.rebuild();
        }
    }
    assert_eq!(trial.most_lost(), 0);
    let level = trial.array.layout.raid_level();
    let found = trial.array.health.present_slot(level, MemberRow { member: first, row: 0 });
    assert_eq!(found, level.spare_slot(0, 1), "on the second spare, by way of the first");
    // Single parity tolerates a third failure, as both other members have been rebuilt.
    trial.array.health.set_member_state(third, MemberState::Failed);
    trial.disks.spoil(third);
    assert_eq!(trial.most_lost(), 1);
    trial.reads_what_was_written(0, trial.array.layout.capacity());
}

/// A write is interrupted between its accesses.
#[test]
fn an_interrupted_write_leaves_a_hole_until_the_stripe_is_repaired() {
    let (mut holes, mut trials) = (0, 0);
    for seed in 0..40 {
        for writes in 0..5 {
            for repair in [false, true] {
                let mut trial = Trial::new("level = \"5\"", 4, seed);
                (0..5).for_each(|_| trial.write());
                let strip = trial.array.layout.stripe_unit_bytes();
                let (offset, bytes) = (seed % 5 * strip, strip);
                let new = vec![0xff; bytes as usize];
                let planned = trial.array.plan_write(offset, bytes, &mut (), &mut trial.plan);
                assert_eq!(planned, Ok(()));
                let request = Request { offset, new: &new };
                trial.disks.carry_out(&trial.array, &trial.reference, request, &mut trial.plan, writes);
                // With all members working each unit is the old or the new one, and all other units are unchanged.
                let old = trial.reference.bytes.clone();
                let all = (0, trial.array.layout.capacity());
                let found = |trial: &mut Trial| {
                    let planned = trial.array.plan_read(all.0, all.1, &mut (), &mut trial.plan);
                    assert_eq!(planned, Ok(()));
                    trial.disks.read(&trial.array, &trial.reference, all, &mut trial.plan)
                };
                let untouched = |found: &[Option<u8>]| {
                    (0..).zip(found).all(|(at, byte)| {
                        (offset..offset + bytes).contains(&at) || *byte == Some(old[at as usize])
                    })
                };
                let now = found(&mut trial);
                let written = &now[offset as usize..(offset + bytes) as usize];
                assert!(untouched(&now));
                let is_old = (offset..).zip(written).all(|(at, byte)| *byte == Some(old[at as usize]));
                assert!(is_old || written.iter().all(|byte| *byte == Some(0xff)));
                if repair {
                    let stripes = 0..trial.array.layout.stripe_count();
                    assert_eq!(trial.array.plan_check_repair(stripes, &mut trial.plan), Ok(()));
                    let nothing = Request { offset: 0, new: &[] };
                    trial.disks.carry_out(
                        &trial.array,
                        &trial.reference,
                        nothing,
                        &mut trial.plan,
                        usize::MAX,
                    );
                }
                // Then a member fails that has another unit of the stripe.
                let other = if (offset / strip).is_multiple_of(3) { offset + strip } else { offset - strip };
                let member = trial.array.layout.locate_offset(other).map_or(0, |(member, _)| member);
                trial.array.health.set_member_state(member, MemberState::Failed);
                trial.disks.spoil(member);
                let after = found(&mut trial);
                let is_whole = untouched(&after);
                assert!(is_whole || !repair && writes == 1, "{writes} writes, repaired: {repair}");
                holes += u32::from(!is_whole);
                trials += 1;
            }
        }
    }
    assert!(holes > 20, "{holes} holes in {trials} trials");
}

/// Copies that differ are made equal by a repair, and until then a scrub reports the difference.
#[test]
fn a_scrub_finds_what_an_interrupted_write_left_and_a_repair_ends_it() {
    for (text, all) in LEVELS {
        for seed in 0..4 {
            let mut trial = Trial::new(text, all[0], seed);
            if trial.array.layout.erasure_code().checks() == 0 {
                continue;
            }
            (0..5).for_each(|_| trial.write());
            let strip = trial.array.layout.stripe_unit_bytes();
            let new: Vec<u8> = trial.reference.bytes[..strip as usize].iter().map(|byte| !byte).collect();
            assert_eq!(trial.array.plan_write(0, strip, &mut (), &mut trial.plan), Ok(()));
            let request = Request { offset: 0, new: &new };
            trial.disks.carry_out(&trial.array, &trial.reference, request, &mut trial.plan, 1);
            let nothing = Request { offset: 0, new: &[] };
            let all = 0..trial.array.layout.stripe_count();
            let scrubbed = |trial: &mut Trial| {
                trial.array.plan_scrub(all.clone(), &mut trial.plan);
                trial.disks.carry_out(&trial.array, &trial.reference, nothing, &mut trial.plan, usize::MAX)
            };
            assert!(scrubbed(&mut trial) > 0, "{}", trial.name);
            let stripes = 0..trial.array.layout.stripe_count();
            assert_eq!(trial.array.plan_check_repair(stripes, &mut trial.plan), Ok(()));
            trial.disks.carry_out(&trial.array, &trial.reference, nothing, &mut trial.plan, usize::MAX);
            assert_eq!(scrubbed(&mut trial), 0, "{}", trial.name);
        }
    }
}
