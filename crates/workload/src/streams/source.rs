//! The contract of every source of requests; [`super::content`] lists them.

use super::wanted::{DueDirections, NextRequest};
use crate::aims::TargetDevices;

/// The plan of a source.
pub trait SourcePlan {
    /// The largest request in bytes, as far as it is known before the run.
    fn largest(&self) -> u64;

    /// The share of reads, as far as it is known in advance.
    fn read_fraction(&self) -> f64;

    /// Whether the source comes to an end by itself.
    fn ends(&self) -> bool {
        false
    }

    /// Whether the source makes flushes or deallocations, as far as this is known in advance.
    fn flushes_or_deallocates(&self) -> bool {
        false
    }

    /// The parts that results list separately as streams, by name; none if the source has no parts.
    fn parts(&self) -> &[String] {
        &[]
    }

    /// The stripe unit of the devices, if they are one address space and striped.
    fn stripe_bytes(&self) -> Option<u64> {
        None
    }
}

/// The source of the requests of a stream.
pub trait RequestSource {
    /// The plan of the source.
    type Plan: SourcePlan;

    /// A source at its beginning, for the devices of a workload; its random streams are drawn from the seed and the path.
    fn new(plan: &Self::Plan, aims: &TargetDevices, seed: u64, path: &str) -> Self;

    /// The next request; for a slot that stays with a device, at that device. None at the end of the source.
    fn next(&mut self, device: Option<u32>) -> Option<NextRequest>;

    /// The next request in one of these directions, for a source whose directions have rates of their own. None at the end of the source.
    fn next_due(&mut self, _due: DueDirections) -> Option<NextRequest> {
        self.next(None)
    }

    /// Remarks for the reader of the result.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// The reason why the source could not continue, if it could not.
    fn fault(&self) -> Option<String> {
        None
    }
}
