//! Drives: devices that store data.
//!
//! [`disk`] is a disk with its mechanics, [`flash`] a flash drive, [`tape`] a tape drive, [`ram`] a RAM disk; [`data_sheet`] is a drive
//! described by the figures of its data sheet, and [`drive`] is a drive with an access time and a transfer rate, with the [`cache`] that
//! serves sequential commands instead of the medium. All drives have [`firmware`] and [`faults`]; the part of a drive that stores data is a
//! [`medium`]. [`grouped`] has the properties that every drive declares so that the scenario can have groups of drives.
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
