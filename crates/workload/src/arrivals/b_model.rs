//! The b-model of bursty traffic.

use sansim_kernel::functions::power;
use sansim_kernel::{RandomStream, Span};
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Count, Frequency, Number, PerTime, Time};
use sansim_schema::{codes, table};

table! {
    /// The b-model: of what arrives in a time, the part b arrives in one half of it and 1 - b in the other, which is which at random; and
    /// so on within the halves. Traces of disks have a b of 0.6 to 0.8; 0.5 is even. Its Hurst parameter is 1/2 - log2(b^2 + (1 - b)^2) /
    /// 2.
    #[derive(Copy)]
    pub struct BModelParameters {
        /// How many arrive, on the average over each span.
        rate: Frequency = PerTime::ANY, required r#""500/s""#, source "Wang, Madhyastha, Chan, Papadimitriou and Faloutsos 2002";
        /// The larger part.
        b: f64 = Number::between(0.5, 0.99), default "0.7", source "Wang, Madhyastha, Chan, Papadimitriou and Faloutsos 2002";
        /// Length of the period after which the b-model repeats: over longer times arrivals are even.
        span: Span = Time::between(Span::from_us(1), Span::from_s(3_600)), default r#""60 s""#, source "ours: a minute";
        /// How often time is halved.
        levels: u32 = Count::<u32>::between(1, 24), default "16", source "ours: down to a millisecond of a minute";
    }
    checks(check_span)
}

impl BModelParameters {
    /// The mean number of arrivals per second.
    pub fn rate_per_s(&self) -> f64 {
        self.rate.times_per_s()
    }

    /// The process from its beginning.
    pub fn generator(&self) -> BModelArrivals {
        BModelArrivals::new(self)
    }

    /// Checks that at least one request arrives in a span, and that the smallest part of a span is at least a nanosecond.
    fn check_span(&self, keys: &mut Keys<'_, '_>) {
        if !keys.all_readable(&["rate", "span", "levels"]) {
            return;
        }
        let place = keys.value_position("span");
        if self.span.as_ns_f64() < self.rate.gap_ns() {
            let fault = Diagnostic::new(codes::CONTRADICTION, place, "less than one arrives in a span")
                .with_label("one arrives in a longer time than this")
                .with_help(format!(
                    "give a longer {}, or a higher {}",
                    keys.full_path("span"),
                    keys.full_path("rate")
                ));
            keys.report("span", fault);
        } else if self.span.ticks() >> self.levels < Span::from_ns(1).ticks() {
            let fault =
                Diagnostic::new(codes::CONTRADICTION, place, "the parts of a span are below a nanosecond")
                    .with_label(format!("is halved {} times", self.levels))
                    .with_help(format!(
                        "give a longer {}, or fewer {}",
                        keys.full_path("span"),
                        keys.full_path("levels")
                    ));
            keys.report("span", fault);
        }
    }
}

/// A part of a span, and the mean number of arrivals in it.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// The number of times that the span was halved to get this part.
    level: u32,
    /// The index of the part among those of its level.
    number: u64,
    /// The mean number of arrivals in the part.
    volume: f64,
}

/// The generator of the b-model. Parts are visited in the order of time with a stack of their later halves, one part for each level. Each
/// of the smallest parts has a whole number of arrivals, and passes the remaining fraction on to the next part; the arrivals are uniform
/// within the part.
#[derive(Clone, Debug)]
pub struct BModelArrivals {
    b: f64,
    span: Span,
    levels: u32,
    /// The mean number of arrivals in a span.
    volume: f64,
    /// Later parts, with the next part last.
    later: Vec<Part>,
    /// The fraction of an arrival that the smallest parts so far have left, below one; none before the beginning.
    rest: Option<f64>,
    /// The ticks from the beginning of the run to the beginning of the span of `later`.
    begin: u64,
    /// The ticks to the last arrival.
    last: u64,
    burst: Burst,
}

/// The smallest part in which arrivals are being placed.
#[derive(Clone, Copy, Debug, Default)]
struct Burst {
    /// The ticks from the beginning of the run to this part.
    begin: u64,
    /// The length of the part in ticks.
    length: u64,
    /// The number of arrivals that are still to come in the part.
    count: u64,
    /// The share of the part's length that is behind the last arrival.
    behind: f64,
}

impl BModelArrivals {
    /// A generator at its beginning.
    pub fn new(parameters: &BModelParameters) -> BModelArrivals {
        let BModelParameters { rate, b, span, levels } = *parameters;
        BModelArrivals {
            b,
            span,
            levels,
            volume: span.as_ns_f64() / rate.gap_ns(),
            later: Vec::with_capacity(levels as usize + 1),
            rest: None,
            begin: 0,
            last: 0,
            burst: Burst::default(),
        }
    }

    /// The time to the next arrival.
    pub fn gap(&mut self, random: &mut RandomStream) -> Span {
        while self.burst.count == 0 {
            self.burst = self.next_burst(random);
        }
        let burst = &mut self.burst;
        // The next arrival is the first of n uniform values: its distance to the end is the n-th root of a uniform value.
        let root = power(random.open_unit_f64(), 1.0 / burst.count as f64);
        burst.behind += (1.0 - burst.behind) * (1.0 - root);
        burst.count -= 1;
        let at = burst.begin.saturating_add((burst.behind * burst.length as f64) as u64).max(self.last);
        let gap = Span(at - self.last);
        self.last = at;
        gap.min(Span::LONGEST)
    }

    /// The next of the smallest parts with an arrival, or a larger part without arrivals.
    fn next_burst(&mut self, random: &mut RandomStream) -> Burst {
        let mut rest = self.rest.unwrap_or_else(|| {
            self.later.push(Part { level: 0, number: 0, volume: self.volume });
            random.unit_f64()
        });
        let mut burst = Burst::default();
        if let Some(part) = self.later.pop() {
            if rest + part.volume < 1.0 {
                // The part has too little for an arrival in any of its halves.
                rest += part.volume;
            } else if part.level == self.levels {
                let volume = rest + part.volume;
                rest = volume.fract();
                let tick = |number: u64| {
                    let ticks = (u128::from(self.span.ticks()) * u128::from(number)) >> self.levels;
                    self.begin.saturating_add(ticks as u64)
                };
                let (begin, end) = (tick(part.number), tick(part.number + 1));
                burst = Burst { begin, length: end - begin, count: volume as u64, behind: 0.0 };
            } else {
                let first = if random.chance(0.5) { self.b } else { 1.0 - self.b };
                let half = |number: u64, share: f64| Part {
                    level: part.level + 1,
                    number: 2 * part.number + number,
                    volume: part.volume * share,
                };
                self.later.extend([half(1, 1.0 - first), half(0, first)]);
            }
        } else {
            self.begin = self.begin.saturating_add(self.span.ticks());
            self.later.push(Part { level: 0, number: 0, volume: self.volume });
        }
        self.rest = Some(rest);
        burst
    }
}
