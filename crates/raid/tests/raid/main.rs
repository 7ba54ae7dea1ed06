//! The integration tests of this crate, in one program: separate programs would each have to be built and linked.

#[path = "../common/mod.rs"]
mod common;

mod deallocations;
mod layouts;
mod oracle;
mod plans;
mod rare_losses;
mod reliability;
mod theory;
mod thin;
mod volumes;
