//! Where things are on a drive: planes, blocks and mapping units by number.
//!
//! A plane is numbered by channel, chip, die and plane, in this order of weight; a block by its plane and its place there; a unit,
//! what the drive has one mapping entry for, by its block and its place there. Dies that work apart are [`servers`](Layout::servers):
//! what can do one operation at a time.

use crate::parameters::{FlashParameters, Planes};

/// The numbers of a drive, worked out from its keys.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Channels.
    pub channels: u32,
    /// Planes of the drive.
    pub planes: u32,
    /// Planes of a die.
    pub planes_per_die: u32,
    /// Planes that share a server.
    planes_per_server: u32,
    /// Servers of a channel.
    servers_per_channel: u32,
    /// Blocks of a plane.
    pub blocks: u32,
    /// Mapping units of a block.
    pub units: u32,
    /// Pages of a mapping unit.
    pub pages: u32,
    /// Bytes of a page.
    pub page_bytes: u64,
    /// Logical units that belong to a plane.
    pub slots: u32,
    /// Of each remainder of a logical unit its plane, and the other way round.
    plane_of: Vec<u32>,
    remainder_of: Vec<u32>,
}

impl Layout {
    /// Of a drive with these keys, which were checked.
    pub fn new(parameters: &FlashParameters) -> Self {
        let FlashParameters { channels, chips, dies, planes, blocks, .. } = *parameters;
        let pages = (parameters.mapping_unit / parameters.page).max(1) as u32;
        let units = parameters.pages / pages;
        let plane_of = parameters.page_order.planes([channels, chips, dies, planes]);
        let mut remainder_of = vec![0; plane_of.len()];
        for (remainder, &plane) in (0..).zip(&plane_of) {
            remainder_of[plane as usize] = remainder;
        }
        let planes_per_server = match (parameters.interleaving, parameters.plane_operations) {
            (_, Planes::Independent) => 1,
            (true, _) => planes,
            (false, _) => planes * dies,
        };
        let total = channels * chips * dies * planes;
        Self {
            channels,
            planes: total,
            planes_per_die: planes,
            planes_per_server,
            servers_per_channel: total / channels / planes_per_server,
            blocks,
            units,
            pages,
            page_bytes: parameters.page,
            slots: parameters.slots(),
            plane_of,
            remainder_of,
        }
    }

    /// Bytes of a mapping unit.
    pub fn unit_bytes(&self) -> u64 {
        self.page_bytes * u64::from(self.pages)
    }

    /// Logical units of the drive.
    pub fn logical_units(&self) -> u32 {
        self.slots * self.planes
    }

    /// What of the drive does one operation at a time: chips, dies or planes.
    pub fn servers(&self) -> u32 {
        self.planes / self.planes_per_server
    }

    /// The plane that a logical unit belongs to.
    #[inline]
    pub fn plane(&self, logical: u32) -> u32 {
        self.plane_of[(logical % self.planes) as usize]
    }

    /// The unit where a logical unit is if all were written in their order.
    #[inline]
    pub fn home(&self, logical: u32) -> u32 {
        self.plane(logical) * self.blocks * self.units + logical / self.planes
    }

    /// The logical unit whose home a unit is; beyond the last for what is no home.
    pub fn resident(&self, unit: u32) -> u64 {
        let in_plane = self.blocks * self.units;
        let (plane, slot) = (unit / in_plane, unit % in_plane);
        u64::from(slot) * u64::from(self.planes) + u64::from(self.remainder_of[plane as usize])
    }

    /// The block of a unit.
    #[inline]
    pub fn block(&self, unit: u32) -> u32 {
        unit / self.units
    }

    /// The server of a plane.
    #[inline]
    pub fn server(&self, plane: u32) -> u32 {
        plane / self.planes_per_server
    }

    /// The planes of a server.
    #[inline]
    pub fn planes_of(&self, server: u32) -> std::ops::Range<u32> {
        server * self.planes_per_server..(server + 1) * self.planes_per_server
    }

    /// The channel of a server.
    #[inline]
    pub fn channel(&self, server: u32) -> u32 {
        server / self.servers_per_channel
    }
}
