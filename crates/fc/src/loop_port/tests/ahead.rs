//! Tests of arrivals that are announced ahead of their slot: see [`crate::loop_port::scheduled_arrivals`].

use super::*;
use proptest::prelude::*;

impl Bench {
    /// The other end sends an R_RDY that will arrive at slot `at`.
    fn ready_comes(&mut self, slot: u64, at: u64) {
        self.to(slot);
        self.port.ready_comes(Time::ZERO + WORD * at, &mut self.effects);
        self.note();
    }

    /// The slots for which the port asked from this slot on.
    fn asked(&self, from: u64) -> Vec<u64> {
        let at = |(slot, effect): &(u64, PortEffect)| match effect {
            PortEffect::Wake(at) if *slot >= from => Some(slot_of(*at)),
            _ => None,
        };
        self.log.iter().filter_map(at).collect()
    }
}

#[test]
fn an_r_rdy_told_ahead_lets_the_frame_that_waits_for_it_go_when_it_is_in() {
    let mut bench = Bench::owner(0, &[command(0, X)], |_| {});
    bench.ready_comes(40, 100);
    // No frame waits for the second R_RDY.
    bench.ready_comes(43, 103);
    assert_eq!(bench.asked(40), [101]);
    assert_eq!(bench.sent(20, 200), "101 frame 0, 123 CLS");
}

/// Otherwise the same slot would be asked for twice, and come twice.
#[test]
fn a_slot_that_was_asked_for_before_an_earlier_one_is_not_asked_for_again() {
    let mut bench = Bench::owner(0, &[command(0, X)], |_| {});
    bench.ready_comes(40, 100);
    bench.fill(50, FillWord::ArbF0);
    assert_eq!(bench.sent(20, 110), "51 IDLE, 101 frame 0");
    assert_eq!(bench.asked(40)[..2], [101, 51]);
    assert_eq!(bench.asked(40).iter().filter(|at| **at == 101).count(), 1);
}

/// A slot that has come is asked for again.
#[test]
fn a_slot_that_has_passed_with_nothing_to_do_is_asked_for_anew() {
    let mut bench = Bench::new(0, |_| {});
    bench.signal(10, opn(OWN, None));
    bench.item(40, LinkItem::Frame(command(0, OWN)));
    for slot in [100, 90] {
        bench.port.wake(Time::ZERO + WORD * slot, &mut bench.effects);
    }
    bench.to(100);
    assert!(!bench.port.slot_comes(bench.time()));
    bench.freed(100);
    assert_eq!(bench.asked(90), [100]);
    assert_eq!(bench.sent(90, 110), "100 R_RDY");
}

/// The readers of the credit of ports use this value.
#[test]
fn a_circuit_that_is_told_ahead_has_credit_from_the_slot_of_its_opn_on() {
    let mut bench = Bench::new(1, |c| c.link.tells_ahead = true);
    bench.enqueue(2, command(0, X));
    bench.stays_alone = true;
    bench.fill(10, arb(OWN));
    assert_eq!(bench.port.state(), PortState::Open);
    assert_eq!([10, 11].map(|slot| bench.port.credit(Time::ZERO + WORD * slot)), [0, 1]);
}

#[test]
fn an_r_rdy_told_ahead_counts_from_when_it_is_in() {
    let mut bench = Bench::owner(1, &[command(0, X), command(1, X)], |_| {});
    bench.ready_comes(20, 60);
    bench.ready_comes(23, 70);
    let credit = |slot| bench.port.credit(Time::ZERO + WORD * slot);
    // The first R_RDY replaces the login credit, on which frame 0 is in flight.
    assert_eq!([59, 60, 69, 70].map(credit), [0, 0, 0, 1]);
}

#[test]
fn a_frame_told_ahead_keeps_r_rdys_back_from_when_it_begins_to_come_in() {
    let opened = |bench: &mut Bench| bench.signal(10, opn(OWN, None));
    let several = |c: &mut Setup| (c.incoming_buffers, c.ready_between_frames) = (3, true);
    let frame = command(0, OWN);
    let mut told = Bench::new(0, several);
    opened(&mut told);
    told.to(12);
    told.port.frame_comes(Time::ZERO + WORD * 15, Time::ZERO + WORD * (15 + frame.length_in_words()));
    told.ends.push((15 + frame.length_in_words(), frame));
    let mut seen = Bench::new(0, several);
    opened(&mut seen);
    seen.item(15, LinkItem::Frame(frame));
    assert_eq!(seen.sent(0, 80), "13 R_RDY, 31 R_RDY, 34 R_RDY");
    assert_eq!(told.sent(0, 80), seen.sent(0, 80));
}

