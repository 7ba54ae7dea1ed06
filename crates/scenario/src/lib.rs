//! The one definition of what can be simulated: a scenario, its keys, units, ranges, defaults and contradictions.
//!
//! A scenario is a TOML file. Every top-level table is a component whose name is the table's name and whose `kind` says
//! what it is, except `[run]` and `[fcp]`. [`Scenario::parse`] turns the text into plain Rust structures in which
//! everything is resolved: defaults filled in, words turned into time, names into indices, addresses given out. If
//! anything at all is wrong, the answer is a [`Report`] of every problem, each with its line and a caret.
//!
//! From the same field tables come the resolved file ([`Scenario::to_toml`]), the JSON Schema ([`schema()`]) and the
//! reference page ([`reference()`]). Nothing is simulated here.

#![forbid(unsafe_code)]

mod check;
mod codes;
pub mod document;
mod load;
mod meant;
mod model;
mod not_modelled;
mod option;
mod quantity;
mod reach;
mod reference;
mod report;
mod scenario;
mod schema;
mod source;
mod speed;
mod suggest;
mod table;
mod tree;
mod units;
mod values;
mod words;
mod write;

pub use codes::Code;
pub use load::read_text;
pub use meant::units_meant;
pub use model::{
    Adapter, ArbitratedLoop, Controller, DriveGroup, Driver, Fcp, PassiveGroup, PassivePort, Port, Run,
    Workload,
};
pub use option::parse_time;
pub use reference::reference;
pub use report::{Problem, Report};
pub use sansim_fc::al_pa::AlPa;
pub use sansim_fc::speed::Speed;
pub use sansim_storage::drive::AccessTime;
pub use scenario::{PortSite, Scenario, StationRef};
pub use schema::schema;
pub use source::{COMMAND_LINE, DICTIONARY, Excerpt};
pub use suggest::nearest;
pub use values::{
    AlPaChoice, BurstDone, Delay, DmaOrder, DmaSetupPer, DriveModel, Length, Medium, Pattern, PrecisionGoal,
    PrecisionOf, Propagation, QueueDepthPer, ResponseCircuit, ResponseStart, Schedule, Share, Split, WarmUp,
    WordTime, WriteTransfer,
};
