//! The simulation of an Ethernet: switches with the topologies and routes of fabrics, and links without credit.
//!
//! A node hands a frame over to its own port ([`EthernetSwitches::send`]). A frame needs two events for each link: it has left, and it may be
//! acted on at the other end, after the latency of the switch there. Where outputs are plain queues the time at which a frame leaves follows when
//! it comes, and needs no event. Events of one instant happen in this order: arrivals, ends of
//! transmissions, then what nodes do.
//!
//! * [`frame`] is a frame, [`port`] an end of a link, [`speed`] its rate; [`output_queues`] has the frames that wait at an output, and chooses the next;
//!   [`memory`] has the room of a switch, [`marking`] the marks of congestion (ECN), [`pause`] the pauses by priority (PFC),
//!   [`slow_receivers`] nodes that take less than their link brings, [`transmission`] the transmitters, [`failures`] links and switches that fail,
//!   [`counters`] what is counted.
//! * A flow takes one of the shortest paths, by a hash of its connection; parallel links are paths of their own, as in a group of links by
//!   hash (IEEE 802.1AX leaves the rule open).
//!
//! Assumptions: a frame occupies its room in a switch as a whole, from when the switch may act on it until its last byte has left. A class
//! that loses nothing has its room, thresholds and headroom of each port, set aside. A pause frame goes before all other frames. The
//! tables of addresses are complete from the beginning.

mod counters;
mod failures;
pub mod frame;
pub mod marking;
pub mod memory;
pub mod output_queues;
pub mod parameters;
pub mod pause;
pub mod port;
pub mod slow_receivers;
pub mod speed;
#[cfg(test)]
mod tests;
mod transmission;

pub use counters::EthernetBalance;
pub use frame::EthernetFrame;
pub use parameters::{EthernetQueueParameters, EthernetSwitchParameters};
pub use port::EthernetPortUse;
pub use speed::EthernetSpeed;

use crate::layout::{FabricLayout, LinkEndDevice};
use crate::routing::RouteTable;
use crate::switch::SwitchingMode;
use frame::{MOST_CLASSES, path_of_flow};
use marking::MarkingRule;
use memory::SwitchMemory;
use output_queues::{ClassWeights, NO_INPUT, WaitingFrame};
use pause::PauseRequest;
use port::EthernetPort;
use sansim_kernel::{RandomStream, Span, Time};
use slow_receivers::SlowReceiver;
use std::collections::VecDeque;

/// An event of an Ethernet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EthernetEvent {
    /// The device at the other end of this port may act on the first frame in flight to it.
    Arrives(u32),
    /// The port has sent the last byte of its transmission.
    Left(u32),
    /// The device at the other end of this port has a pause frame.
    Pause(u32),
    /// A slow node has taken a frame.
    Taken(u16),
    /// Switches use the paths over the links that work now.
    Converged,
}

/// A message to a node, or about a frame of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EthernetNotice {
    /// The last byte of a frame has left the node that sends it.
    Left(EthernetFrame),
    /// A frame has arrived at the node to which it goes.
    Arrived(EthernetFrame),
    /// A frame is lost: by the link of its sender, or because there was no room for it.
    Lost(EthernetFrame),
}

/// The surroundings of an Ethernet, which carry out its requests.
pub trait EthernetHost {
    /// Schedules an event at this time, at or after the present.
    fn schedule(&mut self, at: Time, event: EthernetEvent);
    /// Reports something to the nodes.
    fn notify(&mut self, notice: EthernetNotice);
    /// Whether what passes at ports is observed.
    fn observes(&self) -> bool {
        false
    }
    /// A transmission passes a link, now or later.
    fn passes(&mut self, _link: LinkPassage, _what: PassingFrame) {}
}

/// The passage of a transmission over a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkPassage {
    /// The port that sends it.
    pub port: u32,
    /// The time at which its first byte leaves the port.
    pub begins: Time,
    /// The time from its first byte to its last.
    pub lasts: Span,
    /// The time at which its first byte reaches the other end; none if it is lost.
    pub arrives: Option<Time>,
}

