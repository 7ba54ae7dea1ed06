//! Caches of blocks, of any size, as state machines without time: content, admission, replacement, read-ahead and dirty blocks.
//!
//! | module | what it gives |
//! | --- | --- |
//! | [`block_cache`] | the cache as a whole: [`BlockCache`], for use in a controller, a drive or a host |
//! | [`parameters`] | its keys: [`CacheParameters`] |
//! | [`admission`] | whether a block that was missing comes in: a file for each policy |
//! | [`replacement`] | the block to evict when there is no room: a file for each policy |
//! | [`read_ahead`] | blocks fetched before they are read: a file for each policy |
//! | [`destage`] | when written blocks go to the device, and in which order: a file for each policy |
//! | [`content`] | the blocks in the cache, by any replacement policy: [`CacheContent`] |
//! | [`optimum`] | Belady's optimum, which knows the future |
//! | [`warm_up`] | when a hit ratio has settled: [`HitRatioSettling`] |
//!
//! This crate has no requests, ports or times: its user calls it at the right time. All caches of this crate give the same answers on every
//! machine.
#![forbid(unsafe_code)]

pub mod admission;
pub mod block_cache;
pub mod content;
pub mod destage;
mod index;
pub mod optimum;
pub mod parameters;
pub mod read_ahead;
pub mod replacement;
mod slot;
pub mod slots;
pub mod warm_up;

pub use block_cache::BlockCache;
pub use content::CacheContent;
pub use parameters::{CacheParameters, WriteMode};
pub use warm_up::HitRatioSettling;
