//! Read-ahead: what is fetched before anybody asks for it.
//!
//! A policy sees every read, and says which blocks should be there after it; those that are not are fetched. Each is a file
//! here with its keys, and a line in `read_aheads!` below; scenarios name it by its word.

mod adaptive;
mod fixed;
mod none;
mod strip;

use std::ops::Range;

/// Says what is fetched ahead.
pub trait ReadAhead {
    /// These blocks are read; whether one of them was missing. The blocks that should be there then; an empty range if nothing
    /// is fetched ahead.
    fn read(&mut self, asked: Range<u64>, missed: bool) -> Range<u64>;

    /// A block that was fetched ahead has gone, and nobody had asked for it.
    fn wasted(&mut self, _block: u64) {}
}

/// Declares the policies: the word in scenarios, the keys, the type, and what it does.
macro_rules! read_aheads {
    ($($(#[doc = $doc:literal])+ $name:ident = $word:literal: $parameters:ty => $policy:ty,)+) => {
        sansim_describe::variants! {
            /// What is fetched ahead of reads.
            pub enum ReadAheadPolicy by "policy", default "none", source "none" {
                $($(#[doc = $doc])* $name($parameters) = $word,)+
            }
        }

        /// One of the policies, with what it remembers.
        #[derive(Clone, Debug)]
        pub enum AnyReadAhead {
            $($(#[doc = $doc])+ $name($policy),)+
        }

        impl ReadAheadPolicy {
            /// A policy of this kind that has seen nothing yet, for blocks of so many bytes.
            pub fn read_ahead(&self, block_bytes: u64) -> AnyReadAhead {
                match self {
                    $(Self::$name(parameters) => AnyReadAhead::$name(<$policy>::new(parameters, block_bytes)),)+
                }
            }
        }

        impl AnyReadAhead {
            /// Whether it ever fetches anything ahead.
            #[inline]
            pub fn fetches(&self) -> bool {
                !matches!(self, Self::None(_))
            }
        }

        impl ReadAhead for AnyReadAhead {
            fn read(&mut self, asked: Range<u64>, missed: bool) -> Range<u64> {
                match self { $(Self::$name(policy) => policy.read(asked, missed),)+ }
            }

            fn wasted(&mut self, block: u64) {
                match self { $(Self::$name(policy) => policy.wasted(block),)+ }
            }
        }
    };
}

read_aheads! {
    /// Nothing.
    None = "none": none::NoneParameters => none::None,
    /// After a read that misses, so many bytes more.
    Fixed = "fixed": fixed::FixedParameters => fixed::Fixed,
    /// Ahead of each stream of reads that follow each other, more the longer it lasts.
    Adaptive = "adaptive": adaptive::AdaptiveParameters => adaptive::Adaptive,
    /// With a read that misses, the whole strips that it touches.
    Strip = "strip": strip::StripParameters => strip::Strip,
}

/// Blocks that so many bytes take, one at least.
fn blocks(bytes: u64, block_bytes: u64) -> u64 {
    bytes.div_ceil(block_bytes).max(1)
}
