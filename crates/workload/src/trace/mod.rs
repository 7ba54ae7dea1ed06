//! `kind = "trace"`: the requests of a file that somebody already owns.
//!
//! Replay is open (at the times of the trace), closed (as fast as possible), or keeps the gaps between an answer and the next request.

mod parameters;
mod replay;
mod targets;

pub use parameters::{BadLines, OutOfRange, ReplayAs, TraceParameters, VolumesTo};
pub use replay::{Replay, ReplayPlan};

use crate::streams::Streams;
use crate::streams::content::ContentPlan;
use crate::streams::plan::{Pace, Slots, StreamPlan, StreamsPlan, load_of};
use sansim_component::compound::{Compound, Holds, Joins, Load, Member, Reference, StreamName};
use sansim_kernel::{Distribution, Span};

impl TraceParameters {
    /// What the workload is built from.
    pub fn plan(&self) -> StreamsPlan {
        let closed =
            |slots| Pace::Closed { slots: Slots::InAll(slots), think: Distribution::Fixed(Span::ZERO) };
        let pace = match self.replay {
            ReplayAs::Open => Pace::Recorded { outstanding: self.outstanding },
            ReplayAs::Closed => closed(self.queue_depth),
            ReplayAs::Dependent => closed(1),
        };
        let content = ContentPlan::Trace(ReplayPlan { parameters: self.clone() });
        StreamsPlan { streams: vec![StreamPlan::whole(pace, content)] }
    }
}

impl<P: Holds<Streams>> Compound<P> for TraceParameters {
    fn member(&self) -> Member<P> {
        Member::of::<Streams>(self.plan()).asking()
    }

    fn references(&self) -> Vec<Reference<'_>> {
        let from = std::slice::from_ref(&self.from);
        vec![
            Reference { key: "from", names: from, joins: Joins::Through },
            Reference { key: "to", names: &self.to, joins: Joins::Devices },
        ]
    }

    fn load(&self) -> Option<Load> {
        Some(load_of(&self.plan(), "file"))
    }

    fn streams(&self) -> Vec<StreamName> {
        self.plan().names()
    }
}
