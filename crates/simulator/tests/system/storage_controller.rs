//! A storage controller with its modules: cache, RAID and back end share its processors, its buses and its memory. The tests cover its
//! ledger and its queues, and that each resource is a limit.

use crate::common::text::{assert_adds_up, assert_near, assert_reference_agrees, in_place_ns, run, run_seen};
use crate::common::{figure, mean_ns, run_with};
use sansim_component::ComponentId;
use sansim_kernel::Time;
use sansim_observe::observer::{Observer, RequestStep, WantedCalls};
use sansim_request::{RequestId, Requests};
use sansim_simulator::run::RecordingOptions;
use sansim_simulator::{RunOptions, RunResult};
use std::collections::HashMap;

const EXAMPLE: &str = "scenarios/raid-5-cache.toml";

fn example(set: &[&str]) -> RunResult {
    let short = ["run.duration=3 s", "run.warm_up=0 s", "run.functional_warm_up=\"none\""];
    let set: Vec<&str> = short.iter().chain(set).copied().collect();
    run_with(EXAMPLE, &set, &RunOptions { recording: RecordingOptions::IOS, ..RunOptions::default() })
}

#[test]
fn the_ledger_of_a_raid_5_write_names_all_that_it_went_through_and_adds_up() {
    let through = [
        "cache.write.mode=\"through\"",
        "first-load.read_fraction=0.0",
        "second-load.read_fraction=0.0",
        // The limit is high enough for queues everywhere.
        "back-end.internal_limit=4",
        "controller.at_once=8",
        "second-load.queue_depth=16",
    ];
    let result = example(&through);
    assert_adds_up(&result);
    assert_eq!(result.summary.reads.ios, 0);
    let lines = [
        "disks.seek",
        "disks.rotation",
        "disks.media_transfer",
        "array.calculation",
        "cache.cache_room",
        "controller.storage_side_queue",
        "back-end.internal_queue",
        "controller.resources.controller_processor_queue",
        "controller.resources.host_command",
        "controller.resources.cache_look_up",
        "controller.resources.raid_mapping",
        "controller.resources.internal_command",
        "controller.resources.internal_completion",
        "controller.resources.host_completion",
        "controller.resources.bridge",
        "controller.resources.system_bus",
        "controller.resources.controller_memory",
    ];
    for line in lines {
        assert!(mean_ns(&result.summary, line) > 0.0, "{line}: {:?}", result.summary.ledger_ns.mean);
    }
    // Adapters without keys take no time.
    for place in ["front", "main", "second"] {
        assert!(in_place_ns(&result, place) > 0.0, "{place}: {:?}", result.summary.ledger_ns.mean);
    }
}

#[test]
fn what_a_cache_holds_needs_neither_mapping_nor_drives() {
    let set = ["cache.capacity=1 GiB", "first-load.read_fraction=0.0", "second-load.read_fraction=0.0"];
    let result = example(&set);
    assert_adds_up(&result);
    assert!(mean_ns(&result.summary, "controller.resources.cache_look_up") > 0.0);
    for line in ["controller.resources.raid_mapping", "array.calculation", "disks.seek"] {
        assert_eq!(mean_ns(&result.summary, line), 0.0, "{line}");
    }
    // Destages use these resources in the background.
    assert!(figure(&result.summary, "controller.resources", "controller_processors") > 0.0);
}

/// The drive for which each I/O waited last: the drive of the last child request to come back.
#[derive(Default)]
struct Last {
    of: HashMap<RequestId, u32>,
    ios: HashMap<u64, u32>,
}

impl Observer for Last {
    fn wants(&self) -> WantedCalls {
        WantedCalls { requests: true, ..WantedCalls::default() }
    }

    fn at_request(&mut self, _: Time, _: ComponentId, id: RequestId, what: RequestStep, requests: &Requests) {
        if let RequestStep::Completed { .. } = what {
            let request = *requests.request(id);
            let drive = self.of.remove(&id).unwrap_or(request.device);
            match request.parent {
                Some(parent) => drop(self.of.insert(parent, drive)),
                None if !request.origin.background => drop(self.ios.insert(request.number, drive)),
                None => {}
            }
        }
    }
}

