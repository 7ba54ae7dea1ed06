//! Write acceleration: what a gateway saves by hand, to the tick; reads and writes without room; and the laws with links that fail.

use crate::common::figure;
use crate::common::text::{assert_adds_up, away, run};
use crate::random_errors;
use proptest::prelude::*;
use sansim_component::NetworkModel;
use sansim_scenario::Scenario;
use sansim_simulator::RunResult;

/// A host and a RAM disk at two sites, with words of 25 ns and no gaps; one I/O at a time.
fn two_sites(gateways: &str, km: u64, load: &str) -> String {
    let adapter =
        "adapter.request_bytes = \"0 B\"\nadapter.dma_bandwidth = \"1 TB/s\"\nport.incoming_buffers = 64";
    format!(
        "[run]\nmeasured_ios = 20\nwarm_up = 0\n[san]\nkind = \"fabric\"\ntopology = \"given\"\nprotocol = \"plain\"\nword_time = \"25 ns\"\n\
         speed = \"1GFC\"\nswitch.buffers = 4000\nswitch.routing_delay = \"150 ns\"\nstations = [\"host\", \"drives\"]\n\
         switches.near.stations = [\"host\"]\nswitches.far.stations = [\"drives\"]\n\
         links.distance = {{ from = \"near\", to = \"far\", cable = \"{km} km\", {gateways} }}\n\
         [host]\nkind = \"host\"\n{adapter}\n\
         [drives]\nkind = \"drives\"\nmodel = \"ram\"\ntransfer_rate = \"100 GB/s\"\n{adapter}\n\
         [load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"drives\"]\n{load}\n"
    )
}

const WRITES: &str = "size = \"8 KiB\"\nread_fraction = 0.0";
const READS: &str = "size = \"8 KiB\"\nread_fraction = 1.0";
const GATEWAYS: &str = "write_acceleration = \"1 MiB\"";
/// Gateways without room for any of these writes.
const NO_ROOM: &str = "write_acceleration = \"1 B\"";

/// The response times of a run, which are all alike.
fn response(text: &str) -> u64 {
    let result = run(text);
    assert_adds_up(&result);
    let first = result.ios.rows[0].response.ticks();
    assert!(result.ios.rows.iter().all(|io| io.response.ticks() == first));
    first
}

/// Ticks of a number of nanoseconds.
const fn ns(ns: u64) -> u64 {
    ns * 561
}

/// The ticks from the first word of a message alone to its last at the other end of a path with this number of switches, without the
/// distance: the first word has come after 25 ns, and the switch routes for 150 ns.
fn passage(switches: u64, words: u64) -> u64 {
    ns(switches * 175 + 25 * words)
}

/// One way over a kilometre.
const KM: u64 = ns(5000);
const COMMAND: u64 = 8;
const READY: u64 = 3;
const RESPONSE: u64 = 6;
const FRAME: u64 = 512;
/// The DMA of 2048 bytes at 1 TB/s, and the time of the drive for 8 KiB at 100 GB/s before it asks for them.
const DMA: u64 = 1149;
const DRIVE: u64 = 45_957;

#[test]
fn an_accelerated_write_saves_a_round_trip_to_the_tick() {
    for km in [1, 50, 1000] {
        let accelerated = response(&two_sites(GATEWAYS, km, WRITES));
        let passed_on = response(&two_sites(NO_ROOM, km, WRITES));
        // FCP_CMND comes to the target by both gateways, and FCP_XFER_RDY back by both, each received whole by each.
        let there = passage(1, COMMAND) + passage(2, COMMAND) + passage(1, COMMAND);
        let back = passage(1, READY) + passage(2, READY) + passage(1, READY);
        let asked_by_target = there + back + 2 * km * KM + DRIVE;
        // The near gateway asks at once, and sends FCP_CMND behind FCP_XFER_RDY. The routing unit of the switch serves the header of the one
        // from 25 ns on, that of the other from 175 to 325 ns. The host has FCP_XFER_RDY after 250 ns, and the header of its first data frame
        // comes before the unit is free.
        let routed_behind = ns(325) - (passage(1, READY) + DMA + ns(25));
        let asked_by_gateway = passage(1, COMMAND) + passage(1, READY) + routed_behind;
        assert_eq!(passed_on - accelerated, asked_by_target - asked_by_gateway, "{km} km");
        // Without gateways the frames pass two switches, and data are not received whole on the way.
        let direct = response(&two_sites("", km, WRITES));
        let asked_directly = passage(2, COMMAND) + passage(2, READY) + 2 * km * KM + DRIVE;
        let by_gateways = |words| passage(1, words) + passage(2, words) + passage(1, words);
        let more = by_gateways(FRAME) - passage(2, FRAME) + by_gateways(RESPONSE) - passage(2, RESPONSE);
        assert_eq!(direct + more + asked_by_gateway, accelerated + asked_directly, "{km} km");
        // A gateway pays from a round trip on that is longer than its passages; that is 2.6 km here.
        assert_eq!(accelerated < direct, km > 2, "{km} km");
    }
}

