//! Tests of the contents of the requests of streams, and of their devices.

use super::*;
use sansim_component::bench::instant_at_us;
use sansim_request::Operation;

const STEADY: &str = "arrivals = { process = \"deterministic\", rate = \"100000/s\" }\n";

/// The requests that a stream with these keys issues in 10 ms.
fn asked(keys: &str, aims: TargetDevices, seed: u64) -> Vec<Request> {
    let streams = vec![stream("", &format!("{STEADY}{keys}"))];
    Play::new(streams, aims, seed)
        .until(instant_at_us(10_000), takes(1))
        .seen
        .iter()
        .map(|seen| seen.request)
        .collect()
}

#[test]
fn a_request_says_of_which_workload_and_stream_it_is() {
    let streams = vec![stream("a", STEADY), stream("b", "read_fraction = 0")];
    let play = Play::new(streams, aims(1, 800), 1).until(instant_at_us(95), takes(10));
    let first = play.of(1)[0].request;
    assert_eq!(
        first.origin,
        RequestOrigin {
            workload: 2,
            stream: 1,
            slot: 0,
            background: false,
            priority: sansim_request::NORMAL_PRIORITY
        }
    );
    assert_eq!((first.operation, first.bytes, first.parent), (Operation::Write, 4096, None));
    assert!(play.of(0).iter().all(|seen| seen.request.operation == Operation::Read));
    let numbers: Vec<u64> = play.seen.iter().map(|seen| seen.request.number).collect();
    assert_eq!(numbers, (0..play.seen.len() as u64).collect::<Vec<_>>());
}

#[test]
fn turns_go_round_and_random_goes_anywhere() {
    let location = "location = { pattern = \"sequential\" }\n";
    let turns = asked(&format!("{location}spread = \"turns\""), aims(3, 80), 1);
    for (number, request) in turns.iter().enumerate() {
        let (device, turn) = (number as u64 % 3, number as u64 / 3);
        assert_eq!((u64::from(request.device), request.lba), (5 + device, turn % 10 * 8));
    }
    let random = asked(&format!("{location}spread = \"random\""), aims(4, 80), 1);
    for device in 5..9 {
        let here: Vec<u64> = random.iter().filter(|r| r.device == device).map(|r| r.lba).collect();
        // A quarter of the 999 draws goes to each device: 250 +- 14.
        assert!((195..305).contains(&here.len()), "{}", here.len());
        assert!(here.iter().enumerate().all(|(turn, &lba)| lba == turn as u64 % 10 * 8), "each by itself");
    }
}

#[test]
fn concatenated_devices_are_one_and_nothing_crosses_from_one_to_the_next() {
    let sizes = TargetDevices { capacity_blocks: vec![20, 12, 40], ..aims(3, 0) };
    let keys = "spread = \"concatenated\"\nlocation = { pattern = \"sequential\" }";
    let found: Vec<(u32, u64)> = asked(keys, sizes, 1).iter().map(|r| (r.device, r.lba)).collect();
    // The address space has 72 blocks: nine requests of eight blocks. The third request would go from block 16 of the first drive into the
    // second, so it is moved back.
    let round = [(5, 0), (5, 8), (5, 12), (6, 4), (7, 0), (7, 8), (7, 16), (7, 24), (7, 32)];
    assert_eq!(found[..18], [round, round].concat());
}

#[test]
fn requests_stay_within_their_region() {
    let keys = "region_from = \"25 %\"\nregion_to = \"75 %\"\n";
    let found = asked(keys, aims(2, 800), 1);
    assert!(found.iter().all(|r| (200..=592).contains(&r.lba)));
    let [least, most] = [found.iter().map(|r| r.lba).min(), found.iter().map(|r| r.lba).max()];
    assert!(least.is_some_and(|lba| lba < 220) && most.is_some_and(|lba| lba > 570), "{least:?}, {most:?}");
    let whole = asked(&format!("{keys}spread = \"concatenated\""), aims(2, 800), 1);
    assert!(whole.iter().all(|r| if r.device == 5 { r.lba >= 400 } else { r.lba <= 392 }));
}

#[test]
fn a_request_larger_than_its_region_still_ends_on_its_device() {
    let keys = "region_from = \"99 %\"\nsize = \"64 KiB\"\n";
    for spread in ["random", "turns", "concatenated"] {
        for request in asked(&format!("{keys}spread = \"{spread}\""), aims(2, 200), 1) {
            assert!(request.lba + 128 <= 200, "{spread}: {request:?}");
        }
    }
}

#[test]
fn streams_draw_from_random_streams_of_their_own() {
    let poisson = "arrivals = { process = \"poisson\", rate = \"50000/s\" }\nread_fraction = 0.5\nsize = { \"4 KiB\" = 1, \"8 KiB\" = 1 }\n";
    let closed = "arrivals = { process = \"closed\", think_time = { distribution = \"exponential\", mean = \"30 us\" } }\nread_fraction = 0.3";
    let with = |streams: Vec<StreamPlan>, seed: u64| {
        Play::new(streams, aims(4, 80_000), seed).until(instant_at_us(10_000), takes(5))
    };
    let what = |play: &Play, stream: u32| -> Vec<(Time, Operation, u32, u64, u64)> {
        let of = play.of(stream);
        let of =
            of.iter().map(|Seen { asked, request: r, .. }| (*asked, r.operation, r.device, r.lba, r.bytes));
        of.collect()
    };
    let two = with(vec![stream("a", poisson), stream("b", closed)], 1);
    let three = with(vec![stream("c", poisson), stream("a", poisson), stream("b", closed)], 1);
    assert_eq!(what(&two, 0), what(&three, 1));
    assert_eq!(what(&two, 1), what(&three, 2));
    assert_ne!(what(&three, 0), what(&three, 1), "the name makes the difference");
    let other = with(vec![stream("a", poisson), stream("b", closed)], 2);
    assert_ne!(what(&two, 0), what(&other, 0), "and the seed");
    let again = with(vec![stream("a", poisson), stream("b", closed)], 1);
    assert_eq!(two.seen, again.seen);
}
