//! Systems on fabrics: links, switches, topologies.

use crate::common::text::{assert_adds_up, assert_near, run, scenario};
use crate::common::{figure, load, run as run_file};
use sansim_simulator::RunResult;

/// Hosts and drives of memory on this network. Only the network and DMA take time.
fn system(network: &str, hosts: usize, drives: usize, load: &str) -> String {
    let mut text = format!("[run]\nmeasured_ios = 600\nwarm_up = 20\n{network}\n");
    for host in 0..hosts {
        text += &format!(
            "[host{host}]\nkind = \"host\"\nport.incoming_buffers = 16\nadapter.outgoing_buffers = 16\nadapter.dma_bandwidth = \"100 GB/s\"\n
             [load{host}]\nkind = \"closed\"\nfrom = \"host{host}\"\nto = [\"drives\"]\n{load}\n"
        );
    }
    text + &format!(
        "[drives]\nkind = \"drives\"\ncount = {drives}\nmodel = \"ram\"\ntransfer_rate = \"100 GB/s\"\nport.incoming_buffers = 16\n
         adapter.outgoing_buffers = 16\nadapter.dma_bandwidth = \"100 GB/s\"\n"
    )
}

fn stations(hosts: usize) -> String {
    let hosts: Vec<String> = (0..hosts).map(|host| format!("\"host{host}\"")).collect();
    format!("stations = [{}, \"drives\"]", hosts.join(", "))
}

fn fabric(keys: &str, hosts: usize) -> String {
    format!("[san]\nkind = \"fabric\"\n{}\n{keys}", stations(hosts))
}

fn rate(result: &RunResult) -> f64 {
    result.summary.bytes_per_second
}

const LARGE_READS: &str = "size = \"1 MiB\"\nread_fraction = 1.0\nqueue_depth = 4";
const LARGE: &str = "size = \"1 MiB\"\nread_fraction = 0.5\nqueue_depth = 8";

#[test]
fn a_link_and_a_full_duplex_loop_of_two_ports_carry_large_transfers_at_the_same_rate() {
    for load in [LARGE_READS, LARGE] {
        for speed in ["1GFC", "4GFC", "8GFC"] {
            let full = "port.full_duplex = true\nport.login_credit = 8";
            let on_loop = system(
                &format!(
                    "[san]\nkind = \"arbitrated-loop\"\nspeed = \"{speed}\"\nport_delay = \"0 words\"\n{}",
                    stations(1)
                ),
                1,
                1,
                load,
            );
            let on_loop =
                on_loop.replace("port.incoming_buffers = 16", &format!("port.incoming_buffers = 16\n{full}"));
            let on_link = fabric(&format!("speed = \"{speed}\"\ntopology = \"point-to-point\""), 1);
            let (on_loop, on_link) = (run(&on_loop), run(&system(&on_link, 1, 1, load)));
            println!("{speed} {load}: loop {:.3}, link {:.3}", rate(&on_loop) / 1e6, rate(&on_link) / 1e6);
            assert_adds_up(&on_link);
            if load == LARGE_READS {
                assert_near("link and loop", rate(&on_link), rate(&on_loop), 0.005);
            } else {
                assert!(rate(&on_link) >= 0.99 * rate(&on_loop), "both ways at a time");
            }
        }
    }
}

/// This number of pairs of a host and a drive of its own at one switch.
fn pairs(count: usize) -> String {
    let stations: Vec<String> = (0..count).map(|pair| format!("\"host{pair}\", \"drive{pair}\"")).collect();
    let mut text = format!(
        "[run]\nmeasured_ios = 600\nwarm_up = 20\n[san]\nkind = \"fabric\"\nspeed = \"8GFC\"\nstations = [{}]\nswitch.buffers = 16\n",
        stations.join(", ")
    );
    let fast =
        "port.incoming_buffers = 16\nadapter.outgoing_buffers = 16\nadapter.dma_bandwidth = \"100 GB/s\"";
    for pair in 0..count {
        text += &format!(
            "[host{pair}]\nkind = \"host\"\n{fast}\n[load{pair}]\nkind = \"closed\"\nfrom = \"host{pair}\"\nto = [\"drive{pair}\"]\n\
             {LARGE_READS}\n[drive{pair}]\nkind = \"drives\"\nmodel = \"ram\"\ntransfer_rate = \"100 GB/s\"\n{fast}\n"
        );
    }
    text
}

#[test]
fn a_switch_carries_what_each_of_its_links_does() {
    let one = run(&pairs(1));
    assert_near("a link", rate(&one), 2048.0 / (527.0 * 80.0 / 17.0) * 1e9, 0.01);
    let four = run(&pairs(4));
    assert_adds_up(&four);
    assert_near("four pairs", rate(&four), 4.0 * rate(&one), 0.01);
}

