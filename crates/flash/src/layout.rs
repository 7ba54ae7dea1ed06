//! The layout of a drive: planes, blocks and mapping units by number.
//!
//! A plane is numbered by channel, chip, die and plane, in this order of weight; a block by its plane and its number there; a unit, for
//! which the mapping has an entry, by its block and its position there. Dies that work independently are [`servers`](Layout::servers): a
//! server does one operation at a time.

use crate::parameters::{FlashParameters, PlaneParallelism};

/// A frequent divisor: division is a shift where it is a power of two, as counts and sizes of flash mostly are.
#[derive(Clone, Copy, Debug)]
struct Divisor {
    by: u64,
    shift: Option<u8>,
}

impl Divisor {
    fn new(by: impl Into<u64>) -> Self {
        let by = by.into();
        Self { by, shift: by.is_power_of_two().then(|| by.trailing_zeros() as u8) }
    }

    /// The quotient and the remainder.
    #[inline]
    fn divide(self, number: u64) -> (u64, u64) {
        match self.shift {
            Some(shift) => (number >> shift, number & (self.by - 1)),
            None => (number / self.by, number % self.by),
        }
    }

    /// The quotient and the remainder of small numbers.
    #[inline]
    fn divide_small(self, number: u32) -> (u32, u32) {
        let (quotient, remainder) = self.divide(number.into());
        (quotient as u32, remainder as u32)
    }
}

/// The numbers of a drive, calculated from its keys.
#[derive(Clone, Debug)]
pub struct FlashLayout {
    /// The number of channels.
    pub channels: u32,
    /// The number of planes of the drive.
    pub planes: u32,
    /// The number of planes of a die.
    pub planes_per_die: u32,
    /// The number of planes that share a server.
    planes_per_server: u32,
    by_planes: Divisor,
    by_planes_per_server: Divisor,
    /// The number of servers of a channel, as a divisor.
    by_servers_per_channel: Divisor,
    by_blocks: Divisor,
    by_units: Divisor,
    by_unit_bytes: Divisor,
    by_page_bytes: Divisor,
    /// The number of blocks of a plane.
    pub blocks: u32,
    /// The number of mapping units of a block.
    pub units: u32,
    /// The number of pages of a mapping unit.
    pub pages: u32,
    /// The bytes of a page.
    pub page_bytes: u64,
    /// The number of blocks of the SLC cache in a plane.
    pub slc_blocks: u32,
    /// The number of mapping units of a block of the SLC cache.
    pub slc_units: u32,
    /// The first unit of the SLC cache, behind those of all planes; none has this number if there is no SLC cache.
    first_slc_unit: u32,
    /// The number of logical units that belong to a plane.
    pub slots: u32,
    /// The plane of each remainder of a logical unit, and the inverse.
    plane_of: Vec<u32>,
    remainder_of: Vec<u32>,
}

impl FlashLayout {
    /// The layout of a drive with these keys, which have been checked.
    pub fn new(parameters: &FlashParameters) -> Self {
        let FlashParameters { channels, chips, dies, planes, blocks, .. } = *parameters;
        let pages = (parameters.mapping_unit / parameters.page).max(1) as u32;
        let units = parameters.pages / pages;
        let plane_of = parameters.page_order.planes_of_units([channels, chips, dies, planes]);
        let mut remainder_of = vec![0; plane_of.len()];
        for (remainder, &plane) in (0..).zip(&plane_of) {
            remainder_of[plane as usize] = remainder;
        }
        let planes_per_server = match (parameters.interleaving, parameters.plane_operations) {
            (_, PlaneParallelism::Independent) => 1,
            (true, _) => planes,
            (false, _) => planes * dies,
        };
        let total = channels * chips * dies * planes;
        Self {
            channels,
            planes: total,
            planes_per_die: planes,
            planes_per_server,
            by_planes: Divisor::new(total),
            by_planes_per_server: Divisor::new(planes_per_server),
            by_servers_per_channel: Divisor::new(total / channels / planes_per_server),
            by_blocks: Divisor::new(blocks),
            by_units: Divisor::new(units),
            by_unit_bytes: Divisor::new(parameters.page * u64::from(pages)),
            by_page_bytes: Divisor::new(parameters.page),
            blocks,
            units,
            pages,
            page_bytes: parameters.page,
            slc_blocks: parameters.slc_blocks_per_plane(),
            slc_units: parameters.units_of_slc_block(),
            first_slc_unit: match parameters.slc_cache {
                Some(_) => total * blocks * units,
                None => u32::MAX,
            },
            slots: parameters.logical_units_per_plane(),
            plane_of,
            remainder_of,
        }
    }

