//! Hold time: a frame that waits in a switch for too long is discarded, its buffer is free and its credit goes back.
//!
//! A port looks once for each frame that is the first in its buffers, and not for those that pass without waiting so long.

use super::held::Held;
use super::{Event, Fabric, Surroundings};
use sansim_fc::frame::FrameKind;
use sansim_kernel::Time;

/// Among the events of an instant a port looks after all routing units.
const UNIT: u32 = 1 << 16;

impl Fabric {
    /// A frame has come into the buffers of a port (or of the trunk that it leads).
    #[inline]
    pub(super) fn holds(&mut self, now: Time, lead: u32, around: &mut impl Surroundings) {
        if let Some(hold) = self.parameters.hold_time {
            self.look_again(lead, now + hold, around);
        }
    }

    /// A port looks at a time for frames that have waited too long, or before.
    fn look_again(&mut self, lead: u32, at: Time, around: &mut impl Surroundings) {
        let of = &mut self.ports[lead as usize];
        if at < of.expires {
            of.expires = at;
            around.schedule(at, Event::Expire(lead), UNIT + lead);
        }
    }

    /// Frames that have been in the buffers of a port for the hold time, and are there whole, are discarded. One that the routing unit has not
    /// served yet is when it is.
    pub(super) fn expire(&mut self, now: Time, lead: u32, around: &mut impl Surroundings) {
        let Some(hold) = self.parameters.hold_time else { return };
        if self.ports[lead as usize].expires != now {
            return;
        }
        self.ports[lead as usize].expires = Time::NEVER;
        let ends = |held: &Held| held.tail_at.max(held.header_at + hold);
        let mut due = std::mem::take(&mut self.due);
        due.clear();
        due.extend(self.ports[lead as usize].waiting.iter().filter(|&&held| ends(&self.held[held]) <= now));
        for &held in &due {
            let of = &mut self.held[held];
            if !of.lost {
                self.counts.discarded += 1;
                (of.lost, of.refused) = (true, Some(FrameKind::FabricBusy));
            }
            if of.is_routed() {
                self.drop_waiting(now, held, around);
            }
        }
        self.due = due;
        let waiting = self.ports[lead as usize].waiting.iter();
        let next = waiting.map(|&held| ends(&self.held[held])).filter(|&at| at > now).min();
        if let Some(at) = next {
            self.look_again(lead, at, around);
        }
    }
}
