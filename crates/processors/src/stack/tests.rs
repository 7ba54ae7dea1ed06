//! Tests of the processors of an appliance, job by job. A cycle lasts a nanosecond here, so a poll lasts 1 us.

use super::*;
use crate::OtherLoad;
use sansim_component::bench::{BenchRequestPlace, ComponentBench, instant_at_us, sample_read};
use sansim_component::controller_side::Cluster;
use sansim_component::{ProcessorWork, ProcessorWorkKind};
use sansim_request::RequestId;
use sansim_schema::quantities::Share;

mod crossing;
mod in_line;

fn cost(cycles_us: u64) -> StageCost {
    StageCost { cycles: 1_000 * cycles_us, cycles_per_kib: 0 }
}

fn stack() -> StackParameters {
    StackParameters {
        target_emulation: cost(4),
        authentication: cost(3),
        mapping: cost(2),
        set_up: cost(1),
        host_copy: StageCost { cycles: 0, cycles_per_kib: 500 },
        cache: cost(5),
        checks: cost(0),
        fault_tolerance: cost(2),
        device_io: cost(6),
        device_copy: StageCost { cycles: 0, cycles_per_kib: 0 },
        device_completion: cost(7),
        status: cost(8),
    }
}

fn polling(first_threads: u32, most_threads: u32) -> ApplianceProcessors {
    ApplianceProcessors::Polling(PollingStack {
        count: most_threads + 1,
        speed_mhz: 1_000,
        poll_cycles: 1_000,
        poll_reads: 0,
        first_threads,
        most_threads,
        another_from: Share { millionths: 500_000 },
        fewer_below: Share { millionths: 0 },
        evaluated_every: Span::from_us(100),
    })
}

fn interrupts(count: u32) -> ApplianceProcessors {
    let other_load = OtherLoad { share: Share { millionths: 0 }, slice: Span::from_us(10) };
    ApplianceProcessors::Interrupts(InterruptStack {
        count,
        speed_mhz: 1_000,
        interrupt_cycles: 3_000,
        other_load,
    })
}

/// A bench of processors with two adapters on each node, so three places are polled: the two adapters, and the devices.
fn bench(model: ApplianceProcessors, nodes: u32) -> ComponentBench<StackProcessors> {
    bench_on(model, nodes, &[], None)
}

/// A bench of processors with buses: for each adapter, and for the devices of each node.
fn bench_on(
    model: ApplianceProcessors,
    nodes: u32,
    buses: &[usize],
    devices: Option<usize>,
) -> ComponentBench<StackProcessors> {
    let cards = if nodes == 1 {
        vec![ControllerSide::A; 2]
    } else {
        vec![ControllerSide::A, ControllerSide::A, ControllerSide::B, ControllerSide::B]
    };
    let link = NodeLink { time: Span::from_us(1), bandwidth: Some(1_000_000_000), latency: Span::from_us(4) };
    let cluster = Cluster { nodes: nodes as usize, ..Cluster::default() };
    let device_buses = vec![devices; nodes as usize];
    let ports = 1 + buses.iter().max().map_or(0, |most| *most as u16 + 1);
    let buses = buses.iter().copied().map(Some).collect();
    let parameters =
        StackProcessorParameters { model, stack: stack(), link, cards, buses, device_buses, cluster };
    ComponentBench::new(StackProcessors::new(&parameters, Vec::new(), 1..ports, 1, "test"), ports)
}

fn three(bench: &mut ComponentBench<StackProcessors>) -> [RequestId; 3] {
    [0, 1, 2].map(|lba| bench.open_request(instant_at_us(0), sample_read(lba, 1024)))
}

/// Work of a network for the adapter with this number, or for no adapter that serves hosts.
fn frame(request: RequestId, card: Option<u16>, us: u64) -> Message {
    Message::Work(ProcessorWork {
        request: Some(request),
        time: Span::from_us(us),
        of: ProcessorWorkKind::Network(card),
    })
}

