//! The Pareto distribution.

use crate::functions::{natural_logarithm, power};
use crate::{RandomStream, Span};

/// The parameter that scales the spans of a Pareto distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParetoScale {
    /// The least span of the distribution.
    Least(Span),
    /// The mean of the distribution.
    Mean(Span),
}

/// The Pareto distribution: longer than x with probability (least / x)^shape. With a cap it is the distribution of the
/// spans that are not longer than the cap (bounded Pareto). Without a cap the mean is infinite for a shape up to 1, and the
/// variance for a shape up to 2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pareto {
    scale: ParetoScale,
    shape: f64,
    cap: Option<Span>,
    least_ns: f64,
    /// The probability that a span without a cap would be longer than the cap.
    beyond: f64,
}

impl Pareto {
    /// The distribution with this scale and shape, and with the cap if there is one. The result is none if no such distribution exists:
    /// the shape is not positive, the cap is not above the least or the mean, or a mean is given for a shape without a mean.
    pub fn new(scale: ParetoScale, shape: f64, cap: Option<Span>) -> Option<Pareto> {
        if !(shape.is_finite() && shape > 0.0) {
            return None;
        }
        let with = |least_ns: f64| {
            let beyond = cap.map_or(0.0, |cap| power(least_ns / cap.as_ns_f64(), shape));
            Pareto { scale, shape, cap, least_ns, beyond }
        };
        match (scale, cap) {
            (ParetoScale::Least(span) | ParetoScale::Mean(span), _) if span.is_zero() => None,
            (ParetoScale::Least(span) | ParetoScale::Mean(span), Some(cap)) if span >= cap => None,
            (ParetoScale::Least(least), _) => Some(with(least.as_ns_f64())),
            (ParetoScale::Mean(_), None) if shape <= 1.0 => None,
            (ParetoScale::Mean(mean), None) => Some(with(mean.as_ns_f64() * (shape - 1.0) / shape)),
            (ParetoScale::Mean(mean), Some(_)) => {
                // The mean grows with the least span: the interval of the least span is halved until it
                // contains no further number.
                let mean = mean.as_ns_f64();
                let (mut low, mut high) = (0.0, mean);
                loop {
                    let middle = 0.5 * (low + high);
                    if middle <= low || middle >= high || middle < mean * 1e-12 {
                        return (middle >= mean * 1e-12).then(|| with(high));
                    }
                    if with(middle).moments_ns().0 < mean { low = middle } else { high = middle }
                }
            }
        }
    }

    /// The scale from which the distribution was made.
    pub fn scale(&self) -> ParetoScale {
        self.scale
    }

    /// The shape of the distribution.
    pub fn shape(&self) -> f64 {
        self.shape
    }

    /// The cap of the distribution, if it has one.
    pub fn cap(&self) -> Option<Span> {
        self.cap
    }

    /// The least span, in ns.
    pub fn least_ns(&self) -> f64 {
        self.least_ns
    }

    pub(super) fn draw_ns(&self, random: &mut RandomStream) -> f64 {
        let longer = self.beyond + random.open_unit_f64() * (1.0 - self.beyond);
        self.least_ns * power(longer, -1.0 / self.shape)
    }

    pub(super) fn moments_ns(&self) -> (f64, f64) {
        let (mean, second) = (self.moment(1.0), self.moment(2.0));
        (mean, if second.is_finite() { second - mean * mean } else { f64::INFINITY })
    }

    /// The mean of the `order`-th power of the span, in ns to that power.
    fn moment(&self, order: f64) -> f64 {
        let (shape, least) = (self.shape, self.least_ns);
        let Some(cap) = self.cap else {
            let scale = if order == 1.0 { least } else { least * least };
            return if shape > order { scale * shape / (shape - order) } else { f64::INFINITY };
        };
        // The integral of shape least^shape x^(order - shape - 1) from the least span to the cap.
        let (ratio, gap) = (cap.as_ns_f64() / least, order - shape);
        let integral =
            if gap.abs() < 1e-9 { natural_logarithm(ratio) } else { (power(ratio, gap) - 1.0) / gap };
        let scale = if order == 1.0 { least } else { least * least };
        scale * shape * integral / (1.0 - self.beyond)
    }
}
