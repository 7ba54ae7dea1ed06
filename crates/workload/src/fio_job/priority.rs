//! How urgent the I/Os of a job are.

use super::keys::Settings;
use sansim_request::{LEAST_PRIORITY, NORMAL_PRIORITY};

/// Classes of priorities.
const REAL_TIME: u8 = 1;
const IDLE: u8 = 3;

/// How urgent the I/Os of a job are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoPriority {
    /// So much within the class of all jobs without a class, best effort: from 0 to 7.
    BestEffort(u8),
    /// Before all of these.
    RealTime,
    /// After all of these.
    Idle,
}

impl IoPriority {
    /// The priority from the keys of a job.
    pub fn of(set: &Settings) -> Self {
        match set.prioclass.value {
            REAL_TIME => Self::RealTime,
            IDLE => Self::Idle,
            _ => Self::BestEffort(set.prio.value.unwrap_or(NORMAL_PRIORITY)),
        }
    }

    /// The nearest priority where there is one class.
    pub fn in_one_class(self) -> u8 {
        match self {
            Self::RealTime => 0,
            Self::BestEffort(priority) => priority,
            Self::Idle => LEAST_PRIORITY,
        }
    }
}
