//! How large requests are. A file for each way to say it, and a line in the list below.

pub mod fixed;
pub mod mix;
pub mod named;
pub mod range;
mod written;

use sansim_kernel::RandomStream;
pub use written::SizeOrMix;

/// Makes of the list of all ways the enumeration of their keys and that of their generators.
macro_rules! sizes {
    ($($(#[doc = $doc:literal])* $name:ident = $word:literal: $parameters:ty => $generator:ty,)*) => {
        /// How large requests are, as it is written in a scenario; see [`SizeOrMix`].
        #[derive(Clone, Debug, PartialEq)]
        pub enum SizeRule {
            $($(#[doc = $doc])* $name($parameters),)*
        }

        /// Draws how large requests are.
        #[derive(Clone, Debug)]
        pub enum Sizes {
            $($(#[doc = $doc])* $name($generator),)*
        }

        impl SizeRule {
            /// What it is called.
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

            /// What draws from it.
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
    /// Of several sizes, each as likely as its weight says.
    Mix = "mix": mix::MixParameters => mix::Mix,
    /// Of every size within a range, all as likely.
    Range = "range": range::RangeParameters => range::SizeRange,
}

#[cfg(test)]
mod tests;
