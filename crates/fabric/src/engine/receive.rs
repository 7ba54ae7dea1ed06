//! The arrival of a frame: into a buffer, to the routing unit, and to its destination node.

use super::buffered_frame::NONE;
use super::output_requests::LaneKey;
use super::probes::{FrameStage, PortObservation};
use super::{Fabric, FabricEvent, FabricHost, NodeEvent};
use crate::layout::LinkEndDevice;
use crate::switch::control::is_control;
use sansim_fc::frame::LinkControl;
use sansim_kernel::Time;

impl Fabric {
    /// The header of a frame has arrived at a switch.
    pub(super) fn header(&mut self, now: Time, held: u32, around: &mut impl FabricHost) {
        let port = self.held[held].port;
        let Port { switch, local, lead } = self.place_of(port);
        if self.held[held].lost {
            self.drop_from_buffer(now, held, around);
            return;
        }
        self.at_stage(now, held, FrameStage::Header, around);
        self.sees(now, port, PortObservation::Buffered(held, self.held[held].frame), around);
        self.held[held].arrival = self.arrivals;
        self.arrivals += 1;
        let channel = self.held[held].channel;
        self.ports[lead as usize].waiting.push(held, channel);
        self.holds(now, lead, held, around);
        let goes_first = self.parameters.control.routing_first && is_control(&self.held[held].frame);
        if self.switches[switch as usize].unit.header_arrived(now, local, held, goes_first) {
            around.schedule(now + self.parameters.routing_delay, FabricEvent::Route(switch), switch);
        }
    }

    /// The routing unit of a switch has served a header.
    pub(super) fn route(&mut self, now: Time, switch: u32, around: &mut impl FabricHost) {
        let delay = self.parameters.routing_delay;
        while let Some(held) = self.switches[switch as usize].unit.header_done(now) {
            self.routed(now, switch, held, around);
            if !delay.is_zero() {
                if self.switches[switch as usize].unit.waiting_header_count() > 0 {
                    around.schedule(now + delay, FabricEvent::Route(switch), switch);
                }
                return;
            }
        }
    }

    /// The paths of a frame are known.
    pub(super) fn routed(&mut self, now: Time, switch: u32, held: u32, around: &mut impl FabricHost) {
        if self.multicast.is_some() && !self.held[held].lost {
            self.copy_for_members(now, switch, held, around);
        }
        let kept = if self.held[held].flow == NONE { None } else { self.flow_paths(held) };
        let ways = kept.unwrap_or_else(|| {
            let ways = self.allowed_paths(switch, held);
            let ways = self.ruled_paths(now, switch, held, ways);
            self.an_idle_one(now, ways)
        });
        if self.held[held].lost || ways.is_blocked() {
            if !self.held[held].lost {
                self.held[held].refused = Some(LinkControl::FabricReject);
            }
            self.drop_waiting(now, held, around);
            return;
        }
        let at = &mut self.held[held];
        at.ways = ways;
        let tail_at = at.tail_at;
        let from = if self.is_stored_first(&self.held[held]) { now.max(tail_at) } else { now };
        let ready_at = from + self.parameters.forwarding_delay;
        self.held[held].ready_at = ready_at;
        self.at_stage(now, held, FrameStage::Routed(ready_at), around);
        if let Some(port) = ways.sole_port() {
            self.wants(port, held, around);
            self.plan_output(now, u32::from(port), ready_at, around);
            return;
        }
        for port in ways.ports() {
            self.wants(port, held, around);
        }
        for port in ways.ports() {
            self.plan_output(now, u32::from(port), ready_at, around);
        }
    }

    /// A frame waits at an output from now on.
    #[inline]
    fn wants(&mut self, port: u16, held: u32, around: &mut impl FabricHost) {
        let lane = self.lane_of(held);
        let arrival = self.held[held].arrival;
        let before =
            if self.parameters.control.routing_first { self.place_before(port, lane, arrival) } else { None };
        let requests = &mut self.ports[usize::from(port)].requests;
        match before {
            Some(before) => requests.insert(lane, (before, arrival), held),
            None => requests.push(lane, arrival, held),
        }
        around.changed(self.ports[usize::from(port)].place);
    }

