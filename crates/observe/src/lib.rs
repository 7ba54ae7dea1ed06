//! Listeners. They see everything and change nothing.
//!
//! [`ledger`] is the time ledger: where the response time of every I/O went.
#![forbid(unsafe_code)]

pub mod ledger;
