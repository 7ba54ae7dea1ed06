//! Tests of a port between two frames of a sequence when the second is still being fetched from memory.

use super::*;

/// The last frame of a sequence, with 2 KiB of data.
fn last(number: u32, destination: u8) -> Frame {
    Frame::from(Pdu { last_of_unit: true, ..*data(number, destination) })
}

fn within(rule: WithinSequence) -> impl Fn(&mut Setup) {
    move |c| c.within_sequence = rule
}

fn held(number: u32) -> PortEffect {
    PortEffect::Waits(RequestTag(number), QueueWait::Held)
}

#[test]
fn hold_keeps_the_circuit_open_until_the_last_frame_of_the_sequence() {
    let mut bench = Bench::owner(3, &[data(0, X)], within(WithinSequence::Hold));
    bench.enqueue(700, data(0, X));
    bench.enqueue(1500, last(0, X));
    assert_eq!(bench.sent(18, 2100), "18 frame 0, 700 frame 0, 1500 frame 0, 2027 CLS");
    assert!(bench.log.contains(&(539, held(0))), "from the end of the frame on");
    assert!(bench.log.contains(&(1221, held(0))));
    assert_eq!(bench.log.iter().filter(|(_, effect)| *effect == held(0)).count(), 2);
}

#[test]
fn close_gives_the_loop_up_for_every_frame_that_is_late() {
    let mut bench = Bench::owner(3, &[data(0, X)], within(WithinSequence::Close));
    assert_eq!(bench.sent(18, 700), "18 frame 0, 545 CLS");
}

#[test]
fn a_sequence_that_is_there_whole_closes_as_ever() {
    let frames = [data(0, X), last(0, X)];
    let mut bench = Bench::owner(3, &frames, within(WithinSequence::Hold));
    assert_eq!(bench.sent(18, 1100), "18 frame 0, 545 frame 0, 1072 CLS");
    assert!(!bench.log.iter().any(|(_, effect)| *effect == held(0)));
}

#[test]
fn other_frames_for_the_same_port_go_while_the_circuit_is_held() {
    let mut bench = Bench::owner(3, &[data(0, X)], within(WithinSequence::Hold));
    bench.enqueue(600, command(1, X));
    bench.enqueue(700, last(0, X));
    assert_eq!(bench.sent(18, 1300), "18 frame 0, 600 frame 1, 700 frame 0, 1227 CLS");
}

/// Frames leave in the order of the queue: the remaining frames of the sequence are behind this frame.
#[test]
fn a_frame_for_another_port_in_the_queue_ends_a_held_circuit() {
    let mut bench = Bench::owner(3, &[data(0, X)], within(WithinSequence::Hold));
    bench.enqueue(600, command(1, Y));
    assert_eq!(bench.sent(18, 700), "18 frame 0, 600 CLS");
    assert!(bench.log.contains(&(600, PortEffect::Waits(RequestTag(0), QueueWait::Loop))));
}

#[test]
fn a_command_pre_empts_a_held_circuit_and_the_port_returns_to_the_data() {
    let mut bench = Bench::owner(3, &[data(0, X)], |c| {
        c.schedule = ArbitrationSchedule::COMMAND_FIRST;
        c.within_sequence = WithinSequence::Hold;
    });
    bench.enqueue(600, command(1, Y));
    assert_eq!(bench.sent(18, 700), "18 frame 0, 600 CLS");
    assert_eq!(bench.port.state(), PortState::Transfer);
    bench.signal(700, PrimitiveSignal::Close);
    bench.enqueue(710, last(0, X));
    bench.signal(800, PrimitiveSignal::Close);
    assert_eq!(bench.sent(700, 900), "701 OPN(45,45), 708 frame 1, 730 CLS, 801 OPN(43,43), 808 frame 0");
}

#[test]
fn without_preemption_a_held_circuit_stays_open_beside_a_command_for_another_port() {
    let schedule =
        ArbitrationSchedule { command_first_preemption: false.into(), ..ArbitrationSchedule::COMMAND_FIRST };
    let mut bench = Bench::owner(3, &[data(0, X)], |c| {
        c.schedule = schedule;
        c.within_sequence = WithinSequence::Hold;
    });
    bench.enqueue(600, command(1, Y));
    bench.enqueue(700, last(0, X));
    assert_eq!(bench.sent(18, 1300), "18 frame 0, 700 frame 0, 1227 CLS");
}

