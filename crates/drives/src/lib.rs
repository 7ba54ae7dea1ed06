//! Drives: devices that store data.
//!
//! [`disk`] is a disk with its mechanics, [`flash`] a flash drive, [`tape`] a tape drive, [`ram`] a RAM disk; [`data_sheet`] is a drive that is known by the figures
//! of its data sheet, and [`drive`] one with an access time and a transfer rate, with the [`cache`] that sequential commands meet instead of the medium. All of them
//! have [`firmware`] and [`faults`]; what stores data in them is a [`medium`]. [`grouped`] is what every drive says of itself so that there are groups of it.
#![forbid(unsafe_code)]

mod awaited;
pub mod cache;
pub mod data_sheet;
pub mod disk;
pub mod drive;
pub mod faults;
pub mod firmware;
pub mod flash;
pub mod grouped;
mod intake;
pub mod medium;
pub mod ram;
pub mod tape;
