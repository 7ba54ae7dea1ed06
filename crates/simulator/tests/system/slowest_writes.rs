//! Writes to a RAID 5 behind a controller, over two loops: the ledger names all components on their path, and the critical path goes
//! through the drives that were last, for the reads and for the writes.

use crate::common::text::{assert_adds_up, in_place_ns, run, run_seen};
use crate::common::{figure, mean_ns};
use sansim_component::ComponentId;
use sansim_kernel::Time;
use sansim_observe::observer::{Observer, RequestStep, WantedCalls, is_workload_io};
use sansim_request::{Request, RequestId, Requests};
use std::collections::{HashMap, VecDeque};

/// The drives for which a request waited last: the last drive of its reads, and the last drive of its writes.
#[derive(Clone, Copy, Default)]
struct Last {
    read: Option<u32>,
    written: Option<u32>,
}

/// A request that has not come back.
#[derive(Clone, Copy)]
struct Open {
    request: Request,
    /// The request of which it is a child, by number in order of issue.
    parent: Option<usize>,
    number: usize,
}

/// The last child request to come back for each request, derived only from the observed requests.
#[derive(Default)]
struct LastDrives {
    issued: usize,
    /// The requests by their place in the records: another request may have the place when a return is reported.
    open: HashMap<RequestId, VecDeque<Open>>,
    of: HashMap<usize, Last>,
    ios: HashMap<u64, Last>,
}

impl Observer for LastDrives {
    fn wants(&self) -> WantedCalls {
        WantedCalls { requests: true, ..WantedCalls::default() }
    }

    fn at_request(&mut self, _: Time, _: ComponentId, id: RequestId, what: RequestStep, requests: &Requests) {
        match what {
            RequestStep::Issued(_) => {
                let request = *requests.request(id);
                let parent = request.parent.and_then(|parent| self.open.get(&parent)?.back());
                let one = Open { request, parent: parent.map(|one| one.number), number: self.issued };
                self.issued += 1;
                self.open.entry(id).or_default().push_back(one);
            }
            RequestStep::Completed { .. } => {
                let one = self.open.get_mut(&id).and_then(VecDeque::pop_front).expect("it was issued");
                let last = self.of.remove(&one.number).unwrap_or_else(|| {
                    let device = Some(one.request.device);
                    if one.request.is_write() {
                        Last { written: device, ..Last::default() }
                    } else {
                        Last { read: device, ..Last::default() }
                    }
                });
                if let Some(parent) = one.parent {
                    let of_parent = self.of.entry(parent).or_default();
                    of_parent.read = last.read.or(of_parent.read);
                    of_parent.written = last.written.or(of_parent.written);
                } else if is_workload_io(&one.request) {
                    self.ios.insert(one.request.number, last);
                }
            }
            RequestStep::Enters(_) | RequestStep::Joined(_) => {}
        }
    }
}

/// Writes to five drives with names of their own, each with a port on either loop.
fn text(size: &str) -> String {
    let names: Vec<String> = (0..5).map(|number| format!("drive-{number}")).collect();
    let drives: String = names
        .iter()
        .map(|name| {
            format!(
                "[{name}]\nkind = \"disks\"\ncount = 1\npreset = \"cheetah-15k5\"\nadapters = {{ a = {{}}, b = {{}} }}\n"
            )
        })
        .collect();
    let listed = |end: &str| {
        let all: Vec<String> = names.iter().map(|name| format!("\"{name}{end}\"")).collect();
        all.join(", ")
    };
    format!(
        r#"
        [run]
        measured_ios = 1000
        warm_up = 10
        [front]
        kind = "arbitrated-loop"
        speed = "4GFC"
        stations = ["host", "controller.front"]
        [main]
        kind = "arbitrated-loop"
        speed = "2GFC"
        stations = ["back-end.backs.main", {main}]
        [second]
        kind = "arbitrated-loop"
        speed = "2GFC"
        stations = ["back-end.backs.second", {second}]
        [host]
        kind = "host"
        [controller]
        kind = "controller"
        to = ["array"]
        at_once = 6
        buses = {{ front-bus = {{ standard = "pci-x-133", cards = ["front"] }} }}
        front = {{ command_time = "20 us" }}
        [controller.resources]
        processors = 2
        command = {{ time = "15 us" }}
        mapping = {{ time = "10 us" }}
        xor = {{ time = "5 us", bandwidth = "2 GB/s" }}
        internal_command = {{ time = "15 us" }}
        internal_completion = {{ time = "10 us" }}
        completion = {{ time = "10 us" }}
        memory = {{ bandwidth = "3.2 GB/s" }}
        [array]
        kind = "raid"
        to = ["back-end"]
        inside = "controller"
        stripe_unit = "16 KiB"
        layout = {{ level = "5" }}
        [back-end]
        kind = "controller"
        to = [{drives_listed}]
        inside = "controller"
        path = "least-outstanding"
        internal_limit = 4
        buses = {{ back-bus = {{ standard = "pci-64-66", cards = ["backs.main", "backs.second"] }} }}
        backs = {{ main = {{ command_time = "20 us" }}, second = {{ command_time = "20 us" }} }}
        [load]
        kind = "closed"
        from = "host"
        to = ["controller"]
        size = "{size}"
        read_fraction = 0.0
        queue_depth = 8
        {drives}
        "#,
        main = listed(".adapters.a"),
        second = listed(".adapters.b"),
        drives_listed = listed(""),
    )
}

