//! Spans that are drawn from measured values.

use crate::{RandomStream, Span, Weighted};

/// One of given values, each with a probability in proportion to its weight.
#[derive(Clone, Debug, PartialEq)]
pub struct Empirical {
    values: Vec<Span>,
    weights: Vec<f64>,
    choice: Weighted,
}

impl Empirical {
    /// The distribution of these values, with as many weights. The result is none if no value can be chosen
    /// by the weights.
    pub fn new(values: Vec<Span>, weights: Vec<f64>) -> Option<Empirical> {
        let choice = Weighted::new(&weights).filter(|_| values.len() == weights.len())?;
        Some(Empirical { values, weights, choice })
    }

    /// The values of the distribution.
    pub fn values(&self) -> &[Span] {
        &self.values
    }

    /// The weights of the values.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    pub(super) fn draw(&self, random: &mut RandomStream) -> Span {
        self.values[self.choice.draw(random)]
    }

    pub(super) fn moments_ns(&self) -> (f64, f64) {
        let sum: f64 = self.weights.iter().sum();
        let mean_of = |of: &dyn Fn(f64) -> f64| {
            let weighted = self.values.iter().zip(&self.weights);
            weighted.map(|(value, weight)| of(value.as_ns_f64()) * weight / sum).sum::<f64>()
        };
        let mean = mean_of(&|ns| ns);
        (mean, mean_of(&|ns| (ns - mean).powi(2)))
    }
}
