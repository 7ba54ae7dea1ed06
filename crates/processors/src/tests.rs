//! Tests of processors, input by input.

use super::*;
use sansim_component::WorkOf;
use sansim_component::bench::{Bench, BenchPlace, Did, read, us};
use sansim_kernel::Span;
use sansim_request::RequestId;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

const SUBMISSION: Option<u16> = None;
const COMPLETION: Option<u16> = Some(3);

fn processors(keys: &str) -> Bench<Processors> {
    let parameters = ProcessorParameters::from_toml(keys, &Facts::default()).expect("processors");
    let processors = match &parameters {
        ProcessorParameters::Interrupts(parameters) => {
            Processors::Interrupts(Interrupts::new(parameters, 1, "host"))
        }
        ProcessorParameters::Polling(parameters) => Processors::Polling(Polling::new(parameters)),
        ProcessorParameters::Processes(_) => panic!("no processors"),
    };
    Bench::new(processors, 1)
}

/// Sends work of this many microseconds to the processors.
fn ask(bench: &mut Bench<Processors>, now: Time, source: Option<u16>, work_us: u64) -> (RequestId, Did) {
    let request = bench.open(now, read(0, 512));
    let of = source.map_or(WorkOf::Submission, WorkOf::Completion);
    let work = Work { request: Some(request), time: Span::from_us(work_us), of };
    (request, bench.receive(now, 0, Message::Work(work)))
}

/// The requests whose work the processors reported as done.
fn done(did: &Did) -> Vec<RequestId> {
    let work = |&(_, message): &(u16, Message)| match message {
        Message::Worked(work) => work.request,
        _ => None,
    };
    did.sent.iter().filter_map(work).collect()
}

fn count(bench: &Bench<Processors>, now: Time, meter: usize) -> u128 {
    bench.component.meter(now, meter).0
}

#[test]
fn work_waits_for_a_processor_and_each_does_one_thing_at_a_time() {
    let mut bench = processors("model = \"interrupts\"\ncount = 2");
    let ids = [0; 3].map(|_| ask(&mut bench, us(0), SUBMISSION, 10).0);
    let segments = ids.map(|id| bench.place(id));
    let [working, waiting] = [segment::SUBMISSION, segment::QUEUE].map(BenchPlace::Here);
    assert_eq!(segments, [working, working, waiting]);
    assert_eq!([0, 1].map(|gauge| bench.component.gauge(Time::ZERO, gauge, 0)), [1, 2]);
    assert_eq!(done(&bench.due(us(10))), [ids[0]]);
    assert_eq!(bench.place(ids[2]), working);
    assert_eq!(done(&bench.due(us(10))), [ids[1]]);
    assert_eq!(done(&bench.due(us(20))), [ids[2]]);
    assert_eq!(count(&bench, us(40), meter::WORKING), Span::from_us(30).ticks().into());
}

#[test]
fn an_interrupt_waits_for_so_many_completions_or_for_so_long() {
    let keys = "model = \"interrupts\"\ncoalesced_completions = 3\ncoalescing_time = \"50 us\"\ninterrupt_time = \"4 us\"";
    let mut bench = processors(keys);
    let ids = [0, 10, 20].map(|now| ask(&mut bench, us(now), COMPLETION, 1).0);
    assert_eq!(
        bench.timers().iter().map(|&(at, _)| at).collect::<Vec<_>>(),
        [us(24)],
        "the third interrupts"
    );
    let places = [segment::INTERRUPT, segment::QUEUE, segment::QUEUE].map(BenchPlace::Here);
    assert_eq!(ids.map(|id| bench.place(id)), places);
    assert_eq!(done(&bench.due(us(24))), []);
    let each = [25, 26, 27].map(|now| done(&bench.due(us(now))));
    assert_eq!(each.concat(), ids);
    let (late, did) = ask(&mut bench, us(100), COMPLETION, 1);
    assert_eq!((bench.place(late), did.wakes_at()), (BenchPlace::Here(segment::UNNOTICED), vec![us(150)]));
    bench.due(us(150));
    bench.due(us(154));
    assert_eq!(done(&bench.due(us(155))), [late]);
    let now = us(155);
    assert_eq!([meter::INTERRUPTS, meter::COMPLETIONS].map(|of| count(&bench, now, of)), [2, 4]);
}

