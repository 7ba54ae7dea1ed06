//! Faults of a drive, beside the errors that its firmware makes: the drive fails, it is slow without failing, and sectors become
//! unreadable.
//!
//! | module | subject |
//! | --- | --- |
//! | [`clock`] | a slow drive: one whose clock runs slower than all others |
//! | [`slowness`] | the phases in which it is slow, and its meters then |
//! | [`outages`] | random failures and repairs |
//! | [`sectors`] | unreadable sectors, and how they become so |
//!
//! Source: Gunawi and others, "Fail-Slow at Scale", FAST 2018: drives may go on working at a small part of their speed for minutes to
//! months. Unreadable sectors are the non-recoverable read errors of data sheets: one error per so many bits read. Assumptions: phases and
//! failures come at random, with exponential times between, and each bit fails by itself.

pub(crate) mod clock;
pub(crate) mod outages;
pub(crate) mod sectors;
pub(crate) mod slowness;

use outages::Outages;
use sansim_component::BuildContext;
use sansim_kernel::Span;
use sansim_schema::idle::IdleKeys;
use sansim_schema::quantities::{Dimensioned, Fraction, Number, Time};
use sansim_schema::table;
use sectors::Sectors;
use slowness::Slowness;

/// The reason why the demand at a drive has no certain least value: while the drive is out, other drives have less work for it.
pub(crate) const FAILS: &str = "drives fail at random";

/// A phase begins within 30 days, and lasts no longer than 30 days.
const PHASE: Time = Time::between(Span::from_us(1), Span::LONGEST);

table! {
    /// Faults of the medium of each drive, in addition to events of the scenario.
    #[derive(Copy)]
    pub struct FaultParameters {
        /// Probability for each bit that is read that its sector cannot be read from then on, until it is written. Data sheets say 1e-14 to
        /// 1e-16.
        unreadable: f64 = Fraction, default "0.0", source "data sheets, non-recoverable read errors per bits read";
        /// Mean time from the end of a slow phase of the drive to the beginning of the next.
        slow_every: Option<Span> = PHASE.or("never"), default r#""never""#, source "Gunawi et al., FAST 2018";
        /// How long such a phase lasts in the mean.
        slow_for: Span = PHASE, default r#""1 s""#, source "ours: assumed, the paper has minutes to months";
        /// Factor by which everything takes longer in a slow phase.
        slow_factor: f64 = Number::between(1.0, 1_000.0), default "10.0", source "Gunawi et al., FAST 2018";
        /// Mean time until the drive fails, since the beginning or since it was repaired. Commands in work when the drive fails, and all
        /// commands until the drive is repaired, end with a failure.
        fails_every: Option<Span> = PHASE.or("never"), default r#""never""#, source "none";
        /// Mean time from a failure until the drive is repaired, or replaced by an empty drive.
        fails_for: Option<Span> = PHASE.or("ever"), default r#""ever""#, source "none";
    }
    idle(of_phases)
}

impl FaultParameters {
    /// Marks keys as unused that belong to phases that never come.
    fn of_phases(&self, idle: &mut IdleKeys) {
        let why = "no drive becomes slow by itself (`slow_every`)";
        idle.mark_idle_unless(self.slow_every.is_some(), &["slow_for", "slow_factor"], why);
        idle.mark_idle_unless(
            self.fails_every.is_some(),
            &["fails_for"],
            "no drive fails by itself (`fails_every`)",
        );
    }
}

impl Default for FaultParameters {
    /// A drive without faults.
    fn default() -> Self {
        Self {
            unreadable: 0.0,
            slow_every: None,
            slow_for: Span::from_s(1),
            slow_factor: 10.0,
            fails_every: None,
            fails_for: None,
        }
    }
}

/// The faults of one drive.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults {
    pub sectors: Sectors,
    pub slowness: Slowness,
    pub outages: Outages,
}

impl Faults {
    /// The faults of the drive that is being built. For a drive without faults no random number is drawn.
    pub fn new<R>(parameters: &FaultParameters, cx: &BuildContext<'_, R>) -> Self {
        let stream = |what: &str| cx.random_stream_name(what);
        Self {
            sectors: Sectors::new(parameters.unreadable, cx.seed, &stream("unreadable")),
            slowness: Slowness::new(parameters, cx.seed, &stream("slow")),
            outages: Outages::new(parameters.fails_every, parameters.fails_for, cx.seed, &stream("outages")),
        }
    }
}

#[cfg(test)]
mod tests;
