//! Tests of layouts: the position of units on the members.

use crate::common::{LEVELS, keys, layout};
use proptest::prelude::*;
use sansim_raid::layout::{ErasureCode, MemberRow, RaidLevel, StripeUnit};
use sansim_raid::{Array, ArrayLayout, ArrayParameters, LayoutError};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;
use std::collections::{HashMap, HashSet};

/// A level with a number of members from its list, or some more members.
fn some_layout() -> impl Strategy<Value = (&'static str, u32, u64, u64)> {
    let level = (0..LEVELS.len(), any::<prop::sample::Index>(), 0..4_u32).prop_map(|(level, at, more)| {
        let (text, numbers) = LEVELS[level];
        let members = numbers[at.index(numbers.len())];
        let copies = if text.contains("1+0") { keys_copies(text) } else { 1 };
        let fixed = text.contains("level = \"1\"");
        (text, members + if fixed { 0 } else { more * copies })
    });
    (level, 1..40_u64, 30..90_u64).prop_map(|((text, members), strip, rows)| (text, members, strip, rows))
}

fn keys_copies(text: &str) -> u32 {
    if text.contains("copies = 3") { 3 } else { 2 }
}

proptest! {
    #[test]
    fn every_slot_holds_one_unit_and_every_unit_has_one_slot((text, members, strip, rows) in some_layout()) {
        let layout = layout(text, members, strip, rows);
        let level = layout.raid_level();
        let mut held = HashSet::new();
        for member in 0..members {
            for row in 0..rows {
                let slot = MemberRow { member, row };
                if let Some(unit) = layout.unit_in_slot(slot) {
                    prop_assert_eq!(level.slot(unit.stripe, unit.position), slot);
                    prop_assert!(held.insert(unit), "{:?} lies in two slots", unit);
                }
            }
        }
        let positions = level.data_units() + layout.erasure_code().checks();
        prop_assert_eq!(held.len() as u64, layout.stripe_count() * u64::from(positions));
    }

    #[test]
    fn no_two_units_of_a_stripe_are_on_one_member((text, members, strip, rows) in some_layout()) {
        let layout = layout(text, members, strip, rows);
        let positions = layout.raid_level().data_units() + layout.erasure_code().checks();
        for stripe in 0..layout.stripe_count() {
            let on: HashSet<u32> =
                (0..positions).map(|position| layout.raid_level().slot(stripe, position).member).collect();
            prop_assert_eq!(on.len() as u32, positions);
            prop_assert!(on.iter().all(|member| *member < members));
        }
    }

    #[test]
    fn every_byte_has_a_place_of_its_own_and_is_found_there((text, members, strip, rows) in some_layout()) {
        let layout = layout(text, members, strip, rows);
        let mut places = HashSet::new();
        for offset in 0..layout.capacity() {
            let place = layout.locate_offset(offset);
            prop_assert_eq!(place.and_then(|(member, at)| layout.logical_offset(member, at)), Some(offset));
            prop_assert!(places.insert(place));
        }
        prop_assert_eq!(layout.locate_offset(layout.capacity()), None);
        let copies = if let ErasureCode::Copies(further) = layout.erasure_code() { u64::from(further) + 1 } else { 1 };
        let found = (0..members).flat_map(|member| (0..strip * rows).map(move |at| (member, at)));
        let found = found.filter(|(member, at)| layout.logical_offset(*member, *at).is_some()).count();
        prop_assert_eq!(found as u64, layout.capacity() * copies);
    }

    #[test]
    fn the_pieces_of_a_range_are_its_bytes_in_order(
        (text, members, strip, rows) in some_layout(), from in any::<prop::sample::Index>(), bytes in 1..500_u64,
    ) {
        let layout = layout(text, members, strip, rows);
        let from = from.index(layout.capacity() as usize) as u64;
        let bytes = bytes.min(layout.capacity() - from);
        let mut at = from;
        for piece in layout.pieces_of_range(from, bytes) {
            for byte in 0..piece.bytes {
                prop_assert_eq!(layout.logical_offset(piece.member, piece.offset + byte), Some(at));
                at += 1;
            }
        }
        prop_assert_eq!(at, from + bytes);
    }

    #[test]
    fn spare_slots_are_found_and_hold_nothing((text, members, strip, rows) in some_layout()) {
        let layout = layout(text, members, strip, rows);
        let level = layout.raid_level();
        for row in 0..rows {
            let spares: HashSet<MemberRow> =
                (0..level.spares()).filter_map(|spare| level.spare_slot(row, spare)).collect();
            prop_assert_eq!(spares.len() as u32, level.spares());
            prop_assert!(spares.iter().all(|slot| level.unit(*slot).is_none()));
            for spare in 0..level.spares() {
                let slot = level.spare_slot(row, spare);
                prop_assert_eq!(slot.and_then(|slot| level.spare_of(slot)), Some(spare));
            }
        }
        prop_assert_eq!(level.spare_slot(0, level.spares()), None);
    }
}

