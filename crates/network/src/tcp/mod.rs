//! A switched network on which nodes use TCP: a coarse model, for the cost of storage behind it.
//!
//! Sources: RFC 793, 1122, 5681 and 6582 for TCP, IEEE 802.3 for frames; Friedman (SANs vs. NAS, and footnote 1) for the comparison. The
//! messages are the messages of the adapters at the ports: with the two messages of an I/O a file protocol, with the four messages of FCP a
//! block protocol.
//!
//! * Between each two nodes that communicate there is a connection, which exists from the beginning: two streams of bytes
//!   (`stream.rs`).
//! * Data that a node hands over go into the stream and are cut into segments. Each segment is a frame: the software of the node makes it,
//!   the link of the node carries it to the switch, the switch stores it and the link of the receiver carries it on. A frame may be lost
//!   between the sender and the receiver.
//! * The adapter of the receiver interrupts for frames, and the software handles each frame. Where a node has processors they do the work
//!   of the software. A message is handed to the node when all its bytes and all bytes before it have arrived.
//! * Acknowledgements are sent with data if there are any, else in frames of their own.
//!
//! docs/model/tcp.md lists what the model leaves out.

mod catalogue;
mod contract;
mod demand;
mod node;
mod sending;
mod taking;
#[cfg(test)]
mod tests;

pub use sansim_tcp::{SoftwareCostKeys, TcpParameters};

use catalogue::{CATALOGUE, PLACE_METERS, figure, gauge, meter, place_meter, segment};
use node::Node;
use sansim_component::component_kind::NetworkPortRole;
use sansim_component::demand::{Demand, DemandContext, RequestClass};
use sansim_component::{
    BuildContext, Component, Context, EventTurn, LeftoverFindings, Message, NetworkNode, NetworkRole, Timer,
};
use sansim_kernel::{EventKey, RandomStream, Span, Time, Total};
use sansim_pdu::Address;
use sansim_pdu::Pdu;
use sansim_request::RequestId;
use sansim_schema::catalogue::{Catalogue, PlaceMeter};
use sansim_tcp::costs::SoftwareCosts;
use sansim_tcp::stream::{StreamRules, TcpStream};

/// A network with TCP. The component is described in the module text.
#[derive(Clone, Debug)]
pub struct TcpNetwork {
    parameters: TcpParameters,
    rules: StreamRules,
    nodes: Vec<Node>,
    /// The nodes whose TCP runs on the processors of a host, by the ports at these processors, which follow the ports of
    /// the nodes.
    at_processors: Vec<u16>,
    addresses: Vec<Address>,
    connections: Connections,
    /// The random stream that decides which frames are lost; none if no frames are lost.
    losses: Option<RandomStream>,
    counts: Counts,
}

/// The streams of bytes between nodes. The two streams of a connection are neighbours in the list.
#[derive(Clone, Debug, Default)]
struct Connections {
    nodes: usize,
    /// The stream from each node to each other node; `NONE` where nothing has been sent yet.
    of: Vec<u32>,
    all: Vec<OneWay>,
}

const NONE: u32 = u32::MAX;

/// A stream of bytes with its ends and its timers.
#[derive(Clone, Debug)]
struct OneWay {
    stream: TcpStream,
    from: u16,
    to: u16,
    /// The timer after which the sender transmits again without an acknowledgement, and the time for which it
    /// waited last.
    time_out: Option<EventKey>,
    waits: Span,
    /// The timer after which the receiver acknowledges.
    delayed: Option<EventKey>,
}

/// The counts in the results.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    handed: u64,
    delivered: u64,
    bytes: u64,
    data_frames: u64,
    acks: u64,
    lost: u64,
    dropped: u64,
    marked: u64,
    again: u64,
    time_outs: u64,
}

/// The kinds of timers.
mod what {
    /// A frame has arrived at a node.
    pub const ARRIVED: u8 = 0;
    /// A frame has left a node.
    pub const LEFT: u8 = 1;
    /// The software of a node is done with a job.
    pub const WORKED: u8 = 2;
    /// An adapter stops waiting for more frames before it interrupts.
    pub const GATHERED: u8 = 3;
    /// A receiver acknowledges a stream.
    pub const ACKNOWLEDGES: u8 = 4;
    /// A sender has waited for an acknowledgement of a stream for too long.
    pub const TIME_OUT: u8 = 5;
}

