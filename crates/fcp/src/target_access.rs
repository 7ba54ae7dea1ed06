//! The access state of the devices behind a target: by an adapter in front of them they can be reached well, not so well, or not at all.
//!
//! A command for a device that is unavailable through the adapter is answered with the status that says so (SPC-4, logical unit not accessible,
//! target port in unavailable state; NVMe, asymmetric access inaccessible). Commands that the device has when its state changes are carried
//! out. An adapter knows this if a host learns access states from answers; other hosts send no such command. Through a non-optimised adapter the device is as fast as through an optimised one: this model has no cost of the detour.

use sansim_component::policy::AccessState;
use std::collections::BTreeSet;

/// The devices that cannot be reached through an adapter.
#[derive(Clone, Debug, Default)]
pub(crate) struct TargetAccess {
    unavailable: BTreeSet<u32>,
}

impl TargetAccess {
    /// An adapter through which these devices are unavailable.
    pub(crate) fn new(unavailable: &[u32]) -> Self {
        Self { unavailable: unavailable.iter().copied().collect() }
    }

    /// Whether a device cannot be reached through the adapter.
    #[inline]
    pub(crate) fn is_unavailable(&self, device: u32) -> bool {
        !self.unavailable.is_empty() && self.unavailable.contains(&device)
    }

    /// A device is in this state from now on.
    pub(crate) fn change(&mut self, device: u32, access: AccessState) {
        if access == AccessState::Unavailable {
            self.unavailable.insert(device);
        } else {
            self.unavailable.remove(&device);
        }
    }
}
