//! The mechanical disk: a model that is given times and says times.
//!
//! [`Disk`] takes commands and says of each, when it begins, what the buffer had for it and when the arm leaves, is there, when
//! the first block passes, the last one, and when it is done. It knows no calendar: whoever drives it asks when the next command can
//! begin and lets it begin then.
//!
//! ```
//! use sansim_disk::{Command, Disk, DiskParameters, Hit, Preset};
//! use sansim_kernel::{RandomStream, Time};
//!
//! let parameters = DiskParameters::of(Preset::St39102lw);
//! let mut disk = Disk::new(&parameters, &mut RandomStream::new(1, "drives.0.platters"))?;
//! disk.submit(Command { id: 7, write: false, lbn: 1_000_000, blocks: 8, arrival: Time::ZERO })?;
//! let served = disk.begin(disk.next_event()).expect("one command waits");
//! assert_eq!((served.command.id, served.hit), (7, Hit::Miss));
//! assert!(served.start < served.seek_end && served.seek_end < served.transfer_begin);
//! assert!(disk.there(&served, 1) < disk.there(&served, 8));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A block is 512 bytes.
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
//! | `work` | how long arm and medium were at work |
//! | [`alone`] | a trace on a disk by itself |
#![forbid(unsafe_code)]

pub mod alone;
pub mod buffer;
pub mod command;
pub mod disk;
pub mod geometry;
pub mod mechanics;
pub mod overheads;
pub mod parameters;
pub mod presets;
pub mod read_ahead;
pub mod rotation;
pub mod scheduling;
pub mod seek;
mod work;
mod zones;

/// Bytes of a block.
pub const BLOCK_BYTES: u64 = 512;

pub use command::{Data, DiskCommand, Hit, Served};
pub use disk::Disk;
pub use parameters::{DiskParameters, DriveReadAhead};
pub use presets::Preset;
