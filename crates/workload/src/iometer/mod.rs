//! Iometer: its access specifications, its configuration files (`.icf`), and the I/Os that one worker makes of them.
//!
//! Source: the user guide and the source tree of Iometer, as summed up in the fact sheet of this project; no code of Iometer is used.
//!
//! * [`icf`] - reads a file; [`access`] - access specifications and the I/Os that they make; [`patterns`] - specifications that are
//!   commonly known by name.

pub mod access;
pub mod area;
pub mod icf;
mod kind;
mod parameters;
pub mod patterns;

pub use parameters::{AccessPatternParameters, IometerParameters};
