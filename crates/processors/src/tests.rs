//! Tests of processors, input by input.

use super::*;
use sansim_component::ProcessorWorkKind;
use sansim_component::bench::{BenchRequestPlace, ComponentBench, InputEffects, instant_at_us, sample_read};
use sansim_kernel::Span;
use sansim_request::RequestId;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

const SUBMISSION: Option<u16> = None;
const COMPLETION: Option<u16> = Some(3);

fn processors(keys: &str) -> ComponentBench<Processors> {
    let parameters = ProcessorParameters::from_toml(keys, &Facts::default()).expect("processors");
    let processors = match &parameters {
        ProcessorParameters::Interrupts(parameters) => {
            Processors::Interrupts(Interrupts::new(parameters, 1, "host"))
        }
        ProcessorParameters::Polling(parameters) => Processors::Polling(Polling::new(parameters)),
        ProcessorParameters::Processes(_) => panic!("no processors"),
    };
    ComponentBench::new(processors, 1)
}

/// Sends work of this many microseconds to the processors.
fn ask(
    bench: &mut ComponentBench<Processors>,
    now: Time,
    source: Option<u16>,
    work_us: u64,
) -> (RequestId, InputEffects) {
    let request = bench.open_request(now, sample_read(0, 512));
    let of = source.map_or(ProcessorWorkKind::Submission, ProcessorWorkKind::Completion);
    let work = ProcessorWork { request: Some(request), time: Span::from_us(work_us), of };
    (request, bench.receive(now, 0, Message::Work(work)))
}

/// The requests whose work the processors reported as done.
fn done(did: &InputEffects) -> Vec<RequestId> {
    let work = |&(_, message): &(u16, Message)| match message {
        Message::Worked(work) => work.request,
        _ => None,
    };
    did.sent.iter().filter_map(work).collect()
}

fn count(bench: &ComponentBench<Processors>, now: Time, meter: usize) -> u128 {
    bench.component.meter(now, meter).0
}

#[test]
fn work_waits_for_a_processor_and_each_does_one_thing_at_a_time() {
    let mut bench = processors("model = \"interrupts\"\ncount = 2");
    let ids = [0; 3].map(|_| ask(&mut bench, instant_at_us(0), SUBMISSION, 10).0);
    let segments = ids.map(|id| bench.place_of_request(id));
    let [working, waiting] = [segment::SUBMISSION, segment::QUEUE].map(BenchRequestPlace::Here);
    assert_eq!(segments, [working, working, waiting]);
    assert_eq!([0, 1].map(|gauge| bench.component.gauge(Time::ZERO, gauge, 0)), [1, 2]);
    assert_eq!(done(&bench.handle_due_timer(instant_at_us(10))), [ids[0]]);
    assert_eq!(bench.place_of_request(ids[2]), working);
    assert_eq!(done(&bench.handle_due_timer(instant_at_us(10))), [ids[1]]);
    assert_eq!(done(&bench.handle_due_timer(instant_at_us(20))), [ids[2]]);
    assert_eq!(count(&bench, instant_at_us(40), meter::WORKING), Span::from_us(30).ticks().into());
}

#[test]
fn an_interrupt_waits_for_so_many_completions_or_for_so_long() {
    let keys = "model = \"interrupts\"\ncoalesced_completions = 3\ncoalescing_time = \"50 us\"\ninterrupt_time = \"4 us\"";
    let mut bench = processors(keys);
    let ids = [0, 10, 20].map(|now| ask(&mut bench, instant_at_us(now), COMPLETION, 1).0);
    assert_eq!(
        bench.timers().iter().map(|&(at, _)| at).collect::<Vec<_>>(),
        [instant_at_us(24)],
        "the third interrupts"
    );
    let places = [segment::INTERRUPT, segment::QUEUE, segment::QUEUE].map(BenchRequestPlace::Here);
    assert_eq!(ids.map(|id| bench.place_of_request(id)), places);
    assert_eq!(done(&bench.handle_due_timer(instant_at_us(24))), []);
    let each = [25, 26, 27].map(|now| done(&bench.handle_due_timer(instant_at_us(now))));
    assert_eq!(each.concat(), ids);
    let (late, did) = ask(&mut bench, instant_at_us(100), COMPLETION, 1);
    assert_eq!(
        (bench.place_of_request(late), did.timer_times()),
        (BenchRequestPlace::Here(segment::UNNOTICED), vec![instant_at_us(150)])
    );
    bench.handle_due_timer(instant_at_us(150));
    bench.handle_due_timer(instant_at_us(154));
    assert_eq!(done(&bench.handle_due_timer(instant_at_us(155))), [late]);
    let now = instant_at_us(155);
    assert_eq!([meter::INTERRUPTS, meter::COMPLETIONS].map(|of| count(&bench, now, of)), [2, 4]);
}