/// The content of a transmission that observers see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassingFrame {
    /// A frame.
    Frame(EthernetFrame),
    /// A pause frame.
    Pause(PauseRequest),
}

/// A class of frames: its queue, and the rule of its marks.
#[derive(Clone, Copy, Debug)]
struct FrameClass {
    marking: Option<MarkingRule>,
}

/// An Ethernet.
#[derive(Clone, Debug)]
pub struct EthernetSwitches {
    layout: FabricLayout,
    routes: RouteTable,
    up_down: bool,
    ports: Vec<EthernetPort>,
    /// The switch of each node, none on a link between two nodes; and its own port.
    switch_of_node: Vec<Option<u16>>,
    node_ports: Vec<u32>,
    memories: Vec<SwitchMemory>,
    classes: Vec<FrameClass>,
    weights: ClassWeights,
    largest: u32,
    response: Span,
    /// For each node that is slow: the frames in it.
    slow: Vec<Option<Box<SlowReceiver>>>,
    /// The share of frames that the links of nodes lose, and for each node the random stream that decides which; none if nothing is lost.
    loss: f64,
    losses: Vec<RandomStream>,
    /// The random stream of marks.
    marks: RandomStream,
    counts: EthernetBalance,
    /// Whether frames leave every output of a switch in the order in which they come, and nothing but the output limits them, so that the time at
    /// which each leaves is known when it comes.
    leaves_in_turn: bool,
    /// For each link whether it has not failed itself, and for each switch whether it works.
    sound_links: Vec<bool>,
    working_switches: Vec<bool>,
    convergence_time: Span,
    /// The time at which routing will have converged last.
    converges_at: Option<Time>,
}

/// The description of an Ethernet.
#[derive(Clone, Debug)]
pub struct EthernetPlan {
    /// Switches, links and nodes.
    pub layout: FabricLayout,
    /// The bytes per second of each link of the layout.
    pub rates: Vec<u64>,
    /// The parameters that all switches have in common.
    pub switch: EthernetSwitchParameters,
    /// The queue of each class; at least one.
    pub classes: Vec<EthernetQueueParameters>,
    /// The bytes of the largest frame on a link.
    pub largest: u32,
    /// The share of frames that the links of nodes lose on their way to the switch.
    pub loss: f64,
    /// Whether paths must not go up again once they have gone down.
    pub up_down: bool,
    /// The nodes that take less than their link brings, with their bytes per second and their room in bytes.
    pub slow: Vec<(u16, u64, u64)>,
    /// Whether links and switches may fail.
    pub may_fail: bool,
}

