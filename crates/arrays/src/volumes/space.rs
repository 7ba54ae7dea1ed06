//! The space of volumes: taken when the system is built, or from a pool when something is first written.

use sansim_raid::volume::GroupExtent;
use sansim_raid::{ThinPool, Volume};

/// The space of a volume.
#[derive(Clone, Debug)]
pub enum VolumePlace {
    /// The volume has all of its space.
    AtOnce(Volume),
    /// The volume takes its space on write, by its number in the pool.
    OnWrite(usize),
}

/// The space of all volumes of a component.
#[derive(Clone, Debug)]
pub struct Space {
    places: Vec<VolumePlace>,
    pool: ThinPool,
}

impl Space {
    /// The space of volumes, of which some may take theirs from a pool.
    pub fn new(places: Vec<VolumePlace>, pool: ThinPool) -> Self {
        Self { places, pool }
    }

    /// The space of volumes that have all of theirs.
    pub fn at_once(volumes: Vec<Volume>) -> Self {
        Self::new(volumes.into_iter().map(VolumePlace::AtOnce).collect(), ThinPool::new(1, &[], &[]))
    }

    /// The number of volumes.
    pub fn volumes(&self) -> usize {
        self.places.len()
    }

    /// The number of bytes that a volume presents.
    pub fn capacity(&self, volume: usize) -> u64 {
        match &self.places[volume] {
            VolumePlace::AtOnce(volume) => volume.capacity(),
            VolumePlace::OnWrite(number) => self.pool.capacity(*number),
        }
    }

    /// The number of bytes that a volume can hold at most: none if nothing is left for it.
    pub(super) fn room(&self, volume: usize) -> u64 {
        match &self.places[volume] {
            VolumePlace::AtOnce(volume) => volume.capacity(),
            VolumePlace::OnWrite(number) => self.pool.capacity(*number).min(self.pool.free_chunks()),
        }
    }

    /// Whether a volume takes its space on write.
    pub fn is_on_write(&self, volume: usize) -> bool {
        matches!(self.places[volume], VolumePlace::OnWrite(_))
    }

    /// Whether any bytes of a volume are on a device behind.
    pub fn uses_group(&self, volume: usize, group: u32) -> bool {
        match &self.places[volume] {
            VolumePlace::AtOnce(volume) => volume.uses_group(group),
            VolumePlace::OnWrite(number) => self.pool.uses_group(*number, group),
        }
    }

    /// Takes space for a write. Returns false, and takes none, if the pool has too little.
    #[must_use]
    pub fn take_for_write(&mut self, volume: usize, offset: u64, bytes: u64) -> bool {
        match self.places[volume] {
            VolumePlace::AtOnce(_) => true,
            VolumePlace::OnWrite(number) => self.pool.take_for_range(number, offset, bytes),
        }
    }

    /// Appends the places of a range that exist, in order.
    pub fn append_extents(&self, volume: usize, offset: u64, bytes: u64, extents: &mut Vec<GroupExtent>) {
        match &self.places[volume] {
            VolumePlace::AtOnce(volume) => extents.extend(volume.extents_of_range(offset, bytes)),
            VolumePlace::OnWrite(number) => {
                self.pool.append_extents_of_range(*number, offset, bytes, extents);
            }
        }
    }

    /// Takes from a volume on write the chunks that lie completely within a range; see [`ThinPool::detach_range`].
    pub fn detach(&mut self, volume: usize, offset: u64, bytes: u64, detached: &mut Vec<(u32, u64)>) {
        if let VolumePlace::OnWrite(number) = self.places[volume] {
            self.pool.detach_range(number, offset, bytes, detached);
        }
    }

    /// The place of a chunk that was detached.
    pub fn chunk_extent(&self, chunk: (u32, u64)) -> GroupExtent {
        self.pool.chunk_extent(chunk)
    }

    /// Returns chunks that were detached to the pool.
    pub fn return_chunks(&mut self, detached: Vec<(u32, u64)>) {
        self.pool.return_chunks(detached);
    }

    /// Returns the space of a volume on write to the pool.
    pub fn return_all(&mut self, volume: usize) {
        if let VolumePlace::OnWrite(number) = self.places[volume] {
            self.pool.return_all(number);
        }
    }

    /// The number of chunks that volumes have taken.
    pub fn taken_chunks(&self) -> u64 {
        self.pool.taken_chunks()
    }
}
