//! The tests of this crate from outside, in one program: each would take its time to build and to link.

#[path = "../common/mod.rs"]
mod common;

mod layouts;
mod oracle;
mod plans;
mod rare_losses;
mod reliability;
mod theory;
mod volumes;
