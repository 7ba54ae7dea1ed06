//! Tests of the address stream of an SPC-1-like load: twenty business scaling units in one context on 45, 45 and 10 GiB, for which the
//! reference numbers of NetApp's library were measured.

use super::streams::{ASU_PERCENT, BLOCK, IOPS_PER_BSU, STREAMS, Spc1Stream, StreamRegion};
use crate::arrivals::poisson::{PoissonArrivals, PoissonParameters};
use crate::locations::runs::{RunsParameters, SequentialRuns};
use crate::locations::uniform::{UniformLocations, UniformParameters};
use crate::locations::walk::{LeafReadProgress, WalkStyle, Walker};
use crate::sizes::mix::SizeMix;
use sansim_kernel::{RandomStream, Span};
use sansim_schema::quantities::{Frequency, Share};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

const BSUS: usize = 20;
const GIB: u64 = 1 << 30;
/// The number of blocks in a MiB.
const PER_MIB: usize = 256;

/// A request of a stream; `stream` is the stream's number in the table.
#[derive(Clone, Copy, Debug)]
struct Io {
    stream: usize,
    write: bool,
    offset: u64,
    bytes: u64,
}

/// One stream of one business scaling unit.
struct Instance {
    stream: usize,
    random: RandomStream,
    arrivals: PoissonArrivals,
    sizes: SizeMix,
    place: At,
}

/// The state that determines the place of the stream's next request.
enum At {
    Anywhere(UniformLocations),
    Walk(Walker),
    Runs(SequentialRuns),
}

/// All streams of all units, in the order of their arrivals.
struct Load {
    instances: Vec<Instance>,
    /// For each stream that walks: the leaves that all units share, and the beginning of the streams' region.
    leaves: HashMap<usize, (LeafReadProgress, u64)>,
    due: BinaryHeap<Reverse<(Span, usize)>>,
}

fn per_cent(of: u64, percent: u32) -> u64 {
    of * u64::from(percent) / 100
}

fn share(percent: u32) -> Share {
    Share { millionths: u64::from(percent) * 10_000 }
}

impl Load {
    fn new(seed: u64, style: WalkStyle) -> Load {
        let (mut instances, mut leaves, mut due) = (Vec::new(), HashMap::new(), BinaryHeap::new());
        for (number, stream) in STREAMS.iter().enumerate() {
            let asu = per_cent(100 * GIB, ASU_PERCENT[stream.asu]);
            if let StreamRegion::Walk { from, to } = stream.place {
                let (begin, end) = (per_cent(asu, from) / BLOCK * BLOCK, per_cent(asu, to));
                leaves.insert(number, (LeafReadProgress::new(style, end - begin), begin));
            }
            for bsu in 0..BSUS {
                let mut random = RandomStream::new(seed, &format!("{}.{bsu}", stream.name));
                let place = place(stream, asu, leaves.get(&number), style, &mut random);
                let rate = Frequency { micro_per_s: stream.micro_per_s() };
                let mut arrivals = PoissonArrivals::new(&PoissonParameters { rate });
                due.push(Reverse((arrivals.gap(&mut random), instances.len())));
                let sizes = SizeMix::from_weighted_sizes(stream.sizes.parts);
                instances.push(Instance { stream: number, random, arrivals, sizes, place });
            }
        }
        Load { instances, leaves, due }
    }

    fn next(&mut self) -> Io {
        let Reverse((now, at)) = self.due.pop().expect("streams never end");
        let Instance { stream, random, arrivals, sizes, place } = &mut self.instances[at];
        let write = !random.chance(f64::from(STREAMS[*stream].read_percent) / 100.0);
        let bytes = sizes.draw(random);
        let offset = match place {
            At::Anywhere(uniform) => uniform.next(bytes, write, random),
            At::Runs(runs) => runs.next(bytes, write, random),
            At::Walk(walker) => {
                let (leaves, begin) = self.leaves.get_mut(stream).expect("a region");
                *begin + walker.next_block(leaves, write, random) * BLOCK
            }
        };
        self.due.push(Reverse((now + arrivals.gap(random), at)));
        Io { stream: *stream, write, offset, bytes }
    }
}

fn place(
    stream: &Spc1Stream,
    asu: u64,
    leaves: Option<&(LeafReadProgress, u64)>,
    style: WalkStyle,
    random: &mut RandomStream,
) -> At {
    match stream.place {
        StreamRegion::Anywhere => {
            At::Anywhere(UniformLocations::new(&UniformParameters { align: None }, asu, random))
        }
        StreamRegion::Walk { .. } => At::Walk(Walker::new(&leaves.expect("a region").0, random)),
        StreamRegion::Runs { from, to, length } => {
            let align = if style == WalkStyle::Classic { 16 * BLOCK } else { BLOCK };
            let parameters =
                RunsParameters { from: share(from), to: share(to), length: share(length), align };
            At::Runs(SequentialRuns::new(&parameters, asu, random))
        }
    }
}

