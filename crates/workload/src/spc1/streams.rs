//! The eight streams of an SPC-1-like load, as numbers.
//!
//! Source: the SPC-1 workload library of NetApp, V1.4, in its first public version. Later versions in the same repository have other shares
//! of reads (0.75 and 0.6 in place of 0.5 and 0.3), so that 55 % of all requests are reads.

use crate::sizes::named::{NamedMix, SMIX};

/// The requests per second of a business scaling unit, in all its streams.
pub const IOPS_PER_BSU: u64 = 50;

/// The percentages of the capacity that the application storage units have: data store, user store, log.
pub const ASU_PERCENT: [u32; 3] = [45, 45, 10];

/// Every transfer is a multiple of this number of bytes.
pub const BLOCK: u64 = 4_096;

/// The size of streams whose requests are all of one block.
const ONE_BLOCK: NamedMix =
    NamedMix { name: "4 KiB", parts: &[(BLOCK, 100)], source: "NetApp SPC-1 workload library V1.4" };

/// A kind of stream: each business scaling unit has one stream of every kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spc1Stream {
    /// The name of the stream in the specification.
    pub name: &'static str,
    /// The application storage unit to which the stream goes, 0 to 2.
    pub asu: usize,
    /// The thousandths of all requests that the stream issues.
    pub intensity: u32,
    /// The percentage of the stream's requests that are reads.
    pub read_percent: u32,
    /// The sizes of the stream's requests.
    pub sizes: NamedMix,
    /// The places of the stream's requests.
    pub place: StreamRegion,
}

impl Spc1Stream {
    /// The requests per second of one stream of this kind, in millionths.
    pub const fn micro_per_s(&self) -> u64 {
        IOPS_PER_BSU * self.intensity as u64 * 1_000
    }
}

/// The places of the requests of a stream; parts of the application storage unit in per cent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamRegion {
    /// Requests go to any block, each as likely as any other.
    Anywhere,
    /// Requests go where a hierarchical-reuse random walk in a region leads.
    Walk {
        /// The percentage at which the region begins.
        from: u32,
        /// The percentage at which the region ends.
        to: u32,
    },
    /// Requests form sequential runs.
    Runs {
        /// The percentage from which on runs begin.
        from: u32,
        /// The percentage before which runs begin.
        to: u32,
        /// The length of a run, in per cent.
        length: u32,
    },
}

/// All eight kinds of streams.
pub const STREAMS: [Spc1Stream; 8] = [
    Spc1Stream {
        name: "ASU1-1",
        asu: 0,
        intensity: 35,
        read_percent: 50,
        sizes: ONE_BLOCK,
        place: StreamRegion::Anywhere,
    },
    Spc1Stream {
        name: "ASU1-2",
        asu: 0,
        intensity: 281,
        read_percent: 50,
        sizes: ONE_BLOCK,
        place: StreamRegion::Walk { from: 15, to: 20 },
    },
    Spc1Stream {
        name: "ASU1-3",
        asu: 0,
        intensity: 70,
        read_percent: 100,
        sizes: SMIX,
        place: StreamRegion::Runs { from: 20, to: 60, length: 10 },
    },
    Spc1Stream {
        name: "ASU1-4",
        asu: 0,
        intensity: 210,
        read_percent: 50,
        sizes: ONE_BLOCK,
        place: StreamRegion::Walk { from: 70, to: 75 },
    },
    Spc1Stream {
        name: "ASU2-1",
        asu: 1,
        intensity: 18,
        read_percent: 30,
        sizes: ONE_BLOCK,
        place: StreamRegion::Anywhere,
    },
    Spc1Stream {
        name: "ASU2-2",
        asu: 1,
        intensity: 70,
        read_percent: 30,
        sizes: ONE_BLOCK,
        place: StreamRegion::Walk { from: 47, to: 52 },
    },
    Spc1Stream {
        name: "ASU2-3",
        asu: 1,
        intensity: 35,
        read_percent: 100,
        sizes: SMIX,
        place: StreamRegion::Runs { from: 20, to: 60, length: 10 },
    },
    Spc1Stream {
        name: "ASU3-1",
        asu: 2,
        intensity: 281,
        read_percent: 0,
        sizes: SMIX,
        place: StreamRegion::Runs { from: 0, to: 70, length: 30 },
    },
];
