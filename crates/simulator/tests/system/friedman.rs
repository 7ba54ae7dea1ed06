//! The storage domain server of Friedman, "An Introduction to SAN Capacity Planning", as in `studies/friedman-2001`, by the ids of its
//! `targets.csv`: the figures within the tolerance, and the other figures with their error.

use crate::common::{figure, mean_ns, run, run_sets};
use sansim_simulator::summary::Summary;

const ONE: &str = "studies/friedman-2001/scenarios/one-client.toml";
const MIRRORED: &str = "studies/friedman-2001/scenarios/mirrored-write.toml";

/// Checks that the simulated value deviates from the published value by a percentage within this range.
#[track_caller]
fn assert_error(id: &str, ours: f64, published: f64, percent: std::ops::RangeInclusive<f64>) {
    let error = (ours / published - 1.0) * 100.0;
    println!("{id}: published {published}, ours {ours:.2}, {error:+.1} %");
    assert!(percent.contains(&error), "{id}: {ours} is {error:+.1} % off {published}, and not {percent:?}");
}

fn response_us(summary: &Summary) -> f64 {
    summary.response_time_ns.mean / 1e3
}

/// The time of the stages of a request on a processor of the server.
fn stages_us(summary: &Summary) -> f64 {
    let stages = [
        "target_emulation",
        "authentication",
        "virtual_mapping",
        "write_set_up",
        "cache_layer",
        "stack_status",
    ];
    stages.iter().map(|stage| mean_ns(summary, &format!("sds.processors.{stage}"))).sum::<f64>() / 1e3
}

#[test]
fn a_cached_read_takes_what_figure_4_says() {
    let read = run(ONE, &[]);
    // F-R01 is used for fitting: two times of the adapter are fitted to it.
    assert_error("F-R01", response_us(&read), 330.0, -5.0..=5.0);
    // The share includes two polls.
    let in_band = stages_us(&read) + 2.0 * 2.66;
    assert_error("F-R14", in_band, 73.0, -5.0..=5.0);
    assert_error("F-R15", in_band / (response_us(&read) - 163.2) * 100.0, 44.0, -5.0..=5.0);
    // Sixteen frames are sent at the rate of the card, 100 MB/s: "about half".
    assert_error("F-R03", 1024.0 / 100.0, 10.2, -0.5..=0.5);
    assert_error("F-R25", 16.0 * 10.24 / response_us(&read), 0.5, -5.0..=5.0);
}

#[test]
fn a_cached_write_takes_what_figure_5_says() {
    let (read, write) = (run(ONE, &[]), run(ONE, &["load.read_fraction=0.0"]));
    // The parts are 140 + 30 + 16 x 10.275 + 30 (F-R05 to F-R08).
    assert_error("F-R05 to F-R08", response_us(&write), 364.4, -5.0..=5.0);
    let more = response_us(&write) - response_us(&read);
    // The paper says "about 30"; its parts add up to 34.
    assert_error("F-R09", more, 34.0, -10.0..=10.0);
}

#[test]
fn a_write_that_two_servers_have_takes_twice_as_long() {
    let (one, two) = (run(ONE, &["load.read_fraction=0.0"]), run(MIRRORED, &[]));
    assert_error("F-R10", response_us(&two) / response_us(&one), 2.0, -10.0..=10.0);
}

#[test]
fn an_idle_thread_polls_as_often_as_it_was_measured() {
    let sets =
        ["run.measured_ios=20", "run.warm_up=0", "load.arrivals={ process = \"poisson\", rate = \"1/s\" }"];
    let idle = run(ONE, &sets);
    let seconds = idle.ios as f64 / idle.iops;
    assert_error("F-R11", figure(&idle, "sds.processors", "unproductive_polls") / seconds, 375e3, -5.0..=5.0);
    assert_error("F-R11, processors", figure(&idle, "sds.processors", "occupied") * 100.0, 25.0, -1.0..=1.0);
}

#[test]
fn faster_processors_and_adapters_take_as_much_less_time() {
    let fast = "sds.processors.speed_mhz=1700";
    let links = [fast, "san.speed=2GFC", "sds.fronts.a.dma_bandwidth=200 MB/s"];
    let firmware = ["sds.fronts.a.generation=isp2300"];
    let of_software = |set: &[&str], speed: f64| stages_us(&run(ONE, set)) + 2.0 * 1.463 / speed;
    // The parts are 40.15 (F-M04) and 23.6.
    assert_error("F-R17", of_software(&["sds.processors.speed_mhz=1000"], 1.0), 40.15, -1.0..=1.0);
    assert_error("F-R17", of_software(&[fast], 1.7), 23.6, -1.0..=1.0);
    let now = response_us(&run(ONE, &[]));
    let lower = |set: &[&str]| (1.0 - response_us(&run(ONE, set)) / now) * 100.0;
    // The author projects "a little over 50 %". A faster processor and link alone do not reach the projection, even though polls become
    // faster, too; adapters half again as fast (F-P12) do.
    let (links, all) = (lower(&links), lower(&[&links[..], &firmware[..]].concat()));
    println!("F-R18: {links:.1} % by processor and link, {all:.1} % with faster adapters");
    assert!((44.0..49.0).contains(&links), "{links}");
    assert!((50.0..55.0).contains(&all), "{all}");
}

