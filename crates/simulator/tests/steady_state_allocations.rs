//! After it has settled, a simulation allocates nothing: no event, frame or I/O costs a call of the allocator. Only a circuit
//! that the loop has not seen before is stored, which may allocate.
//!
//! Only a counting allocator can detect an allocation, and `GlobalAlloc` is an unsafe trait: therefore this test file,
//! and nothing else in the crate, allows unsafe code. The counting allocator forwards every call to the system allocator.
#![allow(unsafe_code)]

// This program uses only a part of the common module: loading a scenario.
#[allow(dead_code)]
#[path = "system/common/mod.rs"]
mod common;

use common::load;
use sansim_component::NetworkModel;
use sansim_simulator::build;
use sansim_simulator::run::RecordingOptions;
use sansim_simulator::simulation::Simulation;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every method passes its arguments unchanged to the system allocator and returns its result.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The streams are open, semi-open and closed, with so few outstanding I/Os that they soon reach their
/// limits.
const OPEN: &str = "crates/simulator/tests/cases/open.toml";

const MIXTURE: &str = "workload.read_fraction=0.66";

/// The numbers of completed I/Os between which allocations are counted.
const FROM: u64 = 2_000;
const TO: u64 = 6_000;

/// The most calls of the allocator for an outcome of a circuit that is learned.
const PER_LEARNED: u64 = 35;

/// The calls of the allocator between the completions [`FROM`] and [`TO`], and in the same time the learned outcomes of circuits and
/// the events.
fn allocations(path: &str, set: &[&str], model: NetworkModel) -> (u64, u64, u64) {
    let plan = build::plan_system(&load(path, set), None, model);
    let mut simulation = Simulation::new(&plan, RecordingOptions::default(), None);
    let mut run_to = |ios: u64| {
        while simulation.measurement.completed_io_count() < ios {
            assert!(simulation.run_events(1), "the run ends before I/O {ios}");
        }
        (ALLOCATIONS.load(Ordering::Relaxed), simulation.cached_circuits().learned, simulation.event_count())
    };
    let (start, end) = (run_to(FROM), run_to(TO));
    (end.0 - start.0, end.1 - start.1, end.2 - start.2)
}

