//! Tests with failures of all parts at every moment: an acknowledged write is lost only where the configuration permits it, and no read
//! returns older data than those acknowledged before it was issued.

use super::world::{SECTORS, World};
use super::*;
use sansim_cache::admission::AdmissionPolicy;
use sansim_cache::destage::{DestageOrder, DestagePace};
use sansim_cache::replacement::ReplacementPolicy;

#[derive(Clone, Debug)]
enum Step {
    Read(u32, u64, u64),
    Write(u32, u64, u64),
    Arrive(usize, bool),
    Fails(usize),
    Works(usize),
    Abort(usize),
    Tick(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let place = (0..2_u32, 0..SECTORS, 1..14_u64);
    prop_oneof![
        4 => place.clone().prop_map(|(device, lba, count)| Step::Read(device, lba, count)),
        8 => place.prop_map(|(device, lba, count)| Step::Write(device, lba, count)),
        10 => (0..100_usize, prop::bool::weighted(0.08)).prop_map(|(which, fails)| Step::Arrive(which, fails)),
        1 => (0..4_usize).prop_map(Step::Fails),
        2 => (0..4_usize).prop_map(Step::Works),
        1 => (0..100_usize).prop_map(Step::Abort),
        3 => (0..60_u64).prop_map(Step::Tick),
    ]
}

prop_compose! {
    fn keys()(
        replacement in prop::sample::select(ReplacementPolicy::WORDS),
        pace in prop::sample::select(DestagePace::WORDS),
        order in prop::sample::select(DestageOrder::WORDS),
        read_ahead in prop::sample::select(vec![
            "policy = \"none\"", "policy = \"fixed\", amount = \"4 KiB\"", "policy = \"stripe-unit\", stripe_unit = \"8 KiB\"",
        ]),
        admission in prop::sample::select(AdmissionPolicy::WORDS),
        blocks in 2..12_u64,
        limit in 20..101_u32,
        mode in prop::sample::select(vec!["back", "back", "back", "through"]),
        when_full in prop::sample::select(vec!["through", "wait"]),
        (look_up, partner, retries, at_once) in (0..9_u64, 0..9_u64, 0..3_u32, 1..4_u32),
        memory in any::<bool>(),
        [mirrored, battery, allocate, flush] in any::<[bool; 4]>(),
    ) -> (String, [bool; 3]) {
        let memory = if memory { "memory_bandwidth = \"1 GB/s\"" } else { "" };
        let text = format!(r#"
            capacity = "{} B"
            block = "2 KiB"
            look_up_time = "{look_up} us"
            partner_time = "{partner} us"
            retry_time = "20 us"
            retries = {retries}
            destages_at_once = {at_once}
            {memory}
            replacement = {{ policy = "{replacement}" }}
            admission = {{ policy = "{admission}" }}
            read_ahead = {{ {read_ahead} }}
            [write]
            mode = "{mode}"
            dirty_limit = "{limit} %"
            when_full = "{when_full}"
            allocate = {allocate}
            mirrored = {mirrored}
            battery = {battery}
            flush_on_failure = {flush}
            stripe_size = "8 KiB"
            destage = {{ when = "{pace}" }}
            order = {{ first = "{order}" }}
        "#, blocks * 2048);
        (text, [mirrored, battery, mode == "through"])
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sansim_trials::case_count(400)) })]

    #[test]
    fn an_acknowledged_write_is_lost_only_where_the_configuration_says_so(
        (keys, [mirrored, battery, through]) in keys(), steps in prop::collection::vec(step(), 0..160),
    ) {
        let mut world = World::new(&keys);
        // Whether each part works: cache, power, battery, partner.
        let mut works = [true; 4];
        for step in steps {
            let before = world.lost;
            let mut may_lose = false;
            match step {
                Step::Read(device, lba, count) => world.read(device, lba, count),
                Step::Write(device, lba, count) => world.write(device, lba, count),
                Step::Arrive(which, fails) => world.arrive(which, if fails { Status::Failed } else { Status::Good }),
                Step::Fails(what) => {
                    may_lose = match what {
                        0 => !(mirrored && works[3]),
                        1 => !(battery && works[2]),
                        2 => !works[1],
                        _ => false,
                    };
                    world.act(what, false);
                    // When the cache of a mirrored pair fails, the partner takes over and has no partner itself.
                    if what == 0 && works[0] && mirrored && works[3] { works[3] = false } else { works[what] = false }
                }
                Step::Works(what) => {
                    world.act(what, true);
                    if what == 0 && works[0] { works[3] = true } else { works[what] = true }
                }
                Step::Abort(which) => world.abort(which),
                Step::Tick(on) => world.tick(on),
            }
            prop_assert!(may_lose || world.lost == before, "something protects");
            world.check();
        }
        let _ = through;
        world.finish();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sansim_trials::case_count(400)) })]

    /// The partner takes over, again and again, at any moment: `World` calculates without the cache which writes the partner lacks then.
    #[test]
    fn mirrored_asynchronously_just_those_writes_are_lost_that_the_partner_does_not_have(
        (keys, [_, battery, _]) in keys(),
        partner in 1..400_u64,
        bound in prop_oneof![Just(None), (0..6_u64).prop_map(Some)],
        steps in prop::collection::vec(step(), 0..160),
    ) {
        let mut keys: String = keys
            .lines()
            .filter(|line| !["mirrored", "partner_time"].iter().any(|key| line.trim().starts_with(key)))
            .map(|line| format!("{line}\n"))
            .collect();
        keys = keys.replacen("[write]", &format!("partner_time = \"{partner} us\"\n[write]\nmirrored = true\nmirroring = \"asynchronous\""), 1);
        if let Some(bound) = bound {
            keys = keys.replacen("[write]", &format!("[write]\nlag_writes = {bound}"), 1);
        }
        let mut world = World::new(&keys).asynchronous(Span::from_us(partner));
        let mut works = [true; 4];
        for step in steps {
            let (before, writes_before) = (world.lost, world.lost_writes);
            let mut may_lose = false;
            match step {
                Step::Read(device, lba, count) => world.read(device, lba, count),
                Step::Write(device, lba, count) => world.write(device, lba, count),
                Step::Arrive(which, fails) => world.arrive(which, if fails { Status::Failed } else { Status::Good }),
                Step::Fails(what) => {
                    may_lose = match what {
                        0 => true,
                        1 => !(battery && works[2]),
                        2 => !works[1],
                        _ => false,
                    };
                    world.act(what, false);
                    if what == 0 && works[0] && works[3] { works[3] = false } else { works[what] = false }
                }
                Step::Works(what) => {
                    world.act(what, true);
                    if what == 0 && works[0] { works[3] = true } else { works[what] = true }
                }
                Step::Abort(which) => world.abort(which),
                Step::Tick(on) => world.tick(on),
            }
            prop_assert!(may_lose || world.lost == before, "something protects");
            prop_assert!(bound.is_none_or(|bound| world.lost_writes - writes_before <= bound), "within the bound");
            world.check();
        }
        world.finish();
    }
}

