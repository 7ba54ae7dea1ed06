//! The conservation laws of a run: nothing is lost or duplicated. The conservation laws are checked at the end of a
//! run, in every build.

use sansim_component::LeftoverFindings;
use std::fmt;

/// The error of a run that lost a request or a frame, or did something twice. Such a run has no result, and
/// the fault is in sansim itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConservationError {
    /// The violated laws and their places, one line each.
    pub broken: Vec<String>,
}

impl ConservationError {
    /// The error, if any component has leftovers.
    pub(crate) fn of(rest: LeftoverFindings) -> Result<(), Self> {
        let broken = rest.into_findings();
        if broken.is_empty() { Ok(()) } else { Err(Self { broken }) }
    }
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