impl EthernetSwitches {
    /// An Ethernet in which nothing is in flight, with random streams by name.
    pub fn new(plan: &EthernetPlan, stream: impl Fn(&str) -> RandomStream) -> Self {
        let EthernetPlan { layout, rates, switch, classes, .. } = plan;
        let works = vec![true; layout.links.len()];
        let own: Vec<u32> = (0..2 * layout.links.len() as u32).collect();
        let mut node_ports = vec![0; layout.nodes.len()];
        let mut ports = Vec::with_capacity(own.len());
        for (number, link) in layout.links.iter().enumerate() {
            for (end, &at) in link.ends.iter().enumerate() {
                let mut port = EthernetPort::new(at, rates[number], link.rules.latency, classes.len());
                if let LinkEndDevice::Switch(_) = link.ends[1 - end] {
                    port.latency = switch.latency;
                }
                if let LinkEndDevice::Node(node) = at {
                    node_ports[usize::from(node)] = (2 * number + end) as u32;
                }
                for (rule, class) in port.pause_rules.iter_mut().zip(classes) {
                    let link = (rates[number], link.rules.latency);
                    *rule = class.pause_rule(switch, link, plan.largest.into(), classes.len());
                }
                ports.push(port);
            }
        }
        let rates_of = |switch: u16| {
            let of_it = move |port: &&EthernetPort| port.at == LinkEndDevice::Switch(switch);
            ports.iter().filter(of_it).map(|port| port.rate)
        };
        let cuts_through: Vec<bool> = (0..layout.switches.len() as u16)
            .map(|number| {
                let mut rates = rates_of(number);
                let first = rates.next();
                switch.switching == SwitchingMode::CutThrough && rates.all(|rate| Some(rate) == first)
            })
            .collect();
        for port in 0..ports.len() {
            if let LinkEndDevice::Switch(other) = ports[port ^ 1].at {
                ports[port].cuts_through = cuts_through[usize::from(other)];
            }
        }
        let set_aside = |number: u16| {
            let of_it = ports.iter().filter(|port| port.at == LinkEndDevice::Switch(number));
            of_it.flat_map(|port| port.pause_rules.iter().flatten()).map(|rule| rule.most_bytes()).sum()
        };
        let memories = (0..layout.switches.len() as u16)
            .map(|number| SwitchMemory::new(switch, set_aside(number)))
            .collect();
        let mut slow: Vec<Option<Box<SlowReceiver>>> = vec![None; layout.nodes.len()];
        for &(node, rate, room) in &plan.slow {
            slow[usize::from(node)] = Some(Box::new(SlowReceiver::new(rate, room)));
        }
        Self {
            routes: RouteTable::find_paths(layout, &works, &own, plan.up_down),
            switch_of_node: layout.nodes.iter().map(|node| node.switch).collect(),
            node_ports,
            memories,
            classes: classes
                .iter()
                .map(|queue| FrameClass { marking: MarkingRule::of_queue(queue) })
                .collect(),
            weights: std::array::from_fn(|class| classes.get(class).map_or(Some(1), |queue| queue.weight)),
            largest: plan.largest,
            response: switch.pause_response,
            slow,
            loss: plan.loss,
            losses: (0..if plan.loss > 0.0 { layout.nodes.len() } else { 0 })
                .map(|node| stream(&format!("losses/{node}")))
                .collect(),
            marks: stream("marks"),
            counts: EthernetBalance::default(),
            leaves_in_turn: matches!(&classes[..], [only] if !only.lossless)
                && switch.buffer.is_none()
                && !plan.may_fail,
            ports,
            layout: layout.clone(),
            up_down: plan.up_down,
            sound_links: works,
            working_switches: vec![true; layout.switches.len()],
            convergence_time: switch.convergence_time,
            converges_at: None,
        }
    }

    /// The bytes of memory that a switch with these links sets aside for classes that lose nothing.
    pub fn set_aside_bytes(plan: &EthernetPlan) -> u64 {
        let unlimited = EthernetSwitchParameters { buffer: None, ..plan.switch.clone() };
        let switches =
            Self::new(&EthernetPlan { switch: unlimited, ..plan.clone() }, |name| RandomStream::new(0, name));
        let of_switch = |number: u16| -> u64 {
            let of_it = switches.ports.iter().filter(|port| port.at == LinkEndDevice::Switch(number));
            of_it.flat_map(|port| port.pause_rules.iter().flatten()).map(|rule| rule.most_bytes()).sum()
        };
        (0..switches.memories.len() as u16).map(of_switch).max().unwrap_or(0)
    }

    /// A node hands a frame over to its port.
    pub fn send(&mut self, now: Time, frame: EthernetFrame, host: &mut impl EthernetHost) {
        self.counts.handed += 1;
        let port = self.node_ports[usize::from(frame.from)];
        self.wait_at(port, WaitingFrame { frame, input: NO_INPUT });
        self.begin(now, port, host);
    }

    /// Handles an event.
    pub fn handle(&mut self, now: Time, event: EthernetEvent, host: &mut impl EthernetHost) {
        match event {
            EthernetEvent::Arrives(port) => self.arrives(now, port, host),
            EthernetEvent::Left(port) => self.left(now, port, host),
            EthernetEvent::Pause(port) => self.pause_arrives(now, port, host),
            EthernetEvent::Taken(node) => self.taken(now, node, host),
            EthernetEvent::Converged => self.paths_change(),
        }
    }