/// The property is not vacuous: the third of three writes is acknowledged, and the partner lacks the second and the third.
#[test]
fn a_partner_that_takes_over_lacks_the_last_writes_and_the_cache_says_how_many() {
    let lost = |bound: &str, sync: bool| {
        let mirroring = if sync { "synchronous" } else { "asynchronous" };
        let keys = format!(
            "capacity = \"64 KiB\"\nblock = \"2 KiB\"\npartner_time = \"10 us\"\n[write]\nmirrored = true\nmirroring = \"{mirroring}\"\n{bound}"
        );
        let mut world = World::new(&keys).asynchronous(Span::from_us(10));
        for place in 0..3 {
            world.write(0, 4 * place, 4);
            world.tick(4);
        }
        world.act(0, false);
        world.finish();
        (world.lost_writes, world.lost, world.good)
    };
    // At 12 us the partner has the first write, held at 0 us; the others were sent at 4 and 8 us.
    assert_eq!(lost("", false), (2, 2, 3));
    assert_eq!(lost("lag_writes = 1", false), (1, 1, 2));
    assert_eq!(lost("lag_bytes = \"2048 B\"", false), (1, 1, 2));
    assert_eq!(lost("lag_writes = 0", false), (0, 0, 1));
}

/// The property is not vacuous: without protection some writes are lost.
#[test]
fn without_protection_writes_are_lost_and_with_it_they_are_not() {
    let lost = |keys: &str, what: usize| {
        let mut world = World::new(&format!("capacity = \"64 KiB\"\nblock = \"2 KiB\"\n[write]\n{keys}"));
        world.write(0, 0, 12);
        world.tick(1);
        world.act(what, false);
        world.finish();
        world.lost
    };
    assert_eq!([lost("", 0), lost("", 1)], [3, 3]);
    assert_eq!([lost("battery = true", 0), lost("battery = true", 1)], [3, 0]);
    assert_eq!([lost("mirrored = true", 0), lost("mirrored = true", 1)], [0, 3]);
    assert_eq!([lost("mode = \"through\"", 0), lost("mode = \"through\"", 1)], [0, 0]);
}