/// Arrivals are handled before decisions of ports at the same moment, and decisions come after the actions of
/// nodes.
const ARRIVES: u8 = 1;
const DECIDES: u8 = 3;

/// The number of events of one kind at one moment that have different numbers. No more streams than this
/// number have an event of one kind at one moment.
const MOST_UNITS: u32 = 1 << 20;

/// The most nodes on a network with TCP.
pub const MOST_NODES: usize = 1_024;

/// The longest time until a segment is retransmitted.
const LONGEST_WAIT: Span = Span::from_s(60);

fn wake(cx: &mut Context<'_>, at: Time, what: u8, number: u32) -> EventKey {
    let priority = if what == what::ARRIVED { ARRIVES } else { DECIDES };
    // Among events of one kind at one moment events with a lower number come first.
    let turn = EventTurn { priority, unit: u32::from(what) + 8 * (number % MOST_UNITS) };
    cx.set_cancellable_timer(at, turn, Timer { what, place: 0, number })
}

fn request_of(frame: &Pdu) -> RequestId {
    RequestId(frame.tag.0)
}

impl Connections {
    fn new(nodes: usize) -> Self {
        Self { nodes, of: vec![NONE; nodes * nodes], all: Vec::new() }
    }

    /// The stream from one node to another; the first use of a connection creates both of its streams.
    fn stream(&mut self, from: usize, to: usize, rules: &StreamRules) -> usize {
        let place = from * self.nodes + to;
        if self.of[place] == NONE {
            let first = self.all.len() as u32;
            (self.of[place], self.of[to * self.nodes + from]) = (first, first + 1);
            let one_way = |from: usize, to: usize| OneWay {
                stream: TcpStream::new(rules),
                from: from as u16,
                to: to as u16,
                time_out: None,
                waits: rules.time_out,
                delayed: None,
            };
            self.all.extend([one_way(from, to), one_way(to, from)]);
        }
        self.of[place] as usize
    }
}

/// The stream of the connection in the other direction.
fn back(stream: usize) -> usize {
    stream ^ 1
}

impl TcpNetwork {
    /// Idle nodes at these addresses, each with its side, its costs, and the number of frames that its adapter keeps
    /// ready.
    fn new(parameters: &TcpParameters, addresses: Vec<Address>, nodes: Vec<Node>) -> Self {
        Self {
            rules: StreamRules {
                segment: parameters.max_segment_bytes(),
                window: parameters.window,
                ack_every: parameters.ack_every,
                duplicates: parameters.duplicate_acks,
                congestion: parameters.congestion_control,
                initial_segments: parameters.initial_window,
                time_out: parameters.time_out,
                least_time_out: parameters.least_time_out,
            },
            connections: Connections::new(nodes.len()),
            at_processors: at_processors(&nodes),
            nodes,
            addresses,
            losses: None,
            counts: Counts::default(),
            parameters: parameters.clone(),
        }
    }

    /// The node at an address: addresses are given in the order of the nodes.
    fn node_at(&self, address: Address) -> Option<usize> {
        self.addresses.binary_search(&address).ok()
    }

    fn of_side(&self, side: usize, what: impl Fn(&Node) -> Span) -> Span {
        self.nodes.iter().filter(|node| node.side == side).map(what).sum()
    }
}

/// The nodes whose software runs on processors, in the order of the ports at these processors.
fn at_processors(nodes: &[Node]) -> Vec<u16> {
    let ports =
        nodes.iter().enumerate().filter_map(|(number, node)| Some((node.processors?.port, number as u16)));
    let mut ports: Vec<(u16, u16)> = ports.collect();
    ports.sort_unstable();
    ports.into_iter().map(|(_, number)| number).collect()
}

/// The address of a node, by its number.
pub fn node_address(node: usize) -> Address {
    Address::new((node as u32 + 1) << 8)
}

impl Component for TcpNetwork {
    type Parameters = TcpParameters;
    type Role = NetworkRole;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    const PLACE_METERS: &'static [PlaceMeter] = PLACE_METERS;

    fn demand(
        parameters: &TcpParameters,
        class: &RequestClass,
        around: &DemandContext<'_>,
    ) -> Option<Demand> {
        Some(demand::of(parameters, class, around))
    }

