//! Buffer-to-buffer credit of a link: how many frames may be sent.
//!
//! Source: FC-FS. At login each end announces how many buffers it has for the other. A frame uses one credit, an R_RDY returns one. The
//! arrival times of R_RDYs in flight are known, so an R_RDY needs no event unless something waits for it.

use sansim_kernel::Time;
use std::collections::VecDeque;

/// The buffer-to-buffer credit of one transmitter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkCredit {
    login: u32,
    available: u32,
    /// The arrival times of the R_RDYs in flight, in order.
    coming: VecDeque<Time>,
}

impl LinkCredit {
    /// The credit of a transmitter towards a port that has this number of buffers.
    pub fn at_buffer_count(buffers: u32) -> Self {
        Self { login: buffers, available: buffers, coming: VecDeque::new() }
    }

    /// The credit agreed at login.
    pub fn at_login(&self) -> u32 {
        self.login
    }

    /// The number of frames that may be sent now.
    #[inline]
    pub fn available_credit(&mut self, now: Time) -> u32 {
        while self.coming.front().is_some_and(|&at| at <= now) {
            self.coming.pop_front();
            self.available += 1;
        }
        self.available
    }

    /// The number of frames that may be sent at this time, without applying the R_RDYs that have arrived.
    pub fn credit_at(&self, now: Time) -> u32 {
        self.available + self.coming.partition_point(|&at| at <= now) as u32
    }

    /// The arrival time of the next R_RDY in flight.
    pub fn next_ready_arrival(&self) -> Option<Time> {
        self.coming.front().copied()
    }

    /// A frame is sent, which uses one credit. Call this function only while credit is available.
    #[inline]
    pub fn use_credit(&mut self) {
        debug_assert!(self.available > 0, "frame sent without credit");
        self.available -= 1;
    }

    /// An R_RDY will arrive at this time, after the R_RDYs before it.
    #[inline]
    pub fn ready_will_arrive(&mut self, at: Time) {
        debug_assert!(self.coming.back().is_none_or(|&last| last <= at), "R_RDYs overtake each other");
        self.coming.push_back(at);
    }

    /// Resets the credit to the state at login, except for this many buffers that are still occupied.
    pub fn reset_credit(&mut self, taken: u32) {
        self.available = self.login.saturating_sub(taken);
        self.coming.clear();
    }

    /// The credit that has been used and has not come back; R_RDYs in flight count as credit that has come
    /// back.
    pub fn outstanding_credit(&self) -> u32 {
        (self.login).saturating_sub(self.available + self.coming.len() as u32)
    }
}