/// A host directly before a controller with an array of four drives with names of their own, with any service times.
fn striped(run: &str, resources: &str, load: &str) -> String {
    let drive = |number: u32| {
        format!(
            "[drive-{number}]\nkind = \"drives\"\ncapacity = \"64 MiB\"\ntransfer_rate = \"50 MiB/s\"\n\
             access_time = {{ distribution = \"uniform\", low = \"1 ms\", high = \"9 ms\" }}\n"
        )
    };
    let drives: String = (0..4).map(drive).collect();
    format!(
        r#"
        [run]
        {run}
        [host]
        kind = "host"
        attached = ["controller"]
        [controller]
        kind = "controller"
        to = ["array"]
        resources = {resources}
        [array]
        kind = "raid"
        to = ["back-end"]
        inside = "controller"
        stripe_unit = "16 KiB"
        [array.layout]
        level = "0"
        [back-end]
        kind = "controller"
        to = ["drive-0", "drive-1", "drive-2", "drive-3"]
        inside = "controller"
        [load]
        kind = "closed"
        from = "host"
        to = ["controller"]
        {load}
        {drives}
        "#
    )
}

#[test]
fn the_critical_path_of_the_slowest_goes_through_the_drive_that_was_last() {
    let load = "size = \"64 KiB\"\nqueue_depth = 2";
    let resources = "{ mapping = { time = \"20 us\" }, memory = { bandwidth = \"1 GB/s\" } }";
    let text = striped("measured_ios = 2000\nwarm_up = 0", resources, load);
    let (ended, names, last) = run_seen(&text, Last::default());
    let ios = &ended.ios;
    let mut slowest: Vec<usize> = (0..ios.len()).collect();
    slowest.sort_by_key(|&number| std::cmp::Reverse(ios.rows[number].response));
    slowest.truncate(ios.len() / 100);
    assert_eq!(slowest.len(), 20);
    let mut waited_for = [0; 4];
    for number in slowest {
        let place = |line| names.line_name(line).split('.').next().unwrap_or_default().to_owned();
        let drives: Vec<String> = ios.dwells_of_io(number).iter().map(|stay| place(stay.line)).collect();
        let mut drives: Vec<String> = drives.into_iter().filter(|name| name.starts_with("drive-")).collect();
        drives.dedup();
        let device = last.ios[&ios.rows[number].io];
        let part = names.devices[device as usize].component;
        assert_eq!(drives, [names.components[part].name.trim_end_matches("[0]")], "I/O {number}");
        let which = drives[0].trim_start_matches("drive-").parse::<usize>().expect("its number");
        waited_for[which] += 1;
    }
    assert!(waited_for.iter().filter(|&&times| times > 0).count() > 1, "{waited_for:?}");
}

/// Each resource is so slow that nothing else counts: the I/Os per second equal its rate of jobs.
#[test]
fn each_resource_is_a_limit() {
    let fast = |text: &str| text.replace("transfer_rate = \"50 MiB/s\"", "transfer_rate = \"1000 GB/s\"");
    let fast = |text: &str| {
        fast(text).replace("{ distribution = \"uniform\", low = \"1 ms\", high = \"9 ms\" }", "\"0 ns\"")
    };
    // The cases are for a read of 16 KiB, which is for one drive: the jobs of each resource, and the time of each in
    // microseconds.
    let cases = [
        ("{ command = { time = \"100 us\" } }", 100.0, "controller_processors"),
        ("{ command = { time = \"100 us\" }, processors = 4 }", 25.0, "controller_processors"),
        (
            "{ internal_command = { time = \"100 us\" }, mapping = { time = \"50 us\" } }",
            150.0,
            "controller_processors",
        ),
        // The data of the read go into the memory, and out of it again.
        ("{ bridge = { bandwidth = \"163840 KB/s\" } }", 200.0, "bridge"),
        ("{ system_bus = { time = \"10 us\", bandwidth = \"163840 KB/s\" } }", 220.0, "system_bus"),
        ("{ memory = { bandwidth = \"163840 KB/s\" } }", 200.0, "controller_memory"),
    ];
    for (resources, takes_us, which) in cases {
        let text =
            striped("measured_ios = 1000\nwarm_up = 100", resources, "size = \"16 KiB\"\nqueue_depth = 16");
        let result = run(&fast(&text));
        assert_adds_up(&result);
        assert_near(resources, result.summary.iops, 1e6 / takes_us, 0.01);
        assert_near(which, figure(&result.summary, "controller.resources", which), 1.0, 0.01);
    }
}

#[test]
fn never_faster_with_more_to_do_in_the_controller() {
    let of = |time_us: u32| {
        let resources =
            format!("{{ command = {{ time = \"{time_us} us\" }}, mapping = {{ time = \"1 us\" }} }}");
        run(&striped("measured_ios = 500", &resources, "size = \"64 KiB\"\nqueue_depth = 1")).summary
    };
    let means: Vec<f64> = [0, 10, 100, 1000].map(|time_us| of(time_us).response_time_ns.mean).into();
    assert!(means.is_sorted(), "{means:?}");
    // A single I/O never waits: an added millisecond makes it a millisecond longer, for any random times of
    // the drives.
    assert_near("a millisecond", means[3] - means[0], 1e6, 1e-6);
}

