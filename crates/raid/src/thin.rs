//! Volumes on demand: a pool from which volumes take space when something is first written, and to which deleted ones return it.
//!
//! The source is Friedman, "What is a SAN?": where physical storage is pooled and logical volumes are made of it, "a resource manager"
//! allocates and frees physical resources. The rules are those of thin volumes of Linux (lvmthin(7)): space is taken in chunks; a chunk
//! that was never written reads as zeros and is nowhere; a write that finds no free chunk fails as a whole. New chunks are not zeroed
//! (`lvcreate --zero n`). A deallocation returns the chunks that lie completely within it, and changes no other.
//!
//! Ours: the first free chunk of a group is taken; a striped volume takes its chunks from the groups in turn, another one from the first
//! group that has one.

use crate::volume::{GroupExtent, VolumeSpread};
use std::collections::{BTreeMap, BTreeSet};

/// A volume that takes its space from a pool when it is first written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThinVolumeParameters {
    /// The number of bytes that the volume presents, all of which need not exist.
    pub capacity: u64,
    /// The order of groups from which chunks are taken.
    pub arrangement: VolumeSpread,
    /// The only group on which the volume is; with `None`, it may be on all.
    pub on: Option<u32>,
}

/// The chunks of a group that belong to a pool.
#[derive(Clone, Debug)]
struct GroupChunks {
    /// The offset of the first chunk on the group.
    start: u64,
    /// The number of chunks.
    chunks: u64,
    /// The first chunk that was never taken.
    fresh: u64,
    /// Chunks before it that were returned.
    returned: BTreeSet<u64>,
}

impl GroupChunks {
    fn free(&self) -> u64 {
        self.chunks - self.fresh + self.returned.len() as u64
    }

    /// Takes the first free chunk.
    fn take(&mut self) -> Option<u64> {
        if let Some(chunk) = self.returned.pop_first() {
            return Some(chunk);
        }
        let chunk = self.fresh;
        (chunk < self.chunks).then(|| self.fresh += 1)?;
        Some(chunk)
    }
}

/// A volume and where its chunks are: of each chunk that was written, the group and the chunk there.
#[derive(Clone, Debug)]
struct ThinVolume {
    parameters: ThinVolumeParameters,
    chunks: BTreeMap<u64, (u32, u64)>,
    /// The group from which a striped volume takes its next chunk.
    next_group: u32,
}

/// A pool of chunks and the volumes that take them.
#[derive(Clone, Debug)]
pub struct ThinPool {
    chunk_bytes: u64,
    groups: Vec<GroupChunks>,
    volumes: Vec<ThinVolume>,
}

impl ThinPool {
    /// A pool of the free space of groups, each given by the offset at which it begins and its bytes.
    pub fn new(chunk_bytes: u64, free: &[(u64, u64)], volumes: &[ThinVolumeParameters]) -> Self {
        let chunk_bytes = chunk_bytes.max(1);
        let group = |&(start, bytes): &(u64, u64)| GroupChunks {
            start,
            chunks: bytes / chunk_bytes,
            fresh: 0,
            returned: BTreeSet::new(),
        };
        let volume = |&parameters: &ThinVolumeParameters| ThinVolume {
            parameters,
            chunks: BTreeMap::new(),
            next_group: 0,
        };
        Self {
            chunk_bytes,
            groups: free.iter().map(group).collect(),
            volumes: volumes.iter().map(volume).collect(),
        }
    }

    /// The number of bytes that a volume presents.
    pub fn capacity(&self, volume: usize) -> u64 {
        self.volumes[volume].parameters.capacity
    }

    /// The number of chunks that no volume has.
    pub fn free_chunks(&self) -> u64 {
        self.groups.iter().map(GroupChunks::free).sum()
    }

    /// The number of chunks that volumes have.
    pub fn taken_chunks(&self) -> u64 {
        self.volumes.iter().map(|volume| volume.chunks.len() as u64).sum()
    }

    /// Whether a volume has a chunk on a group, or could get one on no other.
    pub fn uses_group(&self, volume: usize, group: u32) -> bool {
        let volume = &self.volumes[volume];
        volume.parameters.on == Some(group) || volume.chunks.values().any(|&(of, _)| of == group)
    }

    /// The places of those bytes of a range that were written, in order. Bytes beyond the capacity have none.
    pub fn extents_of_range(&self, volume: usize, offset: u64, bytes: u64) -> Vec<GroupExtent> {
        let mut extents = Vec::new();
        self.append_extents_of_range(volume, offset, bytes, &mut extents);
        extents
    }

