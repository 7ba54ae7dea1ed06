//! The buffer of a drive: segments, each a window over consecutive blocks.
//!
//! A read uses the least recently used segment whose data are on the medium, unless it continues at the end of a segment: then the window
//! of that segment moves on, and blocks that do not fit are dropped at its beginning. The number of segments with written data that are not
//! yet on the medium is limited; a write that continues the data of a segment joins it while there is room. Data that the host has not
//! consumed stay in their segment: no other command gets that segment, and its window does not move on over them.
//!
//! Source: DiskSim 2.0 manual, buffer segments; Ruemmler, Wilkes 1994.

use sansim_kernel::Time;

/// A segment. A segment is empty when its end equals its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferSegment {
    /// The first block in the segment.
    pub first: u64,
    /// The block behind the last block of the segment.
    pub end: u64,
    /// The time since which all of the segment's data have been in, if some of them are not on the medium.
    pub dirty: Option<Time>,
    /// The first block in the segment that the host has requested and not consumed; [`u64::MAX`] if there is none.
    owed: u64,
    /// The time of the segment's last use, as a count of uses.
    used: u64,
}

impl BufferSegment {
    /// Whether the segment has any of these blocks.
    fn overlaps(&self, first: u64, end: u64) -> bool {
        self.first < end && first < self.end
    }
}

const EMPTY: BufferSegment = BufferSegment { first: 0, end: 0, dirty: None, owed: u64::MAX, used: 0 };

/// The buffer of a drive: segments, each a window over consecutive blocks.
#[derive(Clone, Debug)]
pub struct DiskBuffer {
    segments: Vec<BufferSegment>,
    blocks: u64,
    most_dirty: usize,
    uses: u64,
}

impl DiskBuffer {
    /// A buffer of `segments` empty segments with `blocks` blocks each; `most_dirty` of them may have data that are not on the medium.
    pub fn new(segments: u32, blocks: u32, most_dirty: u32) -> Self {
        let segments = if blocks == 0 { 0 } else { segments as usize };
        let most_dirty = (most_dirty as usize).min(segments);
        Self { segments: vec![EMPTY; segments], blocks: blocks.into(), most_dirty, uses: 0 }
    }

    /// Drops all data in the buffer.
    pub fn clear(&mut self) {
        self.segments.fill(EMPTY);
    }

    /// The number of segments.
    pub fn segment_count(&self) -> usize {
        self.segments.len()
    }

    /// The number of blocks of a segment.
    pub fn segment_blocks(&self) -> u64 {
        self.blocks
    }

    /// The segment with this index.
    pub fn segment(&self, place: usize) -> &BufferSegment {
        &self.segments[place]
    }

    /// All segments with written data that are not on the medium.
    pub fn dirty_segments(&self) -> impl Iterator<Item = &BufferSegment> {
        self.segments.iter().filter(|segment| segment.dirty.is_some())
    }

    /// The segment that has a block; of several, one with written data, since written data are newer than the medium.
    pub fn segment_with_block(&self, lbn: u64) -> Option<usize> {
        self.find(|segment| segment.first <= lbn && lbn < segment.end)
    }

    /// The segment that ends before a block, with data from the medium.
    pub fn segment_ending_at(&self, lbn: u64) -> Option<usize> {
        self.segments
            .iter()
            .position(|segment| segment.end == lbn && segment.first < lbn && segment.dirty.is_none())
    }

    /// The index of a segment with this property; a segment with written data is preferred.
    fn find(&self, holds: impl Fn(&BufferSegment) -> bool) -> Option<usize> {
        let dirty = self.segments.iter().position(|segment| segment.dirty.is_some() && holds(segment));
        dirty.or_else(|| self.segments.iter().position(holds))
    }

    /// The segment with written data that has any of these blocks.
    pub fn dirty_segment_among(&self, first: u64, end: u64) -> Option<usize> {
        self.segments.iter().position(|segment| segment.dirty.is_some() && segment.overlaps(first, end))
    }

