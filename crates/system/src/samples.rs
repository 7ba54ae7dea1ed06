//! Periodic samples: queues and use of loop and nodes, over the whole run.

use crate::usage::{LoopUse, NodeUse};
use sansim_kernel::{Span, Time, Total};
use sansim_observe::observer::{GAUGES, Gauge, Names, Role, StationName};

/// The first interval when the sampler chooses.
const FIRST_INTERVAL: Span = Span::from_us(100);

/// When it has this many samples it drops every other one and doubles the interval, so that a run of any length gives
/// between half as many and as many.
const MOST: usize = 512;

/// The same for an interval that was given.
const MOST_GIVEN: usize = 100_000;

/// How often to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sampling {
    /// Never.
    #[default]
    Off,
    /// At intervals that grow with the run.
    Automatic,
    /// At this interval, as long as that gives no more than a hundred thousand; then at one that grows.
    Every(Span),
}

/// The state at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// When.
    pub at: Time,
    /// Use of the loop since the beginning of the run.
    pub loop_use: LoopUse,
    /// Use of the nodes since the beginning of the run, by station.
    pub node_use: Vec<NodeUse>,
    /// The gauges by station.
    pub gauges: Vec<[u32; GAUGES]>,
}

impl Sample {
    /// Every quantity of the sample by component and name; utilisations are those since the sample before.
    pub fn quantities(&self, before: Option<&Sample>, names: &Names, see: &mut dyn FnMut(&str, &str, f64)) {
        let since = before.map_or(Time::ZERO, |sample| sample.at);
        let seconds = (self.at - since).as_s_f64();
        let share = |busy: Span| busy.as_s_f64() / seconds;
        let share_of_sum = |busy: Total| busy.as_s_f64() / seconds;
        let loop_use = self.loop_use - before.map_or(LoopUse::default(), |sample| sample.loop_use);
        see(&names.arbitrated_loop, "owned", share(loop_use.owned));
        see(&names.arbitrated_loop, "frames", share(loop_use.carrying));
        see(&names.arbitrated_loop, "both_ways", share(loop_use.both_ways));
        for (station, StationName { name, role, .. }) in names.stations.iter().enumerate() {
            let gauges: &[Gauge] = match role {
                Role::Passive => continue,
                Role::Initiator => &INITIATOR_GAUGES,
                Role::Target => &TARGET_GAUGES,
            };
            for gauge in gauges {
                see(name, gauge.name(), f64::from(self.gauges[station][*gauge as usize]));
            }
            let node = self.node_use[station] - before.map_or(NodeUse::default(), |s| s.node_use[station]);
            see(name, "processor", share(node.processor));
            see(name, "dma", share(node.dma));
            if *role == Role::Target {
                // A drive begins with the receipt of the command, but that is known only when its firmware has it.
                see(name, "drive", share_of_sum(node.drive).min(1.0));
                see(name, "occupied", share_of_sum(node.occupied));
            }
        }
    }
}

const INITIATOR_GAUGES: [Gauge; 7] = [
    Gauge::Waiting,
    Gauge::Outstanding,
    Gauge::Processor,
    Gauge::Dma,
    Gauge::PortQueue,
    Gauge::Buffers,
    Gauge::Credit,
];

const TARGET_GAUGES: [Gauge; 6] =
    [Gauge::Processor, Gauge::Dma, Gauge::PortQueue, Gauge::Buffers, Gauge::Credit, Gauge::DriveQueue];

/// Collects samples.
#[derive(Clone, Debug)]
pub struct Sampler {
    sampling: Sampling,
    every: Span,
    /// When the next sample is due.
    pub next: Time,
    /// In order of time.
    pub samples: Vec<Sample>,
}

impl Sampler {
    /// Nothing sampled yet. The first sample is due after the first interval.
    pub fn new(sampling: Sampling) -> Self {
        let every = match sampling {
            Sampling::Off => Span::ZERO,
            Sampling::Automatic => FIRST_INTERVAL,
            Sampling::Every(interval) => interval,
        };
        let next = if sampling == Sampling::Off { Time::NEVER } else { Time::ZERO + every };
        Self { sampling, every, next, samples: Vec::new() }
    }

    /// The last moment before the next sample, at most the end of simulated time.
    pub fn until(&self) -> Time {
        Time::HORIZON.min(self.next - Span(1))
    }

    /// Takes in the sample that was due.
    pub fn add(&mut self, sample: Sample) {
        self.samples.push(sample);
        let most = if self.sampling == Sampling::Automatic { MOST } else { MOST_GIVEN };
        if self.samples.len() == most {
            let mut number = 0;
            self.samples.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.every = self.every * 2;
        }
        self.next += self.every;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at: Time) -> Sample {
        Sample { at, loop_use: LoopUse::default(), node_use: Vec::new(), gauges: Vec::new() }
    }

    #[test]
    fn samples_stay_evenly_spaced_and_bounded_however_long_the_run() {
        let mut sampler = Sampler::new(Sampling::Automatic);
        for _ in 0..5_000 {
            sampler.add(sample(sampler.next));
            assert!(sampler.samples.len() < MOST);
        }
        assert!(sampler.samples.len() >= MOST / 2);
        let every = sampler.samples[0].at - Time::ZERO;
        for (index, sample) in sampler.samples.iter().enumerate() {
            assert_eq!(sample.at, Time::ZERO + every * (index as u64 + 1));
        }
    }

    #[test]
    fn a_given_interval_is_kept() {
        let mut sampler = Sampler::new(Sampling::Every(Span::from_us(7)));
        for _ in 0..2000 {
            sampler.add(sample(sampler.next));
        }
        assert_eq!(sampler.samples.len(), 2000);
        assert_eq!(sampler.samples[1999].at, Time::ZERO + Span::from_us(14_000));
    }
}