#[test]
fn reads_are_as_without_gateways() {
    let with = run(&two_sites(GATEWAYS, 50, READS));
    let without = run(&two_sites("", 50, READS));
    let responses = |result: &RunResult| result.ios.rows.iter().map(|io| io.response).collect::<Vec<_>>();
    assert_eq!(responses(&with), responses(&without));
    for name in ["utilisation", "links", "frames", "data_latency_ns"] {
        assert_eq!(figure(&with.summary, "san", name), figure(&without.summary, "san", name), "{name}");
    }
}

#[test]
fn as_many_writes_are_accelerated_as_there_is_room_for() {
    let load = "size = \"64 KiB\"\nread_fraction = 0.0\nqueue_depth = 4";
    let counts = |room: &str| {
        let result = run(&two_sites(&format!("write_acceleration = \"{room}\""), 500, load));
        assert_adds_up(&result);
        let of = |name| figure(&result.summary, "san", name);
        (of("accelerated_writes"), of("unaccelerated_writes"))
    };
    // Four writes are outstanding from the beginning; with room for two of them each that ends makes room for one.
    let (accelerated, passed_on) = counts("256 KiB");
    assert_eq!(passed_on, 0.0);
    assert!(accelerated >= 20.0);
    let (accelerated, passed_on) = counts("128 KiB");
    assert!(accelerated > 0.0 && passed_on > 0.0, "{accelerated} and {passed_on}");
    assert_eq!(counts("65535 B").0, 0.0);
}

#[test]
fn bursts_of_the_target_divide_frames_of_the_gateway() {
    // The drive asks for 4608 bytes at a time, which end within frames of 2048.
    for burst in ["4608 B", "2 KiB", "1 MiB"] {
        let text = two_sites(GATEWAYS, 50, "size = \"64 KiB\"\nread_fraction = 0.0\nqueue_depth = 3")
            .replace("model = \"ram\"", &format!("burst = \"{burst}\"\naccess_time = \"20 us\""));
        let result = run(&text);
        assert_adds_up(&result);
        assert_eq!(result.summary.failed_ios, 0, "{burst}");
    }
}

#[test]
fn data_of_a_host_that_leaves_are_dropped_at_the_gateway() {
    // The drive asks for data 20 ms after its command, so that the data wait at the far gateway meanwhile.
    let system = |events: &str| {
        let load = "size = \"64 KiB\"\nread_fraction = 0.0\nqueue_depth = 2";
        let text = two_sites(GATEWAYS, 50, load).replace("model = \"ram\"", "access_time = \"20 ms\"");
        run(&(text.replace("[host]", "[host]\nno_way_time = \"unlimited\"") + events))
    };
    let lost = |result: &RunResult| figure(&result.summary, "san", "lost_frames");
    for (what, at_us) in [("host", 15_000), ("drives[0]", 15_000)] {
        let result = system(&away(what, at_us, 30_000));
        assert_adds_up(&result);
        assert_eq!((result.summary.ios, result.summary.failed_ios), (20, 0), "{what}");
        // The two writes of that moment are sent again.
        let of = |name| figure(&result.summary, "san", name);
        assert_eq!(of("accelerated_writes") + of("unaccelerated_writes"), 22.0, "{what}");
        assert_eq!(lost(&result), 0.0, "{what}: no frame was on a link");
    }
}

#[test]
fn a_write_of_a_node_that_leaves_and_comes_back_while_its_frames_are_in_flight_is_sent_again() {
    // One way takes 100 us, so a write has frames on the distance for most of its time.
    let load = "size = \"16 KiB\"\nread_fraction = 0.0\nqueue_depth = 2";
    let text = two_sites(GATEWAYS, 20, load)
        .replace("[host]", "[host]\nno_way_time = \"unlimited\"\ndriver.time_out = \"5 ms\"\nadapter.abort_answer_time = \"1 ms\"");
    for what in ["host", "drives[0]"] {
        for at_us in (0..1_500).step_by(37) {
            let result = run(&(text.clone() + &away(what, at_us, 1)));
            assert_adds_up(&result);
            assert_eq!((result.summary.ios, result.summary.failed_ios), (20, 0), "{what} at {at_us} us");
        }
    }
}

