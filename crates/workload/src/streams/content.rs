//! What the requests of a stream ask for: one of several sources, each in a file or a folder of its own.

use super::synthetic::{Synthetic, SyntheticPlan};
use crate::aims::Aims;
use sansim_kernel::Span;

/// What a stream asks for next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// When it is wanted, counted from the beginning of the stream; for a recorded pace only.
    pub at: Span,
    /// The whole stream rests so long before it asks for this; for a closed pace only.
    pub pause: Span,
    /// Which of the devices of the workload.
    pub device: u32,
    /// First byte on the device, a multiple of a block.
    pub offset_bytes: u64,
    /// How many bytes.
    pub bytes: u64,
    /// Whether they are written.
    pub write: bool,
}

/// Makes of the list of all sources the enumeration of what they are built from and that of the sources themselves.
macro_rules! contents {
    ($($(#[doc = $doc:literal])* $(#[cfg($when:meta)])? $name:ident($plan:ty => $source:ty),)*) => {
        /// What a source is built from.
        #[derive(Clone, Debug, PartialEq)]
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

contents! {
    /// Drawn from distributions.
    Synthetic(SyntheticPlan => Synthetic),
    /// One after another from a list, for tests.
    #[cfg(test)]
    Listed(super::tests::ListPlan => super::tests::List),
}
