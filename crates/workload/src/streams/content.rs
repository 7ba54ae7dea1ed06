//! What the requests of a stream ask for: one of several sources, each in a file or a folder of its own.

use super::sweep::{Sweep, SweepPlan};
use super::synthetic::{Synthetic, SyntheticPlan};
use super::wanted::Wanted;
use crate::aims::Aims;
use crate::fio_job::clone::{ClonePlan, FioClone};
use crate::iometer::area::{Access, AccessPlan};
use crate::spc1::places::{Spc1, Spc1Plan};
use crate::trace::replay::{Replay, ReplayPlan};

/// Makes of the list of all sources the enumeration of what they are built from and that of the sources themselves.
macro_rules! contents {
    ($($(#[doc = $doc:literal])* $(#[cfg($when:meta)])? $name:ident($plan:ty => $source:ty),)*) => {
        /// What a source is built from.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "a few of them are made once, when a system is built")]
        pub enum ContentPlan {
            $($(#[doc = $doc])* $(#[cfg($when)])? $name($plan),)*
        }

        impl ContentPlan {
            /// The largest request in bytes, as far as is known before.
            pub fn largest(&self) -> u64 {
                match self { $($(#[cfg($when)])? Self::$name(plan) => plan.largest(),)* }
            }

            /// Which part of the requests are reads, as far as is known before.
            pub fn read_fraction(&self) -> f64 {
                match self { $($(#[cfg($when)])? Self::$name(plan) => plan.read_fraction(),)* }
            }

            /// Whether it comes to an end by itself.
            pub fn ends(&self) -> bool {
                match self { $($(#[cfg($when)])? Self::$name(plan) => plan.ends(),)* }
            }
        }

        /// A source at work.
        #[derive(Debug)]
        pub(super) enum Content {
            $($(#[doc = $doc])* $(#[cfg($when)])? $name(Box<$source>),)*
        }

        impl Content {
            /// The source at its beginning, for the devices of a workload; its random streams are drawn from the seed and the path.
            pub fn new(plan: &ContentPlan, aims: &Aims, seed: u64, path: &str) -> Self {
                match plan {
                    $($(#[cfg($when)])? ContentPlan::$name(plan) => Self::$name(Box::new(<$source>::new(plan, aims, seed, path))),)*
                }
            }

            /// What somebody who reads the result should know of it.
            pub fn remarks(&self) -> Vec<String> {
                match self {
                    $($(#[cfg($when)])? Self::$name(source) => source.remarks(),)*
                }
            }

            /// Why it could not go on, if it could not.
            pub fn fault(&self) -> Option<String> {
                match self {
                    $($(#[cfg($when)])? Self::$name(source) => source.fault(),)*
                }
            }

            /// What comes next; for a slot that stays with a device, at that. None at the end.
            #[inline]
            pub fn next(&mut self, device: Option<u32>) -> Option<Wanted> {
                match self {
                    $($(#[cfg($when)])? Self::$name(source) => source.next(device),)*
                }
            }
        }
    };
}

impl ContentPlan {
    /// The parts that results tell apart as streams, by name; none if it is one whole.
    pub fn parts(&self) -> &[String] {
        match self {
            Self::Trace(plan) => &plan.parameters.apart().volumes,
            _ => &[],
        }
    }
}

contents! {
    /// Drawn from distributions.
    Synthetic(SyntheticPlan => Synthetic),
    /// One of the streams of an SPC-1-like load.
    Spc1(Spc1Plan => Spc1),
    /// Made by a clone of a fio job.
    FioJob(ClonePlan => FioClone),
    /// Made by a worker of Iometer.
    Access(AccessPlan => Access),
    /// From the beginning of a part of the devices to its end.
    Sweep(SweepPlan => Sweep),
    /// Read from a trace.
    Trace(ReplayPlan => Replay),
    /// One after another from a list, for tests.
    #[cfg(test)]
    Listed(super::tests::list::ListPlan => super::tests::list::List),
}
