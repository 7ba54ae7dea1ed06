//! How far a run is before simulated time begins, and whether it goes on.

/// How far something is that is done before simulated time begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preparing {
    /// The work that is done, such as filling the drives.
    pub what: &'static str,
    /// The share of the work that is done, from 0 to 1. It is an estimate: the work may end before it reaches 1.
    pub share: f64,
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunFlow {
    /// Go on.
    Continue,
    /// End the run now and keep what was done.
    Stop,
}
