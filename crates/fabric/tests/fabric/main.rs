//! The tests of this crate from outside are one program, because each separate program would take time to
//! build and to link.

#[path = "../common/mod.rs"]
mod common;

mod channels;
mod class_2;
mod congestion;
mod control;
mod failures;
mod latency;
mod link_resets;
mod losses;
mod notices;
mod saturation;
mod topologies;
mod ways;
