//! Tests of arbitration, fill words and the access window of one port.

use super::*;

#[test]
fn a_monitoring_port_repeats_every_fill_word_in_its_slot() {
    let mut bench = Bench::new(0, |_| {});
    bench.fill(10, arb(LOW));
    bench.fill(20, arb(HIGH));
    bench.fill(30, FillWord::ArbF0);
    bench.fill(40, FillWord::Idle);
    assert_eq!(bench.sent(0, 60), "10 ARB(E1,E1), 20 ARB(01,01), 30 ARB(F0,F0), 40 IDLE");
}

#[test]
fn an_arbitrating_port_replaces_idle_by_its_own_arb() {
    let mut bench = Bench::new(0, |_| {});
    bench.enqueue(5, data(0, X));
    bench.fill(20, FillWord::Idle);
    assert_eq!(bench.sent(0, 40), "5 ARB(10,10)");
    assert_eq!(bench.port.state(), PortState::Arbitrating);
}

#[test]
fn an_arbitrating_port_replaces_lower_priority_and_arb_f0() {
    for word in [arb(LOW), FillWord::ArbF0] {
        let mut bench = Bench::new(0, |_| {});
        bench.fill(5, word);
        bench.enqueue(10, data(0, X));
        bench.fill(20, FillWord::Idle);
        bench.fill(30, word);
        assert_eq!(bench.sent(6, 40), "10 ARB(10,10)");
    }
}

#[test]
fn an_arbitrating_port_passes_higher_priority_and_goes_back_to_its_own_after_it() {
    let mut bench = Bench::new(0, |_| {});
    bench.enqueue(5, data(0, X));
    bench.fill(20, arb(HIGH));
    bench.fill(30, arb(LOW));
    assert_eq!(bench.sent(0, 40), "5 ARB(10,10), 20 ARB(01,01), 30 ARB(10,10)");
}

#[test]
fn two_idles_go_out_before_an_arb() {
    let mut bench = Bench::new(0, |_| {});
    bench.fill(10, arb(LOW));
    bench.fill(20, FillWord::Idle);
    bench.fill(21, arb(LOW));
    bench.fill(30, FillWord::Idle);
    bench.enqueue(30, data(0, X));
    assert_eq!(bench.sent(11, 40), "20 IDLE, 22 ARB(E1,E1), 30 IDLE, 32 ARB(10,10)");
}

#[test]
fn a_fill_word_changes_only_behind_a_frame_that_is_being_repeated() {
    let mut bench = Bench::new(0, |_| {});
    bench.item(10, LinkItem::Frame(command(7, X)));
    bench.enqueue(12, data(0, X));
    assert_eq!(bench.sent(0, 60), "10 frame 7, 26 ARB(10,10)");
}

#[test]
fn opn_goes_out_one_word_after_the_own_arb_came_back_and_arb_f0_behind_it() {
    let mut bench = Bench::new(0, |_| {});
    bench.enqueue(2, data(0, X));
    bench.fill(10, arb(OWN));
    assert_eq!(bench.port.state(), PortState::ArbitrationWon);
    assert_eq!(bench.sent(3, 13), "11 OPN(43,43), 12 ARB(F0,F0)");
    assert_eq!(bench.port.state(), PortState::Open);
    assert!(bench.log.contains(&(10, PortEffect::Owns(true))));
}

#[test]
fn the_owner_sends_idle_when_its_arb_f0_comes_back_and_arb_f0_again_on_another_arb() {
    let mut bench = Bench::owner(0, &[data(0, X)], |_| {});
    bench.fill(30, FillWord::ArbF0);
    bench.fill(60, arb(LOW));
    bench.fill(90, FillWord::ArbF0);
    assert_eq!(bench.sent(20, 120), "31 IDLE, 61 ARB(F0,F0), 91 IDLE");
}

#[test]
fn the_owner_keeps_arb_f0_and_forwards_nothing_while_another_arbitrates() {
    let mut bench = Bench::owner(0, &[data(0, X)], |_| {});
    bench.fill(30, arb(LOW));
    bench.fill(40, arb(HIGH));
    assert_eq!(bench.sent(20, 60), "");
}

#[test]
fn the_owner_sends_two_idles_before_it_goes_back_to_arb_f0() {
    let mut bench = Bench::owner(0, &[data(0, X)], |_| {});
    bench.fill(30, FillWord::ArbF0);
    bench.fill(32, arb(LOW));
    assert_eq!(bench.sent(20, 60), "31 IDLE, 33 ARB(F0,F0)");
}

