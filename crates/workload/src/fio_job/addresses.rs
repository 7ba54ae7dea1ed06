//! The I/Os of a job, one after the other, as fio makes them: direction, offset and size of each.
//!
//! Longer than 500 lines: the passes of a job and the way its I/Os are drawn share their state.
//!
//! A job goes over its region in passes: each has as many bytes as the region, or ends when every block has been visited. Sequential I/Os
//! continue where the last I/O of their direction ended; every direction has a position of its own.
//!
//! Where fio looks for the next free block behind a drawn one, a job of one size visits its blocks in a drawn order here: the same blocks,
//! each once. The offsets of fio are not reproduced number by number.

use sansim_kernel::RandomStream;

use super::block_map::BlockMap;
use super::job::{self, FioJob};
use super::keys::Sequencer;
use super::skew::SkewedLocations;
use super::units::FileAmount;
use super::values::{IoDirection, Operations, PerDirection, RandomDistribution, Sizes};
use crate::locations::bijection::Bijection;
use crate::streams::wanted::DueDirections;

/// An I/O of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FioTransfer {
    /// The direction of the I/O.
    pub direction: IoDirection,
    /// The first byte of the I/O on the device.
    pub offset: u64,
    /// The number of bytes of the I/O.
    pub bytes: u64,
}

/// The reason why a job has no I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoIosReason {
    /// The region begins behind the end of the device.
    Behind,
    /// The region is smaller than an I/O.
    TooSmall,
    /// The region has more blocks than a map holds; with one size, or `norandommap`, there is no map.
    TooManyBlocks,
    /// The zones of `zoned_abs` are larger than the region.
    Zones,
}

/// The blocks that random I/Os have visited.
#[derive(Clone, Debug)]
enum Visited {
    /// No key of the job needs a record of visited blocks.
    Unknown,
    /// Blocks are visited in this order, and this many have been visited.
    Ordered(Bijection, u64),
    /// Blocks of different sizes are recorded in a map.
    Blocks(BlockMap),
}

/// The random streams of a clone.
#[derive(Clone, Debug)]
struct Streams {
    direction: RandomStream,
    place: RandomStream,
    size: RandomStream,
    mode: RandomStream,
    /// The stream for hot and cold places, whose generator fio does not seed again for a new pass.
    skew: RandomStream,
}

/// The I/Os of one clone of a job.
#[derive(Clone, Debug)]
pub struct CloneAddresses {
    job: FioJob,
    begin: u64,
    length: u64,
    /// The bytes of a pass, and of all passes; `None` if the job has no end by bytes.
    pass_bytes: u64,
    total_bytes: Option<u64>,
    skews: PerDirection<Option<SkewedLocations>>,
    first: Streams,
    streams: Streams,
    visited: Visited,
    /// The offsets, from the beginning of the region, at which the last I/O of each direction ended and began.
    ends: PerDirection<u64>,
    starts: PerDirection<Option<u64>>,
    /// The write that belongs to the last trim, if it is still to come.
    owed: Option<FioTransfer>,
    zone_begin: u64,
    zone_bytes: u64,
    /// The directions that are due, while a mixed job has rates per direction and one direction is ahead of its rate.
    due: PerDirection<bool>,
    /// The number of I/Os until the next drawn place.
    until_drawn: u32,
    pass_issued: u64,
    pass_ios: u64,
    issued: u64,
    ios: u64,
    passes: u64,
}

impl<T> PerDirection<T> {
    fn of_mut(&mut self, direction: IoDirection) -> &mut T {
        match direction {
            IoDirection::Read => &mut self.read,
            IoDirection::Write => &mut self.write,
            IoDirection::Trim => &mut self.trim,
        }
    }
}

