//! Systems on fabrics whose switches and links have further rules: adaptive routing, virtual channels, trunks, hold times,
//! losses.

use crate::common::figure;
use crate::common::text::{assert_adds_up, run};
use sansim_simulator::RunResult;

/// Hosts and drives of memory over this fabric; `driver` are keys of the drivers.
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
        let keys = format!("speed = \"8GFC\"\ntopology = \"{topology}\"\nradix = 6\nrouting = \"{routing}\"");
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
    let options = sansim_simulator::RunOptions::default();
    let ended = sansim_simulator::run(&scenario, &options, &mut |_| sansim_simulator::RunFlow::Continue);
    assert!(ended.err().is_some_and(|error| error.to_string().contains("waits for a buffer of")));
    assert_adds_up(&run(&on("adaptive-escape")));
}

#[test]
fn a_trunk_carries_what_its_links_do_together() {
    // There is one host and one drive at either end: without a trunk all frames of a pair use one of the two
    // links.
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
        let text = system(&keys(trunks, count), 1, 1, "", load);
        let result = run(&text.replace("measured_ios = 1800", "measured_ios = 400"));
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
        // A link that has lost most of its credit carries little until BB_SC_N frames have passed or it is reset: that may take hundreds of
        // attempts.
        let driver = "driver.time_out = \"20 ms\"\ndriver.retries = 2000";
        let result = run(&system(&keys, 2, 4, driver, LOAD));
        assert_adds_up(&result);
        assert!(lost(&result) > 5.0, "{} lost", lost(&result));
        assert_eq!(result.summary.failed_ios, 0);
    }
}

/// The reason why a run has no result.
fn why_not(text: &str) -> String {
    let options = sansim_simulator::RunOptions::default();
    let ended = sansim_simulator::run(&crate::common::text::scenario(text), &options, &mut |_| {
        sansim_simulator::RunFlow::Continue
    });
    ended.err().map(|error| error.to_string()).unwrap_or_default()
}

/// A mesh on which hashed paths come to a deadlock under load.
fn deadlock(driver: &str, load: &str) -> String {
    let keys = "speed = \"1GFC\"\ntopology = \"mesh\"\nwidth = 3\nheight = 3\nrouting = \"exchange\"\nswitch.buffers = 2";
    system(keys, 9, 18, driver, load)
}

#[test]
fn a_deadlock_is_explained_though_hosts_go_on_aborting_or_asking() {
    let closed = "size = \"256 KiB\"\nread_fraction = 0.5\nqueue_depth = 16";
    let aborting = deadlock("driver.time_out = \"20 ms\"", closed);
    let asking = deadlock(
        "",
        "size = \"256 KiB\"\nread_fraction = 0.5\narrivals = { process = \"poisson\", rate = \"2000/s\" }",
    )
    .replace("kind = \"closed\"", "kind = \"synthetic\"")
    .replace("measured_ios = 1800\nwarm_up = 0", "duration = \"200 s\"\nwarm_up = \"1 ms\"");
    for text in [aborting, asking] {
        let why = why_not(&text);
        assert!(why.contains("waits for a buffer of"), "{why}");
    }
}

#[test]
fn where_frames_are_discarded_that_wait_too_long_the_same_mesh_comes_to_no_deadlock() {
    let load = "size = \"64 KiB\"\nread_fraction = 0.5\nqueue_depth = 4";
    let text = deadlock("driver.time_out = \"200 ms\"\ndriver.retries = 100", load)
        .replace("switch.buffers = 2", "switch.buffers = 2\nswitch.hold_time = \"20 ms\"");
    assert_adds_up(&run(&text));
}

#[test]
fn what_a_switch_discards_is_asked_for_again_when_its_time_is_over() {
    // Eight drives answer one host, whose link is slower: frames wait in the switch for up to 64 buffers of other
    // frames.
    let keys = |hold: &str| {
        format!(
            "speed = \"8GFC\"\nswitch.hold_time = \"{hold}\"\nnode_links.slow = {{ stations = [\"host0\"], speed = \"2GFC\" }}"
        )
    };
    let load = "size = \"8 KiB\"\nread_fraction = 1.0\nqueue_depth = 2";
    let driver = "driver.time_out = \"20 ms\"\ndriver.retries = 1000";
    let with = |hold: &str| {
        let result = run(&system(&keys(hold), 1, 8, driver, load));
        assert_adds_up(&result);
        let discarded = figure(&result.summary, "san", "discarded_frames");
        assert_eq!(discarded, lost(&result), "nothing else loses any");
        let (time_outs, _) = result.summary.errors.time_outs();
        (discarded, time_outs, result.summary.failed_ios, result.summary.iops)
    };
    let (discarded, time_outs, failed, iops) = with("500 us");
    println!("{discarded} discarded, {time_outs} time-outs, {iops:.0} I/Os a second");
    assert!(discarded > 0.0 && time_outs > 0, "{discarded} {time_outs}");
    assert_eq!(failed, 0);
    let (none, no_time_outs, _, without) = with("unlimited");
    assert_eq!((none, no_time_outs), (0.0, 0));
    assert!(iops < without, "{iops} {without}");
}

