//! Requests drawn from a fitted workload, as a run draws them.

use super::stream::FittedStream;
use crate::aims::TargetDevices;
use crate::arrivals::ArrivalClock;
use crate::streams::source::RequestSource as _;
use crate::streams::synthetic::Synthetic;
use sansim_kernel::{RandomStream, TICKS_PER_NS};
use sansim_request::BLOCK_BYTES;
use sansim_trace::{TraceOperation, TraceRecord, WriteFlags};

/// Everything that a fit draws is drawn from this seed.
pub(super) const SEED: u64 = 1;

/// A stream with its generators.
struct Source {
    volume: u32,
    clock: ArrivalClock,
    random: RandomStream,
    content: Synthetic,
    /// The ticks of the stream's next arrival; none if it has no more.
    next: Option<u64>,
}

impl Source {
    fn new(number: usize, stream: &FittedStream, capacity: u64, seed: u64) -> Source {
        let path = format!("fit/{number}");
        let aims = TargetDevices {
            workload: 0,
            devices: vec![0],
            capacity_blocks: vec![capacity / BLOCK_BYTES],
            names: Vec::new(),
        };
        let mut source = Source {
            volume: stream.volume,
            clock: stream.timetable.generator(),
            random: RandomStream::new(seed, &format!("{path}/arrivals")),
            content: Synthetic::new(&stream.plan, &aims, seed, &path),
            next: Some(0),
        };
        source.step();
        source
    }

    fn step(&mut self) {
        let gap = self.clock.gap(&mut self.random);
        self.next = self.next.and_then(|at| at.checked_add(gap?.ticks()));
    }
}

/// Draws this many requests of streams that go to one device of this capacity, in the order of their times.
pub(super) fn draw(
    streams: &[FittedStream],
    capacity: u64,
    requests: u64,
    seed: u64,
    take: &mut dyn FnMut(&TraceRecord),
) {
    let mut sources: Vec<Source> = streams
        .iter()
        .enumerate()
        .map(|(number, stream)| Source::new(number, stream, capacity, seed))
        .collect();
    let mut beginning = None;
    for _ in 0..requests {
        let Some(source) =
            sources.iter_mut().filter(|source| source.next.is_some()).min_by_key(|source| source.next)
        else {
            return;
        };
        let (Some(at), Some(wanted)) = (source.next, source.content.next(None)) else { return };
        let first = *beginning.get_or_insert(at);
        take(&TraceRecord {
            at_ns: (at - first) / TICKS_PER_NS,
            volume: source.volume,
            operation: if wanted.operation.is_write() { TraceOperation::Write } else { TraceOperation::Read },
            offset: wanted.offset_bytes,
            bytes: wanted.bytes,
            latency_ns: None,
            flags: WriteFlags::NONE,
        });
        source.step();
    }
}

/// Draws this many arrivals of streams and nothing else: requests without bytes.
pub(super) fn draw_arrivals(
    streams: &[crate::arrivals::Timetable],
    requests: u64,
    take: &mut dyn FnMut(&TraceRecord),
) {
    let mut sources: Vec<(ArrivalClock, RandomStream, Option<u64>)> = streams
        .iter()
        .enumerate()
        .map(|(number, timetable)| {
            let (mut clock, mut random) =
                (timetable.generator(), RandomStream::new(SEED, &format!("fit/{number}/arrivals")));
            let next = clock.gap(&mut random).map(|gap| gap.ticks());
            (clock, random, next)
        })
        .collect();
    let mut beginning = None;
    for _ in 0..requests {
        let Some((clock, random, next)) =
            sources.iter_mut().filter(|(.., next)| next.is_some()).min_by_key(|(.., next)| *next)
        else {
            return;
        };
        let Some(at) = *next else { return };
        let first = *beginning.get_or_insert(at);
        take(&TraceRecord {
            at_ns: (at - first) / TICKS_PER_NS,
            volume: 0,
            operation: TraceOperation::Read,
            offset: 0,
            bytes: 0,
            latency_ns: None,
            flags: WriteFlags::NONE,
        });
        *next = clock.gap(random).and_then(|gap| at.checked_add(gap.ticks()));
    }
}
