//! A port of a loop switch: its state, the items that it has received, and the items that it transmits.

use crate::word::{FillWord, LinkItem};
use sansim_kernel::{Span, Time};
use std::collections::VecDeque;

/// The activity of a port of the switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The port closes its segment in itself: received items go back into the segment.
    Closed,
    /// The port arbitrates in its segment for the opener at this port.
    Seeking(usize),
    /// The crossbar joins the port to the port with this number.
    Joined(usize),
}

/// An OPN that has arrived and has not been passed on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) item: LinkItem,
    /// The station that sent the OPN.
    pub(super) opener: usize,
    /// The port for which the OPN is meant; none if no station has that address.
    pub(super) to: Option<usize>,
    /// The arrival time of the OPN.
    pub(super) since: Time,
    /// The time at which the look-up ends.
    pub(super) known_at: Time,
    /// Whether the OPN is in the queue of its destination port.
    pub(super) queued: bool,
}

/// An item that waits to be transmitted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    pub(super) item: LinkItem,
    pub(super) not_before: Time,
}

/// The number of fill words between an item that was delayed in the switch and the next item, which any receiver of a
/// repeated word must accept (fact sheet of Fibre Channel, 2.3).
const FILL_BETWEEN_DELAYED: u64 = 2;
/// The number of words for which IDLE is sent (XMIT_2_IDLES).
const IDLES_AFTER_CHANGE: u64 = 2;

/// A port of a loop switch.
#[derive(Clone, Debug)]
pub(super) struct SwitchPort {
    pub(super) word: Span,
    pub(super) mode: Mode,
    /// The fill word that arrives at the port.
    pub(super) received: FillWord,
    /// The fill word that the port sends, and the time since which it does.
    pub(super) sent: FillWord,
    pub(super) sent_since: Time,
    /// The end of the current item, after which the next item may be sent.
    pub(super) free_at: Time,
    pub(super) earliest: Time,
    /// Items to be transmitted, in order.
    pub(super) store: VecDeque<Stored>,
    /// The next slot for which the port asked.
    pub(super) wake_at: Time,
    /// An ARB of a station of the port's segment was sent back: that station has won, or will win.
    pub(super) won: bool,
    /// The OPN of a station of the port's segment that has not been passed on.
    pub(super) held: Option<Held>,
    /// The items that arrived after the OPN that is held.
    pub(super) behind: VecDeque<LinkItem>,
    /// Whether the port has answered an OPN with CLS and waits for the CLS of the opener.
    pub(super) refusing: bool,
    /// Whether the station of the port has yielded to contenders for the port, which are served next.
    pub(super) yields: bool,
    /// Whether, the last time that two openers wanted each other and one of them had come by this port, that
    /// opener was refused.
    pub(super) gave_way: bool,
    /// In a conversation, whether the station of the port has sent CLS.
    pub(super) closing: bool,
    /// In a conversation, whether a CLS has passed from the port's segment to the other segment.
    pub(super) closed: bool,
    /// In a conversation that began at this port, whether the conversation counts.
    pub(super) counts: bool,
    /// At a trunk, whether an OPN was sent by this port later than an OPN arrived at it.
    pub(super) had_trunk: bool,
    /// The ports whose OPNs wait for this port, in the order in which they came.
    pub(super) queue: Vec<usize>,
    /// The time until which the port waits for requests of its own stations before it serves its queue.
    pub(super) listens_until: Time,
    /// The time since which an ARB of a station of the port arrives that was not sent back.
    pub(super) asked_since: Time,
}

impl SwitchPort {
    pub(super) fn new(word: Span, ports: usize, had_trunk: bool) -> Self {
        Self {
            word,
            mode: Mode::Closed,
            received: FillWord::Idle,
            sent: FillWord::Idle,
            sent_since: Time::ZERO,
            free_at: Time::ZERO,
            earliest: Time::ZERO,
            store: VecDeque::with_capacity(64),
            wake_at: Time::NEVER,
            won: false,
            held: None,
            behind: VecDeque::with_capacity(64),
            refusing: false,
            yields: false,
            gave_way: false,
            closing: false,
            closed: false,
            counts: false,
            had_trunk,
            queue: Vec::with_capacity(ports),
            listens_until: Time::ZERO,
            asked_since: Time::NEVER,
        }
    }

    /// The earliest slot in which another fill word may be sent: no item is being sent, and the present fill word
    /// has been sent for its least time.
    pub(super) fn fill_may_change_at(&self) -> Time {
        let stays = if self.sent == FillWord::Idle { IDLES_AFTER_CHANGE } else { 1 };
        self.free_at.max(self.sent_since + self.word * stays)
    }

    /// The earliest slot in which an item may be sent: not within a word of the last change of the fill word.
    pub(super) fn item_may_go_at(&self) -> Time {
        self.earliest.max(self.free_at).max(self.sent_since + self.word)
    }

    /// The port sends an item from this slot on.
    pub(super) fn item_goes(&mut self, now: Time, item: &LinkItem, delayed: bool) {
        self.free_at = now + self.word * item.length_in_words();
        let fill_words = if delayed { FILL_BETWEEN_DELAYED } else { 0 };
        self.earliest = self.free_at + self.word * fill_words;
    }
}