// There is only one test, because tests of one file run at the same time and share the counter.
#[test]
fn a_settled_simulation_allocates_nothing() {
    let base = "scenarios/wang-2005-base.toml";
    let two = "scenarios/two-nodes.toml";
    let mirror = "scenarios/mirror.toml";
    let raid = "scenarios/raid-5.toml";
    let lan = "studies/friedman-2001/scenarios/gigabit-ethernet.toml";
    let bed = "studies/ruwart-1999/scenarios/test-bed.toml";
    let cases: [(&str, &[&str]); 39] = [
        (base, &["workload.size=4 KiB", "controller.schedule=fair"]),
        (base, &["workload.size=4 KiB", "controller.schedule=command-first"]),
        (base, &["workload.size=64 KiB", "controller.schedule=fair"]),
        (base, &["workload.size=64 KiB", "controller.schedule=command-first", MIXTURE]),
        (base, &["workload.size=4 KiB", "drives.count=126", MIXTURE]),
        (two, &["workload.size=8 KiB", "workload.queue_depth=32"]),
        (base, &["workload.size=4 KiB", "drives.adapter.response_circuit=own"]),
        (
            base,
            &[
                "workload.size=64 KiB",
                "drives.adapter.response_circuit=own",
                "drives.adapter.response_start=sent",
            ],
        ),
        (base, &["workload.size=4 KiB", "drives.cache=64 KiB", "workload.read_fraction=0.0"]),
        (base, &["workload.size=64 KiB", "drives.burst=16 KiB", "workload.read_fraction=0.0"]),
        (base, &["workload.size=8 KiB", "controller.port.login_credit=3", "drives.port.login_credit=2"]),
        (base, &["workload.size=8 KiB", "controller.adapter.processor_order=command-first"]),
        (
            base,
            &[
                "workload.size=64 KiB",
                "controller.port.dynamic_half_duplex=true",
                "workload.read_fraction=0.0",
            ],
        ),
        // The system has a bus, on which a frame needs several turns.
        (
            base,
            &[
                "workload.size=64 KiB",
                "controller.adapter.dma_bidirectional=true",
                "controller.buses.pci.standard=pci-64-66",
            ],
        ),
        // The system has processors that are interrupted or poll, and limits.
        (
            base,
            &[
                "workload.size=4 KiB",
                "controller.driver.arrival_time=9 us",
                "controller.driver.completion_time=8 us",
                "controller.processors.model=interrupts",
                "controller.processors.interrupt_time=5 us",
                "controller.processors.coalescing_time=50 us",
                "controller.processors.other_load.share=20 %",
                "controller.driver.limits.rate=2000/s",
                "workload.limits.bandwidth=20 MB/s",
            ],
        ),
        (
            base,
            &[
                "workload.size=4 KiB",
                "controller.driver.arrival_time=9 us",
                "controller.driver.completion_time=8 us",
                "controller.processors.model=polling",
                "controller.processors.poll_time=3 us",
            ],
        ),
        (bed, &["run.measured_ios=10000"]),
        // The slowest percent of this number of I/Os is found by buckets.
        (base, &["workload.size=4 KiB", "run.measured_ios=2000000"]),
        (base, &["workload.size=4 KiB", "run.measured_ios=2000000", "drives.count=126", MIXTURE]),
        // The number of I/Os within a given time is not known before the run.
        (base, &["workload.size=4 KiB", "run.duration=20 s", "run.warm_up=0 s", "run.measured_ios=none"]),
        ("scenarios/direct.toml", &[]),
        ("scenarios/two-loops.toml", &["run.duration=20 s"]),
        ("scenarios/controller-two-loops.toml", &[]),
        // The systems have one switch; and several switches, with data and control messages that wait for
        // each other.
        ("scenarios/two-hosts-one-switch.toml", &[]),
        (
            "scenarios/two-hosts-one-switch.toml",
            &["san.topology=tree", "san.switch.buffers=2", "reads.queue_depth=8", "writes.size=64 KiB"],
        ),
        // The requests are open; in the second system more arrive than are served.
        (OPEN, &[]),
        (OPEN, &["load.streams.walk.arrivals.rate=5000/s"]),
        // The requests fork and join, and from 5 s on some fail.
        (mirror, &["run.duration=20 s"]),
        // The load is small writes under parity, before and after a disk fails.
        (raid, &["run.duration=40 s"]),
        // The system has separate hosts, each with intervals of its own and with sums for each device.
        ("scenarios/two-hosts-shared-drives.toml", &["run.duration=60 s", "run.measured_ios=none"]),
        // The system has a cache that fetches, reads ahead and destages, behind volumes.
        ("scenarios/cached-volumes.toml", &["run.duration=20 s"]),
        // The system has leases that are renewed, and locks that move from one client to another.
        ("scenarios/metadata-controller.toml", &["run.duration=60 s"]),
        // The system has a NAS head with its cache and disks, over TCP.
        (
            "scenarios/nas.toml",
            &["run.duration=60 s", "run.measured_ios=none", "run.functional_warm_up=100000"],
        ),
        // The system has polls that cross buses.
        ("studies/friedman-2001/scenarios/four-adapters.toml", &["run.duration=2 s", "run.warm_up=20 ms"]),
        // The system has several paths to each device.
        ("scenarios/two-paths.toml", &["run.duration=30 s", "host.path=round-robin"]),
        ("scenarios/two-paths.toml", &["run.duration=30 s", "host.path=service-time"]),
        // The systems have a SCSI bus, and TCP without and with losses.
        ("scenarios/scsi-bus.toml", &["run.measured_ios=10000", "workload.read_fraction=1.0"]),
        (lan, &["run.duration=none", "run.measured_ios=8000", "run.warm_up=10", "load.size=64 KiB"]),
        (
            lan,
            &[
                "run.duration=none",
                "run.measured_ios=8000",
                "run.warm_up=10",
                "load.size=8 KiB",
                "lan.frame_loss=0.01",
            ],
        ),
    ];
    for (path, set) in cases {
        let (allocations, learned, events) = allocations(path, set, NetworkModel::Fast);
        println!("{path} {set:?}: {allocations} allocations, {learned} learned, in {events} events");
        // A queue grows when it reaches a new record length, which a random mixture may do at any time, ever more rarely.
        let random = set.contains(&MIXTURE) || path == two || path == mirror || path == raid || path == OPEN;
        // The number of I/Os of a distribution is unknown in advance: its capacity is doubled when it is full. With frame bursts the
        // same number of events covers more I/Os.
        let timed = set.iter().any(|key| key.starts_with("run.duration"));
        let most = if timed {
            24
        } else if random {
            4
        } else {
            0
        };
        let most = most + learned * PER_LEARNED;
        assert!(
            allocations <= most,
            "{path} {set:?}: {allocations} with {learned} learned in {events} events"
        );
    }
}
