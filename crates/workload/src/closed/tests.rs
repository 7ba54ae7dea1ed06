//! Tests of a closed workload, by itself and input by input.

use super::*;
use sansim_component::bench::{ComponentBench, InputEffects, instant_at_us};
use sansim_request::{RequestId, Status};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

/// The keys of a sequential workload of 4 KiB requests.
fn keys(more: &str) -> WorkloadParameters {
    let keys = format!(
        "from = \"host\"\nto = \"drives\"\nsize = \"4 KiB\"\npattern = \"sequential\"\nthink_time = \"3 us\"\n{more}"
    );
    WorkloadParameters::from_toml(&keys, &Facts::default()).expect("keys of a workload")
}

/// A workload on this many drives with `blocks` blocks of 512 bytes each; drive `n` is device `5 + n`.
fn of(parameters: &WorkloadParameters, drives: u32, blocks: u64) -> Workload {
    let devices: Vec<u32> = (5..5 + drives).collect();
    let aims = TargetDevices {
        workload: 2,
        capacity_blocks: vec![blocks; devices.len()],
        devices,
        names: Vec::new(),
    };
    Workload::new(parameters, aims, 1, "workload")
}

fn at(drives: u32, blocks: u64, more: &str) -> Workload {
    of(&keys(more), drives, blocks)
}

/// A workload of eight slots on four drives that hold three requests each.
fn workload(read_fraction: f64, slot_per_drive: bool) -> Workload {
    let depth = if slot_per_drive { "queue_depth = 2" } else { "queue_depth = 8\nqueue_depth_per = \"all\"" };
    at(4, 3 * 8, &format!("read_fraction = {read_fraction:?}\n{depth}"))
}

/// The requests that the workload issues until no timer is due at this time.
fn issued(bench: &mut ComponentBench<Workload>, now: Time) -> Vec<(RequestId, Request)> {
    let mut issued = Vec::new();
    while bench.timers().first().is_some_and(|&(at, _)| at == now) {
        let asked = bench.handle_due_timer(now).sent_requests();
        issued.extend(asked.into_iter().map(|(_, id)| (id, *bench.requests().request(id))));
    }
    issued
}

fn done(bench: &mut ComponentBench<Workload>, now: Time, id: RequestId) -> InputEffects {
    bench.receive(now, HOST, Message::Done(id, Status::Good))
}

#[test]
fn slots_stay_with_their_drive() {
    let mut workload = workload(1.0, true);
    for slot in 0..8 {
        let request = workload.next(slot);
        assert_eq!((request.drive, request.operation), (slot % 4, Operation::Read));
    }
}

#[test]
fn sequential_requests_follow_one_another_on_their_drive_and_begin_again_at_its_end() {
    let mut workload = workload(1.0, true);
    let blocks: Vec<u64> =
        (0..16).map(|slot| workload.next(slot % 8)).filter(|r| r.drive == 1).map(|r| r.lba).collect();
    assert_eq!(blocks, [0, 8, 16, 0]);
}

#[test]
fn random_requests_stay_on_the_drive_and_begin_at_multiples_of_their_size() {
    let parameters = WorkloadParameters { pattern: Pattern::Random, ..keys("queue_depth = 2") };
    let mut workload = of(&parameters, 4, 2048);
    for _ in 0..1000 {
        let lba = workload.next(0).lba;
        assert!(lba.is_multiple_of(8) && lba + 8 <= 2048, "{lba}");
    }
}

#[test]
fn the_read_fraction_is_kept() {
    let mut workload = workload(0.66, false);
    let writes = (0..100_000).filter(|_| workload.next(0).operation.is_write()).count();
    assert!((33_300..34_700).contains(&writes), "{writes} of 100000");
}

#[test]
fn a_pass_ends_when_every_drive_has_had_its_requests() {
    let mut workload = at(2, 3 * 8, "ios_per_pass = 2");
    assert!(workload.claim(0) && workload.claim(1));
    assert!(!workload.completed(instant_at_us(10), 0));
    assert!(workload.claim(0));
    assert!(!workload.completed(instant_at_us(20), 0));
    assert!(!workload.claim(0), "it waits for the other drive");
    assert!(!workload.completed(instant_at_us(25), 1));
    assert!(workload.claim(1));
    assert!(workload.completed(instant_at_us(50), 1));
    assert!(workload.claim(0) && workload.claim(1), "the next pass");
    let passes = workload.passes();
    assert_eq!((passes.complete, passes.length), (1, Span::from_us(50)));
    assert_eq!(passes.finished_after, [Span::from_us(20), Span::from_us(50)]);
}

#[test]
fn more_slots_than_requests_of_a_pass_leave_some_idle() {
    let mut workload = at(4, 3 * 8, "ios_per_pass = 1\nqueue_depth = 2");
    let claimed: Vec<bool> = (0..8).map(|slot| workload.claim(slot)).collect();
    assert_eq!(claimed, [true, true, true, true, false, false, false, false]);
}

#[test]
fn every_slot_issues_at_the_beginning() {
    let mut bench = ComponentBench::new(workload(1.0, true), 1);
    assert_eq!(bench.start().timer_times(), [instant_at_us(0); 8]);
    let issued = issued(&mut bench, instant_at_us(0));
    let (numbers, devices): (Vec<u64>, Vec<u32>) = issued.iter().map(|(_, r)| (r.number, r.device)).unzip();
    assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(devices, [5, 6, 7, 8, 5, 6, 7, 8]);
    let (_, last) = issued[7];
    assert_eq!(
        last.origin,
        RequestOrigin {
            workload: 2,
            stream: 0,
            slot: 7,
            background: false,
            priority: sansim_request::NORMAL_PRIORITY
        }
    );
    assert_eq!((last.lba, last.bytes, last.data, last.parent), (8, 4096, DataId(7), None));
}

#[test]
fn think_time_passes_between_requests() {
    assert_eq!(workload(1.0, true).next_issue(Time::ZERO), instant_at_us(3));
    let mut bench = ComponentBench::new(workload(1.0, true), 1);
    bench.start();
    let first = issued(&mut bench, instant_at_us(0));
    let did = done(&mut bench, instant_at_us(40), first[5].0);
    assert_eq!(
        (did.closed.clone(), did.timer_times()),
        (vec![(first[5].0, Status::Good)], vec![instant_at_us(43)])
    );
    let next = issued(&mut bench, instant_at_us(43));
    assert_eq!((next.len(), next[0].1.origin.slot, next[0].1.device), (1, 5, 6), "the slot goes on");
}

#[test]
fn a_request_that_failed_is_followed_by_the_next_all_the_same() {
    let mut bench = ComponentBench::new(workload(1.0, true), 1);
    bench.start();
    let first = issued(&mut bench, instant_at_us(0));
    let did = bench.receive(instant_at_us(1), HOST, Message::Done(first[0].0, Status::Failed));
    assert_eq!(
        (did.closed.clone(), did.timer_times()),
        (vec![(first[0].0, Status::Failed)], vec![instant_at_us(4)])
    );
}

#[test]
fn with_the_last_answer_of_a_pass_every_slot_goes_on() {
    let mut bench = ComponentBench::new(at(2, 3 * 8, "ios_per_pass = 1"), 1);
    bench.start();
    let first = issued(&mut bench, instant_at_us(0));
    assert_eq!(done(&mut bench, instant_at_us(10), first[0].0).wakes, [], "it waits for the other drive");
    assert_eq!(done(&mut bench, instant_at_us(30), first[1].0).timer_times(), [instant_at_us(33); 2]);
}
