//! Listeners. They see everything and change nothing.
//!
//! * [`observer`] - what may be seen;
//! * [`names`] - the system as it is named there;
//! * [`observers`] - all listeners of a run at once;
//! * [`window`] - when to look;
//! * [`capture`] - the frames at some ports, as a file for Wireshark;
//! * [`mod@file`] - a file that is complete or not there;
//! * [`kind`] - what a file is, by how it begins;
//! * [`tenancies`] - who owned the loop from when to when;
//! * [`paths`] - the way of chosen I/Os through the system;
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
