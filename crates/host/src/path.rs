//! Which of several ways to a device a request takes.

use sansim_describe::quantities::Choice;
use sansim_describe::{table, words};

words! {
    /// Which way a request takes where several lead to its device.
    pub enum PathChoice {
        /// The first: the adapters count in the order in which they are described, then what is attached.
        First = "first",
        /// One after the other, for each device.
        RoundRobin = "round-robin",
    }
}

table! {
    /// How a way is chosen.
    #[derive(Copy, Eq)]
    pub struct PathParameters {
        /// Which way a request takes where several lead to its device.
        path: PathChoice = Choice::<PathChoice>::ANY, default r#""first""#, source "";
    }
}
