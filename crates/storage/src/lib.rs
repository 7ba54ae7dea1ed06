//! Drives.
//!
//! [`drive`] is a drive with an access time and a transfer rate, or a RAM disk when both are nothing; [`cache`] is what
//! sequential commands meet instead of the medium.
#![forbid(unsafe_code)]

pub mod access_time;
pub mod cache;
pub mod drive;
