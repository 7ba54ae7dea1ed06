//! A host with two adapters on two loops to drives with two adapters: the paths that I/Os use, and the benefit.

use crate::common::text::{assert_adds_up, assert_near, assert_reference_agrees, run, run_seen};
use sansim_fc::frame::PduKind;
use sansim_fc::observation::Observation;
use sansim_fc::word::LinkItem;
use sansim_kernel::Time;
use sansim_observe::names::SystemNames;
use sansim_observe::observer::{Observer, WantedCalls};
use sansim_pdu::Address;
use sansim_pdu::PortSight;
use sansim_request::Requests;
use sansim_simulator::RunResult;
use std::collections::BTreeSet;

/// There are two drives of memory and I/Os of 512 KiB: the loops limit the rate. A drive has other addresses on the
/// second loop.
fn two_ways(path: &str, more: &str) -> String {
    format!(
        r#"
        [run]
        measured_ios = 600
        warm_up = 5
        [left]
        kind = "arbitrated-loop"
        speed = "1GFC"
        stations = ["host.adapters.a", "disks.adapters.a"]
        [right]
        kind = "arbitrated-loop"
        speed = "1GFC"
        stations = ["host.adapters.b", "disks.adapters.b"]
        [host]
        kind = "host"
        path = "{path}"
        [host.adapters.a]
        [host.adapters.b]
        [disks]
        kind = "drives"
        count = 2
        model = "ram"
        transfer_rate = "1000 GB/s"
        concurrency = 8
        [disks.adapters.a]
        [disks.adapters.b.port]
        al_pa = ["EF", "10"]
        [load]
        kind = "closed"
        from = "host"
        to = ["disks"]
        size = "512 KiB"
        queue_depth = 4
        {more}
        "#
    )
}

/// The number of measured I/Os on each loop, from the places in their ledgers.
fn by_loop(result: &RunResult) -> [usize; 2] {
    let mut count = [0; 2];
    for number in 0..result.ios.len() {
        let lines: Vec<String> =
            result.ios.dwells_of_io(number).iter().map(|stay| result.names.line_name(stay.line)).collect();
        let went = ["left.", "right."].map(|name| lines.iter().any(|line| line.starts_with(name)));
        assert_ne!(went[0], went[1], "by one loop and not by both: {lines:?}");
        count[usize::from(went[1])] += 1;
    }
    count
}

fn figure(result: &RunResult, component: &str, name: &str) -> f64 {
    result.summary.components.value_named(component).and_then(|all| all.figure_named(name)).expect("a figure")
}

#[test]
fn in_turn_both_loops_carry_half_of_the_ios() {
    for reads in ["1.0", "0.0", "0.5"] {
        let result = run(&two_ways("round-robin", &format!("read_fraction = {reads}")));
        assert_adds_up(&result);
        let [left, right] = by_loop(&result);
        // Paths are used in turn for each drive; the ends of the interval decide about some I/Os.
        assert!(left.abs_diff(right) <= 16, "{left} and {right}");
        assert_near(
            "use",
            figure(&result, "left", "utilisation"),
            figure(&result, "right", "utilisation"),
            0.05,
        );
    }
}

#[test]
fn by_the_first_way_only_one_loop_carries_any() {
    let result = run(&two_ways("first", ""));
    assert_adds_up(&result);
    assert_eq!(by_loop(&result), [600, 0]);
    for name in ["utilisation", "owned", "frames", "tenancies"] {
        assert_eq!(figure(&result, "right", name), 0.0, "{name}");
    }
    assert!(figure(&result, "left", "utilisation") > 0.95);
}

#[test]
fn two_loops_carry_twice_as_much_as_one() {
    let bytes_per_second = |path: &str| run(&two_ways(path, "")).summary.bytes_per_second;
    let [one, both, least] = ["first", "round-robin", "least-outstanding"].map(bytes_per_second);
    assert!(both > 1.9 * one && both < 2.02 * one, "{both} and {one}");
    assert!(least > 1.9 * one && least < 2.02 * one, "{least} and {one}");
    // The most that 1GFC carries in frames of 2048 bytes with a gap of 6 words.
    let most = 2048.0 / (527.0 * 40.0 / 1.0625e9);
    assert!(one < most * 1.01 && one > 0.97 * most, "{one} of {most}");
}

#[test]
fn the_way_with_the_fewest_under_way_is_the_faster_loop() {
    let faster = |path: &str| {
        let text = two_ways(path, "").replacen("1GFC", "4GFC", 1);
        let result = run(&text);
        assert_adds_up(&result);
        (by_loop(&result), result.summary.bytes_per_second)
    };
    let ([left, right], least) = faster("least-outstanding");
    assert!(left > 2 * right, "{left} and {right}");
    let ([left, right], turns) = faster("round-robin");
    assert!(left.abs_diff(right) <= 16, "{left} and {right}");
    assert!(least > 1.3 * turns, "{least} and {turns}");
}

