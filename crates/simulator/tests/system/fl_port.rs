//! Loops at fabrics: FL_Ports.

use crate::common::text::{assert_adds_up, assert_reference_agrees, in_place_ns, run, run_seen, scenario};
use crate::common::{figure, load, mean_ns, run as run_file};
use proptest::prelude::*;
use sansim_component::NetworkModel;
use sansim_fc::frame::{Frame, PduKind, RequestTag};
use sansim_fc::observation::Observation;
use sansim_fc::word::LinkItem;
use sansim_kernel::Time;
use sansim_observe::observer::{Observer, WantedCalls};
use sansim_pdu::Address;
use sansim_pdu::PortSight;
use sansim_request::Requests;
use sansim_simulator::build;
use sansim_simulator::run::RecordingOptions;
use sansim_simulator::simulation::Simulation;
use std::collections::HashMap;

/// A fabric with hosts, and loops of drives attached to it. Only networks and DMA take time.
struct System {
    fabric: String,
    on_loop: String,
    edge: String,
    hosts: usize,
    loops: usize,
    drives: usize,
    /// Whether a host is on each loop, too.
    local: bool,
    load: String,
    ios: u32,
}

const FAST: &str =
    "adapter.dma_bandwidth = \"100 GB/s\"\nadapter.outgoing_buffers = 16\nport.incoming_buffers = 4\n";

impl Default for System {
    fn default() -> Self {
        Self {
            fabric: "speed = \"2GFC\"".to_owned(),
            on_loop: "speed = \"2GFC\"".to_owned(),
            edge: String::new(),
            hosts: 1,
            loops: 1,
            drives: 1,
            local: false,
            load: load_of("4 KiB", 1.0, 1),
            ios: 200,
        }
    }
}

fn load_of(size: &str, reads: f64, depth: u32) -> String {
    format!("size = \"{size}\"\nread_fraction = {reads:?}\nqueue_depth = {depth}\n")
}

impl System {
    fn text(&self) -> String {
        let hosts = (0..self.hosts).map(|host| format!("host{host}"));
        let edges = (0..self.loops).map(|edge| format!("edge{edge}.on_fabric"));
        let names: Vec<String> = hosts.chain(edges).map(|name| format!("\"{name}\"")).collect();
        let groups: Vec<String> = (0..self.loops).map(|number| format!("\"drives{number}\"")).collect();
        let mut text = format!(
            "[run]\nmeasured_ios = {}\nwarm_up = 0\n[san]\nkind = \"fabric\"\n{}\nstations = [{}]\n",
            self.ios,
            self.fabric,
            names.join(", ")
        );
        let host = |name: &str| {
            format!(
                "[{name}]\nkind = \"host\"\n{FAST}[load-{name}]\nkind = \"closed\"\nfrom = \"{name}\"\nto = [{}]\n{}\n",
                groups.join(", "),
                self.load
            )
        };
        (0..self.hosts).for_each(|number| text += &host(&format!("host{number}")));
        for number in 0..self.loops {
            let local = if self.local { format!(", \"local{number}\"") } else { String::new() };
            text += &format!(
                "[loop{number}]\nkind = \"arbitrated-loop\"\n{}\nstations = [\"edge{number}.on_loop\", \"drives{number}\"{local}]\n\
                 [edge{number}]\nkind = \"fl-port\"\n{}\n\
                 [drives{number}]\nkind = \"drives\"\ncount = {}\nmodel = \"ram\"\ntransfer_rate = \"100 GB/s\"\n{FAST}",
                self.on_loop, self.edge, self.drives
            );
            if self.local {
                text += &host(&format!("local{number}"));
            }
        }
        text
    }
}

/// The response time of the first I/O of a run, in ticks.
fn first(text: &str) -> u64 {
    run(text).ios.rows[0].response.ticks()
}

/// The number of ticks of a word at 2GFC.
const WORD: u64 = 10_560;
/// The DMA time of the 64 bytes of a request package, in ticks.
const PACKAGE: u64 = 360;

