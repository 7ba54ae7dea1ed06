//! One connection against a plain model that goes segment by segment.

use super::*;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

const BYTES_PER_S: u64 = 125_000_000;

/// A plain model of one connection: a sender, the links to and from the switch, a receiver, and the same back. It knows segments by their
/// numbers and has a list of the next step of each frame. Steps of one instant have an
/// order: first those of frames that arrive, then those of the receiver, then those of the sender.
struct Plain {
    segments: u64,
    window: u64,
    losses: [RandomStream; 2],
    loss: f64,
    ack_every: u64,
    latency: u64,
    frame: u64,
    ack: u64,
    time_out: u64,
    congestion: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Arrives(u64),
    AckArrives(u64, [(u64, u64); 3]),
    AckLeaves,
    Delayed(u64),
    TimeOut(u64),
    Leaves(u64),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Open,
    Gaps,
    Fast,
    AfterTimeOut,
}

/// A segment as the sender sees it.
#[derive(Clone, Copy, Default)]
struct Seen {
    is_known: bool,
    is_lost: bool,
    is_resent: bool,
}

struct PlainSender {
    window: u64,
    control: bool,
    segments: u64,
    seen: Vec<Seen>,
    acked: u64,
    next: u64,
    cwnd: u64,
    threshold: u64,
    credit: u64,
    duplicates: u64,
    mode: Mode,
    until: u64,
}

impl PlainSender {
    fn in_flight(&self) -> u64 {
        let counts = |seen: &&Seen| !seen.is_known && (!seen.is_lost || seen.is_resent);
        self.seen[self.acked as usize..self.next as usize].iter().filter(counts).count() as u64
    }

    fn next_to_send(&mut self) -> Option<u64> {
        let lost = (self.acked..self.next).find(|&one| {
            let seen = self.seen[one as usize];
            self.mode != Mode::Open && seen.is_lost && !seen.is_resent && !seen.is_known
        });
        let one = lost.unwrap_or(self.next);
        let may = one < self.segments
            && one + 1 - self.acked <= self.window
            && (!self.control || (self.in_flight() + 1) * 1_000 <= self.cwnd);
        if !may {
            return None;
        }
        if lost.is_some() {
            self.seen[one as usize].is_resent = true;
        } else {
            self.next += 1;
        }
        Some(one)
    }

    /// Marks what has three known segments behind it. Returns whether there is anything.
    fn find_lost(&mut self) -> bool {
        let (mut behind, mut any) = (0, false);
        for one in (self.acked..self.next).rev() {
            let seen = &mut self.seen[one as usize];
            if seen.is_known {
                behind += 1;
            } else if behind >= 3 {
                seen.is_lost = true;
                any = true;
            }
        }
        any
    }

    /// An acknowledgement; returns what is sent again at once, and whether the timer starts again.
    fn acknowledged(&mut self, upto: u64, blocks: [(u64, u64); 3]) -> (Option<u64>, bool) {
        let (bytes, in_flight) = (upto.saturating_sub(self.acked) * 1_000, self.in_flight() * 1_000);
        let is_duplicate = upto == self.acked && self.acked < self.next;
        if !self.control {
            if bytes > 0 {
                (self.acked, self.duplicates) = (upto, 0);
                if self.mode == Mode::Gaps && upto < self.until {
                    return (Some(upto), true);
                }
                self.mode = Mode::Open;
                return (None, true);
            }
            self.duplicates += u64::from(is_duplicate && self.mode == Mode::Open);
            if self.duplicates < 3 {
                return (None, false);
            }
            (self.duplicates, self.mode, self.until) = (0, Mode::Gaps, self.next);
            return (Some(self.acked), true);
        }
        self.duplicates += u64::from(is_duplicate);
        for (begin, end) in blocks {
            (begin..end).for_each(|one| self.seen[one as usize].is_known = true);
        }
        if bytes > 0 {
            (self.acked, self.duplicates) = (upto, 0);
        }
        let any_lost = self.find_lost();
        if upto >= self.until && self.mode != Mode::Open {
            if self.mode == Mode::Fast {
                self.cwnd = self.threshold;
            }
            self.mode = Mode::Open;
        }
        if bytes > 0 && self.mode != Mode::Fast {
            self.grow(bytes, in_flight);
        }
        if self.mode == Mode::Open && (self.duplicates >= 3 || any_lost) && self.acked < self.next {
            self.reduce();
            (self.cwnd, self.mode, self.until, self.duplicates) = (self.threshold, Mode::Fast, self.next, 0);
            for one in self.acked..self.next {
                (self.seen[one as usize].is_lost, self.seen[one as usize].is_resent) = (false, false);
            }
            let first = &mut self.seen[self.acked as usize];
            (first.is_lost, first.is_resent) = (true, true);
            self.find_lost();
            return (Some(self.acked), true);
        }
        (None, bytes > 0)
    }

