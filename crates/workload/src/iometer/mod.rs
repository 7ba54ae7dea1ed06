//! Iometer: its access specifications, the files (`.icf`) they come in, and what one worker makes of them.
//!
//! Source: the user guide and the source tree of Iometer, as summed up in the fact sheet of this project; no code of it is used.
//!
//! * [`icf`] - reads a file; [`access`] - access specifications and the I/Os that they make; [`patterns`] - those that
//!   everybody knows by name.

pub mod access;
pub mod area;
pub mod icf;
mod kind;
mod parameters;
pub mod patterns;

pub use parameters::{AccessPatternParameters, IometerParameters};
