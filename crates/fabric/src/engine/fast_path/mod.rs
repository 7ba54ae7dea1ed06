//! The fast path: a frame needs one event at its node and two events at each switch.
//!
//! When the first word of a frame leaves by a link, three moments are known: the header will be at the other end, the last word will be
//! there, and the buffer that the frame leaves will be free. The header comes to the routing unit without an event, which knows when it
//! will have served it ([`served`]). The free buffer is noted at its port and carried out when the line of the port or the credit of the
//! other end is next needed ([`departures`]); a port that waits for credit tries again at the first moment at which R_RDY can have arrived.
//! So the events of a frame are the beginning of its way on each link ([`sending`]), and at each switch the end of its service by the
//! routing unit. A routed frame waits in the lane of its input and output ([`lanes`]); where frames have several paths it waits at each of
//! their outputs ([`waiting`]).
//!
//! An adapter may announce the next frames of its sequence ([`announced`]) and accept the frames of others ([`accepted`]); then it is not
//! notified of each.
//!
//! The fast path is for fabrics in which each frame has one virtual channel, is not lost, stopped, discarded or delayed by others, and in
//! which nothing fails, and only while the ports are not observed (`Fabric::may_use_fast_path`). Both paths give the same times; the tests
//! compare both with a model that proceeds word by word.

pub mod accepted;
pub mod announced;
mod departures;
pub mod lanes;
mod sending;
mod served;
mod waiting;

use super::{Fabric, FabricHost};
use crate::layout::LinkEndDevice;
use crate::switch::{Crossbar, InputQueueing};
use lanes::SwitchLanes;
use sansim_kernel::Time;

impl Fabric {
    /// Takes the fast path if the fabric allows it.
    ///
    /// Parts of such a fabric cannot fail: call [`Fabric::with_failures`] for a fabric in which they may.
    pub(super) fn choose_path(mut self) -> Self {
        self.fits_fast_path = self.may_use_fast_path();
        self.is_fast = self.fits_fast_path;
        self.lanes = if self.is_fast {
            self.switches.iter().map(|switch| SwitchLanes::new(switch.ports.len())).collect()
        } else {
            Vec::new()
        };
        self
    }

    /// Lets links and switches of the fabric fail, for which every step of a frame has to be an event.
    #[must_use]
    pub fn with_failures(mut self) -> Self {
        self.may_fail = true;
        self.choose_path()
    }

    /// Whether frames of this fabric may take the fast path.
    fn may_use_fast_path(&self) -> bool {
        let of = &self.parameters;
        let has_free_crossbar = of.crossbar == Crossbar::PerBuffer
            && of.queueing == InputQueueing::PerOutput
            && of.transactions.is_none()
            && of.cross_section.is_none();
        let has_one_order = !self.goes_first && !self.orders_nodes && !of.control.routing_first;
        let is_free_of_others = self.multicast.is_none() && !self.has_trunks && !self.keeps_order;
        let is_unwatched = self.looks.is_none() && self.watch.is_none() && !self.discards;
        has_free_crossbar
            && has_one_order
            && is_free_of_others
            && is_unwatched
            && !self.may_fail
            && self.class_2.is_none()
            && self.ports.iter().all(|port| {
                port.losses.is_none() && port.lacks.is_none() && !port.credits.has_several_channels()
            })
    }

    /// Leaves the fast path if the ports of the fabric are observed. Nothing is in flight yet.
    #[inline]
    pub(super) fn leave_fast_path_if_observed(&mut self, around: &impl FabricHost) {
        if self.is_fast && around.observes() {
            self.is_fast = false;
        }
    }

    /// The switch of a port, and the number of the port there.
    #[inline]
    fn at_switch(&self, port: u32) -> Option<(u16, usize)> {
        let of = &self.ports[port as usize];
        match of.at {
            LinkEndDevice::Switch(switch) => Some((switch, of.local.into())),
            LinkEndDevice::Node(_) => None,
        }
    }

    /// Whether a port sends no frame now.
    pub(super) fn is_idle(&self, now: Time, port: u32) -> bool {
        let of = &self.ports[port as usize];
        of.sending == super::buffered_frame::NONE && of.line.last_frame_end().is_none_or(|end| end <= now)
    }
}
