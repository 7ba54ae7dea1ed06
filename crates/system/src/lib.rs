//! Builds a storage network from a scenario and runs it.
//!
//! * [`build`] - from a scenario to a plan;
//! * [`plan`] - what is to be built, resolved to numbers;
//! * [`simulation`] - the components in their arenas, the event loop, the translation of effects into events;
//! * [`measure`] - which I/Os count;
//! * [`counted`] - what is counted of them;
//! * [`precision`] - when a run that goes on until its result is precise may end;
//! * [`mod@run`] - a whole run with progress;
//! * [`clock`] - when simulated time does not come to the end of a run;
//! * [`conservation`] - what a run must not lose;
//! * [`recording`] - what it keeps;
//! * [`samples`] - queues and use, sampled over the run;
//! * [`usage`] - what must balance, and how busy things are;
//! * [`passes`] - what the passes of a workload took;
//! * [`summary`] - the result;
//! * [`statistics`] - how the intervals of the result came about;
//! * [`catalogue`] - what each figure of the result is: unit, label, meaning.
#![forbid(unsafe_code)]

pub mod build;
pub mod catalogue;
pub mod clock;
pub mod conservation;
pub mod counted;
pub mod measure;
pub mod passes;
pub mod plan;
pub mod precision;
pub mod recording;
pub mod run;
pub mod samples;
pub mod simulation;
pub mod statistics;
pub mod summary;
pub mod usage;

pub use clock::{ClockError, ClockFault};
pub use conservation::ConservationError;
pub use run::{Flow, Progress, RunError, RunOptions, RunResult, run};