impl CloneAddresses {
    /// The I/Os of a clone (from 0) on a device of this many bytes, with random streams of their own for `path`.
    ///
    /// # Errors
    /// If the device has no room for the I/Os.
    pub fn new(
        job: &FioJob,
        clone: u32,
        device_bytes: u64,
        seed: u64,
        path: &str,
    ) -> Result<CloneAddresses, NoIosReason> {
        let (begin, length) = job.region.region_on_device(clone, device_bytes).ok_or(NoIosReason::Behind)?;
        let stream = |purpose: &str| RandomStream::new(seed, &format!("{path}/{clone}/{purpose}"));
        let streams = Streams {
            direction: stream("direction"),
            place: stream("place"),
            size: stream("size"),
            mode: stream("mode"),
            skew: stream("skew"),
        };
        let io_size = job.io_size.map(|amount| match amount {
            FileAmount::Bytes(bytes) => bytes,
            FileAmount::Percent(_) => amount.amount_in_bytes(length),
        });
        let mut addresses = CloneAddresses {
            pass_bytes: pass_bytes(job, length, io_size),
            total_bytes: match io_size {
                _ if job.period.time_based => None,
                Some(bytes) => Some(bytes),
                None => Some(pass_bytes(job, length, None).saturating_mul(job.period.loops)),
            },
            job: job.clone(),
            begin,
            length,
            skews: PerDirection::default(),
            first: streams.clone(),
            streams,
            visited: Visited::Unknown,
            ends: PerDirection::default(),
            starts: PerDirection::default(),
            owed: None,
            zone_begin: 0,
            zone_bytes: 0,
            due: PerDirection { read: true, write: true, trim: true },
            until_drawn: 1,
            pass_issued: 0,
            pass_ios: 0,
            issued: 0,
            ios: 0,
            passes: 0,
        };
        addresses.check()?;
        let mut random = addresses.streams.skew.clone();
        addresses.skews = job.distribution.map(|way, law| addresses.skew(way, law, &mut random));
        addresses.streams.skew = random;
        addresses.forget();
        Ok(addresses)
    }

    /// The beginning of the region on the device, and its length.
    pub fn region(&self) -> (u64, u64) {
        (self.begin, self.length)
    }

    fn check(&self) -> Result<(), NoIosReason> {
        for way in job::used_directions(&self.job) {
            if self.places(way) == 0 || self.job.sizes.value_for(way).smallest_bytes() > self.length {
                return Err(NoIosReason::TooSmall);
            }
            if let RandomDistribution::ZonedBytes(zones) = self.job.distribution.value_for(way)
                && zones.iter().map(|(_, bytes)| bytes / self.job.align_bytes.value_for(way)).sum::<u64>()
                    > self.places(way)
            {
                return Err(NoIosReason::Zones);
            }
        }
        if self.mapped() && self.single().is_none() && self.map_blocks() > BlockMap::MOST {
            return Err(NoIosReason::TooManyBlocks);
        }
        Ok(())
    }

    fn skew(
        &self,
        way: IoDirection,
        law: &RandomDistribution,
        random: &mut RandomStream,
    ) -> Option<SkewedLocations> {
        let count = if self.job.rw.has_direction(way) { self.places(way) } else { return None };
        match law {
            RandomDistribution::Zipf(theta, centre) => {
                Some(SkewedLocations::zipf(count, *theta, *centre, random))
            }
            RandomDistribution::Pareto(h, centre) => {
                Some(SkewedLocations::pareto(count, *h, *centre, random))
            }
            RandomDistribution::Normal(deviation, centre) => {
                Some(SkewedLocations::normal(count, *deviation, *centre))
            }
            _ => None,
        }
    }

    /// The number of places from which is drawn.
    fn places(&self, way: IoDirection) -> u64 {
        let (smallest, align) =
            (self.job.sizes.value_for(way).smallest_bytes(), *self.job.align_bytes.value_for(way));
        let room = self.job.zones.map_or(self.length, |zones| zones.range_bytes.min(self.length));
        room.saturating_sub(smallest.saturating_sub(align)) / align.max(1)
    }

    /// Whether each block is visited once in a pass.
    fn mapped(&self) -> bool {
        self.job.rw.random && self.job.random_map
    }

    /// The size of all I/Os, if they all have the same size.
    fn single(&self) -> Option<u64> {
        let mut sizes = job::used_directions(&self.job).map(|way| self.job.sizes.value_for(way).fixed_size());
        let first = sizes.next().flatten()?;
        sizes.all(|size| size == Some(first)).then_some(first)
    }

