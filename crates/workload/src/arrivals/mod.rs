//! Arrival processes: when the requests of an open load come. A file for each, and a line in the list below.
//!
//! A process is described by its keys ([`Process`]); what draws from it is its generator ([`Arrivals`]). [`schedule`] puts several
//! one behind another.

pub mod b_model;
pub mod deterministic;
pub mod gamma;
pub mod hyperexponential;
pub mod mmpp;
pub mod normal;
pub mod on_off;
pub mod poisson;
pub mod renewal;
pub mod schedule;
pub mod uniform;

use sansim_kernel::{RandomStream, Span};

/// Makes of the list of all processes the enumeration of their keys and that of their generators.
macro_rules! processes {
    ($($(#[doc = $doc:literal])* $name:ident = $word:literal: $parameters:ty => $generator:ty,)*) => {
        /// The keys of an arrival process.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Process {
            $($(#[doc = $doc])* $name($parameters),)*
        }

        /// An arrival process at work.
        #[derive(Clone, Debug)]
        pub enum Arrivals {
            $($(#[doc = $doc])* $name($generator),)*
        }

        impl Process {
            /// Every process by the word that chooses it.
            pub const WORDS: &[&str] = &[$($word),*];

            /// The word that chooses it.
            pub fn word(&self) -> &'static str {
                match self { $(Process::$name(_) => $word,)* }
            }

            /// The mean number of arrivals per second.
            pub fn rate_per_s(&self) -> f64 {
                match self { $(Process::$name(parameters) => parameters.rate_per_s(),)* }
            }

            /// The process at work, from its beginning.
            pub fn generator(&self) -> Arrivals {
                match self { $(Process::$name(parameters) => Arrivals::$name(parameters.generator()),)* }
            }
        }

        impl Arrivals {
            /// The time from the arrival before, or from the beginning, to the next one; at most [`Span::LONGEST`].
            pub fn gap(&mut self, random: &mut RandomStream) -> Span {
                match self { $(Arrivals::$name(generator) => generator.gap(random),)* }
            }
        }
    };
}

processes! {
    /// One as long after another as the one before.
    Deterministic = "deterministic": deterministic::DeterministicParameters => deterministic::Deterministic,
    /// At any moment as likely as at any other.
    Poisson = "poisson": poisson::PoissonParameters => poisson::Poisson,
    /// Normal gaps.
    Normal = "normal": normal::NormalParameters => renewal::Renewal,
    /// Uniform gaps.
    Uniform = "uniform": uniform::UniformParameters => renewal::Renewal,
    /// Gamma gaps.
    Gamma = "gamma": gamma::GammaParameters => renewal::Renewal,
    /// Hyperexponential gaps.
    Hyperexponential = "hyperexponential": hyperexponential::HyperexponentialParameters => renewal::Renewal,
    /// Gaps of any distribution.
    Renewal = "renewal": renewal::RenewalParameters => renewal::Renewal,
    /// Poisson, at a rate that changes at random.
    Mmpp = "mmpp": mmpp::MmppParameters => mmpp::Mmpp,
    /// Now some, now none.
    OnOff = "on-off": on_off::OnOffParameters => on_off::OnOff,
    /// Bursts within bursts.
    BModel = "b-model": b_model::BModelParameters => b_model::BModel,
}

#[cfg(test)]
mod tests;
