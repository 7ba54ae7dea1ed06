//! Flash drives: a model of the times of commands, the state of pages and blocks, and the write amplification.
//!
//! [`FlashDrive`] is a model whose inputs and outputs have explicit times. The crate has no requests, ports or event calendar.
//!
//! | module | subject |
//!
//! | module | what it gives |
//! | --- | --- |
//! | [`parameters`] | the keys: [`FlashParameters`] |
//! | [`presets`] | drives that keys may follow: MQSim's reference device, data sheets, cells |
//! | [`drive`] | the drive in time: [`FlashDrive`] |
//! | [`mapping`] | the places of units, blocks, free lists: [`Mapping`] |
//! | [`victims`] | the block to collect: a file for each policy |
//! | [`allocation`] | the order of pages over channels, chips, dies and planes |
//! | [`layout`] | planes, blocks and units by number |
//! | [`sparse`] | memory only for written units |
//! | [`formulas`] | closed forms of write amplification |
//!
//! Not modelled are: errors of bits and their correction, wear except counts of erases, refresh, the space of mapping entries, read
//! disturb. A page needs the same time wherever it is.
#![forbid(unsafe_code)]

mod agenda;
pub mod allocation;
mod buffer;
pub mod drive;
pub mod formulas;
pub mod layout;
pub mod mapping;
mod mapping_cache;
mod operations;
pub mod parameters;
pub mod presets;
mod records;
mod server;
pub mod sparse;
pub mod victims;

pub use drive::{CommandRefused, FlashCounts, FlashDrive};
pub use mapping::{FlashWrites, Mapping};
pub use parameters::{FlashParameters, KeyContradiction};
pub use records::{CommandKind, CommandTimeParts, CompletedCommand, FlashCommand};
