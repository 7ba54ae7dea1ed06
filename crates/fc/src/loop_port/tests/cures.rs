//! Tests of tenancies with a limited number of frames, of DHD, and of an opened port that closes first.

use super::*;

/// An owner that may send `most` frames in a tenancy has three frames.
fn short_tenancy(most: u64, schedule: ArbitrationSchedule) -> Bench {
    let frames = [command(0, X), command(1, X), command(2, Y)];
    Bench::owner(3, &frames, |c| {
        c.frames_per_tenancy = Some(most);
        c.schedule = schedule;
    })
}

#[test]
fn a_tenancy_of_so_many_frames_ends_with_them_and_keeps_the_others_in_order() {
    let mut bench = short_tenancy(1, ArbitrationSchedule::FAIR);
    assert_eq!(bench.sent(18, 100), "18 frame 0, 40 CLS");
    assert_eq!(bench.port.state(), PortState::TransmittedClose);
    bench.signal(100, PrimitiveSignal::Close);
    bench.to(110);
    assert_eq!(bench.port.queued_frames(), 2);
    assert!(!bench.port.has_access_window(), "a fair port waits for the next access window");
    bench.fill(120, FillWord::Idle);
    bench.fill(130, arb(OWN));
    assert_eq!(bench.sent(131, 132), "131 OPN(43,43)");
    assert!(bench.sent(132, 180).contains("138 frame 1"));
}

#[test]
fn an_unfair_port_does_not_go_on_by_transfer_when_its_tenancy_is_used_up() {
    for (most, state) in [(2, PortState::TransmittedClose), (3, PortState::Transfer)] {
        let mut bench = short_tenancy(most, ArbitrationSchedule::UNFAIR);
        assert!(bench.sent(18, 100).ends_with("CLS"));
        assert_eq!(bench.port.state(), state);
    }
}

#[test]
fn an_opener_with_no_more_to_send_sends_dhd_grants_credit_and_leaves_the_close_to_the_other() {
    let mut bench = Bench::owner(1, &[command(0, X)], |c| c.dynamic_half_duplex = true);
    // The circuit is half duplex, and yet the opener names itself: the port that is to answer must know the
    // address.
    assert_eq!(bench.sent(11, 100), "11 OPN(43,10), 12 ARB(F0,F0), 18 frame 0, 36 DHD, 39 R_RDY");
    bench.enqueue(100, command(1, X));
    assert_eq!(bench.sent(100, 200), "");
    assert_eq!(bench.port.state(), PortState::Open);
    bench.signal(200, PrimitiveSignal::Close);
    assert_eq!(bench.sent(200, 220), "201 CLS, 202 IDLE");
    assert!(!bench.port.is_owner());
}

#[test]
fn a_half_duplex_port_sends_to_its_opener_after_dhd_and_closes_first() {
    let mut bench = Bench::new(1, |c| c.dynamic_half_duplex = true);
    bench.enqueue(5, command(0, X));
    bench.fill(7, arb(HIGH));
    bench.signal(10, opn(OWN, Some(X)));
    bench.signal(60, PrimitiveSignal::DynamicHalfDuplex);
    bench.signal(150, PrimitiveSignal::Close);
    assert_eq!(bench.sent(11, 140), "13 R_RDY, 61 frame 0, 83 CLS");
    bench.to(152);
    assert_eq!(bench.port.state(), PortState::Monitoring);
}

#[test]
fn without_its_support_dhd_means_nothing() {
    let mut bench = Bench::new(1, |_| {});
    bench.enqueue(5, command(0, X));
    bench.signal(10, opn(OWN, None));
    bench.signal(60, PrimitiveSignal::DynamicHalfDuplex);
    assert_eq!(bench.sent(14, 140), "");
    assert_eq!(bench.port.state(), PortState::Opened);
}

/// The port is opened by X and has two buffers, of which `login` are promised; a command for Y comes at slot
/// 30.
fn opened_with_a_command(login: u32, may: bool) -> Bench {
    let mut bench = Bench::new(0, |c| {
        c.schedule =
            ArbitrationSchedule { command_first_closes_opened: may, ..ArbitrationSchedule::COMMAND_FIRST };
        c.incoming_buffers = 2;
        c.login_credit = login;
    });
    bench.signal(10, opn(OWN, None));
    bench.enqueue(14, command(1, Y));
    bench
}

#[test]
fn a_pre_emptive_command_leaves_a_port_that_is_opened_after_one_frame() {
    let mut bench = opened_with_a_command(0, true);
    assert_eq!(bench.sent(11, 40), "13 R_RDY");
    bench.item(40, LinkItem::Frame(frame(PduKind::Command, 9, OWN, 28)));
    assert_eq!(bench.sent(14, 80), "56 CLS");
    bench.signal(90, PrimitiveSignal::Close);
    bench.to(95);
    assert_eq!(bench.port.state(), PortState::Arbitrating);
    let mut bench = opened_with_a_command(0, false);
    bench.item(40, LinkItem::Frame(frame(PduKind::Command, 9, OWN, 28)));
    assert_eq!(bench.sent(17, 80), "");
}

/// Figure 4.8 b and c: with a promised buffer the CLS waits until that buffer stays free whatever still comes.
#[test]
fn an_opened_port_that_closes_first_keeps_the_buffers_of_its_login_credit() {
    let mut bench = opened_with_a_command(2, true);
    bench.item(40, LinkItem::Frame(frame(PduKind::Command, 9, OWN, 28)));
    assert_eq!(bench.sent(17, 100), "", "one more may come on the login credit");
    bench.item(100, LinkItem::Frame(frame(PduKind::Command, 9, OWN, 28)));
    bench.freed(130);
    assert_eq!(bench.sent(17, 200), "", "one of the two promised buffers is full");
    bench.freed(200);
    assert_eq!(bench.sent(17, 220), "200 CLS");
}

#[test]
fn a_port_that_is_opened_without_a_buffer_closes_at_once_if_its_key_says_so() {
    for (at_once, sent) in [(true, "107 CLS"), (false, "150 R_RDY")] {
        let mut bench = Bench::new(0, |c| c.close_without_buffer = at_once);
        bench.signal(10, opn(OWN, None));
        bench.item(40, LinkItem::Frame(command(0, OWN)));
        bench.signal(70, PrimitiveSignal::Close);
        assert_eq!(bench.sent(0, 100), "13 R_RDY, 71 CLS");
        // OPN comes in slot 100, the port acts from 101 on, and CLS has six fill words before it. Without the key the circuit waits
        // until the node has emptied the only buffer.
        bench.signal(100, opn(OWN, None));
        bench.freed(150);
        assert_eq!(bench.sent(100, 200), sent);
    }
}

#[test]
fn a_port_whose_buffer_is_free_before_its_cls_goes_on() {
    let mut bench = Bench::new(0, |c| c.close_without_buffer = true);
    bench.signal(10, opn(OWN, None));
    bench.item(40, LinkItem::Frame(command(0, OWN)));
    bench.signal(70, PrimitiveSignal::Close);
    bench.signal(100, opn(OWN, None));
    bench.freed(104);
    assert_eq!(bench.sent(100, 200), "104 R_RDY");
}
