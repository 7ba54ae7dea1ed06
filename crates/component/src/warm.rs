//! Functional warm-up: the accesses of workloads run through a system without time before simulated time begins, so that caches are not
//! empty when it does.
//!
//! A source returns its next access ([`Component::next_access`](crate::Component::next_access)), and continues after it when the run
//! begins. A device applies an access to its contents, and returns the resulting accesses of the devices behind it
//! ([`Component::warm`](crate::Component::warm)). A component with a hit ratio reports whether that has settled
//! ([`Component::warmth`](crate::Component::warmth)).

use std::ops::Range;

/// Bytes of a device that are read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceAccess {
    /// The device, by its number among all of the system.
    pub device: u32,
    /// Whether they are written.
    pub write: bool,
    /// The bytes of it.
    pub bytes: Range<u64>,
}

/// The result of an access at a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warmed {
    /// It knows nothing of warming up: what it holds, and what is behind it, is as cold as before.
    Not,
    /// It has done to what it holds what the access does.
    Done,
}

/// How warm something is that has a hit ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Warmth {
    /// Whether the hit ratio has settled.
    pub settled: bool,
    /// Hits over accesses of late, if there were enough.
    pub ratio: Option<f64>,
    /// After so many accesses it should have.
    pub patience: u64,
}
