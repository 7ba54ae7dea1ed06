//! The integration tests of this crate, in one program: separate programs would each have to be built and linked.

#[path = "../common/mod.rs"]
mod common;

mod admission;
mod block_cache;
mod durability;
mod keys;
mod own_rules;
mod replacement;
