//! The form of a whole scenario: its tables, their names, the links between components, and the checks across components.
//!
//! A scenario is a TOML file. Every top-level table is a component whose name is the table's name and whose `kind` is its kind, except a
//! few tables that are reserved. The keys of a component, with their units, ranges, defaults and sources, are declared with the component
//! (`parameters.rs` there) and put together in `sansim-registry`. [`Scenario::parse_text`] turns the text into plain Rust structures in
//! which everything is resolved: defaults filled in, words turned into time, addresses assigned, and the [`Graph`] of the parts of a
//! simulation, joined by links. If there is any error, the result is a [`ProblemReport`] of every problem, each with its line and a caret.
//! This crate does not depend on any particular kind of component.
//!
//! The resolved file ([`Scenario::to_toml`]), the JSON Schema ([`json_schema()`]) and the reference page ([`key_reference()`]) are made
//! from the same tables. This crate simulates nothing.

#![forbid(unsafe_code)]

pub mod change;
pub mod codes;
mod component;
pub mod decisions;
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
mod references;
mod reserved;
mod resolve;
mod run;
mod scenario;
mod schema;
mod settings;
mod surroundings;
mod template;
mod view;
mod warnings;
mod work;
mod write;

pub use event::ScenarioEvent;
pub use graph::Graph;
pub use reference::key_reference;
pub use run::{FunctionalWarmUp, PrecisionFigure, RunLength, RunSettings, WarmUp};
pub use sansim_registry::{self as kinds, KindParameters, Part};
pub use sansim_schema::report::ProblemReport;
pub use sansim_schema::table::NamedValue;
pub use scenario::Scenario;
pub use schema::json_schema;
