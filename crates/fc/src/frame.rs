//! Frames: what Fibre Channel makes of a protocol data unit, and their sizes on the wire.
//!
//! Source: FC-FS frame layout. SOF 1 word, header 6, data field 0 to 528, CRC 1, EOF 1. A part of an information unit is one frame, and all
//! frames of the unit form one sequence.

pub use sansim_pdu::{ExchangeId, Pdu, PduKind, RequestTag};

use std::ops::{Deref, DerefMut};

/// Words of a frame besides its data field: SOF, six header words, CRC, EOF.
pub const OVERHEAD_WORDS: u64 = 9;

/// Link control reports the fate of a frame in class 2 to a port, and goes no further than that port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LinkControl {
    /// ACK_1: the receiver has emptied the buffer of the frame.
    Acknowledge,
    /// F_BSY: a switch has discarded the frame because its output was busy for too long.
    FabricBusy,
    /// F_RJT: a switch has discarded the frame because no path leads to its destination.
    FabricReject,
}

/// A frame in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The payload of the frame: an information unit or a part of one.
    pub pdu: Pdu,
    /// Whether the frame goes in class 2 instead of class 3.
    pub class_2: bool,
    /// For a link control frame: the message, and the kind of frame that it answers.
    pub control: Option<(LinkControl, PduKind)>,
}

impl From<Pdu> for Frame {
    /// A frame of class 3.
    #[inline]
    fn from(pdu: Pdu) -> Self {
        Self { pdu, class_2: false, control: None }
    }
}

impl Deref for Frame {
    type Target = Pdu;

    fn deref(&self) -> &Pdu {
        &self.pdu
    }
}

impl DerefMut for Frame {
    fn deref_mut(&mut self) -> &mut Pdu {
        &mut self.pdu
    }
}

impl Frame {
    /// The length of a frame from SOF to EOF in transmission words; the payload is filled up to whole words.
    pub fn length_in_words(&self) -> u64 {
        OVERHEAD_WORDS + u64::from(self.payload_bytes).div_ceil(4)
    }

    /// The frame of the same sequence that is this many frames later, if all frames up to it have equal
    /// payloads.
    pub fn frame_later_in_sequence(&self, frames: usize) -> Self {
        Self { pdu: self.pdu.later_part(frames), ..*self }
    }

    /// Whether the frame is a link control frame.
    pub fn is_link_control(&self) -> bool {
        self.control.is_some()
    }

    /// Whether the originator of the exchange sends the frame.
    pub fn is_from_originator(&self) -> bool {
        match self.control {
            Some((_, of)) => !Pdu { kind: of, ..self.pdu }.is_from_originator(),
            None => self.pdu.is_from_originator(),
        }
    }

    /// The link control frame that reports the fate of this frame to its sender: it has the header of this frame with source and
    /// destination exchanged.
    pub fn link_control_answer(&self, with: LinkControl) -> Self {
        let (source, destination) = (self.destination, self.source);
        let pdu =
            Pdu { kind: PduKind::Control, source, destination, payload_bytes: 0, burst_bytes: 0, ..self.pdu };
        Self { pdu, control: Some((with, self.kind)), ..*self }
    }

    /// Whether the frame is link control about the frame `other`.
    pub fn is_link_control_for(&self, other: &Self) -> bool {
        self.control.is_some_and(|(with, _)| *self == other.link_control_answer(with))
    }

    /// A data frame of a read with 2048 bytes, for tests.
    pub fn example() -> Self {
        Pdu::example().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_on_the_wire_are_those_of_the_standard() {
        // Information units of FCP and their frames: payload bytes, words from SOF to EOF.
        for (payload, words) in [(0, 9), (32, 17), (12, 12), (24, 15), (2048, 521), (2112, 537), (1, 10)] {
            let frame = Frame::from(Pdu { payload_bytes: payload, ..Pdu::example() });
            assert_eq!(frame.length_in_words(), words, "{payload} bytes");
        }
    }

    #[test]
    fn link_control_goes_the_other_way_has_no_payload_and_is_about_its_frame_only() {
        let frame = |pdu: Pdu| Frame { class_2: true, ..pdu.into() };
        let write = Pdu { write: true, ..Pdu::example() };
        let ack = frame(write).link_control_answer(LinkControl::Acknowledge);
        assert_eq!(
            (ack.source, ack.destination, ack.length_in_words()),
            (write.destination, write.source, 9)
        );
        assert!(frame(write).is_from_originator() && !ack.is_from_originator());
        let read = frame(Pdu::example());
        assert!(
            !read.is_from_originator()
                && read.link_control_answer(LinkControl::Acknowledge).is_from_originator()
        );
        assert!(
            ack.is_link_control_for(&frame(write))
                && !ack.is_link_control_for(&frame(Pdu { part: 1, ..write }))
        );
        assert!(frame(write).link_control_answer(LinkControl::FabricBusy).is_link_control_for(&frame(write)));
    }
}
