//! Views of frames in flight: the place of each frame, and the frames that pass ports. The functions in this
//! file change nothing.

use super::buffered_frame::NONE;
use super::{Fabric, FabricHost};
use crate::layout::LinkEndDevice;
use sansim_fc::frame::Frame;
use sansim_kernel::Time;

/// A stage of a frame in flight, from its first word at the node that sends it to its last word at the node that
/// receives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameStage {
    /// The first word of the frame leaves by a link, at its node or at a switch.
    Leaves {
        /// Whether the link is the last, which leads to the destination node.
        last: bool,
    },
    /// The header of the frame has arrived at a switch.
    Header,
    /// The frame has been routed at a switch, and may leave from this time on.
    Routed(Time),
    /// The frame has been routed at a switch, which the fabric reports once for both steps.
    Served {
        /// The time at which the header of the frame arrived.
        came: Time,
        /// The time from which on the frame may leave.
        ready: Time,
    },
    /// The frame is the first at its output, for which there is no credit.
    WithoutCredit,
    /// The frame was the first at its output without credit, and another frame is first now.
    BehindOthers,
    /// The journey of the frame is over.
    Over {
        /// Whether the frame has arrived at its node and is not lost.
        received: bool,
    },
}

/// A frame in flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameInFlight<'a> {
    /// The number of the frame's journey. No other frame in flight has the same number.
    pub journey: u32,
    /// The switch at which the frame is, or which it left last, counted from 1 along its path; 0 at the node that
    /// sends it.
    pub hop: u8,
    /// The frame.
    pub frame: &'a Frame,
}

/// An observation at a port of a switch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PortObservation {
    /// The first word of a frame leaves by the port.
    Sent(Frame),
    /// The first word of a frame arrives at the port.
    Received(Frame),
    /// A frame whose header has arrived occupies a buffer, with a number that no other frame has meanwhile.
    Buffered(u32, Frame),
    /// The buffer of the frame with this number is empty again.
    Freed(u32),
}

impl Fabric {
    /// Reports the stage of a frame.
    #[inline]
    pub(super) fn at_stage(&self, now: Time, held: u32, stage: FrameStage, around: &mut impl FabricHost) {
        let held = &self.held[held];
        if held.journey != NONE {
            around.stage(
                now,
                &FrameInFlight { journey: held.journey, hop: held.hop, frame: &held.frame },
                stage,
            );
        }
    }

    /// Reports an observation at a port of a switch.
    #[inline]
    pub(super) fn sees(&self, at: Time, port: u32, what: PortObservation, around: &mut impl FabricHost) {
        let of = &self.ports[port as usize];
        if matches!(of.at, LinkEndDevice::Switch(_)) && (port as usize) < self.shown_ports {
            around.at_port(at, of.place, what);
        }
    }

    /// The journey of a frame is over: it has arrived, or is lost.
    pub(super) fn ends(&mut self, now: Time, held: u32, received: bool, around: &mut impl FabricHost) {
        self.at_stage(now, held, FrameStage::Over { received }, around);
        let journey = std::mem::replace(&mut self.held[held].journey, NONE);
        if journey != NONE {
            self.held.end_journey(journey);
        }
    }

    /// A frame at an output finds no credit. The output names the first frame that finds none, until that frame leaves or there is
    /// credit again, so that it does not matter how often the output tries.
    pub(super) fn first_has_no_credit(
        &mut self,
        now: Time,
        port: u32,
        held: u32,
        around: &mut impl FabricHost,
    ) {
        let named = &mut self.ports[port as usize].without_credit;
        if *named == NONE {
            *named = held;
            self.at_stage(now, held, FrameStage::WithoutCredit, around);
        }
    }

    /// The frame that an output without credit has named leaves by another output: the output names the next frame that is ready.
    #[cold]
    pub(super) fn next_has_no_credit(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        let of = &self.ports[port as usize];
        if of.usage.stalled_since.is_none_or(|since| since > now) || !self.fits_fast_path {
            return;
        }
        let ready = of.requests.candidates(false).filter(|head| self.held[head.held].ready_at <= now);
        if let Some(head) = ready.min_by_key(|head| head.place) {
            self.first_has_no_credit(now, port, head.held, around);
        }
    }

    /// There is credit at an output again, or the frame that waited for credit is gone.
    pub(super) fn nobody_lacks_credit(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        let before = std::mem::replace(&mut self.ports[port as usize].without_credit, NONE);
        if before != NONE {
            self.at_stage(now, before, FrameStage::BehindOthers, around);
        }
    }
}
