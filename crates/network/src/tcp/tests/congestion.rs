//! Laws of congestion control on a network.

use super::*;

const BYTES_PER_S: u64 = 125_000_000;

/// Runs a network until nothing more happens, or until a time. Returns when the last message came, the bytes of all messages, and the time of
/// the last event.
fn run_until(bench: &mut ComponentBench<TcpNetwork>, until: Time) -> (Time, u64, Time) {
    let (mut last, mut bytes, mut now) = (Time::ZERO, 0, Time::ZERO);
    while let Some(at) = bench.next_timer_time().filter(|&at| at <= until) {
        now = at;
        for (_, message) in bench.handle_due_timer(at).sent {
            if let Message::Received(frame) = message {
                (last, bytes) = (at, bytes + u64::from(frame.payload_bytes));
            }
        }
    }
    (last, bytes, now)
}

fn bytes_from(bench: &ComponentBench<TcpNetwork>, from: u16) -> u64 {
    let of = bench.component.tcp().connections.all.iter().filter(|one_way| one_way.from == from);
    of.map(|one_way| one_way.stream.received).sum()
}

/// The rate of one long connection of Reno in segments for each round trip, with random losses.
fn segments_a_round(loss: f64) -> f64 {
    let keys = format!(
        "rate = \"100 GB/s\"\nframe_loss = {loss}\ncongestion_control = \"reno\"\nwindow = \"64 MiB\"\nack_every = 1\nlatency = \"5 ms\"\n\
         time_out = \"50 ms\"\nleast_time_out = \"50 ms\""
    );
    let mut bench = network(1, &keys);
    hand_over(&mut bench, instant_at_us(0), 1, 0, 480 << 20);
    // The first losses find the window of slow start.
    let begin = instant_at_us(1_000_000);
    run_until(&mut bench, begin);
    let (last, bytes, _) = run_until(&mut bench, Time::NEVER);
    bytes as f64 / 1_460.0 / ((last - begin).as_s_f64() / 0.010)
}

/// With losses of probability p the window of Reno is C / sqrt(p) segments on average: C is sqrt(3/2) = 1.22 where losses come at equal
/// distances (Mathis et al. 1997), and 1.31 where they come at random (Ott et al. 1996), less what time-outs cost.
#[test]
fn the_rate_of_reno_falls_with_the_square_root_of_the_losses() {
    let rates = [0.001, 0.004].map(|loss| (loss, segments_a_round(loss)));
    for (loss, rate) in rates {
        let constant = rate * f64::sqrt(loss);
        assert!((1.1..1.4).contains(&constant), "{constant} with losses of {loss}");
    }
    for pair in rates.windows(2) {
        let ratio = pair[0].1 / pair[1].1;
        assert!((1.75..2.35).contains(&ratio), "{ratio} for a quarter of the losses");
    }
}

/// Nodes 1 to n send to node 0, all from the beginning; the shares of each that have arrived after a time.
fn shares(senders: usize, keys: &str, ms: u64) -> (Vec<f64>, ComponentBench<TcpNetwork>) {
    let mut bench = network(
        senders,
        &format!("window = \"16 MiB\"\ndelayed_ack = \"1 ms\"\nlatency = \"50 us\"\n{keys}"),
    );
    for from in 1..=senders {
        run_until(&mut bench, instant_at_us(7 * from as u64));
        hand_over(&mut bench, instant_at_us(7 * from as u64), from, 0, 64 << 20);
    }
    run_until(&mut bench, instant_at_us(1_000 * ms));
    let all = BYTES_PER_S as f64 * ms as f64 / 1e3;
    ((1..=senders).map(|from| bytes_from(&bench, from as u16) as f64 / all).collect(), bench)
}

/// Jain's index of fairness: 1 if all shares are equal, 1/n if one has all.
fn fairness(shares: &[f64]) -> f64 {
    let sum: f64 = shares.iter().sum();
    sum * sum / (shares.len() as f64 * shares.iter().map(|share| share * share).sum::<f64>())
}

