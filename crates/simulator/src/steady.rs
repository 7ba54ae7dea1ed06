//! Tests whether the state of a system drifts while it is measured: dirty data in caches, free flash, cache contents, queues, missing data
//! of partners. Response times may look settled but are not final while the state drifts: a write-back cache that fills answers writes as
//! if they cost nothing.
//!
//! The catalogue of a component lists its stocks ([`Stock`]), and the component reports their levels ([`StockLevel`]). The stocks are
//! sampled when I/Os complete, at most [`MOST`] times in the measured interval, and added up over the members of a group. The interval is
//! cut into [`SEGMENTS`] with equally many samples. A stock drifts if
//! * its mean rate over the segments differs from zero by more than chance explains: Student's t of the rates of the segments is beyond
//!   its 99.9 % point. In a stationary state an increase in one segment is balanced by a decrease in another, which makes this even
//!   rarer; and
//! * the drift is large enough to matter: at least [`STAYS`] of the inflow stayed, or more than that left; a stock of waiting requests
//!   grew by [`GROWS`] of its mean.
//!
//! The values of [`STAYS`] and [`GROWS`] are our own choice. A test checks that a queue of an M/M/1 station at 80 % does not drift and
//! a queue of a station above its capacity does (`crates/simulator/tests/system/steady.rs`).

use sansim_assembly::plan::SystemPlan;
use sansim_component::{ComponentId, StockLevel};
use sansim_kernel::{Span, Time};
use sansim_schema::catalogue::{FigureUnit, Stock};
use serde::Serialize;

/// The most samples in the measured interval; when there are more, every other sample is dropped, and the
/// interval between samples doubles.
const MOST: usize = 256;

/// The first interval between two samples.
const FIRST_INTERVAL: Span = Span::from_us(100);

/// The number of segments of the measured interval.
const SEGMENTS: usize = 16;

/// The point of Student's t beyond which, to both sides, 0.1 % of the distribution lies, for one degree of freedom less than
/// the number of segments.
const T: f64 = 4.073;

/// The share of the inflow that has to stay for a drift.
const STAYS: f64 = 0.1;

/// The share of its mean by which a queue has to grow in the measured interval for a drift.
const GROWS: f64 = 0.5;

/// A stock of the members of a place.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    /// The name of the place.
    part: String,
    stock: &'static Stock,
    pub(crate) number: usize,
    pub(crate) members: Vec<ComponentId>,
}

/// Samples the stocks of components during a run.
#[derive(Clone, Debug)]
pub(crate) struct Watch {
    pub(crate) stocks: Vec<Watched>,
    every: Span,
    pub next: Time,
    /// The times of the samples.
    looks: Vec<Time>,
    /// The levels of all stocks at the first sample, then the levels at the second sample, and so on. The capacity is reserved
    /// when the run begins, so a sample allocates nothing.
    levels: Vec<Option<StockLevel>>,
}

/// Whether the state was steady.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SteadyState {
    /// Whether no stock drifts and no workload is unstable.
    pub ok: bool,
    /// The stocks that drift.
    pub drifts: Vec<StockDrift>,
}

/// The drift of a stock.
#[derive(Clone, Debug, Serialize)]
pub struct StockDrift {
    /// The component, or the part of the component, whose stock drifts.
    pub part: String,
    /// The name of the stock.
    pub what: &'static str,
    /// The unit of the stock.
    pub unit: &'static str,
    /// The level of the stock at the end.
    pub level: f64,
    /// The increase of the stock in a second; less than 0 if it shrinks.
    pub rate: f64,
    /// The level at which the drift ends; null if unknown, as for a queue.
    pub full_at: Option<f64>,
    /// The simulated seconds after the measured interval until that level is reached at this rate.
    pub full_in_s: Option<f64>,
    /// The drift as a sentence.
    pub told: String,
}

impl Watch {
    /// A watch of the stocks of a system.
    pub fn new(plan: &SystemPlan) -> Self {
        let mut stocks: Vec<Watched> = Vec::new();
        for (place, described) in plan.graph.places.iter().enumerate() {
            let parts = plan.graph.parts.iter().enumerate().filter(|(_, part)| part.place == place);
            let members: Vec<ComponentId> = parts.map(|(part, _)| ComponentId(part as u32)).collect();
            let Some(&first) = members.first() else { continue };
            let known = plan.graph.parts[first.index()].part.catalogue().stocks.iter().enumerate();
            stocks.extend(known.map(|(number, stock)| Watched {
                part: described.name.clone(),
                stock,
                number,
                members: members.clone(),
            }));
        }
        let next = if stocks.is_empty() { Time::NEVER } else { Time::ZERO };
        let (looks, levels) = (Vec::with_capacity(MOST), Vec::with_capacity(MOST * stocks.len()));
        Self { stocks, every: FIRST_INTERVAL, next, looks, levels }
    }

