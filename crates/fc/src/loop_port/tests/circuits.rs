//! Tests of the circuits of one port: opening, credit, gaps, closing, TRANSFER and Command-First.

use super::*;

#[test]
fn an_opn_for_another_port_is_repeated() {
    let mut bench = Bench::new(0, |_| {});
    bench.signal(10, opn(X, Some(Y)));
    assert_eq!(bench.sent(0, 30), "10 OPN(43,45)");
    assert_eq!(bench.port.state(), PortState::Monitoring);
}

#[test]
fn a_port_opened_in_half_duplex_gives_credit_and_sends_no_frame() {
    let mut bench = Bench::new(1, |c| c.full_duplex = true);
    bench.enqueue(5, data(0, X));
    bench.fill(7, arb(HIGH));
    bench.signal(10, opn(OWN, None));
    bench.signal(12, PrimitiveSignal::ReceiverReady);
    assert_eq!(bench.sent(8, 40), "13 R_RDY");
    assert_eq!(bench.port.state(), PortState::Opened);
}

#[test]
fn a_port_opened_in_full_duplex_sends_to_its_opener_only() {
    for (destination, sent) in [(X, "13 R_RDY, 17 frame 0"), (Y, "13 R_RDY")] {
        let mut bench = Bench::new(1, |c| c.full_duplex = true);
        bench.enqueue(5, command(0, destination));
        bench.fill(7, arb(HIGH));
        bench.signal(10, opn(OWN, Some(X)));
        assert_eq!(bench.sent(8, 60), sent);
    }
}

#[test]
fn opn_names_its_source_in_full_duplex_only() {
    for (full_duplex, sent) in [(true, "11 OPN(43,10)"), (false, "11 OPN(43,43)")] {
        let mut bench = Bench::owner(0, &[data(0, X)], |c| c.full_duplex = full_duplex);
        assert_eq!(bench.sent(10, 12), sent);
    }
}

#[test]
fn two_fill_words_stand_before_every_r_rdy() {
    let mut bench = Bench::new(0, |c| c.incoming_buffers = 3);
    bench.signal(10, opn(OWN, None));
    assert_eq!(bench.sent(0, 60), "13 R_RDY, 16 R_RDY, 19 R_RDY");
}

#[test]
fn an_r_rdy_goes_out_for_every_buffer_that_becomes_free() {
    let mut bench = Bench::new(0, |_| {});
    bench.signal(10, opn(OWN, None));
    bench.item(40, LinkItem::Frame(command(0, OWN)));
    assert_eq!(bench.sent(0, 80), "13 R_RDY");
    assert!(bench.log.contains(&(56, PortEffect::Received(command(0, OWN)))));
    bench.freed(80);
    assert_eq!(bench.sent(14, 100), "80 R_RDY");
}

#[test]
fn the_owner_waits_for_credit() {
    let mut bench = Bench::owner(0, &[command(0, X), command(1, X)], |_| {});
    assert_eq!(bench.sent(12, 100), "12 ARB(F0,F0)");
    bench.signal(100, PrimitiveSignal::ReceiverReady);
    assert_eq!(bench.sent(20, 200), "101 frame 0");
    assert!(bench.log.contains(&(117, PortEffect::Waits(RequestTag(1), QueueWait::Credit))));
    bench.signal(200, PrimitiveSignal::ReceiverReady);
    assert_eq!(bench.sent(200, 216), "201 frame 1");
}

#[test]
fn a_frame_goes_out_the_frame_reaction_time_after_the_r_rdy_it_waited_for() {
    let mut bench = Bench::owner(0, &[command(0, X)], |c| {
        c.frame_reaction = Delay { span: WORD * 5, in_words: true };
    });
    bench.signal(100, PrimitiveSignal::ReceiverReady);
    assert_eq!(bench.sent(20, 110), "105 frame 0");
}

/// W-A17: SOF comes six words behind OPN, here with two R_RDYs between.
#[test]
fn login_credit_lets_the_first_frame_go_six_words_after_opn() {
    let mut bench = Bench::owner(1, &[data(0, X)], |c| {
        c.full_duplex = true;
        c.incoming_buffers = 2;
    });
    assert_eq!(bench.sent(11, 30), "11 OPN(43,10), 12 ARB(F0,F0), 14 R_RDY, 17 R_RDY, 18 frame 0");
}

