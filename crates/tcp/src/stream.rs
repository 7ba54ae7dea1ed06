//! The bytes of one direction of a TCP connection: the bytes that the sender may send next, and the bytes that the
//! receiver has.
//!
//! Sources: RFC 793 (window, cumulative acknowledgement), RFC 1122 (delayed acknowledgement), RFC 5681 and 6582 (fast retransmit, and one
//! segment for each acknowledgement that reports a further gap). The window belongs to the receiver and is always whole: the receiver has
//! room for all bytes in flight.
//!
//! With congestion control ([`crate::congestion`]) the sender has a window of its own besides, acknowledgements report the bytes beyond gaps
//! (RFC 2018), from which the sender concludes what is lost and what is in flight (RFC 6675, [`crate::scoreboard`]), and it measures the round
//! trip ([`crate::round_trip`]) by segments that it has sent once. A segment that is lost twice is found by the time-out.
//!
//! Marks: a switch marks a segment, the receiver echoes the mark (for DCTCP exactly as it came, else until the sender says that it has made
//! its window smaller), and the sender says so with its next segment (RFC 3168, RFC 8257).
//!
//! A segment has bytes of only one unit of a protocol, as if the end of each unit was pushed: the number of segments therefore follows
//! from sizes alone. A unit that joins the next one (the data of a read in NVMe/TCP, before the response) is not pushed: its last bytes wait
//! for those of the next.

use crate::congestion::{CongestionControl, CongestionWindow, NewAcknowledgement};
use crate::gaps::BeyondGaps;
use crate::round_trip::RoundTrip;
use crate::scoreboard::{Blocks, Scoreboard};
use sansim_kernel::{Span, Time};
use sansim_pdu::Pdu;
use std::collections::VecDeque;

/// A message, which is a frame of FCP as far as the ends are concerned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TcpMessage {
    /// The unit that was handed over.
    pub frame: Pdu,
    /// The place in the stream of the message's first byte.
    pub begin: u64,
    /// The place in the stream behind the message's last byte.
    pub end: u64,
}

/// The bytes of a stream in a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamPiece {
    /// The place in the stream of the piece's first byte.
    pub begin: u64,
    /// The place in the stream behind the piece's last byte.
    pub end: u64,
    /// Whether the piece has been sent before.
    pub again: bool,
}

/// The reason why a sender does not send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SenderWait {
    /// There are no bytes to send, or the rest of a segment has not been handed over.
    ForBytes,
    /// The bytes in flight fill the window.
    ForWindow,
}

/// The action of the sender after an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SenderReaction {
    /// The acknowledgement contains nothing new.
    Nothing,
    /// The acknowledgement reports more received bytes than before.
    More,
    /// A piece is missing at the receiver, and is to be sent again.
    Missing(StreamPiece),
    /// No bytes are acknowledged up to a new place, but some may have arrived beyond a gap, so more may be sent.
    MayBeMore,
}

/// An acknowledgement as the sender gets it.
#[derive(Clone, Copy, Debug)]
pub struct Acknowledgement {
    /// The time of its arrival.
    pub now: Time,
    /// The place in the stream up to which all bytes have arrived.
    pub upto: u64,
    /// Whether no data came with the acknowledgement.
    pub is_alone: bool,
    /// Whether the receiver echoes the mark of a switch.
    pub echo: bool,
    /// Bytes that have arrived beyond a gap.
    pub blocks: Blocks,
}

/// The time at which the receiver acknowledges a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcknowledgementTiming {
    /// The receiver acknowledges at once: the segment is out of order, came before, closes a gap, or is the
    /// last of `ack_every` segments.
    Now,
    /// The receiver acknowledges after a while, or with data in the other direction.
    Later,
}

/// The common rules of all streams.
#[derive(Clone, Copy, Debug)]
pub struct StreamRules {
    /// The most bytes of a segment.
    pub segment: u64,
    /// The most bytes in flight.
    pub window: u64,
    /// The number of segments after which the receiver acknowledges.
    pub ack_every: u32,
    /// The number of acknowledgements with nothing new after which a segment is sent again.
    pub duplicates: u32,
    /// The congestion control of senders.
    pub congestion: CongestionControl,
    /// The segments with which a congestion window begins.
    pub initial_segments: u32,
    /// The first time-out.
    pub time_out: Span,
    /// The least time-out; without it the time-out does not follow the round trip.
    pub least_time_out: Option<Span>,
}

/// The bytes that a sender sends again, until all bytes up to a place are acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Recovery {
    /// Nothing.
    #[default]
    Done,
    /// Without congestion control: one segment for each acknowledgement that reports a further gap.
    Gaps { until: u64 },
    /// The bytes that are lost by what has arrived behind them.
    Fast { until: u64 },
    /// All bytes that have not arrived, after a time-out.
    AfterTimeOut { until: u64 },
}