#[test]
fn every_topology_carries_reads_and_writes() {
    let load = "size = \"16 KiB\"\nread_fraction = 0.5\nqueue_depth = 1";
    for topology in ["single-switch", "floors+", "tree", "core-edge", "mesh", "fat-tree"] {
        for routing in ["deterministic", "exchange", "up-down", "up-down-exchange"] {
            let keys = format!("speed = \"16GFC\"\ntopology = \"{topology}\"\nrouting = \"{routing}\"");
            let result = run(&system(&fabric(&keys, 3), 3, 10, load));
            assert_adds_up(&result);
            assert_eq!(figure(&result.summary, "san", "lost_frames"), 0.0, "{topology}, {routing}");
        }
    }
}

#[test]
fn one_io_is_never_slower_with_more_credit_a_shorter_cable_or_a_faster_link() {
    let load = "size = \"64 KiB\"\nread_fraction = 0.5\nqueue_depth = 1";
    let response = |speed: &str, buffers: u32, metres: u32| {
        let keys = format!(
            "speed = \"{speed}\"\ntopology = \"core-edge\"\nswitch.buffers = {buffers}\nbackbone_cable = \"{metres} m\""
        );
        run(&system(&fabric(&keys, 1), 1, 1, load)).summary.response_time_ns.mean
    };
    for metres in [0, 5_000] {
        let same = response("8GFC", 4, metres);
        assert!(response("8GFC", 8, metres) <= same && response("8GFC", 4, metres / 2) <= same);
        assert!(response("16GFC", 4, metres) < same);
    }
}

#[test]
fn the_example_with_a_switch_uses_both_hosts() {
    let summary = run_file("scenarios/two-hosts-one-switch.toml", &["run.measured_ios=2000"]);
    assert!((figure(&summary, "san", "hops") - 1.0).abs() < 1e-3, "every frame passes one switch");
    assert_eq!(figure(&summary, "san", "switches"), 1.0);
    assert_eq!(figure(&summary, "san", "links"), 10.0);
    assert!(figure(&summary, "san", "utilisation") > 0.01);
}

#[test]
fn a_fabric_in_a_file_comes_back_as_it_was_written() {
    let one = load("scenarios/two-hosts-one-switch.toml", &[]);
    let again = scenario(&one.to_toml());
    assert_eq!(one.graph, again.graph);
    assert!(
        one.to_toml().contains("#   first: 010000\n#   second: 010100\n#   drives: 010200 010300"),
        "addresses stand in the resolved scenario: {}",
        one.to_toml()
    );
}

/// Two hosts and four drives over two switches with two links between them, of which one fails for a while.
fn with_a_failing_link(routing: &str) -> String {
    let keys = format!(
        "speed = \"8GFC\"\ntopology = \"given\"\nrouting = \"{routing}\"\nswitches.near.stations = [\"host0\", \"host1\"]\n\
         switches.far.stations = [\"drives\"]\nlinks.one = {{ from = \"near\", to = \"far\" }}\n\
         links.other = {{ from = \"near\", to = \"far\", cable = \"100 m\" }}"
    );
    let event = |at: u32, what: &str, r#do: &str| {
        format!("[[event]]\nat = \"{at} us\"\nwhat = \"san.{what}\"\ndo = \"{do}\"\n")
    };
    let load = "size = \"32 KiB\"\nread_fraction = 0.5\nqueue_depth = 2";
    let text = system(&fabric(&keys, 2), 2, 4, load);
    let text = text.replace("port.incoming", "driver.time_out = \"5 ms\"\nport.incoming");
    // Drives have no driver.
    let (hosts, drives) = text.rsplit_once("[drives]").expect("drives");
    let drives = drives.replace("driver.time_out = \"5 ms\"\n", "");
    format!(
        "{hosts}[drives]{drives}{}{}{}{}",
        event(1_000, "links.one", "fail"),
        event(4_000, "links.one", "repair"),
        event(6_000, "links.other", "fail"),
        event(9_000, "links.other", "repair"),
    )
}

#[test]
fn when_a_link_fails_requests_go_on_by_the_other_and_none_is_lost_for_good() {
    for routing in ["deterministic", "exchange", "up-down"] {
        let result = run(&with_a_failing_link(routing));
        assert_adds_up(&result);
        assert_eq!(result.summary.failed_ios, 0, "{routing}: what was on the link is tried again");
    }
}

#[test]
fn a_deadlock_is_an_error_that_names_the_switches() {
    let keys = "speed = \"1GFC\"\ntopology = \"mesh\"\nwidth = 3\nheight = 3\nrouting = \"exchange\"\nswitch.buffers = 1";
    let text = system(&fabric(keys, 9), 9, 18, "size = \"256 KiB\"\nread_fraction = 0.5\nqueue_depth = 16");
    let options = sansim_simulator::RunOptions::default();
    let ended =
        sansim_simulator::run(&scenario(&text), &options, &mut |_| sansim_simulator::RunFlow::Continue);
    let error = ended.err().map(|error| error.to_string()).unwrap_or_default();
    println!("{error}");
    assert!(error.contains("waits for a buffer of") && error.contains("`s1_1`"), "{error}");
}

