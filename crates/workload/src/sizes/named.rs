//! Mixes of sizes that have names of their own, and the access patterns that use them.

/// A mix of sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedMix {
    /// The name of the mix, for people.
    pub name: &'static str,
    /// Sizes in bytes with their percentages.
    pub parts: &'static [(u64, u32)],
    /// The source of the mix.
    pub source: &'static str,
}

impl NamedMix {
    /// The mean size in bytes.
    pub fn mean(&self) -> f64 {
        let sum: u64 = self.parts.iter().map(|(size, percent)| size * u64::from(*percent)).sum();
        let all: u32 = self.parts.iter().map(|(_, percent)| percent).sum();
        sum as f64 / f64::from(all)
    }
}

/// A named access pattern: its mix of sizes, its share of reads, and its share of random places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedPattern {
    /// The sizes, with the name.
    pub mix: NamedMix,
    /// The percentage of requests that are reads.
    pub read_percent: u32,
    /// The percentage of requests that go to random places.
    pub random_percent: u32,
}

const KIB: u64 = 1024;
/// The source of the patterns of the usual desktop and server tests.
const PRESS: &str = "Iometer access specifications as used by hardware press";

/// Transfer sizes of the sequential streams of an SPC-1-like load; mean 14.4 KiB.
pub const SMIX: NamedMix = NamedMix {
    name: "SMIX",
    parts: &[(4 * KIB, 40), (8 * KIB, 24), (16 * KIB, 20), (32 * KIB, 8), (64 * KIB, 8)],
    source: "NetApp SPC-1 workload library V1.4",
};

/// The pattern of a file server; mean 11.08 KiB.
pub const FILE_SERVER: NamedPattern = NamedPattern {
    mix: NamedMix {
        name: "file-server",
        parts: &[
            (512, 10),
            (KIB, 5),
            (2 * KIB, 5),
            (4 * KIB, 60),
            (8 * KIB, 2),
            (16 * KIB, 4),
            (32 * KIB, 4),
            (64 * KIB, 10),
        ],
        source: PRESS,
    },
    read_percent: 80,
    random_percent: 100,
};

/// The pattern of a web server.
pub const WEB_SERVER: NamedPattern = NamedPattern {
    mix: NamedMix {
        name: "web-server",
        parts: &[
            (512, 22),
            (KIB, 15),
            (2 * KIB, 8),
            (4 * KIB, 23),
            (8 * KIB, 15),
            (16 * KIB, 2),
            (32 * KIB, 6),
            (64 * KIB, 7),
            (128 * KIB, 1),
            (512 * KIB, 1),
        ],
        source: PRESS,
    },
    read_percent: 100,
    random_percent: 100,
};

/// The pattern of a workstation.
pub const WORKSTATION: NamedPattern = NamedPattern {
    mix: NamedMix { name: "workstation", parts: &[(8 * KIB, 100)], source: PRESS },
    read_percent: 80,
    random_percent: 80,
};

/// The pattern of a transaction database.
pub const DATABASE: NamedPattern = NamedPattern {
    mix: NamedMix { name: "database", parts: &[(8 * KIB, 100)], source: PRESS },
    read_percent: 67,
    random_percent: 100,
};

/// The sizes of streaming patterns.
const STREAMING: NamedMix =
    NamedMix { name: "streaming", parts: &[(64 * KIB, 34), (128 * KIB, 33), (256 * KIB, 33)], source: PRESS };

/// The pattern of a stream that is read.
pub const STREAMING_READ: NamedPattern =
    NamedPattern { mix: STREAMING, read_percent: 100, random_percent: 0 };

/// The pattern of a stream that is written.
pub const STREAMING_WRITE: NamedPattern = NamedPattern { mix: STREAMING, read_percent: 0, random_percent: 0 };

/// The pattern of the endurance test of enterprise solid-state drives.
pub const ENDURANCE: NamedPattern = NamedPattern {
    mix: NamedMix {
        name: "jesd219",
        parts: &[
            (512, 4),
            (1024, 1),
            (1536, 1),
            (2048, 1),
            (2560, 1),
            (3072, 1),
            (3584, 1),
            (4 * KIB, 67),
            (8 * KIB, 10),
            (16 * KIB, 7),
            (32 * KIB, 3),
            (64 * KIB, 3),
        ],
        source: "JESD219, as in fio's example job",
    },
    read_percent: 40,
    random_percent: 100,
};

/// The zones of the endurance test: the percentage of the accesses, and of the space to which they go.
pub const ENDURANCE_ZONES: [(u32, u32); 3] = [(50, 5), (30, 15), (20, 80)];

/// All named patterns.
pub const PATTERNS: &[NamedPattern] =
    &[FILE_SERVER, WEB_SERVER, WORKSTATION, DATABASE, STREAMING_READ, STREAMING_WRITE, ENDURANCE];
