//! `kind = "spc-2-like"`: large sequential streams. No result of this workload is an SPC-2 result.
//!
//! Source: an analyst's summary of the SPC-2 specification; the pace of video on demand is general knowledge only, as the fact sheet of this
//! project says.

use crate::aims::{FROM, TO};
use crate::arrivals::deterministic::DeterministicParameters;
use crate::arrivals::{Process, Timetable};
use crate::streams::content::ContentPlan;
use crate::streams::kind::kind_of_streams;
use crate::streams::plan::{StreamPace, StreamPlan, StreamSlots, StreamsPlan};
use crate::streams::sweep::SweepPlan;
use sansim_component::groups::WorkloadGroup;
use sansim_component::limits::LimitParameters;
use sansim_kernel::{Distribution, Span};
use sansim_request::BLOCK_BYTES;
use sansim_schema::quantities::{Choice, Count, Dimensioned, Frequency, Size};
use sansim_schema::{table, words};

const KIB: u64 = 1024;

/// Reads of a video stream per second, general knowledge: about 0.79 MB/s in reads of 256 KiB.
const VIDEO_READS_PER_S: u64 = 3;

words! {
    /// The test.
    pub enum Spc2Test {
        /// Large file processing, 1024 KiB, writes only.
        FilesWrite = "files-1024-write",
        /// Large file processing, 1024 KiB, as many reads as writes.
        FilesMixed = "files-1024-mixed",
        /// Large file processing, 1024 KiB, reads only.
        FilesRead = "files-1024-read",
        /// Large file processing, 256 KiB, writes only.
        SmallFilesWrite = "files-256-write",
        /// Large file processing, 256 KiB, as many reads as writes.
        SmallFilesMixed = "files-256-mixed",
        /// Large file processing, 256 KiB, reads only.
        SmallFilesRead = "files-256-read",
        /// Large database query, 1024 KiB, four outstanding requests for each stream.
        QueryDeep = "query-1024-4",
        /// Large database query, 1024 KiB, one outstanding request for each stream.
        Query = "query-1024-1",
        /// Large database query, 64 KiB, four outstanding requests for each stream.
        SmallQueryDeep = "query-64-4",
        /// Large database query, 64 KiB, one outstanding request for each stream.
        SmallQuery = "query-64-1",
        /// Video on demand: reads of 256 KiB, three per second for each stream, at most eight outstanding.
        Video = "video",
    }
}

impl Spc2Test {
    /// The bytes of a transfer, the share of reads, and the outstanding requests of a stream.
    fn figures(self) -> (u64, f64, u32) {
        match self {
            Spc2Test::FilesWrite => (1024 * KIB, 0.0, 1),
            Spc2Test::FilesMixed => (1024 * KIB, 0.5, 1),
            Spc2Test::FilesRead => (1024 * KIB, 1.0, 1),
            Spc2Test::SmallFilesWrite => (256 * KIB, 0.0, 1),
            Spc2Test::SmallFilesMixed => (256 * KIB, 0.5, 1),
            Spc2Test::SmallFilesRead => (256 * KIB, 1.0, 1),
            Spc2Test::QueryDeep => (1024 * KIB, 0.99, 4),
            Spc2Test::Query => (1024 * KIB, 0.99, 1),
            Spc2Test::SmallQueryDeep => (64 * KIB, 0.99, 4),
            Spc2Test::SmallQuery => (64 * KIB, 0.99, 1),
            Spc2Test::Video => (256 * KIB, 1.0, 8),
        }
    }
}

table! {
    /// Large sequential streams side by side, as the workloads of SPC-2 have them; no result of it is an SPC-2 result. Each stream goes
    /// through its part of the devices again and again.
    pub struct Spc2Parameters {
        /// The host that the I/Os go through. From a group of hosts, or from several, there is a workload for each of them.
        from: Vec<String> = FROM, required r#""host""#, source "";
        /// The devices that the I/Os go to: groups, or chosen members: `"drives[3]"` is one of them, `"drives[4..8]"` are members 4 to 7.
        to: Vec<String> = TO, required r#"["drives"]"#, source "";
        /// The test.
        test: Spc2Test = Choice::<Spc2Test>::ANY, required r#""video""#, source "summary of the SPC-2 specification";
        /// Size of the stripe unit in which the devices are one address space, a unit of each in turn; one behind another without it.
        stripe_unit: Option<u64> = Size { range: (BLOCK_BYTES, 1 << 40), step: BLOCK_BYTES }.or("none"), default r#""none""#, source "none";
        /// How many streams. A test has the most that it is to have, then a half, a quarter, an eighth of them and one.
        streams: u32 = Count::<u32>::between(1, 10_000), required "10", source "";
    }
    parts {
        /// The number of equal workloads.
        group: WorkloadGroup;
    }
    tables {
        /// How much of it the host lets begin in a time.
        limits: LimitParameters;
    }
    renamed("stripe" to "stripe_unit")
}

impl Spc2Parameters {
    /// The plan from which the workload is built.
    pub fn plan(&self) -> StreamsPlan {
        let (bytes, read_fraction, depth) = self.test.figures();
        let stream = |number: u32| {
            let pace = if self.test == Spc2Test::Video {
                let rate = Frequency { micro_per_s: VIDEO_READS_PER_S * 1_000_000 };
                let process = Process::Deterministic(DeterministicParameters { rate });
                StreamPace::Open { timetable: Timetable::Process(process), outstanding: depth }
            } else {
                StreamPace::Closed {
                    slots: StreamSlots::InAll(depth),
                    think: Distribution::Fixed(Span::ZERO),
                }
            };
            let content = SweepPlan {
                bytes,
                read_fraction,
                part: (number, self.streams),
                passes: None,
                stripe_bytes: self.stripe_unit,
            };
            let name = if self.streams > 1 { format!("stream {number}") } else { String::new() };
            StreamPlan { name, ..StreamPlan::only_stream(pace, ContentPlan::Sweep(content)) }
        };
        StreamsPlan { streams: (0..self.streams).map(stream).collect() }
    }
}

kind_of_streams!(Spc2Parameters, "test");
