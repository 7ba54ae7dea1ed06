//! Rules for the sizes of requests. Each rule is a file in this directory, and a line in the list below.

pub mod fixed;
pub mod mix;
pub mod named;
pub mod range;
mod written;

use sansim_kernel::RandomStream;
pub use written::SizeOrMix;

/// Makes the enumerations of keys and of generators from the list of all rules.
macro_rules! sizes {
    ($($(#[doc = $doc:literal])* $name:ident = $word:literal: $parameters:ty => $generator:ty,)*) => {
        /// The rule for the sizes of requests, as it is written in a scenario; see [`SizeOrMix`].
        #[derive(Clone, Debug, PartialEq)]
        pub enum SizeRule {
            $($(#[doc = $doc])* $name($parameters),)*
        }

        /// The generator of the sizes of requests.
        #[derive(Clone, Debug)]
        pub enum Sizes {
            $($(#[doc = $doc])* $name($generator),)*
        }

        impl SizeRule {
            /// The word for the rule in scenarios.
            pub fn word(&self) -> &'static str {
                match self { $(SizeRule::$name(_) => $word,)* }
            }

            /// The mean size in bytes.
            pub fn mean(&self) -> f64 {
                match self { $(SizeRule::$name(parameters) => parameters.mean(),)* }
            }

            /// The largest size in bytes.
            pub fn largest(&self) -> u64 {
                match self { $(SizeRule::$name(parameters) => parameters.largest(),)* }
            }

            /// The generator of these sizes.
            pub fn generator(&self) -> Sizes {
                match self { $(SizeRule::$name(parameters) => Sizes::$name(parameters.generator()),)* }
            }
        }

        impl Sizes {
            /// The size of the next request, in bytes.
            pub fn draw(&mut self, random: &mut RandomStream) -> u64 {
                match self { $(Sizes::$name(generator) => generator.draw(random),)* }
            }
        }
    };
}

sizes! {
    /// All of the same size.
    Fixed = "fixed": fixed::FixedSizeParameters => fixed::FixedSize,
    /// One of several sizes, drawn by weight.
    Mix = "mix": mix::MixParameters => mix::SizeMix,
    /// Any size within a range, all equally likely.
    Range = "range": range::RangeParameters => range::SizeRange,
}

#[cfg(test)]
mod tests;
