//! Functional warm-up: the accesses of workloads run through a system without time before simulated time begins, so that caches are not
//! empty when it does.
//!
//! A source returns its next access ([`Component::next_access`](crate::Component::next_access)), and continues after it when the run
//! begins. A device applies an access to its contents, and returns the resulting accesses of the devices behind it
//! ([`Component::warm`](crate::Component::warm)). A component with a hit ratio reports whether the ratio has settled
//! ([`Component::warmth`](crate::Component::warmth)).

use std::ops::Range;

/// Bytes of a device that are read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceAccess {
    /// The device, by its number among all devices of the system.
    pub device: u32,
    /// Whether the bytes are written.
    pub write: bool,
    /// The bytes of the device.
    pub bytes: Range<u64>,
}

/// The result of an access at a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarmAccessResult {
    /// The device does not take part in warm-up: its content, and the devices behind it, stay cold.
    Not,
    /// The device has applied the access to its content.
    Done,
}

/// The progress of the warm-up of a device that has a hit ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WarmUpProgress {
    /// Whether the hit ratio has settled.
    pub settled: bool,
    /// The hit ratio of the last accesses, if there were enough.
    pub ratio: Option<f64>,
    /// The number of accesses after which the hit ratio should have settled.
    pub patience: u64,
}