    /// Appends the places of those bytes of a range that were written, in order.
    pub fn append_extents_of_range(
        &self,
        volume: usize,
        offset: u64,
        bytes: u64,
        extents: &mut Vec<GroupExtent>,
    ) {
        let volume = &self.volumes[volume];
        let end = offset.saturating_add(bytes).min(volume.parameters.capacity);
        let first = offset / self.chunk_bytes;
        let mut next_chunk = first;
        for (&chunk, &(group, at)) in volume.chunks.range(first..end.div_ceil(self.chunk_bytes).max(first)) {
            let begins = chunk * self.chunk_bytes;
            let from = begins.max(offset);
            let place = self.groups[group as usize].start + at * self.chunk_bytes + (from - begins);
            let bytes = (begins + self.chunk_bytes).min(end) - from;
            match extents.last_mut() {
                Some(last) if chunk == next_chunk && last.is_followed_by(group, place) => last.bytes += bytes,
                _ => extents.push(GroupExtent { group, offset: place, bytes }),
            }
            next_chunk = chunk + 1;
        }
    }

    /// Takes a chunk for each part of a range that was never written. Returns false, and takes none, if there are not enough.
    #[must_use]
    pub fn take_for_range(&mut self, volume: usize, offset: u64, bytes: u64) -> bool {
        let Self { chunk_bytes, groups, volumes } = self;
        let volume = &mut volumes[volume];
        let end = offset.saturating_add(bytes).min(volume.parameters.capacity);
        let wanted = (offset / *chunk_bytes)..end.div_ceil(*chunk_bytes);
        let mut taken: Vec<(u64, (u32, u64))> = Vec::new();
        let next_group = volume.next_group;
        for chunk in wanted {
            if volume.chunks.contains_key(&chunk) {
                continue;
            }
            let Some(place) = take(groups, &volume.parameters, &mut volume.next_group) else {
                for (_, (group, at)) in taken {
                    groups[group as usize].returned.insert(at);
                }
                volume.next_group = next_group;
                return false;
            };
            taken.push((chunk, place));
        }
        volume.chunks.extend(taken);
        true
    }

    /// Takes from a volume the chunks that lie completely within a range: it reads as zeros there from now on. The chunks are not free before
    /// [`Self::return_chunks`]; those that are detached are appended, each with its group.
    pub fn detach_range(&mut self, volume: usize, offset: u64, bytes: u64, detached: &mut Vec<(u32, u64)>) {
        let volume = &mut self.volumes[volume];
        let end = offset.saturating_add(bytes).min(volume.parameters.capacity);
        // The last chunk of a volume may be a part of one.
        let last = if end == volume.parameters.capacity {
            end.div_ceil(self.chunk_bytes)
        } else {
            end / self.chunk_bytes
        };
        let first = offset.div_ceil(self.chunk_bytes);
        let whole: Vec<u64> = volume.chunks.range(first..last.max(first)).map(|(&chunk, _)| chunk).collect();
        detached.extend(whole.iter().filter_map(|chunk| volume.chunks.remove(chunk)));
    }

    /// The place of a chunk on its group.
    pub fn chunk_extent(&self, (group, chunk): (u32, u64)) -> GroupExtent {
        let offset = self.groups[group as usize].start + chunk * self.chunk_bytes;
        GroupExtent { group, offset, bytes: self.chunk_bytes }
    }

    /// Returns chunks that were detached from a volume to the pool.
    pub fn return_chunks(&mut self, detached: impl IntoIterator<Item = (u32, u64)>) {
        for (group, at) in detached {
            self.groups[group as usize].returned.insert(at);
        }
    }

    /// Returns all chunks of a volume, which is empty then.
    pub fn return_all(&mut self, volume: usize) {
        for (group, at) in std::mem::take(&mut self.volumes[volume].chunks).into_values() {
            self.groups[group as usize].returned.insert(at);
        }
    }
}