#[test]
fn one_io_takes_what_it_does_on_the_loop_alone_and_its_way_over_the_fabric_by_hand() {
    let up = |ticks: u64| ticks.div_ceil(WORD) * WORD;
    for (delay_ns, metres) in [(0, 0), (500, 0), (150, 10), (777, 300)] {
        for (bytes, frame) in [(512, 9 + 128), (2048, 521), (4096, 521)] {
            let system = System {
                fabric: format!(
                    "speed = \"2GFC\"\ncable = \"{metres} m\"\nswitch.routing_delay = \"{delay_ns} ns\""
                ),
                load: load_of(&format!("{bytes} B"), 1.0, 1),
                ios: 1,
                ..System::default()
            };
            // The same loop is simulated with the host in place of the FL_Port: from the slot in which the host has FCP_CMND to the
            // end of FCP_RSP.
            let alone = system.text().replace("\"host0\", \"edge0.on_fabric\"", "\"other\", \"unused\"");
            let alone = alone.replace("edge0.on_loop", "host0").replace("[edge0]\nkind = \"fl-port\"\n", "");
            let alone = alone.replace("[san]", OTHERS);
            // In that run the command begins with the run, when a port has sent one IDLE of the two that come
            // before its ARB.
            let on_loop = first(&alone) - up(PACKAGE) - WORD;
            let (cable, header) = (metres * 5 * 561, 7 * WORD + delay_ns * 561);
            // FCP_CMND has 17 words: its header reaches the switch, then its whole length passes, and it is
            // in the FL_Port.
            let command = up(up(PACKAGE) + cable + header) + 17 * WORD + cable;
            let response = up(command) + on_loop;
            // The last data frame arrives six words and the length of FCP_RSP, 15 words, earlier. On the link FCP_RSP is sent first,
            // because the frame that came 527 words before it has left.
            let last_data = response - 21 * WORD;
            let leaves = up(last_data) + (frame + 6) * WORD;
            let by_hand = up(leaves + cable + header) + 15 * WORD + cable;
            assert_eq!(first(&system.text()), by_hand, "{bytes} B, {delay_ns} ns, {metres} m");
        }
    }
}

/// A fabric of two other nodes, for a host that is elsewhere.
const OTHERS: &str = "[other]\nkind = \"host\"\n[unused]\nkind = \"drives\"\nmodel = \"ram\"\ntransfer_rate = \"1 GB/s\"\n[san]";

