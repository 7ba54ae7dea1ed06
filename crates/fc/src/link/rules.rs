//! The time of a word on a link, and the gap between frames.
//!
//! Source: FC-FS and Seagate's Fibre Channel Interface manual: at least six primitive signals between a frame and the next, R_RDYs among
//! them; two fill words before and behind every R_RDY. With n R_RDYs between two frames the gap is max(6, 3 n + 2) words.

use super::coding::ErrorCorrection;
use super::loss::ExactProbability;
use crate::speed::Speed;
use sansim_kernel::{Span, Time};

/// SOF and the six words of the header, which a switch must have received to know the destination of a frame.
pub const HEADER_WORDS: u64 = 7;

/// The rules of one link, which are the same in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkRules {
    /// Time of a word.
    pub word: Span,
    /// Bytes of a word.
    pub word_bytes: u64,
    /// Whether words begin only in slots of the transmitter's grid, which begins with the run. On a plain link a word
    /// may begin at any tick.
    pub slotted: bool,
    /// Words of a frame in addition to its payload.
    pub overhead_words: u64,
    /// Least words between a frame and the next.
    pub gap_words: u64,
    /// Least number of fill words before and after an R_RDY.
    pub fill_words: u64,
    /// Words of an R_RDY; none if credit returns outside the line.
    pub ready_words: u64,
    /// The number of words of a frame after which a switch knows the destination of the frame.
    pub header_words: u64,
    /// The time from a word leaving the transmitter to the same word being handed on at the other end, for the cable and
    /// for error correction.
    pub latency: Span,
    /// The probability that the link loses a frame.
    pub frame_loss: ExactProbability,
    /// The probability that the link loses an R_RDY.
    pub ready_loss: ExactProbability,
    /// BB_SC_N of [`super::recovery`]; 0 on a link where lost credit does not come back.
    pub bb_sc_n: u8,
}

impl LinkRules {
    /// A Fibre Channel link of a speed. `agreed` is for 16GFC, where both ends may agree on error correction.
    pub fn for_fibre_channel(speed: Speed, cable: Span, agreed: bool) -> Self {
        let corrects = match speed.coding().corrects() {
            ErrorCorrection::Never => false,
            ErrorCorrection::IfAgreed => agreed,
            ErrorCorrection::Always => true,
        };
        let correction = if corrects { speed.correction_latency() } else { Span::ZERO };
        Self {
            word: speed.word_time(),
            word_bytes: 4,
            slotted: true,
            overhead_words: crate::frame::OVERHEAD_WORDS,
            gap_words: 6,
            fill_words: 2,
            ready_words: 1,
            header_words: HEADER_WORDS,
            latency: cable + correction,
            frame_loss: ExactProbability::NEVER,
            ready_loss: ExactProbability::NEVER,
            bb_sc_n: 0,
        }
    }

    /// A link without coding, gaps and primitives, whose credit returns outside the line, as simulators of networks model it.
    ///
    /// The link stays exact because its unit is a word that takes a whole number of ticks: 6.25 ns for a byte are 25 ns, 14,025 ticks,
    /// for a word of four bytes.
    pub fn without_coding(word: Span, word_bytes: u64, header_words: u64, cable: Span) -> Self {
        Self {
            word,
            word_bytes,
            slotted: false,
            overhead_words: 0,
            gap_words: 0,
            fill_words: 0,
            ready_words: 0,
            header_words,
            latency: cable,
            frame_loss: ExactProbability::NEVER,
            ready_loss: ExactProbability::NEVER,
            bb_sc_n: 0,
        }
    }

    /// Whether the link may lose frames or R_RDYs, or counts them for credit recovery.
    pub fn may_lose_frames(&self) -> bool {
        !(self.frame_loss.is_never() && self.ready_loss.is_never()) || self.bb_sc_n > 0
    }

    /// The time of this many words.
    #[inline]
    pub fn time_of_words(&self, count: u64) -> Span {
        self.word * count
    }

    /// The number of words of a frame with this number of bytes of payload.
    pub fn frame_words(&self, payload_bytes: u64) -> u64 {
        (self.overhead_words + payload_bytes.div_ceil(self.word_bytes)).max(1)
    }

    /// The credit that keeps the line busy with frames of this duration, if the other end empties its buffers at once and the reverse
    /// direction is idle: the number of frames that begin before the R_RDY for the first frame is back.
    pub fn credits_needed(&self, frame: Span) -> u64 {
        let up = |span: Span| if self.slotted { span.round_up_to(self.word) } else { span };
        let back = up(up(frame + self.latency) + self.time_of_words(self.ready_words) + self.latency);
        back.ticks().div_ceil((frame + self.time_of_words(self.gap_words)).ticks().max(1))
    }

    /// The first moment at or after `at` at which a word can begin.
    #[inline]
    pub fn next_word_slot(&self, at: Time) -> Time {
        if self.slotted { Time(at.ticks().div_ceil(self.word.ticks()) * self.word.ticks()) } else { at }
    }
}