    /// The first frame in flight behind a port has arrived.
    fn arrives(&mut self, now: Time, port: u32, host: &mut impl EthernetHost) {
        let sender = &mut self.ports[port as usize];
        // The frame for which the event was scheduled may be lost with its link, and others be in flight now.
        let Some((_, frame)) = pop_due(&mut sender.in_flight, now) else { return };
        if let Some(&(next, _)) = sender.in_flight.front() {
            host.schedule(next, EthernetEvent::Arrives(port));
        }
        let input = port ^ 1;
        match self.ports[input as usize].at {
            LinkEndDevice::Node(node) => self.receive(now, (node, input), frame, host),
            LinkEndDevice::Switch(switch) => self.forward(now, (switch, input), frame, host),
        }
    }

    /// A node receives a frame; a slow node keeps it first, if it has room.
    fn receive(
        &mut self,
        now: Time,
        (node, input): (u16, u32),
        frame: EthernetFrame,
        host: &mut impl EthernetHost,
    ) {
        let Some(slow) = &mut self.slow[usize::from(node)] else {
            self.counts.arrived += 1;
            host.notify(EthernetNotice::Arrived(frame));
            return;
        };
        let port = &self.ports[input as usize];
        let class = usize::from(frame.class);
        let has_room = match port.pause_rules[class] {
            Some(rule) => port.came_in[class] + u64::from(frame.bytes) <= rule.most_bytes(),
            None => slow.has_room(frame.bytes),
        };
        if !has_room {
            self.drop_frame(input, frame, host);
            return;
        }
        if let Some(at) = slow.keep(now, frame) {
            host.schedule(at, EthernetEvent::Taken(node));
        }
        self.count_in(now, input, frame, host);
    }

    /// A slow node has taken its first frame.
    fn taken(&mut self, now: Time, node: u16, host: &mut impl EthernetHost) {
        let Some((frame, next)) = self.slow[usize::from(node)].as_mut().and_then(|slow| slow.take(now))
        else {
            return;
        };
        if let Some(at) = next {
            host.schedule(at, EthernetEvent::Taken(node));
        }
        self.count_out(now, self.node_ports[usize::from(node)], frame, host);
        self.counts.arrived += 1;
        host.notify(EthernetNotice::Arrived(frame));
    }

    /// A switch chooses the output of a frame, and keeps the frame if it has room.
    fn forward(
        &mut self,
        now: Time,
        (switch, input): (u16, u32),
        mut frame: EthernetFrame,
        host: &mut impl EthernetHost,
    ) {
        let Some(output) = self.output_of(switch, input, &frame) else {
            self.drop_frame(input, frame, host);
            return;
        };
        if !self.ports[output as usize].is_alive {
            self.counts.lost += 1;
            host.notify(EthernetNotice::Lost(frame));
            return;
        }
        let (bytes, class) = (u64::from(frame.bytes), usize::from(frame.class));
        self.ports[output as usize].settle(now);
        let at_output = self.ports[output as usize].waiting_bytes;
        let in_class = self.ports[output as usize].class_waiting_bytes(frame.class);
        let port = &self.ports[input as usize];
        let memory = &mut self.memories[usize::from(switch)];
        let dropped_at = match port.pause_rules[class] {
            Some(rule) => (port.came_in[class] + bytes > rule.most_bytes()).then_some(input),
            None => (!memory.has_room(bytes, at_output, in_class)).then_some(output),
        };
        if let Some(port) = dropped_at {
            self.drop_frame(port, frame, host);
            return;
        }
        let counts =
            if port.pause_rules[class].is_some() { &mut memory.lossless_used } else { &mut memory.used };
        *counts += if self.leaves_in_turn { 0 } else { bytes };
        if frame.may_be_marked
            && let Some(rule) = self.classes[class].marking
            && rule.marks(in_class, &mut self.marks)
        {
            frame.is_marked = true;
            self.ports[output as usize].usage.marked += 1;
        }
        if self.leaves_in_turn {
            return self.leave_in_turn(now, output, frame, host);
        }
        self.count_in(now, input, frame, host);
        self.wait_at(output, WaitingFrame { frame, input });
        self.begin(now, output, host);
    }

