//! Fits of traces: a synthetic workload that resembles a trace, and its differences from the trace.
//!
//! The fit has a stream for each volume, or one for all where there are many; a volume that is partly read sequentially gets two streams.
//! Each stream has the measured rate, mix of operations, sizes, sequential share, reuse and burstiness. The fitted workload is drawn with
//! the generators of a run and measured in the same way as the trace; the fit is claimed to agree only in these measurements. A fit leaves
//! out everything that the statistics of a trace do not contain: correlations of sizes, places and operations, and their change over time.

mod arrivals;
mod compare;
mod draw;
mod measure;
mod places;
mod stream;
mod together;
mod volume;
mod written;

pub use compare::FigureComparison;
pub use measure::{FEWEST_REQUESTS, TraceStatistics};
pub use together::VolumeBurstiness;

use compare::{compared, distance_of_sizes};
use draw::{SEED, draw};
use sansim_request::BLOCK_BYTES;
use sansim_schema::{Json, json};
use sansim_trace::{StatisticsGatherer, TraceInfo};
use stream::FittedStream;
use volume::{fitted_streams, footprint};

/// The most requests of the fit that are drawn to be compared with the trace.
const MOST_DRAWN: u64 = 1_000_000;

/// A synthetic workload that resembles a trace.
#[derive(Clone, Debug)]
pub struct FittedWorkload {
    /// The statistics of the trace.
    pub trace: TraceInfo,
    /// The statistics of the requests drawn from the workload.
    pub drawn: TraceInfo,
    /// The comparison of the trace and the fit, figure by figure.
    pub compared: Vec<FigureComparison>,
    /// The share of requests that would need another size for both to have the same sizes; `None` if some sizes of the trace are not known.
    pub distance_of_sizes: Option<f64>,
    /// Properties of the trace that the workload lacks, a sentence for each.
    pub left_out: Vec<String>,
    /// The burstiness of the trace, and the burstiness that it would have if the volumes with streams of their own were independent; none
    /// if all volumes share a stream.
    pub together: Vec<VolumeBurstiness>,
    streams: Vec<FittedStream>,
    capacity: u64,
}

impl FittedWorkload {
    /// Fits a workload with a stream for each volume or, with `as_one`, one stream for all. The error says why the trace cannot be fitted.
    pub fn fit_to_trace(measured: TraceStatistics, as_one: bool) -> Result<FittedWorkload, String> {
        let TraceStatistics { whole, mut volumes, mut together } = measured;
        if as_one {
            volumes.clear();
        }
        if volumes.len() < 2 {
            together.clear();
        }
        let moved = whole.reads + whole.writes;
        if moved < FEWEST_REQUESTS {
            return Err(format!(
                "{moved} reads and writes are too few to be fitted; at least {FEWEST_REQUESTS} are needed"
            ));
        }
        if whole.span_s <= 0.0 {
            return Err("all requests come at the same time, so there is no rate to be fitted".to_owned());
        }
        let footprint = footprint(&whole, &volumes);
        let streams = fitted_streams(&whole, &footprint)?;
        let capacity = footprint.iter().map(|space| space.bytes).sum();
        let requests = moved.min(MOST_DRAWN);
        let mut gathered = StatisticsGatherer::default();
        draw(&streams, capacity, requests, SEED, &mut |record| gathered.add_record(record));
        let drawn = gathered.summarise_records(|number| {
            footprint.get(number as usize).map_or_else(String::new, |space| space.volume.clone())
        });
        let mut left_out: Vec<String> = together::sentence(&together).into_iter().collect();
        if whole.trims + whole.flushes > 0 {
            left_out.push(format!(
                "{} trims and {} flushes are left out: synthetic workloads read and write",
                whole.trims, whole.flushes
            ));
        }
        if volumes.is_empty() && whole.volumes.len() > 1 {
            let why = format!(": each gets a stream of its own up to {}", together::MOST_VOLUMES);
            let why = if as_one { "" } else { &why };
            left_out.push(format!("{} volumes are one{why}", whole.volumes.len()));
        }
        let few = footprint.iter().filter(|space| !space.is_enough()).count();
        if few > 0 {
            left_out.push(format!(
                "{few} volumes have Poisson arrivals: fewer than {FEWEST_REQUESTS} requests do not tell how bursty they are"
            ));
        }
        let odd: u64 =
            whole.sizes.iter().filter(|size| !is_whole(size.bytes)).map(|size| size.requests).sum();
        if odd > 0 {
            left_out.push(format!("{odd} requests are widened to whole blocks of {BLOCK_BYTES} bytes"));
        }
        if whole.whole_seconds {
            left_out.push(
                "times are whole seconds: how bursty arrivals are within a second is unknown".to_owned(),
            );
        }
        let silent = volumes.iter().filter(|volume| volume.reads + volume.writes == 0).count();
        if silent > 0 {
            left_out.push(format!("{silent} volumes without reads and writes are left out"));
        }
        if let Some(error) = &whole.error {
            left_out.push(format!("the trace was not read to its end: {error}"));
        }
        Ok(FittedWorkload {
            compared: compared(&whole, &drawn),
            distance_of_sizes: distance_of_sizes(&whole, &drawn),
            trace: whole,
            drawn,
            left_out,
            together,
            streams,
            capacity,
        })
    }

    /// The scenario of the fit: the workload, with an assumed host and device.
    pub fn toml(&self) -> String {
        written::scenario(&self.trace, &self.streams, self.capacity, &self.left_out)
    }

    /// All results except the scenario, as JSON.
    pub fn json(&self) -> Json {
        let compared: Vec<Json> = self.compared.iter().map(FigureComparison::json).collect();
        let streams: Vec<Json> = self.streams.iter().map(FittedStream::json).collect();
        json!({
            "file": self.trace.file,
            "format": self.trace.format,
            "requests": self.trace.requests,
            "drawn": self.drawn.requests,
            "compared": compared,
            "distance_of_sizes": self.distance_of_sizes,
            "left_out": self.left_out,
            "together": self.together.iter().map(VolumeBurstiness::json).collect::<Vec<Json>>(),
            "streams": streams,
        })
    }
}

/// Whether a request consists of whole blocks.
fn is_whole(bytes: u64) -> bool {
    bytes > 0 && bytes.is_multiple_of(BLOCK_BYTES)
}

#[cfg(test)]
mod tests;
