//! Tests of frames that join the queue without an input: see [`crate::loop_port::queueing`].

use super::*;
use crate::loop_port::queueing::QueueArrivals;

/// A port waits for an IDLE in slot 60 with frames in its queue; more frames join the queue in these thousandths of a slot, with or
/// without inputs.
fn waits(thousandths: &[u64], by_inputs: bool) -> Bench {
    let mut bench = Bench::owner(4, &[command(0, X)], |_| {});
    bench.signal(45, PrimitiveSignal::Close);
    bench.to(50);
    assert_eq!(bench.port.state(), PortState::Monitoring);
    assert!(!bench.port.has_access_window());
    bench.enqueue(50, data(1, X));
    let time = |thousandth: u64| Time(WORD.ticks() * thousandth / 1000);
    if !by_inputs {
        let every = thousandths.get(1).map_or(WORD * 100, |second| time(*second) - time(thousandths[0]));
        let queueing = QueueArrivals::new(time(thousandths[0]), every, thousandths.len() as u64);
        bench.port.frames_will_queue(queueing);
    } else {
        for &thousandth in thousandths.iter().filter(|&&thousandth| thousandth <= 60_000) {
            bench.to(thousandth.div_ceil(1000));
            // An input in the slot of the IDLE comes after the IDLE.
            if thousandth == 60_000 {
                bench.fill(60, FillWord::Idle);
            }
            bench.port.enqueue(time(thousandth), data(1, X), &mut bench.effects);
            bench.note();
        }
    }
    bench
}

#[test]
fn a_port_arbitrates_in_the_slot_of_the_idle_if_a_frame_comes_to_the_queue_in_it() {
    for (frames, slot) in [
        (vec![59_500], 60),
        (vec![59_001], 60),
        (vec![60_000], 60),
        (vec![59_000], 61),
        (vec![60_001], 61),
        (vec![55_300, 57_500, 59_700, 61_900], 60),
        (vec![55_300, 57_700, 60_100, 62_500], 61),
        (vec![52_100, 53_200], 61),
    ] {
        for by_inputs in [true, false] {
            let mut bench = waits(&frames, by_inputs);
            bench.fill(60, FillWord::Idle);
            let sent = bench.sent(60, 70);
            assert!(
                sent.ends_with(&format!("{slot} ARB(10,10)")),
                "frames at {frames:?}, by inputs: {by_inputs}: {sent}"
            );
        }
    }
}

#[test]
fn a_frame_that_does_not_come_after_all_gives_no_slot() {
    for (from, slot) in [(60_000, 61), (60_001, 60), (59_000, 61)] {
        let mut bench = waits(&[60_000], false);
        bench.fill(60, FillWord::Idle);
        let now = bench.time();
        bench.port.queues_no_more(now, Time(WORD.ticks() * from / 1000), &mut bench.effects);
        bench.note();
        let sent = bench.sent(60, 70);
        assert!(sent.ends_with(&format!("{slot} ARB(10,10)")), "none from {from}: {sent}");
    }
}

#[test]
fn frames_that_have_come_keep_their_slot_when_no_more_come() {
    let mut bench = waits(&[55_300, 57_500, 59_700, 61_900], false);
    bench.to(60);
    let now = bench.time();
    bench.port.queues_no_more(now, now, &mut bench.effects);
    bench.fill(60, FillWord::Idle);
    assert!(bench.sent(60, 70).ends_with("60 ARB(10,10)"));
}

/// The reported waits of a port from now on.
fn waits_for(bench: &mut Bench) -> Vec<(u32, QueueWait)> {
    let told = bench.log.drain(..).chain(bench.effects.drain(..).map(|effect| (0, effect)));
    told.filter_map(
        |(_, effect)| {
            if let PortEffect::Waits(tag, waiting) = effect { Some((tag.0, waiting)) } else { None }
        },
    )
    .collect()
}

#[test]
fn what_a_frame_waits_for_is_told_from_the_slot_on_that_it_asked_for_and_not_by_a_word_before() {
    let mut bench = Bench::new(0, |_| {});
    let time = |thousandth: u64| Time(WORD.ticks() * thousandth / 1000);
    bench.to(10);
    bench.port.enqueue(time(9_300), data(1, X), &mut bench.effects);
    bench.port.receive_fill(time(9_600), arb(HIGH), false, &mut bench.effects);
    assert_eq!(waits_for(&mut bench), []);
    bench.port.handle_slot(time(10_000), &mut bench.effects);
    assert_eq!(waits_for(&mut bench), [(1, QueueWait::Loop)]);
}

#[test]
fn a_frame_that_comes_behind_another_does_not_delay_what_is_told_of_that_one() {
    let mut bench = Bench::owner(4, &[command(0, X)], |_| {});
    bench.signal(45, PrimitiveSignal::Close);
    bench.enqueue(50, data(1, X));
    bench.to(60);
    assert_eq!(waits_for(&mut bench).last(), Some(&(1, QueueWait::AccessWindow)));
    let time = |thousandth: u64| Time(WORD.ticks() * thousandth / 1000);
    bench.port.enqueue(time(59_300), data(2, X), &mut bench.effects);
    bench.port.receive_fill(time(59_600), FillWord::Idle, false, &mut bench.effects);
    assert_eq!(waits_for(&mut bench), [(1, QueueWait::Loop)]);
}
