//! The result of a run, as it is printed and stored. Units are in the names; times are in nanoseconds.

use crate::counted::{ALL, IoRecord, Measuring, READS, WRITES};
use crate::measure::Measured;
use crate::passes::{PassSummary, summarise_passes};
use crate::plan::{NodeKind, Plan};
use crate::samples::Sample;
use crate::simulation::Simulation;
use crate::statistics::Statistics;
use crate::usage::NodeUse;
use sansim_kernel::{Interval, Observations, Series, Span, TICKS_PER_NS, Total};
use sansim_observe::ledger::{SEGMENTS, Segment};
use sansim_observe::observer::Observer;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// The result proper. Deterministic: the same scenario and seed give the same bytes.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Name of the scenario.
    pub title: String,
    /// Seed of all random streams.
    pub seed: u64,
    /// I/Os measured.
    pub ios: u64,
    /// I/Os left out before them.
    pub warm_up_ios: u64,
    /// Whether the run was ended before all I/Os were done.
    pub stopped_early: bool,
    /// Length of the measured interval in seconds.
    pub simulated_s: f64,
    /// Measured I/Os per second.
    pub iops: f64,
    /// Half width of its 95 % confidence interval; null when there are too few I/Os to tell.
    pub iops_ci95: Option<f64>,
    /// Data bytes per second.
    pub bytes_per_second: f64,
    /// Half width of its 95 % confidence interval.
    pub bytes_per_second_ci95: Option<f64>,
    /// Response times of all measured I/Os.
    pub response_time_ns: ResponseTime,
    /// Reads alone.
    pub reads: Direction,
    /// Writes alone.
    pub writes: Direction,
    /// The components by name.
    pub components: Named<Component>,
    /// Where the time went.
    pub ledger_ns: LedgerSummary,
    /// How the intervals came about, and whether they can be trusted.
    pub statistics: Statistics,
    /// The workloads that run in passes.
    #[serde(skip_serializing_if = "Named::is_empty")]
    pub passes: Named<PassSummary>,
}

/// How the run went. Differs from run to run.
#[derive(Clone, Debug, Serialize)]
pub struct RunInfo {
    /// Version of sansim.
    pub version: &'static str,
    /// Which loop.
    pub r#loop: &'static str,
    /// Wall seconds.
    pub wall_s: f64,
    /// Events handled.
    pub events: u64,
    /// Events per wall second.
    pub events_per_second: f64,
    /// Simulated seconds per wall second.
    pub simulated_per_wall: f64,
}

/// Response times in nanoseconds.
#[derive(Clone, Debug, Serialize)]
pub struct ResponseTime {
    /// Mean.
    pub mean: f64,
    /// Half width of the 95 % confidence interval of the mean; null when there are too few I/Os to tell.
    pub ci95: Option<f64>,
    /// Least.
    pub min: u64,
    /// Median.
    pub p50: u64,
    /// 90th percentile.
    pub p90: u64,
    /// 99th percentile.
    pub p99: u64,
    /// 99.9th percentile.
    pub p99_9: u64,
    /// Greatest.
    pub max: u64,
    /// The 95 % confidence intervals of the percentiles.
    pub ci95_percentiles: PercentileIntervals,
}

/// From where to where the 95 % confidence intervals of percentiles go, in nanoseconds; null where there are too few I/Os to
/// tell. A percentile is not in the middle of its interval.
#[derive(Clone, Debug, Serialize)]
pub struct PercentileIntervals {
    /// Of the median.
    pub p50: Option<(u64, u64)>,
    /// Of the 90th percentile.
    pub p90: Option<(u64, u64)>,
    /// Of the 99th percentile.
    pub p99: Option<(u64, u64)>,
    /// Of the 99.9th percentile.
    pub p99_9: Option<(u64, u64)>,
}

/// The percentiles that are told.
const PERCENTS: [f64; 4] = [50.0, 90.0, 99.0, 99.9];

/// One direction of transfer.
#[derive(Clone, Debug, Serialize)]
pub struct Direction {
    /// I/Os.
    pub ios: u64,
    /// Their data bytes.
    pub bytes: u64,
    /// Their response times; null when there are none.
    pub response_time_ns: Option<ResponseTime>,
}

/// Values by name, in a given order.
#[derive(Clone, Debug)]
pub struct Named<T>(pub Vec<(String, T)>);