/// The losses are random, or there are none: a buffer that overflows drops the frames of the same connections again and again while frames
/// come from links of one rate in step (the phase effects of Floyd and Jacobson 1991).
#[test]
fn connections_that_share_a_link_have_equal_shares_and_use_all_of_it() {
    let losses = "frame_loss = 0.004\ntime_out = \"50 ms\"\nleast_time_out = \"10 ms\"";
    let marks = "mark_above = \"30 KiB\"";
    for (control, rest) in [("reno", losses), ("cubic", losses), ("dctcp", marks), ("reno", marks)] {
        let (shares, bench) = shares(4, &format!("congestion_control = \"{control}\"\n{rest}"), 1_500);
        assert!(fairness(&shares) > 0.95, "{control}: {shares:?}");
        let sum: f64 = shares.iter().sum();
        assert!((0.9..0.95).contains(&sum), "{control} uses {sum}, and at most 1460 of 1538 bytes are data");
        assert_eq!(count(&bench, meter::MARKED) > 0, rest == marks);
    }
}

/// RFC 8257: DCTCP keeps the queue near the threshold, so nothing is lost, and the link stays busy.
#[test]
fn dctcp_keeps_the_queue_near_the_threshold_and_loses_nothing() {
    let keys = "congestion_control = \"dctcp\"\nbuffer = \"256 KiB\"\nmark_above = \"30 KiB\"";
    let mut bench =
        network(2, &format!("window = \"16 MiB\"\ndelayed_ack = \"1 ms\"\nlatency = \"50 us\"\n{keys}"));
    for from in 1..=2 {
        run_until(&mut bench, instant_at_us(9 * from as u64));
        hand_over(&mut bench, instant_at_us(9 * from as u64), from, 0, 32 << 20);
    }
    run_until(&mut bench, instant_at_us(50_000));
    let before: u64 = (1..=2).map(|from| bytes_from(&bench, from)).sum();
    let (mut sum, mut most, mut samples) = (0, 0, 0);
    for at in (50_000..150_000).step_by(37) {
        run_until(&mut bench, instant_at_us(at));
        let waiting = bench.component.gauge(instant_at_us(at), gauge::SWITCH_BUFFER, 0);
        (sum, most, samples) = (sum + u64::from(waiting), most.max(waiting), samples + 1);
    }
    let mean = sum / samples;
    assert!((15_000..40_000).contains(&mean) && most < 60_000, "{mean}, at most {most}");
    assert_eq!((count(&bench, meter::DROPPED), count(&bench, meter::AGAIN)), (0, 0));
    let after: u64 = (1..=2).map(|from| bytes_from(&bench, from)).sum();
    let used = (after - before) as f64 / (BYTES_PER_S as f64 * 0.1);
    assert!((0.93..0.95).contains(&used), "{used}");
}

/// The bytes a second of a receiver that asks several servers for a block each, all at once, and again when all have come.
fn incast(senders: usize, keys: &str) -> f64 {
    let mut bench = network(
        senders,
        &format!(
            "window = \"16 KiB\"\ndelayed_ack = \"500 us\"\nlatency = \"20 us\"\nbuffer = \"64 KiB\"\n{keys}"
        ),
    );
    let block = 64 << 10;
    let (mut now, mut took) = (instant_at_us(0), Span::ZERO);
    for _ in 0..8 {
        for from in 1..=senders {
            hand_over(&mut bench, now, from, 0, block);
        }
        let (last, _, end) = run_until(&mut bench, Time::NEVER);
        took += last - now;
        now = end;
    }
    8.0 * senders as f64 * f64::from(block) / took.as_s_f64()
}

/// Phanishayee et al. 2008: the goodput of synchronised reads collapses when the servers are too many for the buffer of the switch,
/// because whole windows are lost and the least time-out is 200 ms. A least time-out of a millisecond prevents it, and so does DCTCP while a
/// segment of each server fits the buffer.
#[test]
fn incast_collapses_with_a_long_time_out_and_not_with_a_short_one_nor_with_marks() {
    let reno = "congestion_control = \"reno\"\ntime_out = \"200 ms\"\nleast_time_out = \"200 ms\"";
    let short = "congestion_control = \"reno\"\ntime_out = \"200 ms\"\nleast_time_out = \"1 ms\"";
    let marks = "congestion_control = \"dctcp\"\nmark_above = \"20 KiB\"\ninitial_window = 2\nleast_time_out = \"200 ms\"";
    let few = incast(2, reno);
    let many = incast(16, reno);
    assert!(few > 0.6 * BYTES_PER_S as f64 && many < 0.2 * BYTES_PER_S as f64, "{few} and {many}");
    let cured = [short, marks].map(|keys| incast(16, keys));
    assert!(cured.iter().all(|&rate| rate > 0.6 * BYTES_PER_S as f64), "{cured:?}");
}
