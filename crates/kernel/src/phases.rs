//! Phases that come at random, one after the other: something is so, then not, then so again. Each lasts an exponential time by itself.

use crate::{RandomStream, Span, Time};

/// See the module text.
#[derive(Clone, Debug)]
pub struct Phases {
    random: RandomStream,
    /// Mean lengths of those in which it is not so, and in which it is, in nanoseconds.
    means: [f64; 2],
    is_so: bool,
    /// When the present one ends.
    until: Time,
}

impl Phases {
    /// It is not so at first, and becomes so after `every` in the mean, for `lasts` in the mean; without that for ever.
    pub fn new(every: Span, lasts: Option<Span>, random: RandomStream) -> Self {
        let means = [every.as_ns_f64(), lasts.map_or(f64::INFINITY, Span::as_ns_f64)];
        let mut phases = Self { random, means, is_so: true, until: Time::ZERO };
        phases.turn(Time::ZERO);
        phases
    }

    /// Whether it is so in the present phase.
    pub fn is_so(&self) -> bool {
        self.is_so
    }

    /// When the present phase ends.
    pub fn until(&self) -> Time {
        self.until
    }

    /// The present phase ends.
    pub fn turn(&mut self, at: Time) {
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