/// The owner announces its ARB(F0) together with the OPN, and, if nothing comes in until then, both when it wins; on a loop that wants
/// every word in its slot, each word is announced in its own slot.
#[test]
fn opn_and_arb_f0_go_out_in_their_slots_however_far_ahead_they_are_told() {
    for (ahead, alone, told) in [(false, false, [11, 12]), (true, false, [11, 11]), (true, true, [10, 10])] {
        let mut bench = Bench::new(0, |c| c.link.tells_ahead = ahead);
        bench.enqueue(2, command(0, X));
        bench.stays_alone = alone;
        bench.fill(10, arb(OWN));
        assert_eq!(bench.sent(10, 30), "11 OPN(43,43), 12 ARB(F0,F0)");
        assert_eq!(bench.port.sent_fill_word(), (FillWord::ArbF0, Time::ZERO + WORD * 12));
        let transmits = |(slot, effect): &(u64, PortEffect)| {
            matches!(effect, PortEffect::Send(..) | PortEffect::Fill(..))
                .then_some(*slot)
                .filter(|at| *at >= 10)
        };
        assert_eq!(bench.log.iter().filter_map(transmits).collect::<Vec<_>>(), told);
    }
}

/// Any other input to a port, from a node or the other end of a circuit.
#[derive(Clone, Copy, Debug)]
enum Input {
    Fill(FillWord),
    Ready,
    Close,
    FrameComes,
    Enqueue(bool, u8),
    Freed,
}

impl Input {
    fn comes_from_loop(self) -> bool {
        !matches!(self, Self::Enqueue(..) | Self::Freed)
    }
}

/// A data frame of a sequence that continues, short enough to end while a script is played.
fn short(number: u32, destination: u8) -> Frame {
    Frame::from(Pdu { payload_bytes: 4, ..*data(number, destination) })
}

fn inputs() -> impl Strategy<Value = Vec<(u64, Input)>> {
    let fill = prop_oneof![Just(FillWord::Idle), Just(FillWord::ArbF0), Just(arb(HIGH)), Just(arb(LOW))];
    let frame = (any::<bool>(), prop_oneof![Just(X), Just(Y)]);
    let input = prop_oneof![
        4 => fill.prop_map(Input::Fill),
        2 => Just(Input::Ready),
        1 => Just(Input::Close),
        2 => Just(Input::FrameComes),
        3 => frame.prop_map(|(is_command, to)| Input::Enqueue(is_command, to)),
        2 => Just(Input::Freed),
    ];
    let words = prop_oneof![Just(0u64), Just(1), 2u64..12];
    prop::collection::vec((words, input), 1..30)
}

/// The slots of inputs after slot 10: words from the loop come one after the other, and none while a frame comes
/// in.
fn timed(script: &[(u64, Input)]) -> Vec<(u64, Input)> {
    let (mut slot, mut free) = (10, 11);
    let mut timed = Vec::new();
    for &(words, input) in script {
        slot += words;
        if input.comes_from_loop() {
            slot = slot.max(free);
            let is_frame = matches!(input, Input::FrameComes);
            free = slot + if is_frame { command(0, OWN).length_in_words() + 1 } else { 1 };
        }
        timed.push((slot, input));
    }
    timed
}

