//! The two controllers of a pair, which stand in for each other.

use sansim_describe::words;

words! {
    /// One of the two controllers of a pair.
    pub enum Half {
        /// The first.
        A = "a",
        /// The second.
        B = "b",
    }
}

impl Half {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::A, Self::B];

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }

    /// As a place in a list.
    pub fn index(self) -> usize {
        self as usize
    }
}

/// What of a pair of controllers can fail by itself, by the words that events have for it: the halves by their places, then the link between
/// them.
pub const OF_A_PAIR: &[&str] = &["a", "b", "link"];

/// The place of the link in [`OF_A_PAIR`].
pub const LINK: usize = 2;
