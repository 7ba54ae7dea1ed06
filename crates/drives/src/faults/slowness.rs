//! Slow phases of a drive: from an event until it is repaired, and at random. If the drive is slow both by an event and at random, the
//! factors multiply.
//!
//! The medium of the drive has a clock of its own ([`Clock`]). The busy times of the medium are stretched by the pace that the clock had
//! when they passed.

use super::FaultParameters;
use super::clock::{Clock, NORMAL};
use sansim_kernel::phases::Phases;
use sansim_kernel::{RandomStream, Time, Total};

/// A busy time: the simulated part up to the last change of the pace, and the busy time that the medium reported at that change.
#[derive(Clone, Copy, Debug, Default)]
struct Stretched {
    passed: u128,
    told: u128,
}

/// The slow phases of a drive: from an event until its repair, and at random.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slowness {
    clock: Clock,
    /// The slowness by an event, in thousandths of the normal time; 0 without one.
    by_event: u64,
    /// The phases in which the drive is slow, and the slowness in them, in thousandths of the normal time.
    phases: Option<Box<(Phases, u64)>>,
    /// The stretched busy times; none as long as the drive was never slow.
    stretched: Vec<Stretched>,
}

impl Slowness {
    /// The slowness of a drive with these parameters. Without phases no random number is drawn.
    pub fn new(parameters: &FaultParameters, seed: u64, stream: &str) -> Self {
        let phases = parameters.slow_every.map(|every| {
            // The slow factor is at most a million, which is the range of the key.
            let thousandths = (parameters.slow_factor * 1e3).round() as u64;
            let random = RandomStream::new(seed, stream);
            Box::new((Phases::new(every, Some(parameters.slow_for), random), thousandths))
        });
        Self { phases, ..Self::default() }
    }

    /// The time of the clock of the medium at an instant.
    #[inline]
    pub fn medium_clock_time(&self, now: Time) -> Time {
        self.clock.medium_clock_time(now)
    }

    /// The simulated time at which the clock of the drive shows this time, if the pace does not change.
    #[inline]
    pub fn simulated_time_of(&self, own: Time, now: Time) -> Time {
        self.clock.simulated_time_of(own, now)
    }

    /// The end of the present phase; [`Time::NEVER`] without phases.
    pub fn next_phase_change(&self) -> Time {
        self.phases.as_ref().map_or(Time::NEVER, |phases| phases.0.phase_end())
    }

    /// Brings the clock to the present: the drive may have become slow, or fast again. `told` returns each of the `count` busy times of the
    /// medium, up to an instant of the medium's own clock. Returns whether the pace has changed.
    pub fn catch_up(&mut self, now: Time, count: usize, told: impl Fn(Time, usize) -> Total) -> bool {
        let mut changed = false;
        while let Some(phases) = self.phases.as_mut().filter(|phases| phases.0.phase_end() <= now) {
            let at = phases.0.phase_end();
            phases.0.end_phase(at);
            changed |= self.set_pace(at, count, &told);
        }
        changed
    }

    /// Makes the drive slow by an event. The caller has brought the drive to the present.
    pub fn make_slow(
        &mut self,
        now: Time,
        thousandths: u32,
        count: usize,
        told: impl Fn(Time, usize) -> Total,
    ) -> bool {
        self.by_event = thousandths.into();
        self.set_pace(now, count, &told)
    }

    /// Repairs the drive, which is slow no more. The caller has brought the drive to the present.
    pub fn repair(&mut self, now: Time, count: usize, told: impl Fn(Time, usize) -> Total) -> bool {
        self.by_event = 0;
        if let Some(phases) = self.phases.as_mut().filter(|phases| phases.0.is_condition_true()) {
            phases.0.end_phase(now);
        }
        self.set_pace(now, count, &told)
    }

    fn set_pace(&mut self, at: Time, count: usize, told: &impl Fn(Time, usize) -> Total) -> bool {
        let by_phase = self.phases.as_ref().filter(|phases| phases.0.is_condition_true());
        let by_phase = by_phase.map_or(NORMAL, |phases| phases.1);
        let thousandths = (self.by_event.max(NORMAL) * by_phase / NORMAL).max(NORMAL);
        if thousandths == self.clock.slowness_in_thousandths() {
            return false;
        }
        let own = self.clock.medium_clock_time(at);
        self.stretched.resize(count, Stretched::default());
        for (number, stretched) in self.stretched.iter_mut().enumerate() {
            let told = told(own, number).0;
            stretched.passed +=
                self.clock.clock_to_simulated_time(told.saturating_sub(stretched.told), false);
            stretched.told = told;
        }
        self.clock.set_clock_pace(at, thousandths);
        true
    }

    /// A busy time in simulated time, where `told` is the busy time by the medium's own clock.
    pub fn busy_simulated_time(&self, number: usize, told: Total) -> Total {
        self.stretched.get(number).map_or(told, |stretched| {
            let since = told.0.saturating_sub(stretched.told);
            Total(stretched.passed + self.clock.clock_to_simulated_time(since, false))
        })
    }
}