/// Plays inputs to a port that is opened, or wins the loop for a frame, at slot 10. With each fill word the port is informed whether
/// something comes from the loop in the next slot, and the transmission is announced ahead if `tells`.
fn play(
    script: &[(u64, Input)],
    wins_for: Option<Frame>,
    tells: bool,
    change: impl FnOnce(&mut Setup),
) -> String {
    let script = timed(script);
    let comes_in = |slot: u64| script.iter().any(|&(at, input)| at == slot && input.comes_from_loop());
    let mut bench = Bench::new(1, |c| {
        c.link.tells_ahead = true;
        change(c);
    });
    match wins_for {
        Some(frame) => {
            bench.enqueue(2, frame);
            bench.stays_alone = tells && !comes_in(11);
            bench.fill(10, arb(OWN));
        }
        None => bench.signal(10, opn(OWN, Some(X))),
    }
    let (mut closed, mut number) = (false, 1);
    for &(slot, input) in &script {
        bench.to(slot);
        let granted = bench.port.circuit.receiver.outstanding_credit();
        match input {
            Input::Fill(word) => {
                bench.stays_alone = tells && !comes_in(slot + 1);
                bench.fill(slot, word);
            }
            // No port answers an OPN before the OPN has been sent.
            _ if input.comes_from_loop() && slot < 13 => {}
            Input::Ready => bench.signal(slot, PrimitiveSignal::ReceiverReady),
            Input::Close if !closed => {
                closed = true;
                bench.signal(slot, PrimitiveSignal::Close);
            }
            Input::FrameComes if granted > 0 && !closed => {
                bench.item(slot, LinkItem::Frame(command(900, OWN)));
            }
            Input::Enqueue(is_command, to) => {
                number += 1;
                bench.enqueue(slot, if is_command { command(number, to) } else { short(number, to) });
            }
            Input::Freed if bench.port.occupied_buffers() > 0 => bench.freed(slot),
            _ => {}
        }
        if bench.port.state().is_repeating() {
            break;
        }
    }
    let end = bench.now;
    let told = bench.log.iter().filter_map(|(slot, effect)| match effect {
        PortEffect::Waits(tag, waiting) => Some(format!("{slot} {} {waiting:?}", tag.0)),
        _ => None,
    });
    let told = told.collect::<Vec<_>>().join(", ");
    format!("{}; {told}", bench.sent(0, end + 4))
}

proptest! {
    /// No action of the node meanwhile changes the word that was announced for the next slot.
    #[test]
    fn what_is_told_ahead_goes_out_as_if_it_had_been_told_in_its_slot(
        script in inputs(), wins_for: Option<bool>, between: bool, full_duplex: bool, command_first: bool, buffers in 1u32..4,
        hold: bool, dynamic: bool, all: bool,
    ) {
        let change = |c: &mut Setup| {
            (c.incoming_buffers, c.ready_between_frames, c.full_duplex) = (buffers, between, full_duplex);
            c.within_sequence = if hold { WithinSequence::Hold } else { WithinSequence::Close };
            c.circuit_frames = if all { CircuitFrames::All } else { CircuitFrames::Head };
            c.dynamic_half_duplex = dynamic;
            if command_first {
                c.schedule = ArbitrationSchedule { command_first_closes_opened: true, ..ArbitrationSchedule::COMMAND_FIRST };
            }
        };
        let first = wins_for.map(|is_command| if is_command { command(0, X) } else { short(0, X) });
        prop_assert_eq!(play(&script, first, true, change), play(&script, first, false, change));
    }
}

/// A port that holds its circuit has nothing to send in the next slot, unless it is handed a frame for another port.
#[test]
fn cls_of_a_circuit_that_is_held_no_more_is_not_behind_an_idle_that_was_told_ahead() {
    for alone in [false, true] {
        let mut bench = Bench::owner(1, &[short(0, X)], |c| c.within_sequence = WithinSequence::Hold);
        bench.stays_alone = alone;
        bench.fill(50, FillWord::ArbF0);
        bench.enqueue(51, command(1, Y));
        assert_eq!(bench.sent(19, 70), "51 CLS, 52 IDLE");
    }
}

/// An ARB(F0) of an earlier owner still comes in with the first ARB(F0) of this owner.
#[test]
fn an_arb_f0_that_comes_in_with_the_first_own_one_does_not_bring_idle() {
    for ahead in [false, true] {
        let mut bench = Bench::owner(0, &[command(0, X)], |c| c.link.tells_ahead = ahead);
        bench.fill(12, FillWord::ArbF0);
        assert_eq!(bench.port.current_fill, FillWord::ArbF0);
        bench.fill(40, FillWord::ArbF0);
        assert_eq!(bench.port.current_fill, FillWord::Idle);
    }
}
