//! The tests of this crate from outside, in one program: each would take its time to build and to link.

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