#[test]
fn r_rdys_for_login_credit_are_worth_no_frame() {
    let frames = [command(0, X), command(1, X), command(2, X)];
    let mut bench = Bench::owner(1, &frames, |_| {});
    bench.signal(40, PrimitiveSignal::ReceiverReady);
    bench.signal(90, PrimitiveSignal::ReceiverReady);
    assert_eq!(bench.sent(18, 150), "18 frame 0, 91 frame 1");
}

/// Figure 5.3, W-A15 and W-A16: 527 words of 38 ns lie from frame to frame, with two IDLEs before each R_RDY.
#[test]
fn six_words_lie_between_frames_and_r_rdys_among_them_do_not_lengthen_the_gap() {
    let frames = [data(0, X), data(1, X), data(2, X)];
    let mut bench = Bench::owner(3, &frames, |c| {
        c.full_duplex = true;
        c.incoming_buffers = 6;
    });
    let sent = bench.sent(18, 1080);
    assert_eq!(sent, "18 frame 0, 541 R_RDY, 544 R_RDY, 545 frame 1, 1068 R_RDY, 1071 R_RDY, 1072 frame 2");
    assert_eq!(WORD * (545 - 18), Span::from_ns(20_026));
    // The trace counts the last word of a frame, EOF, by itself.
    assert_eq!(WORD * (data(0, X).length_in_words() - 1), Span::from_ns(19_760));
}

/// The test checks the number W-A18 of Wang's thesis.
#[test]
fn a_command_for_the_same_port_follows_six_words_behind_the_data() {
    let mut bench = Bench::owner(3, &[data(0, X), command(1, X), command(2, X)], |_| {});
    assert_eq!(bench.sent(18, 583), "18 frame 0, 545 frame 1, 567 frame 2");
}

#[test]
fn cls_has_six_fill_words_before_it_after_a_frame_and_after_an_r_rdy() {
    let mut bench = Bench::owner(1, &[data(0, X)], |_| {});
    assert_eq!(bench.sent(18, 600), "18 frame 0, 545 CLS");
    assert_eq!(bench.port.state(), PortState::TransmittedClose);
    let mut bench = Bench::new(0, |c| c.incoming_buffers = 5);
    bench.signal(10, opn(OWN, None));
    bench.signal(25, PrimitiveSignal::Close);
    assert_eq!(bench.sent(14, 60), "16 R_RDY, 19 R_RDY, 22 R_RDY, 29 CLS");
}

/// The peer may not send frames in a half-duplex circuit that this port opened.
#[test]
fn the_opener_of_a_half_duplex_circuit_sends_no_r_rdy() {
    let mut bench = Bench::owner(1, &[data(0, X), data(1, X)], |c| c.incoming_buffers = 128);
    bench.signal(300, PrimitiveSignal::ReceiverReady);
    bench.signal(310, PrimitiveSignal::ReceiverReady);
    assert_eq!(bench.sent(12, 1100), "12 ARB(F0,F0), 18 frame 0, 545 frame 1, 1072 CLS");
}

#[test]
fn no_r_rdy_is_sent_after_cls_came() {
    for buffers in [4, 128] {
        let mut bench = Bench::new(0, |c| c.incoming_buffers = buffers);
        bench.signal(10, opn(OWN, None));
        bench.signal(24, PrimitiveSignal::Close);
        assert_eq!(bench.sent(0, 600), "13 R_RDY, 16 R_RDY, 19 R_RDY, 22 R_RDY, 29 CLS", "{buffers} buffers");
    }
}

/// Law: the number of words that a port sends between its last frame and its CLS does not grow with its
/// buffers or with credit.
#[test]
fn cls_follows_the_last_frame_by_six_words_whatever_buffers_are_free() {
    for buffers in [1, 3, 128, 1024] {
        for (full_duplex, login_credit, their_login) in [(false, 0, 1), (true, 0, 1), (true, 1, 9)] {
            let mut bench = Bench::owner(their_login, &[data(0, X)], |c| {
                c.incoming_buffers = buffers;
                c.login_credit = login_credit;
                c.full_duplex = full_duplex;
            });
            let sent = bench.sent(18, 5000);
            assert!(sent.ends_with("18 frame 0, 545 CLS"), "{buffers} buffers: {sent}");
            let mut bench = Bench::new(their_login, |c| {
                c.incoming_buffers = buffers;
                c.login_credit = login_credit;
                c.full_duplex = true;
            });
            bench.enqueue(5, data(0, X));
            bench.signal(10, opn(OWN, Some(X)));
            bench.fill(11, FillWord::ArbF0);
            bench.signal(100, PrimitiveSignal::Close);
            let sent = bench.sent(14, 5000);
            assert!(sent.ends_with("17 frame 0, 544 CLS"), "{buffers} buffers: {sent}");
        }
    }
}

