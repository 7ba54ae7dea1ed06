//! The tests of this crate from outside, in one program: each would take its time to build and to link.

#[path = "../common/mod.rs"]
mod common;

mod enclosures;
mod generated;
mod graph;
mod graph_messages;
mod grid;
mod groups;
mod messages;
mod resolve;
mod robust;
mod sources;
mod suggestions;
mod templates;
mod warnings;
