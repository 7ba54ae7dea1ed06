//! Adaptive read-ahead: it detects several streams of sequential reads, and adapts the read-ahead of each to its success.
//!
//! A stream is detected after some reads in order. An amount is fetched ahead of a detected stream, and another amount, larger by a factor,
//! whenever the reader is nearer to the end of the fetched blocks than the trigger distance. If a prefetched block is evicted before it was
//! read, the amount of its stream is reduced.
//!
//! Sources: Gill, Bathen: AMP: adaptive multi-stream prefetching in a shared cache, FAST 2007, for trigger distance and reducing the
//! amount; Linux, mm/readahead.c, for doubling.

use super::{ReadAheadRule, blocks};
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Count, Number, Percentage, Share, Size};
use sansim_schema::table;
use std::ops::Range;

const AMOUNT: Size = Size::between(1, 1 << 30);
const PART: Percentage = Percentage { range: (0, 1_000_000) };

table! {
    /// Blocks ahead of each sequential stream of reads, more of them the longer the stream lasts.
    #[derive(Copy)]
    pub struct AdaptiveParameters {
        /// Most sequential streams that are followed; for a further stream the least recently read stream is dropped.
        streams: u32 = Count::<u32>::between(1, 1_024), default "32", source "ours: more than most hosts have at a time";
        /// Number of sequential reads after which a stream is detected; with 1 every read begins a stream.
        in_order: u32 = Count::<u32>::between(1, 1_000), default "2", source "ours: two reads in order are the fewest that show an order";
        /// First amount that is fetched ahead of a stream, in whole blocks.
        first: u64 = AMOUNT, default r#""64 KiB""#, source "ours: the default of `amount` of `\"fixed\"`";
        /// How much is fetched ahead at most.
        most: u64 = AMOUNT, default r#""1 MiB""#, source "ours: sixteen times the first amount";
        /// Factor by which the next amount of read-ahead is larger than the last.
        growth: f64 = Number::between(1.0, 16.0), default "2.0", source "Linux, mm/readahead.c";
        /// The next amount is fetched when no more than this part of the last lies ahead of the reader; at "0 %" when nothing
        /// does.
        trigger: Share = PART, default r#""50 %""#, source "ours: half of an amount hides a fetch that takes as long as half of it is read";
        /// The factor of the amount after a prefetched block was evicted before it was read.
        cut_back: Share = PART, default r#""50 %""#, source "ours: the inverse of `growth`";
    }
    checks(check_amounts)
}

impl AdaptiveParameters {
    fn check_amounts(&self, keys: &mut Keys<'_, '_>) {
        if self.first <= self.most || !keys.all_readable(&["first", "most"]) {
            return;
        }
        let message = format!("{} B are fetched first, but {} B at most", self.first, self.most);
        let fault = Diagnostic::new(codes::OUT_OF_RANGE, keys.value_position("first"), message)
            .with_label("must not be more than `most`")
            .with_help(format!("lower {}, or raise {}", keys.full_path("first"), keys.full_path("most")));
        let most = keys.written_position("most").map(|place| (place, "the most"));
        keys.report_with("first", fault, most);
    }
}

#[derive(Clone, Copy, Debug)]
struct Stream {
    /// The block behind the last read of the stream.
    next: u64,
    /// The block behind the blocks that were fetched ahead of the stream.
    upto: u64,
    in_order: u32,
    /// The number of blocks that were fetched ahead last, or will be fetched first.
    amount: u64,
    /// The time of the stream's last read.
    read: u64,
}

/// The adaptive read-ahead policy detects sequential streams and adapts the read-ahead of each to its success.
#[derive(Clone, Debug)]
pub struct AdaptiveReadAhead {
    parameters: AdaptiveParameters,
    first: u64,
    most: u64,
    now: u64,
    streams: Vec<Stream>,
}

impl AdaptiveReadAhead {
    pub(super) fn new(parameters: &AdaptiveParameters, block_bytes: u64) -> Self {
        let [first, most] = [parameters.first, parameters.most].map(|bytes| blocks(bytes, block_bytes));
        let streams = Vec::with_capacity(parameters.streams as usize);
        Self { parameters: *parameters, first, most: most.max(first), now: 0, streams }
    }

    /// The stream that a read at this block continues: the block is the next of the stream, or was fetched ahead of it.
    fn going_on(&mut self, start: u64) -> Option<&mut Stream> {
        self.streams
            .iter_mut()
            .find(|stream| stream.next == start || (stream.next..stream.upto).contains(&start))
    }

    fn begin(&mut self, stream: Stream) {
        if self.streams.len() < self.parameters.streams as usize {
            self.streams.push(stream);
        } else if let Some(idlest) = self.streams.iter_mut().min_by_key(|stream| stream.read) {
            *idlest = stream;
        }
    }
}

/// A part of some blocks, rounded down.
fn part(share: Share, blocks: u64) -> u64 {
    (u128::from(blocks) * u128::from(share.millionths) / 1_000_000) as u64
}

impl ReadAheadRule for AdaptiveReadAhead {
    fn read(&mut self, asked: Range<u64>, _: bool) -> Range<u64> {
        self.now += 1;
        let AdaptiveParameters { in_order, growth, trigger, .. } = self.parameters;
        let (now, first, most) = (self.now, self.first, self.most);
        if self.going_on(asked.start).is_none() {
            let upto = asked.end;
            self.begin(Stream { next: asked.start, upto, in_order: 0, amount: first, read: now });
        }
        let Some(stream) = self.going_on(asked.start) else { return 0..0 };
        // Blocks ahead of the reader were fetched, if any were.
        let grows = stream.in_order >= in_order;
        stream.in_order = stream.in_order.saturating_add(1);
        (stream.next, stream.read) = (asked.end, now);
        stream.upto = stream.upto.max(asked.end);
        if stream.in_order < in_order || stream.upto - asked.end > part(trigger, stream.amount) {
            return 0..0;
        }
        if grows {
            stream.amount = ((stream.amount as f64 * growth) as u64).clamp(1, most);
        }
        let from = stream.upto;
        stream.upto = from.saturating_add(stream.amount);
        from..stream.upto
    }

    fn wasted(&mut self, block: u64) {
        let cut_back = self.parameters.cut_back;
        if let Some(stream) = self.going_on(block) {
            stream.amount = part(cut_back, stream.amount).max(1);
        }
    }
}
