//! Task management: an initiator whose ABTS is not answered asks the target to end commands together.
//!
//! Sources: SAM-5, task management functions and aborting commands; FCP-4, task management flags of FCP_CMND, response information in FCP_RSP
//! and recovery abort; Linux, `drivers/scsi/scsi_error.c` and `drivers/scsi/libfc/fc_fcp.c`.
//!
//! The function is an exchange of its own, of FCP_CMND with a task management flag and FCP_RSP with response information. Commands end thus:
//!
//! | the command | its end |
//! |---|---|
//! | of another initiator | FCP_RSP with the status TASK ABORTED, as with TAS = 1 in the control mode page |
//! | of the initiator that asked | no status; after the answer its initiator sends ABTS for each, which releases both ends |
//! | whose device has answered already | its status, which is sent as without the function |
//!
//! FCP_RSP of the function is sent when the devices have stopped all those commands. Data of a sequence that has been begun, or was asked
//! for, still pass: a port that has begun a sequence waits for its last frame. LOGICAL UNIT RESET and TARGET RESET leave a unit attention
//! condition for each initiator, if the adapter reports these.
//!
//! Assumptions: task management takes frame time and no time of a main processor. A target knows the commands that came by its own port, so a
//! reset of a device with two ports ends those at the port that was asked. A device that is reset ends its commands, and takes no time
//! besides. The protocol of two messages has no task management.

mod answers;
mod asks;

pub(crate) use answers::ManagedTasks;
