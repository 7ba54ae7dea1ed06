//! The keys of a fabric.

use crate::class_2::{Class2Parameters, ServiceClass};
use crate::congestion::{CreditReturn, IngressLimit, SlowReceiver};
use crate::layout::losses::LinkLosses;
use crate::layout::switched_network::{self, GivenLinkEnds, SwitchedNetwork};
use crate::layout::topology::{
    GivenLink, GivenSwitch, OWN_SPEED, SOME_STATIONS, STATIONS, SwitchLinks, TopologyDrawing, TopologyInput,
    TopologyName, TopologyParameters,
};
use crate::layout::{NodePlan, NodeSpec};
use crate::routing::{ROUTING, RoutingName};
use crate::switch::{ControlPriority, InputQueueing, SwitchParameters};
use crate::zone::FabricZone;
use sansim_fc::cable::{Cable, CableLength, CableMedium, FibreDelay, Propagation};
use sansim_fc::delay::WordTime;
use sansim_fc::link::coding::ErrorCorrection;
use sansim_fc::link::{ExactProbability, LinkRules, LinkTimes};
use sansim_fc::loop_port::PortDefaults;
use sansim_fc::speed::Speed;
use sansim_kernel::Span;
use sansim_rules::{RuleName, RuleOf};
use sansim_schema::context::Facts;
use sansim_schema::fault::Diagnostic;
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Choice, Count, Dimensioned, Flag, Fraction, Size, Time};
use sansim_schema::table::NamedValue;
use sansim_schema::{codes, table, words};

/// A word time may be a tenth of a nanosecond to a millisecond.
const WORD_TIME: Time = Time::between(Span(57), Span::from_ms(1));

/// A time of links may be a microsecond to a minute.
const LINK_TIME: Time = Time::between(Span::from_us(1), Span::from_s(60));

words! {
    /// The protocol of links.
    pub enum LinkProtocol {
        /// Fibre Channel: words in slots, gaps, R_RDYs on the line.
        FibreChannel = "fibre-channel",
        /// Words one after another with nothing between; credit comes back beside the line. For the networks of other simulators.
        Plain = "plain",
    }
}

table! {
    /// Parameters of their own for some of the links to nodes.
    pub struct NodeLinks {
        /// The components that they lead to, of those in `stations` of the fabric.
        stations: Vec<String> = SOME_STATIONS, required r#"["drives"]"#, source "";
        /// Their speed, if it is another than that of the fabric.
        speed: Option<Speed> = OWN_SPEED, default r#""fabric""#, source "FC-PI" changes;
    }
    parts {
        /// Losses on them.
        losses: LinkLosses;
    }
}