#[test]
fn the_storage_side_queue_holds_back_what_is_not_worked_on() {
    let resources = "{ mapping = { time = \"1 us\" } }";
    let load = "size = \"64 KiB\"\nqueue_depth = 8";
    let text = striped("measured_ios = 500\nwarm_up = 20", resources, load);
    let free = run(&text).summary;
    let limited = run(&text.replace("to = [\"array\"]", "to = [\"array\"]\nat_once = 2")).summary;
    assert_eq!(mean_ns(&free, "controller.storage_side_queue"), 0.0);
    let waits = mean_ns(&limited, "controller.storage_side_queue");
    // Six of eight I/Os wait, by Little's law.
    assert_near("waiting", waits, 0.75 * limited.response_time_ns.mean, 0.02);
    assert!(limited.iops <= free.iops);
}

#[test]
fn the_internal_queue_holds_back_what_the_driver_of_an_adapter_does_not_take() {
    let resources = "{ mapping = { time = \"1 us\" } }";
    let load = "size = \"16 KiB\"\nqueue_depth = 16";
    let text = striped("measured_ios = 2000\nwarm_up = 100", resources, load);
    let free = run(&text).summary;
    let back_end = "kind = \"controller\"\n        to = [\"drive-0\"";
    assert!(text.contains(back_end));
    let limited = text.replace(back_end, &format!("internal_limit = 1\n        {back_end}"));
    let limited = run(&limited).summary;
    assert!(mean_ns(&limited, "back-end.internal_queue") > 0.0);
    assert_eq!(mean_ns(&free, "back-end.internal_queue"), 0.0);
    // The wait moves from the drives to the queue before them: drives that serve requests in the order of arrival lose
    // nothing.
    assert_near("iops", limited.iops, free.iops, 1e-3);
    let drives: f64 = (0..4).map(|number| mean_ns(&limited, &format!("drive-{number}.drive_queue"))).sum();
    assert_eq!(drives, 0.0);
}

#[test]
fn an_urgent_stream_goes_first_in_the_internal_queue() {
    let text = |order: &str| {
        let text = striped(
            "measured_ios = 2000",
            "{ mapping = { time = \"1 us\" } }",
            "size = \"16 KiB\"\nqueue_depth = 16",
        );
        let internal = format!("internal_limit = 1\ninternal_queue = {{ order = \"{order}\" }}\n");
        let text = text.replace("[load]", "[urgent]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"controller\"]\nsize = \"16 KiB\"\nqueue_depth = 1\npriority = 0\n[load]");
        text.replace("to = [\"drive-0\"", &format!("{internal}to = [\"drive-0\""))
    };
    let mean = |order: &str| {
        run(&text(order))
            .summary
            .workloads
            .value_named("urgent")
            .expect("it")
            .response_time_ns
            .as_ref()
            .expect("times")
            .mean
    };
    let [in_turn, urgent] = ["fcfs", "priority"].map(mean);
    assert!(urgent < 0.7 * in_turn, "{urgent} against {in_turn}");
}

#[test]
fn an_urgent_stream_goes_first_in_the_storage_side_queue() {
    let mean = |order: &str| {
        let load = "size = \"16 KiB\"\nqueue_depth = 16";
        let text = striped("measured_ios = 2000", "{ mapping = { time = \"1 us\" } }", load);
        let urgent = "[urgent]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"controller\"]\nsize = \"16 KiB\"\nqueue_depth = 1\npriority = 0\n[load]";
        let queue = format!("to = [\"array\"]\nat_once = 4\nstorage_side_queue = {{ order = \"{order}\" }}");
        let result = run(&text.replace("[load]", urgent).replace("to = [\"array\"]", &queue));
        assert_adds_up(&result);
        result
            .summary
            .workloads
            .value_named("urgent")
            .expect("it")
            .response_time_ns
            .as_ref()
            .expect("times")
            .mean
    };
    let [in_turn, urgent] = ["fcfs", "priority"].map(mean);
    assert!(urgent < 0.5 * in_turn, "{urgent} against {in_turn}");
}

#[test]
fn the_reference_loop_says_the_same() {
    let text = std::fs::read_to_string(crate::common::repository(EXAMPLE)).expect("the example");
    let text =
        text.replace("duration = \"30 s\"", "measured_ios = 150").replace("warm_up = \"2 s\"", "warm_up = 5");
    assert_reference_agrees(&text.replace("functional_warm_up = \"settled\"", ""));
}
