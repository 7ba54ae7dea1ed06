//! Circuits that keep their own clock.
//!
//! While plain data frames go in one direction through a circuit and nothing else happens at either end, all that follows is known: when each frame
//! starts and ends, when it is processed and stored, when the next is fetched, when R_RDYs go and come. Such a run of frames is a *frame burst*. It
//! is not played event by event. Its clock lags behind the calendar, which holds one event for it: a moment before which it affects no other
//! component. An input or a read at one of its ends before that brings it up to the present first.
//!
//! * [`schedule`] - the times, each frame's from those of the frame before, by maxima and sums;
//! * [`frame_burst`] - the participants, the start, and how the ordinary state is brought to where the times say it is.
//!
//! There is no other copy of credit, buffers, queues or ledgers: during a burst they are as they were, and the steps that have passed are counted. A
//! burst only begins where every rule that could matter is one that the schedule knows; everything else is left to the ordinary events, and both give
//! the same to the tick.

#![forbid(unsafe_code)]

pub mod frame_burst;
pub mod schedule;

pub use frame_burst::FrameBurst;
