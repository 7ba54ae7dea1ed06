//! A source whose requests a test lists.

use crate::aims::TargetDevices;
use crate::streams::source::{RequestSource, SourcePlan};
use crate::streams::wanted::NextRequest;

/// The requests that a test lists, for a stream.
#[derive(Clone, Debug, PartialEq)]
pub struct ListPlan(pub Vec<NextRequest>);

impl SourcePlan for ListPlan {
    fn largest(&self) -> u64 {
        self.0.iter().map(|wanted| wanted.bytes).max().unwrap_or(0)
    }

    fn read_fraction(&self) -> f64 {
        1.0
    }

    fn ends(&self) -> bool {
        true
    }
}

/// The listed requests, which come one after another.
#[derive(Debug)]
pub struct List(std::vec::IntoIter<NextRequest>);

impl RequestSource for List {
    type Plan = ListPlan;

    fn new(plan: &ListPlan, _: &TargetDevices, _: u64, _: &str) -> Self {
        Self(plan.0.clone().into_iter())
    }

    fn next(&mut self, _: Option<u32>) -> Option<NextRequest> {
        self.0.next()
    }
}