    /// The bytes of a mapping unit.
    pub fn unit_bytes(&self) -> u64 {
        self.by_unit_bytes.by
    }

    /// The number of logical units of the drive.
    pub fn logical_units(&self) -> u32 {
        self.slots * self.planes
    }

    /// The number of servers, which do one operation at a time: chips, dies or planes.
    pub fn server_count(&self) -> u32 {
        self.planes / self.planes_per_server
    }

    /// The plane to which a logical unit belongs.
    #[inline]
    pub fn plane_of_unit(&self, logical: u32) -> u32 {
        self.plane_of[self.by_planes.divide_small(logical).1 as usize]
    }

    /// The unit at which a logical unit is if all were written in order.
    #[inline]
    pub fn home_unit(&self, logical: u32) -> u32 {
        let (slot, remainder) = self.by_planes.divide_small(logical);
        self.plane_of[remainder as usize] * self.blocks * self.units + slot
    }

    /// The logical unit whose home a unit is; beyond the last logical unit if the unit is no home.
    pub fn logical_unit_at_home(&self, unit: u32) -> u64 {
        let in_plane = self.blocks * self.units;
        let (plane, slot) = (unit / in_plane, unit % in_plane);
        u64::from(slot) * u64::from(self.planes) + u64::from(self.remainder_of[plane as usize])
    }

    /// The first block of the SLC cache, behind those of all planes.
    pub fn first_slc_block(&self) -> u32 {
        self.planes * self.blocks
    }

    /// Whether a block belongs to the SLC cache.
    #[inline]
    pub fn is_slc_block(&self, block: u32) -> bool {
        block >= self.planes * self.blocks
    }

    /// Whether a unit is in the SLC cache.
    #[inline]
    pub fn is_slc_unit(&self, unit: u32) -> bool {
        unit >= self.first_slc_unit && unit != u32::MAX
    }

    /// The number of mapping units that a block holds.
    pub fn units_of_block(&self, block: u32) -> u32 {
        if self.is_slc_block(block) { self.slc_units } else { self.units }
    }

    /// The plane of a block.
    pub fn plane_of_block(&self, block: u32) -> u32 {
        match block.checked_sub(self.first_slc_block()) {
            Some(place) if self.slc_blocks > 0 => place / self.slc_blocks,
            _ => block / self.blocks,
        }
    }

    /// The block of a unit.
    #[inline]
    pub fn block_of_unit(&self, unit: u32) -> u32 {
        self.by_units.divide_small(unit).0
    }

    /// The position of a unit in its block.
    #[inline]
    pub fn position_in_block(&self, unit: u32) -> u32 {
        self.by_units.divide_small(unit).1
    }

    /// The plane of a block, and the number of the block there.
    #[inline]
    pub fn plane_and_number_of_block(&self, block: u32) -> (u32, u32) {
        self.by_blocks.divide_small(block)
    }

    /// The unit that contains a byte, and the offset of the byte there.
    #[inline]
    pub fn unit_of_byte(&self, byte: u64) -> (u64, u64) {
        self.by_unit_bytes.divide(byte)
    }

    /// The number of pages that this many bytes touch, beginning at a byte.
    #[inline]
    pub fn pages_touched(&self, first_byte: u64, bytes: u64) -> u64 {
        self.by_page_bytes.divide(first_byte + bytes - 1).0 - self.by_page_bytes.divide(first_byte).0 + 1
    }

    /// The server of a plane.
    #[inline]
    pub fn server_of_plane(&self, plane: u32) -> u32 {
        self.by_planes_per_server.divide_small(plane).0
    }

    /// The planes of a server.
    #[inline]
    pub fn planes_of_server(&self, server: u32) -> std::ops::Range<u32> {
        server * self.planes_per_server..(server + 1) * self.planes_per_server
    }

    /// The channel of a server.
    #[inline]
    pub fn channel_of_server(&self, server: u32) -> u32 {
        self.by_servers_per_channel.divide_small(server).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifting_is_dividing() {
        for by in [1_u64, 2, 3, 7, 8, 12, 4_096, 4_097, 1 << 31] {
            for number in [0, 1, by - 1, by, by + 1, 12_345_678_901, u64::MAX] {
                assert_eq!(Divisor::new(by).divide(number), (number / by, number % by), "{number} by {by}");
            }
        }
    }
}
