//! The bytes of one direction of a TCP connection: the bytes that the sender may send next, and the bytes that the
//! receiver has.
//!
//! Sources: RFC 793 (window, cumulative acknowledgement), RFC 1122 (delayed acknowledgement), RFC 5681 and 6582 (fast retransmit, and one
//! segment for each acknowledgement that reports a further gap). The window belongs to the receiver and is always whole: the receiver has
//! room for all bytes in flight.
//!
//! A segment has bytes of only one sequence of FCP, as if the end of each sequence was pushed: the number of segments therefore follows
//! from sizes alone.

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
    /// The end of the bytes in flight when a gap was reported, until all of them are acknowledged.
    recover: Option<u64>,
    /// At the receiver: the bytes received without a gap, and the ranges beyond.
    pub received: u64,
    ahead: VecDeque<(u64, u64)>,
    /// The number of segments that have arrived since the last acknowledgement.
    unacknowledged: u32,
}

impl TcpStream {
    /// A message of this number of bytes is handed over.
    pub fn send_message(&mut self, frame: Pdu, bytes: u64) {
        let begin = self.handed;
        self.handed += bytes;
        self.messages.push_back(TcpMessage { frame, begin, end: self.handed });
        if frame.last_of_unit {
            self.ends.push_back(self.handed);
        }
    }

    /// The end of the sequence that has the byte at a place; none if that end has not been handed over.
    fn end_behind(&self, place: u64) -> Option<u64> {
        self.ends.get(self.ends.partition_point(|&end| end <= place)).copied()
    }

    /// The next piece to send for the first time. `is_stuck` says that no more bytes are handed over until
    /// something has been sent.
    ///
    /// # Errors
    ///
    /// The error is the reason why no piece may be sent.
    pub fn next_piece(&self, rules: &StreamRules, is_stuck: bool) -> Result<StreamPiece, SenderWait> {
        let end = match self.end_behind(self.next) {
            Some(end) => end.min(self.next + rules.segment),
            None => self.handed.min(self.next + rules.segment),
        };
        let is_short = end - self.next < rules.segment && self.end_behind(self.next) != Some(end);
        if end == self.next || (is_short && !is_stuck) {
            return Err(SenderWait::ForBytes);
        }
        if end - self.acked > rules.window {
            return Err(SenderWait::ForWindow);
        }
        Ok(StreamPiece { begin: self.next, end, again: false })
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

    /// The first segment that has not been acknowledged.
    fn missing(&self, rules: &StreamRules) -> StreamPiece {
        let end = (self.acked + rules.segment).min(self.next);
        let end = self.end_behind(self.acked).map_or(end, |sequence| end.min(sequence));
        StreamPiece { begin: self.acked, end, again: true }
    }

    /// An acknowledgement has arrived; `is_alone` says that no data came with the acknowledgement.
    pub fn acknowledgement_arrived(
        &mut self,
        rules: &StreamRules,
        upto: u64,
        is_alone: bool,
    ) -> SenderReaction {
        if upto > self.acked {
            self.acked = upto;
            self.duplicates = 0;
            while self.ends.front().is_some_and(|&end| end <= upto) {
                self.ends.pop_front();
            }
            return match self.recover {
                Some(until) if upto < until => SenderReaction::Missing(self.missing(rules)),
                _ => {
                    self.recover = None;
                    SenderReaction::More
                }
            };
        }
        if upto < self.acked || !is_alone || self.is_all_acknowledged() || self.recover.is_some() {
            return SenderReaction::Nothing;
        }
        self.duplicates += 1;
        if self.duplicates < rules.duplicates {
            return SenderReaction::Nothing;
        }
        self.timed_out(rules)
    }

    /// The time-out has passed: the sender assumes that a segment is missing.
    pub fn timed_out(&mut self, rules: &StreamRules) -> SenderReaction {
        self.duplicates = 0;
        self.recover = Some(self.next);
        SenderReaction::Missing(self.missing(rules))
    }

    /// Data have arrived at the receiver.
    pub fn data_arrived(&mut self, rules: &StreamRules, begin: u64, end: u64) -> AcknowledgementTiming {
        if end <= self.received {
            return AcknowledgementTiming::Now;
        }
        if begin > self.received {
            self.keep(begin, end);
            return AcknowledgementTiming::Now;
        }
        self.received = end;
        let closes_gap = !self.ahead.is_empty();
        while let Some(&(from, to)) = self.ahead.front()
            && from <= self.received
        {
            self.received = self.received.max(to);
            self.ahead.pop_front();
        }
        self.unacknowledged += 1;
        if closes_gap || self.unacknowledged >= rules.ack_every {
            AcknowledgementTiming::Now
        } else {
            AcknowledgementTiming::Later
        }
    }

    /// Keeps bytes that have arrived beyond a gap.
    fn keep(&mut self, begin: u64, end: u64) {
        let place = self.ahead.partition_point(|&(from, _)| from < begin);
        let is_there = self.ahead.iter().any(|&(from, to)| from <= begin && end <= to);
        if !is_there {
            self.ahead.insert(place, (begin, end));
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
