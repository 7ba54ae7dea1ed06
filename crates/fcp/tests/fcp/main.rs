//! The tests of this crate from outside are one program, because each separate program would take time to
//! build and to link.

mod aborts;
mod exchanges;
mod processor;
mod task_management;
mod whole_units;
