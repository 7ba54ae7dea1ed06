//! Links and switches that fail and work again.
//!
//! Frames that are on a failing link are lost with it. Frames that wait for the link in switches are routed again, over working links, and
//! are lost where there is no path. Nodes keep their queued frames, except frames for which no request waits. A link is alive while the
//! link itself has not failed and both its switches work; how its ends bring it up again is in [`super::link_states`].

use super::buffered_frame::{BufferedFrame, NONE};
use super::probes::PortObservation;
use super::{Fabric, FabricHost, NodeEvent};
use crate::layout::LinkEndDevice;
use crate::routing::RouteTable;
use sansim_kernel::Time;

impl Fabric {
    /// A link fails, or is repaired. Call this function only for a fabric [`Fabric::with_failures`].
    pub fn set_link_state(&mut self, now: Time, link: usize, works: bool, around: &mut impl FabricHost) {
        self.sound[link] = works;
        if self.link_may_change(now, link, around) {
            self.reroute(now, around);
        }
    }

    /// The state of a part on which a link depends has changed. Returns whether the link is dead now and was
    /// alive before.
    ///
    /// # Panics
    /// Panics if frames take the fast path, on which nothing may fail: the fabric was built without [`Fabric::with_failures`].
    fn link_may_change(&mut self, now: Time, link: usize, around: &mut impl FabricHost) -> bool {
        assert!(!self.is_fast, "a part of a fabric fails that cannot fail");
        let ends = self.layout.links[link].ends;
        let works = |end: LinkEndDevice| match end {
            LinkEndDevice::Switch(switch) => self.switches[usize::from(switch)].works,
            LinkEndDevice::Node(_) => true,
        };
        let is_alive = self.sound[link] && ends.into_iter().all(works);
        if self.alive[link] == is_alive {
            return false;
        }
        self.alive[link] = is_alive;
        if is_alive {
            self.comes_up(now, link, around);
            return false;
        }
        self.goes_down(link);
        for port in [2 * link as u32, 2 * link as u32 + 1] {
            self.cut(now, port);
            self.drop_queued(now, port, around);
        }
        true
    }

    /// A switch fails with all its links and all frames in its buffers, or is repaired with all its links.
    pub fn set_switch_state(&mut self, now: Time, switch: usize, works: bool, around: &mut impl FabricHost) {
        if self.switches[switch].works == works {
            return;
        }
        self.switches[switch].works = works;
        self.switches[switch].since = works.then_some(now);
        let ports = self.switches[switch].ports.clone();
        if !works {
            for &port in &ports {
                let waiting: Vec<u32> = self.ports[port as usize].waiting.iter().copied().collect();
                for held in waiting {
                    // The frame is lost with the switch, which sends no answer about it any more.
                    let of = &mut self.held[held];
                    (of.lost, of.refused) = (true, None);
                }
            }
        }
        for port in ports {
            self.link_may_change(now, port as usize / 2, around);
        }
        if !works {
            self.reroute(now, around);
        }
    }

    /// The number of a switch by its name.
    pub fn switch_by_name(&self, name: &str) -> Option<usize> {
        self.layout.switches.iter().position(|other| other == name)
    }

    /// Resets the credit of a port to the credit at login, less the buffers that are still occupied.
    pub(super) fn reset(&mut self, port: u32) {
        let to = port ^ 1;
        if self.ports[port as usize].credits.has_several_channels() {
            for channel in 0..self.ports[port as usize].credits.credit_by_channel().count() as u8 {
                let there = self
                    .held
                    .buffered_frames()
                    .filter(|(_, held)| held.port == to && held.channel == channel)
                    .map(|(number, _)| number);
                let taken = match &self.multicast {
                    Some(multicast) => multicast.buffers_of(there),
                    None => there.count(),
                };
                self.ports[port as usize].credits.channel_credit(channel).reset_credit(taken as u32);
            }
        } else {
            let taken = self.ports[to as usize].occupied;
            self.ports[port as usize].credits.channel_credit(0).reset_credit(taken);
        }
        if let Some(losses) = &mut self.ports[port as usize].losses {
            losses.reset_counters();
        }
    }