table! {
    /// A Fibre Channel fabric: switches, the links between them, and those to nodes. Every link carries frames in both directions at a time.
    pub struct FabricParameters {
        /// Link rate, of every link that says nothing else.
        speed: Speed = Choice::<Speed>::ANY, required r#""16GFC""#, source "FC-PI";
        /// The protocol of links.
        protocol: LinkProtocol = Choice::<LinkProtocol>::ANY, default r#""fibre-channel""#, source "ours: what this simulator is about";
        /// Time of a word of four bytes; `"exact"` is that of the speed. Molero's 6.25 ns for a byte are `"25 ns"`.
        word_time: Option<Span> = WORD_TIME.or("exact"), default r#""exact""#, source "FC-PI";
        /// Bytes of a header that every packet has on plain links, beside its payload and outside of what fills a buffer. Those of Fibre
        /// Channel have SOF, header, CRC and EOF.
        packet_header: u64 = Size { range: (0, 64), step: 4 }, default r#""0 B""#, source "Molero 2001, 3: each packet carries its own routing information";
        /// Whether links of 16GFC correct errors, which keeps every word back for a code block. From 32GFC on all links do.
        error_correction: bool = Flag, default "false", source "FC-FS-3";
        /// The switches and links. `"given"` takes those of `switches` and `links`.
        topology: TopologyName = Choice::<TopologyName>::ANY, default r#""single-switch""#, source "ours: the smallest fabric";
        /// Length of the cable to a node, for every port without a `cable` of its own.
        cable: CableLength = Cable, default r#""0 m""#, source "ours: a cable that is left out has no length" changes;
        /// Length of the cables between switches.
        backbone_cable: CableLength = Cable, default r#""0 m""#, source "ours: a cable that is left out has no length" changes;
        /// The material of the cables.
        medium: CableMedium = Choice::<CableMedium>::ANY, default r#""fibre""#, source "Wang 2005, 4.3.1.1";
        /// Propagation delay of the cables.
        propagation: Propagation = FibreDelay, follows "`medium`: 5 ns/m for fibre, 4.3 ns/m for copper" |_context| medium.propagation(),
            source "Wang 2005, 4.3.1.1";
        /// Share of frames that links lose with the credit of their buffers: their first word is damaged, so that the receiver does not
        /// know of them. A frame that comes in damaged is `frame_loss` of an adapter.
        frame_loss: f64 = Fraction, default "0.0", source "FC-FS";
        /// Share of R_RDYs that links lose.
        ready_loss: f64 = Fraction, default "0.0", source "FC-FS";
        /// BB_SC_N: behind 2^N frames, and 2^N R_RDYs, the ends of a link compare what was sent and what came in, and lost credit comes
        /// back. 0 turns it off.
        bb_sc_n: u8 = Count::<u8>::between(0, 15), default "0", source "FC-FS";
        /// In which class of service nodes send. IP frames go in class 3 in any case.
        class: ServiceClass = Choice::<ServiceClass>::ANY, default r#""class-3""#, source "FC-FS";
        /// E_D_TOV: a port whose frames have found no credit for so long resets its link (LR, LRR), and credit is as at login. Plain links
        /// are never reset.
        e_d_tov: Option<Span> = LINK_TIME.or("unlimited"), default r#""2 s""#, source "FC-FS; Cisco MDS: 1 s to nodes, 1.5 s between switches";
        /// How long the ports of a switch that works again send OLS before they answer.
        ols_time: Span = LINK_TIME, default r#""5 ms""#, source "Seagate Fibre Channel Interface manual";
        /// The routing rule: the ports by which switches forward frames.
        routing: RuleName<RoutingName> = RuleOf::<RoutingName>::decision(&ROUTING), default r#""deterministic""#, source "ours: frames keep their order by it";
        /// The components at its ports. In this order they are attached to the switches that take nodes, one to each in turn.
        stations: Vec<String> = STATIONS, required r#"["host", "drives"]"#, source "";
    }
    parts {
        /// The size of the topology, as numbers of switches.
        size: TopologyParameters;
    }
    tables {
        /// The parameters that all switches have in common.
        switch: SwitchParameters;
        /// The parameters that nodes agree on in class 2.
        class_2: Class2Parameters;
    }
    named {
        /// The switches, for `topology = "given"`.
        switches: GivenSwitch;
        /// The links between them, for `topology = "given"`.
        links: GivenLink;
        /// Links to nodes that have another speed, or lose another share.
        node_links: NodeLinks;
        /// Zones: only nodes that are in one zone together may talk to each other. Without any, all nodes may talk to each other.
        zones: FabricZone;
        /// Nodes that give credit back late.
        slow: SlowReceiver;
        /// Nodes from which their switch takes no more than a rate.
        limits: IngressLimit;
    }
    checks(check_given, check_names, check_order, check_channels, check_losses, check_class, check_control, check_congestion, check_acceleration)
    idle(of_other_topologies)
}

impl FabricParameters {
    /// The keys for the drawings of other topologies have no effect, nor do the keys for links between
    /// switches where there are none.
    fn of_other_topologies(&self, idle: &mut IdleKeys) {
        switched_network::mark_other_topologies(self.topology, idle);
        idle.mark_idle_unless(
            self.class == ServiceClass::Class2,
            &["class_2"],
            "nodes send in class 3 (`class`)",
        );
        let of_links = self.links.iter().map(|link| link.described.speed);
        let of_nodes = self.node_links.iter().map(|link| link.described.speed);
        let speeds = of_links.chain(of_nodes).flatten().chain([self.speed]);
        let corrects = speeds.into_iter().any(|speed| speed.coding().corrects() == ErrorCorrection::IfAgreed)
            && self.protocol == LinkProtocol::FibreChannel;
        let why = "it is for links of 16GFC, of which there are none";
        idle.mark_idle_unless(corrects, &["error_correction"], why);
        let may_turn = self.paths().is_adaptive();
        let why = "by this routing frames keep their order (`routing`)";
        idle.collect_table("switch", |idle| idle.mark_idle_unless(may_turn, &["in_order"], why));
    }