/// One direction of a TCP connection.
#[derive(Clone, Debug, Default)]
pub struct TcpStream {
    /// Messages that have not been delivered, in order.
    pub messages: VecDeque<TcpMessage>,
    /// The number of undelivered messages whose sending has begun.
    pub begun: usize,
    /// The number of undelivered messages that have been sent completely.
    pub sent: usize,
    /// The ends of sequences that have not been acknowledged.
    ends: VecDeque<u64>,
    /// The number of bytes that were handed over.
    pub handed: u64,
    /// The number of bytes that were sent for the first time.
    pub next: u64,
    /// The number of bytes that were acknowledged.
    pub acked: u64,
    duplicates: u32,
    recovery: Recovery,
    congestion: Option<CongestionWindow>,
    scoreboard: Scoreboard,
    round_trip: RoundTrip,
    /// The segments that were sent once and are not acknowledged: where each ends, and when it was sent.
    timed: VecDeque<(u64, Time)>,
    last_sent: Time,
    /// Whether the next segment says that the window has been made smaller.
    says_reduced: bool,
    /// At the receiver: whether it echoes a mark.
    echoes: bool,
    /// At the receiver: the bytes received without a gap, and the ranges beyond.
    pub received: u64,
    ahead: BeyondGaps,
    /// The number of segments that have arrived since the last acknowledgement.
    unacknowledged: u32,
}

impl TcpStream {
    /// A stream on which nothing has been sent.
    pub fn new(rules: &StreamRules) -> Self {
        let congestion = CongestionWindow::new(rules.congestion, rules.segment, rules.initial_segments);
        Self { congestion, ..Self::default() }
    }

    /// A message of this number of bytes is handed over.
    pub fn send_message(&mut self, rules: &StreamRules, now: Time, frame: Pdu, bytes: u64) {
        let is_idle = self.is_all_acknowledged() && self.handed == self.next;
        if is_idle
            && now.saturating_since(self.last_sent) > self.time_out(rules)
            && let Some(congestion) = &mut self.congestion
        {
            congestion.was_idle();
        }
        let begin = self.handed;
        self.handed += bytes;
        self.messages.push_back(TcpMessage { frame, begin, end: self.handed });
        if frame.last_of_unit && !frame.stream_part.joins_next() {
            self.ends.push_back(self.handed);
        }
    }

    /// The end of the sequence that has the byte at a place; none if that end has not been handed over.
    fn end_behind(&self, place: u64) -> Option<u64> {
        self.ends.get(self.ends.partition_point(|&end| end <= place)).copied()
    }

    /// Whether the windows of receiver and sender allow a piece.
    fn may_send(&self, rules: &StreamRules, piece: StreamPiece) -> bool {
        let has_room =
            |window: &CongestionWindow| self.in_flight() + piece.end - piece.begin <= window.bytes();
        piece.end - self.acked <= rules.window && self.congestion.as_ref().is_none_or(has_room)
    }

    /// The bytes in the network, as far as the sender knows.
    fn in_flight(&self) -> u64 {
        self.scoreboard.in_flight(self.acked, self.next)
    }

    /// The congestion window in bytes; none without congestion control.
    pub fn congestion_window(&self) -> Option<u64> {
        self.congestion.as_ref().map(CongestionWindow::bytes)
    }

    /// The time for which the sender waits for an acknowledgement.
    pub fn time_out(&self, rules: &StreamRules) -> Span {
        rules.least_time_out.map_or(rules.time_out, |least| self.round_trip.time_out(rules.time_out, least))
    }

    /// The next piece to send, apart from pieces that are sent again because they are missing. `is_stuck` says that no more bytes are
    /// handed over until something has been sent.
    ///
    /// # Errors
    ///
    /// The error is the reason why no piece may be sent.
    pub fn next_piece(&self, rules: &StreamRules, is_stuck: bool) -> Result<StreamPiece, SenderWait> {
        if self.recovery != Recovery::Done
            && let Some((begin, end)) = self.scoreboard.next_lost(self.acked)
        {
            let piece = self.piece_again(rules, begin, end);
            return if self.may_send(rules, piece) { Ok(piece) } else { Err(SenderWait::ForWindow) };
        }
        let end = match self.end_behind(self.next) {
            Some(end) => end.min(self.next + rules.segment),
            None => self.handed.min(self.next + rules.segment),
        };
        let is_short = end - self.next < rules.segment && self.end_behind(self.next) != Some(end);
        if end == self.next || (is_short && !is_stuck) {
            return Err(SenderWait::ForBytes);
        }
        let piece = StreamPiece { begin: self.next, end, again: false };
        if self.may_send(rules, piece) { Ok(piece) } else { Err(SenderWait::ForWindow) }
    }