    /// The port by which a frame leaves a switch: to the node, or on the path of its flow among the shortest.
    fn output_of(&self, switch: u16, input: u32, frame: &EthernetFrame) -> Option<u32> {
        let target = self.switch_of_node[usize::from(frame.to)]?;
        if target == switch {
            return Some(self.node_ports[usize::from(frame.to)] ^ 1);
        }
        let from = match self.ports[input as usize ^ 1].at {
            LinkEndDevice::Switch(from) => Some(from),
            LinkEndDevice::Node(_) => None,
        };
        let ports = self.routes.ports(switch, from, target);
        match ports {
            [] => None,
            [only] => Some(u32::from(*only)),
            several => Some(u32::from(several[path_of_flow(frame.flow, switch, several.len())])),
        }
    }

    /// A frame waits at an output.
    fn wait_at(&mut self, output: u32, waiting: WaitingFrame) {
        let port = &mut self.ports[output as usize];
        port.waiting_bytes += u64::from(waiting.frame.bytes);
        port.queues.push(waiting);
    }

    /// A frame is lost because there is no room for it.
    fn drop_frame(&mut self, port: u32, frame: EthernetFrame, host: &mut impl EthernetHost) {
        self.ports[port as usize].usage.dropped += 1;
        self.counts.dropped += 1;
        host.notify(EthernetNotice::Lost(frame));
    }

    /// A frame that came in by a port waits in the device. In a lossless class the other end of the link is asked to pause where too many bytes do.
    fn count_in(&mut self, now: Time, input: u32, frame: EthernetFrame, host: &mut impl EthernetHost) {
        let port = &mut self.ports[input as usize];
        if port.pause_rules[usize::from(frame.class)].is_none() {
            return;
        }
        port.came_in[usize::from(frame.class)] += u64::from(frame.bytes);
        self.pause_if_full(now, input, frame.class, host);
    }

    /// A port asks the other end of its link to pause a lossless class of which too many bytes wait in the device.
    fn pause_if_full(&mut self, now: Time, input: u32, class: u8, host: &mut impl EthernetHost) {
        let port = &mut self.ports[input as usize];
        let Some(rule) = port.pause_rules[usize::from(class)] else { return };
        if port.came_in[usize::from(class)] > rule.above && port.asked & 1 << class == 0 && port.is_alive {
            port.asked |= 1 << class;
            port.requests.push_back(PauseRequest { class, stops: true });
            self.begin(now, input, host);
        }
    }

    /// A frame that came in by a port has left the device.
    fn count_out(&mut self, now: Time, input: u32, frame: EthernetFrame, host: &mut impl EthernetHost) {
        let port = &mut self.ports[input as usize];
        let Some(rule) = port.pause_rules[usize::from(frame.class)] else { return };
        let bytes = &mut port.came_in[usize::from(frame.class)];
        *bytes -= u64::from(frame.bytes);
        let class = 1 << frame.class;
        if *bytes <= rule.below && port.asked & class != 0 {
            port.asked &= !class;
            port.requests.push_back(PauseRequest { class: frame.class, stops: false });
            self.begin(now, input, host);
        }
    }

    /// The number of classes.
    pub fn class_count(&self) -> usize {
        self.classes.len().min(MOST_CLASSES)
    }
}

/// Takes the first of what is in flight, if it has arrived by now.
fn pop_due<T>(in_flight: &mut VecDeque<(Time, T)>, now: Time) -> Option<(Time, T)> {
    if in_flight.front()?.0 > now { None } else { in_flight.pop_front() }
}
