//! What every bus has, so that those who ask for it can tell where requests are that wait for it.

/// Segments that every bus has, by their numbers in its catalogue.
pub mod segment {
    /// Waiting for the bus.
    pub const QUEUE: usize = 0;
}
