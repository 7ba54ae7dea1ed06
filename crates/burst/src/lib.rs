//! Frame bursts keep a clock of their own.
//!
//! While plain data frames go in one direction through a circuit and nothing else happens at either end, the following steps are
//! determined: the times at which each frame starts and ends, is processed and stored, at which the next frame is fetched, and at which
//! R_RDYs are sent and arrive. Such a run of data frames is a *frame burst*. A frame burst is not simulated event by event. The clock of a
//! burst lags behind the calendar, which holds one event for the burst: a moment before which the burst affects no other component. An
//! input or a read at one of the burst's ends before that moment first brings the burst up to the present.
//!
//! * [`schedule`] - the times of the steps, which follow for each frame from the times of the frame before,
//!   by maxima and sums;
//! * [`frame_burst`] - the participants, the start, and how the ordinary state is set to the state that the schedule
//!   gives.
//!
//! A burst has no other copy of credit, buffers, queues or ledgers: during a burst these keep their values from its start, and the steps
//! that have passed are counted. A burst begins only where the schedule has every rule that could matter; all other cases are left to the
//! ordinary events, and both give the same results to the tick.

#![forbid(unsafe_code)]

pub mod frame_burst;
pub mod schedule;

pub use frame_burst::FrameBurst;