#[test]
fn completions_that_come_before_a_processor_takes_the_interrupt_are_brought_by_it() {
    let mut bench = processors("model = \"interrupts\"\ninterrupt_time = \"4 us\"");
    let (first, _) = ask(&mut bench, instant_at_us(0), SUBMISSION, 10);
    let second = ask(&mut bench, instant_at_us(1), SUBMISSION, 10).0;
    let brought = [2, 3].map(|now| ask(&mut bench, instant_at_us(now), COMPLETION, 1).0);
    assert_eq!(done(&bench.handle_due_timer(instant_at_us(10))), [first]);
    assert_eq!(
        bench.place_of_request(brought[0]),
        BenchRequestPlace::Here(segment::INTERRUPT),
        "before the other submission"
    );
    // The interrupt has been accepted by now: the next completion interrupts again.
    let late = ask(&mut bench, instant_at_us(11), COMPLETION, 1).0;
    bench.handle_due_timer(instant_at_us(14));
    let order: Vec<RequestId> = [15, 16, 20, 21, 31]
        .iter()
        .flat_map(|&now| done(&bench.handle_due_timer(instant_at_us(now))))
        .collect();
    assert_eq!(order, [brought[0], brought[1], late, second]);
    assert_eq!(count(&bench, instant_at_us(31), meter::INTERRUPTS), 2);
}

/// Sends work of a network to the processors: a frame of a request, or work without a request.
fn ask_by_network(
    bench: &mut ComponentBench<Processors>,
    now: Time,
    request: Option<RequestId>,
    work_us: u64,
) -> InputEffects {
    let work = ProcessorWork { request, time: Span::from_us(work_us), of: ProcessorWorkKind::Network(None) };
    bench.receive(now, 0, Message::Work(work))
}

#[test]
fn what_a_network_has_is_in_turn_with_interrupts_and_goes_before_submissions() {
    let mut bench = processors("model = \"interrupts\"\ninterrupt_time = \"4 us\"");
    let (first, _) = ask(&mut bench, instant_at_us(0), SUBMISSION, 10);
    let second = ask(&mut bench, instant_at_us(1), SUBMISSION, 10).0;
    let frame = bench.open_request(instant_at_us(2), sample_read(0, 512));
    ask_by_network(&mut bench, instant_at_us(2), Some(frame), 7);
    let completed = ask(&mut bench, instant_at_us(3), COMPLETION, 1).0;
    ask_by_network(&mut bench, instant_at_us(4), None, 5);
    assert_eq!(bench.place_of_request(frame), BenchRequestPlace::Here(segment::QUEUE));
    assert_eq!(done(&bench.handle_due_timer(instant_at_us(10))), [first]);
    assert_eq!(bench.place_of_request(frame), BenchRequestPlace::Here(segment::FRAME_WORK));
    assert_eq!(done(&bench.handle_due_timer(instant_at_us(17))), [frame]);
    bench.handle_due_timer(instant_at_us(21));
    assert_eq!(done(&bench.handle_due_timer(instant_at_us(22))), [completed]);
    let of_none = bench.handle_due_timer(instant_at_us(27));
    assert!(
        matches!(of_none.sent[..], [(0, Message::Worked(ProcessorWork { request: None, .. }))]),
        "{of_none:?}"
    );
    assert_eq!(done(&bench.handle_due_timer(instant_at_us(37))), [second]);
    // All of it counts as working time; the gauges count only the requests of the driver.
    assert_eq!(count(&bench, instant_at_us(37), meter::WORKING), Span::from_us(37).ticks().into());
    assert_eq!(
        [meter::INTERRUPTS, meter::COMPLETIONS].map(|of| count(&bench, instant_at_us(37), of)),
        [1, 1]
    );
    assert_eq!(bench.component.gauge(instant_at_us(37), gauge::WAITING, 0), 0);
}

#[test]
fn polls_find_what_a_network_has_one_by_one() {
    let mut bench = processors("model = \"polling\"\ncount = 2\nthreads = 1\npoll_time = \"2 us\"");
    let frame = bench.open_request(instant_at_us(0), sample_read(0, 512));
    ask_by_network(&mut bench, instant_at_us(1), Some(frame), 5);
    ask_by_network(&mut bench, instant_at_us(1), None, 5);
    assert_eq!(bench.place_of_request(frame), BenchRequestPlace::Here(segment::UNNOTICED));
    bench.handle_due_timer(instant_at_us(2));
    assert_eq!(bench.place_of_request(frame), BenchRequestPlace::Here(segment::FRAME_WORK));
    assert_eq!(done(&bench.handle_due_timer(instant_at_us(7))), [frame]);
    bench.handle_due_timer(instant_at_us(9));
    assert_eq!(bench.handle_due_timer(instant_at_us(14)).sent.len(), 1);
    assert_eq!(
        [meter::PRODUCTIVE, meter::COMPLETIONS].map(|of| count(&bench, instant_at_us(14), of)),
        [2, 0]
    );
}

