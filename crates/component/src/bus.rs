//! The segments of every bus, so that a component can name the segment in which a request waits for the bus.

/// Segments that every bus has, by their numbers in its catalogue.
pub mod segment {
    /// The request waits for the bus.
    pub const QUEUE: usize = 0;
}
