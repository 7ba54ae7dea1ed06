//! Listeners. They see everything and change nothing.
//!
//! * [`observer`] - what may be seen;
//! * [`file`] - a file that is complete or not there;
//! * [`ledger`] - the time ledger: where the response time of every I/O went.
#![forbid(unsafe_code)]

pub mod file;
pub mod ledger;
pub mod observer;
