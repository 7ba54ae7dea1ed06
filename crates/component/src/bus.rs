//! The segments of every bus, so that an asker can name the one in which a request waits for it.

/// Segments that every bus has, by their numbers in its catalogue.
pub mod segment {
    /// Waiting for the bus.
    pub const QUEUE: usize = 0;
}
