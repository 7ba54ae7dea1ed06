//! The values a scenario can hold that are more than a number.

use sansim_kernel::{Span, TICKS_PER_NS};

use crate::words::words;
use sansim_fc::al_pa::AlPa;

/// A delay that was given in transmission words or as a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delay {
    /// The delay itself; words are already multiplied by the loop's word time.
    pub span: Span,
    /// Whether it was given in words. Only for writing the scenario back: such a delay follows the loop's speed when
    /// the speed of the resolved scenario is changed.
    pub in_words: bool,
}

/// The length of a cable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Length(u64);

impl Length {
    /// A length in micrometres.
    pub const fn from_um(um: u64) -> Length {
        Length(um)
    }

    /// The length in micrometres.
    pub const fn um(self) -> u64 {
        self.0
    }

    /// The length in metres.
    pub fn as_m_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }
}

/// How long a signal takes for a length of a medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Propagation {
    /// Picoseconds per metre.
    pub ps_per_m: u64,
}

impl Propagation {
    /// The time a signal takes along a cable, rounded to the nearest tick.
    pub fn delay(self, length: Length) -> Span {
        // um x ps/m = 1e-6 ps; a tick is 1000/561 ps.
        let product = u128::from(length.um()) * u128::from(self.ps_per_m) * u128::from(TICKS_PER_NS);
        Span(u64::try_from((product + 500_000_000) / 1_000_000_000).unwrap_or(u64::MAX))
    }
}

/// How long a transmission word of four bytes takes on the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordTime {
    /// As the speed has it: 640 / (17 G) ns at G GFC.
    Exact,
    /// This long, whatever the speed says. A published simulator counted whole nanoseconds.
    Given(Span),
}

/// Which I/Os at the beginning and the end of a run are left out of the figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarmUp {
    /// The point of truncation is found by the MSER-5 rule; nothing is left out at the end.
    Auto,
    /// So many for each slot (drive times queue depth), at the beginning and again at the end.
    IosPerSlot(u64),
    /// Those that complete before this simulated time.
    Until(Span),
}

/// How precise the result of a run has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrecisionGoal {
    /// As precise as it comes out: the length of the run is given.
    Off,
    /// Within this share of the true value.
    Within(Share),
}

/// A share, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    /// Millionths.
    pub millionths: u64,
}

impl Share {
    /// The share as a number: 0.01 for one per cent.
    pub fn fraction(self) -> f64 {
        self.millionths as f64 / 1e6
    }
}

words! {
    /// The figure whose precision decides how long a run goes on.
    pub enum PrecisionOf {
        /// The mean response time of all I/Os.
        ResponseTime = "response-time",
        /// I/Os per second.
        Iops = "iops",
        /// Bytes per second.
        BytesPerSecond = "bytes-per-second",
        /// The median of the response times.
        P50 = "p50",
        /// Their 90th percentile.
        P90 = "p90",
        /// Their 99th percentile.
        P99 = "p99",
        /// Their 99.9th percentile.
        P99_9 = "p99.9",
    }
}

/// How the data of one I/O are cut into bursts or sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// Not at all.
    Whole,
    /// Into pieces of so many bytes; the last one may be shorter.
    Pieces(u64),
}

impl Split {
    /// The size in bytes of the next piece when `left` bytes are left.
    pub fn next(self, left: u64) -> u64 {
        match self {
            Split::Whole => left,
            Split::Pieces(bytes) => left.min(bytes),
        }
    }
}

/// What a scenario says about the loop addresses of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AlPaChoice {
    /// Given out by the scenario, in the order of [`crate::Scenario::ports`]'s documentation.
    Auto,
    /// These, one for each port of the component.
    These(Vec<AlPa>),
}