/// The rows of a layout as manuals draw them: data units by number, P and Q.
fn drawn(text: &str, members: u32, rows: u64) -> Vec<String> {
    let layout = layout(text, members, 1, 60);
    let data = layout.raid_level().data_units();
    let name = |unit: StripeUnit| match (unit.position.checked_sub(data), layout.erasure_code()) {
        (_, ErasureCode::Copies(_)) => unit.stripe.to_string(),
        (None, _) => (unit.stripe * u64::from(data) + u64::from(unit.position)).to_string(),
        (Some(0), _) => "P".to_owned(),
        (Some(_), _) => "Q".to_owned(),
    };
    let cell = |member, row| layout.unit_in_slot(MemberRow { member, row }).map_or("-".to_owned(), name);
    (0..rows).map(|row| (0..members).map(|member| cell(member, row)).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn levels_lie_as_linux_md_draws_them() {
    let cases: &[(&str, u32, &[&str])] = &[
        ("level = \"0\"", 4, &["0 1 2 3", "4 5 6 7"]),
        ("level = \"1\"", 3, &["0 0 0", "1 1 1"]),
        ("level = \"10\"", 4, &["0 0 1 1", "2 2 3 3"]),
        ("level = \"10\"", 3, &["0 0 1", "1 2 2", "3 3 4"]),
        ("level = \"1+0\"", 4, &["0 0 1 1", "2 2 3 3"]),
        ("level = \"4\"", 4, &["0 1 2 P", "3 4 5 P"]),
        ("level = \"4\"\nparity = \"first\"", 4, &["P 0 1 2", "P 3 4 5"]),
        ("level = \"5\"", 5, &["0 1 2 3 P", "5 6 7 P 4", "10 11 P 8 9", "15 P 12 13 14", "P 16 17 18 19"]),
        ("level = \"5\"\nrotation = \"left-asymmetric\"", 4, &["0 1 2 P", "3 4 P 5", "6 P 7 8", "P 9 10 11"]),
        (
            "level = \"5\"\nrotation = \"right-asymmetric\"",
            4,
            &["P 0 1 2", "3 P 4 5", "6 7 P 8", "9 10 11 P"],
        ),
        ("level = \"5\"\nrotation = \"right-symmetric\"", 4, &["P 0 1 2", "5 P 3 4", "7 8 P 6", "9 10 11 P"]),
        ("level = \"6\"", 5, &["Q 0 1 2 P", "3 4 5 P Q", "7 8 P Q 6"]),
        ("level = \"6\"\nrotation = \"right-symmetric\"", 5, &["P Q 0 1 2", "5 P Q 3 4", "7 8 P Q 6"]),
        ("level = \"6\"\nrotation = \"ddf-n-continue\"", 5, &["0 1 2 Q P", "4 5 Q P 3", "8 Q P 6 7"]),
    ];
    for (text, members, rows) in cases {
        assert_eq!(drawn(text, *members, rows.len() as u64), *rows, "{text}");
    }
}

#[test]
fn with_left_symmetric_any_units_in_a_row_as_many_as_members_are_on_different_ones() {
    for members in 3..12 {
        let layout = layout("level = \"5\"", members, 1, 60);
        for first in 0..layout.capacity() - u64::from(members) {
            let on: HashSet<u32> =
                layout.pieces_of_range(first, members.into()).map(|piece| piece.member).collect();
            assert_eq!(on.len() as u32, members, "{members} from {first}");
        }
    }
}

#[test]
fn checks_that_go_round_are_spread_evenly_over_as_many_stripes_as_members() {
    for (text, members) in
        LEVELS.iter().flat_map(|(text, all)| all.iter().map(move |members| (*text, *members)))
    {
        if !["\"5\"", "\"6\""].iter().any(|level| text.contains(level)) {
            continue;
        }
        let layout = layout(text, members, 1, 60);
        let data = layout.raid_level().data_units();
        for check in data..data + layout.erasure_code().checks() {
            for first in 0..10 {
                let on: HashSet<u32> = (first..first + u64::from(members))
                    .map(|stripe| layout.raid_level().slot(stripe, check).member)
                    .collect();
                assert_eq!(on.len() as u32, members, "{text}");
            }
        }
    }
}

/// Over as many slices as there are members the spread is even, whatever the permutation.
#[test]
fn declustered_data_checks_and_spares_are_spread_exactly_evenly() {
    let text = "level = \"declustered\"\ndata = 4\nparity = 2\nspares = 2";
    let members = 11;
    // Slices have 2 rows: 18 columns for 3 stripes of 6 units.
    let rows = 2 * u64::from(members);
    let layout = layout(text, members, 1, rows);
    let mut counted: HashMap<(u32, Option<u32>), u32> = HashMap::new();
    for member in 0..members {
        for row in 0..rows {
            let what = layout.unit_in_slot(MemberRow { member, row }).map(|unit| unit.position);
            *counted.entry((member, what)).or_default() += 1;
        }
    }
    for member in 1..members {
        for what in (0..6).map(Some).chain([None]) {
            assert_eq!(counted[&(member, what)], counted[&(0, what)], "{what:?} on {member}");
        }
    }
    assert_eq!(counted[&(0, None)], 4);
}

/// The unevenness with which the partners of one member are spread, over the whole period: the most and the least over the mean.
#[test]
fn a_declustered_rebuild_asks_all_survivors_nearly_alike() {
    let members = 20;
    let layout = layout("level = \"declustered\"\ndata = 4\nspares = 2", members, 1, 5 * 20 * 256);
    let failed = 7;
    let mut read = vec![0_u64; members as usize];
    for row in 0..layout.rows_per_member() {
        let Some(unit) = layout.unit_in_slot(MemberRow { member: failed, row }) else { continue };
        for position in (0..5).filter(|position| *position != unit.position) {
            read[layout.raid_level().slot(unit.stripe, position).member as usize] += 1;
        }
    }
    let others: Vec<u64> =
        (0..).zip(&read).filter(|(member, _)| *member != failed).map(|(_, n)| *n).collect();
    let mean = others.iter().sum::<u64>() as f64 / others.len() as f64;
    let worst = others.iter().map(|n| (*n as f64 / mean - 1.0).abs()).fold(0.0, f64::max);
    assert_eq!(read[failed as usize], 0);
    // 256 permutations give each pair some 256 independent chances of about 4/19 in each of five rows: a few percent.
    assert!(worst < 0.05, "off by {worst}");
    // The share of each survivor is (width - 1) / (members - 1) of the units that the failed member held.
    let held = (0..layout.rows_per_member())
        .filter(|row| layout.unit_in_slot(MemberRow { member: failed, row: *row }).is_some())
        .count();
    assert!((mean / held as f64 - 4.0 / 19.0).abs() < 1e-12);
}

#[test]
fn another_seed_is_another_layout_and_the_same_seed_the_same() {
    let draw = |seed: u64| {
        drawn(&format!("level = \"declustered\"\ndata = 2\nspares = 1\npermutation_seed = {seed}"), 7, 14)
    };
    assert_eq!(draw(5), draw(5));
    assert_ne!(draw(5), draw(6));
}

#[test]
fn the_capacity_is_the_data_share_of_the_smallest_member() {
    let parameters = ArrayParameters { stripe_unit: 4096, ..keys("level = \"6\"") };
    let capacities = [100 << 20, (50 << 20) + 4095, 80 << 20, 100 << 20, 100 << 20];
    let array = Array::new(&parameters, &capacities).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(array.layout.capacity(), 3 * (50 << 20));
    // The array has near copies on a number of members that is no multiple of the copies.
    assert_eq!(crate::common::layout("level = \"10\"", 5, 4096, 3).capacity(), 7 * 4096);
}

#[test]
fn what_cannot_be_laid_out_says_why_and_what_instead() {
    let error = |text: &str, capacities: &[u64]| {
        Array::new(&keys(text), capacities).map(|array| array.layout.capacity()).unwrap_err()
    };
    let disk = 1 << 30;
    assert_eq!(
        error("level = \"5\"", &[disk; 2]).to_string(),
        "level \"5\" needs 3 members as described, there are 2"
    );
    assert_eq!(error("level = \"1+0\"", &[disk; 5]), LayoutError::LeftOver { copies: 2, members: 5 });
    assert!(error("level = \"1+0\"", &[disk; 5]).to_string().contains("level \"10\""));
    assert_eq!(
        error("level = \"declustered\"\ndata = 8\nspares = 2", &[disk; 10]),
        LayoutError::TooFewMembers { level: "declustered", least: 11, given: 10 }
    );
    assert_eq!(
        error("level = \"0\"", &[disk, 100, disk]),
        LayoutError::TooSmall { member: 1, capacity: 100, least: 65_536 }
    );
    assert_eq!(error("level = \"0\"", &[u64::MAX; 3]), LayoutError::TooLarge);
    let no_strip = ArrayParameters { stripe_unit: 0, ..keys("level = \"0\"") };
    assert_eq!(Array::new(&no_strip, &[disk]).map(|_| ()), Err(LayoutError::NoStrip));
    assert_eq!(error("level = \"0\"", &[]), LayoutError::TooFewMembers { level: "0", least: 1, given: 0 });
}

/// The member and the offset of a byte of a nested array, in which each member of the outer layout is an array of the inner layout.
fn nested(outer: &ArrayLayout, inner: &ArrayLayout, offset: u64) -> Option<(u32, u64)> {
    let (group, within) = outer.locate_offset(offset)?;
    let (member, at) = inner.locate_offset(within)?;
    Some((group * inner.member_count() + member, at))
}

#[test]
fn striping_over_mirrors_is_raid_1_0() {
    let mirror = layout("level = \"1\"", 2, 16, 50);
    let parameters = ArrayParameters { stripe_unit: 16, ..keys("level = \"0\"") };
    let striped = Array::new(&parameters, &[mirror.capacity(); 4]).unwrap_or_else(|error| panic!("{error}"));
    let both = layout("level = \"1+0\"", 8, 16, 50);
    assert_eq!(striped.layout.capacity(), both.capacity());
    for offset in 0..both.capacity() {
        assert_eq!(nested(&striped.layout, &mirror, offset), both.locate_offset(offset));
    }
}

#[test]
fn parity_over_parity_gives_every_byte_a_place_of_its_own() {
    let inner = layout("level = \"5\"", 4, 8, 20);
    let parameters = ArrayParameters { stripe_unit: 24, ..keys("level = \"6\"") };
    let outer =
        Array::new(&parameters, &[inner.capacity(); 5]).unwrap_or_else(|error| panic!("{error}")).layout;
    assert_eq!(outer.capacity(), 20 * 24 * 3);
    let places: HashSet<_> =
        (0..outer.capacity()).filter_map(|offset| nested(&outer, &inner, offset)).collect();
    assert_eq!(places.len() as u64, outer.capacity());
}

#[test]
fn the_stripes_of_a_range_are_those_of_its_bytes() {
    let layout = layout("level = \"6\"", 6, 8, 20);
    for offset in 0..200 {
        for bytes in 0..100 {
            let stripes: HashSet<u64> = (offset..offset + bytes)
                .filter_map(|at| Some(layout.data_unit_of_offset(at)?.0.stripe))
                .collect();
            assert_eq!(layout.stripes_of(offset, bytes).collect::<HashSet<_>>(), stripes);
        }
    }
}

#[test]
fn keys_have_readable_defaults_and_unknown_levels_are_told() {
    assert_eq!(ArrayParameters::unreadable_defaults(&Facts::default()), Vec::<&str>::new());
    let told = ArrayParameters::from_toml("[layout]\nlevel = \"7\"", &Facts::default());
    let told = told.map(|_| ()).unwrap_err().to_string();
    assert!(told.contains("is not known here") && told.contains("level"), "{told}");
}
