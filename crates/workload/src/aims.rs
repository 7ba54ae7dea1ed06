//! The devices to which a workload goes, also as one address space.

use sansim_component::component_kind::{ComponentReference, ReferenceRelation};
use sansim_component::{BuildContext, SourceRole};
use sansim_request::BLOCK_BYTES;
use sansim_schema::quantities::{NameList, NamesOrOne};

/// The devices to which a workload goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetDevices {
    /// The number of the workload in the system.
    pub workload: u32,
    /// The devices by their numbers in the system.
    pub devices: Vec<u32>,
    /// The logical blocks of each device.
    pub capacity_blocks: Vec<u64>,
    /// The name of each device in the scenario, such as `disk[3]`.
    pub names: Vec<String>,
}

impl TargetDevices {
    /// The aims that the build context gives to a workload.
    pub fn from_build_context(cx: &BuildContext<'_, SourceRole>) -> Self {
        Self {
            workload: cx.number,
            devices: cx.targets.iter().map(|target| target.device).collect(),
            capacity_blocks: cx.targets.iter().map(|target| target.blocks).collect(),
            names: cx.targets.iter().map(|target| target.name.clone()).collect(),
        }
    }

    /// The numbers, among the workload's devices, of those that a name means: see [`is_called`].
    pub fn devices_called(&self, name: &str) -> Vec<u32> {
        let found = (0..).zip(&self.names).filter(|(_, known)| is_called(known, name));
        found.map(|(number, _)| number).collect()
    }
}

/// Whether a name means a device: it is the device's own name, such as `disk[3]`, or that of its component, such as `disk`.
pub fn is_called(device: &str, name: &str) -> bool {
    device.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '.']))
}

/// The devices of a workload as one address space: concatenated, or striped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressSpace {
    /// The byte at which each device ends, if devices are concatenated.
    ends: Vec<u64>,
    /// The bytes of a stripe unit, and the bytes of each device that stripe units cover.
    striped: Option<(u64, u64)>,
}

impl AddressSpace {
    /// The concatenated devices; with `stripe_bytes`, striped devices with one stripe unit on each in turn, as far as the smallest device
    /// reaches.
    pub fn from_devices(aims: &TargetDevices, stripe_bytes: Option<u64>) -> Self {
        Self::over_devices(&aims.capacity_blocks, stripe_bytes)
    }

    /// An address space over devices of these numbers of blocks; see [`AddressSpace::from_devices`].
    pub fn over_devices(capacity_blocks: &[u64], stripe_bytes: Option<u64>) -> Self {
        let end = |end: &mut u64, blocks: &u64| {
            *end = end.saturating_add(blocks.saturating_mul(BLOCK_BYTES));
            Some(*end)
        };
        let smallest = capacity_blocks.iter().min().map_or(0, |blocks| blocks.saturating_mul(BLOCK_BYTES));
        let striped =
            stripe_bytes.filter(|unit| *unit <= smallest).map(|unit| (unit, smallest / unit * unit));
        Self { ends: capacity_blocks.iter().scan(0, end).collect(), striped }
    }

    /// The number of devices.
    pub fn devices(&self) -> u32 {
        self.ends.len() as u32
    }

    /// The bytes of the address space.
    pub fn bytes(&self) -> u64 {
        match self.striped {
            Some((_, each)) => each.saturating_mul(self.ends.len() as u64),
            None => self.ends.last().copied().unwrap_or(0),
        }
    }

    /// The bytes of one device.
    pub fn bytes_of(&self, device: u32) -> u64 {
        self.ends[device as usize] - self.begin(device)
    }

    /// The byte of the address space at which a device begins.
    fn begin(&self, device: u32) -> u64 {
        device.checked_sub(1).map_or(0, |before| self.ends[before as usize])
    }

    /// The device of an offset, the offset on the device, and the number of bytes from there on that are contiguous on it.
    pub fn locate_piece(&self, offset: u64) -> (u32, u64, u64) {
        if let Some((unit, _)) = self.striped {
            let (number, within) = (offset / unit, offset % unit);
            let devices = self.ends.len() as u64;
            return ((number % devices) as u32, number / devices * unit + within, unit - within);
        }
        let device = self.ends.partition_point(|&end| end <= offset).min(self.ends.len() - 1) as u32;
        let place = offset - self.begin(device);
        (device, place, self.bytes_of(device).saturating_sub(place))
    }