    fn build(parameters: &TcpParameters, cx: &BuildContext<'_, NetworkRole>) -> Self {
        let node = |node: &NetworkNode| {
            let stack = parameters.node_software(&node.listed);
            let costs = stack.map_or(SoftwareCosts::NONE, |stack| SoftwareCosts::new(&stack.described));
            Node::new(usize::from(node.side != NetworkPortRole::Initiator), costs, node.pace.ready_frames)
                .with_processors(node.processors)
        };
        let nodes = cx.nodes.iter().map(node).collect();
        let addresses = cx.nodes.iter().map(|node| node.address).collect();
        let stream = || cx.component_random_stream("losses");
        Self { losses: (parameters.frame_loss > 0.0).then(stream), ..Self::new(parameters, addresses, nodes) }
    }

    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        let number = timer.number as usize;
        match timer.what {
            what::ARRIVED => self.arrived(cx, number),
            what::LEFT => self.frame_left(cx, number),
            what::WORKED => self.worked(cx, number),
            what::GATHERED => self.gathered(cx, number),
            what::ACKNOWLEDGES => self.acknowledges(cx, number),
            _ => self.timed_out(cx, number),
        }
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        match message {
            Message::Send(frame) => self.enqueue(cx, usize::from(port), frame),
            Message::Worked(work) => self.was_worked(cx, port, work),
            // A node always has room for arriving messages.
            _ => {}
        }
    }

    fn places(&self) -> u16 {
        self.nodes.len() as u16
    }

    fn gauge(&self, now: Time, gauge: usize, place: u16) -> u32 {
        let node = &self.nodes[usize::from(place)];
        match gauge {
            gauge::SEND_QUEUE => node.out.len() as u32,
            gauge::SWITCH_BUFFER => u32::try_from(self.waiting_bytes(node, now)).unwrap_or(u32::MAX),
            gauge::CONGESTION_WINDOW => {
                let of_node = self.connections.all.iter().filter(|one_way| one_way.from == place);
                let bytes = of_node.filter_map(|one_way| one_way.stream.congestion_window()).sum::<u64>();
                u32::try_from(bytes).unwrap_or(u32::MAX)
            }
            _ => node.jobs.len() as u32,
        }
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        let counts = &self.counts;
        let interrupts = |side: usize| {
            let of_side = self.nodes.iter().filter(|node| node.side == side);
            of_side.map(|node| node.interrupts).sum()
        };
        let count = match meter {
            _ if meter == meter::SENDING[0] => {
                return self.of_side(0, |node| node.link_sending_time(now)).into();
            }
            _ if meter == meter::SENDING[1] => {
                return self.of_side(1, |node| node.link_sending_time(now)).into();
            }
            _ if meter == meter::STACK[0] => {
                return self.of_side(0, |node| node.software_work_time(now)).into();
            }
            _ if meter == meter::STACK[1] => {
                return self.of_side(1, |node| node.software_work_time(now)).into();
            }
            _ if meter == meter::INTERRUPTS[0] => interrupts(0),
            _ if meter == meter::INTERRUPTS[1] => interrupts(1),
            meter::DATA_FRAMES => counts.data_frames,
            meter::ACKS => counts.acks,
            meter::LOST => counts.lost,
            meter::DROPPED => counts.dropped,
            meter::MARKED => counts.marked,
            meter::AGAIN => counts.again,
            meter::TIME_OUTS => counts.time_outs,
            _ => counts.bytes,
        };
        Total(count.into())
    }

    fn place_meter(&self, now: Time, meter: usize, place: u16) -> Total {
        let node = &self.nodes[usize::from(place)];
        if meter == place_meter::SENDING {
            node.link_sending_time(now).into()
        } else {
            node.software_work_time(now).into()
        }
    }

    fn capacity(&self, meter: usize) -> u64 {
        let side = usize::from(meter == meter::SENDING[1] || meter == meter::STACK[1]);
        let of_side = self.nodes.iter().filter(|node| node.side == side).count() as u64;
        if meter <= meter::STACK[1] { of_side.max(1) } else { 1 }
    }

    fn constant(&self, figure: usize) -> f64 {
        if figure == figure::SEGMENT { self.rules.segment as f64 } else { self.nodes.len() as f64 }
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        leftovers.check_equal(
            "messages",
            ("handed over", self.counts.handed),
            ("delivered", self.counts.delivered),
        );
        let left = |one_way: &OneWay| one_way.stream.handed - one_way.stream.received;
        leftovers.check_zero("bytes left in connections", self.connections.all.iter().map(left).sum());
    }
}
