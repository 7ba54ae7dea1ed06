//! The keys of `kind = "ethernet"`.

use super::EthernetTransport;
use sansim_fabric::ethernet::{EthernetQueueParameters, EthernetSpeed, EthernetSwitchParameters};
use sansim_fabric::layout::losses::LinkLosses;
use sansim_fabric::layout::switched_network::{
    GivenLinkEnds, SwitchedNetwork, check_given, check_names, mark_other_topologies,
};
use sansim_fabric::layout::topology::GivenLink;
use sansim_fabric::layout::topology::{
    GivenSwitch, SOME_STATIONS, SwitchLinks, TopologyDrawing, TopologyInput, TopologyName, TopologyParameters,
};
use sansim_fabric::layout::{FabricLayout, NodeSpec};
use sansim_fc::cable::{Cable, CableLength, CableMedium, FibreDelay, Propagation};
use sansim_fc::link::LinkRules;
use sansim_kernel::Span;
use sansim_rdma::packet::largest_payload;
use sansim_rdma::{RdmaCongestionControl, RdmaParameters};
use sansim_schema::fault::Diagnostic;
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{ByteRate, Choice, ChoiceOr, Count, Flag, Fraction, Name, NameList, Size};
use sansim_schema::table::NamedValue;
use sansim_schema::{codes, table, words};
use sansim_tcp::congestion::CongestionControl;
use sansim_tcp::{
    FrameFormat, SoftwareCostKeys, TcpConnectionParameters, check_frame_loss, check_stack_members,
};

