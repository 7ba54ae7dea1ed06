//! Tests of the choices of each scheduler, and of the limits of all of them.

use super::*;
use crate::parameters::DiskParameters;
use crate::presets::Preset;
use proptest::prelude::*;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;
use std::sync::LazyLock;

static MECHANICS: LazyLock<Mechanics> =
    LazyLock::new(|| DiskParameters::of(Preset::St39102lw).mechanics().expect("a drive"));

fn order(keys: &str) -> AnyCommandScheduler {
    CommandOrder::from_toml(keys, &Facts::default()).unwrap_or_else(|report| panic!("{report}")).scheduler()
}

fn waiting(blocks: &[(u64, u64)]) -> VecDeque<QueuedCommand> {
    let one = |&(lbn, arrival)| QueuedCommand {
        command: DiskCommand {
            id: lbn,
            write: false,
            force_unit_access: false,
            lbn,
            blocks: 8,
            arrival: Time(arrival),
        },
        place: MECHANICS.geometry.position_of_block(lbn),
    };
    blocks.iter().map(one).collect()
}

fn view(waiting: &VecDeque<QueuedCommand>, arm: Arm, block: u64, now: Time) -> SchedulerView<'_> {
    let overheads = [Span::from_us(283), Span::from_us(896)];
    SchedulerView { now, arm, arm_free: now, block, waiting, mechanics: &MECHANICS, overheads }
}

/// The first blocks of the commands in the order in which they are served, beginning from a block; no command comes meanwhile.
fn served(keys: &str, from: u64, blocks: &[u64]) -> Vec<u64> {
    let (mut scheduler, mut block) = (order(keys), from);
    let mut waiting = waiting(&blocks.iter().map(|&lbn| (lbn, 0)).collect::<Vec<_>>());
    let mut order = Vec::new();
    while !waiting.is_empty() {
        let place = MECHANICS.geometry.position_of_block(block);
        let arm = Arm { cylinder: place.cylinder, head: place.head };
        let next = scheduler.next(&view(&waiting, arm, block, Time(1 << 40)));
        let one = waiting.remove(next).expect("one that waits").command;
        order.push(one.lbn);
        block = one.end_block();
    }
    order
}

#[test]
fn each_scheduler_chooses_as_its_name_says() {
    const M: u64 = 1_000_000;
    let blocks = [8 * M, M, 5 * M + 400_000, 6 * M, 5 * M - 100_000, 17 * M];
    let [far, low, near, next, under, last] = blocks;
    for (keys, expected) in [
        ("", [far, low, near, next, under, last]),
        ("order = \"sstf\"", [under, near, next, far, low, last]),
        ("order = \"sstf\"\nby = \"block\"", [under, near, next, far, low, last]),
        ("order = \"look\"", [near, next, far, last, under, low]),
        ("order = \"look\"\nby = \"block\"", [near, next, far, last, under, low]),
        ("order = \"c-look\"", [near, next, far, last, low, under]),
        ("order = \"c-look\"\nby = \"cylinder\"", [near, next, far, last, low, under]),
        ("order = \"v-scan\"\nturning = 0.0", [under, near, next, far, low, last]),
        ("order = \"v-scan\"\nturning = 0.1", [near, next, far, under, low, last]),
        ("order = \"v-scan\"\nturning = 1.0", [near, next, far, last, under, low]),
    ] {
        assert_eq!(served(keys, 5 * M, &blocks), expected, "{keys}");
    }
}

#[test]
fn of_equals_the_one_that_came_first_is_next() {
    let same_cylinder = [2_000, 1_000, 500];
    assert_eq!(served("order = \"sstf\"", 0, &same_cylinder), same_cylinder);
}

#[test]
fn waiting_long_enough_beats_any_positioning_and_without_weight_none() {
    // The old command is at the other end of the disk.
    let waiting = waiting(&[(17_000_000, 0), (1_000, Span::from_s(9).ticks())]);
    let view = view(&waiting, Arm::default(), 0, Time::ZERO + Span::from_s(10));
    assert_eq!(order("order = \"aged-sptf\"\nweight = 0.0").next(&view), 1);
    assert_eq!(order("order = \"aged-sptf\"\nweight = 0.01").next(&view), 0);
    assert!(
        CommandOrder::from_toml("order = \"aged-sptf\"", &Facts::default()).is_err(),
        "nobody published a weight for all drives"
    );
}

proptest! {
    #[test]
    fn the_shortest_positioning_is_never_longer_than_that_of_any_other_choice(
        blocks in prop::collection::vec((0_u64..17_783_000, 0_u64..1 << 40), 1..20),
        cylinder in 0_u32..6_962, head in 0_u32..12, now in 1_u64 << 40..1 << 50, block in 0_u64..17_783_240,
    ) {
        let waiting = waiting(&blocks);
        let view = view(&waiting, Arm { cylinder, head }, block, Time(now));
        let takes = |keys: &str| view.positioning(&waiting[order(keys).next(&view)]);
        let shortest = takes("order = \"sptf\"");
        prop_assert_eq!(takes("order = \"aged-sptf\"\nweight = 0.0"), shortest);
        for other in ["fcfs", "sstf", "look", "c-look", "v-scan"] {
            prop_assert!(takes(&format!("order = \"{other}\"")) >= shortest, "{}", other);
        }
    }

    #[test]
    fn every_command_is_served_once_by_every_scheduler(blocks in prop::collection::vec(0_u64..17_783_000, 1..30), from in 0_u64..17_783_000) {
        let mut expected = blocks.clone();
        expected.sort_unstable();
        for word in CommandOrder::WORDS {
            let weight = if *word == "aged-sptf" { "\nweight = 0.1" } else { "" };
            let mut order = served(&format!("order = \"{word}\"{weight}"), from, &blocks);
            order.sort_unstable();
            prop_assert_eq!(&order, &expected);
        }
    }
}
