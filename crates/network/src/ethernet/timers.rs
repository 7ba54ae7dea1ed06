//! The timers of an Ethernet, and the order of its events at one moment.

use sansim_component::{Context, EventTurn, Timer};
use sansim_kernel::{EventKey, Time};

/// The kinds of timers.
pub(crate) mod timer {
    /// A device may act on a frame that a port has sent.
    pub const ARRIVES: u8 = 0;
    /// A port has sent the last byte of a frame.
    pub const LEFT: u8 = 1;
    /// The software of a node is done with a job.
    pub const WORKED: u8 = 2;
    /// An adapter stops waiting for more frames before it interrupts.
    pub const GATHERED: u8 = 3;
    /// A receiver acknowledges a stream.
    pub const ACKNOWLEDGES: u8 = 4;
    /// A sender has waited for an acknowledgement of a stream for too long.
    pub const TIME_OUT: u8 = 5;
    /// A pause frame has arrived.
    pub const PAUSE: u8 = 6;
    /// A slow node has taken a frame.
    pub const TAKEN: u8 = 7;
    /// The rate of a flow of RDMA allows its next packet.
    pub const PACES: u8 = 8;
    /// The rate of a flow of RDMA rises by a step.
    pub const RATE_RISES: u8 = 9;
    /// Switches use the paths over the links that work now.
    pub const CONVERGED: u8 = 10;
    /// More than the number of kinds.
    pub const KINDS: u32 = 16;
}

/// Arrivals are handled before decisions of ports at the same moment, and decisions come after the actions of
/// nodes.
const ARRIVES: u8 = 1;
const DECIDES: u8 = 3;

/// The number of events of one kind at one moment that have different numbers. No more streams than this
/// number have an event of one kind at one moment.
const MOST_UNITS: u32 = 1 << 20;

fn turn(what: u8, number: u32) -> EventTurn {
    let priority =
        if matches!(what, timer::ARRIVES | timer::PAUSE | timer::CONVERGED) { ARRIVES } else { DECIDES };
    // Among events of one kind at one moment events with a lower number come first.
    EventTurn { priority, unit: u32::from(what) + timer::KINDS * (number % MOST_UNITS) }
}

/// Timers of an Ethernet.
pub(crate) trait Timers {
    /// Sets a timer that may be cancelled.
    fn wake(&mut self, at: Time, what: u8, number: u32) -> EventKey;

    /// Sets a timer that is never cancelled.
    fn wake_once(&mut self, at: Time, what: u8, number: u32);
}

impl Timers for Context<'_> {
    fn wake(&mut self, at: Time, what: u8, number: u32) -> EventKey {
        self.set_cancellable_timer(at, turn(what, number), Timer { what, place: 0, number })
    }

    fn wake_once(&mut self, at: Time, what: u8, number: u32) {
        self.set_timer(at, turn(what, number), Timer { what, place: 0, number });
    }
}