    /// A piece is sent.
    pub fn piece_sent(&mut self, rules: &StreamRules, now: Time, piece: StreamPiece) {
        self.last_sent = now;
        if piece.again {
            self.scoreboard.sent_again(piece.end);
            return;
        }
        self.next = piece.end;
        if self.congestion.is_some() || rules.least_time_out.is_some() {
            self.timed.push_back((piece.end, now));
        }
    }

    /// The message that waits for the window, if nothing of its request is nearer to the receiver.
    pub fn waits_for_window(&self) -> Option<Pdu> {
        let first = self.messages.get(self.begun).filter(|message| message.begin >= self.next)?;
        let before = self.begun.checked_sub(1).and_then(|place| self.messages.get(place));
        before.is_none_or(|before| before.frame.tag != first.frame.tag).then_some(first.frame)
    }

    /// Whether all that was sent has been acknowledged.
    pub fn is_all_acknowledged(&self) -> bool {
        self.acked == self.next
    }

    /// The segment that begins at a place, ends at another at the latest, and has been sent before.
    fn piece_again(&self, rules: &StreamRules, begin: u64, end: u64) -> StreamPiece {
        let end = (begin + rules.segment).min(end);
        let end = self.end_behind(begin).map_or(end, |sequence| end.min(sequence));
        StreamPiece { begin, end, again: true }
    }

    /// An acknowledgement has arrived.
    pub fn acknowledgement_arrived(&mut self, rules: &StreamRules, ack: &Acknowledgement) -> SenderReaction {
        if self.congestion.is_some() {
            return self.acknowledged_with_control(rules, ack);
        }
        if ack.upto > self.acked {
            self.bytes_acknowledged(ack);
            return match self.recovery {
                Recovery::Gaps { until } if ack.upto < until => self.missing(rules),
                _ => {
                    self.recovery = Recovery::Done;
                    SenderReaction::More
                }
            };
        }
        if !self.is_duplicate(ack) || self.recovery != Recovery::Done {
            return SenderReaction::Nothing;
        }
        self.duplicates += 1;
        if self.duplicates < rules.duplicates {
            return SenderReaction::Nothing;
        }
        self.timed_out(rules)
    }

    /// Whether an acknowledgement says that a segment has arrived, and acknowledges nothing new.
    fn is_duplicate(&self, ack: &Acknowledgement) -> bool {
        ack.upto == self.acked && ack.is_alone && !self.is_all_acknowledged()
    }

    /// Without congestion control: the first segment that has not been acknowledged.
    fn missing(&self, rules: &StreamRules) -> SenderReaction {
        SenderReaction::Missing(self.piece_again(rules, self.acked, self.next))
    }

    /// New bytes are acknowledged; the round trip is measured by the last segment among them.
    fn bytes_acknowledged(&mut self, ack: &Acknowledgement) {
        (self.acked, self.duplicates) = (ack.upto, 0);
        while self.ends.front().is_some_and(|&end| end <= ack.upto) {
            self.ends.pop_front();
        }
        let mut last = None;
        while let Some(&(end, sent)) = self.timed.front()
            && end <= ack.upto
        {
            (_, last) = (self.timed.pop_front(), Some(sent));
        }
        if let Some(sent) = last {
            self.round_trip.measured(ack.now - sent);
        }
    }

    /// A segment has arrived beyond a gap, whose round trip is measured now, because its bytes are acknowledged late.
    fn segment_arrived(&mut self, ack: &Acknowledgement) {
        let (_, end) = ack.blocks[0];
        if let Ok(place) = self.timed.binary_search_by_key(&end, |&(end, _)| end)
            && let Some((_, sent)) = self.timed.remove(place)
        {
            self.round_trip.measured(ack.now - sent);
        }
    }

    fn acknowledged_with_control(&mut self, rules: &StreamRules, ack: &Acknowledgement) -> SenderReaction {
        let in_flight = self.in_flight();
        let bytes = ack.upto.saturating_sub(self.acked);
        if self.is_duplicate(ack) {
            self.duplicates += 1;
        }
        self.scoreboard.acknowledged(ack.upto.max(self.acked), &ack.blocks);
        self.segment_arrived(ack);
        if bytes > 0 {
            self.bytes_acknowledged(ack);
        }
        let has_lost = self.scoreboard.find_lost(rules.segment);
        let Some(congestion) = &mut self.congestion else { return SenderReaction::Nothing };
        match self.recovery {
            Recovery::Fast { until } if ack.upto >= until => {
                congestion.fast_recovery_ends();
                self.recovery = Recovery::Done;
            }
            Recovery::Fast { .. } => {}
            Recovery::AfterTimeOut { until } if ack.upto >= until => self.recovery = Recovery::Done,
            Recovery::Gaps { .. } | Recovery::AfterTimeOut { .. } | Recovery::Done => {}
        }
        if bytes > 0 && !matches!(self.recovery, Recovery::Fast { .. }) {
            self.says_reduced |= congestion.bytes_acknowledged(&NewAcknowledgement {
                now: ack.now,
                bytes,
                in_flight,
                upto: ack.upto,
                sent_upto: self.next,
                round_trip: self.round_trip.smoothed(),
                echo: ack.echo,
            });
        }
        let is_missing = self.duplicates >= rules.duplicates || has_lost;
        if self.recovery == Recovery::Done && is_missing && !self.is_all_acknowledged() {
            return self.begin_fast_recovery(rules);
        }
        if bytes > 0 { SenderReaction::More } else { SenderReaction::MayBeMore }
    }

