//! The form of a whole scenario: which tables it has, what they are called, how they are joined, what they owe to each other.
//!
//! A scenario is a TOML file. Every top-level table is a component whose name is the table's name and whose `kind` says
//! what it is, except `[run]` and `[fcp]`. The keys of a component, with their units, ranges, defaults and sources, are declared
//! with the component (`parameters.rs` there); here its tables are put together. [`Scenario::parse`] turns the text into plain
//! Rust structures in which everything is resolved: defaults filled in, words turned into time, names into indices, addresses
//! given out. If anything at all is wrong, the answer is a [`Report`] of every problem, each with its line and a caret.
//!
//! From the same tables come the resolved file ([`Scenario::to_toml`]), the JSON Schema ([`schema()`]) and the
//! reference page ([`reference()`]). Nothing is simulated here.

#![forbid(unsafe_code)]

mod check;
pub mod codes;
mod component;
pub mod graph;
mod kinds;
mod left_out;
mod load;
mod not_modelled;
mod reach;
mod read;
mod reference;
mod run;
mod scenario;
mod schema;
mod settings;
mod warnings;
mod work;
mod write;

pub use reference::reference;
pub use run::{Length, PrecisionOf, Run, WarmUp};
pub use sansim_describe::report::Report;
pub use scenario::{DriveGroup, GroupRef, Host, Named, OnLoop, PassiveGroup, Route, Scenario};
pub use schema::schema;
