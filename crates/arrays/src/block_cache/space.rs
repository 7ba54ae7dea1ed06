//! One address space for all devices behind a cache, because they share its memory.

use sansim_cache::CacheParameters;
use sansim_cache::read_ahead::ReadAheadPolicy;
use std::ops::Range;

/// The largest alignment of the beginnings of devices in the address space, so that their stripe units are aligned too.
const LONGEST_STEP: u64 = 1 << 40;

/// One address space for all devices behind a cache, because they share its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Space {
    /// The bytes of each device in the address space, by the index of the device.
    devices: Vec<Range<u64>>,
    block_bytes: u64,
}

impl Space {
    /// The space for devices with these capacities in bytes; none if the sum overflows.
    pub(super) fn new(parameters: &CacheParameters, capacities: &[u64]) -> Option<Self> {
        let strip = match &parameters.read_ahead {
            ReadAheadPolicy::StripeUnit(keys) => keys.stripe_unit.next_multiple_of(parameters.block),
            _ => 1,
        };
        let whole = parameters.write.stripe_size.max(parameters.block).next_multiple_of(parameters.block);
        let step = lcm(whole, strip).filter(|step| *step <= LONGEST_STEP).unwrap_or(whole);
        let mut devices = Vec::with_capacity(capacities.len());
        let mut start = 0_u64;
        for &bytes in capacities {
            let end = start.checked_add(bytes)?;
            devices.push(start..end);
            start = end.checked_next_multiple_of(step)?;
        }
        Some(Self { devices, block_bytes: parameters.block })
    }

    /// The bytes of each device in the address space.
    pub(super) fn devices(&self) -> &[Range<u64>] {
        &self.devices
    }

    /// The number of blocks of all devices.
    pub(super) fn blocks(&self) -> u64 {
        self.devices.iter().map(|device| (device.end - device.start).div_ceil(self.block_bytes)).sum()
    }

    /// The range in the address space of a range of bytes of a device. Bytes beyond the end of the device are left out.
    pub(super) fn bytes(&self, place: u32, bytes: Range<u64>) -> Range<u64> {
        let device = &self.devices[place as usize];
        let at = |byte: u64| device.start.saturating_add(byte).min(device.end);
        at(bytes.start)..at(bytes.end)
    }

    /// The index of the device that contains a block.
    pub(super) fn device_of(&self, block: u64) -> u32 {
        let byte = block.saturating_mul(self.block_bytes);
        (self.devices.partition_point(|device| device.start <= byte).max(1) - 1) as u32
    }

    /// The device of some blocks, and their bytes there.
    pub(super) fn on_device(&self, blocks: &Range<u64>) -> (u32, Range<u64>) {
        let place = self.device_of(blocks.start);
        let device = &self.devices[place as usize];
        let at = |block: u64| block.saturating_mul(self.block_bytes).min(device.end) - device.start;
        (place, at(blocks.start)..at(blocks.end))
    }
}

fn lcm(one: u64, other: u64) -> Option<u64> {
    let (mut a, mut b) = (one, other);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    (one / a.max(1)).checked_mul(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_schema::context::Facts;
    use sansim_schema::table::Tabular;

    fn parameters(text: &str) -> CacheParameters {
        let text = format!("capacity = \"1 MiB\"\n{text}");
        CacheParameters::from_toml(&text, &Facts::default()).unwrap_or_else(|report| panic!("{report}"))
    }

    #[test]
    fn every_byte_of_every_device_has_a_place_of_its_own_and_is_found_again() {
        let text = "block = \"4 KiB\"\nread_ahead = { policy = \"stripe-unit\", stripe_unit = \"96 KiB\" }\n[write]\nstripe_size = \"64 KiB\"";
        let space = Space::new(&parameters(text), &[1_000_448, 512, 8 << 20]).expect("room");
        for (place, device) in (0..).zip(space.devices()) {
            assert_eq!(device.start % (192 << 10), 0, "stripes and strips begin with it");
            for block in device.start / 4096..device.end.div_ceil(4096) {
                let (found, bytes) = space.on_device(&(block..block + 1));
                assert_eq!(found, place);
                assert_eq!(space.bytes(place, bytes.clone()).start, block * 4096);
                assert!(!bytes.is_empty() && bytes.end <= device.end - device.start);
            }
        }
        assert!(space.devices().windows(2).all(|pair| pair[0].end <= pair[1].start));
    }

    #[test]
    fn more_than_can_be_counted_has_no_place() {
        assert!(Space::new(&parameters(""), &[1 << 63, 1 << 63, 512]).is_none());
    }
}
