//! Tests whether intervals contain the truth in systems without any randomness: clockworks, whose truth is the mean of
//! one cycle.
//!
//! Between seeds only the phase varies: the point in the cycle of the system at which the measured interval begins and ends. A confidence
//! interval has to cover the phase, too, and for a clockwork it is a bound: it always contains the truth. The interval has the size of one
//! cycle, so a run of twice the length has an interval of half the width.

use sansim_kernel::{Edges, Interval, Observations, RandomStream, Series, Span, Time};

const PERCENTS: [f64; 3] = [50.0, 90.0, 99.0];

/// A system that repeats itself.
struct Clockwork {
    name: &'static str,
    /// Length of a cycle in ns.
    cycle_ns: u64,
    /// The I/Os in the order of completion: the time in the cycle, the duration in ns, the amount, and the
    /// kind.
    ios: Vec<(u64, u64, u64, usize)>,
}

impl Clockwork {
    /// The mean duration of some kinds in ns.
    fn mean_ns(&self, kinds: &[usize]) -> f64 {
        let these: Vec<f64> =
            self.ios.iter().filter(|io| kinds.contains(&io.3)).map(|io| io.1 as f64).collect();
        these.iter().sum::<f64>() / these.len() as f64
    }

    /// The I/Os and the amounts per second.
    fn rates(&self) -> [f64; 2] {
        let amount: u64 = self.ios.iter().map(|io| io.2).sum();
        [self.ios.len() as u64, amount].map(|sum| sum as f64 * 1e9 / self.cycle_ns as f64)
    }

    /// The smallest duration that this percentage of the I/Os does not exceed.
    fn percentile_ns(&self, percent: f64) -> f64 {
        let mut durations: Vec<u64> = self.ios.iter().map(|io| io.1).collect();
        durations.sort_unstable();
        let rank = (durations.len() as f64 * percent / 100.0 - 1e-9).ceil().max(1.0) as usize;
        durations[rank - 1] as f64
    }

    /// A run of `count` completions from the one with number `first` on, each up to `jitter_ns` late; and the time of
    /// the completion before.
    fn run(
        &self,
        first: u64,
        count: u64,
        jitter_ns: u64,
        stream: &mut RandomStream,
    ) -> (Time, Vec<(Time, usize)>) {
        let each = self.ios.len() as u64;
        let mut at = |number: u64| {
            let late = if jitter_ns == 0 { 0 } else { stream.draw_below(jitter_ns) };
            let ns = number / each * self.cycle_ns + self.ios[(number % each) as usize].0 + late;
            Time::ZERO + Span::from_ns(ns)
        };
        let mut done: Vec<(Time, usize)> =
            (first..=first + count).map(|number| (at(number), (number % each) as usize)).collect();
        done.sort_unstable();
        (done[0].0, done.split_off(1))
    }
}

fn observed(clockwork: &Clockwork, run: &[(Time, usize)]) -> Observations<2> {
    let mut observations = Observations::new(run.len() as u64);
    for &(at, io) in run {
        let (_, took_ns, amount, kind) = clockwork.ios[io];
        observations.add(at, kind, Span::from_ns(took_ns), amount);
    }
    observations
}

/// All I/Os complete at once, in the order in which they were begun, one after the other.
fn bunch(size: u64) -> Clockwork {
    Clockwork {
        name: "all at once",
        cycle_ns: 1_000_000,
        ios: (0..size).map(|io| (0, 1_000_000 + 7_000 * io, 4096, (io % 2) as usize)).collect(),
    }
}

/// A cycle has a quick half and a slow half, with a pause.
fn two_paces() -> Clockwork {
    let at = |io: u64| if io < 24 { 1_000 * io } else { 24_000 + 20_000 * (io - 24) };
    Clockwork {
        name: "two paces",
        cycle_ns: 24_000 + 20_000 * 24 + 300_000,
        ios: (0..48)
            .map(|io| (at(io), 500_000 + at(io) / 2, 512 * (1 + io % 3), usize::from(io < 24)))
            .collect(),
    }
}