const STATIONS: NameList = NameList { example: r#"["host", "drives"]"# };
const MEMBERS: NameList = NameList { example: r#"["drives[0]"]"# };
const OWN_SPEED: ChoiceOr<EthernetSpeed> = Choice::or("network", "That of the network");
/// A node may take a kilobyte to a terabyte per second.
const RATE: ByteRate = ByteRate { range: (1_000, 1_000_000_000_000) };

/// The most classes that a file may describe, beside that of all other frames.
pub(super) const MOST_GIVEN_CLASSES: usize = 7;

words! {
    /// The paths of frames through an Ethernet.
    pub enum EthernetRouting {
        /// One of the shortest paths, the same for all frames of a connection in one direction, by a hash (ECMP).
        Flow = "flow",
        /// As `"flow"`, on shortest paths that do not go up again once they have gone down, so that pauses never wait for each other in a circle.
        UpDownFlow = "up-down-flow",
    }
}

table! {
    /// One of the links between switches, where they are given.
    pub struct EthernetLink {
        /// The switch at one end.
        from: String = Name, required r#""left""#, source "";
        /// The switch at the other.
        to: String = Name, required r#""right""#, source "";
        /// Length of its cable.
        cable: CableLength = Cable, default r#""0 m""#, source "ours: a cable that is left out has no length";
        /// Number of parallel links, which are paths of their own: a flow takes one of them.
        count: u32 = Count::<u32>::between(1, 64), default "1", source "ours: one, unless the file says otherwise";
        /// Its speed, if it is another than that of the network.
        speed: Option<EthernetSpeed> = OWN_SPEED, default r#""network""#, source "ours: links are alike unless one is said to be different";
    }
}

table! {
    /// Links to nodes that have another speed.
    pub struct EthernetNodeLinks {
        /// The components that they lead to, of those in `stations` of the network.
        stations: Vec<String> = SOME_STATIONS, required r#"["drives"]"#, source "";
        /// Their speed.
        speed: Option<EthernetSpeed> = OWN_SPEED, default r#""network""#, source "ours: links are alike unless one is said to be different";
    }
}

table! {
    /// A class of frames (a priority of IEEE 802.1Q) with queues of its own.
    pub struct EthernetClass {
        /// The nodes whose frames are in the class, those to them and those from them, by the names of stations: of a group all, `"drives"`, or one,
        /// `"drives[3]"`. Frames between members of two classes are in the class that comes first.
        members: Vec<String> = MEMBERS, required r#"["drives[0]"]"#, source "";
    }
    parts {
        /// The treatment of its frames.
        queue: EthernetQueueParameters;
    }
}

table! {
    /// Nodes that take frames more slowly than their links bring them.
    pub struct SlowStation {
        /// Members, by the names of stations: of a group all, `"drives"`, or one, `"drives[3]"`.
        members: Vec<String> = MEMBERS, required r#"["drives[0]"]"#, source "";
        /// Bytes per second that each of them takes, with all that frames have on a link.
        rate: u64 = RATE, required r#""100 MB/s""#, source "";
        /// Room of each for frames that may be dropped. A lossless class has the thresholds of its queue.
        buffer: u64 = Size::between(1_538, 1 << 40), default r#""512 KB""#, source "assumption: receive buffers of adapters are not public";
    }
}

table! {
    /// An Ethernet: switches, the links between them, and those to nodes, which speak TCP or RDMA. Every link carries frames in both directions
    /// at a time.
    pub struct EthernetParameters {
        /// Speed of every link that says nothing else.
        speed: EthernetSpeed = Choice::<EthernetSpeed>::ANY, required r#""25GbE""#, source "IEEE 802.3";
        /// The protocol of nodes.
        transport: EthernetTransport = Choice::<EthernetTransport>::ANY, default r#""tcp""#, source "ours: every operating system has it";
        /// Bytes of a datagram at most: IP header, header of the transport, and data.
        mtu: u64 = Size::between(576, 65_535), default r#""1500 B""#, source "RFC 894";
        /// Bytes of a frame beside its datagram: header, check sequence, preamble, gap.
        frame_overhead: u64 = Size::between(38, 64), default r#""38 B""#, source "IEEE 802.3: 14 + 4 + 8 + 12";
        /// Whether links correct errors (RS-FEC), which keeps every bit back for a block.
        error_correction: bool = Flag, default "false", source "IEEE 802.3, clauses 91, 119 and 134; a short cable needs none at 25 Gb/s";
        /// The switches and links. `"given"` takes those of `switches` and `links`.
        topology: TopologyName = Choice::<TopologyName>::ANY, default r#""single-switch""#, source "ours: the smallest network";
        /// Length of the cable to a node.
        cable: CableLength = Cable, default r#""0 m""#, source "ours: a cable that is left out has no length";
        /// Length of the cables between switches.
        backbone_cable: CableLength = Cable, default r#""0 m""#, source "ours: a cable that is left out has no length";
        /// The material of the cables.
        medium: CableMedium = Choice::<CableMedium>::ANY, default r#""fibre""#, source "Wang 2005, 4.3.1.1";
        /// Propagation delay of the cables.
        propagation: Propagation = FibreDelay, follows "`medium`: 5 ns/m for fibre, 4.3 ns/m for copper" |_context| medium.propagation(),
            source "Wang 2005, 4.3.1.1";
        /// Share of frames that the links of nodes lose on the way to their switch, each by itself.
        frame_loss: f64 = Fraction, default "0.0", source "ours: nothing is lost unless it is said";
        /// The paths of frames.
        routing: EthernetRouting = Choice::<EthernetRouting>::ANY, default r#""flow""#, source "RFC 2992";
        /// The components at its ports. In this order they are attached to the switches that take nodes, one to each in turn.
        stations: Vec<String> = STATIONS, required r#"["host", "drives"]"#, source "";
    }
    parts {
        /// The size of the topology, as numbers of switches.
        size: TopologyParameters;
    }
    tables {
        /// The parameters that all switches have in common.
        switch: EthernetSwitchParameters;
        /// The treatment of frames that are in none of the `classes`.
        queue: EthernetQueueParameters;
        /// The connections of nodes with `transport = "tcp"`.
        tcp: TcpConnectionParameters;
        /// The connections of nodes with `transport = "rdma"`.
        rdma: RdmaParameters;
    }
    named {
        /// The switches, for `topology = "given"`.
        switches: GivenSwitch;
        /// The links between them, for `topology = "given"`.
        links: EthernetLink;
        /// Links to nodes that have another speed.
        node_links: EthernetNodeLinks;
        /// Classes of frames, in the order of strict priorities. All other frames are in a class before them.
        classes: EthernetClass;
        /// Nodes that take less than their links bring.
        slow: SlowStation;
        /// The costs of the software of nodes. Nodes that are in none take no time.
        stacks: SoftwareCostKeys;
    }
    checks(check_given, check_names, check_members, check_window, check_queues, check_loss)
    idle(mark_idle)
}

impl EthernetParameters {
    /// The bytes of a frame.
    pub fn frame_format(&self) -> FrameFormat {
        let Self { mtu, frame_overhead, .. } = *self;
        FrameFormat { mtu, headers: self.tcp.headers, frame_overhead }
    }

    fn speed_to(&self, station: &str) -> EthernetSpeed {
        let names = |one: &&NamedValue<EthernetNodeLinks>| {
            one.described.stations.iter().any(|other| other == station)
        };
        self.node_links.iter().find(names).and_then(|one| one.described.speed).unwrap_or(self.speed)
    }

    /// Switches, links and nodes, by the names of the nodes' stations, and the bytes per second of each link.
    ///
    /// # Errors
    /// The error says why the network cannot be built, and what could be done.
    pub fn layout(&self, stations: &[&str]) -> Result<(FabricLayout, Vec<u64>), String> {
        let specs = stations.iter().map(|&station| NodeSpec { station, buffers: 0, cable: self.cable });
        let specs: Vec<NodeSpec<'_>> = specs.collect();
        let mut layout = FabricLayout::distribute_nodes(self, &specs)?;
        let is_given = self.topology == TopologyName::Given;
        let edges = self.drawing_of_size(self.size).edges;
        let between = edges.iter().enumerate().flat_map(|(number, edge)| {
            let own = self.links.get(number).filter(|_| is_given).and_then(|link| link.described.speed);
            std::iter::repeat_n((own.unwrap_or(self.speed), edge.cable), edge.count as usize)
        });
        let between: Vec<(EthernetSpeed, Option<CableLength>)> = between.collect();
        for (link, &(speed, cable)) in layout.links.iter_mut().zip(&between) {
            link.rules = self.link_rules(cable.unwrap_or(self.backbone_cable), speed);
        }
        // A link between two nodes is a link to each of them.
        let links_to_nodes = layout.links.len() - between.len();
        let to_nodes = stations.iter().take(links_to_nodes).map(|station| self.speed_to(station));
        let speeds = between.iter().map(|&(speed, _)| speed).chain(to_nodes);
        let rates = speeds.map(EthernetSpeed::bytes_per_second).collect();
        Ok((layout, rates))
    }

    fn link_rules(&self, cable: CableLength, speed: EthernetSpeed) -> LinkRules {
        let correction = if self.error_correction { speed.correction_time() } else { Span::ZERO };
        let word = Span::to_move(4, speed.bytes_per_second());
        LinkRules::without_coding(word, 4, 1, self.propagation.propagation_time(cable) + correction)
    }

    /// The queues of all classes, that of frames in no class first.
    pub fn queues(&self) -> Vec<EthernetQueueParameters> {
        let given = self.classes.iter().map(|class| class.described.queue);
        std::iter::once(self.queue).chain(given).collect()
    }

    /// The place of a node's class among [`EthernetParameters::queues`], by the name of its station and its number among the members of that station.
    pub fn class_of(&self, station: &str, member: usize) -> u8 {
        let class = self.classes.iter().position(|class| is_among(&class.described.members, station, member));
        class.map_or(0, |class| class as u8 + 1)
    }

    /// The keys of a slow node.
    pub fn slow_station(&self, station: &str, member: usize) -> Option<&SlowStation> {
        let mut all = self.slow.iter().map(|slow| &slow.described);
        all.find(|slow| is_among(&slow.members, station, member))
    }

    fn check_given(&self, keys: &mut Keys<'_, '_>) {
        check_given(self, keys);
    }

    fn check_names(&self, keys: &mut Keys<'_, '_>) {
        let links =
            self.node_links.iter().map(|one| ("node_links", &one.name[..], &one.described.stations[..]));
        check_names(self, &self.stations, links.collect(), keys);
    }

    fn check_members(&self, keys: &mut Keys<'_, '_>) {
        check_stack_members(keys, &self.stations, &self.stacks);
        if self.classes.len() > MOST_GIVEN_CLASSES && keys.all_readable(&["classes"]) {
            let message = format!(
                "{} classes: IEEE 802.1Q has eight, one of which is for all other frames",
                self.classes.len()
            );
            let fault = Diagnostic::new(codes::OUT_OF_RANGE, keys.value_position("classes"), message)
                .with_label("too many")
                .with_help(format!("leave at most {MOST_GIVEN_CLASSES}"));
            keys.report("classes", fault);
        }
    }

    fn check_window(&self, keys: &mut Keys<'_, '_>) {
        if self.transport == EthernetTransport::Rdma {
            return self.check_packets(keys);
        }
        self.tcp.check_window(keys, self.frame_format(), "tcp.");
    }

    /// Checks that a packet of RDMA fits into a datagram.
    fn check_packets(&self, keys: &mut Keys<'_, '_>) {
        let most = largest_payload(self.mtu);
        let Some(payload) = self.rdma.path_mtu.filter(|&payload| payload > most) else { return };
        if keys.all_readable(&["rdma.path_mtu", "mtu"]) {
            let message =
                format!("packets with {payload} bytes do not fit into datagrams of {} bytes", self.mtu);
            let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position("rdma.path_mtu"), message)
                .with_label(format!("at most {most} bytes fit"))
                .with_help("make it smaller, or mtu larger");
            keys.report("rdma.path_mtu", fault);
        }
    }

    /// Checks that not all frames are lost.
    fn check_loss(&self, keys: &mut Keys<'_, '_>) {
        check_frame_loss(keys, self.frame_loss);
    }

    /// Checks the thresholds of each queue, that senders heed marks, and that a frame fits into each buffer.
    fn check_queues(&self, keys: &mut Keys<'_, '_>) {
        let given =
            self.classes.iter().map(|class| (format!("classes.{}", class.name), &class.described.queue));
        let all: Vec<_> = std::iter::once(("queue".to_owned(), &self.queue)).chain(given).collect();
        for (table, queue) in all {
            let key = |key: &str| format!("{table}.{key}");
            let mut contradiction = |key: String, message: String, label: &str, help: &str| {
                if keys.all_readable(&[&key]) {
                    let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position(&key), message)
                        .with_label(label)
                        .with_help(help);
                    keys.report(&key, fault);
                }
            };
            if queue.lossless && queue.resume_below > queue.pause_above {
                contradiction(
                    key("resume_below"),
                    format!(
                        "the other end would go on above the {} bytes at which it is to pause",
                        queue.pause_above
                    ),
                    "greater than `pause_above`",
                    "write a smaller number, or a greater pause_above",
                );
            }
            if queue.mark_all_above.is_some_and(|all| all < queue.mark_above.unwrap_or(all)) {
                contradiction(
                    key("mark_all_above"),
                    "all frames would be marked before some are".to_owned(),
                    "less than `mark_above`",
                    "write a greater number, or \"same\"",
                );
            }
            let heeded = match self.transport {
                EthernetTransport::Tcp => self.tcp.congestion_control != CongestionControl::Unlimited,
                EthernetTransport::Rdma => self.rdma.congestion_control != RdmaCongestionControl::Unlimited,
            };
            if queue.mark_above.is_some() && !heeded {
                contradiction(
                    key("mark_above"),
                    "no sender heeds the marks of switches".to_owned(),
                    "means nothing",
                    match self.transport {
                        EthernetTransport::Tcp => "give `tcp.congestion_control`, for example \"dctcp\"",
                        EthernetTransport::Rdma => "give `rdma.congestion_control`, for example \"dcqcn\"",
                    },
                );
            }
        }
        let frame = self.mtu + self.frame_overhead;
        for (key, buffer) in
            [("switch.buffer", self.switch.buffer), ("switch.port_buffer", self.switch.port_buffer)]
        {
            if buffer.is_some_and(|buffer| buffer < frame)
                && keys.all_readable(&[key, "mtu", "frame_overhead"])
            {
                let message = format!("a frame of {frame} bytes never fits");
                let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position(key), message)
                    .with_label("smaller than a frame")
                    .with_help("make it larger, or mtu smaller");
                keys.report(key, fault);
            }
        }
    }

    /// Marks keys that have no effect.
    fn mark_idle(&self, idle: &mut IdleKeys) {
        mark_other_topologies(self.topology, idle);
        let (is_tcp, is_rdma) =
            (self.transport == EthernetTransport::Tcp, self.transport == EthernetTransport::Rdma);
        idle.mark_idle_unless(is_tcp, &["tcp", "stacks"], "nodes speak RDMA (`transport`)");
        idle.mark_idle_unless(is_rdma, &["rdma"], "nodes speak TCP (`transport`)");
        let pauses = ["pause_above", "resume_below", "headroom"];
        let marks = ["mark_all_above", "mark_share"];
        let mark = |queue: &EthernetQueueParameters, idle: &mut IdleKeys| {
            idle.mark_idle_unless(queue.lossless, &pauses, "the class may lose frames (`lossless`)");
            idle.mark_idle_unless(queue.mark_above.is_some(), &marks, "no frame is marked (`mark_above`)");
        };
        idle.collect_table("queue", |idle| {
            mark(&self.queue, idle);
            idle.mark_idle_unless(
                !self.classes.is_empty(),
                &["weight"],
                "there are no other classes (`classes`)",
            );
        });
        for class in &self.classes {
            idle.collect_table(&format!("classes.{}", class.name), |idle| mark(&class.described.queue, idle));
        }
        let pauses = self.queues().iter().any(|queue| queue.lossless);
        let has_memory = self.switch.buffer.is_some();
        idle.collect_table("switch", |idle| {
            idle.mark_idle_unless(pauses, &["pause_response"], "no class pauses (`lossless`)");
            idle.mark_idle_unless(has_memory, &["free_share"], "the memory is unlimited (`buffer`)");
        });
    }
}

