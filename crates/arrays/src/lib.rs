//! Devices that make volumes of other devices: [`mirror`] keeps the same data on several, [`mod@array`] is RAID of every level, [`volumes`]
//! divides and joins them, and [`block_cache`] keeps frequently requested blocks in memory.
#![forbid(unsafe_code)]

pub mod array;
pub mod block_cache;
pub mod mirror;
pub mod volumes;
