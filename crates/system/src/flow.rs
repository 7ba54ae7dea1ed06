//! How far a run is before simulated time begins, and whether it goes on.

/// How far something is that is done before simulated time begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preparing {
    /// What it is.
    pub what: &'static str,
    /// Which share of it is done; the last of it may come sooner.
    pub share: f64,
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// End the run now and keep what was done.
    Stop,
}