#[test]
fn what_costs_nothing_needs_no_processor() {
    let mut bench = processors("model = \"interrupts\"");
    ask(&mut bench, instant_at_us(0), SUBMISSION, 10);
    for source in [SUBMISSION, COMPLETION] {
        let (id, did) = ask(&mut bench, instant_at_us(1), source, 0);
        assert_eq!(done(&did), [id]);
    }
}

#[test]
fn other_load_has_its_share_whether_or_not_there_are_requests() {
    let keys = "model = \"interrupts\"\nother_load = { share = \"20 %\", slice = \"100 us\" }";
    let share = |bench: &ComponentBench<Processors>, now: Time| {
        let others = count(bench, now, meter::OCCUPIED) - count(bench, now, meter::WORKING);
        others as f64 / (now - instant_at_us(0)).ticks() as f64
    };
    let found = share(&processors(keys), instant_at_us(100_000));
    assert!((found - 0.2).abs() < 0.002, "nothing to do for requests: {found}");
    let mut bench = processors(keys);
    let mut now = instant_at_us(0);
    while now < instant_at_us(100_000) {
        ask(&mut bench, now, SUBMISSION, 7);
        while let Some((next, _)) = bench.timers().first().copied() {
            now = next;
            bench.handle_due_timer(now);
        }
    }
    let busy = count(&bench, now, meter::OCCUPIED) as f64 / (now - instant_at_us(0)).ticks() as f64;
    assert_eq!(busy, 1.0, "always something to do");
    let found = share(&bench, now);
    assert!((found - 0.2).abs() < 0.002, "{found}");
}

#[test]
fn a_thread_that_polls_finds_what_is_there_at_the_end_of_a_poll() {
    let mut bench = processors("model = \"polling\"\ncount = 2\npoll_time = \"2 us\"");
    let (first, did) = ask(&mut bench, instant_at_us(5), SUBMISSION, 10);
    assert_eq!(
        (bench.place_of_request(first), did.timer_times()),
        (BenchRequestPlace::Here(segment::UNNOTICED), vec![instant_at_us(6)])
    );
    let second = ask(&mut bench, instant_at_us(6) - Span(1), COMPLETION, 3).0;
    assert_eq!(done(&bench.handle_due_timer(instant_at_us(6))), []);
    assert_eq!(bench.place_of_request(first), BenchRequestPlace::Here(segment::SUBMISSION));
    assert_eq!(done(&bench.handle_due_timer(instant_at_us(16))), [first]);
    bench.handle_due_timer(instant_at_us(18));
    assert_eq!(done(&bench.handle_due_timer(instant_at_us(21))), [second]);
    let counts = |bench: &ComponentBench<Processors>, now| {
        [meter::PRODUCTIVE, meter::UNPRODUCTIVE, meter::COMPLETIONS].map(|of| count(bench, now, of))
    };
    assert_eq!(counts(&bench, instant_at_us(21)), [2, 2, 1]);
    assert_eq!(counts(&bench, instant_at_us(31)), [2, 7, 1]);
    let [working, occupied] =
        [meter::WORKING, meter::OCCUPIED].map(|of| count(&bench, instant_at_us(31), of));
    assert_eq!((working, occupied), (Span::from_us(17).ticks().into(), Span::from_us(31).ticks().into()));
}

#[test]
fn an_idle_thread_polls_as_often_as_the_paper_says() {
    // Fact F-R11: given the time of a poll, 2.66 us, there are its 375,000 polls a second.
    let bench = processors("model = \"polling\"\ncount = 4\nthreads = 1\npoll_time = \"2.66 us\"");
    let second = instant_at_us(1_000_000);
    let polls = count(&bench, second, meter::UNPRODUCTIVE);
    assert_eq!(polls, 375_939);
    let taken =
        count(&bench, second, meter::OCCUPIED) as f64 / bench.component.capacity(meter::OCCUPIED) as f64;
    assert_eq!(taken, 0.25 * (second - instant_at_us(0)).ticks() as f64, "a quarter of four processors");
}

#[test]
fn each_of_several_threads_finds_something() {
    let mut bench = processors("model = \"polling\"\ncount = 3\nthreads = 3\npoll_time = \"1 us\"");
    let ids = [0; 4].map(|_| ask(&mut bench, instant_at_us(0), COMPLETION, 10).0);
    (0..3).for_each(|_| drop(bench.handle_due_timer(instant_at_us(1))));
    let places = [segment::COMPLETION, segment::COMPLETION, segment::COMPLETION, segment::UNNOTICED];
    assert_eq!(ids.map(|id| bench.place_of_request(id)), places.map(BenchRequestPlace::Here));
    let did = [0; 3].map(|_| done(&bench.handle_due_timer(instant_at_us(11))));
    assert_eq!(did.concat(), ids[..3]);
    bench.handle_due_timer(instant_at_us(12));
    assert_eq!(done(&bench.handle_due_timer(instant_at_us(22))), [ids[3]]);
    assert_eq!(bench.component.gauge(Time::ZERO, gauge::WAITING, 0), 0);
}
