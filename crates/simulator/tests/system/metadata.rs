//! Metadata controllers and their clients: what set-up, locks and maps cost, by arithmetic; direct access after that; contention; leases,
//! revocation and moves in whole systems.
//!
//! Longer than 500 lines: all of the file uses the same functions that read runs, and the same oracle that checks every
//! request.

use crate::common::text::{assert_adds_up, assert_near, run, run_seen};
use crate::common::{figure, mean_ns};
use proptest::prelude::*;
use sansim_component::ComponentId;
use sansim_kernel::{Span, Time};
use sansim_observe::names::SystemNames;
use sansim_observe::observer::{Observer, RequestStep, WantedCalls};
use sansim_request::{Request, RequestId, Requests};
use sansim_simulator::run::RecordingOptions;
use sansim_simulator::samples::Sampling;
use sansim_simulator::{RunFlow, RunOptions};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The keys of a test in addition to the common keys.
#[derive(Clone, Copy)]
struct Said<'a> {
    clients: usize,
    run: &'a str,
    controller: &'a str,
    client: &'a str,
    volume: &'a str,
    /// The keys of the adapters.
    adapter: &'a str,
    driver: &'a str,
    load: &'a str,
    events: &'a str,
}

const PLAIN: Said<'_> = Said {
    clients: 1,
    run: "measured_ios = 200\nwarm_up = 20",
    controller: "lease_time = \"60 s\"\nset_up_cycles = 100000\nrenewal_cycles = 10000\nlock_cycles = 20000\nmap_cycles = 30000",
    client: "mapping_cycles = 300",
    volume: "",
    adapter: "",
    driver: "",
    load: "kind = \"closed\"\nqueue_depth = 1\nread_fraction = 1.0",
    events: "",
};

/// Clients with a workload each, a controller of 100 MHz with one volume on the first of three RAM disks, and a switch.
fn text(said: Said<'_>) -> String {
    let Said { clients, run, controller, client, volume, adapter, driver, load, events } = said;
    let backs: Vec<String> = (0..clients).map(|number| format!("\"client-{number}.back\"")).collect();
    let mut text = format!(
        r#"
        [run]
        {run}
        {events}
        [san]
        kind = "fabric"
        speed = "1GFC"
        topology = "single-switch"
        stations = [{}, "metadata.front", "disks"]
        [metadata]
        kind = "metadata-controller"
        to = ["disks"]
        speed_mhz = 100
        {controller}
        [metadata.volumes.a]
        on = 0
        size = "8 MiB"
        {volume}
        [metadata.front]
        {adapter}
        [disks]
        kind = "ram-disks"
        count = 3
        capacity = "16 MiB"
        bandwidth = "100 MB/s"
        latency = "20 us"
        [disks.adapter]
        {adapter}
        "#,
        backs.join(", ")
    );
    for number in 0..clients {
        let _ = write!(
            text,
            r#"
            [host-{number}]
            kind = "host"
            attached = ["client-{number}"]
            [host-{number}.driver]
            {driver}
            [client-{number}]
            kind = "metadata-client"
            to = "metadata"
            speed_mhz = 100
            answer_time = "5 ms"
            no_way_time = "unlimited"
            {client}
            [client-{number}.back]
            {adapter}
            [load-{number}]
            from = "host-{number}"
            to = ["client-{number}"]
            size = "4 KiB"
            {load}
            "#
        );
    }
    text
}

/// Messages would continue without end; but clients end their sessions when all workloads are done, so that leftovers are
/// checked.
#[test]
fn a_run_with_clients_comes_to_its_rest() {
    for lease in ["20 ms", "60 s"] {
        let controller = PLAIN.controller.replace("60 s", lease);
        let said = Said { clients: 3, controller: &controller, volume: "lock_range = \"64 KiB\"", ..PLAIN };
        let load = "kind = \"closed\"\nqueue_depth = 2\nread_fraction = 0.5";
        let text = text(Said { load, ..said });
        let scenario = sansim_scenario::Scenario::parse_text(&text, "test.toml")
            .unwrap_or_else(|report| panic!("{report}"));
        let recording =
            RecordingOptions { sampling: Sampling::Every(Span::from_ms(1)), ..RecordingOptions::default() };
        let options = RunOptions { recording, ..RunOptions::default() };
        let result =
            sansim_simulator::run(&scenario, &options, &mut |_| RunFlow::Continue).expect("it adds up");
        // The I/Os take a fraction of a second; half of a long lease passes until the last client has ended its session, and that time
        // is not sampled.
        assert!(result.samples.rows.len() < 1_000, "{} samples of 1 ms", result.samples.rows.len());
        let background = result.summary.background;
        assert!(background.issued > 0 && background.cut == 0, "{background:?}");
        assert_eq!(background.done, background.issued);
    }
}

