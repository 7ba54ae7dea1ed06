//! A port of a loop switch: its state, the items that it has received, and those that it transmits.

use crate::word::{FillWord, Item};
use sansim_kernel::{Span, Time};
use std::collections::VecDeque;

/// The activity of a port of the switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The port closes its segment in itself: received items go back into the segment.
    Closed,
    /// The port arbitrates in its segment for the opener at this port.
    Seeking(usize),
    /// The crossbar joins it to this port.
    Joined(usize),
}

/// An OPN that has come in and has not been passed on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) item: Item,
    /// The station that sent it.
    pub(super) opener: usize,
    /// The port that it is for; none if no station has that address.
    pub(super) to: Option<usize>,
    /// The arrival time of the OPN.
    pub(super) since: Time,
    /// The end of the look-up.
    pub(super) known_at: Time,
    /// Whether the OPN is in the queue of its destination port.
    pub(super) queued: bool,
}

/// An item that waits to be transmitted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    pub(super) item: Item,
    pub(super) not_before: Time,
}

/// Fill words between an item that was delayed in the switch and the next: what any receiver of a repeated word must accept
/// (fact sheet of Fibre Channel, 2.3).
const FILL_BETWEEN_DELAYED: u64 = 2;
/// Words that IDLE stays for (XMIT_2_IDLES).
const IDLES_AFTER_CHANGE: u64 = 2;

/// See the module text.
#[derive(Clone, Debug)]
pub(super) struct SwitchPort {
    pub(super) word: Span,
    pub(super) mode: Mode,
    /// The fill word that comes in.
    pub(super) received: FillWord,
    /// The fill word that goes out, and since when.
    pub(super) sent: FillWord,
    pub(super) sent_since: Time,
    /// The end of the current item, from which on the next may go.
    pub(super) free_at: Time,
    pub(super) earliest: Time,
    /// Items to be transmitted, in order.
    pub(super) store: VecDeque<Stored>,
    /// The next slot for which the port asked.
    pub(super) wake_at: Time,
    /// An ARB of a station of its segment went back to it: that station has won, or will.
    pub(super) won: bool,
    /// The OPN of a station of its segment that has not been passed on.
    pub(super) held: Option<Held>,
    /// The items that arrived after the OPN.
    pub(super) behind: VecDeque<Item>,
    /// Whether the port has answered an OPN with CLS and waits for the CLS of the opener.
    pub(super) refusing: bool,
    /// Whether the station of the port has yielded to contenders for the port, which are next.
    pub(super) yields: bool,
    /// The last time that two openers wanted each other and one had come by this port, that one was refused.
    pub(super) gave_way: bool,
    /// In a conversation, whether its station has sent CLS.
    pub(super) closing: bool,
    /// In a conversation, whether a CLS has passed from its segment to the other.
    pub(super) closed: bool,
    /// In a conversation that began at this port, whether the conversation counts.
    pub(super) counts: bool,
    /// At a trunk: an OPN went out by it later than one came in.
    pub(super) had_trunk: bool,
    /// The ports whose OPNs wait for it, in the order in which they came.
    pub(super) queue: Vec<usize>,
    /// Until when it listens whether one of its stations wants something before it serves its queue.
    pub(super) listens_until: Time,
    /// Since when an ARB of one of its stations comes in that was not let go.
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

    /// The earliest slot in which another fill word may go out: no item does, and the present one has had its words.
    pub(super) fn fill_may_change_at(&self) -> Time {
        let stays = if self.sent == FillWord::Idle { IDLES_AFTER_CHANGE } else { 1 };
        self.free_at.max(self.sent_since + self.word * stays)
    }

    /// The earliest slot in which an item may go out: not behind half of a fill word.
    pub(super) fn item_may_go_at(&self) -> Time {
        self.earliest.max(self.free_at).max(self.sent_since + self.word)
    }

    /// An item goes out from this slot on.
    pub(super) fn item_goes(&mut self, now: Time, item: &Item, delayed: bool) {
        self.free_at = now + self.word * item.words();
        let fill_words = if delayed { FILL_BETWEEN_DELAYED } else { 0 };
        self.earliest = self.free_at + self.word * fill_words;
    }
}