    /// The device of an offset, and the offset on the device, for a request of this many bytes. A request that would cross from one device
    /// to the next is moved back so that it ends on the first; a request larger than a stripe unit begins with its unit and continues in
    /// the next units of the same device.
    pub fn locate(&self, offset: u64, bytes: u64) -> (u32, u64) {
        let (device, place, rest) = self.locate_piece(offset);
        let length = bytes.next_multiple_of(BLOCK_BYTES);
        let last = self.bytes_of(device).saturating_sub(length);
        let most = self.striped.map_or(place, |(unit, _)| offset % unit);
        (device, (place - length.saturating_sub(rest).min(most)).min(last))
    }
}

/// The list of the hosts through which a workload goes.
pub const FROM: NamesOrOne = NamesOrOne(TO);

/// The list of the devices to which a workload goes. Error messages for all lists of names show the same example.
pub const TO: NameList = NameList { example: r#"["host", "drives"]"# };

/// The keys with which a workload names the hosts through which it goes and its devices.
pub fn reference_keys<'k>(from: &'k [String], to: &'k [String]) -> Vec<ComponentReference<'k>> {
    vec![
        ComponentReference { key: "from", names: from, joins: ReferenceRelation::Through },
        ComponentReference { key: "to", names: to, joins: ReferenceRelation::Devices },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Drives with these numbers of blocks as one address space.
    fn space(capacity_blocks: &[u64], stripe_blocks: Option<u64>) -> AddressSpace {
        let devices = (0..capacity_blocks.len() as u32).collect();
        let aims = TargetDevices {
            workload: 0,
            devices,
            capacity_blocks: capacity_blocks.to_vec(),
            names: Vec::new(),
        };
        AddressSpace::from_devices(&aims, stripe_blocks.map(|blocks| blocks * BLOCK_BYTES))
    }

    /// The device and the block to which a request goes.
    fn located(space: &AddressSpace, block: u64, blocks: u64) -> (u32, u64) {
        let (device, place) = space.locate(block * BLOCK_BYTES, blocks * BLOCK_BYTES);
        (device, place / BLOCK_BYTES)
    }

    #[test]
    fn of_devices_one_behind_another_a_request_ends_on_the_one_on_which_it_begins() {
        let space = space(&[10, 0, 6], None);
        assert_eq!(space.bytes(), 16 * BLOCK_BYTES);
        assert_eq!([0, 6, 7, 9].map(|block| located(&space, block, 4)), [(0, 0), (0, 6), (0, 6), (0, 6)]);
        assert_eq!(
            [10, 12, 13, 15, 16].map(|block| located(&space, block, 4)),
            [0, 2, 2, 2, 2].map(|at| (2, at))
        );
    }

    #[test]
    fn of_striped_devices_each_has_a_unit_in_turn() {
        // The third stripe unit of the first drive has no counterpart on the second.
        let space = space(&[12, 9], Some(4));
        assert_eq!(space.bytes(), 16 * BLOCK_BYTES);
        let found = [0, 3, 4, 8, 11, 12, 15].map(|block| located(&space, block, 1));
        assert_eq!(found, [(0, 0), (0, 3), (1, 0), (0, 4), (0, 7), (1, 4), (1, 7)]);
        assert_eq!([5, 6, 7].map(|block| located(&space, block, 3)), [(1, 1); 3], "it would leave its unit");
    }

    #[test]
    fn a_request_larger_than_a_stripe_unit_begins_with_its_unit() {
        let space = space(&[64, 64], Some(4));
        // Stripe units 0, 4, 8 ... are on the first drive, and every second of its units is one of them.
        assert_eq!([0, 16, 32, 48].map(|block| located(&space, block, 10)), [0, 8, 16, 24].map(|at| (0, at)));
        assert_eq!(located(&space, 22, 10), (1, 8), "not before the unit in which it would begin");
        assert_eq!(located(&space, 127, 10), (1, 54), "nor beyond the end of the drive");
    }
}