    /// The switches and the links between them, as the topology draws them.
    pub fn switches_and_links(&self) -> TopologyDrawing {
        self.topology.draw_topology(&TopologyInput {
            size: self.size,
            switches: &self.switches,
            links: &self.links,
        })
    }

    /// The built-in routing rule on whose paths frames travel.
    pub fn paths(&self) -> RoutingName {
        RoutingName::with_paths_of(&self.routing)
    }

    /// The routing rule as messages name it.
    fn routing_in_words(&self) -> String {
        self.routing.built_in().map_or_else(|| "a rule of your own".to_owned(), |word| format!("\"{word}\""))
    }

    /// The time of a word on links that have no speed of their own.
    pub fn word_time(&self) -> Span {
        self.word_time.unwrap_or_else(|| self.speed.word_time())
    }

    /// The facts of the fabric that the quantities of its components need.
    pub fn facts(&self) -> Facts {
        Facts::default()
            .with_fact(WordTime(self.word_time()))
            .with_fact(PortDefaults { cable: self.cable, ..PortDefaults::default() })
    }

    /// The times of the fabric's links.
    pub fn link_times(&self) -> LinkTimes {
        LinkTimes { credit_time_out: self.e_d_tov, offline: self.ols_time }
    }

    /// The rules of a link with a cable of this length, at the speed of the fabric or at another speed if one is given, and with
    /// these losses.
    pub fn link_rules(&self, cable: CableLength, speed: Option<Speed>, losses: &LinkLosses) -> LinkRules {
        let (delay, speed) = (self.propagation.propagation_time(cable), speed.unwrap_or(self.speed));
        let word = if speed == self.speed { self.word_time() } else { speed.word_time() };
        let frame_loss = ExactProbability::from_share(losses.frame_loss.unwrap_or(self.frame_loss));
        let ready_loss = ExactProbability::from_share(losses.ready_loss.unwrap_or(self.ready_loss));
        let bb_sc_n = losses.bb_sc_n.unwrap_or(self.bb_sc_n);
        match self.protocol {
            LinkProtocol::FibreChannel => {
                let rules = LinkRules::for_fibre_channel(speed, delay, self.error_correction);
                LinkRules { word, frame_loss, ready_loss, bb_sc_n, ..rules }
            }
            LinkProtocol::Plain => {
                // A switch knows the destination of a packet when its header has arrived; without a header the first
                // word has the destination.
                let header = self.packet_header / 4;
                let rules = LinkRules::without_coding(word, 4, header.max(1), delay);
                LinkRules { frame_loss, ready_loss, overhead_words: header, ..rules }
            }
        }
    }

    fn check_given(&self, keys: &mut Keys<'_, '_>) {
        switched_network::check_given(self, keys);
    }

