//! The tests of this crate from outside, in one program: each would take its time to build and to link.

#[path = "../common/mod.rs"]
mod common;

mod block_cache;
mod durability;
mod keys;
mod replacement;
