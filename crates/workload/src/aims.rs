//! To whom a workload goes, and its devices as one address space.

use sansim_component::Setting;
use sansim_component::compound::{Joins, Reference};
use sansim_request::BLOCK_BYTES;

/// To whom a workload goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aims {
    /// The number of the workload in the system.
    pub workload: u32,
    /// The devices by their numbers in the system.
    pub devices: Vec<u32>,
    /// Logical blocks of each.
    pub capacity_blocks: Vec<u64>,
}

impl Aims {
    /// What a workload is told of where it stands.
    pub fn of(setting: &Setting<'_>) -> Self {
        let (workload, capacity_blocks) = setting.source.clone().unwrap_or_default();
        Self { workload, devices: setting.behind.clone(), capacity_blocks }
    }
}

/// The devices of a workload one behind another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressSpace {
    /// Where each device ends, in bytes.
    ends: Vec<u64>,
}

impl AddressSpace {
    /// That of these devices.
    pub fn of(aims: &Aims) -> Self {
        let end = |end: &mut u64, blocks: &u64| {
            *end = end.saturating_add(blocks.saturating_mul(BLOCK_BYTES));
            Some(*end)
        };
        Self { ends: aims.capacity_blocks.iter().scan(0, end).collect() }
    }

    /// How many devices.
    pub fn devices(&self) -> u32 {
        self.ends.len() as u32
    }

    /// Bytes in all.
    pub fn bytes(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Bytes of one device.
    pub fn bytes_of(&self, device: u32) -> u64 {
        self.ends[device as usize] - self.begin(device)
    }

    /// Where a device begins.
    fn begin(&self, device: u32) -> u64 {
        device.checked_sub(1).map_or(0, |before| self.ends[before as usize])
    }

    /// The device of a place, and the place there. A request that would cross from one device to the next is moved back so that it ends
    /// on the first.
    pub fn locate(&self, offset: u64, bytes: u64) -> (u32, u64) {
        let device = self.ends.partition_point(|&end| end <= offset).min(self.ends.len() - 1) as u32;
        let last = self.bytes_of(device).saturating_sub(bytes.next_multiple_of(BLOCK_BYTES));
        (device, (offset - self.begin(device)).min(last))
    }
}

/// The keys in which a workload names the host that it goes through and the devices that it goes to.
pub fn references<'k>(from: &'k String, to: &'k [String]) -> Vec<Reference<'k>> {
    vec![
        Reference { key: "from", names: std::slice::from_ref(from), joins: Joins::Through },
        Reference { key: "to", names: to, joins: Joins::Devices },
    ]
}