    /// Begins the measured interval: earlier samples do not count.
    pub fn begin_interval(&mut self, now: Time) {
        if self.next < Time::NEVER {
            self.looks.clear();
            self.levels.clear();
            (self.every, self.next) = (FIRST_INTERVAL, now);
        }
    }

    /// Adds the level of one stock at this sample; the caller adds the levels of all stocks in their order.
    pub(crate) fn saw(&mut self, level: Option<StockLevel>) {
        self.levels.push(level);
    }

    /// The sample is complete.
    pub(crate) fn looked(&mut self, now: Time) {
        self.looks.push(now);
        if self.looks.len() == MOST {
            self.drop_every_other();
            self.every = self.every * 2;
        }
        self.next = now + self.every;
    }

    fn drop_every_other(&mut self) {
        let (stocks, kept) = (self.stocks.len(), MOST / 2);
        for look in 1..kept {
            self.looks[look] = self.looks[2 * look];
            self.levels.copy_within(2 * look * stocks..(2 * look + 1) * stocks, look * stocks);
        }
        self.looks.truncate(kept);
        self.levels.truncate(kept * stocks);
    }

    /// The drifts between two moments.
    pub fn stock_drifts(&self, opened: Time, closed: Time) -> Vec<StockDrift> {
        let looks = || self.looks.iter().enumerate().filter(|&(_, &at)| at >= opened && at <= closed);
        let of_stock = |(number, watched): (usize, &Watched)| {
            let level = |look: usize| self.levels[look * self.stocks.len() + number];
            let levels = looks().map(|(look, &at)| Some((at, level(look)?)));
            // A stock without a level at first may have one later.
            let levels: Vec<(Time, StockLevel)> =
                levels.skip_while(Option::is_none).collect::<Option<_>>()?;
            watched.drift(&levels)
        };
        self.stocks.iter().enumerate().filter_map(of_stock).collect()
    }
}

impl Watched {
    fn drift(&self, levels: &[(Time, StockLevel)]) -> Option<StockDrift> {
        let (&(begun, first), &(ended, last)) = (levels.first()?, levels.last()?);
        let rate = mean_rate(levels)?;
        let grew = last.level - first.level;
        let seconds = (ended - begun).as_s_f64();
        let matters = match (first.came, last.came) {
            (Some(before), Some(after)) => grew.abs() >= STAYS * (after - before),
            _ => {
                let mean = levels.iter().map(|(_, level)| level.level).sum::<f64>() / levels.len() as f64;
                grew >= GROWS * mean
            }
        };
        if !matters || seconds <= 0.0 {
            return None;
        }
        let full_at = if rate > 0.0 { last.to } else { last.from };
        let left = |full: f64| (full - last.level) / rate;
        let full_in_s = full_at.map(left).filter(|left| left.is_finite() && *left > 0.0);
        let full_at = full_at.filter(|_| full_in_s.is_some());
        let shown = |value: f64| shown(value, self.stock.unit);
        let (grows, meaning) =
            if rate > 0.0 { ("grows", self.stock.grows) } else { ("shrinks", self.stock.shrinks) };
        let comes = match (full_at, full_in_s) {
            (Some(full), Some(left)) => format!(", and reaches {} in {left:.0} s at this rate", shown(full)),
            _ => String::new(),
        };
        let told = format!(
            "`{}`: {} {grows} by {} a second, to {} at the end{comes}: {meaning}",
            self.part,
            self.stock.meaning,
            shown(rate.abs()),
            shown(last.level)
        );
        Some(StockDrift {
            part: self.part.clone(),
            what: self.stock.name,
            unit: self.stock.unit.name(),
            level: last.level,
            rate,
            full_at,
            full_in_s,
            told,
        })
    }
}

/// The mean growth in a second over the segments, if it is more than chance explains.
fn mean_rate(levels: &[(Time, StockLevel)]) -> Option<f64> {
    let steps = levels.len().checked_sub(1).filter(|&steps| steps >= SEGMENTS)?;
    let at = |segment: usize| levels[segment * steps / SEGMENTS];
    let rates: Vec<f64> = (0..SEGMENTS)
        .map(|segment| {
            let ((begun, before), (ended, after)) = (at(segment), at(segment + 1));
            (after.level - before.level) / (ended - begun).as_s_f64().max(1e-12)
        })
        .collect();
    let count = SEGMENTS as f64;
    let mean = rates.iter().sum::<f64>() / count;
    let variance = rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean != 0.0 && mean.abs() > T * (variance / count).sqrt()).then_some(mean)
}

