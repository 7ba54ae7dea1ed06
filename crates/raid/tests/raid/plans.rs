//! Tests of the cost of plans: the number, kind and order of their accesses.

use crate::common::{LEVELS, array};
use sansim_raid::analysis::loads;
use sansim_raid::layout::{MemberPiece, RaidLevel, StripeUnit};
use sansim_raid::plan::{ArithmeticField, Calculation, CalculationKind};
use sansim_raid::{Array, MemberState, NoPlan, PlanContext, PlanStep, RequestPlan, WriteRule};

/// The number of reads, writes and calculations of a plan.
#[derive(Debug, Default, PartialEq)]
struct Count {
    reads: usize,
    writes: usize,
    sums: usize,
}

fn count(plan: &RequestPlan) -> Count {
    let of = |wanted: fn(&PlanStep) -> bool| {
        plan.plan_operations().iter().filter(|operation| wanted(&operation.action)).count()
    };
    Count {
        reads: of(|action| matches!(action, PlanStep::Read(_))),
        writes: of(|action| matches!(action, PlanStep::Write(_))),
        sums: of(|action| matches!(action, PlanStep::Calculate(_))),
    }
}

fn write(array: &Array, offset: u64, bytes: u64) -> RequestPlan {
    let mut plan = RequestPlan::new();
    assert_eq!(array.plan_write(offset, bytes, &mut (), &mut plan), Ok(()));
    plan
}

fn read(array: &Array, offset: u64, bytes: u64) -> RequestPlan {
    let mut plan = RequestPlan::new();
    assert_eq!(array.plan_read(offset, bytes, &mut (), &mut plan), Ok(()));
    plan
}

fn calculations(plan: &RequestPlan) -> Vec<Calculation> {
    let calculation = |action: PlanStep| match action {
        PlanStep::Calculate(calculation) => Some(calculation),
        _ => None,
    };
    plan.plan_operations().iter().filter_map(|operation| calculation(operation.action)).collect()
}

const STRIP: u64 = 64;

#[test]
fn a_small_write_is_two_accesses_to_a_mirror_four_to_parity_and_six_to_p_and_q() {
    for (text, members, accesses) in [
        ("level = \"0\"", 8, 1),
        ("level = \"1\"", 2, 2),
        ("level = \"10\"", 7, 2),
        ("level = \"1+0\"", 8, 2),
        ("level = \"4\"", 8, 4),
        ("level = \"5\"", 8, 4),
        ("level = \"6\"", 8, 6),
        ("level = \"declustered\"\ndata = 5\nspares = 1", 12, 4),
        ("level = \"declustered\"\ndata = 6\nparity = 2\nspares = 1", 12, 6),
    ] {
        let array = array(text, members, STRIP, 100);
        for unit in 0..40 {
            let counted = count(&write(&array, unit * STRIP, STRIP));
            assert_eq!(counted.reads + counted.writes, accesses, "{text}, unit {unit}");
        }
    }
}

/// The reads that each method of a write needs, as counted by hand: of D data units w are written, with m checks.
#[test]
fn the_way_with_fewer_reads_is_taken_and_equals_as_the_rule_says() {
    for (text, checks) in [("level = \"5\"", 1), ("level = \"6\"", 2)] {
        for members in 5..14 {
            let data = members - checks;
            for written in 1..=data {
                let (modify, reconstruct) = (written + checks, data - written);
                for (rule, reads) in [
                    (WriteRule::Never, reconstruct),
                    (WriteRule::IfFewer, if modify < reconstruct { modify } else { reconstruct }),
                    (WriteRule::Prefer, if modify <= reconstruct { modify } else { reconstruct }),
                    (WriteRule::UpToHalf, if 2 * written <= data { modify } else { reconstruct }),
                ] {
                    let mut array = array(text, members, STRIP, 10);
                    array.rule = rule;
                    let plan = write(&array, 0, u64::from(written) * STRIP);
                    let wanted = Count {
                        reads: reads as usize,
                        writes: (written + checks) as usize,
                        sums: checks as usize,
                    };
                    assert_eq!(count(&plan), wanted, "{text} of {members}, {written} written");
                    let by_modify = calculations(&plan).iter().all(|sum| sum.what == CalculationKind::Update);
                    let expected = match rule {
                        WriteRule::Never => false,
                        WriteRule::IfFewer => modify < reconstruct,
                        WriteRule::Prefer => modify <= reconstruct,
                        WriteRule::UpToHalf => 2 * written <= data,
                    };
                    assert_eq!(by_modify, expected, "{text} of {members}, {written} written by {rule}");
                }
            }
        }
    }
}