#[test]
fn the_owner_releases_the_loop_one_word_after_the_other_cls() {
    let mut bench = Bench::owner(1, &[data(0, X)], |_| {});
    bench.fill(600, FillWord::ArbF0);
    bench.fill(620, arb(LOW));
    bench.signal(700, PrimitiveSignal::Close);
    assert_eq!(bench.sent(600, 800), "601 IDLE, 621 ARB(F0,F0), 701 ARB(E1,E1)");
    assert!(bench.log.contains(&(701, PortEffect::Owns(false))));
    assert_eq!(bench.port.state(), PortState::Monitoring);
}

#[test]
fn received_close_finishes_within_its_credit_and_then_closes() {
    let mut bench = Bench::new(2, |c| c.full_duplex = true);
    for number in 0..3 {
        bench.enqueue(5, command(number, X));
    }
    bench.signal(10, opn(OWN, Some(X)));
    bench.fill(11, FillWord::ArbF0);
    bench.signal(25, PrimitiveSignal::Close);
    assert_eq!(bench.sent(13, 61), "13 R_RDY, 17 frame 0, 39 frame 1");
    assert_eq!(bench.port.state(), PortState::ReceivedClose);
    // The third frame has no credit and waits for a circuit of its own.
    assert_eq!(bench.sent(61, 100), "61 CLS, 62 ARB(10,10)");
    assert_eq!(bench.port.queued_frames(), 1);
}

/// A full duplex owner with one buffer, which is promised at login, receives a frame in its circuit.
fn owner_with_a_full_buffer(schedule: ArbitrationSchedule, frames: &[Frame]) -> Bench {
    let mut bench = Bench::owner(1, frames, |c| {
        c.schedule = schedule;
        c.full_duplex = true;
        c.login_credit = 1;
    });
    bench.item(20, LinkItem::Frame(command(9, OWN)));
    bench.signal(100, PrimitiveSignal::Close);
    bench
}

/// The test shows the case of figure 4.8 a.
#[test]
fn transmitted_close_waits_until_login_credit_buffers_are_free() {
    let mut bench = owner_with_a_full_buffer(ArbitrationSchedule::FAIR, &[command(0, X)]);
    assert_eq!(bench.sent(18, 200), "18 frame 0, 40 CLS");
    assert_eq!(bench.port.state(), PortState::TransmittedClose);
    bench.freed(200);
    bench.to(201);
    assert_eq!(bench.port.state(), PortState::Monitoring);
}

/// The test shows the case of figure 4.8 b.
#[test]
fn received_close_waits_for_login_credit_buffers_before_its_cls() {
    let mut bench = Bench::new(0, |c| c.login_credit = 1);
    bench.signal(10, opn(OWN, None));
    bench.item(20, LinkItem::Frame(command(9, OWN)));
    bench.signal(60, PrimitiveSignal::Close);
    assert_eq!(bench.sent(14, 200), "");
    assert_eq!(bench.port.state(), PortState::ReceivedClose);
    bench.freed(200);
    assert_eq!(bench.sent(14, 220), "200 CLS");
    assert_eq!(bench.port.state(), PortState::Monitoring);
}

/// The test shows the case of figure 4.8 c.
#[test]
fn transfer_waits_until_login_credit_buffers_are_free() {
    let mut bench = owner_with_a_full_buffer(ArbitrationSchedule::UNFAIR, &[command(0, X), command(1, Y)]);
    assert_eq!(bench.sent(18, 200), "18 frame 0, 40 CLS");
    assert_eq!(bench.port.state(), PortState::Transfer);
    bench.freed(200);
    assert_eq!(bench.sent(200, 202), "200 OPN(45,10)");
}

