use super::*;

const SEGMENT: u64 = 1_000;

fn window(control: CongestionControl) -> CongestionWindow {
    CongestionWindow::new(control, SEGMENT, 10).expect("a window")
}

/// An acknowledgement of some bytes while the whole window is in flight.
fn ack(of: &CongestionWindow, bytes: u64, upto: u64, echo: bool) -> NewAcknowledgement {
    NewAcknowledgement {
        now: Time::ZERO,
        bytes,
        in_flight: of.bytes(),
        upto,
        sent_upto: upto + of.bytes(),
        round_trip: Span::ZERO,
        echo,
    }
}

#[test]
fn slow_start_doubles_the_window_in_a_round_trip_and_avoidance_adds_a_segment() {
    let mut reno = window(CongestionControl::Reno);
    for _ in 0..10 {
        reno.bytes_acknowledged(&ack(&reno, SEGMENT, 0, false));
    }
    assert_eq!(reno.bytes(), 20 * SEGMENT);
    reno.fast_recovery_begins(22 * SEGMENT, 0);
    assert_eq!((reno.slow_start_threshold(), reno.bytes()), (10 * SEGMENT, 10 * SEGMENT));
    reno.fast_recovery_ends();
    for round in 1..4 {
        let segments = reno.bytes() / SEGMENT;
        (0..segments).for_each(|_| {
            reno.bytes_acknowledged(&ack(&reno, SEGMENT, 0, false));
        });
        assert_eq!(reno.bytes(), (10 + round) * SEGMENT);
    }
}

#[test]
fn a_time_out_leaves_one_segment_and_a_second_one_leaves_the_threshold() {
    let mut reno = window(CongestionControl::Reno);
    reno.timed_out(10 * SEGMENT, 0, true);
    reno.timed_out(SEGMENT, 0, false);
    assert_eq!((reno.bytes(), reno.slow_start_threshold()), (SEGMENT, 5 * SEGMENT));
    for _ in 0..4 {
        reno.bytes_acknowledged(&ack(&reno, SEGMENT, 0, false));
    }
    assert_eq!(reno.bytes(), 5 * SEGMENT, "slow start ends at the threshold");
}

#[test]
fn a_window_that_did_not_limit_the_sender_does_not_grow() {
    let mut reno = window(CongestionControl::Reno);
    let few = NewAcknowledgement { in_flight: 5 * SEGMENT, ..ack(&reno, 5 * SEGMENT, 0, false) };
    reno.bytes_acknowledged(&few);
    assert_eq!(reno.bytes(), 10 * SEGMENT);
    reno.window = 30 * SEGMENT;
    reno.was_idle();
    assert_eq!(reno.bytes(), 10 * SEGMENT);
}

#[test]
fn a_mark_halves_the_window_of_reno_once_for_a_window_of_bytes() {
    let mut reno = window(CongestionControl::Reno);
    assert!(reno.bytes_acknowledged(&ack(&reno, SEGMENT, SEGMENT, true)));
    assert_eq!(reno.bytes(), 5 * SEGMENT);
    assert!(!reno.bytes_acknowledged(&ack(&reno, SEGMENT, 5 * SEGMENT, true)), "the same window");
    assert_eq!(reno.bytes(), 5 * SEGMENT);
    assert!(reno.bytes_acknowledged(&ack(&reno, SEGMENT, 12 * SEGMENT, true)));
    assert_eq!(reno.bytes(), 5 * SEGMENT / 2);
}

/// With the same share F of marked bytes in every window alpha converges to F, and each window shrinks by F / 2.
#[test]
fn the_window_of_dctcp_shrinks_by_half_of_the_share_of_marked_bytes() {
    let mut dctcp = window(CongestionControl::Dctcp);
    dctcp.window = 200 * SEGMENT;
    dctcp.fast_recovery_begins(200 * SEGMENT, 0);
    dctcp.fast_recovery_ends();
    let mut upto = 0;
    for round in 0..200 {
        dctcp.window = 100 * SEGMENT;
        for number in 0..100 {
            let before = dctcp.bytes();
            upto += SEGMENT;
            // A quarter of the segments of each window is marked.
            let mut ack = ack(&dctcp, SEGMENT, upto, number % 4 == 0);
            ack.sent_upto = upto + 100 * SEGMENT;
            if dctcp.bytes_acknowledged(&ack) && round == 199 {
                let left = dctcp.bytes() as f64 / before as f64;
                assert!((left - 0.875).abs() < 0.002, "{left}");
            }
        }
    }
}