fn worked(did: &sansim_component::bench::InputEffects) -> Vec<Option<RequestId>> {
    let of = |message: &(u16, Message)| match message.1 {
        Message::Worked(work) => Some(work.request),
        _ => None,
    };
    did.sent.iter().filter_map(of).collect()
}

#[test]
fn frames_of_a_network_are_in_turn_with_interrupts() {
    let mut bench = bench(interrupts(1), 1);
    let [one, other, third] = three(&mut bench);
    bench.receive(instant_at_us(0), 0, frame(one, Some(0), 10));
    bench.receive(instant_at_us(1), 0, job(other, Module::Completion, 1));
    bench.receive(instant_at_us(2), 0, frame(third, None, 5));
    assert_eq!(bench.place_of_request(one), BenchRequestPlace::Here(segment::FRAME_WORK));
    assert_eq!(bench.place_of_request(third), BenchRequestPlace::Here(segment::QUEUE));
    assert_eq!(worked(&bench.handle_due_timer(instant_at_us(10))), [Some(one)]);
    bench.handle_due_timer(instant_at_us(10));
    // The work consists of an interrupt of 3 us, and 8 us for the status.
    bench.handle_due_timer(instant_at_us(13));
    assert_eq!(worked(&bench.handle_due_timer(instant_at_us(21))), []);
    bench.handle_due_timer(instant_at_us(21));
    assert_eq!(bench.place_of_request(third), BenchRequestPlace::Here(segment::FRAME_WORK));
    assert_eq!(worked(&bench.handle_due_timer(instant_at_us(26))), [Some(third)]);
    assert_eq!(bench.component.meter(instant_at_us(26), meter::WORKING), Span::from_us(26).into());
    assert_eq!(bench.component.meter(instant_at_us(26), meter::INTERRUPTS), Total(1));
}

#[test]
fn a_poll_of_its_adapter_finds_a_frame_and_that_of_the_devices_one_of_theirs() {
    let mut bench = bench(polling(1, 1), 1);
    let [one, other, _] = three(&mut bench);
    // The thread polls adapters 0 and 1 and the devices, 1 us each.
    bench.receive(instant_at_us(0), 0, frame(one, Some(1), 10));
    bench.receive(instant_at_us(0), 0, frame(other, None, 5));
    assert_eq!(bench.place_of_request(one), BenchRequestPlace::Here(segment::UNNOTICED));
    bench.handle_due_timer(instant_at_us(2));
    assert_eq!(bench.place_of_request(one), BenchRequestPlace::Here(segment::FRAME_WORK));
    assert_eq!(worked(&bench.handle_due_timer(instant_at_us(12))), [Some(one)]);
    bench.handle_due_timer(instant_at_us(13));
    assert_eq!(worked(&bench.handle_due_timer(instant_at_us(18))), [Some(other)]);
    assert_eq!(bench.component.meter(instant_at_us(18), meter::PRODUCTIVE), Total(2));
}

#[test]
fn the_node_that_takes_over_does_a_frame_from_its_beginning() {
    let mut bench = bench(interrupts(1), 2);
    let [one, ..] = three(&mut bench);
    bench.receive(instant_at_us(0), 0, frame(one, Some(0), 10));
    bench.apply_action_to_part(instant_at_us(4), 0, false);
    assert_eq!(worked(&bench.handle_due_timer(instant_at_us(14))), [Some(one)]);
}

/// A job that is found at the adapter with this number, or with 0 a job that continues in line.
fn job(request: RequestId, module: Module, number: u32) -> Message {
    Message::Job(ModuleJob { request: Some(request), module, time: Span::ZERO, bytes: 1024, number })
}

fn done(messages: &[Message]) -> bool {
    matches!(messages, [Message::JobDone(_)])
}

fn polls(bench: &ComponentBench<StackProcessors>, now: u64) -> (u128, u128) {
    let meter = |meter| bench.component.meter(instant_at_us(now), meter).0;
    (meter(meter::PRODUCTIVE), meter(meter::UNPRODUCTIVE))
}

