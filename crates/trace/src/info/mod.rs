//! A summary of a trace, for checking it before use: gathered in one pass and in constant memory.

mod bins;
mod blocks;
mod burst;

pub use blocks::UNIQUE_ERROR;

use crate::anomalies::Anomalies;
use crate::record::{TraceOperation, TraceRecord};
use crate::trace::Trace;
use bins::Bins;
use blocks::{BLOCK, Blocks};
use burst::Counts;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::ops::AddAssign;

/// The most bins of the rate chart, and their initial width of a millisecond.
const RATE_BINS: usize = 600;
const RATE_WIDTH: u64 = 1_000_000;
/// The most bins for burstiness, and their initial width of about a sixteenth of a millisecond.
const FINE_BINS: usize = 4_096;
const FINE_WIDTH: u64 = 1 << 16;
/// The widths of the index of dispersion.
const SCALES: [u64; 4] = [10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000];
/// The index of the width for the peak rate.
const SECOND: usize = 2;
/// The most sizes that are counted separately; further sizes are counted together.
const MOST_SIZES: usize = 4_096;
/// The number of sizes that are listed.
const TOP_SIZES: usize = 20;

/// A summary of a trace. Shares are from 0 to 1; figures for which there are too few requests are `None`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceInfo {
    /// The file, as it was given.
    pub file: String,
    /// The word for the format.
    pub format: String,
    /// The compression: `none`, `gzip`, `zstd`.
    pub compression: String,
    /// The reason why reading ended before the end of the file; the summary covers all records before.
    pub error: Option<String>,
    /// The lines of the file; for a binary file its records.
    pub lines: u64,
    /// The numbers of lines that are legitimately no requests, by reason.
    pub asides: BTreeMap<String, u64>,
    /// The number of broken lines.
    pub bad_lines: u64,
    /// The first broken lines, each as a sentence.
    pub bad_examples: Vec<String>,
    /// The requests of all operations.
    pub requests: u64,
    /// The number of reads.
    pub reads: u64,
    /// The number of writes.
    pub writes: u64,
    /// The number of trims.
    pub trims: u64,
    /// The number of flushes.
    pub flushes: u64,
    /// The bytes read.
    pub bytes_read: u64,
    /// The bytes written.
    pub bytes_written: u64,
    /// The time from the first to the last request, in seconds.
    pub span_s: f64,
    /// The times of the first and the last request in seconds since 1970, if the format has a calendar.
    pub dates_s: Option<[i64; 2]>,
    /// The volumes, in the order of their first requests.
    pub volumes: Vec<VolumeInfo>,
    /// The requests per second, on average.
    pub requests_per_s: Option<f64>,
    /// The bytes read and written per second, on average.
    pub bytes_per_s: Option<f64>,
    /// The most requests in one second; seconds begin at the first request.
    pub peak_requests_per_s: u64,
    /// The bytes of a read or write, on average.
    pub mean_bytes: Option<f64>,
    /// The most frequent sizes of reads and writes, the most frequent first.
    pub sizes: Vec<SizeInfo>,
    /// The number of reads and writes of all other sizes.
    pub other_sizes: u64,
    /// The share of the reads and writes that begin where the previous one of the volume ended.
    pub sequential_share: Option<f64>,
    /// The bytes in different blocks of 4 KiB.
    pub unique_bytes: f64,
    /// Whether `unique_bytes` and `touched_again_share` are exact. If not, there are more than a million blocks, and their number is
    /// estimated with a standard error of [`UNIQUE_ERROR`].
    pub unique_exact: bool,
    /// The share of the blocks of 4 KiB read or written that had been read or written before.
    pub touched_again_share: Option<f64>,
    /// The number of blocks of very long requests that were left out of both block estimates.
    pub blocks_left_out: u64,
    /// Whether times are whole seconds, so that figures of shorter times say nothing and are `None`.
    pub whole_seconds: bool,
    /// The coefficient of variation of the times between requests: 1 for Poisson arrivals.
    pub inter_arrival_cv: Option<f64>,
    /// The index of dispersion for counts at several scales: 1 for Poisson arrivals.
    pub dispersion: Vec<DispersionIndex>,
    /// The b of the b-model, 0.5 for even arrivals, by the slope of entropy.
    pub b_model: Option<f64>,
    /// The Hurst parameter, 0.5 for Poisson arrivals, by a variance-time plot.
    pub hurst: Option<f64>,
    /// The recorded latencies, if there are any.
    pub latency: Option<LatencyInfo>,
    /// The anomalies, as figures.
    pub anomalies: Anomalies,
    /// The anomalies, as sentences.
    pub warnings: Vec<String>,
    /// The rates over time, for a chart.
    pub rate: RateBins,
}

