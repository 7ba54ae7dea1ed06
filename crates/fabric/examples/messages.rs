//! The cost of simulating a message, measured on the network of Molero et al. (2001), floors+, at several loads, and on
//! grids with more and more nodes.
//!
//! `cargo run --release -p sansim-fabric --example messages`. With `floors+` or `mesh`, servers, drives, I/Os and the ns between the I/Os
//! of a server as arguments, the program makes one run and prints messages per second of a processor and ns per hop, for the benchmarks.

use sansim_fabric::class_2::{Class2Parameters, ServiceClass};
use sansim_fabric::congestion::CongestionParameters;
use sansim_fabric::layout::topology::TopologyName;
use sansim_fabric::layout::{FabricLayout, NodeSpec};
use sansim_fabric::parameters::{FabricParameters, LinkProtocol};
use sansim_fabric::routing::RoutingName;
use sansim_fabric::switch::{
    ArbiterName, BufferReserve, ChannelName, ControlParameters, Crossbar, InputQueueing, SwitchParameters,
    SwitchingMode,
};
use sansim_fabric::{Fabric, FabricEvent, FabricHost, NodeEvent};
use sansim_fc::cable::{CableLength, CableMedium};
use sansim_fc::frame::{Frame, Pdu, PduKind};
use sansim_fc::speed::Speed;
use sansim_kernel::{Calendar, Order, RandomStream, Span, Time};
use sansim_pdu::Address;
use std::time::Instant;

#[derive(Clone, Copy)]
enum Next {
    Fabric(FabricEvent),
    /// A server begins an I/O.
    Issue(u16),
    /// A node has emptied a buffer.
    Freed(u16),
    /// A drive answers a request.
    Answer(u16, Frame),
}

struct Around {
    calendar: Calendar<Next>,
    /// The number of messages that have arrived, and of I/Os that are done, with the sum of their response
    /// times in ns.
    messages: u64,
    done: u64,
    response_ns: f64,
    servers: u16,
    addresses: Vec<Address>,
    begun: Vec<Time>,
}

/// The bytes of a control message and of a data message. The source says "a few bytes" and "a few KBytes"; a buffer holds
/// 2048.
const CONTROL: u32 = 16;
const DATA: u32 = 2048;

impl Around {
    fn plan(&mut self, at: Time, unit: u32, next: Next) {
        self.calendar.schedule(at, Order { priority: 2, rank: 0, unit }, next);
    }
}

impl FabricHost for Around {
    fn schedule(&mut self, at: Time, event: FabricEvent, unit: u32) {
        self.calendar.schedule(at, Order { priority: event.priority(), rank: 0, unit }, Next::Fabric(event));
    }

    fn notices_sent(&self, _node: u16, _frame: &Frame) -> bool {
        false
    }

    fn observes(&self) -> bool {
        false
    }

    fn upcall(&mut self, now: Time, node: u16, upcall: NodeEvent) {
        let NodeEvent::Received(frame) = upcall else { return };
        self.messages += 1;
        self.plan(now, u32::from(node) * 4, Next::Freed(node));
        if node < self.servers {
            self.done += 1;
            self.response_ns += (now - self.begun[frame.tag.0 as usize % self.begun.len()]).as_ns_f64();
        } else {
            let bytes = if frame.payload_bytes == CONTROL { DATA } else { CONTROL };
            let kind = if bytes == DATA { PduKind::Data } else { PduKind::Response };
            let (source, destination) = (frame.destination, frame.source);
            let answer = Frame::from(Pdu { payload_bytes: bytes, kind, source, destination, ..*frame });
            self.plan(now, u32::from(node) * 4 + 1, Next::Answer(node, answer));
        }
    }
}

fn parameters(topology: TopologyName) -> FabricParameters {
    let size = sansim_fabric::layout::topology::TopologyParameters {
        floors: 5,
        centres: 2,
        arms: 4,
        leaves: 10,
        fan_out: 5,
        uplinks: 1,
        roots: 1,
        cores: 2,
        edges: 4,
        width: 8,
        height: 8,
        radix: 4,
    };
    let switch = SwitchParameters {
        buffers: 8,
        routing_delay: Span::from_ns(150),
        forwarding_delay: Span::ZERO,
        switching: SwitchingMode::CutThrough,
        queueing: InputQueueing::PerOutput,
        crossbar: Crossbar::PerBuffer,
        arbiter: ArbiterName::RoundRobin.into(),
        transactions: None,
        cross_section: None,
        in_order: false,
        channels: 1,
        channel: ChannelName::Destination,
        credit_reserve: BufferReserve::None,
        trunks: false,
        hold_time: None,
        buffer_size: 2112,
        control: ControlParameters::NONE,
        congestion: CongestionParameters::NONE,
    };
    FabricParameters {
        speed: Speed::G1,
        protocol: LinkProtocol::Plain,
        packet_header: 0,
        word_time: Some(Span::from_ns(25)),
        error_correction: false,
        frame_loss: 0.0,
        ready_loss: 0.0,
        bb_sc_n: 0,
        class: ServiceClass::Class3,
        class_2: Class2Parameters::NOTHING_SAID,
        e_d_tov: None,
        ols_time: Span::from_ms(5),
        topology,
        cable: CableLength::from_um(3_000_000),
        backbone_cable: CableLength::from_um(30_000_000),
        medium: CableMedium::Fibre,
        propagation: CableMedium::Fibre.propagation(),
        routing: (if topology == TopologyName::Mesh { RoutingName::UpDown } else { RoutingName::Adaptive })
            .into(),
        stations: Vec::new(),
        size,
        switch,
        switches: Vec::new(),
        links: Vec::new(),
        node_links: Vec::new(),
        zones: Vec::new(),
        slow: Vec::new(),
        limits: Vec::new(),
    }
}

