//! Volumes: slices of one group, or space of several groups, concatenated or striped.
//!
//! A group is anything that has a capacity: an array, a drive. A pool allocates its space from the start of each group; a volume is a list
//! of segments, each with one or several lanes of the same length on different groups. A striped volume is striped over all groups that
//! have space, and when the smallest group is full it continues over the other groups, so groups need not be equal.

use sansim_schema::idle::IdleKeys;
use sansim_schema::quantities::{Choice, Dimensioned, Size};
use sansim_schema::{table, words};
use std::fmt;

words! {
    /// The layout of a volume on the groups of its pool.
    pub enum VolumeSpread {
        /// On one group until that is full, then on the next.
        Concatenated = "concatenated",
        /// In turn on all groups that have space.
        Striped = "striped",
    }
}

words! {
    /// The moment at which a volume gets its space.
    pub enum VolumeSpace {
        /// When the system is built.
        AtOnce = "at-once",
        /// A chunk at a time, when something is first written there: thin provisioning.
        OnWrite = "on-write",
    }
}

table! {
    /// How a volume is made.
    #[derive(Copy, Eq)]
    pub struct VolumeParameters {
        /// How much it holds: that much, or what is left.
        size: Option<u64> = Size { range: (512, 1 << 60), step: 512 }.or("rest"), default r#""rest""#, source "ours: all space that no other volume has";
        /// When it gets its space. On write it may be larger than what the pool has, and what was never written reads as zeros from nowhere.
        space: VolumeSpace = Choice::<VolumeSpace>::ANY, default r#""at-once""#, source "lvcreate(8), --thin";
        /// How it is spread over the groups of its pool; on write by chunks.
        arrangement: VolumeSpread = Choice::<VolumeSpread>::ANY, default r#""concatenated""#, source "lvcreate(8)";
        /// Stripe unit of a striped volume: the bytes that are contiguous on one group.
        stripe_unit: u64 = Size { range: (512, 1 << 40), step: 512 }, default r#""64 KiB""#, source "lvcreate(8), --stripesize";
    }
    idle(of_one_piece)
    renamed("stripe" to "stripe_unit")
}

impl VolumeParameters {
    /// A volume that is not striped has no stripes.
    fn of_one_piece(&self, idle: &mut IdleKeys) {
        let is_striped = self.arrangement == VolumeSpread::Striped;
        idle.mark_idle_unless(is_striped, &["stripe_unit"], "it is not striped (`arrangement`)");
        let is_at_once = self.space == VolumeSpace::AtOnce;
        idle.mark_idle_unless(is_at_once, &["stripe_unit"], "it is spread by chunks (`space`)");
    }
}

/// The reason why there is no volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolError {
    /// The pool has less space than the volume needs.
    Full {
        /// The requested bytes.
        wanted: u64,
        /// The free bytes.
        free: u64,
    },
    /// The pool has no group with this number.
    NoSuchGroup {
        /// The number of the group.
        group: u32,
        /// The number of groups of the pool.
        groups: u32,
    },
}

impl fmt::Display for PoolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { wanted, free } => {
                write!(f, "a volume of {wanted} B does not fit, {free} B are free")
            }
            Self::NoSuchGroup { group, groups } => write!(f, "there is no group {group}, there are {groups}"),
        }
    }
}

impl std::error::Error for PoolError {}

/// Bytes of a volume that are contiguous on one group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupExtent {
    /// The group.
    pub group: u32,
    /// The offset on the group at which the bytes begin.
    pub offset: u64,
    /// The number of bytes.
    pub bytes: u64,
}

impl GroupExtent {
    /// Whether a place on a group is right behind this extent.
    pub fn is_followed_by(self, group: u32, offset: u64) -> bool {
        self.group == group && self.offset + self.bytes == offset
    }
}

/// A part of a volume: lanes of equal length, filled in turn.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Segment {
    /// The byte of the volume at which the segment begins.
    start: u64,
    /// The length of each lane, in bytes.
    lane: u64,
    /// The number of bytes that are put on a lane before the next lane is used.
    stripe: u64,
    /// The group of each lane, and the offset on that group at which the lane begins.
    lanes: Vec<(u32, u64)>,
}

/// A volume: a range of bytes, each byte on one of the groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Volume {
    segments: Vec<Segment>,
    capacity: u64,
}

/// The space of several groups.
#[derive(Clone, Debug)]
pub struct VolumePool {
    /// The capacity and the allocated bytes of each group.
    groups: Vec<(u64, u64)>,
}

impl VolumePool {
    /// A pool of groups of these capacities, in bytes.
    pub fn new(capacities: &[u64]) -> Self {
        Self { groups: capacities.iter().map(|capacity| (*capacity, 0)).collect() }
    }

    /// The free bytes of a group.
    pub fn free_bytes_of_group(&self, group: u32) -> u64 {
        self.groups.get(group as usize).map_or(0, |(capacity, used)| capacity - used)
    }

    fn number(&self) -> u32 {
        self.groups.len() as u32
    }

    /// The free space of each group: the offset at which it begins, and its bytes.
    pub fn free_ranges(&self) -> Vec<(u64, u64)> {
        self.groups.iter().map(|(capacity, used)| (*used, capacity - used)).collect()
    }

    /// The free bytes of all groups.
    pub fn free_bytes(&self) -> u64 {
        (0..self.number()).fold(0, |sum, group| sum.saturating_add(self.free_bytes_of_group(group)))
    }