#[test]
fn only_the_links_that_lose_something_lose_it() {
    // All data pass both links between the switches; the links of hosts and drives have no losses.
    let keys = |losses: &str| {
        format!(
            "speed = \"8GFC\"\ntopology = \"given\"\nswitches.near.stations = [\"host0\"]\nswitches.far.stations = [\"drives\"]\n{losses}"
        )
    };
    let driver = "driver.time_out = \"20 ms\"\ndriver.retries = 100";
    let of = |losses: &str| {
        let result = run(&system(&keys(losses), 1, 2, driver, LOAD));
        assert_adds_up(&result);
        assert_eq!(result.summary.failed_ios, 0);
        (lost(&result), figure(&result.summary, "san", "frames"))
    };
    let isl = "links.isl = { from = \"near\", to = \"far\" }";
    let lossy = "links.isl = { from = \"near\", to = \"far\", frame_loss = 0.001, bb_sc_n = 4 }";
    assert_eq!(of(isl).0, 0.0);
    let spared = format!("{lossy}\nnode_links.all = {{ stations = [\"host0\", \"drives\"] }}");
    let (lost_there, frames) = of(&spared);
    // The tolerance is four standard deviations of a binomial distribution.
    let expected = frames * 0.001;
    assert!((lost_there - expected).abs() < 4.0 * expected.sqrt(), "{lost_there} of {frames}");
    // The losses are set for the whole fabric; the links to nodes are excluded, and every frame passes one
    // other link.
    let but = format!(
        "frame_loss = 0.001\nbb_sc_n = 4\n{isl}\nnode_links.all = {{ stations = [\"host0\", \"drives\"], frame_loss = 0.0, bb_sc_n = 0 }}"
    );
    assert_eq!(of(&but), (lost_there, frames), "the same link draws the same");
}

#[test]
fn credit_that_is_lost_comes_back_when_links_are_reset_and_no_request_fails() {
    let keys = "speed = \"8GFC\"\ntopology = \"core-edge\"\nready_loss = 0.001\ne_d_tov = \"10 ms\"";
    let result = run(&system(keys, 2, 4, "", LOAD));
    assert_adds_up(&result);
    let resets = figure(&result.summary, "san", "link_resets");
    assert!(resets >= 3.0, "{resets} resets");
    assert_eq!((lost(&result), result.summary.failed_ios), (0.0, 0), "no frame is lost by that");
}

#[test]
fn over_a_distance_a_system_gets_what_the_credits_of_its_channel_carry() {
    // The distance is 50 km between two switches, so credit limits the rate. One drive uses one channel.
    let with = |buffers: u32, more: &str| {
        let keys = format!(
            "speed = \"8GFC\"\ntopology = \"given\"\nswitches.near.stations = [\"host0\"]\nswitches.far.stations = [\"drives\"]\n\
             links.isl = {{ from = \"near\", to = \"far\", cable = \"50 km\" }}\nswitch.buffers = {buffers}\n{more}"
        );
        let load = "size = \"1 MiB\"\nread_fraction = 1.0\nqueue_depth = 2";
        let result = run(&system(&keys, 1, 1, "", load).replace("measured_ios = 1800", "measured_ios = 200"));
        assert_adds_up(&result);
        result.summary.bytes_per_second
    };
    // A window of c frames passes in the time there and back and of one frame, in bytes a second.
    let carried = |credits: f64| credits * 2048.0 / (2.0 * 250e-6 + 521.0 * 80.0 / 17.0 * 1e-9);
    for (found, credits) in [
        (with(64, ""), 64.0),
        (with(64, "switch.credit_reserve = \"eighth\""), 56.0),
        (with(64, "switch.channels = 4"), 16.0),
        (with(64, "switch.channels = 4\nswitch.credit_reserve = \"eighth\""), 14.0),
    ] {
        println!("{credits} credits: {:.2} MB/s, by hand at most {:.2}", found / 1e6, carried(credits) / 1e6);
        // FCP_RSP uses a credit too, one for 512 frames of data.
        assert!(found <= carried(credits) && found >= 0.98 * carried(credits), "{credits}: {found}");
    }
}

#[test]
fn the_example_over_a_distance_says_how_many_credits_it_lacks_and_carries_what_they_do() {
    let example = |sets: &[&str]| {
        let options = sansim_simulator::RunOptions {
            recording: sansim_simulator::run::RecordingOptions::IOS,
            ..Default::default()
        };
        let result = sansim_simulator::run(
            &crate::common::load("scenarios/long-distance.toml", sets),
            &options,
            &mut |_| sansim_simulator::RunFlow::Continue,
        )
        .unwrap_or_else(|error| panic!("{error}"));
        assert_adds_up(&result);
        assert_eq!(result.summary.failed_ios, 0);
        let told: Vec<String> =
            result.summary.warnings.iter().filter(|line| line.contains("credits")).cloned().collect();
        let resets = figure(&result.summary, "san", "link_resets");
        println!("{sets:?}: {:.2} MB/s, {resets} resets, {told:?}", result.summary.bytes_per_second / 1e6);
        (result.summary.bytes_per_second / 1e6, told, resets)
    };
    // 64 frames of 2 KiB pass in the time there and back and of a frame.
    let by_hand = 64.0 * 2048.0 / (500e-6 + 521.0 * 80.0 / 17.0 * 1e-9) / 1e6;
    let (rate, told, _) = example(&[]);
    // There are 33 frames of 2 KiB and a response in between: each needs a credit.
    assert!(rate < by_hand && rate > 0.93 * by_hand, "{rate}, by hand {by_hand}");
    let [line] = &told[..] else { panic!("{told:?}") };
    assert!(line.contains("the link from far to near") && line.contains("and has 64"), "{line}");
    let (enough, told, _) = example(&["san.switch.buffers=256"]);
    assert!(told.is_empty() && enough > 2.5 * rate, "{enough} {told:?}");
    // One R_RDY of two hundred is lost: without BB_SC until all credit is lost, and the link is reset.
    let lossy = "san.links.distance.ready_loss=0.005";
    let (without, _, resets) = example(&[lossy]);
    assert!(resets >= 1.0 && without < 0.8 * rate, "{without} {resets}");
    let (with, _, resets) = example(&[lossy, "san.links.distance.bb_sc_n=4"]);
    assert!(resets == 0.0 && with > 0.9 * rate, "{with} {resets}");
}
