//! Tests of streams one after another, and of content that ends.

use super::*;
use crate::streams::content::ContentPlan;
use crate::streams::plan::StreamSlots;
use sansim_component::bench::instant_at_us;
use sansim_kernel::Distribution;
use sansim_request::{CacheControl, Operation};

/// A stream of requests for the blocks 0, 8, 16 ... of the first device, at these times, with these pauses before.
fn listed(pace: StreamPace, wishes: &[(u64, u64)]) -> StreamPlan {
    let wanted = |(number, &(at, pause)): (usize, &(u64, u64))| NextRequest {
        at: Span::from_us(at),
        pause: Span::from_us(pause),
        device: 0,
        offset_bytes: number as u64 * 4096,
        bytes: 4096,
        operation: Operation::Read,
        cache_control: CacheControl::NONE,
        part: 0,
    };
    let content = super::list::ListPlan(wishes.iter().enumerate().map(wanted).collect());
    StreamPlan { pace, content: ContentPlan::Listed(content), ..stream("", "") }
}

fn closed(slots: u32) -> StreamPace {
    StreamPace::Closed { slots: StreamSlots::InAll(slots), think: Distribution::Fixed(Span::ZERO) }
}

#[test]
fn a_stage_begins_when_the_one_before_is_at_its_end_and_answered() {
    let keys = |ios: u32| format!("ios = {ios}\narrivals = {{ process = \"closed\", queue_depth = 2 }}");
    let mut streams = vec![stream("a", &keys(3)), stream("b", &keys(5)), stream("c", &keys(2))];
    streams[2].stage = 1;
    streams[2].begin = Span::from_us(7);
    // The streams have no stage 2.
    streams.push(StreamPlan { stage: 3, ..stream("d", &keys(1)) });
    let mut play = Play::new(streams, aims(1, 800), 1).until(instant_at_us(10_000), takes(10));
    assert_eq!(play.times(0), [0, 0, 10].map(instant_at_us));
    assert_eq!(play.times(1), [0, 0, 10, 10, 20].map(instant_at_us));
    assert_eq!(play.times(2), [37, 37].map(instant_at_us), "7 us after the last answer of the stage before");
    assert_eq!(play.times(3), [47].map(instant_at_us));
    assert_eq!(play.bench.leftovers(), [""; 0]);
}

#[test]
fn a_stage_of_open_streams_is_over_when_the_last_of_them_has_its_answers() {
    let open = "duration = \"50 us\"\narrivals = { process = \"deterministic\", rate = \"100000/s\" }";
    // No request of the second stream arrives: its first arrival would be after its end.
    let none = "duration = \"5 us\"\narrivals = { process = \"deterministic\", rate = \"100000/s\" }";
    let mut streams = vec![stream("a", open), stream("b", none), stream("c", "ios = 1")];
    streams[2].stage = 1;
    let play = Play::new(streams, aims(1, 800), 1).until(instant_at_us(10_000), takes(30));
    assert_eq!(play.times(1), []);
    assert_eq!(play.times(2), [instant_at_us(70)], "when the one that came at 40 us has its answer");
}

#[test]
fn a_duration_leaves_out_what_would_be_asked_later_and_nothing_else() {
    let closed = "arrivals = { process = \"closed\", queue_depth = 3, \
                  think_time = { distribution = \"empirical\", values = [\"1 us\", \"5 us\", \"200 us\"] } }";
    let open = "arrivals = { process = \"poisson\", rate = \"50000/s\" }";
    for (keys, seed) in [closed, open].into_iter().flat_map(|keys| (1..20).map(move |seed| (keys, seed))) {
        let play = |streams| Play::new(streams, aims(1, 800), seed).until(instant_at_us(5_000), takes(10));
        let whole = play(vec![stream("a", keys)]).times(0);
        let after = StreamPlan { stage: 1, ..stream("b", "ios = 1") };
        let cut = play(vec![stream("a", &format!("duration = \"300 us\"\n{keys}")), after]);
        let before: Vec<Time> = whole.into_iter().filter(|&at| at < instant_at_us(300)).collect();
        assert_eq!(cut.times(0), before, "{keys}, seed {seed}");
        assert_eq!(cut.times(1), [before[before.len() - 1] + Span::from_us(10)], "{keys}, seed {seed}");
    }
}

#[test]
fn content_that_ends_ends_a_closed_stream_and_its_pauses_stop_all_slots() {
    let wishes = [(0, 0), (0, 0), (0, 50), (0, 0), (0, 0)];
    let mut last = stream("", "ios = 1");
    last.stage = 1;
    let mut play = Play::new(vec![listed(closed(2), &wishes), last], aims(1, 800), 1)
        .until(instant_at_us(10_000), takes(10));
    // Both slots have their answers at 10 us; the third request is to come 50 us later, and the fourth not before it.
    assert_eq!(play.times(0), [0, 0, 60, 60, 70].map(instant_at_us));
    assert_eq!(play.times(1), [instant_at_us(80)]);
    assert_eq!(play.bench.leftovers(), [""; 0]);
}

#[test]
fn recorded_requests_come_when_the_content_says_from_the_beginning_of_their_stream() {
    let wishes = [(0, 0), (5, 0), (5, 0), (40, 0)];
    let mut play = {
        let recorded = StreamPlan {
            begin: Span::from_us(100),
            ..listed(StreamPace::Recorded { outstanding: 2 }, &wishes)
        };
        let after = StreamPlan { stage: 1, ..stream("", "ios = 1") };
        Play::new(vec![recorded, after], aims(1, 800), 1).until(instant_at_us(10_000), takes(20))
    };
    assert_eq!(play.times(0), [100, 105, 120, 140].map(instant_at_us));
    let begun: Vec<Time> = play.of(0).iter().map(|seen| seen.begun).collect();
    assert_eq!(begun, [100, 105, 105, 140].map(instant_at_us));
    let blocks: Vec<u64> = play.of(0).iter().map(|seen| seen.request.lba).collect();
    assert_eq!(blocks, [0, 8, 16, 24]);
    assert_eq!(play.times(1), [instant_at_us(160)]);
    assert_eq!(play.bench.leftovers(), [""; 0]);
}

#[test]
fn content_without_anything_ends_at_once() {
    for pace in [closed(2), StreamPace::Recorded { outstanding: 2 }] {
        let after = StreamPlan { stage: 1, ..stream("", "ios = 1") };
        let play = Play::new(vec![listed(pace, &[]), after], aims(1, 800), 1)
            .until(instant_at_us(10_000), takes(20));
        assert_eq!((play.times(0), play.times(1)), (vec![], vec![instant_at_us(0)]));
    }
}