/// The history of the faster loop is shorter, so it gets what `round-robin` leaves idle; with one request at a time it gets all of them but
/// for probes of the other loop.
#[test]
fn by_the_service_times_before_the_faster_loop_carries_most() {
    let share = |path: &str, depth: &str| {
        let text = two_ways(path, "").replacen("1GFC", "4GFC", 1).replace("queue_depth = 4", depth);
        let result = run(&text);
        assert_adds_up(&result);
        let [left, right] = by_loop(&result);
        (left as f64 / (left + right) as f64, result.summary.bytes_per_second)
    };
    let (history, rate) = share("historical-service-time", "queue_depth = 4");
    let (half, turns) = share("round-robin", "queue_depth = 4");
    assert!(history > 0.7 && (half - 0.5).abs() < 0.02, "{history} and {half}");
    assert!(rate > 1.3 * turns, "{rate} and {turns}");
    let (alone, _) = share("historical-service-time", "queue_depth = 1");
    assert!(alone > 0.75, "{alone}");
}

/// A turn of several I/Os is a run on one loop; of the drives each has its own turns.
#[test]
fn turns_of_ios_and_bytes_give_both_loops_half_in_runs() {
    for (path, keys) in
        [("round-robin-ios", "path_turn_ios = 20"), ("round-robin-bytes", "path_turn_bytes = \"10 MiB\"")]
    {
        let text = two_ways(path, "")
            .replace("count = 2", "count = 1")
            .replace("queue_depth = 4", "queue_depth = 1");
        let text = text
            .replace("[\"EF\", \"10\"]", "\"EF\"")
            .replace("[host.adapters.a]", &format!("{keys}\n[host.adapters.a]"));
        let result = run(&text);
        assert_adds_up(&result);
        let [left, right] = by_loop(&result);
        assert!(left.abs_diff(right) <= 20, "{left} and {right}");
        let mut runs = vec![];
        let mut before = None;
        for number in 0..result.ios.len() {
            let lines: Vec<String> = result
                .ios
                .dwells_of_io(number)
                .iter()
                .map(|stay| result.names.line_name(stay.line))
                .collect();
            let is_left = lines.iter().any(|line| line.starts_with("left."));
            if before == Some(is_left) {
                *runs.last_mut().expect("a run") += 1;
            } else {
                runs.push(1);
            }
            before = Some(is_left);
        }
        assert!(runs[1..runs.len() - 1].iter().all(|&run| run == 20), "{path}: {runs:?}");
    }
}

#[test]
fn the_reference_loops_say_the_same() {
    for path in ["round-robin", "least-outstanding"] {
        let text = two_ways(path, "read_fraction = 0.5").replacen("1GFC", "2GFC", 1);
        assert_reference_agrees(&text.replace("512 KiB", "20 KiB"));
    }
}

/// The commands that were sent: the station, and the destination address.
#[derive(Default)]
struct Commands(BTreeSet<(usize, Address)>);

impl Observer for Commands {
    fn wants(&self) -> WantedCalls {
        WantedCalls { ports: true, ..WantedCalls::default() }
    }

    fn at_port(&mut self, _: Time, station: usize, what: PortSight, _: &Requests) {
        let Some(what) = Observation::from_port_sight(what) else { return };
        if let Observation::SentItem(LinkItem::Frame(frame)) = what
            && frame.kind == PduKind::Command
        {
            self.0.insert((station, frame.destination));
        }
    }
}

#[test]
fn a_drive_is_asked_at_its_address_on_each_loop() {
    let (_, names, Commands(sent)) = run_seen(&two_ways("round-robin", ""), Commands::default());
    let station = |names: &SystemNames, name: &str| {
        let found = names.stations.iter().position(|station| station.name == name);
        found.unwrap_or_else(|| panic!("no {name}"))
    };
    let mut expected = BTreeSet::new();
    for adapter in ["a", "b"] {
        let host = station(&names, &format!("host.adapters.{adapter}"));
        for disk in 0..2 {
            let disk = station(&names, &format!("disks[{disk}].adapters.{adapter}"));
            let (network, address) = names.stations[disk].port.expect("it is on a loop");
            assert_eq!(names.stations[host].port.map(|(own, _)| own), Some(network));
            expected.insert((host, address));
        }
    }
    assert_eq!(expected.len(), 4);
    assert_eq!(sent, expected);
    let of = |adapter: &str| names.stations[station(&names, &format!("disks[0].adapters.{adapter}"))].port;
    let [(_, on_left), (_, on_right)] = ["a", "b"].map(|adapter| of(adapter).expect("it is on a loop"));
    assert_ne!(on_left, on_right);
    assert_eq!(on_right, Address::new(0xEF));
}
