//! Circuits that keep their own clock.
//!
//! While plain data frames go one way through a circuit and nothing else happens at either end, all that follows is known: when each
//! frame starts and ends, when it is processed and stored, when the next is fetched, when R_RDYs go and come. Such a run of frames is
//! a *train*. It is not played event by event. Its clock lags behind the calendar, which holds one event for it: a moment before
//! which it concerns nobody else. Whoever comes to one of its ends before that has it brought up to the present first.
//!
//! * [`course`] - the times, each frame's from those of the frame before, by maxima and sums;
//! * [`train`] - who is in it, what it starts from, and how the ordinary state is brought to where the times say it is.
//!
//! There is no other copy of credit, buffers, queues or ledgers: while a train goes on they are as they were, and what has passed is
//! counted. A train only begins where every rule that could matter is one that the course knows; everything else is left to the
//! ordinary events, and both give the same to the tick.

#![forbid(unsafe_code)]

pub mod frame_burst;
pub mod schedule;

pub use frame_burst::FrameBurst;
