//! Links and switches that fail and work again.
//!
//! Frames on a failing link are lost, and so are frames that wait to leave by it: a switch empties the queues of a port that goes down. A frame
//! that has reached the device at the other end is there; a device that cuts through has it with its first bit. A switch fails with all its links
//! and all frames in it. Nodes go on sending: what a node sends into a dead link takes its time and is lost.
//!
//! Paths between switches change after `convergence_time`, in which frames to a dead link are lost. A port that goes up again
//! knows of no pauses, and asks for those that its memory needs.
//!
//! Assumption: the end of a link notices that the link is dead, or works again, at once.

use super::{EthernetEvent, EthernetHost, EthernetNotice, EthernetSwitches};
use crate::layout::LinkEndDevice;
use crate::routing::RouteTable;
use sansim_kernel::Time;

impl EthernetSwitches {
    /// A link fails, or is repaired. Call this function only for an Ethernet that may fail (`EthernetPlan::may_fail`).
    pub fn set_link_state(&mut self, now: Time, link: usize, works: bool, host: &mut impl EthernetHost) {
        self.sound_links[link] = works;
        if self.link_may_change(now, link, host) {
            self.paths_will_change(now, host);
        }
    }

    /// A switch fails with all its links and all frames in it, or is repaired with its links.
    pub fn set_switch_state(&mut self, now: Time, switch: usize, works: bool, host: &mut impl EthernetHost) {
        if self.working_switches[switch] == works {
            return;
        }
        self.working_switches[switch] = works;
        let own = LinkEndDevice::Switch(switch as u16);
        let ports: Vec<u32> =
            (0..self.ports.len() as u32).filter(|&port| self.ports[port as usize].at == own).collect();
        let mut changed = false;
        for &port in &ports {
            // Frames that have reached the switch, and on which it does not act yet, are in it.
            if !works {
                self.lose_in_flight(port ^ 1, |_| false, host);
            }
            changed |= self.link_may_change(now, port as usize / 2, host);
        }
        if changed {
            self.paths_will_change(now, host);
        }
    }

    /// A part fails or is repaired, by its number: the switches, then the links in the order of the layout.
    pub fn set_part_state(&mut self, now: Time, part: usize, works: bool, host: &mut impl EthernetHost) {
        match part.checked_sub(self.working_switches.len()) {
            Some(link) => self.set_link_state(now, link, works, host),
            None => self.set_switch_state(now, part, works, host),
        }
    }

    /// The state of a part on which a link depends has changed. Returns whether the link works now and did not, or the reverse.
    ///
    /// # Panics
    /// Panics if the Ethernet was built as one in which nothing fails.
    fn link_may_change(&mut self, now: Time, link: usize, host: &mut impl EthernetHost) -> bool {
        assert!(!self.leaves_in_turn, "a part of an Ethernet fails that cannot fail");
        let port = 2 * link as u32;
        let works = |end: LinkEndDevice| match end {
            LinkEndDevice::Switch(switch) => self.working_switches[usize::from(switch)],
            LinkEndDevice::Node(_) => true,
        };
        let ends = [port, port + 1].map(|port| self.ports[port as usize].at);
        let is_alive = self.sound_links[link] && ends.into_iter().all(works);
        if self.ports[port as usize].is_alive == is_alive {
            return false;
        }
        for port in [port, port + 1] {
            let of = &mut self.ports[port as usize];
            (of.is_alive, of.paused, of.asked) = (is_alive, 0, 0);
            if let Some(since) = of.paused_since.take() {
                of.usage.paused += now - since;
            }
            of.requests.clear();
            of.pauses_in_flight.clear();
        }
        for port in [port, port + 1] {
            if is_alive {
                self.ask_for_pauses(now, port, host);
            } else {
                let latency = self.ports[port as usize].latency;
                self.lose_in_flight(port, |acts_at| acts_at <= now + latency, host);
                self.lose_waiting(now, port, host);
            }
            self.begin(now, port, host);
        }
        true
    }

    /// Frames in flight to the other end of a port are lost, except those that `are_there` by the time at which the other end may act on them.
    fn lose_in_flight(&mut self, port: u32, are_there: impl Fn(Time) -> bool, host: &mut impl EthernetHost) {
        let in_flight = std::mem::take(&mut self.ports[port as usize].in_flight);
        for (acts_at, frame) in in_flight {
            if are_there(acts_at) {
                self.ports[port as usize].in_flight.push_back((acts_at, frame));
            } else {
                self.counts.lost += 1;
                host.notify(EthernetNotice::Lost(frame));
            }
        }
    }

    /// Frames that wait to leave a switch by a port are lost. A node keeps its frames.
    fn lose_waiting(&mut self, now: Time, port: u32, host: &mut impl EthernetHost) {
        let LinkEndDevice::Switch(switch) = self.ports[port as usize].at else { return };
        let weights = self.weights;
        while let Some(waiting) = self.ports[port as usize].queues.take_next(0, &weights, self.largest) {
            self.ports[port as usize].waiting_bytes -= u64::from(waiting.frame.bytes);
            self.leaves_memory(now, switch, waiting, host);
            self.counts.lost += 1;
            host.notify(EthernetNotice::Lost(waiting.frame));
        }
    }

    /// A port is up again, and asks for the pauses that the bytes in its device need.
    fn ask_for_pauses(&mut self, now: Time, port: u32, host: &mut impl EthernetHost) {
        for class in 0..self.class_count() as u8 {
            self.pause_if_full(now, port, class, host);
        }
    }

    /// Switches will use other paths when their routing has converged.
    fn paths_will_change(&mut self, now: Time, host: &mut impl EthernetHost) {
        let at = now + self.convergence_time;
        if self.convergence_time.is_zero() {
            self.paths_change();
        } else if self.converges_at != Some(at) {
            self.converges_at = Some(at);
            host.schedule(at, EthernetEvent::Converged);
        }
    }

    /// All paths are found again, over the links that work now.
    pub(super) fn paths_change(&mut self) {
        let works: Vec<bool> = self.ports.chunks(2).map(|ends| ends[0].is_alive).collect();
        let own: Vec<u32> = (0..self.ports.len() as u32).collect();
        self.routes = RouteTable::find_paths(&self.layout, &works, &own, self.up_down);
    }
}