/// The report on an invalid scenario.
fn told(text: &str) -> String {
    sansim_scenario::Scenario::parse_text(text, "test")
        .err()
        .map(|report| report.to_string())
        .unwrap_or_default()
}

#[test]
fn what_a_fabric_cannot_be_is_told() {
    let load = "size = \"4 KiB\"\nread_fraction = 0.5\nqueue_depth = 1";
    let with = |keys: &str| told(&system(&fabric(keys, 1), 1, 3, load));
    let link = with("speed = \"8GFC\"\ntopology = \"point-to-point\"");
    assert!(link.contains("a link has two ends, and there are 4 nodes"), "{link}");
    let none = with("speed = \"8GFC\"\ntopology = \"given\"");
    assert!(none.contains("no switch is given"), "{none}");
    let beside = with("speed = \"8GFC\"\ntopology = \"tree\"\nswitches.one.stations = []");
    assert!(beside.contains("draws its switches and links itself"), "{beside}");
    let more = with("speed = \"8GFC\"\nswitches.one.stations = []\nswitches.other.stations = [\"drives\"]");
    assert!(more.contains("draws its switches and links itself"), "{more}");
    let order = with("speed = \"8GFC\"\nrouting = \"adaptive\"\nswitch.in_order = false");
    assert!(order.contains("frames overtake each other"), "{order}");
    let channels = with("speed = \"8GFC\"\nrouting = \"adaptive-escape\"\nswitch.buffers = 1");
    assert!(
        channels.contains("2 virtual channels share 1 buffers") && channels.contains("a channel more"),
        "{channels}"
    );
    let fifo = with("speed = \"8GFC\"\nrouting = \"adaptive-escape\"\nswitch.queueing = \"fifo\"");
    assert!(fifo.contains("may come to a deadlock"), "{fifo}");
    let plain = with("speed = \"8GFC\"\nprotocol = \"plain\"\nbb_sc_n = 3\nready_loss = 1.0");
    assert!(plain.contains("no BB_SC") && plain.contains("nothing would ever come in"), "{plain}");
    let unknown = with(
        "speed = \"8GFC\"\ntopology = \"given\"\nswitches.left.stations = [\"drives\"]\nlinks.a = { from = \"left\", to = \"lefd\" }",
    );
    assert!(
        unknown.contains("the fabric has no switch `lefd`") && unknown.contains("did you mean"),
        "{unknown}"
    );
    let text = system(&fabric("speed = \"8GFC\"", 1), 1, 3, load);
    let al_pa = told(&text.replace("[drives]\n", "[drives]\nport.al_pa = [\"01\", \"02\", \"04\"]\n"));
    assert!(al_pa.contains("which has no AL_PAs"), "{al_pa}");
    let event = told(&(text + "[[event]]\nat = \"1 ms\"\nwhat = \"san.switches.no\"\ndo = \"fail\"\n"));
    assert!(
        event.contains("known here: san.switches.switch") || event.contains("there is nothing called"),
        "{event}"
    );
}

#[test]
fn the_fullest_link_is_named_with_its_direction() {
    let text = "run.measured_ios = 400\n[san]\nkind = \"fabric\"\nspeed = \"8GFC\"\ntopology = \"given\"\nstations = [\"one\", \"two\", \"drives\"]\n\
                switches.near.stations = [\"one\", \"two\"]\nswitches.far.stations = [\"drives\"]\nlinks.between = { from = \"near\", to = \"far\" }\n\
                [one]\nkind = \"host\"\n[two]\nkind = \"host\"\n[drives]\nkind = \"drives\"\ncount = 4\naccess_time = \"10 us\"\ntransfer_rate = \"2 GB/s\"\n";
    let load = |host: &str, reads: &str| {
        format!(
            "[load-{host}]\nkind = \"closed\"\nfrom = \"{host}\"\nto = [\"drives\"]\nsize = \"64 KiB\"\nread_fraction = {reads}\nqueue_depth = 4\n"
        )
    };
    for (reads, from, to) in
        [("1.0", "san.switches.far", "san.switches.near"), ("0.0", "san.switches.near", "san.switches.far")]
    {
        let summary = run(&format!("{text}{}{}", load("one", reads), load("two", reads))).summary;
        let [(network, link)] = &summary.fullest_links.0[..] else { panic!("one network") };
        assert_eq!(network, "san");
        assert!(link.from.starts_with(from) && link.to == to, "{link:?}");
        assert_eq!(link.link.as_deref(), Some("san.links.between"));
        assert!(link.utilisation > 0.95 && link.utilisation <= 1.0, "{link:?}");
        let mean = summary
            .components
            .value_named("san")
            .and_then(|san| san.figure_named("utilisation"))
            .expect("a mean");
        assert!(mean < 0.4, "the mean hides it: {mean}");
    }
}
