//! RDMA at the nodes of an Ethernet (RoCEv2): connections of queue pairs, which adapters carry out by themselves.
//!
//! Sources: Linux (`drivers/infiniband/sw/rxe`, `drivers/nvme/target/rdma.c`); Zhu and others, SIGCOMM 2015, for the rates. The messages are
//! those of the adapters at the ports: SEND for capsules, RDMA WRITE for the data of reads, RDMA READ for the data of writes.
//!
//! * Between each two nodes that communicate there is a connection, which exists from the beginning: two flows of packets
//!   (`sansim_rdma::flow`).
//! * An adapter hands one packet of each class at a time to its port: reports and acknowledgements first, then the flows that have a packet and whose rate allows it, in
//!   turn.
//! * A receiver acknowledges the last packet of a message and one of many, reports a missing packet, and reports marks of switches (CNP) where senders have
//!   rates. No software of the nodes takes part.
//!
//! Assumptions: the request and the responses of an RDMA READ are acknowledged like other messages, where a response would acknowledge the
//! request; a missing packet of the response of an RDMA READ is reported like any other, where the reader would ask again from there on.
//! Reports of congestion are in the class of the data. A connection never fails, however often it retransmits.

mod node;
mod receiving;
mod sending;
#[cfg(test)]
mod tests;

use crate::ethernet::catalogue::segment;
use crate::ethernet::frames::Frames;
use crate::ethernet::timers::timer;
use node::{PacketPool, RdmaNode};
use sansim_component::component_kind::NetworkPortRole;
use sansim_component::{BuildContext, Context, LeftoverFindings, Message, NetworkRole};
use sansim_fabric::ethernet::EthernetFrame;
use sansim_fabric::ethernet::frame::connection_hash;
use sansim_kernel::{EventKey, Time};
use sansim_pdu::Address;
use sansim_rdma::dcqcn::DcqcnRate;
use sansim_rdma::flow::{PacketRules, RdmaFlow};
use sansim_rdma::{RdmaCongestionControl, RdmaParameters};

/// The nodes of a network, with their connections.
#[derive(Clone, Debug)]
pub struct RdmaEndpoints {
    keys: RdmaParameters,
    rules: PacketRules,
    /// The bytes of a frame beside its datagram.
    overhead: u64,
    pub(crate) nodes: Vec<RdmaNode>,
    addresses: Vec<Address>,
    /// The flow from each node to each other node; `NONE` where nothing has been sent yet. The two flows of a connection are neighbours.
    of: Vec<u32>,
    flows: Vec<OneWay>,
    packets: PacketPool,
    /// The class of the frames between two nodes.
    classes: Vec<Vec<u8>>,
    pub(crate) counts: RdmaCounts,
    /// Whether links may fail, for ever.
    may_fail: bool,
}

const NONE: u32 = u32::MAX;

/// A flow with its ends, its rate and its timers.
#[derive(Clone, Debug)]
struct OneWay {
    flow: RdmaFlow,
    from: u16,
    to: u16,
    /// The hash that chooses among equal paths.
    hash: u32,
    /// The timer after which the sender begins again.
    time_out: Option<EventKey>,
    /// The rate of the sender, if it has one, and the time from which on it may send the next packet.
    rate: Option<DcqcnRate>,
    may_send_at: Time,
    rate_timer: Option<EventKey>,
    /// The time of the receiver's last report of congestion.
    noticed_at: Option<Time>,
}

/// The counts in the results.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RdmaCounts {
    pub handed: u64,
    pub delivered: u64,
    pub bytes: u64,
    pub data_packets: u64,
    pub acknowledgements: u64,
    pub again: u64,
    pub time_outs: u64,
    pub notices: u64,
}

/// The parameters that the nodes of a network have in common.
pub(crate) struct RdmaSettings<'a> {
    pub keys: &'a RdmaParameters,
    pub mtu: u64,
    pub overhead: u64,
    /// The class of the frames between two nodes.
    pub classes: Vec<Vec<u8>>,
}

impl RdmaEndpoints {
    /// The nodes of a build context, idle.
    pub(crate) fn of_build(settings: RdmaSettings<'_>, cx: &BuildContext<'_, NetworkRole>) -> Self {
        let nodes = cx.nodes.iter().map(|node| {
            RdmaNode::new(usize::from(node.side != NetworkPortRole::Initiator), node.pace.ready_frames)
        });
        let of = Self::new(settings, cx.nodes.iter().map(|node| node.address).collect(), nodes.collect());
        Self { may_fail: cx.is_acted_on, ..of }
    }