/// A small write has two last drives: one of the reads of data and parity, and one of their writes. A whole stripe is only
/// written.
#[test]
fn the_slowest_writes_of_a_raid_5_waited_for_the_drives_that_were_last() {
    for (size, reads) in [("16 KiB", true), ("64 KiB", false)] {
        let (ended, names, last) = run_seen(&text(size), LastDrives::default());
        let ios = &ended.ios;
        let name_of = |device: u32| {
            let part = names.devices[device as usize].component;
            names.components[part].name.trim_end_matches("[0]").to_owned()
        };
        let mut slowest: Vec<usize> = (0..ios.len()).collect();
        slowest.sort_by_key(|&number| std::cmp::Reverse(ios.rows[number].response));
        slowest.truncate(ios.len() / 100);
        assert_eq!(slowest.len(), 10);
        let mut different = 0;
        for number in 0..ios.len() {
            let stays = ios.dwells_of_io(number).iter();
            let lines = stays.map(|stay| names.line_name(stay.line).to_owned());
            let drives = lines.filter(|line| line.starts_with("drive-"));
            let mut way: Vec<String> =
                drives.map(|line| line.split('.').next().unwrap_or_default().to_owned()).collect();
            way.dedup();
            let seen = last.ios[&ios.rows[number].io];
            assert_eq!(seen.read.is_some(), reads, "{size}");
            let mut expected: Vec<String> =
                [seen.read, seen.written].into_iter().flatten().map(name_of).collect();
            expected.dedup();
            different += usize::from(expected.len() == 2);
            let among = if slowest.contains(&number) { "one of the slowest percent" } else { "an I/O" };
            assert_eq!(way, expected, "{size}: {among}");
        }
        // Both cases occur: the same drive was last twice, and two different drives were.
        assert_eq!(reads, different > ios.len() / 10, "{different}");
        assert!(!reads || different < ios.len(), "{different}");
    }
}

/// An adapter with a bus of its own never waits for the bus: its transfers are in the DMA. The adapters of the two loops share one bus,
/// and wait for it.
#[test]
fn the_ledger_of_such_a_write_names_loops_drives_calculation_and_the_bus_and_adds_up() {
    let result = run(&text("16 KiB"));
    assert_adds_up(&result);
    for line in ["back-end.buses.back-bus.bus_queue", "array.calculation"] {
        assert!(mean_ns(&result.summary, line) > 0.0, "{line}: {:?}", result.summary.ledger_ns.mean);
    }
    for place in
        ["front", "main", "second", "back-end.backs.main", "back-end.backs.second", "controller.front"]
    {
        assert!(in_place_ns(&result, place) > 0.0, "{place}: {:?}", result.summary.ledger_ns.mean);
    }
    for bus in ["controller.buses.front-bus", "back-end.buses.back-bus"] {
        assert!(figure(&result.summary, bus, "utilisation") > 0.0, "{bus}");
    }
}
