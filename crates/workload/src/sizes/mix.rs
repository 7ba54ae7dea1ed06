//! The sizes of requests as a mix of several sizes.

use sansim_kernel::{RandomStream, Weighted};
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{ListOf, Number, Size};
use sansim_schema::{codes, table};

/// The most sizes of a mix: enough for every size that a trace has.
const MOST_SIZES: usize = 65_536;

table! {
    /// Requests are of several sizes, each as likely as its weight says.
    pub struct MixParameters {
        /// The sizes, in bytes.
        sizes: Vec<u64> = ListOf::between(1, MOST_SIZES, Size::between(1, u32::MAX as u64)), required r#"["4 KiB", "64 KiB"]"#, source "";
        /// The weight of each; only their ratios count, so they may be percentages.
        weights: Vec<f64> = ListOf::between(1, MOST_SIZES, Number::between(0.0, 1e12)), required "[70, 30]", source "";
    }
    checks(check_weights)
}

impl MixParameters {
    /// The mean size in bytes.
    pub fn mean(&self) -> f64 {
        let sum: f64 = self.weights.iter().sum();
        self.sizes.iter().zip(&self.weights).map(|(size, weight)| *size as f64 * weight).sum::<f64>() / sum
    }

    /// The largest size in bytes.
    pub fn largest(&self) -> u64 {
        self.sizes.iter().copied().max().unwrap_or(0)
    }

    /// The generator of these sizes.
    pub fn generator(&self) -> SizeMix {
        SizeMix::new(self)
    }

    /// Checks that there is a weight for each size, and that not all of them are zero.
    fn check_weights(&self, keys: &mut Keys<'_, '_>) {
        if !keys.all_readable(&["sizes", "weights"]) {
            return;
        }
        let place = keys.value_position("weights");
        if self.sizes.len() != self.weights.len() {
            let message = "there are not as many weights as sizes";
            let fault =
                Diagnostic::new(codes::CONTRADICTION, place, message).with_label("needs one for each size");
            let sizes = keys.value_position("sizes");
            keys.report_with("weights", fault, Some((sizes, "the sizes")));
        } else if self.weights.iter().all(|weight| *weight == 0.0) {
            let fault = Diagnostic::new(codes::CONTRADICTION, place, "all weights are zero")
                .with_label("needs a weight above zero");
            keys.report("weights", fault);
        }
    }
}

/// Sizes from a mix, drawn in a time that does not depend on the number of sizes.
#[derive(Clone, Debug)]
pub struct SizeMix {
    sizes: Vec<u64>,
    choice: Weighted,
}

impl SizeMix {
    /// A generator of these sizes. Weights that are all zero, which the checks of the keys refuse, choose all sizes alike.
    pub fn new(parameters: &MixParameters) -> SizeMix {
        let alike = || Weighted::new(&vec![1.0; parameters.sizes.len()]);
        let weighted =
            Weighted::new(&parameters.weights).filter(|_| parameters.sizes.len() == parameters.weights.len());
        match weighted.or_else(alike) {
            Some(choice) => SizeMix { sizes: parameters.sizes.clone(), choice },
            None => SizeMix::from_weighted_sizes(&[(512, 1)]),
        }
    }

    /// A generator of sizes in bytes with their weights, of which at least one is above zero.
    pub fn from_weighted_sizes(parts: &[(u64, u32)]) -> SizeMix {
        let (sizes, weights): (Vec<u64>, Vec<f64>) =
            parts.iter().map(|(size, weight)| (*size, f64::from(*weight))).unzip();
        SizeMix::new(&MixParameters { sizes, weights })
    }

    /// Draws a size in bytes.
    pub fn draw(&mut self, random: &mut RandomStream) -> u64 {
        self.sizes[self.choice.draw(random)]
    }
}
