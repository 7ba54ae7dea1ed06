//! Phases that alternate at random times: a condition is false, then true, then false again. Each phase lasts an exponential time.

use crate::{RandomStream, Span, Time};

/// The alternating phases.
#[derive(Clone, Debug)]
pub struct Phases {
    random: RandomStream,
    /// The mean lengths of the phases in which the condition is false, and in which it is true, in
    /// nanoseconds.
    means: [f64; 2],
    is_so: bool,
    /// The end of the present phase.
    until: Time,
}

impl Phases {
    /// Phases that alternate between false and true, false at first: false phases last `every` in the mean, true ones `lasts`; without
    /// `lasts` the first true phase never ends.
    pub fn new(every: Span, lasts: Option<Span>, random: RandomStream) -> Self {
        let means = [every.as_ns_f64(), lasts.map_or(f64::INFINITY, Span::as_ns_f64)];
        let mut phases = Self { random, means, is_so: true, until: Time::ZERO };
        phases.end_phase(Time::ZERO);
        phases
    }

    /// Whether the condition is true in the present phase.
    pub fn is_condition_true(&self) -> bool {
        self.is_so
    }

    /// The end of the present phase.
    pub fn phase_end(&self) -> Time {
        self.until
    }

    /// The present phase ends.
    pub fn end_phase(&mut self, at: Time) {
        self.is_so = !self.is_so;
        let mean = self.means[usize::from(self.is_so)];
        if mean.is_infinite() {
            self.until = Time::NEVER;
            return;
        }
        let lasts = Span::from_ns_f64(self.random.exponential(mean));
        self.until = at + lasts.max(Span(1)).min(Span::LONGEST);
    }
}