#[test]
fn without_login_credit_a_full_buffer_delays_no_close() {
    let mut bench = Bench::new(0, |_| {});
    bench.signal(10, opn(OWN, None));
    bench.item(20, LinkItem::Frame(command(9, OWN)));
    bench.signal(60, PrimitiveSignal::Close);
    assert_eq!(bench.sent(14, 100), "61 CLS");
}

#[test]
fn close_after_frames_answers_cls_when_the_frames_of_the_circuit_are_processed() {
    for buffers in [1, 128] {
        let mut bench = Bench::new(0, |c| {
            c.close_after_frames = true;
            c.incoming_buffers = buffers;
        });
        bench.signal(10, opn(OWN, None));
        bench.item(20, LinkItem::Frame(command(9, OWN)));
        bench.signal(60, PrimitiveSignal::Close);
        assert_eq!(bench.sent(60, 100), "");
        bench.freed(100);
        // As in figure 5.2, an R_RDY, six fill words and a CLS are sent.
        assert_eq!(bench.sent(60, 120), "100 R_RDY, 107 CLS", "{buffers} buffers");
    }
}

#[test]
fn close_after_frames_waits_for_the_frames_of_this_circuit_behind_those_of_an_earlier_one() {
    let mut bench = Bench::new(0, |c| {
        c.close_after_frames = true;
        c.incoming_buffers = 2;
        c.full_duplex = true;
    });
    bench.enqueue(2, command(0, X));
    bench.fill(10, arb(OWN));
    // An owner does not wait for its frames before it gives the loop up.
    bench.signal(30, PrimitiveSignal::ReceiverReady);
    bench.item(40, LinkItem::Frame(command(8, OWN)));
    bench.signal(70, PrimitiveSignal::Close);
    bench.signal(90, opn(OWN, None));
    bench.item(110, LinkItem::Frame(command(9, OWN)));
    bench.signal(150, PrimitiveSignal::Close);
    bench.freed(200);
    assert_eq!(bench.sent(150, 300), "");
    bench.freed(300);
    assert_eq!(bench.sent(150, 400), "300 R_RDY, 307 CLS");
}

#[test]
fn transfer_opens_the_next_port_without_arbitration() {
    let mut bench =
        Bench::owner(1, &[command(0, X), command(1, Y)], |c| c.schedule = ArbitrationSchedule::UNFAIR);
    assert_eq!(bench.sent(18, 100), "18 frame 0, 40 CLS");
    assert_eq!(bench.port.state(), PortState::Transfer);
    bench.signal(100, PrimitiveSignal::Close);
    assert_eq!(bench.sent(41, 140), "101 OPN(45,45), 108 frame 1, 130 CLS");
    // The port has nothing more to send, so this time it gives the loop up.
    assert_eq!(bench.port.state(), PortState::TransmittedClose);
}

#[test]
fn a_fair_port_gives_the_loop_up_between_two_destinations() {
    let mut bench = Bench::owner(1, &[command(0, X), command(1, Y)], |_| {});
    bench.fill(30, arb(LOW));
    bench.signal(100, PrimitiveSignal::Close);
    assert_eq!(bench.sent(18, 200), "18 frame 0, 40 CLS, 101 ARB(E1,E1)");
    assert_eq!(bench.port.state(), PortState::Monitoring);
}

#[test]
fn a_command_interrupts_data_and_the_port_returns_to_the_data_without_arbitration() {
    let frames = [data(0, X), data(1, X), data(2, X)];
    let mut bench = Bench::owner(3, &frames, |c| c.schedule = ArbitrationSchedule::COMMAND_FIRST);
    bench.enqueue(30, command(3, Y));
    assert_eq!(bench.sent(18, 600), "18 frame 0, 545 CLS");
    assert_eq!(bench.port.state(), PortState::Transfer);
    bench.signal(600, PrimitiveSignal::Close);
    assert_eq!(bench.sent(600, 700), "601 OPN(45,45), 608 frame 3, 630 CLS");
    assert_eq!(bench.port.state(), PortState::Transfer);
    bench.signal(700, PrimitiveSignal::Close);
    let back = "701 OPN(43,43), 708 frame 1, 1235 frame 2, 1762 CLS";
    assert_eq!(bench.sent(700, 1800), back);
    assert_eq!(bench.port.state(), PortState::TransmittedClose);
}