/// A value in a readable form.
fn shown(value: f64, unit: FigureUnit) -> String {
    if unit != FigureUnit::Bytes {
        return format!("{value:.1}");
    }
    let units = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    let suits = units.into_iter().find(|(size, _)| value >= *size);
    suits.map_or(format!("{value:.0} B"), |(size, unit)| format!("{:.3} {unit}", value / size))
}

/// The message about all drifts; none without drifts.
pub(crate) fn told(drifts: &[StockDrift]) -> Option<String> {
    let told: Vec<&str> = drifts.iter().map(|drift| drift.told.as_str()).collect();
    (!told.is_empty()).then(|| format!("the state of the system is not steady: {}", told.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_kernel::RandomStream;

    fn levels(count: usize, mut level: impl FnMut(usize) -> StockLevel) -> Vec<(Time, StockLevel)> {
        (0..count).map(|number| (Time::ZERO + Span::from_us(1_000 * number as u64), level(number))).collect()
    }

    fn queue(level: f64) -> StockLevel {
        StockLevel { level, ..StockLevel::default() }
    }

    fn watched(unit: FigureUnit) -> Watched {
        const STOCK: Stock = Stock {
            name: "stock",
            unit: FigureUnit::Bytes,
            meaning: "what there is",
            grows: "it will be full",
            shrinks: "it will be empty",
        };
        const COUNTED: Stock = Stock { unit: FigureUnit::Count, ..STOCK };
        let stock = if unit == FigureUnit::Bytes { &STOCK } else { &COUNTED };
        Watched { part: "part".to_owned(), stock, number: 0, members: Vec::new() }
    }

    #[test]
    fn what_fills_drifts_and_it_is_told_when_it_is_full() {
        let fills = |number: usize| StockLevel {
            level: 1e6 + 1e3 * number as f64,
            came: Some(1e3 * number as f64),
            from: Some(0.0),
            to: Some(2e6),
        };
        let drift = watched(FigureUnit::Bytes).drift(&levels(201, fills)).expect("it drifts");
        assert!((drift.rate - 1e6).abs() < 1.0 && drift.full_at == Some(2e6), "{drift:?}");
        assert!(drift.full_in_s.is_some_and(|left| (left - 0.8).abs() < 1e-6), "{drift:?}");
        // The same growth does not count as a drift if a hundred times as much arrives and leaves.
        let passes = |number| StockLevel { came: Some(1e5 * number as f64), ..fills(number) };
        assert!(watched(FigureUnit::Bytes).drift(&levels(201, passes)).is_none());
        assert!(watched(FigureUnit::Bytes).drift(&levels(16, fills)).is_none(), "too few looks");
    }

    #[test]
    fn what_goes_up_and_down_within_the_interval_does_not_drift() {
        for period in [20, 50, 90, 150] {
            let saw = |number: usize| {
                let phase = number % period;
                let level = if 2 * phase < period { phase } else { period - phase };
                StockLevel { level: level as f64, came: Some(number as f64), ..StockLevel::default() }
            };
            assert!(watched(FigureUnit::Bytes).drift(&levels(201, saw)).is_none(), "{period}");
        }
    }

    /// The levels of a birth-death chain, sampled every `steps` steps.
    fn chain(load: f64, seed: u64, looks: usize, steps: usize) -> Vec<(Time, StockLevel)> {
        let mut random = RandomStream::new(seed, "chain");
        let mut level = 0_i64;
        levels(looks, |_| {
            for _ in 0..steps {
                level = (level + if random.chance(load / (1.0 + load)) { 1 } else { -1 }).max(0);
            }
            queue(level as f64)
        })
    }

    #[test]
    fn a_queue_below_saturation_does_not_drift_and_one_above_does() {
        let trials = u64::from(sansim_trials::case_count(500));
        for steps in [3, 30, 300, 3_000] {
            let drifts = |load: f64| {
                (0..trials)
                    .filter(|&seed| {
                        watched(FigureUnit::Count).drift(&chain(load, seed, 200, steps)).is_some()
                    })
                    .count() as u64
            };
            let below = [0.3, 0.8, 0.9].map(drifts);
            println!(
                "{steps} steps from look to look: {below:?} of {trials} below saturation, {} at 1.2",
                drifts(1.2)
            );
            assert!(below.iter().all(|&drifts| 50 * drifts <= trials), "{below:?}");
            assert!(steps < 30 || 50 * drifts(1.2) > 49 * trials);
        }
    }

    #[test]
    fn a_queue_that_is_full_at_once_and_stays_so_does_not_drift() {
        let filled = levels(100, |number| queue(if number == 0 { 0.0 } else { 16.0 }));
        assert!(watched(FigureUnit::Count).drift(&filled).is_none());
    }
}