    fn grow(&mut self, bytes: u64, in_flight: u64) {
        if self.cwnd < self.threshold {
            if 2 * in_flight > self.cwnd {
                self.cwnd = (self.cwnd + bytes).min(self.threshold);
            }
        } else if in_flight + 1_000 > self.cwnd {
            self.credit += bytes;
            while self.credit >= self.cwnd {
                self.credit -= self.cwnd;
                self.cwnd += 1_000;
            }
        }
    }

    fn reduce(&mut self) {
        let sent = (self.next - self.acked) * 1_000;
        self.threshold = (sent.min(self.cwnd) / 2).max(2_000);
        self.credit = 0;
    }

    fn timed_out(&mut self) -> Option<u64> {
        self.duplicates = 0;
        if !self.control {
            (self.mode, self.until) = (Mode::Gaps, self.next);
            return Some(self.acked);
        }
        if self.mode != Mode::AfterTimeOut {
            self.reduce();
        }
        (self.mode, self.until, self.cwnd, self.credit) = (Mode::AfterTimeOut, self.next, 1_000, 0);
        for seen in &mut self.seen[self.acked as usize..self.next as usize] {
            (seen.is_lost, seen.is_resent) = (true, false);
        }
        None
    }
}

/// The segments that a receiver has, with the number of the arrival of each that came beyond a gap.
struct PlainReceiver {
    got: Vec<Option<u64>>,
    upto: u64,
    unacknowledged: u64,
    arrivals: u64,
}

impl PlainReceiver {
    /// Runs of segments beyond the first gap, those with the latest arrivals first.
    fn blocks(&self) -> [(u64, u64); 3] {
        let mut runs: Vec<(u64, u64, u64)> = Vec::new();
        for one in self.upto..self.got.len() as u64 {
            let Some(arrival) = self.got[one as usize] else { continue };
            match runs.last_mut().filter(|run| run.2 == one) {
                Some(run) => (run.0, run.2) = (run.0.max(arrival), one + 1),
                None => runs.push((arrival, one, one + 1)),
            }
        }
        runs.sort_unstable_by_key(|run| Reverse(run.0));
        let mut blocks = [(0, 0); 3];
        blocks.iter_mut().zip(runs).for_each(|(block, run)| *block = (run.1, run.2));
        blocks
    }

    /// A segment comes; returns whether it is acknowledged at once, and how many segments have arrived without a gap by it.
    fn comes(&mut self, one: u64, ack_every: u64) -> (bool, u64) {
        if one < self.upto {
            return (true, 0);
        }
        let had_gap = self.got[self.upto as usize..].iter().any(Option::is_some);
        self.arrivals += 1;
        self.got[one as usize] = Some(self.arrivals);
        if one > self.upto {
            return (true, 0);
        }
        let before = self.upto;
        while self.got.get(self.upto as usize).is_some_and(Option::is_some) {
            self.upto += 1;
        }
        self.unacknowledged += 1;
        (had_gap || self.unacknowledged >= ack_every, self.upto - before)
    }
}

impl Plain {
    /// Whether the link of a node loses a frame.
    fn is_lost(&mut self, node: usize) -> bool {
        self.loss > 0.0 && self.losses[node].chance(self.loss)
    }

