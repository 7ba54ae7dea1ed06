//! The statistics of a trace for a fit: of the whole trace, and of each volume.

use super::together::{Counted, MOST_VOLUMES, Together};
use sansim_trace::{Gathered, Info, Trace};

/// The fewest reads and writes from which statistics are made.
pub const FEWEST_REQUESTS: u64 = 100;

/// The statistics of a trace.
#[derive(Clone, Debug)]
pub struct TraceStatistics {
    /// The statistics of the trace as a whole.
    pub whole: Info,
    /// The statistics of each volume, by its number; none if there are more than [`MOST_VOLUMES`].
    pub volumes: Vec<Info>,
    /// The burstiness of all volumes together; nothing if there are more than [`MOST_VOLUMES`].
    pub together: Vec<Together>,
}

impl TraceStatistics {
    /// Reads a trace to its end, or to the first line that cannot be read. `watch` is called every few thousand requests and returns
    /// whether to continue; `None` if it returned false.
    pub fn of(trace: &mut Trace, watch: &mut dyn FnMut(&Trace) -> bool) -> Option<TraceStatistics> {
        let mut whole = Gathered::default();
        let mut volumes: Vec<Gathered> = Vec::new();
        let mut counted = Counted::new();
        let read = trace.each(watch, |record, _| {
            whole.add(record);
            let place = record.volume as usize;
            if place < MOST_VOLUMES {
                while volumes.len() <= place {
                    volumes.push(Gathered::default());
                }
                volumes[place].add(record);
                counted.add(record.at_ns, place);
            }
            Ok(())
        });
        let error = match read {
            Ok(false) => return None,
            Ok(true) => None,
            Err(error) => Some(error.to_string()),
        };
        if trace.volumes().len() > MOST_VOLUMES {
            volumes.clear();
        }
        let together = if volumes.is_empty() { Vec::new() } else { counted.told() };
        let named = |(number, gathered): (usize, Gathered)| {
            let mut info = gathered.of_records(|other| trace.volumes().name(other).to_owned());
            // Volumes with lower numbers have no requests in these statistics.
            info.volumes.drain(..number.min(info.volumes.len()));
            info
        };
        let volumes = volumes.into_iter().enumerate().map(named).collect();
        Some(TraceStatistics { whole: whole.of_trace(trace, error), volumes, together })
    }
}
