//! The contents of a stream's requests: one of several sources, each in a file or a folder of its own.

use super::source::{RequestSource, SourcePlan};
use super::sweep::Sweep;
use super::synthetic::Synthetic;
use super::wanted::{DueDirections, NextRequest};
use crate::aims::TargetDevices;
use crate::fio_job::clone::FioClone;
use crate::iometer::area::AccessArea;
use crate::spc1::places::Spc1;
use crate::trace::replay::Replay;

/// Makes two enumerations from the list of all sources: of their plans, and of the sources themselves.
macro_rules! contents {
    ($($(#[doc = $doc:literal])* $(#[cfg($when:meta)])? $name:ident($source:ty),)*) => {
        /// The plan of a source.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "a few of them are made once, when a system is built")]
        pub enum ContentPlan {
            $($(#[doc = $doc])* $(#[cfg($when)])? $name(<$source as RequestSource>::Plan),)*
        }

        impl SourcePlan for ContentPlan {
            fn largest(&self) -> u64 {
                match self { $($(#[cfg($when)])? Self::$name(plan) => plan.largest(),)* }
            }

            fn read_fraction(&self) -> f64 {
                match self { $($(#[cfg($when)])? Self::$name(plan) => plan.read_fraction(),)* }
            }

            fn ends(&self) -> bool {
                match self { $($(#[cfg($when)])? Self::$name(plan) => plan.ends(),)* }
            }

            fn flushes_or_deallocates(&self) -> bool {
                match self { $($(#[cfg($when)])? Self::$name(plan) => plan.flushes_or_deallocates(),)* }
            }

            fn stripe_bytes(&self) -> Option<u64> {
                match self { $($(#[cfg($when)])? Self::$name(plan) => plan.stripe_bytes(),)* }
            }

            fn parts(&self) -> &[String] {
                match self { $($(#[cfg($when)])? Self::$name(plan) => plan.parts(),)* }
            }
        }

        /// A source that generates requests.
        #[derive(Debug)]
        pub(super) enum Content {
            $($(#[doc = $doc])* $(#[cfg($when)])? $name(Box<$source>),)*
        }

        impl RequestSource for Content {
            type Plan = ContentPlan;

            fn new(plan: &ContentPlan, aims: &TargetDevices, seed: u64, path: &str) -> Self {
                match plan {
                    $($(#[cfg($when)])? ContentPlan::$name(plan) => Self::$name(Box::new(<$source>::new(plan, aims, seed, path))),)*
                }
            }

            #[inline]
            fn next(&mut self, device: Option<u32>) -> Option<NextRequest> {
                match self {
                    $($(#[cfg($when)])? Self::$name(source) => source.next(device),)*
                }
            }

            fn next_due(&mut self, due: DueDirections) -> Option<NextRequest> {
                match self {
                    $($(#[cfg($when)])? Self::$name(source) => source.next_due(due),)*
                }
            }

            fn remarks(&self) -> Vec<String> {
                match self {
                    $($(#[cfg($when)])? Self::$name(source) => source.remarks(),)*
                }
            }

            fn fault(&self) -> Option<String> {
                match self {
                    $($(#[cfg($when)])? Self::$name(source) => source.fault(),)*
                }
            }
        }
    };
}

contents! {
    /// Requests are drawn from distributions.
    Synthetic(Synthetic),
    /// Requests are those of one of the streams of an SPC-1-like load.
    Spc1(Spc1),
    /// Requests are made by a clone of a fio job.
    FioJob(FioClone),
    /// Requests are made by a worker of Iometer.
    Access(AccessArea),
    /// Requests sweep a part of the devices from its beginning to its end.
    Sweep(Sweep),
    /// Requests are read from a trace.
    Trace(Replay),
    /// Requests come from a list, for tests.
    #[cfg(test)]
    Listed(super::tests::list::List),
}
