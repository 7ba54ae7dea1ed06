//! The statistics of a trace for a fit: of all of it, and of each volume by itself.

use super::together::{Counted, MOST_VOLUMES, Together};
use sansim_trace::{Gathered, Info, Trace};

/// Fewer reads and writes have no statistics.
pub const FEWEST_REQUESTS: u64 = 100;

/// The statistics of a trace.
#[derive(Clone, Debug)]
pub struct TraceStatistics {
    /// The trace as a whole.
    pub whole: Info,
    /// Each volume, by its number; none if there are more than [`MOST_VOLUMES`].
    pub volumes: Vec<Info>,
    /// How bursty they are together; nothing if there are more than [`MOST_VOLUMES`].
    pub together: Vec<Together>,
}

impl TraceStatistics {
    /// Reads a trace to its end, or to where it cannot be read any more. `watch` is asked every few thousand requests
    /// whether to go on; `None` if it said no.
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
            // Numbers below it have no requests here.
            info.volumes.drain(..number.min(info.volumes.len()));
            info
        };
        let volumes = volumes.into_iter().enumerate().map(named).collect();
        Some(TraceStatistics { whole: whole.of_trace(trace, error), volumes, together })
    }
}
