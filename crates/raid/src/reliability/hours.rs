//! Lives and rebuild times in hours: their distributions, and how they are drawn.

use sansim_kernel::distribution::Weibull;
use sansim_kernel::{Distribution, RandomStream, Span};

/// The distribution of the life of a member.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LifeTimes {
    /// Lives are exponentially distributed: members do not age.
    Exponential {
        /// Mean, in hours.
        mean_h: f64,
    },
    /// Lives have a Weibull distribution: with a shape below 1 members fail early, above 1 they wear out.
    Weibull {
        /// Mean, in hours.
        mean_h: f64,
        /// Shape.
        shape: f64,
    },
}

/// The distribution of the rebuild time, from the failure on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RebuildTimes {
    /// The rebuild time is always the same.
    Fixed {
        /// The rebuild time in hours.
        hours: f64,
    },
    /// The rebuild time is exponentially distributed, as the formulas assume.
    Exponential {
        /// Mean, in hours.
        mean_h: f64,
    },
}

impl RebuildTimes {
    /// The mean rebuild time, in hours.
    pub(super) fn mean_h(self) -> f64 {
        match self {
            Self::Fixed { hours } => hours,
            Self::Exponential { mean_h } => mean_h,
        }
    }
}

/// Draws random times in hours. The distributions of the kernel draw spans, which are shorter than lives: a drawn value has a mean of one
/// second, and a second counts as `mean_h` hours.
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
