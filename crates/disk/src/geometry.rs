//! Where blocks are on a disk: zones of equally long tracks, surfaces, skew, spare sectors.
//!
//! Blocks are numbered along a track, then over the surfaces of a cylinder, then inwards. Sector 0 of each track is behind sector 0 of the
//! track before by the skew, so that a transfer over both tracks finds it after the head switch or the seek of one cylinder. Spare sectors
//! are the last sectors of a zone and hold no data.
//!
//! Source: Ruemmler, Wilkes, "An Introduction to Disk Drive Modeling", IEEE Computer 27(3), 1994; DiskSim 2.0 manual, zones.

/// A zone as the scenario describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone {
    /// The outermost cylinder of the zone; the zone ends before the first cylinder of the next zone.
    pub first_cylinder: u32,
    /// The sectors of each track of the zone.
    pub sectors: u32,
    /// The number of sectors by which a track begins behind the track before it, of the same cylinder.
    pub track_skew: u32,
    /// The number of sectors by which a cylinder begins behind the last track of the cylinder before it.
    pub cylinder_skew: u32,
    /// The sectors at the end of the zone that hold no data.
    pub spare_sectors: u32,
}

/// A zone with values that follow from all zones.
#[derive(Clone, Copy, Debug)]
struct Laid {
    zone: Zone,
    /// The first block of the zone, and the block behind its last.
    first: u64,
    end: u64,
    /// The number of sectors by which a cylinder begins behind the cylinder before it.
    cylinder_to_cylinder: u64,
    /// The cylinder behind the innermost cylinder of the zone.
    end_cylinder: u32,
}

/// The position of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockPosition {
    /// The cylinder of the block, counted inwards.
    pub cylinder: u32,
    /// The surface of the block.
    pub head: u32,
    /// The sector of the block, counted from the first sector of its track.
    pub sector: u32,
    /// The slot of the block, counted from the beginning of the rotation: its sector and the skew of its track.
    pub slot: u32,
    /// The number of sectors of the block's track; the block begins at the angle `slot / sectors` of a revolution.
    pub sectors: u32,
    /// The number of blocks of the track from this block on, including it; spare sectors are no blocks.
    pub left: u32,
}

/// The positions of all blocks of a disk.
#[derive(Clone, Debug)]
pub struct DiskGeometry {
    surfaces: u32,
    cylinders: u32,
    zones: Vec<Laid>,
}

impl DiskGeometry {
    /// The geometry of these zones.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the zones and what to write instead.
    pub fn new(surfaces: u32, cylinders: u32, zones: &[Zone]) -> Result<Self, String> {
        if surfaces == 0 {
            return Err("there is no surface; give at least one".to_owned());
        }
        if zones.first().is_none_or(|zone| zone.first_cylinder != 0) {
            return Err("the first zone begins at cylinder 0".to_owned());
        }
        let mut laid = Vec::with_capacity(zones.len());
        let mut first = 0;
        for (at, &zone) in zones.iter().enumerate() {
            let end_cylinder = zones.get(at + 1).map_or(cylinders, |next| next.first_cylinder);
            if end_cylinder <= zone.first_cylinder {
                return Err(format!(
                    "zone {at} begins at cylinder {} and ends before cylinder {end_cylinder}; zones go inwards, each with a cylinder at least",
                    zone.first_cylinder
                ));
            }
            if zone.sectors == 0 {
                return Err(format!("zone {at} has no sectors; give at least one per track"));
            }
            let tracks = u64::from(end_cylinder - zone.first_cylinder) * u64::from(surfaces);
            let all = tracks * u64::from(zone.sectors);
            let spare = u64::from(zone.spare_sectors);
            if spare >= all {
                return Err(format!(
                    "zone {at} has {all} sectors and {spare} of them are spare; leave some for data"
                ));
            }
            let cylinder_to_cylinder =
                u64::from(surfaces - 1) * u64::from(zone.track_skew) + u64::from(zone.cylinder_skew);
            let end = first + (all - spare);
            laid.push(Laid { zone, first, end, cylinder_to_cylinder, end_cylinder });
            first = end;
        }
        Ok(Self { surfaces, cylinders, zones: laid })
    }

    /// The number of blocks that the disk holds.
    pub fn blocks(&self) -> u64 {
        self.zones.last().map_or(0, |laid| laid.end)
    }

    /// The number of cylinders of the disk.
    pub fn cylinders(&self) -> u32 {
        self.cylinders
    }

    /// The number of surfaces that hold data.
    pub fn surfaces(&self) -> u32 {
        self.surfaces
    }

    /// The position of a block; a block behind the end has the position of the last block.
    pub fn position_of_block(&self, lbn: u64) -> BlockPosition {
        let lbn = lbn.min(self.blocks() - 1);
        let laid = &self.zones[self.zones.partition_point(|laid| laid.first <= lbn) - 1];
        let within = lbn - laid.first;
        let sectors = u64::from(laid.zone.sectors);
        let (track, sector) = (within / sectors, within % sectors);
        let surfaces = u64::from(self.surfaces);
        let (cylinder, head) = (track / surfaces, track % surfaces);
        let skew = cylinder * laid.cylinder_to_cylinder + head * u64::from(laid.zone.track_skew);
        BlockPosition {
            cylinder: laid.zone.first_cylinder + cylinder as u32,
            head: head as u32,
            sector: sector as u32,
            slot: ((sector + skew) % sectors) as u32,
            sectors: laid.zone.sectors,
            left: (sectors - sector).min(laid.end - lbn) as u32,
        }
    }

    /// The block in a sector; none if the sector is spare or does not exist.
    pub fn block_at(&self, cylinder: u32, head: u32, sector: u32) -> Option<u64> {
        let laid =
            self.zones.get(self.zones.partition_point(|laid| laid.zone.first_cylinder <= cylinder) - 1)?;
        if cylinder >= laid.end_cylinder || head >= self.surfaces || sector >= laid.zone.sectors {
            return None;
        }
        let track =
            u64::from(cylinder - laid.zone.first_cylinder) * u64::from(self.surfaces) + u64::from(head);
        let lbn = laid.first + track * u64::from(laid.zone.sectors) + u64::from(sector);
        (lbn < laid.end).then_some(lbn)
    }

    /// The block behind the last block of the cylinder that contains this block.
    pub fn end_of_cylinder(&self, lbn: u64) -> u64 {
        let place = self.position_of_block(lbn);
        let tracks_left = u64::from(self.surfaces - 1 - place.head);
        let end = lbn + u64::from(place.sectors - place.sector) + tracks_left * u64::from(place.sectors);
        let zone = &self.zones[self.zones.partition_point(|laid| laid.first <= lbn) - 1];
        end.min(zone.end)
    }

    /// For every zone the first block, the last block, and the sectors of each track.
    pub fn zones(&self) -> impl Iterator<Item = (u64, u64, u32)> {
        self.zones.iter().map(|laid| (laid.first, laid.end - 1, laid.zone.sectors))
    }
}

#[cfg(test)]
mod tests;