    /// The lane in which a routed frame waits.
    #[inline]
    pub(super) fn lane_of(&self, held: u32) -> LaneKey {
        let at = &self.held[held];
        let input = &self.ports[at.port as usize];
        LaneKey::of(at, input.lead, input.local)
    }

    /// The number of the request before which a frame waits; none if it waits behind all other frames. Only a frame that the routing unit
    /// has served after later frames of the same trunk goes before these frames, because frames that arrived by a trunk go on in the order
    /// in which they arrived.
    #[cold]
    fn place_before(&self, output: u16, lane: LaneKey, arrival: u64) -> Option<u64> {
        if self.ports[lane.lead as usize].members.is_empty() {
            return None;
        }
        let requests = self.ports[usize::from(output)].requests.in_order();
        let came_later =
            |held: u32| self.lane_of(held).lead == lane.lead && self.held[held].arrival > arrival;
        requests.into_iter().find(|&(_, other)| came_later(other)).map(|((number, _), _)| number)
    }

    /// The last word of a frame has arrived at its node.
    pub(super) fn arrived(&mut self, now: Time, held: u32, around: &mut impl FabricHost) {
        let at = self.held[held];
        let LinkEndDevice::Node(node) = self.ports[at.port as usize].at else { return };
        if self.preempts && at.tail_at != now {
            return; // The last word arrives later, because the frame was stopped.
        }
        self.ends(now, held, !at.lost, around);
        self.release(held);
        if at.lost {
            self.lose(now, &at, around);
            self.free_buffer(now, at.port, at.channel, around);
            return;
        }
        if at.flow != NONE {
            self.flow_ends(now, &at, around);
        }
        self.counts.received += 1;
        if at.frame.is_link_control() {
            self.answered(now, node, &at, around);
            return;
        }
        self.owes_ack(node, at.frame);
        around.upcall(now, node, NodeEvent::Received(at.frame));
    }

    /// A buffer is empty again: R_RDY is sent to the other end.
    #[inline]
    pub(super) fn free_buffer(&mut self, now: Time, port: u32, channel: u8, around: &mut impl FabricHost) {
        self.carry_out_departures(now, port);
        let of = &mut self.ports[port as usize];
        of.occupied -= 1;
        around.changed(of.place);
        if of.is_active {
            self.send_ready(now, port, channel, around);
            if self.is_fast {
                self.wait_is_put_off(now, port);
            }
        } else {
            self.owes(port, channel);
        }
    }

    /// A port sends R_RDY, which lets the other end send one more frame.
    #[inline]
    pub(super) fn send_ready(&mut self, now: Time, port: u32, channel: u8, around: &mut impl FabricHost) {
        let of = &mut self.ports[port as usize];
        let rules = of.rules;
        let comes = of.line.ready_slot(&rules, now) + rules.latency;
        let loses = of.losses.is_some();
        let peer = port as usize ^ 1;
        let lead = self.ports[peer].lead;
        let wants = self.ports[lead as usize].has_frames_to_send();
        let credit = self.ports[peer].credits.channel_credit(channel);
        let waits = wants && credit.available_credit(now) == 0;
        let more = if loses {
            self.ready_may_be_lost(now, port, channel, comes)
        } else {
            credit.ready_will_arrive(comes);
            Some(comes)
        };
        around.changed(self.ports[peer].place);
        if let Some(at) = more.filter(|_| waits) {
            self.plan(now, port ^ 1, at, around);
        }
    }

    /// The switch of a port, and the number of the port there.
    pub(super) fn place_of(&self, port: u32) -> Port {
        let port = &self.ports[port as usize];
        let LinkEndDevice::Switch(switch) = port.at else {
            return Port { switch: 0, local: 0, lead: port.lead };
        };
        Port { switch: switch.into(), local: port.local.into(), lead: port.lead }
    }
}

/// A port of a switch.
pub(super) struct Port {
    pub switch: u32,
    pub local: usize,
    pub lead: u32,
}
