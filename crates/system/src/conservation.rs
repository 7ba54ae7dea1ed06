//! What a run must not lose, and nothing of it twice: looked at when a run has come to its end, in every build.

use std::fmt;

/// A run that lost something, or did something twice. It has no result, and the fault is sansim's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConservationError {
    /// What does not balance, and where, a line each.
    pub broken: Vec<String>,
}

impl fmt::Display for ConservationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this run does not add up, so it has no result")?;
        for line in &self.broken {
            write!(f, "\n  {line}")?;
        }
        write!(f, "\n  help: this is an error of sansim; please report it with the scenario")
    }
}

impl std::error::Error for ConservationError {}

/// The lines of what does not balance, as they are found.
#[derive(Debug, Default)]
pub(crate) struct Books {
    broken: Vec<String>,
}

impl Books {
    /// Two counts that must be equal: of what, what happened to it, and what should have.
    pub fn equal(&mut self, what: &str, (did, one): (&str, u64), (should, other): (&str, u64), place: &str) {
        if one != other {
            self.broken.push(format!("{what}: {one} {did}, {other} {should}; {place}"));
        }
    }

    /// A count that must be zero.
    pub fn none(&mut self, what: &str, count: u64, place: &str) {
        if count > 0 {
            self.broken.push(format!("{what}: {count}; {place}"));
        }
    }

    /// The error, if anything does not balance.
    pub fn close(self) -> Result<(), ConservationError> {
        if self.broken.is_empty() { Ok(()) } else { Err(ConservationError { broken: self.broken }) }
    }
}