/// Each set-up that is given up has cost the controller as much as a set-up that succeeds.
#[test]
fn clients_that_wait_too_short_for_a_session_wait_for_longer_and_get_it() {
    // A set-up takes 1 ms of the only processor.
    for (clients, answer_time) in [(1, "100 us"), (1, "900 us"), (4, "500 us"), (12, "1 ms")] {
        let said = Said { clients, ..PLAIN };
        let result =
            run(&text(said).replace("answer_time = \"5 ms\"", &format!("answer_time = \"{answer_time}\"")));
        for client in 0..clients {
            let given_up = figure(&result.summary, &format!("client-{client}"), "unanswered");
            assert!(given_up <= 7.0, "{given_up} of client {client} of {clients} at {answer_time}");
        }
    }
}

/// Mean time of an I/O in a segment of the first client.
fn at_client(said: Said<'_>, segment: &str) -> f64 {
    mean_ns(&run(&text(said)).summary, &format!("client-0.{segment}"))
}

#[test]
fn a_session_is_set_up_once_and_costs_its_cycles_at_the_speed_of_the_controller() {
    let first = "measured_ios = 1\nwarm_up = 0";
    let session = |controller| at_client(Said { run: first, controller, ..PLAIN }, "session");
    let (base, more) = (session(PLAIN.controller), session(&PLAIN.controller.replace("100000", "300000")));
    // The difference is 200,000 cycles at 100 MHz.
    assert_near("two hundred thousand cycles", more - base, 2e6, 1e-9);
    assert!(base > 1e6, "the network comes on top: {base}");
    let result = run(&text(PLAIN));
    assert_adds_up(&result);
    let [set_ups, messages] = ["set_ups", "messages"].map(|name| figure(&result.summary, "metadata", name));
    assert_eq!((set_ups, messages), (0.0, 0.0), "in the measured interval nobody asks the controller");
}

#[test]
fn after_set_up_an_access_costs_the_translation_and_nothing_else() {
    let mut direct = text(PLAIN);
    for (from, to) in [
        ("\"client-0.back\"", "\"host-0\""),
        ("attached = [\"client-0\"]", ""),
        ("to = [\"client-0\"]", "to = [\"disks\"]"),
        ("count = 3", "count = 1"),
    ] {
        assert!(direct.contains(from), "{from}");
        direct = direct.replace(from, to);
    }
    let cut = |text: &str, table: &str| {
        let begin = text.find(&format!("[{table}]")).expect("the table");
        let end = text[begin..].find("[load-0]").or_else(|| text[begin..].find("[disks]")).expect("the next");
        format!("{}{}", &text[..begin], &text[begin + end..])
    };
    let without_client = cut(&direct, "client-0");
    let begin = without_client.find("[metadata]").expect("the controller");
    let end = without_client.find("[disks]").expect("the disks");
    let plain =
        format!("{}{}", &without_client[..begin], &without_client[end..]).replace(", \"metadata.front\"", "");
    let raw = run(&plain).summary.response_time_ns.mean;
    for level in ["block", "file"] {
        let client = format!("mapping_cycles = 300\nlevel = \"{level}\"");
        // The warm-up is long enough for all extents to be known.
        let run_for = "measured_ios = 500\nwarm_up = 4000";
        let mapped = run(&text(Said { client: &client, run: run_for, ..PLAIN }));
        // The difference is 300 cycles at 100 MHz.
        let more = mapped.summary.response_time_ns.mean - raw;
        // Command, data and status each begin with a word of the wire, which takes 37.6 ns.
        assert!((more - 3_000.0).abs() < 3.0 * 37.7, "the translation: {more}");
        assert_eq!(figure(&mapped.summary, "metadata", "messages"), 0.0, "{level}");
    }
}

