//! `kind = "trace"`: the requests of a recorded trace file.
//!
//! Replay is open (at the times of the trace), closed (as fast as possible), or keeps the gaps between an answer and the next request.

mod parameters;
pub mod replay;
mod targets;
pub mod volumes;

pub use parameters::{BadLines, OutOfRange, ReplayAs, ResultsOf, TraceParameters, VolumesTo};
use replay::ReplayPlan;

use crate::streams::content::ContentPlan;
use crate::streams::kind::kind_of_streams;
use crate::streams::plan::{StreamPace, StreamPlan, StreamSlots, StreamsPlan};
use sansim_kernel::{Distribution, Span};

impl TraceParameters {
    /// The plan from which the workload is built.
    pub fn plan(&self) -> StreamsPlan {
        let closed = |slots| StreamPace::Closed {
            slots: StreamSlots::InAll(slots),
            think: Distribution::Fixed(Span::ZERO),
        };
        let pace = match self.replay {
            ReplayAs::Open => StreamPace::Recorded { outstanding: self.outstanding },
            ReplayAs::Closed => closed(self.queue_depth),
            ReplayAs::Dependent => closed(1),
        };
        let content = ContentPlan::Trace(ReplayPlan { parameters: self.clone() });
        StreamsPlan { streams: vec![StreamPlan::only_stream(pace, content)] }
    }
}

kind_of_streams!(TraceParameters, "file", remarks remarks);
