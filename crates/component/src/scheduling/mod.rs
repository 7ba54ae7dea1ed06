//! The order of the queue of a device: schedulers, which choose the next request (FCFS, SSTF, LOOK and others).
//!
//! A scheduler is a policy: it has neither ports nor timers. A scheduler sees the queue of a device, and returns the index of a request.
//! Each scheduler is a file in this directory with its keys, and a line in the list below; scenarios name a scheduler by its word. A
//! component that lets requests wait has a [`Queue`] for each device.

mod c_look;
mod deadline;
mod fcfs;
mod look;
mod own_order;
mod priority;
mod queue;
mod round_robin;
mod shortest_seek;

pub use own_order::QUEUE;
pub use queue::{MergedChains, Queue, QueuedRequest};

use sansim_kernel::Time;
use sansim_rules::{OwnRule, RuleTable};
use sansim_schema::alternatives;
use std::collections::VecDeque;

/// A scheduler: it chooses the next of the requests that wait for a device.
pub trait Scheduler {
    /// The index of the next request. `waiting` has at least one request, in the order of arrival. `position` is the block after the last
    /// request that was passed on.
    fn next(&mut self, now: Time, position: u64, waiting: &VecDeque<QueuedRequest>) -> usize;
}

alternatives! {
    /// The order in which the driver passes on the requests that wait for a device.
    pub enum QueueOrder by "order", default "fcfs", source "ours: an order that favours no request",
    or Own(OwnRule => own_order::OwnOrder) = (RuleTable(&QUEUE)) {
        Fcfs(fcfs::Fcfs) = "fcfs",
        CLook(c_look::CLook) = "c-look",
        Look(look::LookParameters => look::Look) = "look",
        ShortestSeek(shortest_seek::ShortestSeek) = "shortest-seek",
        Deadline(deadline::DeadlineParameters => deadline::Deadline) = "deadline",
        Priority(priority::ByPriority) = "priority",
        RoundRobin(round_robin::RoundRobinParameters => round_robin::RoundRobinStreams) = "round-robin",
    }
    /// One of the schedulers, with its state.
    pub enum AnyScheduler: Scheduler {
        #[inline]
        fn next(&mut self, now: Time, position: u64, waiting: &VecDeque<QueuedRequest>) -> usize;
    }
    /// A scheduler of this order that has not chosen yet.
    pub fn scheduler();
}

impl Default for QueueOrder {
    fn default() -> Self {
        Self::Fcfs(fcfs::Fcfs {})
    }
}

#[cfg(test)]
mod tests;