    /// Frames in flight to the buffers of a port are lost, with the words of them that have been sent on
    /// already.
    fn cut(&mut self, now: Time, port: u32) {
        let cut = |held: &BufferedFrame| held.port == port && held.tail_at > now;
        let on_line: Vec<u32> =
            self.held.buffered_frames().filter(|(_, held)| cut(held)).map(|(number, _)| number).collect();
        for mut held in on_line {
            while held != NONE {
                self.held[held].lost = true;
                let ahead = self.held[held].ahead;
                // The frame in the next buffer may have been dropped, and its number may belong to another
                // frame by now.
                let is_its_own = ahead != NONE && self.held[ahead].is_there && {
                    let by = &self.ports[self.held[ahead].port as usize ^ 1];
                    by.sending == held || by.stopped == held
                };
                held = if is_its_own { ahead } else { NONE };
            }
        }
    }

    /// The link of a node does not work: queued frames for which no request waits, link control and IP, are dropped.
    pub(super) fn drop_queued(&mut self, now: Time, port: u32, around: &mut impl FabricHost) {
        let LinkEndDevice::Node(node) = self.ports[port as usize].at else { return };
        let mut place = 0;
        while let Some(&held) = self.ports[port as usize].queue.get(place) {
            let at = self.held[held];
            if at.frame.kind.belongs_to_request() {
                place += 1;
                continue;
            }
            self.ports[port as usize].queue.remove(place);
            self.release(held);
            self.counts.sent += 1;
            self.tell_started(now, node, at.frame, around);
            if !at.frame.is_link_control() {
                around.upcall(now, node, NodeEvent::Sent(at.frame));
            }
            self.lose(now, &at, around);
        }
    }

    /// Finds all paths again, and routes the frames that wait in switches.
    pub(super) fn reroute(&mut self, now: Time, around: &mut impl FabricHost) {
        let find = |up_down| RouteTable::find_paths(&self.layout, &self.works, &self.leads, up_down);
        self.routes = find(self.routing.is_up_down());
        self.escape = self.routing.has_escape().then(|| find(true));
        self.flows.forget_paths();
        for port in 0..self.ports.len() as u32 {
            let LinkEndDevice::Switch(switch) = self.ports[port as usize].at else { continue };
            let waiting: Vec<u32> = self.ports[port as usize].waiting.iter().copied().collect();
            for held in waiting {
                if !self.held[held].is_routed() {
                    continue; // The frame is still in the routing unit.
                }
                for output in std::mem::take(&mut self.held[held].ways).ports() {
                    self.ports[usize::from(output)].requests.remove(held);
                    if self.ports[usize::from(output)].without_credit == held {
                        self.nobody_lacks_credit(now, output.into(), around);
                    }
                }
                self.routed(now, switch.into(), held, around);
            }
        }
        for port in 0..self.ports.len() as u32 {
            if !self.ports[self.ports[port as usize].lead as usize].has_frames_to_send() {
                self.stalls_no_more(now, port);
            }
        }
    }

    /// Drops a frame that waits in a switch: its buffer is free, and the next frame may leave.
    pub(super) fn drop_waiting(&mut self, now: Time, held: u32, around: &mut impl FabricHost) {
        let at = self.held[held];
        self.withdraw(now, held, around);
        self.drop_from_buffer(now, held, around);
        self.first_may_leave(now, at.port, around);
        if self.has_trunks {
            at.ways.ports().for_each(|way| self.plan_if_wanted(now, way.into(), around));
        }
    }

    /// No frame waits for an output any more: its links do not wait for credit.
    #[cold]
    pub(super) fn nothing_waits(&mut self, now: Time, output: u16) {
        if self.ports[usize::from(output)].members.is_empty() {
            self.stalls_no_more(now, output.into());
        }
        for place in 0..self.ports[usize::from(output)].members.len() {
            self.stalls_no_more(now, self.ports[usize::from(output)].members[place]);
        }
    }

    /// A frame has been removed from its buffer.
    pub(super) fn drop_from_buffer(&mut self, now: Time, held: u32, around: &mut impl FabricHost) {
        let at = self.held[held];
        let is_empty = self.multicast.as_mut().is_none_or(|multicast| multicast.leaves_empty(held));
        if is_empty {
            self.sees(now, at.port, PortObservation::Freed(held), around);
        }
        self.ends(now, held, false, around);
        self.release(held);
        self.lose(now, &at, around);
        if is_empty {
            self.free_buffer(now, at.port, at.channel, around);
        }
    }

    /// Notifies the owner of the lost frame.
    pub(super) fn lose(&mut self, now: Time, at: &BufferedFrame, around: &mut impl FabricHost) {
        if at.flow != NONE {
            self.flow_ends(now, at, around);
        }
        self.counts.lost += 1;
        self.lost_in_class_2(now, at, around);
        let node = self.by_address.get(&at.frame.source).copied().unwrap_or_default();
        around.upcall(now, node, NodeEvent::Lost(at.frame));
    }
}