/// A cache of blocks with least-recently-used replacement: a ring of entries linked in the order of use.
struct Lru {
    places: HashMap<u64, usize>,
    /// For each entry its block and its neighbours, older and newer. Entry 0 is the beginning and the end of the ring.
    ring: Vec<(u64, usize, usize)>,
    room: usize,
}

impl Lru {
    fn new(room: usize) -> Lru {
        Lru { places: HashMap::with_capacity(room), ring: vec![(u64::MAX, 0, 0)], room }
    }

    /// Returns whether the block was in the cache; the block is the most recently used one now.
    fn touch(&mut self, block: u64) -> bool {
        let known = self.places.get(&block).copied();
        let place = match known {
            Some(place) => {
                self.unlink(place);
                place
            }
            None if self.places.len() < self.room => {
                self.ring.push((block, 0, 0));
                self.ring.len() - 1
            }
            None => {
                let oldest = self.ring[0].2;
                self.unlink(oldest);
                self.places.remove(&self.ring[oldest].0);
                oldest
            }
        };
        let newest = self.ring[0].1;
        self.ring[place] = (block, newest, 0);
        self.ring[newest].2 = place;
        self.ring[0].1 = place;
        self.places.insert(block, place);
        known.is_some()
    }

    fn unlink(&mut self, place: usize) {
        let (_, older, newer) = self.ring[place];
        self.ring[older].2 = newer;
        self.ring[newer].1 = older;
    }
}

/// The statistics of a load.
#[derive(Default)]
struct Found {
    requests: [u64; 8],
    reads: u64,
    bytes: u64,
    read_bytes: u64,
    /// The number of different blocks over the number of requests, for the streams that walk.
    distinct: Vec<f64>,
    /// For each cache the hit ratios of reads and of writes.
    hits: Vec<(f64, f64)>,
}

/// Runs a load against caches of these sizes in MiB. A request hits if all its blocks hit; all of them are in the cache afterwards.
fn run(seed: u64, style: WalkStyle, requests: usize, caches_mib: &[usize]) -> Found {
    let mut load = Load::new(seed, style);
    let mut caches: Vec<Lru> = caches_mib.iter().map(|mib| Lru::new(mib * PER_MIB)).collect();
    let mut hits = vec![(0_u64, 0_u64); caches.len()];
    let mut walked: HashMap<usize, HashSet<u64>> = HashMap::new();
    let mut found = Found::default();
    for _ in 0..requests {
        let io = load.next();
        found.requests[io.stream] += 1;
        found.bytes += io.bytes;
        if !io.write {
            found.reads += 1;
            found.read_bytes += io.bytes;
        }
        let stream = &STREAMS[io.stream];
        let asu = per_cent(100 * GIB, ASU_PERCENT[stream.asu]);
        assert!(io.offset.is_multiple_of(BLOCK) && io.offset + io.bytes <= asu, "{io:?}");
        let first = ((stream.asu as u64) << 48) | (io.offset / BLOCK);
        if matches!(stream.place, StreamRegion::Walk { .. }) {
            walked.entry(io.stream).or_default().insert(first);
        }
        for (cache, (reads, writes)) in caches.iter_mut().zip(&mut hits) {
            let mut all = true;
            for block in first..first + io.bytes / BLOCK {
                all &= cache.touch(block);
            }
            *(if io.write { writes } else { reads }) += u64::from(all);
        }
    }
    let (reads, writes) = (found.reads as f64, (requests as u64 - found.reads) as f64);
    found.hits = hits.into_iter().map(|(read, write)| (read as f64 / reads, write as f64 / writes)).collect();
    let walks = [1, 3, 5].map(|stream| walked[&stream].len() as f64 / found.requests[stream] as f64);
    found.distinct = walks.to_vec();
    found
}

#[test]
fn the_table_of_streams_is_complete() {
    assert_eq!(STREAMS.iter().map(|stream| stream.intensity).sum::<u32>(), 1_000);
    let asus = [0, 1, 2].map(|asu| {
        STREAMS.iter().filter(|stream| stream.asu == asu).map(|stream| stream.intensity).sum::<u32>()
    });
    assert_eq!(asus, [596, 123, 281]);
    let weighted = |of: &dyn Fn(&Spc1Stream) -> f64| -> f64 {
        STREAMS.iter().map(|stream| f64::from(stream.intensity) / 1e3 * of(stream)).sum()
    };
    assert!((weighted(&|stream| f64::from(stream.read_percent)) - 39.44).abs() < 1e-9);
    assert!((weighted(&|stream| stream.sizes.mean()) / 1024.0 - 8.014).abs() < 1e-3);
    let rates = STREAMS.map(|stream| stream.micro_per_s());
    assert_eq!(rates.iter().sum::<u64>(), IOPS_PER_BSU * 1_000_000);
    assert_eq!((rates[1], rates[4]), (14_050_000, 900_000));
}

