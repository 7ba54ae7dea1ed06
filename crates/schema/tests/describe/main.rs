//! The tests of this crate from outside, in one program: each would take its time to build and to link.

mod distribution;
mod file_name;
mod outline;
mod table;
mod variants;