    /// The lowest block at `lbn` or after it whose newest data are not on the medium.
    pub fn next_dirty(&self, lbn: u64) -> Option<u64> {
        self.dirty_segments().filter(|segment| segment.end > lbn).map(|segment| segment.first.max(lbn)).min()
    }

    /// The segment whose written data have waited longest.
    pub fn oldest_dirty(&self) -> Option<usize> {
        let dirty = self.segments.iter().enumerate().filter_map(|(place, one)| Some((one.dirty?, place)));
        dirty.min().map(|(_, place)| place)
    }

    /// Marks a segment as the most recently used.
    pub fn mark_recently_used(&mut self, place: usize) {
        self.uses += 1;
        self.segments[place].used = self.uses;
    }

    /// The block up to which the medium may read into a segment: reading beyond it would overwrite data that the host has not consumed.
    pub fn read_limit(&self, place: usize) -> u64 {
        self.segments[place].owed.saturating_add(self.blocks)
    }

    /// Sets the first block of a segment that the host has requested and not consumed.
    pub fn set_unconsumed_start(&mut self, place: usize, owed: Option<u64>) {
        self.segments[place].owed = owed.unwrap_or(u64::MAX);
    }

    /// Whether all segments but those with written data are full of data that the host has not consumed.
    pub fn is_full_of_unconsumed_data(&self) -> bool {
        let mut clean = self.segments.iter().filter(|segment| segment.dirty.is_none()).peekable();
        clean.peek().is_some() && clean.all(|segment| segment.owed < u64::MAX)
    }

    /// Allocates a segment for blocks from `lbn` on: the least recently used segment whose data are on the medium and consumed by the host.
    pub fn allocate(&mut self, lbn: u64) -> Option<usize> {
        let free = |one: &BufferSegment| one.dirty.is_none() && one.owed == u64::MAX;
        let clean = self.segments.iter().enumerate().filter(|(_, one)| free(one));
        let (place, _) = clean.min_by_key(|(_, one)| one.used)?;
        self.segments[place] = BufferSegment { first: lbn, end: lbn, ..EMPTY };
        self.mark_recently_used(place);
        Some(place)
    }

    /// The medium has been read into a segment, up to a block.
    pub fn segment_filled(&mut self, place: usize, end: u64) {
        let segment = &mut self.segments[place];
        segment.end = segment.end.max(end);
        segment.first = segment.first.max(segment.end.saturating_sub(self.blocks));
    }

    /// The segment into which these written blocks can go: a segment that has them or that they join, or a new segment if one more may be
    /// dirty. None if there is no room, or if another segment has written data of these blocks.
    pub fn room_for(&mut self, first: u64, end: u64) -> Option<usize> {
        match self.joined_by(first, end)? {
            None => self.allocate(first),
            joined => joined,
        }
    }

    /// Whether these written blocks need a new segment, and may have a new segment.
    pub fn needs_new_segment(&self, first: u64, end: u64) -> bool {
        self.joined_by(first, end) == Some(None)
    }

    /// The segment that these written blocks join; the inner value is none if they may have a new segment, the outer if neither is
    /// possible.
    fn joined_by(&self, first: u64, end: u64) -> Option<Option<usize>> {
        let joins = |one: &BufferSegment| {
            one.dirty.is_some()
                && one.first <= first
                && first <= one.end
                && end.max(one.end) - one.first <= self.blocks
        };
        let joined = self.segments.iter().position(joins);
        let others = self
            .segments
            .iter()
            .enumerate()
            .filter(|&(place, one)| one.dirty.is_some() && Some(place) != joined);
        let (count, overlaps) = others.fold((0, false), |(count, overlaps), (_, one)| {
            (count + 1, overlaps || one.overlaps(first, end))
        });
        match joined {
            _ if overlaps => None,
            None if count >= self.most_dirty => None,
            joined => Some(joined),
        }
    }

