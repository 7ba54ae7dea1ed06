//! Tests of properties that all streams have.

use super::*;
use proptest::prelude::*;
use sansim_component::bench::instant_at_us;

/// The keys of a stream, and the most of its requests that may be outstanding.
fn streams() -> impl Strategy<Value = (String, usize)> {
    let arrivals = (0_usize..6, 1_u32..5, 20_u32..400).prop_map(|(process, depth, rate)| {
        let rate = format!("rate = \"{rate}000/s\"");
        let open = |keys: &str| (format!("{{ {keys} }}"), None);
        match process {
            0 => (
                format!("{{ process = \"closed\", queue_depth = {depth}, think_time = \"2 us\" }}"),
                Some(depth),
            ),
            1 => (
                format!("{{ process = \"closed\", queue_depth = {depth}, queue_depth_per = \"device\" }}"),
                Some(3 * depth),
            ),
            2 => open(&format!("process = \"deterministic\", {rate}")),
            3 => open(&format!("process = \"poisson\", {rate}")),
            4 => open(&format!("process = \"gamma\", {rate}, cv = 2")),
            _ => open(&format!("process = \"on-off\", {rate}, on = \"50 us\", off = \"50 us\"")),
        }
    });
    let pattern = prop::sample::select(vec!["uniform", "sequential", "zipf", "permutation", "walk"]);
    let spread = prop::sample::select(vec!["random", "turns", "concatenated"]);
    let size = prop::sample::select(vec!["\"4 KiB\"", "\"512 B\"", "{ \"512 B\" = 1, \"24 KiB\" = 2 }"]);
    let limits = (1_usize..6, 0_u64..200, 50_u64..1_500, 1_u64..60, any::<[bool; 2]>(), 0_u32..99);
    (arrivals, pattern, spread, size, limits).prop_map(
        |((arrivals, slots), pattern, spread, size, (outstanding, begin, duration, ios, [timed, counted], from))| {
            let mut keys = format!(
                "arrivals = {arrivals}\nlocation = {{ pattern = \"{pattern}\" }}\nspread = \"{spread}\"\nsize = {size}\n\
                 outstanding = {outstanding}\nbegin = \"{begin} us\"\nregion_from = \"{from} %\"\nread_fraction = 0.5\n"
            );
            if timed {
                keys.push_str(&format!("duration = \"{duration} us\"\n"));
            }
            if counted {
                keys.push_str(&format!("ios = {ios}\n"));
            }
            (keys, slots.map_or(outstanding, |slots| slots as usize))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(64), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_slot_is_lost_no_limit_exceeded_and_every_request_lies_on_its_device(
        keys in prop::collection::vec((streams(), 0_u32..2), 1..4),
        capacities in prop::collection::vec(48_u64..4_000, 3),
        service_us in 1_u64..40,
        seed in 1_u64..1_000,
    ) {
        let plans: Vec<StreamPlan> = keys
            .iter()
            .enumerate()
            .map(|(number, ((keys, _), stage))| StreamPlan { stage: *stage, ..stream(&format!("s{number}"), keys) })
            .collect();
        let aims = TargetDevices { capacity_blocks: capacities.clone(), ..aims(3, 0) };
        let mut play = Play::new(plans.clone(), aims, seed).until(instant_at_us(2_000), takes(service_us));
        for Seen { request, asked, begun } in &play.seen {
            let capacity = capacities[request.device as usize - 5];
            prop_assert!(request.lba + request.bytes.div_ceil(BLOCK_BYTES) <= capacity, "{:?} of {}", request, capacity);
            prop_assert!(begun <= asked);
        }
        for (number, ((_, limit), _)) in keys.iter().enumerate() {
            let seen = play.of(number as u32);
            let plan = &plans[number];
            prop_assert!(plan.ios.is_none_or(|most| seen.len() as u64 <= most));
            // The outstanding requests after each request are those of the same stream that are not answered by then.
            for (before, one) in seen.iter().enumerate() {
                let done = play.answered.iter().filter(|&&(stream, at)| stream == number as u32 && at <= one.asked);
                prop_assert!(before + 1 - done.count().min(before) <= *limit, "stream {}", number);
            }
            // A closed stream that goes on has all of its slots in the system or thinking; a stream that may issue no more may have idle
            // slots.
            let of = &play.bench.component.streams[number];
            if !plan.pace.is_open() && of.begun > Time::ZERO && !of.is_over {
                let slots = &play.bench.component.slots[of.first_slot..of.first_slot + of.slots];
                let waiting = slots.iter().filter(|slot| slot.asks).count();
                let (here, all) = (waiting + of.in_flight as usize, of.slots);
                prop_assert!(here == all || here < all && !of.may_ask(instant_at_us(2_000)), "{} of {}", here, all);
            }
        }
        let unlimited = plans.iter().any(|plan| plan.duration.is_none() && plan.ios.is_none());
        if !unlimited && play.bench.timers().is_empty() && play.answers.is_empty() {
            prop_assert_eq!(play.bench.leftovers(), Vec::<String>::new());
            prop_assert!(play.bench.component.streams.iter().all(|stream| stream.is_over && stream.in_flight == 0));
        }
    }
}
