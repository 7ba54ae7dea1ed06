//! Systems on fabrics whose switches and links have more rules: adaptive routing, virtual channels, trunks, hold times, losses.

use crate::common::figure;
use crate::common::text::{assert_adds_up, run};
use sansim_system::RunResult;

/// Hosts at drives of memory over this fabric; `driver` are keys of the drivers.
fn system(keys: &str, hosts: usize, drives: usize, driver: &str, load: &str) -> String {
    let stations: Vec<String> = (0..hosts).map(|host| format!("\"host{host}\"")).collect();
    let mut text = format!(
        "[run]\nmeasured_ios = 1800\nwarm_up = 0\n[san]\nkind = \"fabric\"\nstations = [{}, \"drives\"]\n{keys}\n",
        stations.join(", ")
    );
    for host in 0..hosts {
        text += &format!(
            "[host{host}]\nkind = \"host\"\nport.incoming_buffers = 16\nadapter.dma_bandwidth = \"100 GB/s\"\n{driver}\n
             [load{host}]\nkind = \"closed\"\nfrom = \"host{host}\"\nto = [\"drives\"]\n{load}\n"
        );
    }
    text + &format!(
        "[drives]\nkind = \"drives\"\ncount = {drives}\nmodel = \"ram\"\ntransfer_rate = \"100 GB/s\"\n\
         port.incoming_buffers = 16\nadapter.dma_bandwidth = \"100 GB/s\"\n"
    )
}

const LOAD: &str = "size = \"32 KiB\"\nread_fraction = 0.5\nqueue_depth = 4";

fn lost(result: &RunResult) -> f64 {
    figure(&result.summary, "san", "lost_frames")
}

#[test]
fn with_adaptive_routing_every_request_completes_and_nothing_is_lost() {
    for (routing, topology) in [
        ("adaptive", "core-edge"),
        ("up-down-adaptive", "mesh"),
        ("adaptive-escape", "mesh"),
        ("adaptive-escape", "fat-tree"),
    ] {
        let keys = format!("speed = \"8GFC\"\ntopology = \"{topology}\"\nrouting = \"{routing}\"");
        let result = run(&system(&keys, 6, 12, "", LOAD));
        assert_adds_up(&result);
        assert_eq!((lost(&result), result.summary.failed_ios), (0.0, 0), "{routing} on {topology}");
    }
}

#[test]
fn where_hashed_ways_come_to_a_deadlock_adaptive_ones_with_an_escape_do_not() {
    let on = |routing: &str| {
        let keys = format!(
            "speed = \"1GFC\"\ntopology = \"mesh\"\nwidth = 3\nheight = 3\nrouting = \"{routing}\"\nswitch.buffers = 2"
        );
        system(&keys, 9, 18, "", "size = \"256 KiB\"\nread_fraction = 0.5\nqueue_depth = 16")
    };
    let scenario = crate::common::text::scenario(&on("exchange"));
    let options = sansim_system::RunOptions::default();
    let ended = sansim_system::run(&scenario, &options, &mut |_| sansim_system::Flow::Continue);
    assert!(ended.err().is_some_and(|error| error.to_string().contains("waits for a buffer of")));
    assert_adds_up(&run(&on("adaptive-escape")));
}

#[test]
fn a_trunk_carries_what_its_links_do_together() {
    // One host and one drive at either end: without a trunk all frames of a pair take one link of the two.
    let keys = |trunks: bool, count: u32| {
        format!(
            "speed = \"1GFC\"\ntopology = \"given\"\nswitch.trunks = {trunks}\nswitch.buffers = 16\n\
             switches.near.stations = [\"host0\"]\nswitches.far.stations = [\"drives\"]\n\
             links.isl = {{ from = \"near\", to = \"far\", count = {count} }}\n\
             node_links.all = {{ stations = [\"host0\", \"drives\"], speed = \"4GFC\" }}"
        )
    };
    let load = "size = \"1 MiB\"\nread_fraction = 1.0\nqueue_depth = 4";
    let rate = |trunks, count| {
        let result = run(&system(&keys(trunks, count), 1, 1, "", load));
        assert_adds_up(&result);
        result.summary.bytes_per_second
    };
    let one = rate(false, 1);
    println!("{:.4} {:.4} {:.4}", rate(false, 3) / one, rate(true, 2) / one, rate(true, 3) / one);
    assert!((rate(false, 3) / one - 1.0).abs() < 0.01);
    assert!((rate(true, 2) / one - 2.0).abs() < 0.02);
    assert!((rate(true, 3) / one - 3.0).abs() < 0.03);
}

#[test]
fn what_is_lost_on_links_is_tried_again_until_all_requests_are_done() {
    for n in [3, 5] {
        let keys = format!(
            "speed = \"8GFC\"\ntopology = \"core-edge\"\nframe_loss = 0.0005\nready_loss = 0.0005\nbb_sc_n = {n}"
        );
        let driver = "driver.time_out = \"20 ms\"\ndriver.retries = 50";
        let result = run(&system(&keys, 2, 4, driver, LOAD));
        assert_adds_up(&result);
        assert!(lost(&result) > 5.0, "{} lost", lost(&result));
        assert_eq!(result.summary.failed_ios, 0);
    }
}
