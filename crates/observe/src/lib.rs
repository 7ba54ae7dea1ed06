//! Listeners. They see everything and change nothing.
//!
//! * [`observer`] - the observations of a run;
//! * [`names`] - the system as it is named there;
//! * [`observers`] - all listeners of a run at once;
//! * [`window`] - when to look;
//! * [`capture`] - the frames at some ports, as a file for Wireshark;
//! * [`mod@file`] - a file that is complete or not there;
//! * [`kind`] - the kind of a file, by its first bytes;
//! * [`tenancies`] - the owners of the loop, from when to when;
//! * [`paths`] - the paths of chosen I/Os through the system;
//! * [`slowest`] - when the slowest I/Os were in the system;
//! * [`trace`] - everything that the ports send, as text;
//! * [`timeline`] - what happened when, as a Perfetto trace.
#![forbid(unsafe_code)]

pub mod capture;
pub mod file;
pub mod kind;
pub mod names;
pub mod observer;
pub mod observers;
pub mod paths;
pub mod slowest;
pub mod tenancies;
pub mod tenancy;
pub mod timeline;
pub mod trace;
pub mod window;
