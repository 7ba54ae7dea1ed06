//! Tests of failures at every step: an acknowledged write is lost only where the configuration permits it, and every read returns the
//! latest data.

use crate::common::world::{BLOCKS, SECTORS, World};
use proptest::prelude::*;
use sansim_cache::CacheParameters;
use sansim_cache::admission::AdmissionPolicy;
use sansim_cache::block_cache::{BlockCache, Failure};
use sansim_cache::destage::{DestageOrder, DestagePace};
use sansim_cache::replacement::ReplacementPolicy;
use sansim_kernel::RandomStream;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

#[derive(Clone, Debug)]
enum Step {
    Read(u64, u64),
    Write(u64, u64),
    Destage,
    Arrive(usize, bool),
    Lose(Failure),
    Repair(Failure),
}

fn step() -> impl Strategy<Value = Step> {
    let start = 0..BLOCKS * SECTORS;
    let failure = prop_oneof![Just(Failure::Partner), Just(Failure::Battery)];
    prop_oneof![
        4 => (start.clone(), 1..14_u64).prop_map(|(start, length)| Step::Read(start, length)),
        6 => (start.clone(), 1..14_u64).prop_map(|(start, length)| Step::Write(start, length)),
        2 => (0..BLOCKS, 1..3_u64).prop_map(|(block, blocks)| Step::Write(block * SECTORS, blocks * SECTORS)),
        3 => Just(Step::Destage),
        8 => (any::<prop::sample::Index>(), prop::bool::weighted(0.1))
            .prop_map(|(which, fails)| Step::Arrive(which.index(1_000), fails)),
        1 => failure.clone().prop_map(Step::Lose),
        1 => failure.prop_map(Step::Repair),
    ]
}

prop_compose! {
    fn parameters()(
        replacement in prop::sample::select(ReplacementPolicy::WORDS),
        pace in prop::sample::select(DestagePace::WORDS),
        order in prop::sample::select(DestageOrder::WORDS),
        read_ahead in prop::sample::select(vec![
            "policy = \"none\"", "policy = \"fixed\"\namount = \"4 KiB\"", "policy = \"stripe-unit\"\nstripe_unit = \"8 KiB\"",
            "policy = \"adaptive\"\nfirst = \"2 KiB\"\nmost = \"8 KiB\"",
        ]),
        admission in prop::sample::select(AdmissionPolicy::WORDS),
        blocks in 2..12_u64,
        limit in 20..101_u32,
        mode in prop::sample::select(vec!["back", "back", "back", "through"]),
        when_full in prop::sample::select(vec!["through", "wait"]),
        destaged in prop::sample::select(vec!["young", "old"]),
        [mirrored, battery, allocate, flush] in any::<[bool; 4]>(),
    ) -> CacheParameters {
        let text = format!(r#"
            capacity = "{} B"
            block = "2 KiB"
            replacement = {{ policy = "{replacement}" }}
            admission = {{ policy = "{admission}" }}
            [read_ahead]
            {read_ahead}
            [write]
            mode = "{mode}"
            dirty_limit = "{limit} %"
            when_full = "{when_full}"
            allocate = {allocate}
            mirrored = {mirrored}
            battery = {battery}
            flush_on_failure = {flush}
            stripe_size = "8 KiB"
            destaged = "{destaged}"
            destage = {{ when = "{pace}" }}
            order = {{ first = "{order}" }}
        "#, blocks * 2048);
        CacheParameters::from_toml(&text, &Facts::default()).unwrap_or_else(|report| panic!("{report}"))
    }
}

fn world(parameters: &CacheParameters) -> World {
    World::new(BlockCache::new(parameters, BLOCKS * SECTORS * 512, RandomStream::new(1, "cache")))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sansim_trials::case_count(2_000)) })]

    #[test]
    fn an_acknowledged_write_is_lost_only_where_the_configuration_says_so(
        parameters in parameters(), steps in prop::collection::vec(step(), 0..120), seed in any::<u64>(),
    ) {
        let mut world = world(&parameters);
        let (mut partner, mut battery) = (true, true);
        let (protected, through) = (parameters.write.clone(), parameters.write.mode.to_string() == "through");
        let mut random = RandomStream::new(seed, "arrives");
        for step in steps {
            match step {
                Step::Read(start, length) => world.read(start..(start + length).min(BLOCKS * SECTORS)),
                Step::Write(start, length) => world.write(start..(start + length).min(BLOCKS * SECTORS)),
                Step::Destage => {
                    world.destage();
                }
                Step::Arrive(which, fails) => world.arrive(which, fails),
                Step::Lose(what) => {
                    if what == Failure::Partner { partner = false } else { battery = false }
                    world.fail(what, || true, false);
                }
                Step::Repair(what) => {
                    if what == Failure::Partner { partner = true } else { battery = true }
                    world.cache.repair(what);
                }
            }
            world.check();
            // Each failure is tried at this moment in a copy of the world, which then runs to its end like any other.
            for what in [Failure::Power, Failure::Memory] {
                let safe = match what {
                    Failure::Power => protected.battery && battery,
                    _ => protected.mirrored && partner,
                };
                let mut failed = world.clone();
                failed.fail(what, || random.chance(0.5), !safe);
                failed.check();
                failed.read(0..BLOCKS * SECTORS);
                failed.finish();
            }
        }
        if through {
            // Only blocks whose destage failed are dirty, and no device lost data.
            prop_assert!(world.cache.counts().writes == world.cache.counts().writes_through);
        }
        world.finish();
        let counts = *world.cache.counts();
        prop_assert!(counts.blocks_hit + counts.blocks_awaited <= counts.blocks_read);
        prop_assert!(counts.read_hits <= counts.reads);
        prop_assert!(counts.blocks_ahead_used + counts.blocks_ahead_wasted <= counts.blocks_ahead);
    }
}

/// The durability law is not vacuous: without protection, writes are lost.
#[test]
fn without_protection_what_is_dirty_is_lost_and_with_it_it_is_not() {
    let lost = |keys: &str, first: Option<Failure>, what: Failure| {
        let text = format!("capacity = \"64 KiB\"\nblock = \"2 KiB\"\n[write]\n{keys}");
        let parameters = CacheParameters::from_toml(&text, &Facts::default()).expect("keys that are right");
        let mut world = world(&parameters);
        world.write(0..3 * SECTORS);
        if let Some(first) = first {
            world.fail(first, || true, false);
        }
        world.fail(what, || false, true)
    };
    let (none, battery, mirrored) = ("", "battery = true", "mirrored = true");
    let both = "battery = true\nmirrored = true";
    let cases = [
        (none, None, Failure::Power, 3),
        (none, None, Failure::Memory, 3),
        (battery, None, Failure::Power, 0),
        (battery, None, Failure::Memory, 3),
        (battery, Some(Failure::Battery), Failure::Power, 3),
        (mirrored, None, Failure::Power, 3),
        (mirrored, None, Failure::Memory, 0),
        (mirrored, Some(Failure::Partner), Failure::Memory, 3),
        (mirrored, Some(Failure::Memory), Failure::Memory, 3),
        (both, None, Failure::Power, 0),
        (both, None, Failure::Memory, 0),
        (both, Some(Failure::Power), Failure::Memory, 0),
        ("mode = \"through\"", None, Failure::Power, 0),
    ];
    for (keys, first, what, expected) in cases {
        assert_eq!(lost(keys, first, what), expected, "{keys:?}, {first:?} and then {what:?}");
    }
}
