//! Flash drives: how long commands take, what becomes of pages and blocks, and how much more is written than hosts write.
//!
//! A pure model: it is given commands and times and says times ([`FlashDrive`]). It knows nothing of requests, ports or a calendar.
//!
//! | module | what it gives |
//! | --- | --- |
//! | [`parameters`] | the keys: [`FlashParameters`] |
//! | [`presets`] | what keys may follow: MQSim's reference device, data sheets, cells |
//! | [`drive`] | the drive in time: [`FlashDrive`] |
//! | [`mapping`] | which unit is where, blocks, free lists: [`Mapping`] |
//! | [`victims`] | which block is collected: a file for each policy |
//! | [`allocation`] | in which order pages go over channels, chips, dies and planes |
//! | [`layout`] | planes, blocks and units by number |
//! | [`sparse`] | memory only for what was written |
//! | [`formulas`] | closed forms of write amplification |
//!
//! What is left out: errors of bits and their correction, wear but for counting erases, refresh, the space of mapping entries, read
//! disturb. A page takes the same time wherever it is.
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
pub use parameters::{Contradiction, FlashParameters};
pub use records::{CommandKind, Completion, FlashCommand, Spent};