const SYSTEM: &str = r#"
    [san]
    kind = "fabric"
    topology = "given"
    speed = "4GFC"
    stations = ["host", "other", "disks"]
    [san.switches.near]
    stations = ["host"]
    [san.switches.far]
    stations = ["other", "disks"]
    [san.links.distance]
    from = "near"
    to = "far"
    count = 2
    cable = "20 km"
    write_acceleration = "64 KiB"
    [host]
    kind = "host"
    driver.time_out = "20 ms"
    adapter.abort_answer_time = "2 ms"
    [other]
    kind = "host"
    driver.time_out = "20 ms"
    adapter.abort_answer_time = "2 ms"
    [disks]
    kind = "drives"
    count = 3
    access_time = "300 us"
    transfer_rate = "200 MB/s"
    errors.busy = 0.05
    [load]
    kind = "closed"
    from = "host"
    to = ["disks"]
    size = "24 KiB"
    read_fraction = 0.3
    queue_depth = 4
    [load-of-other]
    kind = "closed"
    from = "other"
    to = ["disks"]
    size = "8 KiB"
    read_fraction = 0.5
    "#;

const THINGS: [&str; 8] = [
    "san.links.distance[0]",
    "san.links.distance[1]",
    "san.switches.far",
    "san.switches.near",
    "host",
    "other",
    "disks[1]",
    "disks",
];

#[test]
fn a_link_that_cannot_accelerate_writes_is_refused_with_a_cause() {
    let refused = |more: &str| {
        let text = two_sites(GATEWAYS, 50, WRITES).replace("[host]", &format!("{more}\n[host]"));
        let report = Scenario::parse_text(&text, "text").expect_err("it must be refused");
        report.to_string()
    };
    let second = "links.other = { from = \"near\", to = \"far\" }";
    for (more, cause) in [
        (second, "have another path than this link"),
        (
            "switches.third = {}\nlinks.one = { from = \"near\", to = \"third\" }\nlinks.two = { from = \"third\", to = \"far\" }",
            "have another path than this link",
        ),
        (
            "switches.third = {}\nlinks.one = { from = \"far\", to = \"third\", write_acceleration = \"1 MiB\" }",
            "accelerates writes already",
        ),
    ] {
        assert!(refused(more).contains(cause), "{}", refused(more));
    }
    let text = two_sites(GATEWAYS, 50, WRITES)
        .replace("protocol = \"plain\"\nword_time = \"25 ns\"", "class = \"class-2\"");
    let report = Scenario::parse_text(&text, "text").expect_err("it must be refused").to_string();
    assert!(report.contains("in class 2"), "{report}");
}

/// Frames for a node that leaves may wait at the other end of a way by a gateway, behind a switch that is away.
#[test]
fn frames_for_a_node_that_leaves_are_lost_where_they_wait_behind_a_switch_that_is_away()
-> Result<(), TestCaseError> {
    check(&vec![(3, 1, 20_463), (7, 20_001, 1)], 0.0036, 52_968)
}

/// A change: its place in the list, its time in microseconds, and the time after which it is undone.
type Changes = Vec<(usize, u64, u64)>;

fn check(changes: &Changes, loss: f64, seed: u32) -> Result<(), TestCaseError> {
    let mut text = format!("[run]\nseed = {seed}\nmeasured_ios = 150\nwarm_up = 0\n{SYSTEM}\n");
    text = text.replace("errors.busy", &format!("adapter.frame_loss = {loss}\nerrors.busy"));
    for &(thing, at, back) in changes {
        text += &away(THINGS[thing % THINGS.len()], at, back);
    }
    let result = random_errors::run(&text, NetworkModel::Fast)?;
    assert_adds_up(&result);
    prop_assert_eq!(result.summary.ios, 150);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(400), max_shrink_iters: 200, ..ProptestConfig::default() })]
    #[test]
    fn nothing_is_lost_or_answered_twice_behind_gateways(
        changes in prop::collection::vec((0usize..8, 0u64..30_000, prop_oneof![3 => 1u64..20_000, 1 => 20_000u64..900_000]), 0..4),
        loss in prop_oneof![Just(0.0), 0.0f64..0.02],
        seed in 0u32..100_000,
    ) {
        check(&changes, loss, seed)?;
    }
}
