//! The reasons why a run has no result.

use crate::clock::ClockError;
use crate::conservation::ConservationError;
use sansim_observe::file::FileError;
use sansim_rules::RuleFailure;
use sansim_rules::rules_of_run::RunWithinRun;
use std::fmt;

/// The reason why a run has no result.
#[derive(Debug)]
pub enum RunError {
    /// The file of an observer cannot be written. An earlier file with that name is unchanged.
    File(FileError),
    /// Simulated time did not reach the end of the run.
    Clock(ClockError),
    /// A request was lost, or done twice.
    Conservation(ConservationError),
    /// A component could not continue: its name, and the reason.
    Component(String, String),
    /// A rule of the user failed.
    Rule(RuleFailure),
    /// A rule of the user started a run.
    WithinRule(RunWithinRun),
    /// An observer wants frames of a network that sends none: the network, and the option.
    NoFrames(String, &'static str),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Clock(error) => error.fmt(f),
            Self::Conservation(error) => error.fmt(f),
            Self::Rule(failure) => failure.fmt(f),
            Self::WithinRule(fault) => fault.fmt(f),
            Self::NoFrames(network, what) => write!(
                f,
                "{what} shows frames, and `{network}` carries commands, data and status without any: leave {what} out"
            ),
            Self::Component(name, why) => {
                write!(f, "`{name}` could not go on, so the run has no result: {why}")
            }
        }
    }
}

impl std::error::Error for RunError {}

impl From<FileError> for RunError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl From<ConservationError> for RunError {
    fn from(error: ConservationError) -> Self {
        Self::Conservation(error)
    }
}

impl From<RunWithinRun> for RunError {
    fn from(fault: RunWithinRun) -> Self {
        Self::WithinRule(fault)
    }
}

impl From<ClockError> for RunError {
    fn from(error: ClockError) -> Self {
        Self::Clock(error)
    }
}