#[test]
fn a_poll_of_its_adapter_finds_a_job_and_its_stages_follow_in_order() {
    let mut bench = bench(polling(1, 1), 1);
    let [one, ..] = three(&mut bench);
    // Polls end at 1 us (first adapter), 2 us (second), 3 us (devices) and so on: the poll that ends at 5 us is the first of the second
    // adapter after the job came.
    bench.receive(instant_at_us(4), 0, job(one, Module::Command, 2));
    assert_eq!(bench.place_of_request(one), BenchRequestPlace::Here(segment::UNNOTICED));
    let stages =
        [parameters::Stage::TargetEmulation, parameters::Stage::Authentication, parameters::Stage::Mapping];
    for (now, stage) in [5, 9, 12].into_iter().zip(stages) {
        assert!(bench.handle_due_timer(instant_at_us(now)).messages_sent_at_port(0).is_empty());
        assert_eq!(bench.place_of_request(one), BenchRequestPlace::Here(segment::of(stage)));
    }
    assert_eq!(polls(&bench, 12), (1, 4));
    assert!(done(&bench.handle_due_timer(instant_at_us(14)).messages_sent_at_port(0)));
    // From then on the thread polls again.
    assert_eq!(polls(&bench, 17), (1, 7));
    // The working time is nine microseconds of stages, and the poll.
    assert_eq!(bench.component.meter(instant_at_us(17), meter::WORKING), Span::from_us(10).into());
    assert_eq!(bench.component.meter(instant_at_us(17), meter::OCCUPIED), Span::from_us(17).into());
}

#[test]
fn what_goes_on_in_line_needs_no_poll_and_what_comes_later_does() {
    let mut bench = bench(polling(1, 1), 1);
    let [one, two, _] = three(&mut bench);
    bench.receive(instant_at_us(0), 0, job(one, Module::Command, 1));
    for now in [1, 5, 8, 10] {
        bench.handle_due_timer(instant_at_us(now));
    }
    bench.receive(instant_at_us(10), 0, job(one, Module::LookUp, 0));
    bench.receive(instant_at_us(10), 0, job(two, Module::LookUp, 0));
    assert_eq!(bench.place_of_request(two), BenchRequestPlace::Here(segment::QUEUE));
    assert!(done(&bench.handle_due_timer(instant_at_us(15)).messages_sent_at_port(0)));
    assert!(done(&bench.handle_due_timer(instant_at_us(20)).messages_sent_at_port(0)));
    assert_eq!(polls(&bench, 20), (1, 0));
    // No job of the request ended at this moment: the job is found at the devices, after the second adapter, which is next.
    bench.receive(instant_at_us(20) + Span(1), 0, job(one, Module::LookUp, 0));
    bench.handle_due_timer(instant_at_us(22));
    assert_eq!(polls(&bench, 22), (2, 1));
    assert!(done(&bench.handle_due_timer(instant_at_us(27)).messages_sent_at_port(0)));
}

#[test]
fn a_thread_that_comes_too_late_looks_on() {
    let mut bench = bench(polling(2, 2), 1);
    let [one, ..] = three(&mut bench);
    // The first thread polls the first adapter, the second thread the second adapter.
    bench.receive(instant_at_us(0), 0, job(one, Module::LookUp, 2));
    bench.handle_due_timer(instant_at_us(1));
    assert_eq!(bench.place_of_request(one), BenchRequestPlace::Here(segment::of(parameters::Stage::Cache)));
    bench.handle_due_timer(instant_at_us(2));
    assert_eq!(polls(&bench, 2), (1, 2));
    assert!(done(&bench.handle_due_timer(instant_at_us(6)).messages_sent_at_port(0)));
    // The first thread has polled six times by then, the second thread once, and has worked.
    assert_eq!(polls(&bench, 7), (1, 8));
}

