//! The task management functions of SCSI.

use sansim_pdu::task_management as code;
use sansim_schema::words;

words! {
    /// A task management function: an initiator ends commands by others than their ABTS. Source: SAM-5, task management functions.
    pub enum TaskManagement {
        /// The commands of this initiator at the logical unit end.
        AbortTaskSet = "abort-task-set",
        /// The commands of all initiators at the logical unit end.
        ClearTaskSet = "clear-task-set",
        /// The logical unit is reset: the commands of all initiators there end, and all initiators get a unit attention condition.
        LogicalUnitReset = "lun-reset",
        /// All logical units behind the port of the target are reset.
        TargetReset = "target-reset",
        /// The host resets its own adapter, whose exchanges are lost. No function of SAM-5.
        AdapterReset = "adapter-reset",
    }
}

impl TaskManagement {
    /// The flag of FCP_CMND that names the function; none for the reset of an adapter, which no target is asked for.
    pub fn flag(self) -> Option<u8> {
        Some(match self {
            Self::AbortTaskSet => code::ABORT_TASK_SET,
            Self::ClearTaskSet => code::CLEAR_TASK_SET,
            Self::LogicalUnitReset => code::LOGICAL_UNIT_RESET,
            Self::TargetReset => code::TARGET_RESET,
            Self::AdapterReset => return None,
        })
    }
}
