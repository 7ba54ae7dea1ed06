//! Tests of the course of a train.

mod common;
mod laws;
