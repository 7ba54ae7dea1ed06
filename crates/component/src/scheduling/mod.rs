//! Scheduling: which of the requests that wait for a device is the next one it is asked for.
//!
//! A scheduler is a policy: it has neither ports nor timers. It is shown the queue of a device as it is, and says which request by
//! its place. Each is a file here with its keys, and a line in [`schedulers!`] below; scenarios name it by its word. Whoever keeps
//! requests waiting has a [`Queue`] for each device.

mod c_look;
mod deadline;
mod fcfs;
mod look;
mod priority;
mod queue;
mod round_robin;
mod shortest_seek;

pub use queue::{Chains, Queue, Waiting};

use sansim_kernel::Time;
use std::collections::VecDeque;

/// Chooses the next of the requests that wait for a device.
pub trait Scheduler {
    /// The place of the one that is next. `waiting` are in the order in which they came; there is at least one. `position` is the
    /// block behind the last request that was passed on.
    fn next(&mut self, now: Time, position: u64, waiting: &VecDeque<Waiting>) -> usize;
}

/// Declares the schedulers: the word in scenarios, the keys, the type, and what it does.
macro_rules! schedulers {
    ($($(#[doc = $doc:literal])+ $name:ident = $word:literal: $parameters:ty => $scheduler:ty,)+) => {
        sansim_describe::variants! {
            /// In which order the requests that wait for a device are passed on.
            pub enum Order by "order", default "fcfs", source "ours: an order that favours nobody" {
                $($(#[doc = $doc])* $name($parameters) = $word,)+
            }
        }

        /// One of the schedulers, with what it remembers.
        #[derive(Clone, Debug)]
        pub enum AnyScheduler {
            $($(#[doc = $doc])+ $name($scheduler),)+
        }

        impl Order {
            /// A scheduler of this order that has not chosen yet.
            pub fn scheduler(&self) -> AnyScheduler {
                match self {
                    $(Self::$name(parameters) => AnyScheduler::$name(<$scheduler>::from(parameters)),)+
                }
            }
        }

        impl Scheduler for AnyScheduler {
            #[inline]
            fn next(&mut self, now: Time, position: u64, waiting: &VecDeque<Waiting>) -> usize {
                match self {
                    $(Self::$name(scheduler) => scheduler.next(now, position, waiting),)+
                }
            }
        }
    };
}

schedulers! {
    /// First come, first served.
    Fcfs = "fcfs": fcfs::FcfsParameters => fcfs::Fcfs,
    /// The next one upwards, and from the last one back to the first: C-LOOK, an elevator that carries only upwards.
    CLook = "c-look": c_look::CLookParameters => c_look::CLook,
    /// The next one in the direction of the last, and back where there is none: LOOK, the elevator.
    Look = "look": look::LookParameters => look::Look,
    /// The nearest one to the last.
    ShortestSeek = "shortest-seek": shortest_seek::ShortestSeekParameters => shortest_seek::ShortestSeek,
    /// In batches upwards, reads before writes, none much later than its deadline.
    Deadline = "deadline": deadline::DeadlineParameters => deadline::Deadline,
    /// The one of the most urgent stream.
    Priority = "priority": priority::PriorityParameters => priority::Priority,
    /// One of each stream in turn.
    RoundRobin = "round-robin": round_robin::RoundRobinParameters => round_robin::RoundRobin,
}

impl Default for Order {
    fn default() -> Self {
        Self::Fcfs(fcfs::FcfsParameters {})
    }
}

/// The place of the one with the least value; of equals the one that came first.
fn least<V: Ord>(waiting: &VecDeque<Waiting>, value: impl Fn(&Waiting) -> Option<V>) -> Option<usize> {
    let valued = waiting.iter().enumerate().filter_map(|(place, one)| Some((value(one)?, place)));
    valued.min().map(|(_, place)| place)
}

#[cfg(test)]
mod tests;
