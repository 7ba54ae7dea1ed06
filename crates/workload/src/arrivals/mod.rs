//! Arrival processes: when the requests of an open load come. Each arrival process is a file in this directory, and a line in the list
//! below.
//!
//! A process is described by its keys ([`Process`]); its generator ([`Arrivals`]) draws the arrivals. A [`schedule`] has several processes,
//! one after another.

pub mod b_model;
pub mod coming;
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

pub use coming::{ArrivalClock, Timetable};
use sansim_kernel::{RandomStream, Span};

/// Makes two enumerations from the list of all processes: of their keys, and of their generators.
macro_rules! processes {
    ($($(#[doc = $doc:literal])* $name:ident = $word:literal: $parameters:ty => $generator:ty,)*) => {
        sansim_schema::variants! {
            /// When requests come by themselves.
            pub enum Process by "process" {
                $($(#[doc = $doc])* $name($parameters) = $word,)*
            }
        }

        sansim_schema::variants! {
            /// When the requests of a stream come: when earlier ones are answered, or by themselves.
            pub enum Coming by "process", default "closed", source "ours: as the kind `\"closed\"`" {
                Closed(coming::ClosedParameters) = "closed",
                $($(#[doc = $doc])* $name($parameters) = $word,)*
                Schedule(schedule::ScheduleParameters) = "schedule",
            }
        }

        sansim_schema::variants! {
            /// When requests come in a phase of a schedule.
            pub enum InPhase by "process", default "none", source "ours: a phase in which nothing arrives" {
                ArrivalPause(schedule::ArrivalPause) = "none",
                $($(#[doc = $doc])* $name($parameters) = $word,)*
            }
        }

        impl InPhase {
            /// The process; none in a pause.
            pub fn process(&self) -> Option<Process> {
                match self {
                    InPhase::ArrivalPause(_) => None,
                    $(InPhase::$name(parameters) => Some(Process::$name(parameters.clone())),)*
                }
            }
        }

        impl Coming {
            /// The timetable by which requests arrive by themselves; none for a closed pace.
            pub fn timetable(&self) -> Option<Timetable> {
                match self {
                    Coming::Closed(_) => None,
                    $(Coming::$name(parameters) => Some(Timetable::Process(Process::$name(parameters.clone()))),)*
                    Coming::Schedule(parameters) => Some(Timetable::Schedule(parameters.clone())),
                }
            }
        }

        /// The generator of an arrival process.
        #[derive(Clone, Debug)]
        pub enum Arrivals {
            $($(#[doc = $doc])* $name($generator),)*
        }

        impl Process {
            /// The mean number of arrivals per second.
            pub fn rate_per_s(&self) -> f64 {
                match self { $(Process::$name(parameters) => parameters.rate_per_s(),)* }
            }

            /// The generator of the process, at its beginning.
            pub fn generator(&self) -> Arrivals {
                match self { $(Process::$name(parameters) => Arrivals::$name(parameters.generator()),)* }
            }
        }

        impl Arrivals {
            /// The time from the previous arrival, or from the beginning, to the next arrival; at most [`Span::LONGEST`].
            pub fn gap(&mut self, random: &mut RandomStream) -> Span {
                match self { $(Arrivals::$name(generator) => generator.gap(random),)* }
            }
        }
    };
}

processes! {
    /// One as long after another as the one before.
    Deterministic = "deterministic": deterministic::DeterministicParameters => deterministic::DeterministicArrivals,
    /// At any moment as likely as at any other.
    Poisson = "poisson": poisson::PoissonParameters => poisson::PoissonArrivals,
    /// Normal gaps.
    Normal = "normal": normal::NormalParameters => renewal::RenewalArrivals,
    /// Uniform gaps.
    Uniform = "uniform": uniform::UniformParameters => renewal::RenewalArrivals,
    /// Gamma gaps.
    Gamma = "gamma": gamma::GammaParameters => renewal::RenewalArrivals,
    /// Hyperexponential gaps.
    Hyperexponential = "hyperexponential": hyperexponential::HyperexponentialParameters => renewal::RenewalArrivals,
    /// Gaps of any distribution.
    Renewal = "renewal": renewal::RenewalParameters => renewal::RenewalArrivals,
    /// Poisson, at a rate that changes at random.
    Mmpp = "mmpp": mmpp::MmppParameters => mmpp::MmppArrivals,
    /// Now some, now none.
    OnOff = "on-off": on_off::OnOffParameters => on_off::OnOffArrivals,
    /// Bursts within bursts.
    BModel = "b-model": b_model::BModelParameters => b_model::BModelArrivals,
}

impl Process {
    /// The time to an arrival when the process has the rate of another from now on: `left` as if time passed faster or slower.
    fn time_left_at_rate_of(&self, after: &Self, left: Span) -> Span {
        let ratio = self.rate_per_s() / after.rate_per_s();
        Span::from_ns_f64(left.as_ns_f64() * ratio).min(Span::LONGEST)
    }
}

#[cfg(test)]
mod tests;
