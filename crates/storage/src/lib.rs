//! Drives, and what stands before them.
//!
//! [`drive`] is a drive with an access time and a transfer rate, or a RAM disk when both are nothing; [`cache`] is what
//! sequential commands meet instead of the medium. [`controller`] is a storage controller between two networks, [`mirror`]
//! several drives with the same data, [`mod@array`] RAID of every level. [`grouped`] is what every drive says of itself so that there are groups of it; [`stacked`]
//! the same for what stands before other devices, which it asks through [`behind`]. [`metadata`] is a metadata controller and its clients. [`resources`] is what all of those share that are in one controller.
#![forbid(unsafe_code)]

pub mod array;
mod awaited;
pub mod behind;
pub mod block_cache;
pub mod cache;
pub mod controller;
pub mod data_sheet;
pub mod disk;
pub mod drive;
pub mod faults;
pub mod firmware;
pub mod flash;
pub mod grouped;
mod intake;
pub mod medium;
pub mod metadata;
pub mod mirror;
pub mod ram;
pub mod resources;
pub mod stacked;
pub mod tape;
pub mod volumes;