/// A long cycle has a first tenth in which I/Os are quick and short.
fn long_cycle() -> Clockwork {
    let at = |io: u64| if io < 100 { 100 * io } else { 10_000 + 5_000 * (io - 100) };
    Clockwork {
        name: "a long cycle",
        cycle_ns: 10_000 + 5_000 * 900,
        ios: (0..1_000)
            .map(|io| (at(io), if io < 100 { 20_000 } else { 80_000 }, 1, usize::from(io % 7 == 0)))
            .collect(),
    }
}

/// All I/Os are alike and come at equal intervals.
fn metronome() -> Clockwork {
    Clockwork {
        name: "a metronome",
        cycle_ns: 10_000,
        ios: vec![(0, 9_000, 4096, 0), (5_000, 9_000, 4096, 1)],
    }
}

fn holds(interval: &Interval, truth: f64) -> bool {
    // Deviations beyond the half width come from rounding.
    (interval.estimate - truth).abs() <= interval.half_width_95 + 1e-9 * truth
}

/// Whether the intervals of a run contain the truth: means of all I/Os and of each kind, both rates, three
/// percentiles.
fn held(clockwork: &Clockwork, began: Time, run: &[(Time, usize)]) -> Vec<(String, bool)> {
    let observations = observed(clockwork, run);
    let ended = run[run.len() - 1].0;
    let mut held = Vec::new();
    for kinds in [vec![0, 1], vec![0], vec![1]] {
        let Series { mean_ns, percentiles, .. } = observations.series(&kinds, &PERCENTS);
        held.push((format!("mean of {kinds:?}: {mean_ns:?}"), holds(&mean_ns, clockwork.mean_ns(&kinds))));
        if kinds.len() == 1 {
            continue;
        }
        for (percent, interval) in PERCENTS.into_iter().zip(percentiles) {
            let Some((low, high)) = interval else { continue };
            let truth = clockwork.percentile_ns(percent);
            // The histogram stores a value to within 0.05 %.
            let inside = low as f64 * 0.9995 <= truth && truth <= high as f64 * 1.0005;
            held.push((format!("p{percent}: {low} to {high}, {truth}"), inside));
        }
    }
    for (rate, truth) in observations.rates(began, ended, Edges::Completions).iter().zip(clockwork.rates()) {
        held.push((format!("rate, {truth}: {rate:?}"), holds(rate, truth)));
    }
    held
}

#[test]
fn intervals_of_clockworks_hold_the_truth_at_every_phase() {
    let lengths = [640, 1_300, 2_600, 4_999, 20_000, 65_537];
    for clockwork in [bunch(32), bunch(33), bunch(10), two_paces(), metronome(), long_cycle()] {
        let cycle = clockwork.ios.len() as u64;
        let mut stream = RandomStream::new(1, clockwork.name);
        // The lengths are whole cycles, whole cycles and a little more, a little less, and lengths unrelated to
        // the cycle.
        let near = [64 * cycle, 64 * cycle + 1, 80 * cycle + cycle / 2, 100 * cycle - 1];
        for count in lengths.into_iter().chain(near).filter(|count| *count >= 20 * cycle) {
            for first in (0..cycle).step_by((cycle as usize / 50).max(1)) {
                let (began, run) = clockwork.run(cycle + first, count, 0, &mut stream);
                for (what, held) in held(&clockwork, began, &run) {
                    assert!(held, "{} from {first}, {count} I/Os: {what}", clockwork.name);
                }
            }
        }
    }
}

#[test]
fn intervals_hold_the_truth_of_clockworks_with_thousands_of_ios_in_a_cycle() {
    // A batch is three whole cycles, so all batches are alike: the width of the interval comes from the ends of the run alone.
    const CYCLE: u64 = 1 << 13;
    let clockwork = bunch(CYCLE);
    for first in [0, 1, CYCLE / 2, CYCLE - 1] {
        let count = 64 * CYCLE + CYCLE / 2;
        let (began, run) = clockwork.run(CYCLE + first, count, 0, &mut RandomStream::new(1, "none"));
        for (what, held) in held(&clockwork, began, &run) {
            assert!(held, "from {first}: {what}");
        }
    }
}

