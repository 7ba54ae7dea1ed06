//! Builds a storage network from a scenario and runs it.
//!
//! * [`simulation`] - the components and the event loop;
//! * [`measure`] - which I/Os count;
//! * [`record`] - an I/O as it is kept; [`counted`] what is counted of them; [`slowest`] where the time of the slowest went, [`tally`] of each workload, host and device;
//! * [`precision`] - when a run that goes on until its result is precise may end;
//! * [`mod@run`] - a whole run with progress;
//! * [`clock`] - when simulated time does not come to the end of a run;
//! * [`conservation`] - what a run must not lose;
//! * [`recording`] - what it keeps;
//! * [`samples`] - queues and use, sampled over the run;
//! * [`passes`] - what the passes of a workload took;
//! * [`components`] - how busy components were; [`parts`] what each workload, host and device got;
//! * [`summary`] - the result; [`figures`] what its figures are made of;
//! * [`catalogue`] - what its figures are called, mean and are measured in;
//! * [`statistics`] - how the intervals of the result came about.
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
