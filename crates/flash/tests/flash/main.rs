//! The tests of this crate from outside, in one program: each would take its time to build and to link.

#[path = "../common/mod.rs"]
mod common;

mod collection;
mod consistency;
mod mqsim;
mod presets;
mod time;
mod warm_up;
mod write_amplification;
