//! Adaptive routing that keeps the order of exchanges.
//!
//! The frames of an exchange in one direction are a flow. A switch sends a frame by any allowed path if no frame of the same flow that has
//! passed the switch is in flight, and otherwise by the path of the last such frame. Frames of a flow that wait in a switch together wait
//! for the same paths, and when the first of them has left by one path the others wait for that path. When the first frame of a flow has
//! arrived, the next frame may use any path from where it waits: so a frame that can go on by any of its paths is never held up by a later
//! frame of its own flow, and the path without cycles is open to the first frame of each flow at any time.

use super::buffered_frame::{BufferedFrame, NONE, OutputPaths};
use super::{Fabric, FabricHost};
use crate::layout::LinkEndDevice;
use sansim_fc::frame::{ExchangeId, Frame};
use sansim_kernel::Time;
use sansim_pdu::Address;
use std::collections::{HashMap, VecDeque};

/// The fields S_ID, D_ID and OX_ID of a flow, and the node to which it goes: frames that are redirected have several such nodes in turn.
type Key = (Address, Address, ExchangeId, u16);

/// The buffers of a port (for a trunk, of its lead port) and virtual channel. A frame may pass a switch twice: a second time after it
/// has left the switch on the channel without cycles.
type Place = (u32, u8);

/// The path by which the last frame of a flow left a place.
#[derive(Clone, Copy, Debug)]
struct Turn {
    place: Place,
    last: u32,
    port: u16,
    onto: u8,
}

/// The frames of one flow that are in flight.
#[derive(Clone, Debug, Default)]
struct Flow {
    key: Option<Key>,
    /// The number of the first frame in flight, and the buffer of the foremost part of each frame from that number on, `NONE` for a
    /// frame that has arrived.
    first: u32,
    under_way: VecDeque<u32>,
    turns: Vec<Turn>,
}

/// All flows that have a frame in flight.
#[derive(Clone, Debug, Default)]
pub struct FlowsInFlight {
    by_key: HashMap<Key, u32>,
    flows: Vec<Flow>,
    free: Vec<u32>,
}

impl FlowsInFlight {
    /// A frame has left its node. Returns the flow of the frame, and the number of the frame within the flow.
    fn begins(&mut self, frame: &Frame, to: u16, held: u32) -> (u32, u32) {
        let key = (frame.source, frame.destination, frame.originator, to);
        let number = *self.by_key.entry(key).or_insert_with(|| {
            self.free.pop().unwrap_or_else(|| {
                self.flows.push(Flow::default());
                self.flows.len() as u32 - 1
            })
        });
        let flow = &mut self.flows[number as usize];
        flow.key = Some(key);
        flow.under_way.push_back(held);
        (number, flow.first + flow.under_way.len() as u32 - 1)
    }

    /// A frame has begun to leave one buffer for another.
    fn moves(&mut self, flow: u32, serial: u32, held: u32) {
        let flow = &mut self.flows[flow as usize];
        flow.under_way[(serial - flow.first) as usize] = held;
    }

    /// A frame of a flow has arrived, or is lost. Returns the frame that is the first of its flow now, if
    /// another frame was first before.
    fn ends(&mut self, number: u32, serial: u32) -> Option<u32> {
        let flow = &mut self.flows[number as usize];
        flow.under_way[(serial - flow.first) as usize] = NONE;
        if serial != flow.first {
            return None;
        }
        while flow.under_way.front() == Some(&NONE) {
            flow.under_way.pop_front();
            flow.first += 1;
        }
        let first = flow.under_way.front().copied();
        if first.is_none() {
            flow.turns.clear();
            flow.first = 0;
            if let Some(key) = flow.key.take() {
                self.by_key.remove(&key);
            }
            self.free.push(number);
        }
        first
    }

    /// The path by which frames of a flow leave a place, if a frame of the flow that left the place is in
    /// flight.
    fn kept(&self, flow: u32, place: Place) -> Option<(u16, u8)> {
        let flow = &self.flows[flow as usize];
        let turn = flow.turns.iter().find(|turn| turn.place == place && turn.last >= flow.first)?;
        Some((turn.port, turn.onto))
    }

    fn passes(&mut self, flow: u32, serial: u32, place: Place, port: u16, onto: u8) {
        let turns = &mut self.flows[flow as usize].turns;
        let turn = Turn { place, last: serial, port, onto };
        match turns.iter_mut().find(|turn| turn.place == place) {
            Some(old) => *old = turn,
            None => turns.push(turn),
        }
    }

    /// Paths have changed: every switch chooses a path for each flow again.
    pub fn forget_paths(&mut self) {
        self.flows.iter_mut().for_each(|flow| flow.turns.clear());
    }
}

