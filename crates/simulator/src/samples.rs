//! Periodic samples of queues and of the utilisation of loop and nodes, over the whole run.

use sansim_assembly::board::MeasurementBoard;
use sansim_kernel::{Span, Time, Total};
use sansim_observe::names::SystemNames;

/// The first interval between samples when the sampler chooses it.
const FIRST_INTERVAL: Span = Span::from_us(100);

/// The number of samples at which the sampler drops every other sample and doubles the interval, so that a run of any
/// length has between half this number and this number of samples.
const MOST: usize = 512;

/// The most samples with an interval that the scenario gives.
const MOST_GIVEN: usize = 100_000;

/// The interval between samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sampling {
    /// There are no samples.
    #[default]
    Off,
    /// The intervals grow with the length of the run.
    Automatic,
    /// The interval is fixed as long as there are no more than a hundred thousand samples; after that it
    /// grows.
    Every(Span),
}

/// The sampled state at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The time of the sample.
    pub at: Time,
    /// The sampled meters, since the beginning of the run.
    pub meters: Vec<Total>,
    /// The meters of places, since the beginning of the run.
    pub place_meters: Vec<Total>,
    /// The values of the gauges.
    pub gauges: Vec<u32>,
}

/// The samples of a run, with the meaning of each of their numbers.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// The samples in order of time.
    pub rows: Vec<Sample>,
    board: MeasurementBoard,
    /// The number of servers behind each meter.
    capacities: Vec<u64>,
}

impl Samples {
    /// Every quantity of every sample, by component and name; a utilisation is for the time since the
    /// previous sample.
    pub fn quantities(&self, names: &SystemNames, see: &mut dyn FnMut(Time, &str, &str, f64)) {
        let mut before: Option<&Sample> = None;
        for sample in &self.rows {
            let since = before.map_or(Time::ZERO, |sample| sample.at);
            let seconds = (sample.at - since).as_s_f64();
            let gauges = names.gauges.iter().zip(&sample.gauges);
            for (gauge, value) in gauges.filter(|(gauge, _)| gauge.gauge.is_sampled) {
                see(sample.at, &names.stations[gauge.station].name, gauge.gauge.name, f64::from(*value));
            }
            for (place, meter) in self.board.meters.iter().enumerate() {
                // A component that uses all its servers at a time counts as busy once.
                let until = sample.meters[place] / self.capacities[place];
                let from = before.map_or(Total::ZERO, |s| s.meters[place] / self.capacities[place]);
                // A drive begins with the receipt of the command, but that is counted only when its firmware has
                // the command.
                let share = ((until - from).as_s_f64() / seconds).min(1.0);
                see(sample.at, &meter.owner, meter.name, share);
            }
            for (number, meter) in self.board.place_meters.iter().enumerate() {
                let from = before.map_or(Total::ZERO, |s| s.place_meters[number]);
                let share = (sample.place_meters[number] - from).as_s_f64() / seconds;
                see(sample.at, &names.stations[meter.station].name, meter.name, share);
            }
            before = Some(sample);
        }
    }
}

/// Collects samples.
#[derive(Clone, Debug)]
pub struct Sampler {
    sampling: Sampling,
    every: Span,
    /// The time of the next sample.
    pub next: Time,
    /// The samples in order of time.
    pub samples: Vec<Sample>,
}

impl Sampler {
    /// A sampler without samples. The first sample is due after the first interval.
    pub fn new(sampling: Sampling) -> Self {
        let every = match sampling {
            Sampling::Off => Span::ZERO,
            Sampling::Automatic => FIRST_INTERVAL,
            Sampling::Every(interval) => interval,
        };
        let next = if sampling == Sampling::Off { Time::NEVER } else { Time::ZERO + every };
        Self { sampling, every, next, samples: Vec::new() }
    }

    /// The samples, when the run is over.
    pub(crate) fn into_samples(self, board: MeasurementBoard, capacities: Vec<u64>) -> Samples {
        Samples { rows: self.samples, board, capacities }
    }

    /// The last moment before the next sample, at most the end of simulated time.
    pub fn last_moment_before_sample(&self) -> Time {
        Time::HORIZON.min(self.next - Span(1))
    }

    /// Adds the sample that was due.
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
        Sample { at, meters: Vec::new(), place_meters: Vec::new(), gauges: Vec::new() }
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
