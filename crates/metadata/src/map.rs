//! The place of a volume on the devices.

use std::ops::Range;

/// A volume is striped over adjacent devices in turn, one stripe unit on each, and begins at the same byte on each device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VolumeMap {
    /// The first device, by its number among those that the controller manages.
    pub first: u32,
    /// The number of devices over which the volume is striped.
    pub lanes: u32,
    /// The size of a stripe unit in bytes; for a volume of files the size of an extent.
    pub stripe: u64,
    /// The first byte of the volume on each device.
    pub offset: u64,
    /// The number of times that the volume has been moved.
    pub version: u64,
}

/// Bytes that are contiguous on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DevicePiece {
    /// The device, by its number among those that the controller manages.
    pub place: u32,
    /// The first byte of the piece on the device.
    pub offset: u64,
    /// The number of bytes of the piece.
    pub bytes: u64,
}

impl VolumeMap {
    /// The place of a stripe unit: its device and first byte.
    pub fn stripe_unit_location(self, number: u64) -> (u32, u64) {
        let lanes = u64::from(self.lanes.max(1));
        let lane = u32::try_from(number % lanes).unwrap_or(0);
        (self.first + lane, self.offset + number / lanes * self.stripe)
    }

    /// The stripe units in which the given bytes of the volume are.
    pub fn stripe_units_of_range(stripe: u64, bytes: &Range<u64>) -> Range<u64> {
        let stripe = stripe.max(1);
        bytes.start / stripe..bytes.end.div_ceil(stripe)
    }

    /// Appends the pieces in which the given bytes of the volume are to a list; `unit` gives the place of each stripe unit, and pieces that
    /// are contiguous on a device are merged.
    pub fn append_device_pieces(
        stripe: u64,
        bytes: &Range<u64>,
        unit: impl Fn(u64) -> (u32, u64),
        pieces: &mut Vec<DevicePiece>,
    ) {
        for number in Self::stripe_units_of_range(stripe, bytes) {
            let (place, offset) = unit(number);
            let start = bytes.start.max(number * stripe);
            let end = bytes.end.min((number + 1) * stripe);
            let offset = offset + (start - number * stripe);
            match pieces.last_mut() {
                Some(last) if last.place == place && last.offset + last.bytes == offset => {
                    last.bytes += end - start;
                }
                _ => pieces.push(DevicePiece { place, offset, bytes: end - start }),
            }
        }
    }

    pub(super) fn words(self) -> [u64; 4] {
        [u64::from(self.first) << 32 | u64::from(self.lanes), self.stripe, self.offset, self.version]
    }

    pub(super) fn of([lanes, stripe, offset, version]: [u64; 4]) -> Self {
        Self { first: (lanes >> 32) as u32, lanes: lanes as u32, stripe, offset, version }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(map: VolumeMap, bytes: Range<u64>) -> Vec<(u32, u64, u64)> {
        let mut pieces = Vec::new();
        VolumeMap::append_device_pieces(
            map.stripe,
            &bytes,
            |number| map.stripe_unit_location(number),
            &mut pieces,
        );
        pieces.iter().map(|piece| (piece.place, piece.offset, piece.bytes)).collect()
    }

    #[test]
    fn a_volume_goes_over_its_devices_in_turn() {
        let map = VolumeMap { first: 1, lanes: 2, stripe: 1024, offset: 4096, version: 0 };
        assert_eq!(pieces(map, 0..512), [(1, 4096, 512)]);
        assert_eq!(pieces(map, 512..2560), [(1, 4608, 512), (2, 4096, 1024), (1, 5120, 512)]);
    }

    #[test]
    fn what_is_together_on_one_device_is_one_piece() {
        let map = VolumeMap { first: 3, lanes: 1, stripe: 1024, offset: 0, version: 0 };
        assert_eq!(pieces(map, 512..9000), [(3, 512, 8488)]);
    }

    #[test]
    fn every_byte_of_a_volume_is_somewhere_and_no_two_at_one_place() {
        let map = VolumeMap { first: 0, lanes: 3, stripe: 512, offset: 1024, version: 0 };
        let mut seen = std::collections::BTreeSet::new();
        for block in 0..90 {
            let [(place, offset, 512)] = pieces(map, block * 512..(block + 1) * 512)[..] else {
                panic!("one piece")
            };
            assert!(seen.insert((place, offset)) && (1024..1024 + 30 * 512).contains(&offset));
        }
    }
}
