//! Hold time: a frame that waits in a switch for too long is discarded; its buffer becomes free and its credit is
//! returned.
//!
//! A port checks each frame once that is the first in its buffers, but not frames that pass without waiting so long.

use super::buffered_frame::BufferedFrame;
use super::{Fabric, FabricEvent, FabricHost};
use crate::layout::LinkEndDevice;
use sansim_fc::frame::LinkControl;
use sansim_kernel::{Span, Time};

/// Among the events of one instant a port checks its hold times after all routing units.
const UNIT: u32 = 1 << 16;

impl Fabric {
    /// A frame has come into the buffers of a port (or of the trunk that it leads).
    #[inline]
    pub(super) fn holds(&mut self, now: Time, lead: u32, held: u32, around: &mut impl FabricHost) {
        if self.discards
            && let Some(hold) = self.hold_of(&self.held[held])
        {
            self.look_again(lead, now + hold, around);
        }
    }

    /// The time for which a frame may wait in its switch; in the switch of its destination node no longer
    /// than at the edge.
    fn hold_of(&self, held: &BufferedFrame) -> Option<Span> {
        let LinkEndDevice::Switch(switch) = self.ports[held.port as usize].at else { return None };
        let is_at_edge = self.layout.nodes[usize::from(held.to)].switch == Some(switch);
        let edge = self.parameters.congestion.edge_hold_time.filter(|_| is_at_edge);
        self.parameters.hold_time.into_iter().chain(edge).min()
    }

    /// A port checks at this time, or earlier, for frames that have waited too long.
    fn look_again(&mut self, lead: u32, at: Time, around: &mut impl FabricHost) {
        let of = &mut self.ports[lead as usize];
        if at < of.expires {
            of.expires = at;
            around.schedule(at, FabricEvent::Expire(lead), UNIT + lead);
        }
    }

    /// Frames that have been in the buffers of a port for the hold time, and have arrived completely, are discarded. A frame that the
    /// routing unit has not served yet is discarded when the unit has served it.
    pub(super) fn expire(&mut self, now: Time, lead: u32, around: &mut impl FabricHost) {
        if self.ports[lead as usize].expires != now {
            return;
        }
        self.ports[lead as usize].expires = Time::NEVER;
        let ends = |of: &Self, held: &BufferedFrame| {
            of.hold_of(held).map_or(Time::NEVER, |hold| held.tail_at.max(held.header_at + hold))
        };
        let mut due = std::mem::take(&mut self.due);
        due.clear();
        due.extend(
            self.ports[lead as usize].waiting.iter().filter(|&&held| ends(self, &self.held[held]) <= now),
        );
        for &held in &due {
            let of = &mut self.held[held];
            if !of.lost {
                self.counts.discarded += 1;
                (of.lost, of.refused) = (true, Some(LinkControl::FabricBusy));
            }
            if of.is_routed() {
                self.drop_waiting(now, held, around);
            }
        }
        self.due = due;
        let waiting = self.ports[lead as usize].waiting.iter();
        let next = waiting.map(|&held| ends(self, &self.held[held])).filter(|&at| at > now).min();
        if let Some(at) = next.filter(|&at| at < Time::NEVER) {
            self.look_again(lead, at, around);
        }
    }
}
