//! TCP at the nodes of an Ethernet: connections, the software of nodes, and what adapters hand over.
//!
//! Sources: RFC 793, 1122, 5681 and 6582; Friedman (SANs vs. NAS, and footnote 1) for the comparison. The messages are the messages of the
//! adapters at the ports: with the two messages of an I/O a file protocol, with the four messages of FCP a block protocol.
//!
//! * Between each two nodes that communicate there is a connection, which exists from the beginning: two streams of bytes
//!   (`stream.rs`).
//! * Data that a node hands over go into the stream and are cut into segments. Each segment is a frame: the software of the node makes it,
//!   and hands it over to the port of the node, one at a time. The switches and links are those of `sansim_fabric::ethernet`.
//! * The adapter of the receiver interrupts for frames, and the software handles each frame. Where a node has processors they do the work
//!   of the software. A message is handed to the node when all its bytes and all bytes before it have arrived.
//! * Acknowledgements are sent with data if there are any, else in frames of their own.
//!
//! docs/model/tcp.md lists what the model leaves out.

mod catalogue;
mod contract;
mod demand;
mod keys;
mod node;
mod segment_pool;
mod sending;
mod taking;
#[cfg(test)]
mod tests;

pub use sansim_tcp::{SoftwareCostKeys, TcpParameters};

pub(crate) use catalogue::{
    FIGURES, GAUGES, PLACE_METERS, SEGMENTS, figure, gauge, meter, place_meter, segment,
};
pub(crate) use contract::software_of;
pub use demand::EthernetDemandKeys;
pub(crate) use node::Node;

use crate::ethernet::frames::Frames;
use crate::ethernet::timers::{Timers, timer};
use sansim_component::component_kind::NetworkPortRole;
use sansim_component::{BuildContext, Context, LeftoverFindings, Message, NetworkNode, NetworkRole};
use sansim_fabric::ethernet::EthernetFrame;
use sansim_fabric::ethernet::frame::connection_hash;
use sansim_kernel::{EventKey, Span, Time};
use sansim_pdu::{Address, Pdu};
use sansim_request::RequestId;
use sansim_schema::table::NamedValue;
use sansim_tcp::congestion::CongestionControl;
use sansim_tcp::costs::SoftwareCosts;
use sansim_tcp::stream::{StreamRules, TcpStream};
use sansim_tcp::{FrameFormat, TcpConnectionParameters};
use segment_pool::SegmentPool;

/// The nodes of a network, with their connections.
#[derive(Clone, Debug)]
pub struct TcpEndpoints {
    keys: TcpConnectionParameters,
    format: FrameFormat,
    rules: StreamRules,
    pub(crate) nodes: Vec<Node>,
    /// The nodes whose TCP runs on the processors of a host, by the ports at these processors, which follow the ports of
    /// the nodes.
    at_processors: Vec<u16>,
    addresses: Vec<Address>,
    connections: Connections,
    /// The segments on links.
    segments: SegmentPool,
    /// The class of the frames between two nodes.
    classes: Vec<Vec<u8>>,
    pub(crate) counts: Counts,
    /// Whether links may fail, for ever.
    may_fail: bool,
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
    /// The hash that chooses among equal paths.
    flow: u32,
    /// The timer after which the sender transmits again without an acknowledgement, and the time for which it
    /// waited last.
    time_out: Option<EventKey>,
    waits: Span,
    /// The timer after which the receiver acknowledges.
    delayed: Option<EventKey>,
    /// The bytes that the software handed over last.
    in_one: BytesInOne,
}

/// Bytes that the software of a node hands over in one, and the time at which it does.
#[derive(Clone, Copy, Debug)]
struct BytesInOne {
    at: Time,
    begin: u64,
    end: u64,
}

/// The counts in the results.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub handed: u64,
    pub delivered: u64,
    pub bytes: u64,
    pub data_frames: u64,
    pub acks: u64,
    pub again: u64,
    pub time_outs: u64,
}

/// The longest time until a segment is retransmitted.
const LONGEST_WAIT: Span = Span::from_s(60);

