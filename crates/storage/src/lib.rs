//! Drives.
//!
//! [`drive`] is a drive with an access time and a transfer rate, or a RAM disk when both are nothing.
#![forbid(unsafe_code)]

pub mod drive;