    fn map_blocks(&self) -> u64 {
        job::used_directions(&self.job).map(|way| self.places(way)).max().unwrap_or(0)
    }

    /// Marks all blocks as free again; sequential I/Os begin again where the zone begins.
    fn forget(&mut self) {
        self.ends = PerDirection { read: self.zone_begin, write: self.zone_begin, trim: self.zone_begin };
        self.starts = PerDirection::default();
        if !self.mapped() {
            return;
        }
        if self.single().is_some() {
            let order = Bijection::new(self.map_blocks(), &mut self.streams.place);
            self.visited = Visited::Ordered(order, 0);
        } else if let Visited::Blocks(map) = &mut self.visited {
            map.clear();
        } else {
            self.visited = Visited::Blocks(BlockMap::new(self.map_blocks()));
        }
    }

    /// Begins the next pass, if there is to be another pass.
    fn next_pass(&mut self) -> bool {
        self.passes += 1;
        let largest = job::used_directions(&self.job)
            .map(|way| self.job.sizes.value_for(way).largest())
            .max()
            .unwrap_or(0);
        let more = match self.total_bytes {
            None => true,
            Some(_) if self.job.io_size.is_none() => self.passes < self.job.period.loops,
            Some(total) => total.saturating_sub(self.issued) >= largest,
        };
        if !more || self.pass_ios == 0 {
            return false;
        }
        // A job limited by time uses other random numbers in each pass; fio seeds the passes of other jobs alike.
        if self.job.repeatable && self.total_bytes.is_some() {
            self.streams = Streams { skew: self.streams.skew.clone(), ..self.first.clone() };
        }
        (self.pass_issued, self.pass_ios) = (0, 0);
        (self.zone_begin, self.zone_bytes) = (0, 0);
        self.owed = None;
        self.until_drawn = 1;
        self.forget();
        true
    }

    fn pass_is_over(&self) -> bool {
        // A job limited by time does not end by bytes.
        let Some(total) = self.total_bytes else { return false };
        let in_all = self.job.io_size.is_some() && self.issued >= total;
        in_all || self.pass_issued >= self.pass_bytes
    }

    /// The next I/O of this pass; `None` if there is no room for an I/O.
    fn in_pass(&mut self) -> Option<FioTransfer> {
        if let Some(write) = self.owed.take() {
            return Some(write);
        }
        let way = self.direction();
        self.enter_zone(way);
        let (offset, drawn) = self.place(way)?;
        let mut bytes = self.size(way, offset)?;
        if let (true, Visited::Blocks(map)) = (drawn, &mut self.visited) {
            let smallest = self.job.sizes.value_for(way).smallest_bytes();
            let block = (offset - self.zone_begin) / smallest;
            bytes = bytes.min(map.visit(block, bytes.div_ceil(smallest)) * smallest);
        }
        if bytes == 0 || offset.checked_add(bytes).is_none_or(|end| end > self.length) {
            return None;
        }
        *self.ends.of_mut(way) = offset + bytes;
        *self.starts.of_mut(way) = Some(offset);
        self.zone_bytes += bytes;
        let transfer = FioTransfer { direction: way, offset: self.begin + offset, bytes };
        if self.job.rw.operations == Operations::TrimThenWrite {
            self.owed = Some(FioTransfer { direction: IoDirection::Write, ..transfer });
        }
        Some(transfer)
    }

    fn direction(&mut self) -> IoDirection {
        match self.job.rw.operations {
            Operations::Only(direction) => direction,
            Operations::TrimThenWrite => IoDirection::Trim,
            Operations::Mixed => {
                let reads = self.streams.direction.draw_below(100) < u64::from(self.job.read_percent);
                let (drawn, other) = match reads {
                    true => (IoDirection::Read, IoDirection::Write),
                    false => (IoDirection::Write, IoDirection::Read),
                };
                if *self.due.value_for(drawn) || !*self.due.value_for(other) { drawn } else { other }
            }
        }
    }