fn adapters(count: usize, size: &str) -> Summary {
    let file = match count {
        1 => "one-adapter",
        4 => "four-adapters",
        _ => "eight-adapters",
    };
    let sets: Vec<String> = (1..=14).map(|volume| format!("v{volume:02}.size={size}")).collect();
    run_sets(&format!("studies/friedman-2001/scenarios/{file}.toml"), &sets)
}

#[test]
fn throughput_comes_with_adapters_and_buses() {
    let mb_per_s = |count: usize| adapters(count, "16 KiB").bytes_per_second / 1e6;
    // The target F-R20 is missed: with fourteen reads in flight none of the published facts keeps a card from
    // its 100 MB/s.
    assert_error("F-R20", mb_per_s(1), 78.0, 22.0..=27.0);
    assert_error("F-R21", mb_per_s(4), 210.0, -10.0..=10.0);
    assert_error("F-R22", mb_per_s(8), 270.0, -10.0..=10.0);
    let all = adapters(8, "16 KiB");
    for bus in ["first", "second", "wide"] {
        let used = figure(&all, &format!("sds.buses.{bus}"), "utilisation");
        assert!(used > 0.95, "F-R28, the bottleneck: {bus} {used}");
    }
}

#[test]
fn small_reads_are_bound_by_three_threads_and_the_rest_is_missed() {
    let all = adapters(8, "512 B");
    assert_error("F-R12, F-R22", all.iops, 40e3, -10.0..=10.0);
    assert_error("F-P08", figure(&all, "sds.processors", "occupied") * 4.0, 3.0, -1.0..=1.0);
    let of = |name: &str| figure(&all, "sds.processors", name);
    let (found, in_vain) = (of("productive_polls"), of("unproductive_polls"));
    // There are two polls for each read.
    assert_error("F-R12, polls", found / all.ios as f64, 2.0, -1.0..=1.0);
    // The target F-R19 is missed, and so is the time of unproductive polls: the work of the cards after a status
    // leaves the threads less to find.
    assert_error("F-R19", found / (found + in_vain) * 100.0, 72.0, -35.0..=-28.0);
    // F-R20 is used for fitting: the work of a card after a status is fitted to it.
    assert_error("F-R20", adapters(1, "512 B").iops, 6_800.0, -2.0..=2.0);
    // The target F-R21 is missed: four cards do four times the work of one card, where the paper has less
    // than three times.
    assert_error("F-R21", adapters(4, "512 B").iops, 18_000.0, 45.0..=56.0);
}

#[test]
fn a_second_thread_comes_with_large_reads_and_no_third() {
    let all = adapters(8, "16 KiB");
    assert_error("F-R24", figure(&all, "sds.processors", "occupied") * 400.0, 200.0, -10.0..=10.0);
    let of = |name: &str| figure(&all, "sds.processors", name);
    let (found, in_vain) = (of("productive_polls"), of("unproductive_polls"));
    // The target F-R24 is narrowly missed.
    assert_error("F-R24", found / (found + in_vain) * 100.0, 25.0, -15.0..=-10.0);
}

/// A hybrid system of the paper: a client without a path to the SAN reaches the disks of a client that has a path. A miss in both memories
/// costs the software of both servers.
#[test]
fn a_read_through_a_file_server_passes_the_software_of_both_servers() {
    let both = run("studies/friedman-2001/scenarios/file-server-on-san.toml", &["files.read_fraction=1.0"]);
    let mapped = |server: &str| mean_ns(&both, &format!("{server}.processors.virtual_mapping"));
    // All requests cost 40,000 cycles at 2 GHz; requests that miss in the memory of the file server cost 12,191
    // at 550 MHz.
    let misses = 1.0 - figure(&both, "pages", "read_hit_ratio");
    assert!((mapped("filer") / 20_000.0 - 1.0).abs() < 1e-6, "{}", mapped("filer"));
    assert!((0.3..0.99).contains(&misses), "{misses}");
    assert!((mapped("sds") / (misses * 12_191.0 / 0.55) - 1.0).abs() < 0.02, "{} {misses}", mapped("sds"));
}
