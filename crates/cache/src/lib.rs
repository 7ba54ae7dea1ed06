//! Caches of blocks, of any size, as state machines without time: what is held, what goes, what is fetched ahead, what is
//! dirty.
//!
//! | module | what it gives |
//! | --- | --- |
//! | [`block_cache`] | the unit of use: [`BlockCache`], which a controller, a drive or a host asks and tells |
//! | [`parameters`] | its keys: [`CacheParameters`] |
//! | [`replacement`] | who has to go when there is no room: a file for each policy |
//! | [`read_ahead`] | what is fetched before anybody asks: a file for each policy |
//! | [`destage`] | when written blocks go to the device, and in which order: a file for each policy |
//! | [`content`] | which blocks are held, by any replacement policy: [`CacheContent`] |
//! | [`optimum`] | Belady's optimum, which knows the future |
//! | [`warm_up`] | when a hit ratio has settled: [`Settling`] |
//!
//! Nothing here knows of requests, ports or times: whoever asks says what it does and when. All of it gives the same answers on
//! every machine.
#![forbid(unsafe_code)]

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
pub use warm_up::Settling;
