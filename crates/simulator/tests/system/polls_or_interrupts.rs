//! The cost of polls and of interrupts, over load, against the closed forms of docs/model/appliance.md:
//! `studies/friedman-2001/scenarios/polls-or-interrupts.toml`; the curves are drawn by
//! `studies/friedman-2001/polls-or-interrupts.toml`.

use crate::common::{figure, run_sets};
use sansim_simulator::summary::Summary;

const FILE: &str = "studies/friedman-2001/scenarios/polls-or-interrupts.toml";

/// The times of the stages of a read, of a poll and of an interrupt, in seconds: 37,224, 1463 and 5500 cycles
/// of 550 MHz.
const STAGES: f64 = 37_224.0 / 550e6;
const POLL: f64 = 1_463.0 / 550e6;
const INTERRUPT: f64 = 5_500.0 / 550e6;
/// The number of adapters: eight for clients and one to the disks.
const ADAPTERS: f64 = 9.0;

fn at(rate: f64, keys: &[&str]) -> Summary {
    let mut sets = vec![format!("templates.client.parameters.rate={:.3}/s", rate / 8.0)];
    sets.extend(keys.iter().map(|&key| key.to_owned()));
    run_sets(FILE, &sets)
}

const INTERRUPTED: &[&str] = &["sds.processors.model=interrupts", "sds.processors.interrupt_cycles=5500"];
const ONE_THREAD: &[&str] = &["sds.processors.most_threads=1"];

/// The number of processors that are occupied.
fn taken(summary: &Summary) -> f64 {
    figure(summary, "sds.processors", "occupied") * 4.0
}

/// A polling thread occupies a processor at any load, an interrupt only for its own time: there are two
/// interrupts for each read, in addition to its stages.
#[test]
fn interrupts_take_as_much_as_a_thread_that_polls_at_the_rate_that_theory_gives() {
    let crossing = 1.0 / (STAGES + 2.0 * INTERRUPT);
    let rates = [0.8 * crossing, 1.2 * crossing];
    for rate in rates {
        let polls = at(rate, ONE_THREAD);
        assert!((taken(&polls) - 1.0).abs() < 1e-6, "a thread takes a processor: {}", taken(&polls));
        assert!((polls.iops / rate - 1.0).abs() < 0.05, "and gets {rate} through: {}", polls.iops);
    }
    // The rate at which the straight line through both points reaches 1, over the measured rate.
    let [(x, low), (y, high)] = rates.map(|rate| {
        let summary = at(rate, INTERRUPTED);
        (summary.iops, taken(&summary))
    });
    let simulated = x + (1.0 - low) / (high - low) * (y - x);
    println!("crossing: {simulated:.0}/s, by theory {crossing:.0}/s");
    assert!((simulated / crossing - 1.0).abs() < 0.03, "{simulated}, {crossing}");
}

/// A command waits for half a round of polls, and its data for the remainder of a round when they have been sent; or each waits for an
/// interrupt.
#[test]
fn with_little_to_do_polls_of_so_many_adapters_take_as_long_as_interrupts() {
    let us = |keys: &[&str]| {
        // The load is so small that two requests are hardly ever present at the same time.
        let longer = [keys, &["run.duration=60 s"]].concat();
        at(80.0, &longer).response_time_ns.mean / 1e3
    };
    let interrupts_us = us(INTERRUPTED);
    let more_us = |cycles: u32| {
        us(&["sds.processors.most_threads=1", &format!("sds.processors.poll_cycles={cycles}")])
            - interrupts_us
    };
    let of_polls_us = |cycles: u32| 1.5 * ADAPTERS * f64::from(cycles) / 550.0;
    // The time for sending the data is the same in all runs; one run gives it.
    let sent_us = of_polls_us(1_463) - 2.0 * INTERRUPT * 1e6 - more_us(1_463);
    println!("data are sent in {sent_us:.2} us");
    assert!((8.0..12.0).contains(&sent_us), "512 B and what the adapter takes: {sent_us}");
    // With fewer cycles a round is over before the data are sent.
    for cycles in [1_000, 1_800, 2_200] {
        let theory_us = of_polls_us(cycles) - sent_us - 2.0 * INTERRUPT * 1e6;
        let more_us = more_us(cycles);
        println!("{cycles} cycles: {more_us:.2} us more, by theory {theory_us:.2}");
        assert!((more_us - theory_us).abs() < 0.4, "{cycles}: {more_us}, {theory_us}");
    }
}

/// A further thread begins where half of the polls find something: n threads are running at a rate of n /
/// (stages + 4 polls).
#[test]
fn a_further_thread_begins_at_the_rate_that_theory_gives() {
    let every = "sds.processors.evaluated_every=100 ms";
    for threads in [1.0, 2.0] {
        let rate = threads / (STAGES + 4.0 * POLL);
        // With fewer threads at first there would be a backlog, which starts threads by itself.
        let first = format!("sds.processors.first_threads={threads}");
        let longer = &[every, &first, "run.duration=1 s", "run.warm_up=500 ms"];
        let (below, above) = (taken(&at(0.92 * rate, longer)), taken(&at(1.08 * rate, longer)));
        assert!((below - threads).abs() < 0.01 && above > threads + 0.3, "{threads}: {below}, {above}");
    }
}
