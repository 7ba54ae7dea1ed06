//! The integration tests of this crate, in one program: separate programs would each have to be built and linked.

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