pub(crate) fn request_of(frame: &Pdu) -> RequestId {
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
                flow: connection_hash(from as u16, to as u16, 0),
                time_out: None,
                waits: rules.time_out,
                delayed: None,
                in_one: BytesInOne { at: Time::NEVER, begin: 0, end: 0 },
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

/// The parameters that the nodes of a network have in common.
pub(crate) struct TcpSettings<'a> {
    pub keys: &'a TcpConnectionParameters,
    pub format: FrameFormat,
    pub stacks: &'a [NamedValue<SoftwareCostKeys>],
    /// The class of the frames between two nodes.
    pub classes: Vec<Vec<u8>>,
}

impl TcpEndpoints {
    /// The nodes of a build context, idle.
    pub(crate) fn of_build(settings: TcpSettings<'_>, cx: &BuildContext<'_, NetworkRole>) -> Self {
        let node = |node: &NetworkNode| {
            let costs = settings
                .stacks
                .iter()
                .find(|stack| stack.described.members.contains(&node.listed))
                .map_or(SoftwareCosts::NONE, |stack| SoftwareCosts::new(&stack.described));
            Node::new(usize::from(node.side != NetworkPortRole::Initiator), costs, node.pace.ready_frames)
                .with_processors(node.processors)
        };
        let nodes = cx.nodes.iter().map(node).collect();
        let of = Self::new(settings, cx.nodes.iter().map(|node| node.address).collect(), nodes);
        Self { may_fail: cx.is_acted_on, ..of }
    }

    /// Idle nodes at these addresses, each with its side, its costs, and the number of frames that its adapter keeps
    /// ready.
    pub(crate) fn new(settings: TcpSettings<'_>, addresses: Vec<Address>, nodes: Vec<Node>) -> Self {
        Self {
            rules: settings.keys.stream_rules(settings.format.max_segment_bytes()),
            keys: settings.keys.clone(),
            format: settings.format,
            connections: Connections::new(nodes.len()),
            at_processors: at_processors(&nodes),
            nodes,
            addresses,
            segments: SegmentPool::default(),
            classes: settings.classes,
            counts: Counts::default(),
            may_fail: false,
        }
    }

    /// The node at an address: addresses are given in the order of the nodes.
    fn node_at(&self, address: Address) -> Option<usize> {
        self.addresses.binary_search(&address).ok()
    }

    /// Whether switches may mark the frames of senders.
    fn heeds_marks(&self) -> bool {
        self.keys.congestion_control != CongestionControl::Unlimited
    }

    /// Handles a timer.
    pub(crate) fn due(&mut self, cx: &mut Context<'_>, frames: &mut Frames, what: u8, number: usize) {
        match what {
            timer::WORKED => self.worked(cx, frames, number),
            timer::GATHERED => self.gathered(cx, frames, number),
            timer::ACKNOWLEDGES => self.acknowledges(cx, frames, number),
            _ => self.timed_out(cx, frames, number),
        }
    }

    /// Handles a message of a node or of its processors.
    pub(crate) fn receive(&mut self, cx: &mut Context<'_>, frames: &mut Frames, port: u16, message: Message) {
        match message {
            Message::Send(frame) => self.enqueue(cx, frames, usize::from(port), frame),
            Message::Worked(work) => self.was_worked(cx, frames, port, work),
            // A node always has room for arriving messages.
            _ => {}
        }
    }

    /// The bytes that the congestion windows of a node's connections let it have in flight.
    pub(crate) fn congestion_windows_of(&self, node: u16) -> u64 {
        let of_node = self.connections.all.iter().filter(|one_way| one_way.from == node);
        of_node.filter_map(|one_way| one_way.stream.congestion_window()).sum()
    }

    /// The most bytes of data of a segment.
    pub(crate) fn segment_bytes(&self) -> u64 {
        self.rules.segment
    }

    /// Reports what is left at the end of a run.
    pub(crate) fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        let streams = || self.connections.all.iter().map(|one_way| &one_way.stream);
        // Messages behind a link that never works again stay where they are.
        let stays = |count: u64| if self.may_fail { count } else { 0 };
        let waiting = streams().map(|stream| stream.messages.len() as u64).sum();
        leftovers.check_equal(
            "messages",
            ("handed over", self.counts.handed),
            ("delivered, or behind a dead link", self.counts.delivered + stays(waiting)),
        );
        let left = streams().map(|stream| stream.handed - stream.received).sum();
        leftovers.check_zero("bytes left in connections", left - stays(left));
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
