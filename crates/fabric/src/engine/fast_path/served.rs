//! The service of a frame by the routing unit of a switch, and the arrival of a frame at its node.

use super::super::probes::FrameStage;
use super::super::{Fabric, FabricEvent, FabricHost, NodeEvent};
use crate::layout::LinkEndDevice;
use sansim_kernel::Time;

impl Fabric {
    /// The header of a frame will be at a switch at this time.
    #[inline]
    pub(super) fn header_will_arrive(
        &mut self,
        at: Time,
        switch: u16,
        input: usize,
        held: u32,
        around: &mut impl FabricHost,
    ) {
        let unit = &mut self.switches[usize::from(switch)].unit;
        if let Some(begins) = unit.header_will_arrive(at, input, held) {
            let switch = u32::from(switch);
            around.schedule(begins + self.parameters.routing_delay, FabricEvent::Route(switch), switch);
        }
    }

    /// The routing unit of a switch has served a header, unless it began with another header since this event was scheduled.
    pub(in super::super) fn route_on_fast_path(
        &mut self,
        now: Time,
        switch: u32,
        around: &mut impl FabricHost,
    ) {
        let delay = self.parameters.routing_delay;
        while self.switches[switch as usize].unit.begun_at().is_some_and(|begun| begun + delay == now) {
            let Some(held) = self.switches[switch as usize].unit.header_done(now) else { return };
            if let Some(begins) = self.switches[switch as usize].unit.begun_at()
                && begins + delay > now
            {
                around.schedule(begins + delay, FabricEvent::Route(switch), switch);
            }
            self.served(now, switch, held, around);
        }
    }

    /// The paths of a frame are known: the frame waits for its output, or for several.
    fn served(&mut self, now: Time, switch: u32, held: u32, around: &mut impl FabricHost) {
        let ways = self.allowed_paths(switch, held);
        let ways = if self.has_several_paths { self.idle_one_on_fast_path(now, ways) } else { ways };
        if ways.is_blocked() {
            self.drop_from_buffer(now, held, around);
            return;
        }
        let at = &mut self.held[held];
        (at.ways, at.arrival) = (ways, self.arrivals);
        self.arrivals += 1;
        let (tail_at, header_at) = (at.tail_at, at.header_at);
        let from = if self.is_stored_first(&self.held[held]) { now.max(tail_at) } else { now };
        let ready_at = from + self.parameters.forwarding_delay;
        self.held[held].ready_at = ready_at;
        self.at_stage(now, held, FrameStage::Served { came: header_at, ready: ready_at }, around);
        self.waits(switch as u16, held);
        if let Some(output) = ways.sole_port() {
            self.plan(now, output.into(), ready_at, around);
        } else {
            ways.ports().for_each(|output| self.plan(now, output.into(), ready_at, around));
        }
    }

    /// The last word of a frame has arrived at its node.
    pub(in super::super) fn arrived_on_fast_path(
        &mut self,
        now: Time,
        held: u32,
        around: &mut impl FabricHost,
    ) {
        let LinkEndDevice::Node(node) = self.ports[self.held[held].port as usize].at else { return };
        self.ends(now, held, true, around);
        self.held.release_buffer(held);
        self.counts.received += 1;
        let frame = self.held[held].frame;
        if self.is_accepted(now, node, &frame) {
            around.upcall(now, node, NodeEvent::Accepted(frame));
            self.buffer_freed(now, node, around);
        } else {
            around.upcall(now, node, NodeEvent::Received(frame));
        }
    }
}