#[test]
fn completions_that_come_before_a_processor_takes_the_interrupt_are_brought_by_it() {
    let mut bench = processors("model = \"interrupts\"\ninterrupt_time = \"4 us\"");
    let (first, _) = ask(&mut bench, us(0), SUBMISSION, 10);
    let second = ask(&mut bench, us(1), SUBMISSION, 10).0;
    let brought = [2, 3].map(|now| ask(&mut bench, us(now), COMPLETION, 1).0);
    assert_eq!(done(&bench.due(us(10))), [first]);
    assert_eq!(bench.place(brought[0]), BenchPlace::Here(segment::INTERRUPT), "before the other submission");
    // The interrupt has been accepted by now: the next completion interrupts again.
    let late = ask(&mut bench, us(11), COMPLETION, 1).0;
    bench.due(us(14));
    let order: Vec<RequestId> =
        [15, 16, 20, 21, 31].iter().flat_map(|&now| done(&bench.due(us(now)))).collect();
    assert_eq!(order, [brought[0], brought[1], late, second]);
    assert_eq!(count(&bench, us(31), meter::INTERRUPTS), 2);
}

/// Sends work of a network to the processors: a frame of a request, or work without a request.
fn ask_by_network(bench: &mut Bench<Processors>, now: Time, request: Option<RequestId>, work_us: u64) -> Did {
    let work = Work { request, time: Span::from_us(work_us), of: WorkOf::Network(None) };
    bench.receive(now, 0, Message::Work(work))
}

#[test]
fn what_a_network_has_is_in_turn_with_interrupts_and_goes_before_submissions() {
    let mut bench = processors("model = \"interrupts\"\ninterrupt_time = \"4 us\"");
    let (first, _) = ask(&mut bench, us(0), SUBMISSION, 10);
    let second = ask(&mut bench, us(1), SUBMISSION, 10).0;
    let frame = bench.open(us(2), read(0, 512));
    ask_by_network(&mut bench, us(2), Some(frame), 7);
    let completed = ask(&mut bench, us(3), COMPLETION, 1).0;
    ask_by_network(&mut bench, us(4), None, 5);
    assert_eq!(bench.place(frame), BenchPlace::Here(segment::QUEUE));
    assert_eq!(done(&bench.due(us(10))), [first]);
    assert_eq!(bench.place(frame), BenchPlace::Here(segment::FRAME_WORK));
    assert_eq!(done(&bench.due(us(17))), [frame]);
    bench.due(us(21));
    assert_eq!(done(&bench.due(us(22))), [completed]);
    let of_none = bench.due(us(27));
    assert!(matches!(of_none.sent[..], [(0, Message::Worked(Work { request: None, .. }))]), "{of_none:?}");
    assert_eq!(done(&bench.due(us(37))), [second]);
    // All of it counts as working time; the gauges count only the requests of the driver.
    assert_eq!(count(&bench, us(37), meter::WORKING), Span::from_us(37).ticks().into());
    assert_eq!([meter::INTERRUPTS, meter::COMPLETIONS].map(|of| count(&bench, us(37), of)), [1, 1]);
    assert_eq!(bench.component.gauge(us(37), gauge::WAITING, 0), 0);
}

#[test]
fn polls_find_what_a_network_has_one_by_one() {
    let mut bench = processors("model = \"polling\"\ncount = 2\nthreads = 1\npoll_time = \"2 us\"");
    let frame = bench.open(us(0), read(0, 512));
    ask_by_network(&mut bench, us(1), Some(frame), 5);
    ask_by_network(&mut bench, us(1), None, 5);
    assert_eq!(bench.place(frame), BenchPlace::Here(segment::UNNOTICED));
    bench.due(us(2));
    assert_eq!(bench.place(frame), BenchPlace::Here(segment::FRAME_WORK));
    assert_eq!(done(&bench.due(us(7))), [frame]);
    bench.due(us(9));
    assert_eq!(bench.due(us(14)).sent.len(), 1);
    assert_eq!([meter::PRODUCTIVE, meter::COMPLETIONS].map(|of| count(&bench, us(14), of)), [2, 0]);
}

#[test]
fn what_costs_nothing_needs_no_processor() {
    let mut bench = processors("model = \"interrupts\"");
    ask(&mut bench, us(0), SUBMISSION, 10);
    for source in [SUBMISSION, COMPLETION] {
        let (id, did) = ask(&mut bench, us(1), source, 0);
        assert_eq!(done(&did), [id]);
    }
}