#[test]
fn a_write_of_whole_stripes_reads_nothing_and_writes_each_member_once() {
    for (text, members) in [("level = \"5\"", 5), ("level = \"6\"", 6), ("level = \"4\"", 4)] {
        let array = array(text, members, STRIP, 100);
        let plan = write(&array, 3 * array.layout.stripe_bytes(), 20 * array.layout.stripe_bytes());
        let checks = array.layout.erasure_code().checks() as usize;
        assert_eq!(count(&plan), Count { reads: 0, writes: members as usize, sums: 20 * checks });
    }
}

#[test]
fn a_long_read_of_striped_units_or_mirrors_is_one_access_to_each_member() {
    for (text, members, accesses) in
        [("level = \"0\"", 6, 6), ("level = \"1\"", 3, 1), ("level = \"1+0\"", 8, 4)]
    {
        let array = array(text, members, STRIP, 1000);
        let plan = read(&array, 5 * STRIP + 3, 500 * STRIP);
        assert_eq!(count(&plan), Count { reads: accesses, ..Count::default() }, "{text}");
        let bytes: u64 = plan
            .plan_operations()
            .iter()
            .map(|operation| match operation.action {
                PlanStep::Read(MemberPiece { bytes, .. }) => bytes,
                _ => 0,
            })
            .sum();
        assert_eq!(bytes, 500 * STRIP);
    }
}

#[test]
fn the_end_of_a_unit_and_the_beginning_of_the_next_are_two_small_writes() {
    let array = array("level = \"5\"", 8, STRIP, 10);
    let plan = write(&array, STRIP - 10, 30);
    // The parts of parity neither touch each other nor overlap with the bytes between them.
    assert_eq!(count(&plan), Count { reads: 4, writes: 4, sums: 2 });
    let ranges: Vec<_> = calculations(&plan).iter().map(|sum| (sum.from, sum.upto)).collect();
    assert_eq!(ranges, [(54, 64), (0, 20)]);
}

#[test]
fn narrow_writes_read_and_write_no_more_than_they_are_wide() {
    let array = array("level = \"6\"", 8, STRIP, 10);
    for operation in write(&array, 3 * STRIP + 5, 7).plan_operations() {
        match operation.action {
            PlanStep::Read(piece) | PlanStep::Write(piece) => {
                assert_eq!((piece.offset % STRIP, piece.bytes), (5, 7))
            }
            PlanStep::Calculate(sum) => assert_eq!((sum.from, sum.upto, sum.bytes), (5, 12, 21)),
        }
    }
}

#[test]
fn without_partial_strips_all_that_a_small_write_reads_and_writes_is_whole_strips() {
    for (text, accesses) in [("level = \"5\"", 2), ("level = \"6\"", 3)] {
        let mut array = array(text, 8, STRIP, 10);
        array.partial_strips = false;
        // Writing whole stripe units needs as many accesses as writing parts of them, for a whole stripe unit as well.
        for (offset, bytes) in [(3 * STRIP + 5, 7), (3 * STRIP, STRIP)] {
            let plan = write(&array, offset, bytes);
            assert_eq!(count(&plan), Count { reads: accesses, writes: accesses, sums: accesses - 1 });
            for operation in plan.plan_operations() {
                if let PlanStep::Read(piece) | PlanStep::Write(piece) = operation.action {
                    assert_eq!((piece.offset % STRIP, piece.bytes), (0, STRIP));
                }
            }
        }
        // A stripe that is written as a whole needs no reads.
        let stripe = array.layout.stripe_bytes();
        assert_eq!(count(&write(&array, stripe, stripe)).reads, 0);
    }
}

#[test]
fn writes_wait_for_the_checks_and_checks_for_the_reads() {
    let array = array("level = \"5\"", 8, STRIP, 10);
    let mut plan = write(&array, 0, STRIP);
    let mut ready = Vec::new();
    plan.list_first_operations(&mut ready);
    let stages: [usize; 3] = [2, 1, 2];
    for stage in stages {
        assert_eq!(ready.len(), stage);
        for operation in std::mem::take(&mut ready) {
            assert!(!plan.is_complete());
            plan.complete_operation(operation, &mut ready);
        }
    }
    assert!(plan.is_complete() && ready.is_empty());
}