/// A volume of a trace.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VolumeInfo {
    /// The name of the volume.
    pub name: String,
    /// The requests of all operations.
    pub requests: u64,
    /// The number of reads.
    pub reads: u64,
    /// The number of writes.
    pub writes: u64,
    /// The bytes read.
    pub bytes_read: u64,
    /// The bytes written.
    pub bytes_written: u64,
    /// The byte behind the last one that any request accesses: the volume is at least this large.
    pub end_bytes: u64,
    /// The share of the volume's reads and writes that begin where the previous one ended.
    pub sequential_share: Option<f64>,
}

/// The frequency of a size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SizeInfo {
    /// The size in bytes.
    pub bytes: u64,
    /// The number of reads and writes of this size.
    pub requests: u64,
    /// The share of this size among all reads and writes.
    pub share: f64,
}

/// The index of dispersion for counts at a scale.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DispersionIndex {
    /// The width of the bins in seconds.
    pub scale_s: f64,
    /// The variance of the counts in the bins divided by their mean; `None` with fewer than ten bins.
    pub index: Option<f64>,
}

/// Recorded latencies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct LatencyInfo {
    /// The number of requests that have a latency.
    pub requests: u64,
    /// The mean latency, in seconds.
    pub mean_s: f64,
    /// The longest latency, in seconds.
    pub longest_s: f64,
}

/// Rates over time: bins of equal width from the first request.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RateBins {
    /// The width of a bin in seconds; the last bin may not be full.
    pub width_s: f64,
    /// The bins.
    pub bins: Vec<RateBin>,
}

/// The requests within a bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RateBin {
    /// The requests of all operations.
    pub requests: u64,
    /// The bytes read.
    pub bytes_read: u64,
    /// The bytes written.
    pub bytes_written: u64,
}

impl AddAssign for RateBin {
    fn add_assign(&mut self, other: RateBin) {
        self.requests += other.requests;
        self.bytes_read = self.bytes_read.saturating_add(other.bytes_read);
        self.bytes_written = self.bytes_written.saturating_add(other.bytes_written);
    }
}

/// The sums of a volume.
#[derive(Clone, Copy, Debug, Default)]
struct Volume {
    /// The requests, by operation.
    requests: [u64; 4],
    bytes: [u64; 4],
    end: u64,
    /// The end of the latest read or write.
    latest_end: Option<u64>,
    sequential: u64,
    /// The number of reads and writes that follow another one.
    following: u64,
}

/// Gathers the statistics of records, one after the other, in the order of their times.
#[derive(Clone, Debug)]
pub struct StatisticsGatherer {
    volumes: Vec<Volume>,
    rate: Bins<RateBin>,
    fine: Bins<u64>,
    scales: [Counts; 4],
    blocks: Blocks,
    sizes: HashMap<u64, u64>,
    other_sizes: u64,
    latest: Option<u64>,
    gaps: u64,
    gap_sum: f64,
    gap_squares: f64,
    latencies: u64,
    latency_sum: u128,
    longest: u64,
}

impl Default for StatisticsGatherer {
    fn default() -> StatisticsGatherer {
        StatisticsGatherer {
            volumes: Vec::new(),
            rate: Bins::new(RATE_WIDTH, RATE_BINS),
            fine: Bins::new(FINE_WIDTH, FINE_BINS),
            scales: SCALES.map(Counts::new),
            blocks: Blocks::new(),
            sizes: HashMap::new(),
            other_sizes: 0,
            latest: None,
            gaps: 0,
            gap_sum: 0.0,
            gap_squares: 0.0,
            latencies: 0,
            latency_sum: 0,
            longest: 0,
        }
    }
}