impl Fabric {
    /// A frame begins to leave a buffer, or its node, for the buffer `ahead`.
    pub(super) fn flow_moves(&mut self, held: u32, ahead: u32) {
        let at = self.held[held];
        let (flow, serial) = if at.flow == NONE {
            self.flows.begins(&at.frame, at.to, ahead)
        } else {
            self.flows.moves(at.flow, at.serial, ahead);
            (at.flow, at.serial)
        };
        for number in [held, ahead] {
            (self.held[number].flow, self.held[number].serial) = (flow, serial);
        }
    }

    /// A frame leaves a switch by a port and channel: frames of its flow that wait in the same place leave by
    /// the same path.
    pub(super) fn flow_turns(&mut self, held: u32, port: u16, onto: u8) {
        let at = self.held[held];
        self.flows.passes(at.flow, at.serial, self.place_in(&at), port, onto);
        for place in 0..self.waiting_with(held) {
            let other = self.waiting_at(held, place);
            if self.waits_with(other, &at) {
                self.change_paths(other, OutputPaths::single_port(port, onto));
            }
        }
    }

    /// The paths of a frame of a flow with other frames in flight: the path of the last frame that left, or the paths of the frame before
    /// it that waits in the same place. The result is none if the frame may use any path.
    pub(super) fn flow_paths(&self, held: u32) -> Option<OutputPaths> {
        let at = &self.held[held];
        if let Some((port, onto)) = self.flows.kept(at.flow, self.place_in(at)) {
            return Some(OutputPaths::single_port(port, onto));
        }
        let waiting = &self.ports[self.ports[at.port as usize].lead as usize].waiting;
        let mut before = waiting.iter().take_while(|&&other| other != held);
        before.find(|&&other| self.waits_with(other, at)).map(|&other| self.held[other].ways)
    }

    /// A frame has arrived or is lost: the next frame of its flow, if it waits in a switch, may use any path from there, and so may
    /// the frames of the flow that wait with it.
    pub(super) fn flow_ends(&mut self, now: Time, at: &BufferedFrame, around: &mut impl FabricHost) {
        let Some(first) = self.flows.ends(at.flow, at.serial) else { return };
        let next = self.held[first];
        let LinkEndDevice::Switch(switch) = self.ports[next.port as usize].at else { return };
        if !next.is_routed() || next.ahead != NONE || next.vanishes {
            return;
        }
        let ways = self.allowed_paths(switch.into(), first);
        let ways = self.ruled_paths(now, switch.into(), first, ways);
        for place in 0..self.waiting_with(first) {
            let other = self.waiting_at(first, place);
            if !self.waits_with(other, &next) {
                continue;
            }
            self.change_paths(other, ways);
            let with = self.held[other];
            let ready_at = if self.is_stored_first(&with) {
                with.ready_at.max(with.tail_at + self.parameters.forwarding_delay)
            } else {
                with.ready_at
            };
            self.held[other].ready_at = ready_at;
            ways.ports().for_each(|port| self.plan_output(now, port.into(), ready_at, around));
        }
    }

    /// The allowed paths of a frame that waits in a switch change.
    fn change_paths(&mut self, held: u32, ways: OutputPaths) {
        let old = self.lane_of(held);
        if old.ways == ways {
            return;
        }
        self.held[held].ways = ways;
        let (new, arrival) = (self.lane_of(held), self.held[held].arrival);
        for port in old.ways.ports() {
            let place = self.ports[usize::from(port)].requests.remove(held);
            if let Some(place) = place.filter(|_| ways.may_leave_by(port)) {
                self.ports[usize::from(port)].requests.insert(new, place, held);
            }
        }
        for port in ways.ports().filter(|&port| !old.ways.may_leave_by(port)) {
            self.ports[usize::from(port)].requests.push(new, arrival, held);
        }
    }

    /// The place of a frame: the port and virtual channel of its buffer.
    fn place_in(&self, held: &BufferedFrame) -> Place {
        (self.ports[held.port as usize].lead, held.channel)
    }

    /// Whether a frame that waits at the same port as `held` is of the same flow, in the same place, and routed.
    fn waits_with(&self, other: u32, held: &BufferedFrame) -> bool {
        let other = &self.held[other];
        other.flow == held.flow && other.channel == held.channel && other.is_routed()
    }

    /// The number of frames that wait at the port of this frame.
    fn waiting_with(&self, held: u32) -> usize {
        self.ports[self.ports[self.held[held].port as usize].lead as usize].waiting.len()
    }

    /// A frame that waits at the port of this frame, by its place among the waiting frames.
    fn waiting_at(&self, held: u32, place: usize) -> u32 {
        self.ports[self.ports[self.held[held].port as usize].lead as usize].waiting.get(place).unwrap_or(held)
    }
}