/// Takes a chunk for a volume.
fn take(
    groups: &mut [GroupChunks],
    volume: &ThinVolumeParameters,
    next_group: &mut u32,
) -> Option<(u32, u64)> {
    let count = groups.len() as u32;
    let from = if volume.arrangement == VolumeSpread::Striped { *next_group } else { 0 };
    let mut order = (from..count).chain(0..from.min(count));
    let found = order.find_map(|group| {
        let allowed = volume.on.is_none_or(|on| on == group);
        allowed.then(|| groups[group as usize].take())?.map(|at| (group, at))
    });
    if let Some((group, _)) = found {
        *next_group = (group + 1) % count.max(1);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: u64 = 1024;

    fn volume(capacity: u64, striped: bool) -> ThinVolumeParameters {
        let arrangement = if striped { VolumeSpread::Striped } else { VolumeSpread::Concatenated };
        ThinVolumeParameters { capacity, arrangement, on: None }
    }

    fn extent(group: u32, offset: u64, bytes: u64) -> GroupExtent {
        GroupExtent { group, offset, bytes }
    }

    #[test]
    fn space_is_taken_in_chunks_when_something_is_written_and_not_before() {
        let mut pool = ThinPool::new(4 * KIB, &[(8 * KIB, 16 * KIB)], &[volume(1 << 40, false)]);
        assert_eq!((pool.free_chunks(), pool.extents_of_range(0, 0, 1 << 40)), (4, vec![]));
        // 2 KiB across the border of two chunks take both.
        assert!(pool.take_for_range(0, 7 * KIB, 2 * KIB));
        assert_eq!((pool.free_chunks(), pool.taken_chunks()), (2, 2));
        assert_eq!(pool.extents_of_range(0, 7 * KIB, 2 * KIB), [extent(0, 11 * KIB, 2 * KIB)]);
        // Written again they take nothing, and a far place takes the next chunk, apart from the others.
        assert!(pool.take_for_range(0, 6 * KIB, KIB));
        assert!(pool.take_for_range(0, 1 << 39, 512));
        assert_eq!(pool.free_chunks(), 1);
        let all = pool.extents_of_range(0, 0, 1 << 40);
        assert_eq!(all, [extent(0, 8 * KIB, 8 * KIB), extent(0, 16 * KIB, 4 * KIB)]);
    }

    #[test]
    fn a_write_that_finds_too_few_chunks_takes_none_and_a_deleted_volume_returns_its_own() {
        let pair = [volume(64 * KIB, false); 2];
        let mut pool = ThinPool::new(4 * KIB, &[(0, 12 * KIB)], &pair);
        assert!(pool.take_for_range(0, 0, 8 * KIB));
        assert!(!pool.take_for_range(1, 0, 8 * KIB), "one chunk is left");
        assert_eq!((pool.free_chunks(), pool.extents_of_range(1, 0, 8 * KIB)), (1, vec![]));
        pool.return_all(0);
        assert_eq!((pool.free_chunks(), pool.taken_chunks()), (3, 0));
        assert!(pool.take_for_range(1, 0, 12 * KIB));
        assert_eq!(pool.extents_of_range(1, 0, 12 * KIB), [extent(0, 0, 12 * KIB)]);
    }

    #[test]
    fn a_deallocation_returns_whole_chunks_and_no_others() {
        let mut pool = ThinPool::new(4 * KIB, &[(8 * KIB, 20 * KIB)], &[volume(18 * KIB, false)]);
        assert!(pool.take_for_range(0, 0, 18 * KIB));
        assert_eq!(pool.free_chunks(), 0);
        let mut detached = Vec::new();
        // From the middle of the first chunk to the middle of the fourth lie two.
        pool.detach_range(0, 2 * KIB, 12 * KIB, &mut detached);
        assert_eq!(detached, [(0, 1), (0, 2)]);
        assert_eq!(pool.chunk_extent(detached[1]), extent(0, 16 * KIB, 4 * KIB));
        assert_eq!((pool.free_chunks(), pool.taken_chunks()), (0, 3), "they are on their way to the pool");
        assert_eq!(pool.extents_of_range(0, 4 * KIB, 8 * KIB), []);
        pool.return_chunks(detached.drain(..));
        assert_eq!(pool.free_chunks(), 2);
        // The last chunk of the volume is half a chunk.
        pool.detach_range(0, 16 * KIB, 2 * KIB, &mut detached);
        assert_eq!(detached, [(0, 4)]);
        pool.detach_range(0, KIB, 2 * KIB, &mut detached);
        assert_eq!(detached.len(), 1, "nothing whole lies within one chunk");
    }

    #[test]
    fn a_striped_volume_takes_chunks_from_the_groups_in_turn_and_goes_on_where_there_are_any() {
        let groups = [(0, 4 * KIB), (0, 12 * KIB), (0, 8 * KIB)];
        let mut pool = ThinPool::new(4 * KIB, &groups, &[volume(64 * KIB, true)]);
        assert!(pool.take_for_range(0, 0, 24 * KIB));
        let groups: Vec<u32> =
            (0..6).map(|chunk| pool.extents_of_range(0, chunk * 4 * KIB, 4 * KIB)[0].group).collect();
        assert_eq!(groups, [0, 1, 2, 1, 2, 1]);
        assert!(!pool.take_for_range(0, 24 * KIB, 512));
    }

    #[test]
    fn a_volume_on_one_group_takes_chunks_there_only() {
        let on = ThinVolumeParameters { on: Some(1), ..volume(64 * KIB, false) };
        let mut pool = ThinPool::new(4 * KIB, &[(0, 64 * KIB), (0, 4 * KIB)], &[on]);
        assert!(pool.uses_group(0, 1) && !pool.uses_group(0, 0));
        assert!(pool.take_for_range(0, 0, 512));
        assert!(!pool.take_for_range(0, 4 * KIB, 512), "group 1 is full");
        assert_eq!(pool.extents_of_range(0, 0, 512), [extent(1, 0, 512)]);
    }
}