    /// The next I/O; if the drawn direction is not due and the other is, the I/O has the other direction.
    pub fn next_due(&mut self, due: DueDirections) -> Option<FioTransfer> {
        self.due = PerDirection { read: due.read, write: due.write, trim: false };
        self.next()
    }

    /// After enough bytes in a zone the next zone begins; after the last zone the first.
    fn enter_zone(&mut self, way: IoDirection) {
        let Some(zones) = self.job.zones else { return };
        if self.zone_bytes >= zones.io_bytes {
            self.zone_bytes = 0;
            let next = self.zone_begin.saturating_add(zones.range_bytes).saturating_add(zones.skip_bytes);
            self.zone_begin = if next >= self.length { 0 } else { next };
            *self.ends.of_mut(way) = self.zone_begin;
        }
        if *self.ends.value_for(way) >= self.zone_begin.saturating_add(zones.range_bytes) {
            *self.ends.of_mut(way) = self.zone_begin;
        }
        if self.zone_bytes.is_multiple_of(zones.range_bytes) {
            self.forget();
        }
    }

    /// The offset of the next I/O in the region, and whether it marks a free block of the map as visited.
    fn place(&mut self, way: IoDirection) -> Option<(u64, bool)> {
        if !self.job.rw.random {
            return self.behind(way).map(|place| (place, false));
        }
        self.until_drawn = self.until_drawn.saturating_sub(1);
        if self.until_drawn > 0 {
            let place = match self.job.sequencer {
                Sequencer::Sequential => self.behind(way),
                Sequencer::Identical => Some(self.starts.value_for(way).unwrap_or(self.zone_begin)),
            };
            return Some((place.unwrap_or_else(|| self.anywhere(way)), false));
        }
        self.until_drawn = self.job.rw.every;
        let percent = *self.job.percentage_random.value_for(way);
        if percent < 100 && self.streams.mode.draw_below(100) >= u64::from(percent) {
            return Some((self.behind(way).unwrap_or_else(|| self.anywhere(way)), false));
        }
        self.drawn(way).map(|place| (place, true))
    }

    /// The offset after the last I/O of the direction, with the step of the job; `None` at the end of the region.
    fn behind(&mut self, way: IoDirection) -> Option<u64> {
        let end = *self.ends.value_for(way);
        let end = match end {
            end if end < self.length => end,
            _ if self.total_bytes.is_none() => self.zone_begin,
            _ => return None,
        };
        let step = self.job.rw.step_bytes;
        if step == 0 || end == self.zone_begin {
            return Some(end);
        }
        match end.checked_add_signed(step) {
            Some(place) if place < self.length => Some(place),
            // fio wraps around only where the region begins with the device.
            _ if step > 0 => (self.begin == 0).then_some(0),
            _ => self.length.checked_add_signed(step),
        }
    }

    /// An offset in the zone that is drawn without regard to the map.
    fn anywhere(&mut self, way: IoDirection) -> u64 {
        let places = self.places(way).max(1);
        self.zone_begin + self.streams.place.draw_below(places) * self.job.align_bytes.value_for(way)
    }

    /// A drawn offset; `None` if all blocks have been visited.
    fn drawn(&mut self, way: IoDirection) -> Option<u64> {
        let places = self.places(way).max(1);
        let random = &mut self.streams.place;
        let number = match &mut self.visited {
            Visited::Ordered(order, next) => {
                if *next >= places {
                    return None;
                }
                *next += 1;
                order.permuted_number(*next - 1)
            }
            Visited::Blocks(map) => {
                map.next_free(random.draw_below(places)).filter(|block| *block < places)?
            }
            Visited::Unknown => match (self.skews.value_for(way), self.job.distribution.value_for(way)) {
                (Some(skew), _) => skew.next(&mut self.streams.skew),
                (_, RandomDistribution::Zoned(zones)) => {
                    let bounds = zones.iter().map(|(_, share)| u64::from(*share));
                    in_zone(
                        zones.iter().map(|(access, _)| *access),
                        bounds,
                        |share| share_of(places, share),
                        random,
                    )
                }
                (_, RandomDistribution::ZonedBytes(zones)) => {
                    let align = *self.job.align_bytes.value_for(way);
                    let bounds = zones.iter().map(|(_, bytes)| *bytes);
                    in_zone(zones.iter().map(|(access, _)| *access), bounds, |bytes| bytes / align, random)
                }
                _ => random.draw_below(places),
            },
        };
        self.zone_begin.checked_add(number.min(places - 1) * self.job.align_bytes.value_for(way))
    }