/// The mean number of accesses to each member, over every unit of a whole rotation; each copy is read equally often.
fn loads_of(array: &Array, reads: bool) -> Vec<f64> {
    let units = array.layout.capacity() / STRIP;
    let mut accesses = vec![0.0; array.layout.member_count() as usize];
    let mut plan = RequestPlan::new();
    for (unit, copy) in (0..units).flat_map(|unit| [(unit, 0), (unit, 1)]) {
        let mut view = Cache { units: &[], checks: false, copy };
        let planned = if reads {
            array.plan_read(unit * STRIP, STRIP, &mut view, &mut plan)
        } else {
            array.plan_write(unit * STRIP, STRIP, &mut view, &mut plan)
        };
        assert_eq!(planned, Ok(()));
        for operation in plan.plan_operations() {
            if let PlanStep::Read(piece) | PlanStep::Write(piece) = operation.action {
                accesses[piece.member as usize] += 0.5;
            }
        }
    }
    accesses.iter().map(|accesses| accesses / units as f64).collect()
}

#[test]
fn every_member_has_the_load_of_the_formulas() {
    type Formula = fn(u32, f64) -> f64;
    let cases: [(&str, Formula, &[u32]); 3] = [
        ("level = \"1+0\"", loads::mirror_member_accesses, &[2, 4, 8]),
        ("level = \"5\"", loads::raid5_member_accesses, &[4, 5, 8, 13]),
        ("level = \"6\"", loads::raid6_member_accesses, &[6, 7, 8, 13]),
    ];
    for (text, formula, numbers) in cases {
        for &members in numbers {
            let mut array = array(text, members, STRIP, u64::from(members));
            array.rule = WriteRule::Prefer;
            for (reads, share) in [(true, 1.0), (false, 0.0)] {
                for load in loads_of(&array, reads) {
                    let wanted = formula(members, share);
                    assert!((load - wanted).abs() < 1e-12, "{text} of {members}: {load}, not {wanted}");
                }
            }
        }
    }
}

#[test]
fn after_a_failure_every_survivor_of_raid_5_has_the_load_of_the_formula() {
    for members in [4, 5, 8, 13] {
        for failed in 0..members {
            let mut array = array("level = \"5\"", members, STRIP, u64::from(members));
            array.rule = WriteRule::Prefer;
            array.health.set_member_state(failed, MemberState::Failed);
            for (reads, share) in [(true, 1.0), (false, 0.0)] {
                for (member, load) in (0..).zip(loads_of(&array, reads)) {
                    let wanted = if member == failed {
                        0.0
                    } else {
                        loads::degraded_raid5_member_accesses(members, share)
                    };
                    assert!((load - wanted).abs() < 1e-12, "{members}: {load}, not {wanted} on {member}");
                }
            }
        }
    }
}

#[test]
fn what_was_lost_is_read_from_all_others_once() {
    let mut array = array("level = \"5\"", 6, STRIP, 100);
    array.health.set_member_state(2, MemberState::Failed);
    // The plan reads a whole stripe: four data units and parity.
    let plan = read(&array, 0, 5 * STRIP);
    assert_eq!(count(&plan), Count { reads: 5, writes: 0, sums: 1 });
    // The plan reads a lost unit and a part of the next one: each byte is read once, whether it is requested or needed for the calculation.
    let plan = read(&array, STRIP + 10, STRIP);
    assert_eq!(count(&plan), Count { reads: 5, writes: 0, sums: 1 });
    let sum = calculations(&plan)[0];
    assert_eq!(
        (sum.what, sum.field, sum.unit),
        (CalculationKind::Recover, ArithmeticField::Xor, StripeUnit { stripe: 0, position: 2 })
    );
    assert_eq!((sum.from, sum.upto, sum.bytes), (0, 10, 50));
}

#[test]
fn p_recovers_by_exclusive_or_and_q_only_where_it_must() {
    let mut array = array("level = \"6\"", 6, STRIP, 100);
    let member = |position| array.layout.raid_level().slot(0, position).member;
    let (data, p, q) = ([member(0), member(1)], member(4), member(5));
    array.health.set_member_state(data[0], MemberState::Failed);
    let field = |array: &Array| calculations(&read(array, 0, STRIP))[0].field;
    assert_eq!(field(&array), ArithmeticField::Xor);
    array.health.set_member_state(q, MemberState::Failed);
    assert_eq!(field(&array), ArithmeticField::Xor);
    array.health.set_member_state(q, MemberState::Working);
    array.health.set_member_state(p, MemberState::Failed);
    assert_eq!(field(&array), ArithmeticField::Galois);
    array.health.set_member_state(p, MemberState::Working);
    array.health.set_member_state(data[1], MemberState::Failed);
    assert_eq!(field(&array), ArithmeticField::Galois);
}

