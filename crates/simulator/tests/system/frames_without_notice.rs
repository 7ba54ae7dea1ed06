//! Frames on fabrics of which their adapters are not notified one by one give the same results as frames of which they are: every I/O with its
//! ledger, every meter, every sample, over random systems whose state is read again and again.

use crate::trains::check_looking;
use proptest::prelude::*;
use sansim_kernel::Span;
use std::sync::atomic::{AtomicU64, Ordering};

/// The keys of an adapter, drawn.
fn adapters() -> impl Strategy<Value = String> {
    let dma = prop::sample::select(vec!["unlimited", "1 TB/s", "10 GB/s", "900 MB/s", "300 MB/s"]);
    let setup = prop_oneof![4 => Just("0 ns"), 1 => Just("300 ns")];
    let frame = prop_oneof![4 => Just("0 ns"), 1 => Just("400 ns"), 1 => Just("3 us")];
    let orders = (prop::sample::select(vec!["fcfs", "round-robin"]), any::<bool>(), any::<bool>());
    let buffers = prop::sample::select(vec![1_u32, 2, 5, 16, 64]);
    (dma, setup, frame, orders, buffers).prop_map(|(dma, setup, frame, (order, both, first), buffers)| {
        format!(
            "dma_bandwidth = \"{dma}\"\ndma_setup_time = \"{setup}\"\nframe_time = \"{frame}\"\ndma_order = \"{order}\"\n\
             dma_bidirectional = {both}\ndma_request_first = {first}\noutgoing_buffers = {buffers}\n"
        )
    })
}

/// The keys of an adapter that apply to its host and to its device, drawn.
fn protocols() -> impl Strategy<Value = String> {
    let protocol = prop_oneof![4 => Just("fcp"), 1 => Just("nvme")];
    let payload = prop_oneof![3 => Just(2048_u32), 1 => Just(512), 1 => Just(1000)];
    let response = prop::sample::select(vec!["fetched", "sent"]);
    (protocol, payload, response).prop_map(|(protocol, payload, response)| {
        format!("protocol = \"{protocol}\"\nmax_payload = \"{payload} B\"\nresponse_start = \"{response}\"\n")
    })
}

fn switches() -> impl Strategy<Value = String> {
    let switching = prop::sample::select(vec!["cut-through", "store-and-forward"]);
    let arbiter = prop::sample::select(vec!["round-robin", "oldest", "fixed"]);
    let delay = prop::sample::select(vec!["0 ns", "150 ns", "2 us"]);
    (switching, arbiter, delay, 1_u32..20).prop_map(|(switching, arbiter, delay, buffers)| {
        format!(
            "switching = \"{switching}\"\narbiter = \"{arbiter}\"\nrouting_delay = \"{delay}\"\nbuffers = {buffers}\n"
        )
    })
}

fn loads() -> impl Strategy<Value = String> {
    let sizes = prop::sample::select(vec!["4 KiB", "30000 B", "64 KiB", "300 KiB", "1 MiB"]);
    (sizes, prop::sample::select(vec!["0.0", "0.6", "1.0"]), 1_u32..6).prop_map(|(size, reads, depth)| {
        format!("size = \"{size}\"\nread_fraction = {reads}\nqueue_depth = {depth}\n")
    })
}

/// Drivers that never abort, that abort seldom, and that abort what takes a millisecond.
fn drivers() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        2 => Just(""),
        1 => Just("[hostN.driver]\ntime_out = \"30 ms\"\nretries = 30\n"),
        1 => Just("[hostN.driver]\ntime_out = \"1 ms\"\nretries = 2\n"),
    ]
}

/// Hosts and drives on a fabric of one or more switches.
fn systems() -> impl Strategy<Value = String> {
    let layout = prop::sample::select(vec![
        "topology = \"single-switch\"\n",
        "topology = \"core-edge\"\nedges = 2\ncores = 2\n",
        "topology = \"fat-tree\"\nradix = 4\n",
    ]);
    let link =
        (prop::sample::select(vec!["1GFC", "8GFC", "32GFC"]), prop::sample::select(vec![1_u32, 100, 20_000]));
    let ends = (adapters(), adapters(), protocols());
    let sizes = (1_usize..3, 1_u32..5, 1_u32..9, 1_u32..30);
    (layout, link, ends, switches(), loads(), sizes, drivers()).prop_map(
        |(layout, (speed, metres), (host, device, protocol), switch, load, sizes, driver)| {
            let (hosts, drives, credit, ios) = sizes;
            let stations: Vec<String> = (0..hosts).map(|host| format!("\"host{host}\"")).collect();
            let mut text = format!(
                "[run]\nmeasured_ios = {}\nwarm_up = 0\n[san]\nkind = \"fabric\"\nspeed = \"{speed}\"\ncable = \"{metres} m\"\n\
                 stations = [{}, \"drives\"]\n{layout}[san.switch]\n{switch}",
                10 + ios,
                stations.join(", ")
            );
            for number in 0..hosts {
                text += &format!(
                    "[hostN]\nkind = \"host\"\n[hostN.adapter]\n{host}{protocol}{driver}[hostN.port]\nincoming_buffers = {credit}\n\
                     [loadN]\nkind = \"closed\"\nfrom = \"hostN\"\nto = \"drives\"\n{load}"
                )
                .replace('N', &number.to_string());
            }
            text + &format!(
                "[drives]\nkind = \"drives\"\ncount = {drives}\naccess_time = \"50 us\"\ntransfer_rate = \"1 GB/s\"\n\
                 [drives.adapter]\n{device}{protocol}[drives.port]\nincoming_buffers = {credit}\n"
            )
        },
    )
}

#[test]
fn frames_without_notice_give_the_same_results() {
    let counts = [const { AtomicU64::new(0) }; 3];
    let config = ProptestConfig {
        cases: sansim_trials::case_count(300),
        max_shrink_iters: 500,
        ..ProptestConfig::default()
    };
    proptest!(config, |(text in systems(), looks in prop::sample::select(vec![7_u64, 70, 900]))| {
        let [left, arrived] = check_looking(&text, Span::from_us(looks))?.unnotified;
        for (count, more) in counts.iter().zip([1, left, arrived]) {
            count.fetch_add(u64::from(more > 0), Ordering::Relaxed);
        }
    });
    let [all, left, arrived] = counts.map(AtomicU64::into_inner);
    println!(
        "of {all} systems {left} had frames that left, and {arrived} had frames that arrived, without notice"
    );
    assert!(4 * left >= all && 4 * arrived >= all, "{left} and {arrived} of {all} systems");
}
