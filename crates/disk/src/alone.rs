//! Runs a trace of commands on a disk by itself.

use crate::command::{DiskCommand, ServedCommand};
use crate::disk::{BeyondEndError, Disk};
use sansim_kernel::{Time, Total};

/// Serves commands, which come in the order of their arrivals, and calls `each` with the outcome of each command as it begins.
///
/// # Errors
/// Fails at the first command for blocks that the disk does not have.
pub fn serve_commands(
    disk: &mut Disk,
    trace: impl IntoIterator<Item = DiskCommand>,
    mut each: impl FnMut(&Disk, &ServedCommand),
) -> Result<(), BeyondEndError> {
    let mut begin = |disk: &mut Disk, at: Time| {
        if let Some(served) = disk.begin_command(at) {
            each(disk, &served);
        }
    };
    for command in trace {
        while disk.next_event() < command.arrival {
            begin(disk, disk.next_event());
        }
        disk.submit_command(command)?;
    }
    while disk.waiting_command_count() > 0 {
        begin(disk, disk.next_event());
    }
    Ok(())
}

/// Sums over the commands of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommandSums {
    /// The number of commands.
    pub commands: u64,
    /// The time from arrival to the end of the command.
    pub response: Total,
    /// The time from arrival until the command left the queue.
    pub wait: Total,
    /// The time from when the arm left until it was in position.
    pub seek: Total,
    /// The time from the end of the seek until the first block passed.
    pub rotation: Total,
    /// The time from the first block until the medium was done.
    pub transfer: Total,
}

impl CommandSums {
    /// Adds the times of one more command.
    pub fn add(&mut self, served: &ServedCommand) {
        self.commands += 1;
        self.response += served.done - served.command.arrival;
        self.wait += served.begin - served.command.arrival;
        self.seek += served.seek_end - served.start;
        self.rotation += served.transfer_begin - served.seek_end;
        self.transfer += served.transfer_end - served.transfer_begin;
    }

    /// The mean of one of the sums, in milliseconds; 0 if there were no commands.
    pub fn mean_ms(&self, sum: Total) -> f64 {
        if self.commands == 0 { 0.0 } else { sum.as_s_f64() * 1e3 / self.commands as f64 }
    }
}
