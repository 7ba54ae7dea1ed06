//! Tests of the resources of a controller, job by job.

use super::*;
use sansim_component::bench::{BenchRequestPlace, ComponentBench, instant_at_us, sample_read};
use sansim_kernel::Distribution;
use sansim_request::RequestId;

/// A processor needs 10 us for a command and 2 us for a look-up; bridge, bus and memory need 1, 2 and 4 us for 1000 bytes.
fn parameters(processors: u32) -> ResourceParameters {
    let cost = |time_us: u64| JobCost { time: Distribution::Fixed(Span::from_us(time_us)), bandwidth: None };
    let moves =
        |bandwidth: u64| JobCost { time: Distribution::Fixed(Span::ZERO), bandwidth: Some(bandwidth) };
    ResourceParameters {
        processor_queues: ProcessorQueues::Shared,
        processors,
        link: moves(100_000_000),
        link_latency: Span::from_us(3),
        bridge: moves(1_000_000_000),
        system_bus: moves(500_000_000),
        memory: moves(250_000_000),
        command: cost(10),
        look_up: cost(2),
        mapping: cost(0),
        xor: JobCost { time: Distribution::Fixed(Span::from_us(1)), bandwidth: Some(1_000_000_000) },
        internal_command: cost(3),
        internal_completion: cost(4),
        completion: cost(5),
    }
}

fn bench(processors: u32) -> (ComponentBench<ControllerResourcePool>, [RequestId; 3]) {
    let mut bench = ComponentBench::new(ControllerResourcePool::new(&parameters(processors)), 2);
    let ids = [0, 1, 2].map(|lba| bench.ask(instant_at_us(0), 0, sample_read(lba, 1000)).0);
    (bench, ids)
}

fn job(request: RequestId, module: Module, bytes: u64) -> Message {
    Message::Job(ModuleJob { request: Some(request), module, time: Span::ZERO, bytes, number: 0 })
}

fn done(messages: &[Message]) -> bool {
    matches!(messages, [Message::JobDone(_)])
}

#[test]
fn a_processor_has_one_job_at_a_time_as_they_come_and_the_ledger_says_for_which_module() {
    let (mut bench, [one, two, three]) = bench(1);
    bench.receive(instant_at_us(0), 0, job(one, Module::Command, 1000));
    bench.receive(instant_at_us(0), 1, job(two, Module::LookUp, 1000));
    bench.receive(instant_at_us(1), 0, job(three, Module::LookUp, 1000));
    let at = |bench: &ComponentBench<ControllerResourcePool>, id| bench.place_of_request(id);
    assert_eq!(at(&bench, one), BenchRequestPlace::Here(at_work(0, Module::Command)));
    assert_eq!([at(&bench, two), at(&bench, three)], [BenchRequestPlace::Here(resource::PROCESSOR); 2]);
    assert_eq!(bench.component.gauge(instant_at_us(1), 0, 0), 2);
    assert!(done(&bench.handle_due_timer(instant_at_us(10)).messages_sent_at_port(0)));
    assert_eq!(at(&bench, two), BenchRequestPlace::Here(at_work(0, Module::LookUp)));
    assert!(done(&bench.handle_due_timer(instant_at_us(12)).messages_sent_at_port(1)));
    assert!(done(&bench.handle_due_timer(instant_at_us(14)).messages_sent_at_port(0)));
    assert_eq!(bench.component.busy(instant_at_us(20), 0), Span::from_us(14).into());
}

#[test]
fn two_processors_have_two_jobs_at_a_time() {
    let (mut bench, [one, two, three]) = bench(2);
    for id in [one, two, three] {
        bench.receive(instant_at_us(0), 0, job(id, Module::Command, 0));
    }
    assert_eq!(bench.component.gauge(instant_at_us(1), 0, 0), 1);
    bench.handle_due_timer(instant_at_us(10));
    bench.handle_due_timer(instant_at_us(10));
    assert_eq!(bench.component.gauge(instant_at_us(10), 0, 0), 0);
    assert!(done(&bench.handle_due_timer(instant_at_us(20)).messages_sent_at_port(0)));
    assert_eq!(bench.component.busy(instant_at_us(20), 0), Span::from_us(30).into());
}

#[test]
fn data_go_over_bridge_bus_and_memory_and_another_follows_on_each() {
    let (mut bench, [one, two, _]) = bench(1);
    bench.receive(instant_at_us(0), 0, job(one, Module::Data, 1000));
    bench.receive(instant_at_us(0), 0, job(two, Module::InternalData, 1000));
    // The jobs are at the bridge from 0 to 1 and 1 to 2, at the bus from 1 to 3 and 3 to 5, and at the memory from 3 to 7 and 7 to 11.
    let ends: Vec<bool> = [1, 2, 3, 5, 7]
        .map(|now| done(&bench.handle_due_timer(instant_at_us(now)).messages_sent_at_port(0)))
        .into();
    assert_eq!(ends, [false, false, false, false, true]);
    assert_eq!(bench.place_of_request(two), BenchRequestPlace::Here(at_work(resource::MEMORY, Module::Data)));
    assert!(done(&bench.handle_due_timer(instant_at_us(11)).messages_sent_at_port(0)));
    let busy = [1, 2, 3].map(|block| bench.component.busy(instant_at_us(20), block));
    assert_eq!(busy, [2, 4, 8].map(|time| Span::from_us(time).into()));
}

#[test]
fn a_job_for_no_request_is_told_of_to_the_one_who_asks() {
    let (mut bench, [one, ..]) = bench(1);
    bench.receive(instant_at_us(0), 0, job(one, Module::LookUp, 0));
    let own =
        ModuleJob { request: None, module: Module::Xor, time: Span::from_us(2), bytes: 1000, number: 7 };
    assert_eq!(
        bench.receive(instant_at_us(0), 1, Message::Job(own)).messages_sent_at_port(1),
        [Message::JobState(own, false)]
    );
    assert_eq!(
        bench.handle_due_timer(instant_at_us(2)).messages_sent_at_port(1),
        [Message::JobState(own, true)]
    );
    // The processor needs one microsecond for the job, one for its bytes, and two of the job's own; then the system bus and the memory
    // follow.
    for now in [6, 8] {
        bench.handle_due_timer(instant_at_us(now));
    }
    assert_eq!(bench.handle_due_timer(instant_at_us(12)).messages_sent_at_port(1), [Message::JobDone(own)]);
    bench.component.leftovers(&mut LeftoverFindings::default());
}

#[test]
fn a_job_that_takes_nothing_is_done_at_once() {
    let (mut bench, [one, ..]) = bench(1);
    assert!(done(
        &bench.receive(instant_at_us(3), 0, job(one, Module::Mapping, 1 << 40)).messages_sent_at_port(0)
    ));
}