    /// The times at which all segments up to each have arrived without a gap, in ticks.
    fn arrivals(mut self) -> Vec<u64> {
        let mut steps: BinaryHeap<Reverse<(u64, Step)>> = BinaryHeap::new();
        let (mut queue, mut acks) = (VecDeque::new(), VecDeque::new());
        let (mut busy, mut ack_busy, mut out_free, mut back_free) = (false, false, 0_u64, 0_u64);
        let mut sender = PlainSender {
            window: self.window,
            control: self.congestion,
            segments: self.segments,
            seen: vec![Seen::default(); self.segments as usize],
            acked: 0,
            next: 0,
            cwnd: 10_000,
            threshold: u64::MAX,
            credit: 0,
            duplicates: 0,
            mode: Mode::Open,
            until: 0,
        };
        let got = vec![None; self.segments as usize];
        let mut receiver = PlainReceiver { got, upto: 0, unacknowledged: 0, arrivals: 0 };
        let (mut arrived, mut now) = (Vec::new(), 0);
        let (mut timer, mut is_timed, mut waits) = (0_u64, false, self.time_out);
        let (mut delayed, mut is_delayed) = (0_u64, false);
        while let Some(one) = sender.next_to_send() {
            queue.push_back(one);
        }
        loop {
            if let Some(&one) = queue.front().filter(|_| !busy) {
                busy = true;
                steps.push(Reverse((now + self.frame, Step::Leaves(one))));
            }
            if !acks.is_empty() && !ack_busy {
                ack_busy = true;
                steps.push(Reverse((now + self.ack, Step::AckLeaves)));
            }
            let Some(Reverse((at, step))) = steps.pop() else { return arrived };
            now = at;
            let (mut again, mut sends, mut restarts) = (None, false, false);
            match step {
                Step::Leaves(one) => {
                    busy = false;
                    queue.pop_front();
                    if !is_timed && sender.acked < sender.next {
                        (is_timed, timer) = (true, timer + 1);
                        steps.push(Reverse((now + waits, Step::TimeOut(timer))));
                    }
                    if !self.is_lost(1) {
                        out_free = out_free.max(now + self.latency) + self.frame;
                        steps.push(Reverse((out_free, Step::Arrives(one))));
                    }
                }
                Step::Arrives(one) => {
                    let (at_once, more) = receiver.comes(one, self.ack_every);
                    (0..more).for_each(|_| arrived.push(now));
                    if at_once {
                        (receiver.unacknowledged, is_delayed) = (0, false);
                        acks.push_back((receiver.upto, receiver.blocks()));
                    } else if !is_delayed {
                        (is_delayed, delayed) = (true, delayed + 1);
                        steps.push(Reverse((now + DELAYED, Step::Delayed(delayed))));
                    }
                }
                Step::Delayed(number) if is_delayed && number == delayed => {
                    (receiver.unacknowledged, is_delayed) = (0, false);
                    acks.push_back((receiver.upto, receiver.blocks()));
                }
                Step::AckLeaves => {
                    ack_busy = false;
                    let (upto, blocks) = acks.pop_front().expect("an acknowledgement");
                    if !self.is_lost(0) {
                        back_free = back_free.max(now + self.latency) + self.ack;
                        steps.push(Reverse((back_free, Step::AckArrives(upto, blocks))));
                    }
                }
                Step::AckArrives(upto, blocks) => {
                    let blocks = if self.congestion { blocks } else { [(0, 0); 3] };
                    (again, restarts) = sender.acknowledged(upto, blocks);
                    sends = true;
                }
                Step::TimeOut(number) if is_timed && number == timer => {
                    is_timed = false;
                    waits = (waits * 2).min(60 * TICKS_PER_S);
                    (again, sends) = (sender.timed_out(), self.congestion);
                }
                Step::Delayed(_) | Step::TimeOut(_) => {}
            }
            if restarts {
                waits = self.time_out;
                (is_timed, timer) = (sender.acked < sender.next, timer + 1);
                if is_timed {
                    steps.push(Reverse((now + waits, Step::TimeOut(timer))));
                }
            }
            queue.extend(again);
            if sends && (self.congestion || restarts) {
                while let Some(one) = sender.next_to_send() {
                    queue.push_back(one);
                }
            }
        }
    }
}

const TICKS_PER_S: u64 = sansim_kernel::TICKS_PER_NS * 1_000_000_000;
const DELAYED: u64 = 5_000_000 * sansim_kernel::TICKS_PER_NS;

proptest! {
    #![proptest_config(ProptestConfig { cases: sansim_trials::case_count(200), ..ProptestConfig::default() })]

    /// One connection whose frames may be lost has each segment at the tick at which a plain model has it.
    #[test]
    fn one_connection_does_at_every_tick_what_a_plain_model_does(
        segments in 1..400_u64, window in 1..100_u64, loss in 0..15_u32, ack_every in 1..4_u64, latency in 1..3_000_u64,
        congestion in any::<bool>()
    ) {
        let (control, loss) = (if congestion { "reno" } else { "none" }, f64::from(loss) / 100.0);
        let keys = format!(
            "mtu = \"1040 B\"\nwindow = \"{} B\"\nack_every = {ack_every}\nlatency = \"{latency} us\"\nframe_loss = {loss}\n\
             congestion_control = \"{control}\"\ntime_out = \"40 ms\"\ndelayed_ack = \"5 ms\"",
            window * 1_000
        );
        let mut bench = network(1, &keys);
        let request = bench.open_request(instant_at_us(0), sample_read(0, 512));
        for number in 0..segments {
            let frame = Pdu { offset: number as u32, ..message(request, 1, 0, 1_000, number + 1 == segments) };
            bench.receive(instant_at_us(0), 1, Message::Send(frame));
        }
        let came: Vec<u64> = received(&all_events(&mut bench)).iter().map(|(at, _, _)| at.0).collect();
        let ns = |bytes: u64| Span::to_move(bytes, BYTES_PER_S).ticks();
        let plain = Plain {
            segments,
            window,
            losses: [0, 1].map(|node| RandomStream::new(1, &format!("losses/{node}"))),
            loss,
            ack_every,
            latency: Span::from_us(latency).ticks(),
            frame: ns(1_078),
            ack: ns(84),
            time_out: Span::from_ms(40).ticks(),
            congestion,
        };
        let plain = plain.arrivals();
        let first = came.iter().zip(&plain).position(|(one, other)| one != other);
        prop_assert_eq!((came.len(), first), (plain.len(), None), "{:?}", first.map(|at| (came[at], plain[at])));
    }
}