#[test]
fn a_thread_begins_when_half_of_the_polls_find_something_and_no_more_than_may() {
    let mut bench = bench(polling(1, 2), 1);
    let ids = three(&mut bench);
    let mut now = 0;
    // Each job comes again when it is done, at both adapters: after each 5 us of work one poll finds nothing for two polls that find a job.
    for (number, id) in (1..).zip(&ids[..2]) {
        bench.receive(instant_at_us(0), 0, job(*id, Module::LookUp, number));
    }
    let mut most = 0;
    while now < 350 {
        let (at, _) = bench.timers()[0];
        now = at.as_ns_f64() as u64 / 1_000;
        for message in bench.handle_due_timer(at).messages_sent_at_port(0) {
            let Message::JobDone(job) = message else { panic!("{message:?}") };
            bench.receive(at, 0, Message::Job(job));
        }
        let threads = bench.component.gauge(at, 2, 0);
        assert!(threads == 1 || now >= 100, "{threads} at {now}");
        most = most.max(threads);
    }
    assert_eq!(most, 2);
}

/// A second thread begins after a period in which a poll finds a job, and stops after a period in which none does.
fn one_or_two() -> ApplianceProcessors {
    match polling(1, 2) {
        ApplianceProcessors::Polling(model) => ApplianceProcessors::Polling(PollingStack {
            another_from: Share { millionths: 1 },
            fewer_below: Share { millionths: 1 },
            ..model
        }),
        ApplianceProcessors::Interrupts(_) => unreachable!("it polls"),
    }
}

/// A job of 5 us from the beginning, after which a second thread begins.
fn second_begins(bench: &mut ComponentBench<StackProcessors>, one: RequestId) {
    bench.receive(instant_at_us(0), 0, job(one, Module::LookUp, 1));
    bench.handle_due_timer(instant_at_us(1));
    bench.handle_due_timer(instant_at_us(6));
    bench.handle_due_timer(instant_at_us(100));
    assert_eq!(bench.component.gauge(instant_at_us(100), 2, 0), 2);
}

#[test]
fn a_thread_stops_when_too_few_polls_find_something() {
    let mut bench = bench(one_or_two(), 1);
    let [one, ..] = three(&mut bench);
    second_begins(&mut bench, one);
    bench.handle_due_timer(instant_at_us(200));
    assert_eq!(bench.component.gauge(instant_at_us(200), 2, 0), 1);
    assert_eq!(bench.component.meter(instant_at_us(300), meter::OCCUPIED), Span::from_us(400).into());
    // The first thread has 95 polls in its first 100 us and 200 after, the other thread 100.
    assert_eq!(polls(&bench, 300), (1, 94 + 200 + 100));
}

#[test]
fn a_thread_that_stops_when_it_is_done_goes_on_in_line_before() {
    let mut bench = bench(one_or_two(), 1);
    let [one, two, three] = three(&mut bench);
    second_begins(&mut bench, one);
    // The poll of the second thread that ends at 196 us finds the job, and the poll of the first thread at 198 us finds nothing. The second
    // thread works during all of the period in which no job is found.
    let long = ModuleJob {
        request: Some(one),
        module: Module::LookUp,
        time: Span::from_us(150),
        bytes: 1024,
        number: 1,
    };
    bench.receive(instant_at_us(195), 0, Message::Job(long));
    for now in [196, 198, 200, 300] {
        bench.handle_due_timer(instant_at_us(now));
    }
    assert!(done(&bench.handle_due_timer(instant_at_us(351)).messages_sent_at_port(0)));
    assert_eq!(bench.component.gauge(instant_at_us(351), 2, 0), 1);
    bench.receive(instant_at_us(351), 0, job(two, Module::LookUp, 0));
    bench.receive(instant_at_us(351), 0, job(three, Module::LookUp, 0));
    assert_eq!(bench.place_of_request(two), BenchRequestPlace::Here(segment::of(parameters::Stage::Cache)));
    assert_eq!(bench.component.gauge(instant_at_us(351), 2, 0), 2);
    assert!(done(&bench.handle_due_timer(instant_at_us(356)).messages_sent_at_port(0)));
    assert!(done(&bench.handle_due_timer(instant_at_us(361)).messages_sent_at_port(0)));
    assert_eq!(bench.component.gauge(instant_at_us(361), 2, 0), 1);
    // The first thread is active all the time, the second from 100 us to 361 us.
    assert_eq!(bench.component.meter(instant_at_us(400), meter::OCCUPIED), Span::from_us(400 + 261).into());
}

