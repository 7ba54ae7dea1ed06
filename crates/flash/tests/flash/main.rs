//! The integration tests of this crate, in one program: separate programs would each have to be built and linked.

#[path = "../common/mod.rs"]
mod common;

mod collection;
mod consistency;
mod mqsim;
mod presets;
mod slc;
mod time;
mod warm_up;
mod write_amplification;
