//! Arrival processes: when the requests of an open load come. A file for each, and a line in the list below.
//!
//! A process is described by its keys ([`Process`]); what draws from it is its generator ([`Arrivals`]). [`schedule`] puts several
//! one behind another.

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

/// Makes of the list of all processes the enumeration of their keys and that of their generators.
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
                Pause(schedule::Pause) = "none",
                $($(#[doc = $doc])* $name($parameters) = $word,)*
            }
        }

        impl InPhase {
            /// The process; none in a pause.
            pub fn process(&self) -> Option<Process> {
                match self {
                    InPhase::Pause(_) => None,
                    $(InPhase::$name(parameters) => Some(Process::$name(parameters.clone())),)*
                }
            }
        }

        impl Coming {
            /// The process by which they come by themselves; none if they do not.
            pub fn timetable(&self) -> Option<Timetable> {
                match self {
                    Coming::Closed(_) => None,
                    $(Coming::$name(parameters) => Some(Timetable::Process(Process::$name(parameters.clone()))),)*
                    Coming::Schedule(parameters) => Some(Timetable::Schedule(parameters.clone())),
                }
            }
        }

        /// An arrival process at work.
        #[derive(Clone, Debug)]
        pub enum Arrivals {
            $($(#[doc = $doc])* $name($generator),)*
        }

        impl Process {
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
    Deterministic = "deterministic": deterministic::DeterministicParameters => deterministic::DeterministicArrivals,
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