words! {
    /// What the cables of the loop are made of.
    pub enum Medium {
        /// Glass fibre of a kind that is not said, 5 ns/m; warned of beyond 10 km.
        Fibre = "fibre",
        /// Copper, 4.3 ns/m; warned of beyond 25 m.
        Copper = "copper",
        /// Multi-mode fibre of 50 um, 5 ns/m; warned of beyond 500, 300, 150 and 50 m at 1, 2, 4 and 8GFC.
        MultiMode = "multi-mode",
        /// Single-mode fibre, 5 ns/m; warned of beyond 10 km.
        SingleMode = "single-mode",
        /// Fibre with something between that carries the signal on, or better than the others, 5 ns/m; of any length.
        Extended = "extended",
    }
}

impl Medium {
    /// The usual figure for the medium: 5 ns/m for fibre (Wang 2005, 4.3.1.1), 4.3 ns/m for copper.
    pub const fn propagation(self) -> Propagation {
        match self {
            Medium::Fibre | Medium::MultiMode | Medium::SingleMode | Medium::Extended => {
                Propagation { ps_per_m: 5_000 }
            }
            Medium::Copper => Propagation { ps_per_m: 4_300 },
        }
    }
}

words! {
    /// How a controller shares the loop with its drives.
    pub enum Schedule {
        /// The controller keeps to the fairness window: one tenancy in each.
        Fair = "fair",
        /// The controller ignores the fairness window.
        Unfair = "unfair",
        /// Command-First: commands overtake data in the queue, in arbitration and in open circuits.
        CommandFirst = "command-first",
    }
}

words! {
    /// In which order the DMA engine of an adapter takes requests.
    pub enum DmaOrder {
        /// First come, first served.
        Fcfs = "fcfs",
        /// In turn, a frame of each I/O.
        RoundRobin = "round-robin",
    }
}

words! {
    /// In which order the FCP main processor of an adapter takes its tasks.
    pub enum ProcessorOrder {
        /// As they come.
        Fcfs = "fcfs",
        /// FCP_XFER_RDY before all else.
        TransferReadyFirst = "xfer-rdy-first",
        /// Commands before all else.
        CommandFirst = "command-first",
    }
}

words! {
    /// How often the DMA scheduler's overhead is paid for incoming data.
    pub enum DmaSetupPer {
        /// Once for each sequence.
        Sequence = "sequence",
        /// Once for each frame.
        Frame = "frame",
    }
}

words! {
    /// What stores the data of a drive.
    pub enum DriveModel {
        /// A disk: an access time, then data at the transfer rate.
        Disk = "disk",
        /// Memory: data at the transfer rate; no access time unless one is given.
        Ram = "ram",
    }
}

words! {
    /// To what a queue depth applies.
    pub enum QueueDepthPer {
        /// So many outstanding I/Os for each drive.
        Drive = "drive",
        /// So many outstanding I/Os in all, each to a random drive.
        All = "all",
    }
}

words! {
    /// Where on a drive the I/Os go.
    pub enum Pattern {
        /// To a place drawn at random, a multiple of the size of an I/O.
        Random = "random",
        /// To the place behind the one before on the same drive.
        Sequential = "sequential",
    }
}

words! {
    /// From when on the target generates the FCP_RSP of a read.
    pub enum ResponseStart {
        /// When the last data have been fetched by DMA.
        Fetched = "fetched",
        /// When the last data frame has been sent.
        Sent = "sent",
    }
}

words! {
    /// In which circuit the FCP_RSP of a read goes.
    pub enum ResponseCircuit {
        /// In that of the data, if it is made in time.
        Shared = "shared",
        /// In one of its own, after that of the data.
        Own = "own",
    }
}

words! {
    /// When a write pays for its media transfer.
    pub enum WriteTransfer {
        /// Before the drive asks for the data.
        BeforeData = "before-data",
        /// After the data have come.
        AfterData = "after-data",
    }
}

words! {
    /// When the data of a write burst count as in.
    pub enum BurstDone {
        /// When the last frame has passed the incoming frame process.
        Received = "received",
        /// When DMA has stored the last byte.
        Stored = "stored",
    }
}