#[test]
fn streams_reads_and_sizes_have_the_shares_of_the_table() {
    let found = run(1, WalkStyle::Classic, 400_000, &[]);
    let total: u64 = found.requests.iter().sum();
    let weights = STREAMS.map(|stream| f64::from(stream.intensity));
    let fit = sansim_kernel::goodness_of_fit::chi_square(&found.requests, &weights, 0.001);
    assert!(fit.is_consistent(), "{:?}: {fit:?}", found.requests);
    let (reads, size) = (found.reads as f64 / total as f64, found.bytes as f64 / total as f64 / 1024.0);
    // The standard errors are 0.00077 and 0.021.
    assert!((reads - 0.3944).abs() < 0.0031, "{reads}");
    assert!((size - 8.014).abs() < 0.085, "{size}");
    let read_bytes = found.read_bytes as f64 / found.bytes as f64;
    assert!((read_bytes - 0.333).abs() < 0.005, "{read_bytes}");
}

#[test]
fn a_quarter_of_a_million_requests_hit_a_small_cache_as_often_as_they_did() {
    // This test guards against changes of the generator and is shorter than the long test below; the expected values are those of this
    // generator.
    let found = run(1, WalkStyle::Classic, 250_000, &[64]);
    let (read, write) = found.hits[0];
    println!("{read} {write} {:?}", found.distinct);
    assert!((0.012..0.022).contains(&read) && (0.09..0.11).contains(&write), "{read} {write}");
}

/// The median of some values.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let half = values.len() / 2;
    if values.len() % 2 == 1 { values[half] } else { 0.5 * (values[half - 1] + values[half]) }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
#[ignore = "long"]
fn a_small_cache_is_hit_as_often_as_by_the_library() {
    // A million requests on a cache of 64 MiB. The library with four seeds has reads from 0.0154 to 0.0181, writes from 0.0978 to 0.0994,
    // and different blocks over requests from 0.607 to 0.619, 0.625 to 0.649, 0.684 to 0.705 (including a second implementation of the same
    // rules).
    let runs: Vec<Found> = (1..=8).map(|seed| run(seed, WalkStyle::Classic, 1_000_000, &[64])).collect();
    for found in &runs {
        println!("64 MiB {:.4?}, distinct {:.3?}", found.hits[0], found.distinct);
        assert!((0.0146..0.0186).contains(&found.hits[0].0), "{:?}", found.hits);
        assert!((0.093..0.111).contains(&found.hits[0].1), "{:?}", found.hits);
    }
    let of = |figure: &dyn Fn(&Found) -> f64| mean(&runs.iter().map(figure).collect::<Vec<_>>());
    let (read, write) = (of(&|found| found.hits[0].0), of(&|found| found.hits[0].1));
    assert!((0.0154..=0.0181).contains(&read) && (0.0978..=0.0994).contains(&write), "{read} {write}");
    for (walk, range) in [(0, 0.607..=0.619), (1, 0.625..=0.649), (2, 0.684..=0.705)] {
        let distinct = of(&|found| found.distinct[walk]);
        assert!(range.contains(&distinct), "{walk}: {distinct}");
    }
}

#[test]
#[ignore = "long"]
fn larger_caches_are_hit_as_often_as_by_the_library() {
    // The values are for two million requests, each style of the library with one seed, caches of 256 MiB and 1 GiB, reads and writes; each
    // with the permitted difference of the median of eight seeds. A unit that by chance writes shortly behind another unit hits all the
    // time, which is 2.3 % of all writes: with a window of this many MiB there are none or one such unit at 256 MiB, none to three at 1
    // GiB. At these cache sizes only the coarse figure can therefore be compared.
    for (style, golden) in [
        (WalkStyle::Classic, [(0.030, 0.02, 0.119, 0.02), (0.075, 0.15, 0.194, 0.15)]),
        (WalkStyle::Fixed, [(0.0063, 0.02, 0.169, 0.02), (0.0141, 0.15, 0.259, 0.15)]),
        (WalkStyle::V2, [(0.0062, 0.02, 0.203, 0.1), (0.0136, 0.15, 0.329, 0.15)]),
    ] {
        let runs: Vec<Found> = (1..=8).map(|seed| run(seed, style, 2_000_000, &[256, 1024])).collect();
        for (cache, golden) in golden.into_iter().enumerate() {
            let reads: Vec<f64> = runs.iter().map(|found| found.hits[cache].0).collect();
            let writes: Vec<f64> = runs.iter().map(|found| found.hits[cache].1).collect();
            println!("{style}, cache {cache}: reads {reads:.4?}, writes {writes:.4?}");
            let (golden_read, read_bound, golden_write, write_bound) = golden;
            let (read, write) = (median(reads) / golden_read - 1.0, median(writes) / golden_write - 1.0);
            println!("    {:+.1} % and {:+.1} % of the golden ones", 100.0 * read, 100.0 * write);
            assert!(read.abs() <= read_bound && write.abs() <= write_bound, "{style}: {read} {write}");
        }
    }
}