    /// Idle nodes at these addresses.
    pub(crate) fn new(settings: RdmaSettings<'_>, addresses: Vec<Address>, nodes: Vec<RdmaNode>) -> Self {
        Self {
            keys: *settings.keys,
            rules: PacketRules {
                payload: settings.keys.payload_bytes(settings.mtu),
                ack_every: settings.keys.ack_every,
            },
            overhead: settings.overhead,
            of: vec![NONE; nodes.len() * nodes.len()],
            nodes,
            addresses,
            flows: Vec::new(),
            packets: PacketPool::default(),
            classes: settings.classes,
            counts: RdmaCounts::default(),
            may_fail: false,
        }
    }

    /// The flow from one node to another; the first use of a connection creates both of its flows.
    fn flow(&mut self, from: usize, to: usize) -> usize {
        let nodes = self.nodes.len();
        let place = from * nodes + to;
        if self.of[place] == NONE {
            let first = self.flows.len() as u32;
            (self.of[place], self.of[to * nodes + from]) = (first, first + 1);
            for (flow, from, to) in [(first, from, to), (first + 1, to, from)] {
                let has_rate = self.keys.congestion_control == RdmaCongestionControl::Dcqcn;
                self.flows.push(OneWay {
                    flow: RdmaFlow::default(),
                    from: from as u16,
                    to: to as u16,
                    hash: connection_hash(from as u16, to as u16, 0),
                    time_out: None,
                    rate: has_rate.then(|| DcqcnRate::at_line_rate(self.nodes[from].rate)),
                    may_send_at: Time::ZERO,
                    rate_timer: None,
                    noticed_at: None,
                });
                self.nodes[from].flows.push(flow);
            }
        }
        self.of[place] as usize
    }

    /// Handles a timer.
    pub(crate) fn due(&mut self, cx: &mut Context<'_>, frames: &mut Frames, what: u8, number: usize) {
        match what {
            timer::PACES => {
                self.nodes[number].pace = None;
                self.begin_packet(cx, frames, number);
            }
            timer::RATE_RISES => self.rate_rises(cx, frames, number),
            _ => self.timed_out(cx, frames, number),
        }
    }

    /// Handles a message of a node.
    pub(crate) fn receive(&mut self, cx: &mut Context<'_>, frames: &mut Frames, port: u16, message: Message) {
        if let Message::Send(unit) = message {
            self.enqueue(cx, frames, usize::from(port), unit);
        }
    }

    /// The bytes per second at which the flows of a node may send, in sum; none if nothing limits them.
    pub(crate) fn rate_of(&self, node: u16) -> u64 {
        let of_node = self.nodes[usize::from(node)].flows.iter();
        let rates = of_node.filter_map(|&flow| self.flows[flow as usize].rate.as_ref());
        rates.map(|rate| rate.bytes_per_second() as u64).sum()
    }

    /// The most bytes of payload of a packet.
    pub(crate) fn payload_bytes(&self) -> u64 {
        self.rules.payload
    }

    /// Reports what is left at the end of a run.
    pub(crate) fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        let flows = || self.flows.iter().map(|one_way| &one_way.flow);
        // Messages behind a link that never works again stay where they are.
        let stays = |count: u64| if self.may_fail { count } else { 0 };
        let waiting = flows().map(|flow| flow.undelivered_parts() as u64).sum();
        leftovers.check_equal(
            "messages",
            ("handed over", self.counts.handed),
            ("delivered, or behind a dead link", self.counts.delivered + stays(waiting)),
        );
        let left: u64 = flows().map(RdmaFlow::bytes_left).sum();
        leftovers.check_zero("bytes left in connections", left - stays(left));
    }

    /// The class of the frames of a flow.
    fn class_of(&self, flow: usize) -> u8 {
        let OneWay { from, to, .. } = self.flows[flow];
        self.classes.get(usize::from(from)).map_or(0, |of_one| of_one[usize::from(to)])
    }

    /// A frame of a flow's connection, from one of its ends.
    fn frame(&self, flow: usize, bytes: u64, tag: u32, is_data: bool) -> EthernetFrame {
        let OneWay { from, to, hash, .. } = self.flows[flow];
        EthernetFrame {
            tag,
            flow: hash,
            bytes: bytes as u32,
            from,
            to,
            class: self.class_of(flow),
            may_be_marked: is_data && self.keys.congestion_control == RdmaCongestionControl::Dcqcn,
            is_marked: false,
        }
    }
}

/// The flow of the connection in the other direction.
fn back(flow: usize) -> usize {
    flow ^ 1
}
