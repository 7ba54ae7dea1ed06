//! A fabric without a simulator: nodes send given frames at given times, and note the frames that arrive.
#![allow(dead_code, reason = "each test takes what it needs")]

pub mod cases;
pub mod reference;

use sansim_fabric::class_2::{Class2Parameters, ServiceClass};
use sansim_fabric::congestion::CongestionParameters;
use sansim_fabric::engine::probes::{FrameInFlight, FrameStage};
use sansim_fabric::layout::topology::{TopologyName, TopologyParameters};
use sansim_fabric::layout::{FabricLayout, LinkEndDevice, LinkPlan, NodePlan};
use sansim_fabric::parameters::LinkProtocol;
use sansim_fabric::routing::RoutingName;
use sansim_fabric::switch::{
    ArbiterName, BufferReserve, ChannelName, ControlParameters, Crossbar, InputQueueing, SwitchParameters,
    SwitchingMode,
};
use sansim_fabric::{Fabric, FabricEvent, FabricHost, FabricParameters, NodeEvent};
use sansim_fc::cable::{CableLength, CableMedium};
use sansim_fc::frame::{Frame, Pdu, RequestTag};
use sansim_fc::link::LinkRules;
use sansim_fc::speed::Speed;
use sansim_kernel::{Calendar, Order, Span, Time};
use sansim_pdu::{Address, NoticeKind};

/// An action of a test on a fabric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Planned {
    Fabric(FabricEvent),
    Send(u16, Frame),
    Freed(u16),
    Link(usize, bool),
    Switch(usize, bool),
}

/// A note of a node: time, node, event, frame.
pub type Note = (u64, u16, &'static str, u32);

pub struct Around {
    pub calendar: Calendar<Planned>,
    pub notes: Vec<Note>,
    /// The time that each node needs to empty a buffer.
    pub takes: Vec<Span>,
    pub received: Vec<u64>,
    /// Whether a deadlock has been found.
    pub stuck: bool,
    /// Whether somebody observes the ports of the fabric.
    pub observes: bool,
    /// The stages of frames, if they are recorded: tag, hop, time and stage.
    pub stages: Option<Vec<(u32, u8, u64, String)>>,
}

const NODE: u8 = 2;

/// Whether nodes notice that a frame has left them: a third do, and the other frames leave without an event.
pub fn notices_sent(tag: u32) -> bool {
    tag.is_multiple_of(3)
}

/// The note of a notice.
pub fn what_is_noticed(kind: NoticeKind) -> &'static str {
    match kind {
        NoticeKind::PeerCongestion => "peer congestion",
        NoticeKind::Congestion => "congestion",
        NoticeKind::LinkIntegrity => "link integrity",
    }
}

impl FabricHost for Around {
    fn notices_sent(&self, _node: u16, frame: &Frame) -> bool {
        notices_sent(frame.tag.0)
    }

    fn observes(&self) -> bool {
        self.observes
    }

    /// A frame that is reported as served had its header reported before where each step is an event.
    fn stage(&mut self, now: Time, frame: &FrameInFlight<'_>, stage: FrameStage) {
        let Some(stages) = &mut self.stages else { return };
        let mut put = |at: Time, stage: FrameStage| {
            stages.push((frame.frame.tag.0, frame.hop, at.ticks(), format!("{stage:?}")))
        };
        match stage {
            FrameStage::Served { came, ready } => {
                put(came, FrameStage::Header);
                put(now, FrameStage::Routed(ready));
            }
            _ => put(now, stage),
        }
    }

    fn schedule(&mut self, at: Time, event: FabricEvent, unit: u32) {
        let order = Order { priority: event.priority(), rank: 0, unit };
        self.calendar.schedule(at, order, Planned::Fabric(event));
    }

    fn is_stuck(&mut self) {
        self.stuck = true;
    }

    fn upcall(&mut self, now: Time, node: u16, upcall: NodeEvent) {
        let (what, tag) = match upcall {
            NodeEvent::Started(frame) if frame.is_link_control() => ("answers", frame.tag.0),
            NodeEvent::Started(frame) | NodeEvent::StartedBefore(frame, _) => ("started", frame.tag.0),
            NodeEvent::Accepted(frame) => ("accepted", frame.tag.0),
            NodeEvent::Taken(frame) => ("taken", frame.tag.0),
            NodeEvent::Copied(frame) => ("copied", frame.tag.0),
            NodeEvent::Refused(frame) => ("refuses", frame.tag.0),
            NodeEvent::Lost(frame) if frame.is_link_control() => ("answer lost", frame.tag.0),
            NodeEvent::Sent(frame) => ("sent", frame.tag.0),
            NodeEvent::Lost(frame) => ("lost", frame.tag.0),
            NodeEvent::Received(frame) => {
                self.received[usize::from(node)] += 1;
                let order = Order { priority: NODE, rank: 0, unit: node.into() };
                self.calendar.schedule(now + self.takes[usize::from(node)], order, Planned::Freed(node));
                ("received", frame.tag.0)
            }
            NodeEvent::Waits(..) => return,
            NodeEvent::Noticed(notice) => (what_is_noticed(notice.kind), notice.about.value()),
        };
        if what == "sent" && !notices_sent(tag) {
            return; // The frame left with an event for another reason.
        }
        self.notes.push((now.ticks(), node, what, tag));
    }
}

pub struct World {
    pub fabric: Fabric,
    pub around: Around,
    pub events: u64,
    breaks: u32,
}