#[test]
fn by_files_each_extent_is_asked_for_once() {
    let said = Said {
        client: "mapping_cycles = 300\nlevel = \"file\"",
        volume: "stripe_unit = \"64 KiB\"",
        run: "measured_ios = 3000\nwarm_up = 0",
        ..PLAIN
    };
    let result = run(&text(said));
    assert_adds_up(&result);
    // A volume of 8 MiB has 128 extents, and 3000 random I/Os use each of them.
    assert_eq!(figure(&result.summary, "metadata", "extents"), 128.0);
    let waited = mean_ns(&result.summary, "client-0.extent") * 3000.0 / 128.0;
    assert!(waited > 3e5, "30,000 cycles of 100 MHz, and the network: {waited}");
}

/// The sessions of several clients that all start at once: with this number of processors, the last of this number of
/// clients is served in this turn.
#[test]
fn set_ups_queue_for_the_processors_of_the_controller() {
    let session = |processors: u32| {
        let controller =
            format!("{}\nprocessors = {processors}", PLAIN.controller.replace("100000", "10000000"));
        let said = Said {
            clients: 8,
            run: "measured_ios = 8\nwarm_up = 0",
            controller: &controller,
            client: "mapping_cycles = 300\nanswer_time = \"10 s\"",
            ..PLAIN
        };
        let result = run(&text(said).replace("answer_time = \"5 ms\"\n", "\n"));
        (0..8).map(|number| mean_ns(&result.summary, &format!("client-{number}.session"))).sum::<f64>()
    };
    for processors in [1_u32, 2, 4, 8] {
        // Each set-up takes 100 ms; the messages take almost nothing in comparison.
        let turns: u32 = (0..8).map(|number| number / processors + 1).sum();
        assert_near("mean wait", session(processors), f64::from(turns) / 8.0 * 1e8, 0.01);
    }
}

#[test]
fn a_controller_with_more_processors_or_faster_ones_is_never_slower() {
    let mean = |processors: u32, speed: u32| {
        let controller = format!("{}\nprocessors = {processors}", PLAIN.controller);
        let said = Said {
            clients: 6,
            run: "measured_ios = 1500\nwarm_up = 200",
            controller: &controller,
            volume: "lock_range = \"256 KiB\"",
            load: "kind = \"closed\"\nqueue_depth = 1\nread_fraction = 0.5",
            ..PLAIN
        };
        let text = text(said).replacen("speed_mhz = 100", &format!("speed_mhz = {speed}"), 1);
        let result = run(&text);
        assert_adds_up(&result);
        (result.summary.response_time_ns.mean, figure(&result.summary, "metadata", "mean_wait_ns"))
    };
    let waits: Vec<(f64, f64)> = [1, 2, 4, 8].map(|processors| mean(processors, 100)).to_vec();
    assert!(
        waits.windows(2).all(|pair| pair[1].0 <= pair[0].0 * 1.02 && pair[1].1 <= pair[0].1),
        "{waits:?}"
    );
    assert!(
        waits[0].0 > 2.0 * waits[3].0 && waits[0].1 > 1e5 && waits[3].1 < 1e4,
        "there is contention: {waits:?}"
    );
    let speeds: Vec<f64> = [50, 100, 400].map(|speed| mean(1, speed).0).to_vec();
    assert!(speeds.windows(2).all(|pair| pair[1] <= pair[0]), "{speeds:?}");
}

const BESIDE: &str = "studies/friedman-2001/scenarios/out-of-band.toml";

/// The question of the paper is the time of a read in band, with and without the data in the server's memory, compared with a client that
/// reads the disk directly.
#[test]
fn in_band_a_cached_read_beats_a_disk_and_out_of_band_every_other_one_is_faster() {
    let told = crate::common::run(BESIDE, &[]);
    let of = |device: &str| {
        let times = told.devices.value_named(device).and_then(|device| device.response_time_ns.as_ref());
        times.unwrap_or_else(|| panic!("{device}")).mean / 1e3
    };
    let (cached, uncached, direct) = (of("sds[0]"), of("sds[1]"), of("volumes"));
    println!("cached {cached:.1} us, uncached {uncached:.1} us, direct {direct:.1} us");
    // F-R01 is 330 us. In this system fewer adapters are polled.
    assert_near("a cached read", cached, 305.0, 0.02);
    // F-R27 is "just a few microseconds", which are 1650 cycles of 550 MHz, without waiting for the
    // controller.
    let share = told.devices.value_named("volumes").map_or(0.0, |device| device.share);
    assert_near("the translation", mean_ns(&told, "volumes.translation"), 3_000.0 * share, 1e-3);
    assert_eq!(figure(&told, "metadata", "set_ups"), 0.0, "the session was set up before");
    assert_eq!(figure(&told, "metadata", "messages"), figure(&told, "metadata", "renewals"));
    assert!(cached * 10.0 < direct, "a disk has to position");
    // The difference is the time of a cached read without its path to the client, which the direct read has
    // as well.
    assert!((100.0..cached).contains(&(uncached - direct)), "{uncached} and {direct}");
}