#[test]
fn several_commands_interrupt_one_run_of_data() {
    let mut bench =
        Bench::owner(3, &[data(0, X), data(1, X)], |c| c.schedule = ArbitrationSchedule::COMMAND_FIRST);
    bench.enqueue(30, command(2, Y));
    bench.enqueue(31, command(3, LOW));
    for slot in [600, 700, 800] {
        bench.signal(slot, PrimitiveSignal::Close);
    }
    let opened = bench.sent(546, 810);
    for part in ["601 OPN(45,45)", "701 OPN(E1,E1)", "801 OPN(43,43)"] {
        assert!(opened.contains(part), "{opened}");
    }
}

#[test]
fn without_preemption_a_command_for_another_port_waits_for_the_end_of_the_data() {
    let schedule =
        ArbitrationSchedule { command_first_preemption: false.into(), ..ArbitrationSchedule::COMMAND_FIRST };
    let mut bench = Bench::owner(3, &[data(0, X), data(1, X)], |c| c.schedule = schedule);
    bench.enqueue(30, command(2, Y));
    assert_eq!(bench.sent(18, 1100), "18 frame 0, 545 frame 1, 1072 CLS");
    bench.fill(1100, arb(LOW));
    bench.signal(1150, PrimitiveSignal::Close);
    // Second level of Command-First: the port arbitrates for the command at once.
    assert_eq!(bench.sent(1110, 1200), "1151 ARB(10,10)");
}

#[test]
fn commands_leave_before_data_only_with_a_command_queue() {
    for (command_first_queue, sent) in
        [(false, "18 frame 0, 545 frame 1, 1072 frame 2"), (true, "18 frame 2, 40 frame 0, 567 frame 1")]
    {
        let schedule = ArbitrationSchedule {
            command_first_queue: command_first_queue.into(),
            ..ArbitrationSchedule::FAIR
        };
        let frames = [data(0, X), data(1, X), command(2, X)];
        let mut bench = Bench::owner(3, &frames, |c| c.schedule = schedule);
        assert_eq!(bench.sent(18, 1080), sent);
    }
}

#[test]
fn commands_keep_their_order_in_the_command_queue() {
    let schedule = ArbitrationSchedule { command_first_queue: true.into(), ..ArbitrationSchedule::FAIR };
    let frames = [data(0, X), command(1, X), command(2, X)];
    let mut bench = Bench::owner(3, &frames, |c| c.schedule = schedule);
    assert_eq!(bench.sent(18, 70), "18 frame 1, 40 frame 2, 62 frame 0");
}

#[test]
fn a_port_shows_credit_in_a_circuit_in_which_it_may_send_and_in_no_other() {
    let credit = |bench: &Bench| bench.port.credit(bench.time());
    let ready = |bench: &mut Bench| {
        for slot in [20, 30] {
            bench.signal(slot, PrimitiveSignal::ReceiverReady);
        }
        bench.to(40);
    };
    // A port that is opened in half duplex may not send frames, whatever the other port announces.
    let mut bench = Bench::new(0, |_| {});
    bench.signal(10, opn(OWN, None));
    ready(&mut bench);
    assert_eq!((bench.port.state(), credit(&bench)), (PortState::Opened, 0));
    let mut bench = Bench::new(0, |setup| setup.full_duplex = true);
    bench.signal(10, opn(OWN, Some(X)));
    ready(&mut bench);
    assert_eq!((bench.port.state(), credit(&bench)), (PortState::Opened, 2));
    bench.signal(45, PrimitiveSignal::Close);
    bench.to(60);
    assert_eq!((bench.port.state(), credit(&bench)), (PortState::Monitoring, 0));
}

#[test]
fn only_a_node_that_waits_for_it_is_told_that_a_circuit_is_over() {
    for tells_ends in [true, false] {
        let mut bench = Bench::owner(1, &[data(0, X)], |c| c.link.tells_ends = tells_ends);
        bench.signal(700, PrimitiveSignal::Close);
        bench.to(720);
        assert_eq!(bench.port.state(), PortState::Monitoring);
        let is_end = |(_, effect): &(u64, PortEffect)| matches!(effect, PortEffect::CircuitEnded);
        assert_eq!(bench.log.iter().any(is_end), tells_ends);
    }
}