#[test]
fn an_interrupt_brings_all_that_its_adapter_has() {
    let mut bench = bench(interrupts(1), 1);
    let [one, two, three] = three(&mut bench);
    bench.receive(instant_at_us(0), 0, job(one, Module::LookUp, 1));
    bench.receive(instant_at_us(1), 0, job(two, Module::LookUp, 1));
    bench.receive(instant_at_us(2), 0, job(three, Module::LookUp, 2));
    assert_eq!(bench.place_of_request(one), BenchRequestPlace::Here(segment::INTERRUPT));
    // A job that came after the interrupt was accepted causes another interrupt.
    let mut ends = Vec::new();
    while let Some(&(at, _)) = bench.timers().first() {
        if done(&bench.handle_due_timer(at).messages_sent_at_port(0)) {
            ends.push(at);
        }
    }
    assert_eq!(ends, [instant_at_us(8), instant_at_us(16), instant_at_us(24)]);
    assert_eq!(bench.component.meter(instant_at_us(24), meter::INTERRUPTS).0, 3);
    assert_eq!(bench.component.meter(instant_at_us(24), meter::WORKING), Span::from_us(24).into());
}

#[test]
fn the_link_carries_one_thing_at_a_time_and_then_it_is_on_its_way() {
    let mut bench = bench(interrupts(2), 2);
    let [one, two, _] = three(&mut bench);
    bench.receive(instant_at_us(0), 0, job(one, Module::Link, 0));
    bench.receive(instant_at_us(0), 0, job(two, Module::Link, 0));
    // Two processors accept an interrupt and work for 2 us each; then the link needs 1 us and the time of 1024 bytes, for one job after the
    // other, then 4 us follow.
    let link_ns = 1_000 + 1_024;
    let mut ends = Vec::new();
    while let Some(&(at, _)) = bench.timers().first() {
        if done(&bench.handle_due_timer(at).messages_sent_at_port(0)) {
            ends.push((at - Time::ZERO).as_ns_f64() as u64);
        }
    }
    assert_eq!(ends, [5_000 + link_ns + 4_000, 5_000 + 2 * link_ns + 4_000]);
}

#[test]
fn with_a_node_that_fails_the_other_one_begins_its_jobs_again() {
    let mut bench = bench(polling(1, 1), 2);
    let [one, two, _] = three(&mut bench);
    bench.receive(instant_at_us(0), 0, job(one, Module::LookUp, 1));
    bench.receive(instant_at_us(0), 0, job(two, Module::LookUp, 2));
    bench.handle_due_timer(instant_at_us(1));
    bench.apply_action_to_part(instant_at_us(4), 0, false);
    assert_eq!(
        [one, two].map(|id| bench.place_of_request(id)),
        [BenchRequestPlace::Here(segment::UNNOTICED); 2]
    );
    // The other node polls its devices at 6 us; it has made three polls by then, of which one was of the devices.
    assert!(bench.handle_due_timer(instant_at_us(6)).messages_sent_at_port(0).is_empty());
    assert!(done(&bench.handle_due_timer(instant_at_us(11)).messages_sent_at_port(0)));
    let left = bench.timers();
    assert_eq!(left.len(), 1);
    bench.handle_due_timer(left[0].0);
    let end = bench.timers()[0].0;
    assert!(done(&bench.handle_due_timer(end).messages_sent_at_port(0)));
    assert_eq!(bench.component.gauge(end, 0, 0), 0);
}

#[test]
fn a_faster_processor_takes_as_much_less_time() {
    for (speed_mhz, takes_us) in [(500, 18), (1_000, 9), (2_000, 4)] {
        let ApplianceProcessors::Polling(model) = polling(1, 1) else { unreachable!("it polls") };
        let model = ApplianceProcessors::Polling(PollingStack { speed_mhz, ..model });
        assert_eq!(model.time_of_cycles(9_000).as_ns_f64() as u64 / 1_000, takes_us);
    }
}
