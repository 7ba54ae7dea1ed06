//! Random failures and repairs of a drive. Commands in work when the drive fails, and all commands until it is repaired, end with a
//! failure, as after an event of the scenario.
//!
//! The initiators of the drive learn of a failure when it happens, whether or not the drive has commands in work.

use sansim_kernel::phases::Phases;
use sansim_kernel::{RandomStream, Span, Time};

/// The random failures and repairs of a drive.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outages(Option<Box<Phases>>);

impl Outages {
    /// The outages of a drive with these mean times from a repair to the next failure, and from a failure to its repair. For a drive that
    /// never fails no random number is drawn.
    pub fn new(every: Option<Span>, lasts: Option<Span>, seed: u64, stream: &str) -> Self {
        let phases = |every| Box::new(Phases::new(every, lasts, RandomStream::new(seed, stream)));
        Self(every.map(phases))
    }

    /// The time of the next failure or repair; [`Time::NEVER`] if the drive never fails.
    #[inline]
    pub fn next_phase_change(&self) -> Time {
        self.0.as_ref().map_or(Time::NEVER, |phases| phases.phase_end())
    }

    /// Whether the drive has failed and is not repaired.
    pub fn has_failed(&self) -> bool {
        self.0.as_ref().is_some_and(|phases| phases.is_condition_true())
    }

    /// Brings the drive to the present. Returns whether the drive has failed meanwhile, be it repaired again or not.
    pub fn catch_up(&mut self, now: Time) -> bool {
        let mut has_failed = false;
        while let Some(phases) = self.0.as_mut().filter(|phases| phases.phase_end() <= now) {
            phases.end_phase(phases.phase_end());
            has_failed |= phases.is_condition_true();
        }
        has_failed
    }

    /// Repairs the drive now if the drive has failed. The caller has brought the drive to the present.
    pub fn repair(&mut self, now: Time) {
        if let Some(phases) = self.0.as_mut().filter(|phases| phases.is_condition_true()) {
            phases.end_phase(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_us(1_000 * ms)
    }

    #[test]
    fn a_drive_is_out_for_its_share_of_the_time() {
        let [every, lasts] = [9, 1].map(|s| Some(Span::from_s(s)));
        let mut outages = Outages::new(every, lasts, 1, "drives/0/outages");
        let (mut out, mut failures) = (0_u32, 0_u32);
        for now in 0..1_000_000 {
            let before = outages.has_failed();
            outages.catch_up(ms(10 * now));
            failures += u32::from(outages.has_failed() && !before);
            out += u32::from(outages.has_failed());
        }
        // The drive is out for a tenth of 10,000 s; there are some 1,000 failures, so the share has a standard deviation of 4 %.
        assert!((90_000..110_000).contains(&out), "{out}");
        assert!((880..1_120).contains(&failures), "{failures}");
    }

    #[test]
    fn without_a_time_of_repair_it_stays_out_until_somebody_repairs_it() {
        let mut outages = Outages::new(Some(Span::from_s(1)), None, 1, "drives/0/outages");
        let fails = outages.next_phase_change();
        assert!(!outages.catch_up(Time(fails.0 - 1)) && !outages.has_failed());
        assert!(outages.catch_up(fails) && outages.has_failed());
        assert_eq!(outages.next_phase_change(), Time::NEVER);
        outages.repair(fails + Span::from_s(5));
        assert!(!outages.has_failed() && outages.next_phase_change() > fails + Span::from_s(5));
    }

    #[test]
    fn one_that_never_fails_draws_nothing() {
        let mut outages = Outages::new(None, Some(Span::from_s(1)), 1, "drives/0/outages");
        assert_eq!(outages.next_phase_change(), Time::NEVER);
        assert!(!outages.catch_up(ms(1_000_000)));
    }
}
