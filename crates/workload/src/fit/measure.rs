//! The statistics of a trace for a fit: of the whole trace, and of each volume.

use super::together::{Counted, MOST_VOLUMES, VolumeBurstiness};
use sansim_trace::{StatisticsGatherer, Trace, TraceInfo};

/// The fewest reads and writes from which statistics are made.
pub const FEWEST_REQUESTS: u64 = 100;

/// The statistics of a trace.
#[derive(Clone, Debug)]
pub struct TraceStatistics {
    /// The statistics of the trace as a whole.
    pub whole: TraceInfo,
    /// The statistics of each volume, by its number; none if there are more than [`MOST_VOLUMES`].
    pub volumes: Vec<TraceInfo>,
    /// The burstiness of all volumes together; nothing if there are more than [`MOST_VOLUMES`].
    pub together: Vec<VolumeBurstiness>,
}

impl TraceStatistics {
    /// Reads a trace to its end, or to the first line that cannot be read. `watch` is called every few thousand requests and returns
    /// whether to continue; `None` if it returned false.
    pub fn read_trace(trace: &mut Trace, watch: &mut dyn FnMut(&Trace) -> bool) -> Option<TraceStatistics> {
        let mut whole = StatisticsGatherer::default();
        let mut volumes: Vec<StatisticsGatherer> = Vec::new();
        let mut counted = Counted::new();
        let read = trace.for_each_record(watch, |record, _| {
            whole.add_record(record);
            let place = record.volume as usize;
            if place < MOST_VOLUMES {
                while volumes.len() <= place {
                    volumes.push(StatisticsGatherer::default());
                }
                volumes[place].add_record(record);
                counted.add(record.at_ns, place);
            }
            Ok(())
        });
        let error = match read {
            Ok(false) => return None,
            Ok(true) => None,
            Err(error) => Some(error.to_string()),
        };
        if trace.volume_names_so_far().len() > MOST_VOLUMES {
            volumes.clear();
        }
        let together = if volumes.is_empty() { Vec::new() } else { counted.told() };
        let named = |(number, gathered): (usize, StatisticsGatherer)| {
            let mut info =
                gathered.summarise_records(|other| trace.volume_names_so_far().volume_name(other).to_owned());
            // Volumes with lower numbers have no requests in these statistics.
            info.volumes.drain(..number.min(info.volumes.len()));
            info
        };
        let volumes = volumes.into_iter().enumerate().map(named).collect();
        Some(TraceStatistics { whole: whole.summarise_with_trace_counts(trace, error), volumes, together })
    }
}