#[test]
fn intervals_of_clockworks_hold_the_truth_between_any_two_times() {
    for clockwork in [bunch(32), bunch(33), two_paces(), metronome()] {
        let cycle = clockwork.ios.len() as u64;
        let mut stream = RandomStream::new(2, clockwork.name);
        for cycles in [20, 40, 41, 137, 1_000] {
            for _ in 0..50 {
                let (_, run) = clockwork.run(0, (cycles + 3) * cycle, 0, &mut stream);
                let began = Time::ZERO + Span::from_ns(stream.draw_below(clockwork.cycle_ns));
                let length = cycles * clockwork.cycle_ns + stream.draw_below(clockwork.cycle_ns);
                let ended = began + Span::from_ns(length);
                let within: Vec<_> = run.into_iter().filter(|(at, _)| (began..ended).contains(at)).collect();
                let rates = observed(&clockwork, &within).rates(began, ended, Edges::Times);
                for (rate, truth) in rates.iter().zip(clockwork.rates()) {
                    assert!(holds(rate, truth), "{}, {cycles} cycles: {truth}, {rate:?}", clockwork.name);
                    // Each of twenty batches may be off by the content of a cycle: t(19) times the root of
                    // twenty.
                    assert!(
                        rate.relative_half_width() <= 2.1 * 20.0_f64.sqrt() / cycles as f64,
                        "{}: {rate:?}",
                        clockwork.name
                    );
                }
            }
        }
    }
}

#[test]
fn intervals_of_clockworks_with_a_little_chance_cover_what_they_claim() {
    const REPLICATIONS: u64 = 400;
    for (clockwork, jitter_ns) in
        [(bunch(32), 1_000), (bunch(32), 100_000), (two_paces(), 5_000), (two_paces(), 300_000)]
    {
        for count in [1_300, 2_600, 8_000] {
            let mut hits = Vec::new();
            for seed in 0..REPLICATIONS {
                let mut stream = RandomStream::new(seed, "clockwork");
                let first = 64 + stream.draw_below(64);
                let (began, run) = clockwork.run(first, count, jitter_ns, &mut stream);
                let held = held(&clockwork, began, &run);
                hits.resize(held.len(), 0_u64);
                hits.iter_mut().zip(held).for_each(|(hits, (_, held))| *hits += u64::from(held));
            }
            let percent: Vec<f64> =
                hits.iter().map(|hits| *hits as f64 * 100.0 / REPLICATIONS as f64).collect();
            println!("{}, {jitter_ns} ns late, {count}: {percent:.1?}", clockwork.name);
            assert!(
                percent.iter().all(|covered| *covered >= 95.0),
                "{} {count}: {percent:?}",
                clockwork.name
            );
        }
    }
}

#[test]
fn intervals_of_clockworks_shrink_with_the_length_of_the_run() {
    for clockwork in [bunch(32), two_paces()] {
        let widths: Vec<[f64; 2]> = [2_000, 8_000, 32_000, 128_000, 512_000]
            .map(|count| {
                let (began, run) = clockwork.run(100, count, 0, &mut RandomStream::new(1, "none"));
                let observations = observed(&clockwork, &run);
                let [rate, _] = observations.rates(began, run[run.len() - 1].0, Edges::Completions);
                [rate.relative_half_width(), observations.mean_ns(&[0, 1]).relative_half_width()]
            })
            .to_vec();
        println!("{}: {widths:.6?}", clockwork.name);
        // A run four times as long has an interval four times as narrow at each step; how the batches cut the
        // cycles makes it a little more or less.
        for of in 0..2 {
            let shrunk = widths[0][of] / widths[4][of];
            assert!((128.0..512.0).contains(&shrunk), "{}: {shrunk}", clockwork.name);
            assert!(widths[4][of] < 0.001 && widths[4][of] > 0.0, "{}: {widths:?}", clockwork.name);
        }
    }
}

#[test]
fn a_metronome_has_no_uncertainty() {
    let clockwork = metronome();
    let (began, run) = clockwork.run(10, 1_000, 0, &mut RandomStream::new(1, "none"));
    let observations = observed(&clockwork, &run);
    let [rate, amounts] = observations.rates(began, run[run.len() - 1].0, Edges::Completions);
    assert_eq!((rate.half_width_95, amounts.half_width_95), (0.0, 0.0));
    assert_eq!(observations.mean_ns(&[0, 1]).half_width_95, 0.0);
}
