//! A metadata controller and its clients together, while messages get lost or come late, things fail, sessions are revoked and volumes moved.

mod steps;
mod world;

use proptest::prelude::*;
use world::{Plan, World};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(sansim_trials::case_count(400)))]

    /// The invariants listed in world.rs hold: no two clients write a range at a time, no access lacks a lease, and no access uses an old
    /// map.
    #[test]
    fn nobody_writes_where_another_does_and_nobody_asks_without_a_lease(
        seed in any::<u64>(),
        clients in 1_usize..5,
        loss in 0_u32..30,
        late in 0_u32..10,
        failures in 0_u32..12,
        by_files in any::<bool>(),
        locks in prop_oneof![Just(512_u64), Just(2048), Just(16384)],
    ) {
        let mut world = World::new(&Plan { seed, clients, loss, late, failures, by_files, locks });
        world.run();
        world.calm_down();
    }
}

/// In an earlier version a session that waited for the end of a move had no timer for its own end if the move was ended by an expired lease
/// rather than by a call.
#[test]
fn a_session_that_begins_behind_a_move_ends_with_its_lease() {
    let mut world = World::new(&Plan {
        seed: 6_855_364_940_150_165_702,
        clients: 2,
        loss: 29,
        late: 2,
        failures: 11,
        by_files: false,
        locks: 512,
    });
    world.run();
    world.calm_down();
}

/// In this case a call for the place of an extent was answered before a move, and the answer arrived after the move.
#[test]
fn an_extent_of_the_map_before_a_move_is_not_taken_for_one_of_the_new_map() {
    let mut world = World::new(&Plan {
        seed: 637_143_199_431_331_664,
        clients: 2,
        loss: 1,
        late: 1,
        failures: 9,
        by_files: true,
        locks: 2048,
    });
    world.run();
    world.calm_down();
}

/// The random cases above are effective: in most of them all kinds of events happen.
#[test]
fn the_cases_have_lapses_recalls_moves_and_revocations() {
    let mut seen = [0_u64; 7];
    for seed in 0..40 {
        let plan =
            Plan { seed, clients: 3, loss: 15, late: 5, failures: 8, by_files: seed % 2 == 0, locks: 2048 };
        let mut world = World::new(&plan);
        world.run();
        world.calm_down();
        for (seen, count) in seen.iter_mut().zip(world.happened()) {
            *seen += u64::from(count > 0);
        }
    }
    let [accesses, lapses, broken_off, recalls, moves, denied, expired] = seen;
    assert_eq!(accesses, 40);
    assert!([lapses, broken_off, recalls, moves, denied, expired].iter().all(|&runs| runs >= 15), "{seen:?}");
}

/// In an earlier version each of several calls in flight at the failure of the controller doubled the time for an answer when it was
/// aborted.
#[test]
fn calls_that_are_given_up_together_double_the_time_for_an_answer_once() {
    let mut world = World::new(&Plan {
        seed: 8_360_699_819_453_018_688,
        clients: 3,
        loss: 19,
        late: 9,
        failures: 8,
        by_files: true,
        locks: 2048,
    });
    world.run();
    world.calm_down();
}
