//! Observers record what happens in a run. Observers see everything and change nothing.
//!
//! * [`observer`] - the observations of a run;
//! * [`names`] - the names of the system's components in these observations;
//! * [`observers`] - all observers of a run together;
//! * [`window`] - the windows of time in which to record;
//! * [`capture`] - the frames at some ports, as a file for Wireshark;
//! * [`mod@file`] - a file that has its name only when it is complete;
//! * [`kind`] - the kind of a file, by its first bytes;
//! * [`tenancies`] - the owners of the loop, with the begin and the end of each tenancy;
//! * [`paths`] - the paths of chosen I/Os through the system;
//! * [`slowest`] - the times at which the slowest I/Os were in the system;
//! * [`trace`] - everything that the ports send, as text;
//! * [`timeline`] - the events of a run by time, as a Perfetto trace;
//! * [`playback`] - moves, states and requests of a run, for the studio.
#![forbid(unsafe_code)]

pub mod capture;
pub mod file;
pub mod kind;
pub mod names;
pub mod observer;
pub mod observers;
pub mod paths;
pub mod playback;
pub mod slowest;
pub mod tenancies;
pub mod tenancy;
pub mod timeline;
pub mod trace;
pub mod window;