/// The rates, waits and moves of the shipped example with a metadata controller.
#[test]
fn the_scenario_with_a_metadata_controller_does_what_is_told_of_it() {
    let run = |set: &[&str]| crate::common::run("scenarios/metadata-controller.toml", set);
    let lock_ns = |told: &sansim_simulator::summary::Summary| {
        mean_ns(told, "sales-volumes.lock") + mean_ns(told, "mail-volumes.lock")
    };
    let base = run(&[]);
    assert_eq!(base.failed_ios, 0);
    assert_eq!(["moves", "set_ups", "expired"].map(|name| figure(&base, "metadata", name)), [1.0, 0.0, 0.0]);
    assert_eq!(["unanswered", "lapses"].map(|name| figure(&base, "sales-volumes", name)), [0.0, 0.0]);
    assert_near("waiting for locks", lock_ns(&base), 1e5, 0.1);
    assert!(figure(&base, "metadata", "utilisation") < 0.01);
    let by_files = run(&["sales-volumes.level=file", "mail-volumes.level=file"]);
    assert!(figure(&by_files, "metadata", "extents") > 100.0);
    let slow = run(&["metadata.lock_cycles=5_500_000"]);
    assert!(lock_ns(&slow) > 20.0 * lock_ns(&base), "{} and {}", lock_ns(&slow), lock_ns(&base));
}

/// An access of a client to a disk.
#[derive(Clone, Copy, Debug)]
struct Access {
    client: u32,
    request: Request,
    begin: Time,
    end: Time,
}

/// An observer of the accesses to disks.
#[derive(Default)]
struct Accesses {
    open: BTreeMap<RequestId, Access>,
    all: Vec<Access>,
}

impl Observer for Accesses {
    fn wants(&self) -> WantedCalls {
        WantedCalls { requests: true, ..WantedCalls::default() }
    }

    fn at_request(
        &mut self,
        now: Time,
        _: ComponentId,
        id: RequestId,
        what: RequestStep,
        requests: &Requests,
    ) {
        match what {
            RequestStep::Issued(_) => {
                let request = *requests.request(id);
                if request.parent.is_some() {
                    let client = request.origin.workload;
                    self.open.insert(id, Access { client, request, begin: now, end: Time::NEVER });
                }
            }
            RequestStep::Completed { .. } => {
                self.all.extend(self.open.remove(&id).map(|access| Access { end: now, ..access }));
            }
            _ => {}
        }
    }
}

/// Runs a scenario; returns the accesses of each client to disks, in the order in which they began.
fn accesses(text: &str) -> (sansim_simulator::run::EndedRun, SystemNames, Vec<Access>) {
    let (ended, names, seen) = run_seen(text, Accesses::default());
    let mut all = seen.all;
    all.extend(seen.open.into_values());
    all.sort_by_key(|access| access.begin);
    (ended, names, all)
}

/// Checks that no two clients access the same bytes of a disk at the same time if one of them writes.
fn assert_alone(all: &[Access]) -> usize {
    let mut met = 0;
    for (number, one) in all.iter().enumerate() {
        for other in all[number + 1..].iter().take_while(|other| other.begin < one.end) {
            let same = one.request.device == other.request.device
                && one.request.first_byte() < other.request.end_byte()
                && other.request.first_byte() < one.request.end_byte();
            let writes = one.request.is_write() || other.request.is_write();
            assert!(one.client == other.client || !same || !writes, "{one:?} and {other:?}");
            met += usize::from(one.client != other.client);
        }
    }
    met
}

const SHARED: &str = "kind = \"closed\"\nqueue_depth = 2\nread_fraction = 0.5";

