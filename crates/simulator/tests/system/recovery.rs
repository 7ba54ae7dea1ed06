//! Lost frames that are asked for by REC and sent again after SRR: no host time-out is needed, and nothing is lost or answered twice.

use crate::common::text::{assert_adds_up, assert_reference_agrees, run};
use sansim_kernel::Span;
use sansim_simulator::RunResult;

/// A scenario of this number of I/Os to two disks, whose host has no time-out; with more keys of the adapters, the disks and the workload.
fn on(network: &str, ios: u64, host: &str, disk: &str, load: &str) -> String {
    format!(
        r#"
        [run]
        measured_ios = {ios}
        warm_up = 0
        [san]
        {network}
        [host]
        kind = "host"
        adapter.command_time = "5 us"
        adapter.frame_time = "1 us"
        adapter.abort_answer_time = "2 ms"
        adapter.rec_time_out = "3 ms"
        {host}
        [disks]
        kind = "drives"
        count = 2
        access_time = "1 ms"
        transfer_rate = "200 MB/s"
        adapter.command_time = "5 us"
        adapter.rr_time_out = "100 ms"
        {disk}
        [load]
        kind = "closed"
        from = "host"
        to = ["disks"]
        {load}
        "#
    )
}

const LOOP: &str = "kind = \"arbitrated-loop\"\nspeed = \"1GFC\"\nstations = [\"host\", \"disks\"]";
const FABRIC: &str = "kind = \"fabric\"\nspeed = \"4GFC\"\nstations = [\"host\", \"disks\"]";
const MIXED: &str = "size = \"16 KiB\"\nqueue_depth = 3\nread_fraction = 0.5";

fn lost(result: &RunResult) -> u64 {
    result.summary.errors.frames_lost.0.iter().map(|(_, count)| count).sum()
}

#[test]
fn lost_frames_come_again_without_a_time_out_of_the_host() {
    for network in [LOOP, FABRIC] {
        for (host, disk) in [
            ("adapter.frame_loss = 0.01", ""),
            ("", "adapter.frame_loss = 0.01"),
            ("adapter.frame_loss = 0.02", "adapter.frame_loss = 0.02\nadapter.burst_done = \"stored\""),
            (
                "adapter.frame_loss = 0.02",
                "burst = \"8 KiB\"\nadapter.response_start = \"sent\"\nadapter.response_circuit = \"own\"",
            ),
            (
                "adapter.frame_loss = 0.03\nadapter.dma_bandwidth = \"300 MB/s\"",
                "adapter.frame_loss = 0.03\nadapter.response_start = \"answered\"\nadapter.response_time = \"2 us\"",
            ),
        ] {
            let result = run(&on(network, 1_000, host, disk, MIXED));
            assert_adds_up(&result);
            assert!(lost(&result) > 50, "{}", lost(&result));
            assert_eq!((result.summary.ios, result.summary.failed_ios), (1_000, 0));
        }
    }
}

#[test]
fn both_loops_say_the_same_of_recovered_frames() {
    let loss = "adapter.frame_loss = 0.03";
    assert_reference_agrees(&on(LOOP, 400, loss, loss, MIXED));
}

/// A host and a drive of memory on a switch of which every delay is a whole number of nanoseconds: 25 ns for a word, 3 m to the switch, and
/// 150 ns for routing, which begins when the header, a word, has come.
fn by_hand(host_loss: f64, disk_loss: f64, reads: f64) -> String {
    let adapter = "request_bytes = \"0 B\"\nadapter.dma_bandwidth = \"1 TB/s\"";
    format!(
        "[run]\nmeasured_ios = 5000\nwarm_up = 0\n[san]\nkind = \"fabric\"\nprotocol = \"plain\"\nword_time = \"25 ns\"\nspeed = \"1GFC\"\n\
         cable = \"3 m\"\nswitch.buffers = 8\nswitch.routing_delay = \"150 ns\"\nstations = [\"host\", \"drives\"]\n\
         [host]\nkind = \"host\"\nadapter.rec_time_out = \"1 ms\"\nadapter.frame_loss = {host_loss:?}\nadapter.{adapter}\n\
         [drives]\nkind = \"drives\"\nmodel = \"ram\"\ntransfer_rate = \"100 GB/s\"\nadapter.frame_loss = {disk_loss:?}\nadapter.{adapter}\n\
         [load]\nkind = \"closed\"\nfrom = \"host\"\nto = [\"drives\"]\nsize = \"2048 B\"\nread_fraction = {reads:?}\n"
    )
}

