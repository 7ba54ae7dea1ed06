//! An order of the queue of a disk by a rule of the user.

use super::{CommandScheduler, SchedulerView};
use sansim_kernel::TICKS_PER_NS;
use sansim_rules::{Decider, OwnRule};
use sansim_schema::decision;
use sansim_schema::decision::as_feature;

decision! {
    /// The choice of the waiting command that a disk serves next.
    pub static DISK_QUEUE = "disk-queue";
    /// The time, and the position of the arm.
    common ArmCircumstances {
        /// The time of the choice.
        now: "ns",
        /// Block behind the last command.
        position: "blocks",
        /// Cylinder of the arm.
        cylinder: "",
    }
    /// A command that waits; commands are in the order in which they arrived.
    each CommandFeatures {
        /// First block.
        block: "blocks",
        /// Number of blocks.
        blocks: "blocks",
        /// 1 for a write, 0 for a read.
        write: "",
        /// Cylinder of the first block.
        there: "",
        /// Time until the first block passes under the head, from when the arm may leave.
        positioning: "ns",
        /// Time since the command arrived.
        waiting: "ns",
    }
}

/// An order of the queue of a disk by a rule of the user.
#[derive(Clone, Debug)]
pub struct OwnCommandOrder(Decider);

impl From<OwnRule> for OwnCommandOrder {
    fn from(rule: OwnRule) -> Self {
        Self(Decider::from(rule))
    }
}

impl CommandScheduler for OwnCommandOrder {
    fn next(&mut self, view: &SchedulerView<'_>) -> usize {
        let now_ns = view.now.ticks() / TICKS_PER_NS;
        let features = self.0.view();
        let circumstances = ArmCircumstances {
            now: as_feature(now_ns),
            position: as_feature(view.block),
            cylinder: view.arm.cylinder.into(),
        };
        features.begin(&circumstances.values());
        for queued in view.waiting {
            let command = CommandFeatures {
                block: as_feature(queued.command.lbn),
                blocks: as_feature(queued.command.blocks),
                write: queued.command.write.into(),
                there: queued.place.cylinder.into(),
                positioning: as_feature(view.positioning(queued).ticks() / TICKS_PER_NS),
                waiting: as_feature(view.now.saturating_since(queued.command.arrival).ticks() / TICKS_PER_NS),
            };
            features.add_candidate(&command.values());
        }
        self.0.choose(now_ns)
    }
}