#[test]
fn a_member_is_written_below_its_mark_and_not_above() {
    let mut array = array("level = \"5\"", 5, STRIP, 20);
    array.health.set_member_state(1, MemberState::Rebuilding { rows: 10 });
    for stripe in 0..20 {
        for position in 0..4 {
            if array.layout.raid_level().slot(stripe, position).member != 1 {
                continue;
            }
            let offset = stripe * array.layout.stripe_bytes() + u64::from(position) * STRIP;
            let plan = write(&array, offset, STRIP);
            let accesses = if stripe < 10 {
                Count { reads: 2, writes: 2, sums: 1 }
            } else {
                Count { reads: 3, writes: 1, sums: 1 }
            };
            assert_eq!(count(&plan), accesses, "stripe {stripe}");
            assert_eq!(count(&read(&array, offset, STRIP)).reads, if stripe < 10 { 1 } else { 4 });
        }
    }
}

#[test]
fn a_rebuild_reads_every_survivor_and_writes_the_replacement_in_one_access_each() {
    let mut array = array("level = \"5\"", 5, STRIP, 20);
    array.health.set_member_state(3, MemberState::Rebuilding { rows: 0 });
    let mut plan = RequestPlan::new();
    assert_eq!(array.plan_rebuild(3, 0..16, &mut (), &mut plan), Ok(()));
    assert_eq!(count(&plan), Count { reads: 4, writes: 1, sums: 16 });
    for operation in plan.plan_operations() {
        if let PlanStep::Write(piece) = operation.action {
            assert_eq!(piece, MemberPiece { member: 3, offset: 0, bytes: 16 * STRIP });
        }
    }
    let mut mirror = crate::common::array("level = \"1\"", 2, STRIP, 20);
    mirror.health.set_member_state(0, MemberState::Rebuilding { rows: 4 });
    assert_eq!(mirror.plan_rebuild(0, 4..8, &mut (), &mut plan), Ok(()));
    assert_eq!(count(&plan), Count { reads: 1, writes: 1, sums: 0 });
}

/// A write touches rows being rebuilt if its degraded plan would change once the rows are rebuilt, because some unit of the stripe is in
/// them.
#[test]
fn writes_keep_away_from_the_stripes_that_rows_of_a_member_are_of() {
    for (text, members) in
        [("level = \"5\"", 5), ("level = \"10\"", 5), ("level = \"declustered\"\ndata = 2", 7)]
    {
        let array = array(text, members, STRIP, 24);
        let level = array.layout.raid_level();
        let positions = level.data_units() + array.layout.erasure_code().checks();
        for stripe in 0..array.layout.stripe_count() {
            let (offset, bytes) = (stripe * array.layout.stripe_bytes(), array.layout.stripe_bytes());
            for member in 0..members {
                let slots = (0..positions).map(|position| level.slot(stripe, position));
                let row = slots.into_iter().find(|slot| slot.member == member).map(|slot| slot.row);
                for rows in [0..6, 6..24] {
                    let wanted = row.is_some_and(|row| rows.contains(&row));
                    assert_eq!(
                        array.range_touches_rows(member, rows, offset + bytes / 2, 1),
                        wanted,
                        "{text}"
                    );
                }
            }
        }
    }
}

#[test]
fn more_failures_than_the_level_stands_are_an_error_that_says_where() {
    let mut array = array("level = \"5\"", 5, STRIP, 20);
    let mut plan = RequestPlan::new();
    array.health.set_member_state(0, MemberState::Failed);
    array.health.set_member_state(1, MemberState::Failed);
    let lost = Err(NoPlan::Lost { stripe: 2, lost: 2, stands: 1 });
    let stripe = 2 * array.layout.stripe_bytes();
    assert_eq!(array.plan_read(stripe, 4 * STRIP, &mut (), &mut plan), lost);
    assert_eq!(array.plan_write(stripe, STRIP, &mut (), &mut plan), lost);
    array.health.set_member_state(0, MemberState::Rebuilding { rows: 0 });
    assert_eq!(array.plan_rebuild(0, 2..3, &mut (), &mut plan), lost);
    assert!(plan.plan_operations().is_empty() && plan.is_complete());
    let end = array.layout.capacity();
    let beyond = Err(NoPlan::Beyond { end: end + 1, capacity: end });
    assert_eq!(array.plan_read(end - 5, 6, &mut (), &mut plan), beyond);
    assert_eq!(
        array.plan_write(u64::MAX, 6, &mut (), &mut plan),
        Err(NoPlan::Beyond { end: u64::MAX, capacity: end })
    );
    assert_eq!(array.plan_read(end, 0, &mut (), &mut plan), Ok(()));
}