impl StatisticsGatherer {
    /// Adds a request.
    pub fn add_record(&mut self, record: &TraceRecord) {
        let moves = matches!(record.operation, TraceOperation::Read | TraceOperation::Write);
        let place = record.volume as usize;
        if place >= self.volumes.len() {
            self.volumes.resize(place + 1, Volume::default());
        }
        let volume = &mut self.volumes[place];
        let operation = record.operation as usize;
        volume.requests[operation] += 1;
        volume.bytes[operation] = volume.bytes[operation].saturating_add(record.bytes);
        volume.end = volume.end.max(record.end_byte());
        if moves {
            volume.following += u64::from(volume.latest_end.is_some());
            volume.sequential += u64::from(volume.latest_end == Some(record.offset));
            volume.latest_end = Some(record.end_byte());
            self.blocks.touch(record);
            let room = self.sizes.len() < MOST_SIZES;
            match self.sizes.get_mut(&record.bytes) {
                Some(count) => *count += 1,
                None if room => _ = self.sizes.insert(record.bytes, 1),
                None => self.other_sizes += 1,
            }
        }
        let of = |wanted| if record.operation == wanted { record.bytes } else { 0 };
        let bin = RateBin {
            requests: 1,
            bytes_read: of(TraceOperation::Read),
            bytes_written: of(TraceOperation::Write),
        };
        self.rate.add(record.at_ns, bin);
        self.fine.add(record.at_ns, 1);
        self.scales.iter_mut().for_each(|scale| scale.add(record.at_ns));
        if let Some(latest) = self.latest.replace(record.at_ns) {
            let gap = (record.at_ns - latest) as f64;
            self.gaps += 1;
            self.gap_sum += gap;
            self.gap_squares += gap * gap;
        }
        if let Some(latency) = record.latency_ns {
            self.latencies += 1;
            self.latency_sum += u128::from(latency);
            self.longest = self.longest.max(latency);
        }
    }

    fn cv(&self) -> Option<f64> {
        let n = self.gaps as f64;
        let mean = self.gap_sum / n;
        let variance = self.gap_squares / n - mean * mean;
        (self.gaps > 1 && mean > 0.0).then(|| variance.max(0.0).sqrt() / mean)
    }
}

/// The share of a part in a whole; none if the whole is zero.
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

impl TraceInfo {
    /// The same summary of a trace whose times are whole seconds: the reader has spread the requests of each second evenly over it, so
    /// gaps and counts in shorter times are those of the reader. `fine_ns` is the width of the bins for burstiness.
    fn without_times_below_a_second(mut self, fine_ns: u64) -> TraceInfo {
        self.whole_seconds = true;
        self.inter_arrival_cv = None;
        for dispersion in self.dispersion.iter_mut().filter(|dispersion| dispersion.scale_s < 1.0) {
            dispersion.index = None;
        }
        if fine_ns < SCALES[SECOND] {
            (self.b_model, self.hurst) = (None, None);
        }
        self.warnings.push(
            "times are whole seconds: the requests of a second are spread evenly over it, and how they come within it is unknown"
                .to_owned(),
        );
        self
    }

    /// Reads a trace to its end and summarises it. A trace that cannot be read to its end is summarised up to the error, and
    /// [`TraceInfo::error`] has the reason.
    pub fn summarise_trace(trace: &mut Trace) -> TraceInfo {
        let mut gathered = StatisticsGatherer::default();
        let error = trace.for_each_record(&mut |_| true, |record, _| {
            gathered.add_record(record);
            Ok(())
        });
        gathered.summarise_with_trace_counts(trace, error.err().map(|error| error.to_string()))
    }

    /// Summarises a trace as [`TraceInfo::summarise_trace`]; `watch` is called every few thousand requests and returns whether to continue.
    /// `None` if `watch` stopped the reading.
    pub fn summarise_watched(trace: &mut Trace, watch: &mut dyn FnMut(&Trace) -> bool) -> Option<TraceInfo> {
        let mut gathered = StatisticsGatherer::default();
        let read = trace.for_each_record(watch, |record, _| {
            gathered.add_record(record);
            Ok(())
        });
        match read {
            Ok(false) => None,
            Ok(true) => Some(gathered.summarise_with_trace_counts(trace, None)),
            Err(error) => Some(gathered.summarise_with_trace_counts(trace, Some(error.to_string()))),
        }
    }
}

impl StatisticsGatherer {
    /// The summary of a trace, with the trace's own counts and the reason why its reading ended early, if it did.
    pub fn summarise_with_trace_counts(self, trace: &Trace, error: Option<String>) -> TraceInfo {
        let anomalies = trace.anomalies();
        let counts = trace.line_counts();
        let (whole_seconds, fine_ns) = (trace.has_whole_seconds(), self.fine.width_ns());
        let info = TraceInfo {
            file: trace.file_name().to_owned(),
            format: trace.trace_format().word.to_owned(),
            compression: trace.compression().word().to_owned(),
            error,
            lines: counts.lines,
            asides: counts.asides.iter().map(|(why, count)| ((*why).to_owned(), *count)).collect(),
            bad_lines: counts.bad,
            bad_examples: counts.examples.iter().map(ToString::to_string).collect(),
            dates_s: anomalies.dates_s,
            warnings: trace.warning_sentences().into_iter().chain(trace.why_empty()).collect(),
            anomalies,
            ..self.summarise_records(|number| trace.volume_names_so_far().volume_name(number).to_owned())
        };
        if whole_seconds { info.without_times_below_a_second(fine_ns) } else { info }
    }

