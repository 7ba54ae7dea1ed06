//! Into a buffer, to the routing unit, and to the node at the end.

use super::held::NONE;
use super::seen::{AtPort, Stage};
use super::{Event, Fabric, Surroundings, Upcall};
use crate::layout::At;
use crate::routing::Outputs;
use crate::switch::Switching;
use sansim_kernel::Time;

impl Fabric {
    /// The header of a frame is in at a switch.
    pub(super) fn header(&mut self, now: Time, held: u32, around: &mut impl Surroundings) {
        let port = self.held[held].port;
        let Port { switch, local } = self.place_of(port);
        if self.held[held].lost {
            self.drop_from_buffer(now, held, around);
            return;
        }
        self.at_stage(now, held, Stage::Header, around);
        self.sees(now, port, AtPort::Buffered(held, self.held[held].frame), around);
        self.ports[port as usize].waiting.push_back(held);
        if self.switches[switch as usize].unit.put(now, local, held) {
            around.schedule(now + self.parameters.routing_delay, Event::Route(switch), switch);
        }
    }

    /// The routing unit of a switch has served a header.
    pub(super) fn route(&mut self, now: Time, switch: u32, around: &mut impl Surroundings) {
        let delay = self.parameters.routing_delay;
        while let Some(held) = self.switches[switch as usize].unit.done(now) {
            self.routed(now, switch, held, around);
            if !delay.is_zero() {
                if self.switches[switch as usize].unit.waiting() > 0 {
                    around.schedule(now + delay, Event::Route(switch), switch);
                }
                return;
            }
        }
    }

    /// It is known where a frame may go.
    pub(super) fn routed(&mut self, now: Time, switch: u32, held: u32, around: &mut impl Surroundings) {
        let outputs = self.outputs(switch, held);
        if outputs.ports().is_empty() || self.held[held].lost {
            self.drop_waiting(now, held, around);
            return;
        }
        let outputs = self.an_idle_one(now, outputs).unwrap_or(outputs);
        let at = &mut self.held[held];
        at.outputs = outputs;
        let input = self.ports[at.port as usize].rules;
        // A frame cannot leave faster than it comes in.
        let is_slower = |port: &u16| {
            let output = self.ports[usize::from(*port)].rules;
            output.word.ticks() * input.word_bytes < input.word.ticks() * output.word_bytes
        };
        let whole =
            self.parameters.switching == Switching::StoreAndForward || outputs.ports().iter().any(is_slower);
        let from = if whole { now.max(at.tail_at) } else { now };
        at.ready_at = from + self.parameters.forwarding_delay;
        let ready_at = at.ready_at;
        self.at_stage(now, held, Stage::Routed(ready_at), around);
        for &port in outputs.ports() {
            let of = &mut self.ports[usize::from(port)];
            of.requests.push_back(held);
            around.changed(of.place);
        }
        for &port in outputs.ports() {
            self.plan(now, u32::from(port), ready_at, around);
        }
    }

    /// Of several outputs the first that is idle, which the frame takes; if none is, it waits for all of them.
    fn an_idle_one(&mut self, now: Time, outputs: Outputs) -> Option<Outputs> {
        let [_, _, ..] = outputs.ports() else { return None };
        let mut ports = outputs.ports().iter();
        let idle = ports.find(|&&port| {
            let port = &mut self.ports[usize::from(port)];
            port.sending == NONE && port.requests.is_empty() && port.credit.available(now) > 0
        });
        idle.map(|&port| Outputs::one(port))
    }

    /// The ports by which a frame may leave a switch; none if there is no way.
    fn outputs(&self, switch: u32, held: u32) -> Outputs {
        let held = &self.held[held];
        let node = &self.layout.nodes[usize::from(held.to)];
        let Some(target) = node.switch else { return Outputs::default() };
        if u32::from(target) == switch {
            let port = self.node_ports[usize::from(held.to)] ^ 1;
            return if self.works[port as usize / 2] {
                Outputs::one(port as u16)
            } else {
                Outputs::default()
            };
        }
        let from = match self.ports[held.port as usize ^ 1].at {
            At::Switch(switch) => Some(switch),
            At::Node(_) => None,
        };
        match self.routes.ports(switch as u16, from, target) {
            [] => Outputs::default(),
            allowed => self.routing.choose(&held.frame, allowed),
        }
    }

    /// The last word of a frame is in at its node.
    pub(super) fn arrived(&mut self, now: Time, held: u32, around: &mut impl Surroundings) {
        let at = self.held[held];
        let At::Node(node) = self.ports[at.port as usize].at else { return };
        self.ends(now, held, around);
        self.held.release(held);
        if at.lost {
            self.lose(now, &at.frame, around);
            self.free_buffer(now, at.port, around);
            return;
        }
        self.counts.received += 1;
        around.upcall(now, node, Upcall::Received(at.frame));
    }

    /// A buffer is empty again: R_RDY goes to the other end.
    pub(super) fn free_buffer(&mut self, now: Time, port: u32, around: &mut impl Surroundings) {
        let of = &mut self.ports[port as usize];
        of.occupied -= 1;
        around.changed(of.place);
        if !self.works[port as usize / 2] {
            return;
        }
        let rules = of.rules;
        let comes = of.line.ready(&rules, now) + rules.latency;
        let peer = &mut self.ports[port as usize ^ 1];
        let waits = !peer.requests.is_empty() && peer.credit.available(now) == 0;
        peer.credit.comes(comes);
        around.changed(peer.place);
        if waits {
            self.plan(now, port ^ 1, comes, around);
        }
    }

    /// The switch of a port, and the number of the port there.
    pub(super) fn place_of(&self, port: u32) -> Port {
        let port = &self.ports[port as usize];
        let At::Switch(switch) = port.at else { return Port { switch: 0, local: 0 } };
        Port { switch: switch.into(), local: port.local.into() }
    }
}

/// A port of a switch.
pub(super) struct Port {
    pub switch: u32,
    pub local: usize,
}