/// The leases last 20 ms, with 10 ms of grace.
const SHORT: &str = "lease_time = \"20 ms\"\ngrace_time = \"10 ms\"\nset_up_cycles = 10000\nrenewal_cycles = 1000\nlock_cycles = 1000\nmap_cycles = 1000";

fn event(at_ms: u64, fails: bool, what: &str) -> String {
    let action = if fails { "fail" } else { "repair" };
    format!("[[event]]\nat = \"{at_ms} ms\"\ndo = \"{action}\"\nwhat = \"{what}\"\n")
}

#[test]
fn clients_that_share_a_volume_take_turns() {
    let said = Said {
        clients: 3,
        run: "measured_ios = 2000\nwarm_up = 100",
        volume: "lock_range = \"256 KiB\"",
        load: SHARED,
        ..PLAIN
    };
    let (ended, _, all) = accesses(&text(said));
    let met = assert_alone(&all);
    assert!(met > 50, "at other places they are there at one time: {met}");
    assert!(figure(&ended.summary, "metadata", "recalls") > 100.0);
    // Without locks clients do access the same bytes: the check can fail.
    let (_, _, all) = accesses(&text(Said { volume: "", ..said }));
    assert!(std::panic::catch_unwind(|| assert_alone(&all)).is_err());
}

#[test]
fn while_the_controller_is_gone_a_lease_runs_out_and_nothing_is_asked_of_disks() {
    let events = event(50, true, "metadata") + &event(150, false, "metadata");
    let said = Said {
        clients: 2,
        run: "duration = \"300 ms\"\nwarm_up = 0",
        controller: SHORT,
        load: SHARED,
        events: &events,
        ..PLAIN
    };
    let (ended, _, all) = accesses(&text(said));
    let at = |ms| Time::ZERO + Span::from_ms(ms);
    let count =
        |from, to| all.iter().filter(|access| at(from) <= access.begin && access.begin < at(to)).count();
    // A lease that was renewed just before holds for 20 ms.
    assert_eq!(count(70, 150), 0);
    assert!(
        count(40, 50) > 20 && count(160, 200) > 20,
        "{} before, {} after",
        count(40, 50),
        count(160, 200)
    );
    assert!(
        all.iter().all(|access| access.end <= at(71) || access.begin >= at(150)),
        "what was under way is over"
    );
    let lapses: f64 =
        (0..2).map(|client| figure(&ended.summary, &format!("client-{client}"), "lapses")).sum();
    assert_eq!(lapses, 2.0);
    assert_eq!(ended.summary.failed_ios, 0, "they waited");
}

#[test]
fn who_is_denied_is_refused_until_it_may_again() {
    let events = event(100, true, "metadata.leave[0]") + &event(200, false, "metadata.leave[0]");
    let load = "kind = \"synthetic\"\narrivals = { process = \"deterministic\", rate = \"1000/s\" }\nread_fraction = 0.5";
    let said = Said { run: "duration = \"300 ms\"\nwarm_up = 0", load, events: &events, ..PLAIN };
    let (ended, _, all) = accesses(&text(said));
    let at = |ms| Time::ZERO + Span::from_ms(ms);
    let count =
        |from, to| all.iter().filter(|access| at(from) <= access.begin && access.begin < at(to)).count();
    assert!(count(0, 100) > 90 && count(202, 300) > 90);
    assert!(count(101, 200) == 0, "its session was over within a millisecond");
    assert!((95..=101).contains(&ended.summary.failed_ios), "{}", ended.summary.failed_ios);
    assert_near("refused", figure(&ended.summary, "client-0", "refused_requests"), 99.0, 0.03);
}

#[test]
fn a_volume_moves_from_under_its_sessions_between_two_accesses() {
    let events = event(100, true, "metadata.place[0]") + &event(200, false, "metadata.place[0]");
    for level in ["block", "file"] {
        let client = format!("mapping_cycles = 300\nlevel = \"{level}\"");
        let said = Said {
            clients: 3,
            run: "duration = \"300 ms\"\nwarm_up = 0",
            volume: "lock_range = \"1 MiB\"\nmoves_to = 2",
            client: &client,
            load: SHARED,
            events: &events,
            ..PLAIN
        };
        let (ended, _, all) = accesses(&text(said));
        assert_alone(&all);
        assert_eq!(figure(&ended.summary, "metadata", "moves"), 2.0);
        assert_eq!((figure(&ended.summary, "metadata", "expired"), ended.summary.failed_ios), (0.0, 0));
        let disks: Vec<u32> = all.iter().map(|access| access.request.device).collect();
        let (home, other) = (disks[0], *disks.iter().max().expect("accesses"));
        assert_eq!(other, home + 2);
        // The requests move once to the other disk and once back, and never use both at a time.
        assert_eq!(disks.windows(2).filter(|pair| pair[0] != pair[1]).count(), 2, "{level}");
        for pair in all.windows(2).filter(|pair| pair[0].request.device != pair[1].request.device) {
            let begin = pair[1].begin;
            let late = |access: &&Access| access.begin < begin && access.end > begin;
            assert_eq!(all.iter().filter(late).count(), 0, "{level}");
        }
    }
}

