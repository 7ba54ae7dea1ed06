//! The software of TCP runs on the processors of an appliance, together with its stages, its polls and its interrupts, and on the
//! processors of the node that takes over.

use crate::common::text::{assert_adds_up, assert_near, assert_same, run};
use crate::tcp_on_processors::{COSTS, analysed_iops, of};
use sansim_simulator::RunResult;

/// An appliance whose adapters are on TCP on both sides.
pub(crate) fn appliance(model: &str, stack: &str, more: &str, nodes: usize) -> String {
    let half = |half: &str| if nodes > 1 { format!("side = \"{half}\"") } else { String::new() };
    let (second_front, second_back) =
        if nodes > 1 { (", \"nas.fronts.b\"", ", \"nas.backs.b\"") } else { ("", "") };
    let seconds = if nodes > 1 {
        "[nas.fronts.b]\nside = \"b\"\n[nas.backs.b]\nside = \"b\"\n[nas.pair]\ncontrollers = 2\n"
    } else {
        ""
    };
    format!(
        r#"
        [run]
        measured_ios = 1500
        warm_up = 50
        [lan]
        kind = "tcp"
        rate = "125 MB/s"
        window = "1 MiB"
        delayed_ack = "1 ms"
        stations = ["host", "nas.fronts.a"{second_front}]
        [lan.stacks.head]
        members = ["nas.fronts.a"{second_front}]
        speed_mhz = 1000
        {stack}
        [behind]
        kind = "tcp"
        rate = "125 MB/s"
        window = "1 MiB"
        delayed_ack = "1 ms"
        stations = ["nas.backs.a"{second_back}, "disks"]
        [behind.stacks.head]
        members = ["nas.backs.a"{second_back}]
        speed_mhz = 1000
        {stack}
        [host]
        kind = "host"
        [nas]
        kind = "appliance"
        to = ["disks"]
        [nas.processors]
        {model}
        speed_mhz = 1000
        [nas.stack]
        target_emulation = {{ cycles = 9000 }}
        device_io = {{ cycles = 5000 }}
        device_completion = {{ cycles = 4000 }}
        status = {{ cycles = 3000 }}
        [nas.fronts.a]
        {}
        [nas.backs.a]
        {}
        {seconds}
        [disks]
        kind = "ram-disks"
        count = 2
        bandwidth = "1 GB/s"
        [load]
        kind = "closed"
        from = "host"
        to = ["nas"]
        size = "16 KiB"
        read_fraction = 0.5
        queue_depth = 4
        {more}
        "#,
        half("a"),
        half("a"),
    )
}

#[test]
fn an_appliance_does_the_frames_of_both_its_sides_on_its_processors() {
    let interrupts = "model = \"interrupts\"\ncount = 2";
    // One thread polls.
    let polling = "model = \"polling\"\ncount = 2";
    let polled = COSTS.replace("interrupt_cycles = 3000\n", "");
    for (model, stack, count) in [(interrupts, COSTS, 2.0), (polling, &polled, 2.0)] {
        let result = run(&appliance(model, stack, "", 1));
        let without = run(&appliance(model, "", "", 1));
        assert_adds_up(&result);
        let tcp = of(&result, "lan", "serving_stack") + of(&result, "behind", "asking_stack");
        // The time of polls at 1 GHz.
        let polls = |result: &RunResult| {
            of(result, "nas.processors", "productive_polls") / result.summary.simulated_s * 1_463.0 / 1e9
        };
        let all = |result: &RunResult| of(result, "nas.processors", "utilisation") * count;
        let stages = (all(&without) - polls(&without)) / without.summary.iops * result.summary.iops;
        assert!(tcp > 0.2 && stages > 0.02, "{tcp}, {stages}");
        let (all, polls) = (all(&result), polls(&result));
        println!("{model}: TCP {tcp}, stages {stages}, polls {polls}, all {all}");
        assert_near("work", all, tcp + stages + polls, 5e-3);
        // The bounds and the analytic model include both sides of the processor time of an I/O.
        let most = |result: &RunResult| {
            result
                .summary
                .bounds
                .value_named("controller_rate")
                .and_then(|bound| bound.bound)
                .expect("a bound")
        };
        assert!(most(&result) < most(&without) / 3.0, "{} and {}", most(&result), most(&without));
        assert!(result.summary.iops <= most(&result));
        let analysed = analysed_iops(&appliance(model, stack, "", 1));
        println!("{} of {} I/Os per second, analytic {analysed}", result.summary.iops, most(&result));
        assert_near("analytic", analysed, result.summary.iops, 0.1);
    }
}

#[test]
fn the_node_that_takes_over_does_the_frames_of_the_other_one() {
    let polled = COSTS.replace("interrupt_cycles = 3000\n", "");
    let fail = "[[event]]\nat = \"40 ms\"\ndo = \"fail\"\nwhat = \"nas.a\"\n[[event]]\nat = \"300 ms\"\ndo = \"repair\"\nwhat = \"nas.a\"\n";
    for (model, stack) in
        [("model = \"interrupts\"\ncount = 2", COSTS), ("model = \"polling\"\ncount = 3", &polled)]
    {
        let text = appliance(model, stack, fail, 2)
            .replace("[host]\n", "[host]\ndriver.time_out = \"20 ms\"\ndriver.retries = 4\n");
        let result = run(&text);
        assert_adds_up(&result);
        assert_same(&result, &run(&text));
    }
}