#[test]
fn an_opened_port_that_received_cls_holds_only_while_it_has_credit() {
    for (their_login, sent) in [(2, "17 frame 0, 700 frame 0, 1227 CLS"), (1, "17 frame 0, 544 CLS")] {
        let mut bench = Bench::new(their_login, |c| {
            c.full_duplex = true;
            c.within_sequence = WithinSequence::Hold;
        });
        bench.enqueue(5, data(0, X));
        bench.signal(10, opn(OWN, Some(X)));
        bench.fill(11, FillWord::ArbF0);
        bench.signal(100, PrimitiveSignal::Close);
        bench.enqueue(700, last(0, X));
        let all = bench.sent(14, 1300);
        assert!(all.starts_with(sent), "{their_login}: {all}");
    }
}

#[test]
fn a_held_circuit_still_gives_credit_in_full_duplex() {
    let mut bench = Bench::owner(3, &[data(0, X)], |c| {
        c.full_duplex = true;
        c.within_sequence = WithinSequence::Hold;
    });
    bench.item(100, LinkItem::Frame(command(9, OWN)));
    bench.freed(600);
    assert_eq!(bench.sent(18, 700), "18 frame 0, 600 R_RDY");
}

#[test]
fn gather_asks_for_the_loop_when_so_many_frames_or_the_last_have_come() {
    let arbitrates = |frames: &[Frame]| {
        let mut bench = Bench::new(3, within(WithinSequence::Gather(3)));
        for &frame in frames {
            bench.enqueue(5, frame);
        }
        bench.to(20);
        bench.port.state() == PortState::Arbitrating
    };
    assert!(!arbitrates(&[data(0, X)]));
    assert!(!arbitrates(&[data(0, X), data(0, X)]));
    assert!(arbitrates(&[data(0, X), data(0, X), data(0, X)]));
    assert!(arbitrates(&[data(0, X), last(0, X)]));
    assert!(arbitrates(&[last(0, X)]));
    assert!(arbitrates(&[command(1, X), data(0, X)]), "a command waits for nothing");
}

#[test]
fn gather_closes_when_the_next_frame_is_not_there() {
    let frames = [data(0, X), data(0, X)];
    let mut bench = Bench::owner(3, &frames, within(WithinSequence::Gather(2)));
    assert_eq!(bench.sent(18, 1200), "18 frame 0, 545 frame 0, 1072 CLS");
    bench.signal(1200, PrimitiveSignal::Close);
    bench.fill(1240, FillWord::Idle);
    bench.enqueue(1300, data(0, X));
    assert_eq!(bench.sent(1250, 1400), "", "one of two");
    assert!(bench.log.contains(&(1300, PortEffect::Waits(RequestTag(0), QueueWait::Gathering))));
    bench.enqueue(1400, data(0, X));
    bench.to(1401);
    assert_eq!(bench.port.state(), PortState::Arbitrating);
}

/// The output of an owner with three credits and three frames: a command for one port, a command for another port, and a command
/// for the first port again.
fn sent_in_the_first_circuit(circuit_frames: CircuitFrames) -> (String, usize) {
    let frames = [command(0, X), command(1, Y), command(2, X)];
    let mut bench = Bench::owner(3, &frames, |c| c.circuit_frames = circuit_frames);
    let sent = bench.sent(18, 120);
    (sent, bench.port.queued_frames())
}

#[test]
fn a_frame_for_another_port_ends_the_circuit_or_is_passed_by_those_that_go_there() {
    assert_eq!(sent_in_the_first_circuit(CircuitFrames::Head), ("18 frame 0, 40 CLS".into(), 2));
    assert_eq!(sent_in_the_first_circuit(CircuitFrames::All), ("18 frame 0, 40 frame 2, 62 CLS".into(), 1));
}

#[test]
fn frames_that_pass_others_wait_for_credit_and_are_told_of() {
    let frames = [command(0, X), command(1, Y), command(2, X)];
    let mut bench = Bench::owner(1, &frames, |c| c.circuit_frames = CircuitFrames::All);
    assert_eq!(bench.sent(18, 60), "18 frame 0");
    assert!(bench.log.iter().any(|(_, e)| *e == PortEffect::Waits(RequestTag(2), QueueWait::Credit)));
    // The first R_RDY only replaces the credit that was given at login.
    bench.signal(60, PrimitiveSignal::ReceiverReady);
    bench.signal(63, PrimitiveSignal::ReceiverReady);
    assert_eq!(bench.sent(60, 120), "64 frame 2, 86 CLS");
}