    /// Written data are in a segment at an instant, which may be in the future; every other segment drops its copy of them.
    pub fn data_written(&mut self, place: usize, first: u64, end: u64, now: Time) {
        self.drop_overwritten_blocks(first, end, Some(place));
        let segment = &mut self.segments[place];
        segment.end = segment.end.max(end);
        segment.dirty = Some(now);
        self.mark_recently_used(place);
    }

    /// The data of a segment are on the medium.
    pub fn segment_cleaned(&mut self, place: usize) {
        self.segments[place].dirty = None;
    }

    /// Clean segments drop these blocks, which are being written, and all blocks behind them.
    pub fn drop_overwritten_blocks(&mut self, first: u64, end: u64, but: Option<usize>) {
        for (place, one) in self.segments.iter_mut().enumerate() {
            if Some(place) != but && one.dirty.is_none() && one.overlaps(first, end) {
                one.end = first.max(one.first);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(buffer: &DiskBuffer, place: usize) -> (u64, u64) {
        (buffer.segment(place).first, buffer.segment(place).end)
    }

    #[test]
    fn the_segment_used_longest_ago_is_taken() {
        let mut buffer = DiskBuffer::new(2, 10, 1);
        let one = buffer.allocate(100).expect("a segment");
        buffer.segment_filled(one, 104);
        let two = buffer.allocate(200).expect("a segment");
        buffer.segment_filled(two, 204);
        buffer.mark_recently_used(one);
        assert_eq!(buffer.allocate(300), Some(two));
        assert_eq!(
            (buffer.segment_with_block(103), buffer.segment_with_block(104), buffer.segment_with_block(201)),
            (Some(one), None, None)
        );
    }

    #[test]
    fn a_window_moves_on_and_loses_its_beginning() {
        let mut buffer = DiskBuffer::new(1, 10, 0);
        let place = buffer.allocate(100).expect("a segment");
        buffer.segment_filled(place, 107);
        assert_eq!(range(&buffer, place), (100, 107));
        buffer.segment_filled(place, 113);
        assert_eq!(range(&buffer, place), (103, 113));
    }

    #[test]
    fn writes_have_as_much_room_as_segments_may_be_dirty() {
        let mut buffer = DiskBuffer::new(3, 10, 2);
        let put = |buffer: &mut DiskBuffer, first, end| {
            let place = buffer.room_for(first, end)?;
            buffer.data_written(place, first, end, Time(first));
            Some(place)
        };
        let one = put(&mut buffer, 100, 104).expect("room");
        assert_eq!(put(&mut buffer, 104, 110), Some(one), "it goes on behind");
        assert_eq!(put(&mut buffer, 102, 105), Some(one), "the same blocks again");
        let two = put(&mut buffer, 110, 114).expect("a segment is full, the next is not");
        assert_eq!(put(&mut buffer, 500, 501), None, "two may be dirty");
        assert_eq!(
            (buffer.oldest_dirty(), buffer.next_dirty(103), buffer.next_dirty(114)),
            (Some(one), Some(103), None)
        );
        buffer.segment_cleaned(one);
        assert_eq!(buffer.segment_with_block(109), Some(one), "the data are still there");
        assert_ne!(put(&mut buffer, 500, 501), Some(two));
    }

    #[test]
    fn what_is_written_is_nowhere_else_in_the_buffer() {
        let mut buffer = DiskBuffer::new(2, 10, 1);
        let read = buffer.allocate(100).expect("a segment");
        buffer.segment_filled(read, 110);
        let place = buffer.room_for(104, 106).expect("room");
        buffer.data_written(place, 104, 106, Time(1));
        assert_eq!(range(&buffer, read), (100, 104));
        assert_eq!((buffer.segment_with_block(105), buffer.segment_with_block(107)), (Some(place), None));
    }
}