/// Whether a list of members has a member of a station: the station as a whole, or this one.
fn is_among(members: &[String], station: &str, member: usize) -> bool {
    let one = format!("{station}[{member}]");
    members.iter().any(|name| name == station || *name == one)
}

impl SwitchedNetwork for EthernetParameters {
    fn topology(&self) -> TopologyName {
        self.topology
    }

    fn size(&self) -> TopologyParameters {
        self.size
    }

    fn given_switches(&self) -> &[NamedValue<GivenSwitch>] {
        &self.switches
    }

    fn given_links(&self) -> Vec<GivenLinkEnds<'_>> {
        let links = self.links.iter();
        links.map(|link| GivenLinkEnds::new(&link.name, &link.described.from, &link.described.to)).collect()
    }

    fn drawing_of_size(&self, size: TopologyParameters) -> TopologyDrawing {
        let as_drawn = |link: &NamedValue<EthernetLink>| NamedValue {
            described: GivenLink {
                from: link.described.from.clone(),
                to: link.described.to.clone(),
                cable: link.described.cable,
                count: link.described.count,
                speed: None,
                write_acceleration: None,
                losses: LinkLosses::OF_FABRIC,
            },
            name: link.name.clone(),
        };
        let links: Vec<NamedValue<GivenLink>> = self.links.iter().map(as_drawn).collect();
        self.topology.draw_topology(&TopologyInput { size, switches: &self.switches, links: &links })
    }

    /// Links with a speed of their own get it in [`EthernetParameters::layout`].
    fn rules_between_switches(&self, edge: &SwitchLinks) -> LinkRules {
        self.link_rules(edge.cable.unwrap_or(self.backbone_cable), self.speed)
    }

    fn rules_to_node(&self, node: &NodeSpec<'_>) -> LinkRules {
        self.link_rules(self.cable, self.speed_to(node.station))
    }
}
