//! A trace of commands on a disk by itself.

use crate::command::{DiskCommand, Served};
use crate::disk::{Beyond, Disk};
use sansim_kernel::{Time, Total};

/// Serves commands, which come in the order of their arrivals, and tells what comes of each as it begins.
///
/// # Errors
/// At the first command for blocks that the disk does not have.
pub fn serve(
    disk: &mut Disk,
    trace: impl IntoIterator<Item = DiskCommand>,
    mut each: impl FnMut(&Disk, &Served),
) -> Result<(), Beyond> {
    let mut begin = |disk: &mut Disk, at: Time| {
        if let Some(served) = disk.begin(at) {
            each(disk, &served);
        }
    };
    for command in trace {
        while disk.next_event() < command.arrival {
            begin(disk, disk.next_event());
        }
        disk.submit(command)?;
    }
    while disk.waiting() > 0 {
        begin(disk, disk.next_event());
    }
    Ok(())
}

/// Sums over the commands of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommandSums {
    /// How many.
    pub commands: u64,
    /// From arrival to done.
    pub response: Total,
    /// From arrival until taken.
    pub wait: Total,
    /// From when the arm left until it was there.
    pub seek: Total,
    /// From then until the first block passed.
    pub rotation: Total,
    /// From then until the medium was done.
    pub transfer: Total,
}

impl CommandSums {
    /// One more.
    pub fn add(&mut self, served: &Served) {
        self.commands += 1;
        self.response += served.done - served.command.arrival;
        self.wait += served.begin - served.command.arrival;
        self.seek += served.seek_end - served.start;
        self.rotation += served.transfer_begin - served.seek_end;
        self.transfer += served.transfer_end - served.transfer_begin;
    }

    /// The mean of one of the sums, in milliseconds; 0 of no commands.
    pub fn mean_ms(&self, sum: Total) -> f64 {
        if self.commands == 0 { 0.0 } else { sum.as_s_f64() * 1e3 / self.commands as f64 }
    }
}