    /// Where every frame chooses its own path the frames of a sequence overtake each other, which adapters do not
    /// accept.
    fn check_order(&self, keys: &mut Keys<'_, '_>) {
        if self.switch.in_order || !self.paths().is_adaptive() || !keys.all_readable(&["routing", "switch"]) {
            return;
        }
        let message = format!(
            "with routing = {} and in_order = false frames overtake each other, which FCP does not bear",
            self.routing_in_words()
        );
        let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position("routing"), message)
            .with_label("every frame takes a way of its own")
            .with_help(format!(
                "leave out {}, and the frames of each exchange keep their order",
                keys.full_path("switch.in_order")
            ));
        keys.report("routing", fault);
    }

    /// Checks that not all frames are lost on links, and that plain links do not count losses.
    fn check_losses(&self, keys: &mut Keys<'_, '_>) {
        let own = LinkLosses {
            frame_loss: Some(self.frame_loss),
            ready_loss: Some(self.ready_loss),
            bb_sc_n: Some(self.bb_sc_n),
        };
        let of_links = self.links.iter().map(|one| (format!("links.{}.", one.name), one.described.losses));
        let of_nodes =
            self.node_links.iter().map(|one| (format!("node_links.{}.", one.name), one.described.losses));
        let all: Vec<_> = std::iter::once((String::new(), own)).chain(of_links).chain(of_nodes).collect();
        for (table, losses) in all {
            for (key, share) in [("frame_loss", losses.frame_loss), ("ready_loss", losses.ready_loss)] {
                let key = format!("{table}{key}");
                if share.is_some_and(|share| share >= 1.0) && keys.all_readable(&[&key]) {
                    let fault = Diagnostic::new(
                        codes::OUT_OF_RANGE,
                        keys.value_position(&key),
                        "nothing would ever come in",
                    )
                    .with_label("must be less than 1");
                    keys.report(&key, fault);
                }
            }
            let key = format!("{table}bb_sc_n");
            let counts = losses.bb_sc_n.is_some_and(|n| n > 0);
            if counts && self.protocol == LinkProtocol::Plain && keys.all_readable(&[&key, "protocol"]) {
                let fault = Diagnostic::new(
                    codes::CONTRADICTION,
                    keys.value_position(&key),
                    "a plain link has no primitives, and so no BB_SC",
                )
                .with_label("given for a plain link")
                .with_help("leave it out, or use protocol = \"fibre-channel\"");
                keys.report(&key, fault);
            }
        }
    }

    /// The keys of class 2 require class 2.
    fn check_class(&self, keys: &mut Keys<'_, '_>) {
        // A resolved scenario lists all keys with their values.
        let says_nothing = self.class_2 == Class2Parameters::NOTHING_SAID;
        if self.class == ServiceClass::Class2 || says_nothing || !keys.all_readable(&["class", "class_2"]) {
            return;
        }
        if let Some(place) = keys.written_position("class_2") {
            let message = format!("nodes of class = \"{}\" agree on nothing of class 2", self.class);
            let fault = Diagnostic::new(codes::CONTRADICTION, place, message)
                .with_label("given for class 2")
                .with_help(format!("{} = \"class-2\" has every frame acknowledged", keys.full_path("class")));
            keys.report("class_2", fault);
        }
    }

    /// Checks that only plain links have headers of their own and let a message stop another. The place of ACKs among control messages is
    /// undefined.
    fn check_control(&self, keys: &mut Keys<'_, '_>) {
        let control = &self.switch.control;
        let favours = control.control_goes_first() || control.reorders_at_nodes();
        if favours && self.class == ServiceClass::Class2 && keys.all_readable(&["class", "switch"]) {
            let message = "control messages are favoured in class 3 only: which place ACKs have among them is in no source";
            let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position("class"), message)
                .with_label("given beside `switch.control`")
                .with_help(format!("leave out {}, or what `switch.control` says", keys.full_path("class")));
            keys.report("class", fault);
        }
        if self.protocol == LinkProtocol::Plain || !keys.all_readable(&["protocol", "switch"]) {
            return;
        }
        if self.packet_header > 0 && keys.all_readable(&["packet_header"]) {
            let message = "frames of Fibre Channel have the header of the standard";
            let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position("packet_header"), message)
                .with_label("given beside it")
                .with_help("leave it out, or use protocol = \"plain\"");
            keys.report("packet_header", fault);
        }
        let control = &self.switch.control;
        for (key, way) in
            [("switch.control.transmission", control.transmission), ("switch.control.nodes", control.nodes)]
        {
            if way == ControlPriority::Preempts {
                let message = "the words of a frame of Fibre Channel follow one another: nothing goes between them, and no frame stops another";
                let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position(key), message)
                    .with_label("only for plain links")
                    .with_help("write \"first\", by which control messages go before data that wait, or use protocol = \"plain\"");
                keys.report(key, fault);
            }
        }
    }

    /// Checks that quarantine has a channel of its own; the reactions of nodes to slow receivers are for class 3, and for frames
    /// that stop no other frames.
    fn check_congestion(&self, keys: &mut Keys<'_, '_>) {
        if !keys.all_readable(&["class", "switch"]) {
            return;
        }
        let of = &self.switch.congestion;
        if of.quarantine && self.switch.channels < 2 {
            let message = "frames in quarantine have the last virtual channel, and the others need one too";
            let fault = Diagnostic::new(
                codes::CONTRADICTION,
                keys.value_position("switch.congestion.quarantine"),
                message,
            )
            .with_label("with a single channel")
            .with_help(format!(
                "{} = 2 shares the buffers out between two",
                keys.full_path("switch.channels")
            ));
            keys.report("switch.congestion.quarantine", fault);
        }
        let paces = of.notifies_nodes() || !self.limits.is_empty();
        if self.class == ServiceClass::Class2 && (paces || !self.slow.is_empty()) {
            let message = "slow receivers, limits, notices and signals are simulated in class 3 only";
            let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position("class"), message)
                .with_label(
                    "given beside `slow`, `limits`, `switch.congestion.notice_rate` or `signal_rate`",
                );
            keys.report("class", fault);
        }
        if paces && self.switch.control.nodes == ControlPriority::Preempts {
            let message = "nodes that send at a rate do not stop messages for others";
            let fault =
                Diagnostic::new(codes::CONTRADICTION, keys.value_position("switch.control.nodes"), message)
                    .with_label("given beside `limits`, `switch.congestion.notice_rate` or `signal_rate`");
            keys.report("switch.control.nodes", fault);
        }
        for one in &self.slow {
            let every = one.described.stalls_every;
            let key = format!("slow.{}.stalls_for", one.name);
            if every.is_some_and(|every| one.described.stalls_for >= every) && keys.all_readable(&[&key]) {
                let fault = Diagnostic::new(
                    codes::CONTRADICTION,
                    keys.value_position(&key),
                    "it would never give any credit back",
                )
                .with_label("must be less than `stalls_every`");
                keys.report(&key, fault);
            }
        }
    }

    /// Checks that every virtual channel has a buffer, and that all waiting frames can reach the path without
    /// cycles.
    fn check_channels(&self, keys: &mut Keys<'_, '_>) {
        if !keys.all_readable(&["routing", "switch"]) {
            return;
        }
        let of = &self.switch;
        let escape = u32::from(self.paths().has_escape());
        let (channels, buffers) =
            (u32::from(of.channels) + escape, of.buffers - of.credit_reserve.reserved_buffers(of.buffers));
        if channels > buffers {
            let message =
                format!("{channels} virtual channels share {buffers} buffers of a port between switches");
            let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position("switch.buffers"), message)
                .with_label("fewer than one for each")
                .with_help_if_given((escape > 0).then(|| {
                    format!("routing = {} takes a channel more than `channels` says", self.routing_in_words())
                }));
            keys.report("switch.buffers", fault);
        }
        if escape > 0 && of.queueing == InputQueueing::Fifo {
            let message = format!(
                "with routing = {} and one queue for each input a frame that must wait keeps one that could take the way without cycles",
                self.routing_in_words()
            );
            let fault =
                Diagnostic::new(codes::CONTRADICTION, keys.value_position("switch.queueing"), message)
                    .with_label("may come to a deadlock")
                    .with_help("queueing = \"per-output\" lets any frame of a port be next");
            keys.report("switch.queueing", fault);
        }
    }

    fn check_names(&self, keys: &mut Keys<'_, '_>) {
        let links =
            self.node_links.iter().map(|one| ("node_links", &one.name[..], &one.described.stations[..]));
        switched_network::check_names(self, &self.stations, links.collect(), keys);
    }
}

