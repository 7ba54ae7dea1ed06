//! An order of a queue by a rule of the user.

use super::{QueuedRequest, Scheduler};
use sansim_kernel::{TICKS_PER_NS, Time};
use sansim_request::Operation;
use sansim_rules::{Decider, OwnRule};
use sansim_schema::decision;
use sansim_schema::decision::as_feature;
use std::collections::VecDeque;

decision! {
    /// The choice of the waiting request that goes to a device next.
    pub static QUEUE = "queue";
    /// The time, and the position of the device.
    common QueueCircumstances {
        /// The time of the choice.
        now: "ns",
        /// Block behind the last request that went to the device.
        position: "blocks",
    }
    /// A request that waits; requests are in the order in which they arrived.
    each WaitingFeatures {
        /// First block.
        block: "blocks",
        /// Number of blocks.
        blocks: "blocks",
        /// Number of bytes.
        bytes: "bytes",
        /// 1 for a write, 0 for a read, 2 for a flush, 3 for a deallocation.
        operation: "",
        /// Time since the request arrived.
        waiting: "ns",
        /// Priority, of which 0 is the most urgent.
        priority: "",
        /// Number of the workload.
        workload: "",
        /// Number of the stream within the workload.
        stream: "",
        /// Place in the order of arrival at the queue, from the first request of the run.
        number: "",
    }
}

/// An order of a queue by a rule of the user.
#[derive(Clone, Debug)]
pub struct OwnOrder(Decider);

impl From<OwnRule> for OwnOrder {
    fn from(rule: OwnRule) -> Self {
        Self(Decider::from(rule))
    }
}

impl Scheduler for OwnOrder {
    fn next(&mut self, now: Time, position: u64, waiting: &VecDeque<QueuedRequest>) -> usize {
        let now_ns = now.ticks() / TICKS_PER_NS;
        let view = self.0.view();
        let circumstances = QueueCircumstances { now: as_feature(now_ns), position: as_feature(position) };
        view.begin(&circumstances.values());
        for request in waiting {
            let features = WaitingFeatures {
                block: as_feature(request.lba),
                blocks: as_feature(request.blocks),
                bytes: as_feature(request.bytes),
                operation: match request.operation {
                    Operation::Read => 0,
                    Operation::Write => 1,
                    Operation::Flush => 2,
                    Operation::Deallocate => 3,
                    Operation::CheckPath => 4,
                },
                waiting: as_feature((now - request.since).ticks() / TICKS_PER_NS),
                priority: request.priority.into(),
                workload: request.stream.0.into(),
                stream: request.stream.1.into(),
                number: as_feature(request.number),
            };
            view.add_candidate(&features.values());
        }
        self.0.choose(now_ns)
    }
}