/// Systems with FL_Ports, of all kinds.
fn systems() -> impl Strategy<Value = String> {
    let speeds = || prop::sample::select(vec!["1GFC", "2GFC", "4GFC", "8GFC"]);
    let sizes = prop::sample::select(vec!["512 B", "2 KiB", "3000 B", "16 KiB", "64 KiB"]);
    let networks =
        (speeds(), speeds(), 1..4_u32, prop::sample::select(vec!["single-switch", "core-edge"]), 0..30_u32);
    let counts = (0..3_usize, 1..3_usize, 1..4_usize, any::<bool>());
    let edges = (1..5_u32, 1..5_u32, any::<bool>(), 0..2_u32, any::<bool>());
    (networks, counts, edges, sizes, prop::sample::select(vec![0.0, 0.5, 1.0]), 1..4_u32).prop_map(
        |((fast, slow, buffers, topology, metres), (hosts, loops, drives, local), edge, size, reads, depth)| {
            let (on_loop, on_fabric, fair, login, full) = edge;
            let local = local || hosts == 0;
            // Promised buffers for which a port has to wait, and loops that communicate with each other, are left out:
            // see the text of `fl_port`.
            let login = if local && loops > 1 { 0 } else { login.min(on_loop) };
            System {
                fabric: format!(
                    "speed = \"{fast}\"\ntopology = \"{topology}\"\ncable = \"{metres} m\"\nswitch.buffers = {buffers}"
                ),
                on_loop: format!("speed = \"{slow}\"\ncable = \"{metres} m\""),
                edge: format!(
                    "fair = {fair}\non_loop.incoming_buffers = {on_loop}\non_loop.login_credit = {login}\non_loop.full_duplex = {full}\n\
                     on_fabric.incoming_buffers = {on_fabric}"
                ),
                hosts,
                loops,
                drives,
                local,
                load: load_of(size, reads, depth),
                ios: 60,
            }
            .text()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(60), ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_lost_or_left_over_and_nobody_waits_for_ever(text in systems()) {
        let mut simulation = Simulation::new(
            &build::plan_system(&scenario(&text), None, NetworkModel::Fast),
            RecordingOptions::IOS,
            None,
        );
        while simulation.run_events(1 << 12) {
            prop_assert!(simulation.event_count() < 20_000_000, "no end\n{}", text);
        }
        let plan = build::plan_system(&scenario(&text), None, NetworkModel::Fast);
        prop_assert_eq!(simulation.check_conservation(&plan).map_err(|error| error.to_string()), Ok(()), "{}", text);
        prop_assert_eq!(simulation.open_requests(), 0, "somebody waits for ever\n{}", text);
        prop_assert_eq!(simulation.balance_counts().ledger_errors, 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// The fabric's cables are a little longer than the loop's, so that no arrival in the fabric coincides with a word on the loop. A
    /// request with a frame in each network is at the place that was reported last, which within one instant depends on the order of
    /// events.
    #[test]
    fn the_reference_loop_says_the_same(text in systems()) {
        assert_reference_agrees(&text.replacen(" m\"", ".0004 m\"", 1));
    }
}

#[test]
fn what_a_frame_waits_for_is_told_from_the_slot_on_that_it_asked_for_whatever_passes_before() {
    // Words arrive at the FL_Port before its slots, because the time round the loop is no multiple of a word. Between the first frame
    // and the slot that it asks for comes the ARB(x) of local0, and at 4GFC its OPN; at 8GFC an IDLE comes with a frame.
    for (fabric, on_loop, metres, drives) in
        [("8GFC", "1GFC", 3, 2), ("4GFC", "4GFC", 1, 2), ("8GFC", "8GFC", 4, 1)]
    {
        let system = System {
            fabric: format!("speed = \"{fabric}\"\ncable = \"{metres} m\"\nswitch.buffers = 1"),
            on_loop: format!("speed = \"{on_loop}\"\ncable = \"{metres} m\""),
            drives,
            local: true,
            load: load_of("512 B", 0.0, 1),
            ios: 10,
            ..System::default()
        };
        assert_reference_agrees(&system.text());
    }
}

/// The test does not compare two loops, because both could be wrong in the same way.
#[test]
fn a_frame_alone_waits_in_the_queue_of_its_port_for_no_more_than_the_slot_that_it_asks_for() {
    for metres in [0, 1, 3, 4, 11] {
        let system = System {
            fabric: format!("speed = \"8GFC\"\ncable = \"{metres} m\""),
            on_loop: format!("speed = \"1GFC\"\ncable = \"{metres} m\""),
            load: load_of("512 B", 0.0, 1),
            ios: 50,
            ..System::default()
        };
        let result = run(&system.text());
        let waits = result.summary.ledger_ns.mean.0.iter().find(|(line, _)| line == "loop0.port_queue");
        let (_, waits_ns) = waits.expect("a segment of every loop");
        // FCP_CMND, FCP_XFER_RDY, data and FCP_RSP each wait for less than a word at 1GFC.
        let word_ns = 2.0 * WORD as f64 / 561.0;
        assert!(
            *waits_ns > 0.0 && *waits_ns < 4.0 * word_ns,
            "{metres} m: {waits_ns} ns, words of {word_ns} ns"
        );
    }
}

#[test]
fn frames_come_in_the_order_in_which_they_were_sent() {
    let system = System {
        hosts: 2,
        loops: 2,
        drives: 3,
        local: true,
        load: load_of("16 KiB", 0.5, 3),
        ios: 300,
        ..System::default()
    };
    let (_, names, order) = run_seen(&system.text(), Order::default());
    assert!(order.checked > 2_000 && order.wrong == 0, "{} of {} frames", order.wrong, order.checked);
    assert!(names.networks.len() == 3);
}

/// An observer of the data of each exchange at each port that they pass: each frame begins where the frame before it ended.
#[derive(Default)]
struct Order {
    /// The end of the last frame, by port, ends and request.
    ends: HashMap<(usize, Address, Address, RequestTag), u32>,
    checked: u64,
    wrong: u64,
}

impl Order {
    fn check(&mut self, station: usize, frame: &Frame) {
        let end = self.ends.entry((station, frame.source, frame.destination, frame.tag)).or_default();
        // The numbers of requests are reused.
        self.wrong += u64::from(frame.offset != 0 && frame.offset != *end);
        self.checked += 1;
        *end = frame.offset + frame.payload_bytes;
    }
}

impl Observer for Order {
    fn wants(&self) -> WantedCalls {
        WantedCalls { ports: true, ..WantedCalls::default() }
    }

    fn at_port(&mut self, _: Time, station: usize, what: PortSight, _: &Requests) {
        let Some(what) = Observation::from_port_sight(what) else { return };
        let Observation::ReceivedItem(LinkItem::Frame(frame)) = what else { return };
        if frame.kind != PduKind::Data {
            return;
        }
        self.check(station, &frame);
    }
}

#[test]
fn an_unfair_fl_port_keeps_fair_drives_from_their_window() {
    let waited = |fair: bool| {
        let system = System {
            edge: format!("fair = {fair}"),
            hosts: 3,
            drives: 6,
            load: load_of("8 KiB", 0.5, 3),
            ios: 2_000,
            ..System::default()
        };
        let result = run(&system.text());
        assert_adds_up(&result);
        mean_ns(&result.summary, "loop0.access_window")
    };
    let [fair, unfair] = [true, false].map(waited);
    assert!(unfair > 2.0 * fair, "{unfair} ns in the window, {fair} ns if it is fair");
}

#[test]
fn more_buffers_on_either_side_never_slow_one_io_down() {
    for metres in [0, 2_000] {
        let response = |on_loop: u32, on_fabric: u32| {
            let system = System {
                fabric: format!("speed = \"2GFC\"\ncable = \"{metres} m\""),
                edge: format!(
                    "on_loop.incoming_buffers = {on_loop}\non_fabric.incoming_buffers = {on_fabric}"
                ),
                load: load_of("64 KiB", 0.5, 1),
                ..System::default()
            };
            run(&system.text()).summary.response_time_ns.mean
        };
        let same = response(2, 2);
        assert!(response(8, 2) <= same && response(2, 8) <= same && response(8, 8) <= same);
        assert!(response(1, 2) > same, "one buffer holds a stream up");
    }
}

#[test]
fn frames_that_cross_are_counted_each_way() {
    let system = System { load: load_of("16 KiB", 0.0, 2), drives: 2, ..System::default() };
    let result = run(&system.text());
    let [there, back] = ["to_loop", "to_fabric"].map(|name| figure(&result.summary, "edge0", name));
    let ios = result.summary.ios as f64;
    // FCP_CMND and eight data frames go to the drive; FCP_XFER_RDY and FCP_RSP come back.
    assert!((there - 9.0 * ios).abs() < 40.0 && (back - 2.0 * ios).abs() < 10.0, "{there}, {back}");
    assert!(in_place_ns(&result, "loop0") > 0.0 && in_place_ns(&result, "san") > 0.0);
}

#[test]
fn addresses_have_the_domain_and_area_of_the_fl_port() {
    let text = scenario(&System { drives: 2, local: true, ..System::default() }.text()).to_toml();
    assert!(
        text.contains("#   edge0.on_loop: 010100\n#   drives0: 010102 010104\n#   local0: 010101"),
        "{text}"
    );
}

#[test]
fn switches_of_the_file_may_have_fl_ports_of_several_loops() {
    let system = System {
        fabric: "speed = \"4GFC\"\ntopology = \"given\"\nswitches.near.stations = [\"host0\", \"host1\", \"edge0.on_fabric\"]\n\
                 switches.far.stations = [\"edge1.on_fabric\"]\nlinks.long = { from = \"near\", to = \"far\", cable = \"2 km\" }\n\
                 node_links.slow = { stations = [\"edge0.on_fabric\", \"edge1.on_fabric\"], speed = \"2GFC\" }"
            .to_owned(),
        hosts: 2,
        loops: 2,
        drives: 2,
        load: load_of("8 KiB", 0.5, 2),
        ..System::default()
    };
    let result = run(&system.text());
    assert_adds_up(&result);
    let text = scenario(&system.text()).to_toml();
    assert!(
        text.contains("#   drives0: 010301 010302") && text.contains("#   drives1: 020101 020102"),
        "{text}"
    );
    // The distance is 2 km there and back, two or three times.
    let far = result
        .ios
        .rows
        .iter()
        .filter(|io| io.device >= 2)
        .map(|io| io.response.as_ns_f64())
        .fold(f64::MAX, f64::min);
    let near = result
        .ios
        .rows
        .iter()
        .filter(|io| io.device < 2)
        .map(|io| io.response.as_ns_f64())
        .fold(f64::MAX, f64::min);
    assert!(far > near + 2.0 * 10_000.0, "{near}, {far}");
}

#[test]
fn the_example_runs_and_both_hosts_reach_the_loop() {
    let summary = run_file("scenarios/loop-behind-switch.toml", &["run.measured_ios=1000"]);
    assert_eq!(summary.failed_ios, 0);
    assert!(figure(&summary, "edge", "to_fabric") > 1000.0);
    assert!(load("scenarios/loop-behind-switch.toml", &[]).to_toml().contains("# "));
}

#[test]
fn what_an_fl_port_cannot_be_is_told() {
    let told = |text: &str| {
        sansim_scenario::Scenario::parse_text(text, "test")
            .err()
            .map(|report| report.to_string())
            .unwrap_or_default()
    };
    let text = System::default().text();
    let nowhere = told(&text.replace("\"host0\", \"edge0.on_fabric\"", "\"host0\", \"drives1\"").replace(
        "[loop0]",
        "[drives1]\nkind = \"drives\"\nmodel = \"ram\"\ntransfer_rate = \"1 GB/s\"\n[loop0]",
    ));
    assert!(nowhere.contains("`edge0.on_fabric` stands nowhere"), "{nowhere}");
    let link = told(&text.replace("kind = \"fabric\"", "kind = \"fabric\"\ntopology = \"point-to-point\""));
    assert!(link.contains("has no switch at which `edge0` could be a port"), "{link}");
}