    /// Allocates a slice of one group.
    ///
    /// # Errors
    /// If there is no such group, or it has less free space.
    pub fn allocate_slice(&mut self, group: u32, bytes: u64) -> Result<Volume, PoolError> {
        if group >= self.number() {
            return Err(PoolError::NoSuchGroup { group, groups: self.number() });
        }
        if bytes > self.free_bytes_of_group(group) {
            return Err(PoolError::Full { wanted: bytes, free: self.free_bytes_of_group(group) });
        }
        let mut volume = Volume { segments: Vec::new(), capacity: 0 };
        self.extend(&mut volume, &[group], bytes, bytes);
        Ok(volume)
    }

    /// Allocates a volume over all groups. The size of a striped volume is a multiple of its stripe; so a volume without a given size may
    /// leave a few bytes free on each group.
    ///
    /// # Errors
    /// If there is less free space than the volume needs.
    pub fn allocate_volume(&mut self, parameters: &VolumeParameters) -> Result<Volume, PoolError> {
        let free = self.free_bytes();
        let wanted = parameters.size.unwrap_or(free);
        if wanted > free {
            return Err(PoolError::Full { wanted, free });
        }
        let before = self.groups.clone();
        let mut volume = Volume { segments: Vec::new(), capacity: 0 };
        match parameters.arrangement {
            VolumeSpread::Concatenated => {
                for group in 0..self.number() {
                    let bytes = self.free_bytes_of_group(group).min(wanted - volume.capacity);
                    self.extend(&mut volume, &[group], bytes, bytes);
                }
            }
            VolumeSpread::Striped => self.stripe(&mut volume, wanted, parameters.stripe_unit.max(1)),
        }
        if parameters.size.is_some() && volume.capacity < wanted {
            self.groups = before;
            return Err(PoolError::Full { wanted, free: volume.capacity });
        }
        Ok(volume)
    }

    /// Allocates segment by segment over all groups that have room for a stripe. The size of a striped volume is rounded up to whole
    /// stripes while allocating, and cut to the requested size at the end.
    fn stripe(&mut self, volume: &mut Volume, wanted: u64, stripe: u64) {
        while volume.capacity < wanted {
            let lanes: Vec<u32> =
                (0..self.number()).filter(|group| self.free_bytes_of_group(*group) >= stripe).collect();
            let Some(least) = lanes.iter().map(|group| self.free_bytes_of_group(*group) / stripe).min()
            else {
                return;
            };
            let rows = (wanted - volume.capacity).div_ceil(stripe.saturating_mul(lanes.len() as u64));
            self.extend(volume, &lanes, rows.min(least) * stripe, stripe);
        }
        volume.capacity = wanted;
    }

    /// Adds a segment with a lane on each of these groups.
    fn extend(&mut self, volume: &mut Volume, groups: &[u32], lane: u64, stripe: u64) {
        if lane == 0 {
            return;
        }
        let lanes = groups.iter().map(|group| (*group, self.groups[*group as usize].1)).collect();
        for group in groups {
            self.groups[*group as usize].1 += lane;
        }
        volume.segments.push(Segment { start: volume.capacity, lane, stripe, lanes });
        volume.capacity = volume.capacity.saturating_add(lane.saturating_mul(groups.len() as u64));
    }
}

impl Volume {
    /// Whether any bytes of the volume are on a group.
    pub fn uses_group(&self, group: u32) -> bool {
        self.segments.iter().any(|segment| segment.lanes.iter().any(|&(lane, _)| lane == group))
    }

    /// The number of bytes that the volume holds.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The position of a byte, and the number of bytes from it on that are contiguous there; none beyond the capacity.
    fn find(&self, offset: u64) -> Option<GroupExtent> {
        if offset >= self.capacity {
            return None;
        }
        let behind = self.segments.partition_point(|segment| segment.start <= offset);
        let segment = &self.segments[behind.checked_sub(1)?];
        let within = offset - segment.start;
        let lanes = segment.lanes.len() as u64;
        let (stripe, at) = (within / segment.stripe, within % segment.stripe);
        let (group, start) = segment.lanes[(stripe % lanes) as usize];
        let on_lane = stripe / lanes * segment.stripe + at;
        Some(GroupExtent {
            group,
            offset: start + on_lane,
            bytes: (segment.stripe - at).min(segment.lane - on_lane),
        })
    }

    /// The extents of a range, in order. Bytes beyond the capacity are left out.
    pub fn extents_of_range(&self, offset: u64, bytes: u64) -> impl Iterator<Item = GroupExtent> + '_ {
        let end = offset.saturating_add(bytes).min(self.capacity);
        let mut next = offset;
        std::iter::from_fn(move || {
            if next >= end {
                return None;
            }
            let found = self.find(next)?;
            let bytes = found.bytes.min(end - next);
            next += bytes;
            Some(GroupExtent { bytes, ..found })
        })
    }

    /// The byte of the volume at an offset of a group; none if the volume has no byte there.
    pub fn logical_offset(&self, group: u32, offset: u64) -> Option<u64> {
        self.segments.iter().find_map(|segment| {
            let lanes = (0..).zip(&segment.lanes);
            let is_on = |(_, lane): &(u64, &(u32, u64))| {
                lane.0 == group && (lane.1..lane.1 + segment.lane).contains(&offset)
            };
            let (number, lane) = lanes.into_iter().find(is_on)?;
            let within = offset - lane.1;
            let stripe = within / segment.stripe * segment.lanes.len() as u64 + number;
            let logical = segment.start + stripe * segment.stripe + within % segment.stripe;
            (logical < self.capacity).then_some(logical)
        })
    }
}
