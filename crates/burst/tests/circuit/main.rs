//! Tests of the schedule of a burst.

mod common;
mod laws;