#[test]
fn other_load_has_its_share_whether_or_not_there_are_requests() {
    let keys = "model = \"interrupts\"\nother_load = { share = \"20 %\", slice = \"100 us\" }";
    let share = |bench: &Bench<Processors>, now: Time| {
        let others = count(bench, now, meter::OCCUPIED) - count(bench, now, meter::WORKING);
        others as f64 / (now - us(0)).ticks() as f64
    };
    let found = share(&processors(keys), us(100_000));
    assert!((found - 0.2).abs() < 0.002, "nothing to do for requests: {found}");
    let mut bench = processors(keys);
    let mut now = us(0);
    while now < us(100_000) {
        ask(&mut bench, now, SUBMISSION, 7);
        while let Some((next, _)) = bench.timers().first().copied() {
            now = next;
            bench.due(now);
        }
    }
    let busy = count(&bench, now, meter::OCCUPIED) as f64 / (now - us(0)).ticks() as f64;
    assert_eq!(busy, 1.0, "always something to do");
    let found = share(&bench, now);
    assert!((found - 0.2).abs() < 0.002, "{found}");
}

#[test]
fn a_thread_that_polls_finds_what_is_there_at_the_end_of_a_poll() {
    let mut bench = processors("model = \"polling\"\ncount = 2\npoll_time = \"2 us\"");
    let (first, did) = ask(&mut bench, us(5), SUBMISSION, 10);
    assert_eq!((bench.place(first), did.wakes_at()), (BenchPlace::Here(segment::UNNOTICED), vec![us(6)]));
    let second = ask(&mut bench, us(6) - Span(1), COMPLETION, 3).0;
    assert_eq!(done(&bench.due(us(6))), []);
    assert_eq!(bench.place(first), BenchPlace::Here(segment::SUBMISSION));
    assert_eq!(done(&bench.due(us(16))), [first]);
    bench.due(us(18));
    assert_eq!(done(&bench.due(us(21))), [second]);
    let counts = |bench: &Bench<Processors>, now| {
        [meter::PRODUCTIVE, meter::UNPRODUCTIVE, meter::COMPLETIONS].map(|of| count(bench, now, of))
    };
    assert_eq!(counts(&bench, us(21)), [2, 2, 1]);
    assert_eq!(counts(&bench, us(31)), [2, 7, 1]);
    let [working, occupied] = [meter::WORKING, meter::OCCUPIED].map(|of| count(&bench, us(31), of));
    assert_eq!((working, occupied), (Span::from_us(17).ticks().into(), Span::from_us(31).ticks().into()));
}

#[test]
fn an_idle_thread_polls_as_often_as_the_paper_says() {
    // Fact F-R11: given the time of a poll, 2.66 us, there are its 375,000 polls a second.
    let bench = processors("model = \"polling\"\ncount = 4\nthreads = 1\npoll_time = \"2.66 us\"");
    let second = us(1_000_000);
    let polls = count(&bench, second, meter::UNPRODUCTIVE);
    assert_eq!(polls, 375_939);
    let taken =
        count(&bench, second, meter::OCCUPIED) as f64 / bench.component.capacity(meter::OCCUPIED) as f64;
    assert_eq!(taken, 0.25 * (second - us(0)).ticks() as f64, "a quarter of four processors");
}

#[test]
fn each_of_several_threads_finds_something() {
    let mut bench = processors("model = \"polling\"\ncount = 3\nthreads = 3\npoll_time = \"1 us\"");
    let ids = [0; 4].map(|_| ask(&mut bench, us(0), COMPLETION, 10).0);
    (0..3).for_each(|_| drop(bench.due(us(1))));
    let places = [segment::COMPLETION, segment::COMPLETION, segment::COMPLETION, segment::UNNOTICED];
    assert_eq!(ids.map(|id| bench.place(id)), places.map(BenchPlace::Here));
    let did = [0; 3].map(|_| done(&bench.due(us(11))));
    assert_eq!(did.concat(), ids[..3]);
    bench.due(us(12));
    assert_eq!(done(&bench.due(us(22))), [ids[3]]);
    assert_eq!(bench.component.gauge(Time::ZERO, gauge::WAITING, 0), 0);
}
