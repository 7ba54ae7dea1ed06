//! The eight streams of an SPC-1-like load, as numbers.
//!
//! Source: the SPC-1 workload library of NetApp, V1.4, in its first public version. Later ones of the same repository have other parts of
//! reads (0.75 and 0.6 in place of 0.5 and 0.3), so that 55 % of all requests are reads.

use crate::sizes::named::{NamedMix, SMIX};

/// Requests per second of a business scaling unit, in all its streams.
pub const IOPS_PER_BSU: u64 = 50;

/// Parts of the capacity that the application storage units are, per cent: data store, user store, log.
pub const ASU_PERCENT: [u32; 3] = [45, 45, 10];

/// Every transfer is a multiple of this, in bytes.
pub const BLOCK: u64 = 4_096;

/// All requests of one block.
const ONE_BLOCK: NamedMix =
    NamedMix { name: "4 KiB", parts: &[(BLOCK, 100)], source: "NetApp SPC-1 workload library V1.4" };

/// A stream: each business scaling unit has one of every kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spc1Stream {
    /// As the specification calls it.
    pub name: &'static str,
    /// The application storage unit that it is for, 0 to 2.
    pub asu: usize,
    /// Thousandths of all requests that are its.
    pub intensity: u32,
    /// Per cent of its requests that are reads.
    pub read_percent: u32,
    /// How large they are.
    pub sizes: NamedMix,
    /// Where they go.
    pub place: StreamRegion,
}

impl Spc1Stream {
    /// Requests per second of one stream of this kind, in millionths.
    pub const fn micro_per_s(&self) -> u64 {
        IOPS_PER_BSU * self.intensity as u64 * 1_000
    }
}

/// Where the requests of a stream go; parts of the application storage unit, per cent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamRegion {
    /// Anywhere, each block as likely as any other.
    Anywhere,
    /// The hierarchical-reuse random walk in a region.
    Walk {
        /// Where the region begins.
        from: u32,
        /// Where it ends.
        to: u32,
    },
    /// Sequential runs.
    Runs {
        /// They begin from here on,
        from: u32,
        /// and before here.
        to: u32,
        /// How long they are.
        length: u32,
    },
}

/// All of them.
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