impl World {
    pub fn new(layout: FabricLayout, parameters: &SwitchParameters, routing: RoutingName) -> Self {
        let nodes = layout.nodes.len();
        Self {
            fabric: Fabric::new(layout, parameters, routing),
            around: Around {
                calendar: Calendar::new(),
                notes: Vec::new(),
                takes: vec![Span::ZERO; nodes],
                received: vec![0; nodes],
                stuck: false,
                observes: false,
                stages: None,
            },
            events: 0,
            breaks: 0,
        }
    }

    pub fn plan(&mut self, at: u64, what: Planned) {
        let unit = match what {
            Planned::Send(node, frame) => 1_000 + u32::from(node) * 10_000 + frame.tag.0 % 10_000,
            // Events of one instant happen in the order in which they were planned.
            _ => {
                self.fabric = self.fabric.clone().with_failures();
                self.breaks += 1;
                900 + self.breaks
            }
        };
        self.around.calendar.schedule(Time(at), Order { priority: NODE, rank: 0, unit }, what);
    }

    /// Runs until nothing more happens, or until this time.
    pub fn run(&mut self, until: u64) {
        while self.around.calendar.peek_time().is_some_and(|at| at.ticks() <= until) {
            let Some((now, what)) = self.around.calendar.pop() else { return };
            self.events += 1;
            match what {
                Planned::Fabric(event) => self.fabric.handle_event(now, event, &mut self.around),
                Planned::Send(node, frame) => self.fabric.enqueue_frame(now, node, frame, &mut self.around),
                Planned::Freed(node) => self.fabric.buffer_freed(now, node, &mut self.around),
                Planned::Link(link, works) => self.fabric.set_link_state(now, link, works, &mut self.around),
                Planned::Switch(switch, works) => {
                    self.fabric.set_switch_state(now, switch, works, &mut self.around)
                }
            }
        }
    }
}

/// A switch with the defaults of scenarios, without a routing delay.
pub fn switch() -> SwitchParameters {
    SwitchParameters {
        buffers: 8,
        routing_delay: Span::ZERO,
        forwarding_delay: Span::ZERO,
        switching: SwitchingMode::CutThrough,
        queueing: InputQueueing::PerOutput,
        crossbar: Crossbar::PerBuffer,
        arbiter: ArbiterName::RoundRobin.into(),
        transactions: None,
        cross_section: None,
        in_order: true,
        channels: 1,
        channel: ChannelName::Destination,
        credit_reserve: BufferReserve::None,
        trunks: false,
        hold_time: None,
        buffer_size: 2112,
        control: ControlParameters::NONE,
        congestion: CongestionParameters::NONE,
    }
}

/// A fabric with this topology in its usual size, at 16GFC.
pub fn fabric(topology: TopologyName) -> FabricParameters {
    FabricParameters {
        speed: Speed::G16,
        protocol: LinkProtocol::FibreChannel,
        packet_header: 0,
        word_time: None,
        error_correction: false,
        frame_loss: 0.0,
        ready_loss: 0.0,
        bb_sc_n: 0,
        e_d_tov: None,
        ols_time: Span::from_ms(5),
        topology,
        cable: CableLength::from_um(0),
        backbone_cable: CableLength::from_um(0),
        medium: CableMedium::Fibre,
        propagation: CableMedium::Fibre.propagation(),
        routing: RoutingName::Deterministic.into(),
        stations: Vec::new(),
        size: TopologyParameters {
            floors: 5,
            centres: 2,
            arms: 4,
            leaves: 10,
            fan_out: 5,
            uplinks: 1,
            roots: 1,
            cores: 2,
            edges: 4,
            width: 3,
            height: 3,
            radix: 4,
        },
        switch: switch(),
        switches: Vec::new(),
        links: Vec::new(),
        node_links: Vec::new(),
        zones: Vec::new(),
        slow: Vec::new(),
        limits: Vec::new(),
        class: ServiceClass::Class3,
        class_2: Class2Parameters::NOTHING_SAID,
    }
}

/// The layout of switches with these links between them, each switch with a number of nodes; all links are
/// alike.
pub fn layout(
    switches: usize,
    links: &[(u16, u16)],
    nodes: &[u16],
    rules: LinkRules,
    buffers: u32,
) -> FabricLayout {
    let mut layout = FabricLayout {
        switches: (0..switches).map(|s| format!("s{s}")).collect(),
        ..FabricLayout::default()
    };
    for &(one, other) in links {
        layout
            .links
            .push(LinkPlan { ends: [LinkEndDevice::Switch(one), LinkEndDevice::Switch(other)], rules });
    }
    for (number, &switch) in nodes.iter().enumerate() {
        let number = number as u16;
        layout
            .links
            .push(LinkPlan { ends: [LinkEndDevice::Switch(switch), LinkEndDevice::Node(number)], rules });
        layout.nodes.push(NodePlan::new(Some(switch), address(number), buffers));
    }
    layout
}

/// The address of a node in these tests.
pub fn address(node: u16) -> Address {
    Address::new(0x10000 | u32::from(node) << 8)
}

/// The node that has an address.
pub fn node_of(address: Address) -> u16 {
    (address.value() >> 8 & 0xFF) as u16
}

pub fn frame(from: u16, to: u16, payload: u32, tag: u32) -> Frame {
    Frame::from(Pdu {
        tag: RequestTag(tag),
        originator: sansim_fc::frame::ExchangeId(tag % 7),
        source: address(from),
        destination: address(to),
        payload_bytes: payload,
        ..Pdu::example()
    })
}
