//! Listeners. They see everything and change nothing.
//!
//! * [`observer`] - what may be seen;
//! * [`ledger`] - the time ledger: where the response time of every I/O went.
#![forbid(unsafe_code)]

pub mod ledger;
pub mod observer;