/// The seconds for which this thread has been on a processor, where the system reports them; other load on the machine
/// does not count then.
fn on_processor_s() -> Option<f64> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(told.split_whitespace().next()?.parse::<f64>().ok()? / 1e9)
}

/// The cost of a run.
struct Took {
    messages_per_s: f64,
    ns_per_hop: f64,
    told: String,
}

/// Runs this number of I/Os with servers that each issue one I/O every `every_ns` on average.
fn run(topology: TopologyName, servers: u16, drives: u16, ios: u64, every_ns: f64) -> Took {
    let parameters = parameters(topology);
    let node = NodeSpec { station: "node", buffers: 8, cable: parameters.cable };
    let nodes: Vec<NodeSpec<'_>> = vec![node; usize::from(servers + drives)];
    let layout = FabricLayout::distribute_nodes(&parameters, &nodes).expect("a layout");
    let addresses: Vec<Address> = layout.nodes.iter().map(|node| node.address).collect();
    let mut fabric = Fabric::new(layout, &parameters.switch, parameters.paths());
    let mut random = RandomStream::new(1, "messages");
    let mut around = Around {
        calendar: Calendar::new(),
        messages: 0,
        done: 0,
        response_ns: 0.0,
        servers,
        addresses,
        begun: vec![Time::ZERO; 1 << 20],
    };
    for server in 0..servers {
        let at = Time::ZERO + Span::from_ns_f64(random.exponential(every_ns));
        around.plan(at, u32::from(server) * 4 + 2, Next::Issue(server));
    }
    let (mut issued, mut events) = (0, 0_u64);
    let (begun, before) = (Instant::now(), on_processor_s());
    while let Some((now, next)) = around.calendar.pop() {
        events += 1;
        match next {
            Next::Fabric(event) => fabric.handle_event(now, event, &mut around),
            Next::Freed(node) => fabric.buffer_freed(now, node, &mut around),
            Next::Answer(node, frame) => fabric.enqueue_frame(now, node, frame, &mut around),
            Next::Issue(server) => {
                let read = random.chance(0.5);
                let drive = servers + random.draw_below(drives.into()) as u16;
                let mut frame = Frame::example();
                frame.tag.0 = (issued % (1 << 20)) as u32;
                frame.payload_bytes = if read { CONTROL } else { DATA };
                frame.kind = if read { PduKind::Command } else { PduKind::Data };
                frame.source = around.addresses[usize::from(server)];
                frame.destination = around.addresses[usize::from(drive)];
                around.begun[frame.tag.0 as usize] = now;
                issued += 1;
                fabric.enqueue_frame(now, server, frame, &mut around);
                if issued < ios {
                    let at = now + Span::from_ns_f64(random.exponential(every_ns));
                    around.plan(at, u32::from(server) * 4 + 2, Next::Issue(server));
                }
            }
        }
    }
    let wall = begun.elapsed().as_secs_f64();
    let wall = before.zip(on_processor_s()).map_or(wall, |(before, after)| after - before);
    let ended = around.calendar.now();
    let (messages, hops) = (around.messages as f64, fabric.frame_counts().hops as f64);
    let told = format!(
        "{topology:>8} {:>5} nodes, an I/O every {every_ns:>6} ns: {:>8.0} messages/s of a processor, {:.0} ns a hop, {:.1} events and {:.1} hops a message; \
         {:.1} us response, {:.2} bytes/ns delivered",
        servers + drives,
        messages / wall,
        wall * 1e9 / hops.max(1.0),
        events as f64 / messages,
        hops / messages,
        around.response_ns / around.done as f64 / 1e3,
        around.done as f64 * f64::from(CONTROL + DATA) / (ended - Time::ZERO).as_ns_f64(),
    );
    Took { messages_per_s: messages / wall, ns_per_hop: wall * 1e9 / hops.max(1.0), told }
}

/// The run that the command line asks for, if it names one.
fn asked() -> Option<Took> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [topology, servers, drives, ios, every] = words.as_slice() else { return None };
    let topology = if topology == "mesh" { TopologyName::Mesh } else { TopologyName::Floors };
    let every = every.parse().ok()?;
    Some(run(topology, servers.parse().ok()?, drives.parse().ok()?, ios.parse().ok()?, every))
}

fn main() {
    if let Some(took) = asked() {
        println!("{:.0} {:.2}", took.messages_per_s, took.ns_per_hop);
        return;
    }
    for every in [100_000.0, 40_000.0, 30_000.0, 25_000.0, 22_000.0, 20_000.0, 18_000.0] {
        println!("{}", run(TopologyName::Floors, 20, 100, 300_000, every).told);
    }
    for (servers, drives) in [(5, 5), (50, 50), (250, 250), (500, 500), (1_000, 1_000)] {
        println!("{}", run(TopologyName::Mesh, servers, drives, 200_000, 40_000.0 * f64::from(servers)).told);
    }
}