    /// The size of an I/O at an offset: drawn again while the I/O does not fit; `None` if no size fits.
    fn size(&mut self, way: IoDirection, offset: u64) -> Option<u64> {
        /// A mix of which one size in a hundred fits needs more draws than this with a probability of 10^-43.
        const MOST_DRAWS: u32 = 10_000;
        let room = self.length.checked_sub(offset)?;
        let sizes = self.job.sizes.value_for(way);
        if sizes.smallest_bytes() > room {
            return None;
        }
        let random = &mut self.streams.size;
        for _ in 0..MOST_DRAWS {
            let bytes = match sizes {
                Sizes::Fixed(bytes) => *bytes,
                Sizes::Range(low, high) if low == high => *low,
                Sizes::Range(low, high) => (low + random.draw_below(*high)).min(*high) / low * low,
                Sizes::Split(list) => {
                    let drawn = random.draw_below(100);
                    let mut below = 0;
                    let fits = list.iter().find(|(bytes, percent)| {
                        below += u64::from(*percent);
                        drawn < below && *bytes <= room
                    });
                    fits.map_or(sizes.largest(), |(bytes, _)| *bytes)
                }
            };
            if bytes <= room {
                return Some(bytes);
            }
        }
        Some(sizes.smallest_bytes())
    }
}

/// This percentage of the places.
fn share_of(places: u64, percent: u64) -> u64 {
    (u128::from(places) * u128::from(percent) / 100) as u64
}

/// A place in the zone that a draw of 100 falls into. `bounds` are the extents of the zones, `to_places` converts a sum of extents to
/// places.
fn in_zone(
    accesses: impl Iterator<Item = u8>,
    bounds: impl Iterator<Item = u64>,
    to_places: impl Fn(u64) -> u64,
    random: &mut RandomStream,
) -> u64 {
    let drawn = random.draw_below(100);
    let (mut below, mut begin) = (0, 0);
    for (access, extent) in accesses.zip(bounds) {
        below += u64::from(access);
        if drawn < below {
            let (first, end) = (to_places(begin), to_places(begin + extent));
            return first + random.draw_below(end.saturating_sub(first).max(1));
        }
        begin += extent;
    }
    0
}

/// The bytes of a pass: those of the region; for random writes without a map, which may visit places again, all bytes that the job is to
/// write. A trim and its write both count for the bytes of a pass.
fn pass_bytes(job: &FioJob, length: u64, io_size: Option<u64>) -> u64 {
    let again = job.rw.has_direction(IoDirection::Write) && job.rw.random && !job.random_map;
    match (io_size, job.rw.operations) {
        (Some(bytes), _) if again => bytes.max(length),
        (_, Operations::TrimThenWrite) => length.saturating_mul(2),
        _ => length,
    }
}

impl Iterator for CloneAddresses {
    type Item = FioTransfer;

    fn next(&mut self) -> Option<FioTransfer> {
        let limit = self.total_bytes.and(self.job.period.most_ios);
        if limit.is_some_and(|most| self.ios >= most) {
            return None;
        }
        // A second pass has room for an I/O if the first had room.
        for _ in 0..2 {
            if !self.pass_is_over()
                && let Some(transfer) = self.in_pass()
            {
                self.pass_ios += 1;
                self.ios += 1;
                self.pass_issued = self.pass_issued.saturating_add(transfer.bytes);
                self.issued = self.issued.saturating_add(transfer.bytes);
                return Some(transfer);
            }
            if !self.next_pass() {
                return None;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
