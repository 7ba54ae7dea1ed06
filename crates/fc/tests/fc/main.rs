//! The tests of this crate from outside are one program, because each separate program would take time to
//! build and to link.

#[path = "../common/mod.rs"]
mod common;

mod arbitration;
mod class_2;
mod drivers;
mod fast_switch_equals_reference;
mod loop_switch;
mod loop_switch_circles;
mod switch_equals_hub;