/// XMIT_2_IDLES: once its ARB(F0) came back the owner must send two IDLEs, whatever comes in before it can send
/// them.
#[test]
fn an_arb_f0_that_comes_back_during_a_frame_opens_a_window_even_if_somebody_arbitrates_before_its_end() {
    let mut bench = Bench::owner(3, &[data(0, X), data(1, X)], |_| {});
    bench.fill(100, FillWord::ArbF0);
    bench.fill(300, arb(LOW));
    assert_eq!(bench.sent(18, 550), "18 frame 0, 539 IDLE, 541 ARB(F0,F0), 545 frame 1");
}

#[test]
fn the_owner_notices_its_arb_f0_every_time_it_comes_back() {
    let mut bench = Bench::owner(3, &[data(0, X), data(1, X)], |_| {});
    bench.fill(100, FillWord::ArbF0);
    bench.fill(300, arb(LOW));
    // The port that arbitrated has been opened or has withdrawn.
    bench.fill(700, FillWord::ArbF0);
    assert!(bench.sent(1066, 1070).contains("IDLE"));
}

/// A port wins with `first`, sends it and gives the loop up at slot 900 while other ports arbitrate; then
/// `second` is handed over.
fn gave_up_the_loop(schedule: ArbitrationSchedule, first: Frame, second: Frame) -> Bench {
    let mut bench = Bench::owner(1, &[first], |c| c.schedule = schedule);
    bench.fill(30, arb(LOW));
    bench.signal(900, PrimitiveSignal::Close);
    bench.to(910);
    assert_eq!(bench.port.state(), PortState::Monitoring);
    bench.enqueue(1000, second);
    bench
}

#[test]
fn a_fair_port_that_won_does_not_arbitrate_again_before_idle() {
    let mut bench = gave_up_the_loop(ArbitrationSchedule::FAIR, data(0, X), data(1, X));
    assert_eq!(bench.sent(950, 1100), "");
    assert!(bench.log.contains(&(1000, PortEffect::Waits(RequestTag(1), QueueWait::AccessWindow))));
    bench.fill(1100, FillWord::Idle);
    assert_eq!(bench.sent(950, 1200), "1100 IDLE, 1102 ARB(10,10)");
}

#[test]
fn an_unfair_port_that_won_arbitrates_again_at_once() {
    let mut bench = gave_up_the_loop(ArbitrationSchedule::UNFAIR, data(0, X), data(1, X));
    assert_eq!(bench.sent(950, 1100), "1000 ARB(10,10)");
}

#[test]
fn a_command_first_port_that_won_arbitrates_again_for_a_command_only() {
    let mut bench = gave_up_the_loop(ArbitrationSchedule::COMMAND_FIRST, data(0, X), data(1, X));
    assert_eq!(bench.sent(950, 1100), "");
    bench.enqueue(1100, command(2, Y));
    assert_eq!(bench.sent(950, 1200), "1100 ARB(10,10)");
}

#[test]
fn a_win_for_a_command_leaves_the_access_of_a_command_first_port_alone() {
    let mut bench = gave_up_the_loop(ArbitrationSchedule::COMMAND_FIRST, command(0, X), data(1, X));
    assert_eq!(bench.sent(950, 1100), "1000 ARB(10,10)");
    assert!(bench.port.has_access_window());
    let bench = gave_up_the_loop(ArbitrationSchedule::COMMAND_FIRST, data(0, X), data(1, X));
    assert!(!bench.port.has_access_window());
}

#[test]
fn idle_that_the_owner_receives_opens_its_own_window() {
    let mut bench = Bench::owner(1, &[data(0, X)], |_| {});
    bench.fill(30, FillWord::ArbF0);
    assert!(!bench.port.has_access_window());
    bench.fill(60, FillWord::Idle);
    assert!(bench.port.has_access_window());
}

#[test]
fn an_own_arb_that_comes_back_to_a_port_that_withdrew_is_replaced_by_idle() {
    let mut bench = Bench::new(0, |_| {});
    bench.fill(5, arb(HIGH));
    bench.fill(10, arb(OWN));
    assert_eq!(bench.sent(5, 30), "5 ARB(01,01), 10 IDLE");
}

