//! The keys of a mirror.

use sansim_describe::quantities::Choice;
use sansim_describe::{table, words};

words! {
    /// Which copy a read goes to.
    pub enum ReadPolicy {
        /// The first that works.
        First = "first",
        /// Those that work, one after the other.
        RoundRobin = "round-robin",
    }
}

table! {
    /// A mirror: a write goes to all copies and is done when the last of them is done; a read goes to one.
    #[derive(Copy, Eq)]
    pub struct MirrorParameters {
        /// Which copy a read goes to.
        read_policy: ReadPolicy = Choice::<ReadPolicy>::ANY, default r#""first""#, source "";
    }
}