/// A cache that has some data units and some checks.
struct Cache<'a> {
    units: &'a [u64],
    checks: bool,
    copy: usize,
}

impl PlanContext for Cache<'_> {
    fn cached(&self, offset: u64, _: u64) -> bool {
        self.units.contains(&(offset / STRIP))
    }

    fn cached_check(&self, _: StripeUnit, _: u64, _: u64) -> bool {
        self.checks
    }

    fn copy(&mut self, members: &[u32], _: u64) -> usize {
        self.copy.min(members.len() - 1)
    }
}

#[test]
fn what_the_cache_has_is_not_read_and_decides_the_way() {
    let array = array("level = \"5\"", 8, STRIP, 10);
    let reads = |units: &[u64], checks| {
        let mut plan = RequestPlan::new();
        assert_eq!(array.plan_write(0, STRIP, &mut Cache { units, checks, copy: 0 }, &mut plan), Ok(()));
        (count(&plan).reads, calculations(&plan)[0].what)
    };
    assert_eq!(reads(&[], false), (2, CalculationKind::Update));
    assert_eq!(reads(&[0], false), (1, CalculationKind::Update));
    assert_eq!(reads(&[0], true), (0, CalculationKind::Update));
    assert_eq!(reads(&[1, 2, 3, 4, 5, 6], false), (0, CalculationKind::Encode));
    assert_eq!(reads(&[1, 2, 3, 4, 5], false), (1, CalculationKind::Encode));
    assert_eq!(reads(&[1, 2, 3, 4], false), (2, CalculationKind::Encode), "as many: not fewer");
}

#[test]
fn the_view_chooses_which_copy_is_read_among_those_that_are_there() {
    let mut array = array("level = \"1\"", 3, STRIP, 100);
    let read = |array: &Array, copy| {
        let mut plan = RequestPlan::new();
        assert_eq!(
            array.plan_read(0, 40 * STRIP, &mut Cache { units: &[], checks: false, copy }, &mut plan),
            Ok(())
        );
        match plan.plan_operations() {
            [one] => one.action,
            several => panic!("{} accesses", several.len()),
        }
    };
    let from = |member| PlanStep::Read(MemberPiece { member, offset: 0, bytes: 40 * STRIP });
    assert_eq!(read(&array, 1), from(1));
    array.health.set_member_state(1, MemberState::Failed);
    assert_eq!(read(&array, 1), from(2));
}

/// A view of the array that chooses the copies of a unit in turn.
struct InTurn(usize);

impl PlanContext for InTurn {
    fn copy(&mut self, members: &[u32], _: u64) -> usize {
        self.0 += 1;
        self.0 % members.len()
    }
}

#[test]
fn a_long_read_stays_with_the_copy_that_was_chosen_and_the_next_one_goes_elsewhere() {
    let array = array("level = \"1\"", 2, STRIP, 100);
    let (mut plan, mut view) = (RequestPlan::new(), InTurn(0));
    for member in [1, 0, 1] {
        assert_eq!(array.plan_read(0, 50 * STRIP, &mut view, &mut plan), Ok(()));
        let actions: Vec<PlanStep> =
            plan.plan_operations().iter().map(|operation| operation.action).collect();
        assert_eq!(actions, [PlanStep::Read(MemberPiece { member, offset: 0, bytes: 50 * STRIP })]);
    }
}

#[test]
fn a_plan_that_has_been_as_large_needs_no_more_room() {
    let mut plan = RequestPlan::new();
    let mut room = 0;
    for round in 0..3 {
        for (text, all) in LEVELS {
            for members in *all {
                let mut array = array(text, *members, STRIP, 60);
                for failed in [false, true] {
                    if failed && array.layout.erasure_code().checks() > 0 {
                        array.health.set_member_state(0, MemberState::Failed);
                    }
                    for offset in (0..array.layout.capacity() - 5 * STRIP).step_by(97) {
                        assert_eq!(array.plan_write(offset, 5 * STRIP, &mut (), &mut plan), Ok(()));
                        assert_eq!(array.plan_read(offset, 5 * STRIP, &mut (), &mut plan), Ok(()));
                    }
                }
            }
        }
        assert!(round == 0 || plan.allocated_bytes() == room, "{} and then {}", room, plan.allocated_bytes());
        room = plan.allocated_bytes();
    }
}