    /// The summary of requests that are not from a file. Fields that only files have are empty.
    pub fn summarise_records(self, name: impl Fn(u32) -> String) -> TraceInfo {
        let requests = |operation: TraceOperation| {
            self.volumes.iter().map(|v| v.requests[operation as usize]).sum::<u64>()
        };
        let bytes = |operation: TraceOperation| {
            self.volumes.iter().map(|v| v.bytes[operation as usize]).fold(0, u64::saturating_add)
        };
        let (reads, writes) = (requests(TraceOperation::Read), requests(TraceOperation::Write));
        let (bytes_read, bytes_written) = (bytes(TraceOperation::Read), bytes(TraceOperation::Write));
        let all: u64 = TraceOperation::ALL.map(requests).iter().sum();
        let moved = bytes_read as f64 + bytes_written as f64;
        let span_ns = self.latest.unwrap_or_default();
        let span_s = span_ns as f64 / 1e9;
        let per_s = |value: f64| (span_s > 0.0).then(|| value / span_s);
        let mut sizes: Vec<(u64, u64)> = self.sizes.iter().map(|(bytes, count)| (*bytes, *count)).collect();
        sizes.sort_by_key(|(bytes, count)| (u64::MAX - count, *bytes));
        let size = |&(bytes, requests): &(u64, u64)| SizeInfo {
            bytes,
            requests,
            share: requests as f64 / (reads + writes) as f64,
        };
        let unique = self.blocks.unique();
        let touched = self.blocks.touched();
        TraceInfo {
            file: String::new(),
            format: String::new(),
            compression: String::new(),
            error: None,
            lines: 0,
            asides: BTreeMap::new(),
            bad_lines: 0,
            bad_examples: Vec::new(),
            requests: all,
            reads,
            writes,
            trims: requests(TraceOperation::Trim),
            flushes: requests(TraceOperation::Flush),
            bytes_read,
            bytes_written,
            span_s,
            dates_s: None,
            volumes: self.volumes.iter().enumerate().map(|(n, v)| v.told(name(n as u32))).collect(),
            requests_per_s: per_s(all as f64),
            bytes_per_s: per_s(moved),
            peak_requests_per_s: self.scales[SECOND].most(),
            mean_bytes: (reads + writes > 0).then(|| moved / (reads + writes) as f64),
            sizes: sizes.iter().take(TOP_SIZES).map(size).collect(),
            other_sizes: self.other_sizes + sizes.iter().skip(TOP_SIZES).map(|(_, count)| count).sum::<u64>(),
            sequential_share: share(
                self.volumes.iter().map(|v| v.sequential).sum(),
                self.volumes.iter().map(|v| v.following).sum(),
            ),
            unique_bytes: unique * BLOCK as f64,
            unique_exact: self.blocks.is_exact(),
            touched_again_share: (touched > 0).then(|| 1.0 - unique / touched as f64),
            blocks_left_out: self.blocks.left_out,
            whole_seconds: false,
            inter_arrival_cv: self.cv(),
            dispersion: SCALES
                .iter()
                .zip(&self.scales)
                .map(|(width, scale)| DispersionIndex {
                    scale_s: *width as f64 / 1e9,
                    index: scale.dispersion(),
                })
                .collect(),
            b_model: burst::b_model(self.fine.all()),
            hurst: burst::hurst(self.fine.all()),
            latency: (self.latencies > 0).then(|| LatencyInfo {
                requests: self.latencies,
                mean_s: self.latency_sum as f64 / self.latencies as f64 / 1e9,
                longest_s: self.longest as f64 / 1e9,
            }),
            warnings: Vec::new(),
            anomalies: Anomalies { span_ns, ..Anomalies::default() },
            rate: RateBins { width_s: self.rate.width_ns() as f64 / 1e9, bins: self.rate.all().to_vec() },
        }
    }
}

impl Volume {
    fn told(&self, name: String) -> VolumeInfo {
        let [reads, writes, ..] = self.requests;
        VolumeInfo {
            name,
            requests: self.requests.iter().sum(),
            reads,
            writes,
            bytes_read: self.bytes[TraceOperation::Read as usize],
            bytes_written: self.bytes[TraceOperation::Write as usize],
            end_bytes: self.end,
            sequential_share: share(self.sequential, self.following),
        }
    }
}
