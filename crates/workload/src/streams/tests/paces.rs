//! Tests of paces: the times at which streams issue requests.

use super::*;
use sansim_component::bench::instant_at_us;

#[test]
fn slots_of_a_closed_stream_think_between_an_answer_and_the_next_request() {
    let keys = "arrivals = { process = \"closed\", queue_depth = 2, think_time = \"3 us\" }";
    let play = Play::new(vec![stream("", keys)], aims(1, 800), 1).until(instant_at_us(40), takes(10));
    assert_eq!(play.times(0), [0, 0, 13, 13, 26, 26, 39, 39].map(instant_at_us));
    assert_eq!(play.most, 2);
    let slots: Vec<u32> = play.seen.iter().map(|seen| seen.request.origin.slot).collect();
    assert_eq!(slots, [0, 1, 0, 1, 0, 1, 0, 1]);
    assert!(play.seen.iter().all(|seen| seen.begun == seen.asked), "it counts from when it was asked for");
}

#[test]
fn slots_per_device_stay_with_theirs() {
    let keys = "arrivals = { process = \"closed\", queue_depth = 2, queue_depth_per = \"device\" }";
    let play = Play::new(vec![stream("", keys)], aims(3, 800), 1).until(instant_at_us(100), takes(10));
    assert_eq!((play.most, play.seen.len()), (6, 60));
    for Seen { request, .. } in play.seen {
        assert_eq!(request.device, 5 + request.origin.slot % 3);
    }
}

#[test]
fn an_open_stream_asks_at_its_arrivals_whatever_is_answered() {
    let keys = "arrivals = { process = \"poisson\", rate = \"100000/s\" }";
    let with = |service: Option<Span>| {
        let streams = vec![stream("", keys)];
        Play::new(streams, aims(2, 800), 4).until(instant_at_us(10_000), |_| service).seen
    };
    let [soon, late, never] = [Some(Span::from_us(1)), Some(Span::from_us(500)), None].map(with);
    assert!((900..1100).contains(&soon.len()), "{}", soon.len());
    assert_eq!(soon, late);
    assert_eq!(soon, never);
    assert!(soon.iter().all(|seen| seen.begun == seen.asked));
}

#[test]
fn what_comes_to_a_semi_open_stream_without_room_waits_and_counts_from_when_it_came() {
    let keys = "arrivals = { process = \"deterministic\", rate = \"500000/s\" }\noutstanding = 2\nios = 6";
    let play = Play::new(vec![stream("", keys)], aims(1, 800), 1).until(instant_at_us(1_000), takes(10));
    // Requests arrive at 2, 4, ... us. Two requests are served at a time, for 10 us each.
    let begun: Vec<Time> = play.seen.iter().map(|seen| seen.begun).collect();
    assert_eq!(begun, [2, 4, 6, 8, 10, 12].map(instant_at_us));
    assert_eq!(play.times(0), [2, 4, 12, 14, 22, 24].map(instant_at_us));
    assert_eq!(play.most, 2);
    let waited = [0, 0, 6, 6, 12, 12].map(Span::from_us);
    assert_eq!(play.waited, std::array::from_fn(|number| (number as u64, waited[number])) as [_; 6]);
    let mut bench = play.bench;
    assert_eq!(bench.leftovers(), [""; 0]);
}

#[test]
fn a_backlog_is_served_in_the_order_of_arrival_and_is_over_when_there_is_room() {
    // A burst comes at twice the rate at which requests are served, then requests come at half of that rate.
    let keys = "outstanding = 1\n[arrivals]\nprocess = \"schedule\"\nrepeats = false\n\
                [arrivals.phases.burst]\nduration = \"100 us\"\narrivals = { process = \"deterministic\", rate = \"200000/s\" }\n\
                [arrivals.phases.calm]\nduration = \"400 us\"\narrivals = { process = \"deterministic\", rate = \"50000/s\" }\n";
    let play = Play::new(vec![stream("", keys)], aims(1, 800), 1).until(instant_at_us(10_000), takes(10));
    assert!(play.seen.windows(2).all(|pair| pair[0].begun <= pair[1].begun && pair[0].asked < pair[1].asked));
    let waits = |seen: &&Seen| seen.asked > seen.begun;
    assert!(play.seen.iter().filter(waits).count() > 10, "in the burst, and a while after it");
    let last = play.seen.last().expect("requests");
    assert_eq!(last.asked, last.begun, "the backlog is gone");
    assert_eq!(play.most, 1);
}

#[test]
fn a_stream_begins_and_ends_when_it_is_told_to() {
    let closed = "begin = \"100 us\"\nduration = \"50 us\"\narrivals = { process = \"closed\" }";
    let open = "begin = \"30 us\"\nduration = \"50 us\"\narrivals = { process = \"deterministic\", rate = \"100000/s\" }";
    let few = "ios = 3\narrivals = { process = \"closed\", queue_depth = 8 }";
    let streams = vec![stream("a", closed), stream("b", open), stream("c", few)];
    let mut play = Play::new(streams, aims(1, 800), 1).until(instant_at_us(10_000), takes(20));
    assert_eq!(play.times(0), [100, 120, 140].map(instant_at_us));
    assert_eq!(play.times(1), [40, 50, 60, 70].map(instant_at_us), "none at its end or later");
    assert_eq!(play.times(2), [0, 0, 0].map(instant_at_us));
    assert_eq!(play.bench.leftovers(), [""; 0]);
}

#[test]
fn what_came_before_the_end_of_a_semi_open_stream_is_asked_for_after_it() {
    let keys = "outstanding = 1\nduration = \"50 us\"\narrivals = { process = \"deterministic\", rate = \"100000/s\" }";
    let play = Play::new(vec![stream("", keys)], aims(1, 800), 1).until(instant_at_us(10_000), takes(100));
    let begun: Vec<Time> = play.seen.iter().map(|seen| seen.begun).collect();
    assert_eq!(
        (begun, play.times(0)),
        ([10, 20, 30, 40].map(instant_at_us).into(), [10, 110, 210, 310].map(instant_at_us).into())
    );
}
