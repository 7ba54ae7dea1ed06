//! Lives and rebuilds in hours: how long they are, and drawing them.

use sansim_kernel::distribution::Weibull;
use sansim_kernel::{Distribution, RandomStream, Span};

/// How long members live.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LifeTimes {
    /// Exponentially distributed: they do not age.
    Exponential {
        /// Mean, in hours.
        mean_h: f64,
    },
    /// Weibull: with a shape below 1 they fail early, above 1 they wear out.
    Weibull {
        /// Mean, in hours.
        mean_h: f64,
        /// Shape.
        shape: f64,
    },
}

/// How long a rebuild takes, from the failure on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RebuildTimes {
    /// Always the same.
    Fixed {
        /// In hours.
        hours: f64,
    },
    /// Exponentially distributed, as the formulas have it.
    Exponential {
        /// Mean, in hours.
        mean_h: f64,
    },
}

impl RebuildTimes {
    /// The mean, in hours.
    pub(super) fn mean_h(self) -> f64 {
        match self {
            Self::Fixed { hours } => hours,
            Self::Exponential { mean_h } => mean_h,
        }
    }
}

/// Draws hours. The distributions of the kernel are of spans, which are shorter than lives: what is drawn has a mean of one second, and
/// each of them is `mean_h` hours.
pub(super) struct Hours {
    of_one: Distribution,
    mean_h: f64,
}

impl Hours {
    const ONE: Span = Span::from_s(1);

    pub(super) fn of_lives(lives: LifeTimes) -> Self {
        match lives {
            LifeTimes::Exponential { mean_h } => {
                Self { of_one: Distribution::Exponential { mean: Self::ONE }, mean_h }
            }
            LifeTimes::Weibull { mean_h, shape } => {
                let shape = shape.max(Weibull::LEAST_SHAPE);
                Self { of_one: Distribution::Weibull(Weibull::new(Self::ONE, shape)), mean_h }
            }
        }
    }

    pub(super) fn of_rebuilds(rebuilds: RebuildTimes) -> Self {
        match rebuilds {
            RebuildTimes::Fixed { hours } => Self { of_one: Distribution::Fixed(Self::ONE), mean_h: hours },
            RebuildTimes::Exponential { mean_h } => {
                Self { of_one: Distribution::Exponential { mean: Self::ONE }, mean_h }
            }
        }
    }

    pub(super) fn draw(&self, random: &mut RandomStream) -> f64 {
        self.of_one.draw(random).as_s_f64() * self.mean_h
    }
}