#[test]
fn an_own_arb_f0_that_is_left_over_is_replaced_by_idle() {
    let mut bench = Bench::owner(1, &[data(0, X)], |_| {});
    bench.signal(900, PrimitiveSignal::Close);
    // The port's own ARB and the ARB(F0) behind it are still coming in.
    assert_eq!(bench.sent(700, 950), "901 IDLE");
    bench.fill(950, FillWord::ArbF0);
    bench.fill(990, FillWord::Idle);
    // These fill words are the next owner's.
    bench.fill(1000, arb(LOW));
    bench.fill(1050, FillWord::ArbF0);
    assert_eq!(bench.sent(902, 1100), "1000 ARB(E1,E1), 1050 ARB(F0,F0)");
}

#[test]
fn the_arb_f0_of_the_next_owner_passes_the_port_that_gave_up_the_loop_to_it() {
    let mut bench = Bench::owner(1, &[data(0, X)], |_| {});
    // LOW replaces this port's ARB(F0) and wins the loop after it.
    bench.fill(30, arb(LOW));
    bench.signal(900, PrimitiveSignal::Close);
    bench.fill(950, FillWord::ArbF0);
    assert_eq!(bench.sent(700, 1000), "901 ARB(E1,E1), 950 ARB(F0,F0)");
}

#[test]
fn an_opened_port_lets_arbitration_pass_one_word_later() {
    let mut bench = Bench::new(0, |_| {});
    bench.signal(10, opn(OWN, None));
    bench.fill(11, FillWord::ArbF0);
    bench.fill(40, arb(LOW));
    bench.fill(60, FillWord::Idle);
    assert_eq!(bench.sent(0, 80), "12 ARB(F0,F0), 13 R_RDY, 41 ARB(E1,E1), 61 IDLE");
}

/// In an earlier version the fill word passed in the slot in which it came in if the port was served there
/// for something else.
#[test]
fn an_opened_port_lets_arbitration_pass_one_word_later_whatever_else_it_does_in_that_slot() {
    for served in [false, true] {
        let mut bench = Bench::new(1, |c| c.full_duplex = true);
        bench.signal(10, opn(OWN, Some(X)));
        bench.fill(40, arb(LOW));
        if served {
            // The port's own frame is for another port, so that no frame is sent.
            bench.enqueue(40, command(0, Y));
        }
        assert_eq!(bench.sent(30, 60), "41 ARB(E1,E1)");
    }
}

/// The same rule holds for the owner.
#[test]
fn the_owner_answers_its_arb_f0_one_word_later_whatever_else_it_does_in_that_slot() {
    for served in [false, true] {
        let mut bench = Bench::owner(0, &[command(0, X)], |_| {});
        bench.fill(40, FillWord::ArbF0);
        if served {
            bench.enqueue(40, command(1, X));
        }
        assert_eq!(bench.sent(30, 60), "41 IDLE");
    }
}

#[test]
fn a_port_that_is_opened_while_it_arbitrates_asks_again_after_the_circuit() {
    let mut bench = Bench::new(0, |_| {});
    bench.enqueue(2, data(0, X));
    bench.fill(5, arb(HIGH));
    bench.signal(10, opn(OWN, None));
    bench.fill(11, FillWord::ArbF0);
    assert_eq!(bench.sent(6, 40), "12 ARB(F0,F0), 13 R_RDY");
    bench.signal(40, PrimitiveSignal::Close);
    assert_eq!(bench.sent(40, 60), "41 CLS, 42 ARB(10,10)");
    assert_eq!(bench.port.state(), PortState::Arbitrating);
}

#[test]
fn a_port_that_could_send_everything_in_the_circuit_of_another_withdraws_its_request() {
    let mut bench = Bench::new(1, |c| c.full_duplex = true);
    bench.enqueue(2, command(0, X));
    bench.signal(10, opn(OWN, Some(X)));
    bench.fill(11, FillWord::ArbF0);
    bench.signal(100, PrimitiveSignal::Close);
    assert_eq!(bench.sent(13, 200), "13 R_RDY, 17 frame 0, 101 CLS");
    assert_eq!(bench.port.state(), PortState::Monitoring);
}

/// The edge of ARB(F0) passed before the OPN: the owner came by TRANSFER.
#[test]
fn an_arbitrating_port_that_is_opened_through_transfer_lets_arb_f0_pass() {
    let mut bench = Bench::new(0, |_| {});
    bench.enqueue(2, data(0, X));
    bench.fill(10, arb(HIGH));
    bench.fill(20, FillWord::ArbF0);
    bench.signal(50, opn(OWN, None));
    assert_eq!(bench.sent(20, 80), "20 ARB(10,10), 51 ARB(F0,F0), 53 R_RDY");
}
