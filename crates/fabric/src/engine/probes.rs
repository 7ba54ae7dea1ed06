//! Views of frames in flight: the place of each, and those that pass ports. They change nothing.

use super::buffered_frame::NONE;
use super::{Fabric, FabricHost};
use crate::layout::FabricEnd;
use sansim_fc::frame::Frame;
use sansim_kernel::Time;

/// A stage of a frame in flight, from its first word at the node that sends it to its last at the one that receives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Its first word leaves by a link, at its node or at a switch.
    Leaves {
        /// By the last link, to its node.
        last: bool,
    },
    /// Its header is in at a switch.
    Header,
    /// It is routed there, and may leave from this time on.
    Routed(Time),
    /// It is the first at its output, for which there is no credit.
    WithoutCredit,
    /// It was, and another one is first now.
    BehindOthers,
    /// Its journey is over.
    Over {
        /// It is in at its node, and not lost.
        received: bool,
    },
}

/// A frame in flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traveller<'a> {
    /// The number of its journey. No other frame in flight has it.
    pub journey: u32,
    /// The switch at which it is, or which it left last, counted from 1 along its way; 0 at the node that sends it.
    pub hop: u8,
    /// The frame.
    pub frame: &'a Frame,
}

/// Something at a port of a switch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AtPort {
    /// The first word of a frame leaves by it.
    Sent(Frame),
    /// The first word of a frame comes in.
    Received(Frame),
    /// A frame whose header is in has a buffer, by a number that no other has meanwhile.
    Buffered(u32, Frame),
    /// That buffer is empty again.
    Freed(u32),
}

impl Fabric {
    /// Reports the stage of a frame.
    #[inline]
    pub(super) fn at_stage(&self, now: Time, held: u32, stage: Stage, around: &mut impl FabricHost) {
        let held = &self.held[held];
        if held.journey != NONE {
            around.stage(now, &Traveller { journey: held.journey, hop: held.hop, frame: &held.frame }, stage);
        }
    }

    /// Reports an observation at a port of a switch.
    #[inline]
    pub(super) fn sees(&self, at: Time, port: u32, what: AtPort, around: &mut impl FabricHost) {
        let of = &self.ports[port as usize];
        if matches!(of.at, FabricEnd::Switch(_)) && (port as usize) < self.shown_ports {
            around.at_port(at, of.place, what);
        }
    }

    /// The journey of a frame is over: it is in, or lost.
    pub(super) fn ends(&mut self, now: Time, held: u32, received: bool, around: &mut impl FabricHost) {
        self.at_stage(now, held, Stage::Over { received }, around);
        let journey = std::mem::replace(&mut self.held[held].journey, NONE);
        if journey != NONE {
            self.held.end_journey(journey);
        }
    }

    /// The frame that is first at an output has no credit.
    pub(super) fn first_has_no_credit(
        &mut self,
        now: Time,
        port: u32,
        held: u32,
        around: &mut impl FabricHost,
    ) {
        let before = std::mem::replace(&mut self.ports[port as usize].without_credit, held);
        if before != held {
            if before != NONE {
                self.at_stage(now, before, Stage::BehindOthers, around);
            }
            self.at_stage(now, held, Stage::WithoutCredit, around);
        }
    }

    /// There is credit at an output again, or what waited for it is gone.
    pub(super) fn nobody_lacks_credit(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        let before = std::mem::replace(&mut self.ports[port as usize].without_credit, NONE);
        if before != NONE {
            self.at_stage(now, before, Stage::BehindOthers, around);
        }
    }
}
