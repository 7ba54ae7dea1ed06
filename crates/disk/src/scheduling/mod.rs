//! The order of a disk's queue: schedulers, which choose the next command (FCFS, SSTF, LOOK, SPTF and others).
//!
//! A scheduler sees the waiting commands and the position of the arm, and returns the index of the next command. Each scheduler is a file
//! here with its keys, and a line in the list below.

mod aged_sptf;
mod c_look;
mod fcfs;
mod look;
mod own_order;
mod sptf;
mod sstf;
mod v_scan;

pub use own_order::DISK_QUEUE;

use crate::command::DiskCommand;
use crate::geometry::BlockPosition;
use crate::mechanics::{Arm, Mechanics};
use sansim_kernel::{Span, Time, sweep};
use sansim_rules::{OwnRule, RuleTable};
use sansim_schema::{alternatives, words};
use std::collections::VecDeque;

words! {
    /// The measure by which a scheduler compares the places of commands.
    pub enum PositionCriterion {
        /// By cylinder: commands of one cylinder are equally near, and of equals the one that came first is next.
        Cylinder = "cylinder",
        /// By block number.
        Block = "block",
    }
}

/// A command that waits.
#[derive(Clone, Copy, Debug)]
pub struct QueuedCommand {
    /// The command.
    pub command: DiskCommand,
    /// The position of the command's first block.
    pub place: BlockPosition,
}

/// The input of a scheduler.
pub struct SchedulerView<'v> {
    /// The present time.
    pub now: Time,
    /// The position of the arm, or its position when it may leave.
    pub arm: Arm,
    /// The time since which the arm has been idle, or at which it will be.
    pub arm_free: Time,
    /// The block behind the last command.
    pub block: u64,
    /// The waiting commands in order of arrival; there is at least one.
    pub waiting: &'v VecDeque<QueuedCommand>,
    pub(crate) mechanics: &'v Mechanics,
    /// The times before the arm leaves for a read and for a write.
    pub(crate) overheads: [Span; 2],
}

impl SchedulerView<'_> {
    /// The index of the command with the least value; of equal commands the one that came first.
    fn least<V: PartialOrd>(&self, value: impl Fn(&QueuedCommand) -> Option<V>) -> Option<usize> {
        sweep::index_of_least(self.waiting, value)
    }

    /// The position of a command and that of the arm, as numbers of blocks or of cylinders.
    fn places(&self, one: &QueuedCommand, by: PositionCriterion) -> (u64, u64) {
        match by {
            PositionCriterion::Cylinder => (one.place.cylinder.into(), self.arm.cylinder.into()),
            PositionCriterion::Block => (one.command.lbn, self.block),
        }
    }

    /// The time, from when the arm may leave for a command, until its first block passes under the head.
    fn positioning(&self, one: &QueuedCommand) -> Span {
        let overhead = self.overheads[usize::from(one.command.write)];
        let leaves = self.now.max(self.arm_free).max(one.command.arrival + overhead);
        self.positioning_from(leaves, one)
    }

    /// The time until the first block of a command passes under the head, for an arm that leaves at an instant.
    fn positioning_from(&self, leaves: Time, one: &QueuedCommand) -> Span {
        self.mechanics.positioning_time(self.arm, leaves, &one.place, one.command.write)
    }
}

/// Chooses the next of the commands that wait.
pub trait CommandScheduler {
    /// The index of the command that is served next.
    fn next(&mut self, view: &SchedulerView<'_>) -> usize;
}

alternatives! {
    /// The order in which a drive serves its waiting commands.
    pub enum CommandOrder by "order", default "fcfs", source "ours: an order that favours no request",
    or Own(OwnRule => own_order::OwnCommandOrder) = (RuleTable(&DISK_QUEUE)) {
        Fcfs(fcfs::Fcfs) = "fcfs",
        Sstf(sstf::Sstf) = "sstf",
        Look(look::LookParameters => look::Look) = "look",
        CLook(c_look::CLook) = "c-look",
        VScan(v_scan::VScanParameters => v_scan::VScan) = "v-scan",
        Sptf(sptf::Sptf) = "sptf",
        AgedSptf(aged_sptf::AgedSptf) = "aged-sptf",
    }
    /// One of the schedulers, with what it remembers.
    pub enum AnyCommandScheduler: CommandScheduler {
        #[inline]
        fn next(&mut self, view: &SchedulerView<'_>) -> usize;
    }
    /// A scheduler of this order that has not chosen yet.
    pub fn scheduler();
}

impl Default for CommandOrder {
    fn default() -> Self {
        Self::Fcfs(fcfs::Fcfs {})
    }
}

#[cfg(test)]
mod tests;