impl<T> Named<T> {
    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, value)| value)
    }
}

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// Use of a component in the measured interval. Utilisations are fractions of that interval.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Component {
    /// The loop.
    ArbitratedLoop {
        /// Fraction of the time in which frames were sent, in one direction or in both.
        utilisation: f64,
        /// Fraction of the time in which frames were sent in both directions at once (full duplex).
        both_ways: f64,
        /// Fraction of the time in which some port owned the loop.
        owned: f64,
        /// Tenancies.
        tenancies: u64,
        /// Frames.
        frames: u64,
        /// Time of one way round.
        round_trip_ns: f64,
        /// Ports.
        ports: u64,
    },
    /// A host with its adapter.
    Host {
        /// The busiest block of the adapter.
        utilisation: f64,
        /// FCP main processor.
        processor: f64,
        /// DMA.
        dma: f64,
        /// Incoming frame process.
        incoming: f64,
        /// Single frame transfer.
        single_frame: f64,
    },
    /// A group of drives. The adapter blocks are means over the group.
    Drives {
        /// Mean utilisation of the drives by access and media transfer, per command they may work on.
        utilisation: f64,
        /// The least used drive.
        utilisation_min: f64,
        /// The most used drive.
        utilisation_max: f64,
        /// Mean fraction of the time in which the drives were taken, from the start of a command until its status was
        /// made, per command they may work on. A drive that is always taken is full, however little it is busy.
        occupied: f64,
        /// The drive that was taken least.
        occupied_min: f64,
        /// The drive that was taken most.
        occupied_max: f64,
        /// Drives.
        count: u64,
        /// FCP main processor.
        processor: f64,
        /// DMA.
        dma: f64,
        /// Incoming frame process.
        incoming: f64,
        /// Single frame transfer.
        single_frame: f64,
    },
    /// Ports that only repeat.
    Passive {
        /// How many.
        count: u64,
    },
}

/// Mean time per segment, in the order in which an I/O meets them. Segments that never occurred are left out.
#[derive(Clone, Debug, Serialize)]
pub struct LedgerSummary {
    /// Of all measured I/Os. The sum is their mean response time.
    pub mean: Named<f64>,
    /// Of the slowest percent.
    pub slowest_percent: Named<f64>,
}

fn half_width(interval: Interval) -> Option<f64> {
    interval.half_width_95.is_finite().then_some(interval.half_width_95)
}

fn response_time(series: &Series) -> ResponseTime {
    let histogram = &series.histogram;
    let [p50, p90, p99, p99_9] = PERCENTS.map(|percent| histogram.percentile(percent));
    let interval = |number: usize| series.percentiles.get(number).copied().flatten();
    ResponseTime {
        mean: series.mean_ns.estimate,
        ci95: half_width(series.mean_ns),
        min: histogram.min(),
        p50,
        p90,
        p99,
        p99_9,
        max: histogram.max(),
        ci95_percentiles: PercentileIntervals {
            p50: interval(0),
            p90: interval(1),
            p99: interval(2),
            p99_9: interval(3),
        },
    }
}

fn direction(observations: &Observations<2>, kind: usize) -> Direction {
    let series = observations.series(&[kind], &PERCENTS);
    Direction {
        ios: series.count,
        bytes: series.amount,
        response_time_ns: (series.count > 0).then(|| response_time(&series)),
    }
}

fn by_segment(ticks: [f64; SEGMENTS]) -> Named<f64> {
    let ns = |ticks: f64| ticks / TICKS_PER_NS as f64;
    let named = Segment::ALL.iter().zip(ticks).filter(|(_, t)| *t > 0.0);
    Named(named.map(|(segment, t)| (segment.name().to_owned(), ns(t))).collect())
}

