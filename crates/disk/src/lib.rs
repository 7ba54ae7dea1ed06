//! The mechanical disk: a model that is given times and says times.
//!
//! [`Disk`] takes commands and says of each, when it begins, what the buffer had for it and when the arm leaves, is there, when
//! the first block passes, the last one, and when it is done. It knows no calendar: whoever drives it asks when the next command can
//! begin and lets it begin then.
//!
//! | module | what it says |
//! | --- | --- |
//! | [`parameters`] | the keys, and with [`presets`] drives with published figures |
//! | [`geometry`] | where a block lies: zones, skew, spare sectors |
//! | [`seek`] | how long the arm takes, in three forms |
//! | [`rotation`] | which sector is under the heads at an instant |
//! | [`mechanics`] | what an access and a transfer take from where the arm is |
//! | [`buffer`] | what is in the segments |
//! | [`scheduling`] | which of the commands that wait is next |
//! | [`disk`] | all of it together: one command after the other, read-ahead, write-behind |
//! | [`alone`] | a trace on a disk by itself |
#![forbid(unsafe_code)]

pub mod alone;
pub mod buffer;
pub mod command;
pub mod disk;
pub mod geometry;
pub mod mechanics;
pub mod parameters;
pub mod presets;
pub mod rotation;
pub mod scheduling;
pub mod seek;
mod zones;

pub use command::{Command, Data, Hit, Served};
pub use disk::Disk;
pub use parameters::{DiskParameters, ReadAhead};
pub use presets::Preset;
