//! The mechanical disk: a model whose inputs and outputs have explicit times.
//!
//! [`Disk`] accepts commands and returns for each, when it begins, its buffer hits and the times at which the arm leaves and is in
//! position, the first and the last block pass, and the command is done. A [`Disk`] has no event calendar: the caller asks when the next
//! command can begin and begins it then.
//!
//! ```
//! use sansim_disk::{BufferHit, Disk, DiskCommand, DiskParameters, Preset};
//! use sansim_kernel::{RandomStream, Time};
//!
//! let parameters = DiskParameters::of(Preset::St39102lw);
//! let mut disk = Disk::new(&parameters, &mut RandomStream::new(1, "drives.0.platters"))?;
//! disk.submit_command(DiskCommand { id: 7, write: false, force_unit_access: false, lbn: 1_000_000, blocks: 8, arrival: Time::ZERO })?;
//! let served = disk.begin_command(disk.next_event()).expect("one command waits");
//! assert_eq!((served.command.id, served.hit), (7, BufferHit::Miss));
//! assert!(served.start < served.seek_end && served.seek_end < served.transfer_begin);
//! assert!(disk.data_ready_time(&served, 1) < disk.data_ready_time(&served, 8));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A block is 512 bytes.
//!
//! | module | subject |
//! | --- | --- |
//! | [`parameters`] | the keys, and with [`presets`] drives with published figures |
//! | [`geometry`] | the places of blocks: zones, skew, spare sectors |
//! | [`seek`] | the time of a seek, in three forms |
//! | [`rotation`] | the sector under the heads at an instant |
//! | [`mechanics`] | the time of an access and of a transfer from the place of the arm |
//! | [`buffer`] | the content of the segments |
//! | [`scheduling`] | the order of waiting commands |
//! | [`disk`] | all of it together: one command after the other, read-ahead, write-behind |
//! | `work` | the busy times of arm and medium |
//! | [`alone`] | a trace on a disk by itself |
//! | [`typical`] | the mean service time of commands of one kind |
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
pub mod typical;
mod work;
mod zones;

/// The bytes of a block.
pub const BLOCK_BYTES: u64 = 512;

pub use command::{BufferHit, DiskCommand, ReadDataSupply, ServedCommand};
pub use disk::Disk;
pub use parameters::{DiskParameters, DriveReadAhead};
pub use presets::Preset;