/// The ticks for which a frame with this payload is on a link.
fn on_link(payload: u64) -> u64 {
    25 * 561 * payload.div_ceil(4)
}

/// The ticks from the first word of a frame alone to its last at the other end: the switch passes it on when it has routed
/// the header.
fn message(payload: u64) -> u64 {
    (2 * 15 + 25 + 150) * 561 + on_link(payload)
}

#[test]
fn what_a_lost_frame_costs_is_what_the_frames_of_its_recovery_take_to_the_tick() {
    // All times are in ticks.
    const TOV: u64 = 1_000_000 * 561;
    let fetch = Span::to_move(2048, 1_000_000_000_000).ticks();
    // The drive asks for the data of a write when it has moved as much at its own rate.
    let asks = Span::to_move(2048, 100_000_000_000).ticks();
    let [command, ready, data, response] = [32, 12, 2048, 24].map(message);
    let [rec, rec_accept, srr, reject] = [12, 24, 16, 8].map(message);
    // A frame right behind a short one comes to the switch a word later, and waits there until that has been routed.
    let behind = 150 * 561;
    // LS_ACC to SRR goes before the frames that are sent again.
    let again = rec + rec_accept + srr + behind;
    // FCP_CMND is right behind FCP_CONF of the I/O before; a time that counts from FCP_CMND does not contain this.
    // FCP_CMND was lost: nothing has come, and the target knows no exchange.
    let lost_command = TOV + rec + reject - behind;
    for (reads, host_loss, disk_loss, costs) in [
        (1.0, 0.0, 0.01, vec![lost_command]),
        (
            1.0,
            0.01,
            0.0,
            vec![
                // The data were lost, and FCP_RSP, which comes behind them, shows that.
                again + data + on_link(24),
                // FCP_RSP was lost, which would have come right behind the data.
                TOV + again + response - on_link(24),
            ],
        ),
        (
            0.0,
            0.0,
            0.01,
            vec![
                lost_command,
                // The data were lost; the time counts from when the port had them. FCP_XFER_RDY comes again, and the data are fetched again.
                TOV + again + ready + fetch,
            ],
        ),
        (
            0.0,
            0.01,
            0.0,
            vec![
                // FCP_XFER_RDY was lost: the time counts from FCP_CMND.
                TOV + again - command - behind - asks,
                // FCP_RSP was lost: the time counts from the data.
                TOV + again - data,
            ],
        ),
    ] {
        let result = run(&by_hand(host_loss, disk_loss, reads));
        assert_adds_up(&result);
        let ticks = |io: &sansim_simulator::record::IoRecord| io.response.ticks();
        // FCP_CMND of each I/O but the first is sent behind FCP_CONF of the one before.
        let mut all: Vec<u64> = result.ios.rows.iter().skip(1).map(ticks).collect();
        all.sort_unstable();
        let clean = all[0];
        let mut met = vec![0_u32; costs.len() + 1];
        for io in all.into_iter().filter(|&ticks| ticks > clean) {
            let place = costs.iter().position(|&by_hand| io - clean == by_hand);
            met[place.unwrap_or(costs.len())] += 1;
        }
        let affected: u32 = met.iter().sum();
        let components = result.summary.components.0.iter();
        let recovered: f64 = components.filter_map(|(_, of)| of.figure_named("recovered")).sum();
        assert!(recovered >= f64::from(affected) && recovered < 1.2 * f64::from(affected), "{recovered}");
        let others = met.pop().expect("a count");
        assert!(met.iter().all(|&count| count > 10), "{met:?}");
        // Some I/Os lost two frames, and cost more than the sums by hand.
        assert!(10 * others < met.iter().sum::<u32>(), "{others} of {met:?}");
    }
}
