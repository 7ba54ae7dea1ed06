//! The form of a whole scenario: which tables it has, what they are called, how they are joined, what they owe to each other.
//!
//! A scenario is a TOML file. Every top-level table is a component whose name is the table's name and whose `kind` says
//! what it is, except a few that are reserved. The keys of a component, with their units, ranges, defaults and sources, are declared
//! with the component (`parameters.rs` there) and put together in `sansim-registry`. [`Scenario::parse`] turns the text into plain
//! Rust structures in which everything is resolved: defaults filled in, words turned into time, addresses given out, and the [`Graph`]
//! of the parts that a simulation is built of, joined by links. If anything at all is wrong, the answer is a [`Report`] of every problem, each with its line and a caret.
//! Nothing here knows any particular kind.
//!
//! From the same tables come the resolved file ([`Scenario::to_toml`]), the JSON Schema ([`schema()`]) and the
//! reference page ([`reference()`]). Nothing is simulated here.

#![forbid(unsafe_code)]

pub mod codes;
mod component;
mod event;
pub mod format;
pub mod graph;
mod grid;
mod idle;
mod left_out;
mod load;
mod meant;
pub mod migrate;
mod not_modelled;
mod reach;
mod read;
mod reference;
mod reserved;
mod resolve;
mod run;
mod scenario;
mod schema;
mod settings;
mod template;
mod view;
mod warnings;
mod work;
mod write;

pub use event::ScenarioEvent;
pub use graph::Graph;
pub use reference::reference;
pub use run::{FunctionalWarmUp, PrecisionOf, RunLength, RunSettings, WarmUp};
pub use sansim_registry::{self as kinds, Described, Part};
pub use sansim_schema::report::Report;
pub use sansim_schema::table::Named;
pub use scenario::Scenario;
pub use schema::schema;
