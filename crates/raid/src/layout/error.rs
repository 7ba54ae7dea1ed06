//! The reason why members cannot be laid out as described.

use std::fmt;

/// The reason why members cannot be laid out as described.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayoutError {
    /// A level needs more members.
    TooFewMembers {
        /// The word for the level.
        level: &'static str,
        /// The fewest members that the level can have.
        least: u64,
        /// The number of members.
        given: u32,
    },
    /// The members cannot be divided into mirrors of this many copies without a remainder.
    LeftOver {
        /// The copies of each unit.
        copies: u32,
        /// The number of members.
        members: u32,
    },
    /// A stripe unit has no bytes.
    NoStrip,
    /// A member is too small for a stripe.
    TooSmall {
        /// The member.
        member: u32,
        /// The capacity of the member in bytes.
        capacity: u64,
        /// The least capacity that the member needs, in bytes.
        least: u64,
    },
    /// The array is larger than can be addressed in bytes.
    TooLarge,
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewMembers { level, least, given } => {
                write!(f, "level \"{level}\" needs {least} members as described, there are {given}")
            }
            Self::LeftOver { copies, members } => write!(
                f,
                "{members} members cannot be divided into mirrors of {copies}; take a multiple of {copies}, or level \"10\", which \
                 may have any number"
            ),
            Self::NoStrip => write!(f, "a stripe unit has at least one byte"),
            Self::TooSmall { member, capacity, least } => write!(
                f,
                "member {member} has {capacity} B, of which no stripe can be made; it needs {least} B, or a smaller stripe unit"
            ),
            Self::TooLarge => write!(f, "the array has more than 2^64 - 1 bytes"),
        }
    }
}

impl std::error::Error for LayoutError {}

/// Checks that there are enough members.
pub(super) fn at_least(level: &'static str, least: u64, given: u32) -> Result<(), LayoutError> {
    if u64::from(given) < least {
        return Err(LayoutError::TooFewMembers { level, least, given });
    }
    Ok(())
}