    /// The first segment is missing: it is sent again at once, and the other bytes that are lost when the window allows.
    fn begin_fast_recovery(&mut self, rules: &StreamRules) -> SenderReaction {
        let Some(congestion) = &mut self.congestion else { return SenderReaction::Nothing };
        congestion.fast_recovery_begins(self.next - self.acked, self.next);
        self.recovery = Recovery::Fast { until: self.next };
        self.duplicates = 0;
        // Segments that are sent again tell no round trip (Karn's algorithm).
        self.timed.clear();
        let first = self.piece_again(rules, self.acked, self.next);
        self.scoreboard.all_lost(first.end, first.end);
        self.scoreboard.find_lost(rules.segment);
        SenderReaction::Missing(first)
    }

    /// The time-out has passed: the sender assumes that a segment is missing, and with congestion control that all bytes in flight are.
    pub fn timed_out(&mut self, rules: &StreamRules) -> SenderReaction {
        self.duplicates = 0;
        let Some(congestion) = &mut self.congestion else {
            self.recovery = Recovery::Gaps { until: self.next };
            return self.missing(rules);
        };
        let is_first = !matches!(self.recovery, Recovery::AfterTimeOut { .. });
        congestion.timed_out(self.next - self.acked, self.next, is_first);
        self.recovery = Recovery::AfterTimeOut { until: self.next };
        self.scoreboard.all_lost(self.acked, self.next);
        self.timed.clear();
        SenderReaction::More
    }

    /// Whether the segment that is sent now says that the window has been made smaller.
    pub fn says_reduced(&mut self) -> bool {
        std::mem::take(&mut self.says_reduced)
    }

    /// Whether the receiver echoes a mark.
    pub fn echoes(&self) -> bool {
        self.echoes
    }

    /// The bytes that the receiver reports as arrived beyond gaps.
    pub fn blocks(&self) -> Blocks {
        if self.congestion.is_some() { self.ahead.blocks() } else { Blocks::default() }
    }

    /// Whether the receiver acknowledges what it has before it takes a segment with or without a mark, because for DCTCP the mark differs
    /// from those before (RFC 8257, 3.2).
    pub fn echo_changes(&self, rules: &StreamRules, is_marked: bool) -> bool {
        rules.congestion == CongestionControl::Dctcp && self.echoes != is_marked && self.unacknowledged > 0
    }

    /// A segment with data has arrived with or without a mark, from a sender that has made its window smaller or not.
    pub fn mark_arrived(&mut self, rules: &StreamRules, is_marked: bool, reduced: bool) {
        self.echoes = if rules.congestion == CongestionControl::Dctcp {
            is_marked
        } else {
            is_marked || self.echoes && !reduced
        };
    }

    /// Data have arrived at the receiver.
    pub fn data_arrived(&mut self, rules: &StreamRules, begin: u64, end: u64) -> AcknowledgementTiming {
        if end <= self.received {
            return AcknowledgementTiming::Now;
        }
        if begin > self.received {
            self.ahead.keep(begin, end);
            return AcknowledgementTiming::Now;
        }
        let closes_gap = !self.ahead.is_empty();
        self.received = self.ahead.join(end);
        self.unacknowledged += 1;
        if closes_gap || self.unacknowledged >= rules.ack_every {
            AcknowledgementTiming::Now
        } else {
            AcknowledgementTiming::Later
        }
    }

    /// An acknowledgement of all bytes that have arrived without a gap is sent.
    pub fn acknowledgement_sent(&mut self) -> u64 {
        self.unacknowledged = 0;
        self.received
    }

    /// Whether the receiver has segments that it has not acknowledged.
    pub fn owes_acknowledgement(&self) -> bool {
        self.unacknowledged > 0
    }

    /// The next message that has arrived completely.
    pub fn next_complete_message(&mut self) -> Option<TcpMessage> {
        if self.messages.front()?.end > self.received {
            return None;
        }
        self.begun -= 1;
        self.sent -= 1;
        self.messages.pop_front()
    }
}
