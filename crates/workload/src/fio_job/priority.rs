//! The priority of the I/Os of a job.

use super::keys::Settings;
use sansim_request::{LEAST_PRIORITY, NORMAL_PRIORITY};

/// The numbers of the classes of priorities.
const REAL_TIME: u8 = 1;
const IDLE: u8 = 3;

/// The priority of the I/Os of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoPriority {
    /// The job has this priority, from 0 to 7, within the class best effort, which is that of all jobs without a class.
    BestEffort(u8),
    /// The job precedes all jobs of the class best effort.
    RealTime,
    /// The job comes after all jobs of the class best effort.
    Idle,
}

impl IoPriority {
    /// The priority from the keys of a job.
    pub fn from_job_keys(set: &Settings) -> Self {
        match set.prioclass.value {
            REAL_TIME => Self::RealTime,
            IDLE => Self::Idle,
            _ => Self::BestEffort(set.prio.value.unwrap_or(NORMAL_PRIORITY)),
        }
    }

    /// The nearest priority if there is only one class.
    pub fn in_one_class(self) -> u8 {
        match self {
            Self::RealTime => 0,
            Self::BestEffort(priority) => priority,
            Self::Idle => LEAST_PRIORITY,
        }
    }
}