#[test]
fn a_client_that_is_cut_off_loses_its_locks_when_its_lease_and_the_grace_are_over() {
    let events = event(50, true, "client-0.back") + &event(150, false, "client-0.back");
    let said = Said {
        clients: 2,
        run: "duration = \"250 ms\"\nwarm_up = 0",
        controller: SHORT,
        volume: "lock_range = \"8 MiB\"",
        load: "kind = \"closed\"\nqueue_depth = 1\nread_fraction = 0.0",
        events: &events,
        ..PLAIN
    };
    let (ended, _, all) = accesses(&text(said));
    assert_alone(&all);
    let of = |client: u32| all.iter().filter(move |access| access.client == client);
    let at = |ms| Time::ZERO + Span::from_ms(ms);
    assert_eq!(of(0).filter(|access| at(70) < access.begin && access.begin < at(150)).count(), 0);
    let alone = of(1).filter(|access| at(80) < access.begin && access.begin < at(150)).count();
    assert!(alone > 200, "the other one has the volume from 80 ms at the latest: {alone}");
    assert!(of(0).any(|access| access.begin > at(160)), "and the first one has it again");
    assert_eq!(figure(&ended.summary, "metadata", "expired"), 1.0);
}

/// Parts that fail and are repaired at random, and are all repaired in the end.
fn happenings() -> impl Strategy<Value = String> {
    const WHAT: [&str; 6] = [
        "metadata",
        "metadata.front",
        "client-0.back",
        "client-1.back",
        "metadata.place[0]",
        "metadata.leave[0]",
    ];
    let one = (5_u64..150, 1_u64..60, 0..WHAT.len());
    prop::collection::vec(one, 0..8).prop_map(|all| {
        let mut events = String::new();
        for (at, lasts, what) in all {
            events += &event(at, true, WHAT[what]);
            events += &event(at + lasts, false, WHAT[what]);
        }
        WHAT.iter().fold(events, |events, what| events + &event(211, false, what))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(sansim_trials::case_count(48)))]

    /// In whole systems frames get lost, paths and the controller fail, the volume is moved and sessions are revoked. Properties within
    /// the controller and the clients have a property test in their crate.
    #[test]
    fn no_two_clients_are_at_one_place_of_which_one_writes(
        clients in 2_usize..4,
        loss in prop_oneof![Just(0.0), Just(0.002), Just(0.02)],
        by_files in any::<bool>(),
        range in prop_oneof![Just("256 KiB"), Just("2 MiB"), Just("8 MiB")],
        events in happenings(),
        seed in 1_u64..1_000,
    ) {
        let client = format!("mapping_cycles = 300\nlevel = \"{}\"", if by_files { "file" } else { "block" });
        // An abort without an answer is over within the time of grace.
        let adapter = format!("frame_loss = {loss}\nabort_answer_time = \"1 ms\"");
        let said = Said {
            clients,
            run: &format!("duration = \"400 ms\"\nwarm_up = 0\nseed = {seed}"),
            controller: SHORT,
            client: &client,
            volume: &format!("lock_range = \"{range}\"\nmoves_to = 1"),
            adapter: &adapter,
            driver: "time_out = \"15 ms\"\nretries = 1000",
            load: SHARED,
            events: &events,
        };
        let text = text(said);
        let (ended, _, all) = accesses(&text);
        assert_alone(&all);
        let late = all.iter().filter(|access| access.begin > Time::ZERO + Span::from_ms(320)).count();
        prop_assert!(late > 0, "when all works again they go on: {:?} {:?} {:?}", all.last(), ended.summary.components, ended.summary.errors);
    }
}
