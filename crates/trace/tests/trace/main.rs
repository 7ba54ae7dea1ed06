//! The integration tests of this crate, in one program: separate programs would each have to be built and linked.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/samples.rs"]
mod one_of_each;

mod any_bytes;
mod formats;
mod reading;
mod round_trip;
mod samples;
mod units;