impl SwitchedNetwork for FabricParameters {
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
        let input = TopologyInput { size, switches: &self.switches, links: &self.links };
        self.topology.draw_topology(&input)
    }

    fn rules_between_switches(&self, edge: &SwitchLinks) -> LinkRules {
        self.link_rules(edge.cable.unwrap_or(self.backbone_cable), edge.speed, &edge.losses)
    }

    fn rules_to_node(&self, node: &NodeSpec<'_>) -> LinkRules {
        let names = |one: &&NamedValue<NodeLinks>| {
            one.described.stations.iter().any(|station| station == node.station)
        };
        let own = self.node_links.iter().find(names).map(|one| &one.described);
        let losses = own.map_or(LinkLosses::OF_FABRIC, |own| own.losses);
        self.link_rules(node.cable, own.and_then(|own| own.speed), &losses)
    }

    /// The rate at which a node gives credit back, and the rate that its switch accepts from it, by the name of the node.
    fn with_own_parameters(&self, plan: NodePlan, nodes: &[NodeSpec<'_>], number: usize) -> NodePlan {
        if self.slow.is_empty() && self.limits.is_empty() {
            return NodePlan { drain: CreditReturn::default(), limit: None, ..plan };
        }
        let station = nodes[number].station;
        let member = nodes[..number].iter().filter(|other| other.station == station).count();
        let one = format!("{station}[{member}]");
        let is_among = |members: &[String]| members.iter().any(|name| name == station || *name == one);
        let slow = self.slow.iter().find(|slow| is_among(&slow.described.members));
        let limit = self.limits.iter().find(|limit| is_among(&limit.described.members));
        NodePlan {
            drain: slow.map(|slow| slow.described.credit_return()).unwrap_or_default(),
            limit: limit.map(|limit| limit.described.rate),
            ..plan
        }
    }
}
