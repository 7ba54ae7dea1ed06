//! Builds a storage network from a scenario and runs it.
//!
//! * [`simulation`] - the components and the event loop;
//! * [`measure`] - the selection of the I/Os that count;
//! * [`record`] - the record of a completed I/O; [`counted`] - the counts of these I/Os; [`slowest`] - the places at which the slowest I/Os
//!   spent their time, [`tally`] - the counts of each workload, host and device;
//! * [`precision`] - the time at which a run may end that continues until its result is precise;
//! * [`mod@run`] - a whole run with progress;
//! * [`clock`] - runs in which simulated time does not reach the end;
//! * [`conservation`] - the laws that a run must not violate;
//! * [`recording`] - the choice of the records that a run keeps;
//! * [`samples`] - queues and utilisations, sampled over the run;
//! * [`passes`] - the times of the passes of a workload;
//! * [`components`] - the use of components; [`parts`] - the share of each workload, host and device in the
//!   results;
//! * [`summary`] - the result of a run; [`figures`] - the elements of which results consist;
//! * [`catalogue`] - the name, the meaning and the unit of each figure;
//! * [`statistics`] - the origin of the intervals of the result.
#![forbid(unsafe_code)]

pub mod catalogue;
pub mod clock;
pub mod components;
pub mod conservation;
pub mod counted;
pub mod culprits;
pub mod errors;
mod extent;
pub mod figures;
pub mod flow;
pub mod fullest_link;
pub mod incidents;
mod instability;
mod intervals;
pub mod measure;
pub mod parts;
pub mod passes;
pub mod precision;
pub mod record;
pub mod recording;
pub mod rows;
pub mod run;
pub mod samples;
pub mod simulation;
pub mod slowest;
pub mod statistics;
pub mod steady;
pub mod summary;
pub mod tally;
mod trend;

pub use clock::{ClockError, ClockFault};
pub use conservation::ConservationError;
pub use run::{Progress, RunError, RunFlow, RunOptions, RunResult, run};
pub use sansim_assembly::{board, build, plan};
pub use sansim_component::NetworkModel;