/// Sums up a simulation that has ended, perhaps early.
pub(crate) fn summarise<O: Observer>(
    plan: &Plan,
    mut simulation: Simulation<O>,
    stopped_early: bool,
    keep_ios: bool,
) -> (Summary, Measuring, Vec<IoRecord>, Vec<Sample>, O) {
    let now = simulation.now();
    simulation.open_at(simulation.measurement.opening());
    let loop_use = simulation.loop_use();
    let node_use = simulation.node_use();
    let round = simulation.arbitrated_loop().round();
    let passes = plan
        .workloads
        .iter()
        .zip(simulation.workloads())
        .filter_map(|(plan_of, workload)| {
            Some((plan_of.name.clone(), summarise_passes(plan, plan_of, workload.passes())?))
        })
        .collect();
    let (measurement, samples, observer) = simulation.into_parts();
    let measured = measurement.finish(now);
    let statistics = Statistics::new(plan, &measured, stopped_early);
    let Measured { counted, left_out, interval, records, .. } = measured;
    let seconds = interval.length().as_s_f64();
    let per_second = |amount: u64| if seconds > 0.0 { amount as f64 / seconds } else { 0.0 };
    let fraction = |busy: Total| if seconds > 0.0 { busy.as_s_f64() / seconds } else { 0.0 };
    let mut components = vec![(
        plan.arbitrated_loop.name.clone(),
        Component::ArbitratedLoop {
            utilisation: fraction(loop_use.carrying.into()),
            both_ways: fraction(loop_use.both_ways.into()),
            owned: fraction(loop_use.owned.into()),
            tenancies: loop_use.tenancies,
            frames: loop_use.frame_count,
            round_trip_ns: round.as_ns_f64(),
            ports: plan.nodes.len() as u64,
        },
    )];
    let mut first = 0;
    while first < plan.nodes.len() {
        let name = &plan.nodes[first].name;
        let members = plan.nodes[first..].iter().take_while(|node| node.name == *name).count();
        let used = &node_use[first..first + members];
        components.push((name.clone(), component(&plan.nodes[first].kind, used, &fraction)));
        first += members;
    }
    let all = counted.observations.series(&ALL, &PERCENTS);
    let rates = counted.observations.rates(interval.opened, interval.closed, interval.rate_edges());
    let count = all.count.max(1) as f64;
    let summary = Summary {
        title: plan.title.clone(),
        seed: plan.seed,
        ios: all.count,
        warm_up_ios: left_out,
        stopped_early,
        simulated_s: seconds,
        iops: per_second(all.count),
        iops_ci95: half_width(rates[0]),
        bytes_per_second: per_second(all.amount),
        bytes_per_second_ci95: half_width(rates[1]),
        response_time_ns: response_time(&all),
        reads: direction(&counted.observations, READS),
        writes: direction(&counted.observations, WRITES),
        components: Named(components),
        ledger_ns: LedgerSummary {
            mean: by_segment(counted.spent.map(|ticks| ticks as f64 / count)),
            slowest_percent: by_segment(counted.slowest_spent()),
        },
        statistics,
        passes: Named(passes),
    };
    (summary, interval, if keep_ios { records } else { Vec::new() }, samples, observer)
}

fn component(kind: &NodeKind, used: &[NodeUse], fraction: &dyn Fn(Total) -> f64) -> Component {
    let mean = |of: fn(&NodeUse) -> Span| {
        used.iter().map(|u| fraction(of(u).into())).sum::<f64>() / used.len() as f64
    };
    let processor = mean(|u| u.processor);
    let dma = mean(|u| u.dma);
    let incoming = mean(|u| u.incoming);
    let single_frame = mean(|u| u.single_frame);
    match kind {
        NodeKind::Passive => Component::Passive { count: used.len() as u64 },
        NodeKind::Host { .. } => Component::Host {
            utilisation: processor.max(dma).max(incoming).max(single_frame),
            processor,
            dma,
            incoming,
            single_frame,
        },
        NodeKind::Drive { drive, .. } => {
            // Mean, least and most.
            let shares = |of: fn(&NodeUse) -> Total| {
                let each = used.iter().map(|u| fraction(of(u)) / f64::from(drive.concurrency));
                let mean = each.clone().sum::<f64>() / used.len() as f64;
                (mean, each.clone().fold(f64::INFINITY, f64::min), each.fold(0.0, f64::max))
            };
            let (utilisation, utilisation_min, utilisation_max) = shares(|u| u.drive);
            let (occupied, occupied_min, occupied_max) = shares(|u| u.occupied);
            Component::Drives {
                utilisation,
                utilisation_min,
                utilisation_max,
                occupied,
                occupied_min,
                occupied_max,
                count: used.len() as u64,
                processor,
                dma,
                incoming,
                single_frame,
            }
        }
    }
}
