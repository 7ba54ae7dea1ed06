//! The progress of preparations before simulated time begins, and the decision to continue a run or stop it.

/// The progress of work before simulated time begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PreparationProgress {
    /// The name of the work, such as filling the drives.
    pub what: &'static str,
    /// The share of the work that is done, from 0 to 1. The share is an estimate: the work may end before it
    /// reaches 1.
    pub share: f64,
}

/// The decision to continue a run or to stop it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunFlow {
    /// The run continues.
    Continue,
    /// The run stops now and keeps its results so far.
    Stop,
}
