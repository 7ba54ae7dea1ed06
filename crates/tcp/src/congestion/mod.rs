//! Congestion control: the bytes that a sender may have in flight, beside the window of the receiver.
//!
//! A sender begins in slow start: its window grows by the bytes that are acknowledged, until it reaches the threshold. From then on an
//! algorithm decides: [`CongestionControl`] lists them. The window shrinks when a segment is missing, when a time-out passes, and when the
//! receiver echoes the marks of switches (RFC 3168).
//!
//! Sources: RFC 5681 (slow start, congestion avoidance, restart after idle time), RFC 3465 (growth by bytes), RFC 6675 (recovery by selective
//! acknowledgements), RFC 9438 (CUBIC), RFC 8257 (DCTCP). The window grows only where it limited the sender, as in Linux (`tcp_is_cwnd_limited`): in slow start
//! while more than half of it is in use, and afterwards while all of it is.

mod cubic;
mod dctcp;

use cubic::Cubic;
use dctcp::Dctcp;
use sansim_kernel::{Span, Time};

sansim_schema::words! {
    /// The congestion control of senders.
    pub enum CongestionControl {
        /// None: only the window of the receiver limits the bytes in flight.
        Unlimited = "none",
        /// Reno (RFC 5681, RFC 6675).
        Reno = "reno",
        /// CUBIC, which grows by the time since the last loss (RFC 9438).
        Cubic = "cubic",
        /// DCTCP, which shrinks by the share of bytes that switches have marked (RFC 8257).
        Dctcp = "dctcp",
    }
}

/// The state that belongs to one algorithm.
#[derive(Clone, Debug)]
enum Algorithm {
    Reno,
    Cubic(Cubic),
    Dctcp(Dctcp),
}

/// An acknowledgement of new bytes, as congestion control sees it.
#[derive(Clone, Copy, Debug)]
pub struct NewAcknowledgement {
    /// The time of its arrival.
    pub now: Time,
    /// The number of bytes that it acknowledges.
    pub bytes: u64,
    /// The bytes that were in flight before it arrived.
    pub in_flight: u64,
    /// The place in the stream up to which it acknowledges.
    pub upto: u64,
    /// The place in the stream up to which bytes have been sent.
    pub sent_upto: u64,
    /// The smoothed round trip, or zero if none has been measured.
    pub round_trip: Span,
    /// Whether the receiver echoes the mark of a switch.
    pub echo: bool,
}

/// The congestion window of one direction of a connection.
#[derive(Clone, Debug)]
pub struct CongestionWindow {
    algorithm: Algorithm,
    segment: u64,
    initial: u64,
    window: u64,
    /// The slow start threshold.
    threshold: u64,
    /// The bytes acknowledged since the window last grew by a segment.
    acknowledged: u64,
    /// The place in the stream up to which the window is not made smaller once more for a mark.
    reduced_until: u64,
}

impl CongestionWindow {
    /// The window of a new connection with segments of this size, which begins with this number of them; none without congestion control.
    pub fn new(control: CongestionControl, segment: u64, initial_segments: u32) -> Option<Self> {
        let algorithm = match control {
            CongestionControl::Unlimited => return None,
            CongestionControl::Reno => Algorithm::Reno,
            CongestionControl::Cubic => Algorithm::Cubic(Cubic::default()),
            CongestionControl::Dctcp => Algorithm::Dctcp(Dctcp::default()),
        };
        let initial = segment * u64::from(initial_segments);
        Some(Self {
            algorithm,
            segment,
            initial,
            window: initial,
            threshold: u64::MAX,
            acknowledged: 0,
            reduced_until: 0,
        })
    }

    /// The bytes that may be in flight.
    pub fn bytes(&self) -> u64 {
        self.window
    }

    /// The slow start threshold; `u64::MAX` before the first loss.
    pub fn slow_start_threshold(&self) -> u64 {
        self.threshold
    }

    /// New bytes are acknowledged, outside of fast recovery. Returns whether the window was made smaller for a mark.
    pub fn bytes_acknowledged(&mut self, ack: &NewAcknowledgement) -> bool {
        if let Algorithm::Dctcp(dctcp) = &mut self.algorithm {
            dctcp.bytes_acknowledged(ack);
        }
        if ack.echo {
            return self.marks_echoed(ack);
        }
        let is_slow_start = self.window < self.threshold;
        let is_limited = if is_slow_start {
            2 * ack.in_flight > self.window
        } else {
            ack.in_flight + self.segment > self.window
        };
        if !is_limited {
            return false;
        }
        if is_slow_start {
            self.window = (self.window + ack.bytes).min(self.threshold);
            return false;
        }
        match &mut self.algorithm {
            Algorithm::Cubic(cubic) => self.window = cubic.grown(ack, self.window, self.segment),
            Algorithm::Reno | Algorithm::Dctcp(_) => {
                self.acknowledged += ack.bytes;
                while self.acknowledged >= self.window {
                    self.acknowledged -= self.window;
                    self.window += self.segment;
                }
            }
        }
        false
    }

    /// The receiver echoes marks: the window shrinks, at most once for the bytes of a window.
    fn marks_echoed(&mut self, ack: &NewAcknowledgement) -> bool {
        if ack.upto <= self.reduced_until {
            return false;
        }
        if let Algorithm::Dctcp(dctcp) = &self.algorithm {
            self.threshold = dctcp.reduced(self.window).max(2 * self.segment);
        } else {
            self.reduce(ack.in_flight);
        }
        (self.window, self.acknowledged, self.reduced_until) = (self.threshold, 0, ack.sent_upto);
        true
    }

    /// Sets the threshold to what a loss leaves of the bytes in flight.
    fn reduce(&mut self, in_flight: u64) {
        let left = match &mut self.algorithm {
            Algorithm::Cubic(cubic) => cubic.reduced(in_flight, self.window, self.segment),
            Algorithm::Reno | Algorithm::Dctcp(_) => in_flight / 2,
        };
        self.threshold = left.max(2 * self.segment);
    }

    /// A segment is missing: the window shrinks to what is left of the bytes in flight, without what was sent beyond it because segments had
    /// arrived behind the missing one (RFC 5681, 3.2; RFC 6675, 5).
    pub fn fast_recovery_begins(&mut self, in_flight: u64, sent_upto: u64) {
        self.reduce(in_flight.min(self.window));
        (self.window, self.acknowledged, self.reduced_until) = (self.threshold, 0, sent_upto);
    }

    /// Fast recovery is over.
    pub fn fast_recovery_ends(&mut self) {
        self.window = self.threshold;
    }

    /// A time-out has passed: slow start begins again with one segment. The threshold does not shrink for a further time-out of the same
    /// bytes (RFC 5681, 3.1).
    pub fn timed_out(&mut self, in_flight: u64, sent_upto: u64, is_first: bool) {
        if is_first {
            self.reduce(in_flight.min(self.window));
        }
        if let Algorithm::Cubic(cubic) = &mut self.algorithm {
            cubic.timed_out();
        }
        (self.window, self.acknowledged, self.reduced_until) = (self.segment, 0, sent_upto);
    }

    /// The sender sends again after it was idle for longer than its time-out (RFC 5681, 4.1).
    pub fn was_idle(&mut self) {
        self.window = self.window.min(self.initial);
    }
}

#[cfg(test)]
mod tests;
