//! The simulation of a fabric: the events at its ports.
//!
//! Most frames take the [`fast_path`], on which a frame needs one event at the node that sends it, two events at each switch, and one event at
//! the node that receives it. Where something may stop, lose, discard or observe frames, each step is an event: at a switch its header has
//! arrived, the routing unit has served it, it leaves, and its last word has left. R_RDYs are not events (`sansim_fc::link`), and an idle link
//! has no events. Events of one instant happen in this order: headers and frames that have arrived, frames that have left, nodes,
//! routing units, sending ports.
//!
//! * Frames: [`port`] is an end of a link, [`buffered_frame`] a frame in a buffer; [`receive`] moves a frame into a buffer and to the
//!   routing unit, [`next_frame`] chooses the frame that leaves by a port, [`send`] moves it out of the buffer. [`input_queue`] has the
//!   frames in the buffers of a port, [`output_requests`] the frames that wait for an output.
//! * Paths: [`paths`] has the ports and channels by which a frame may leave, [`flows`] keeps the order of exchanges, [`crossbar`] limits
//!   the frames that pass a switch at a time.
//! * Priority: [`control_priority`] lets control messages go before other frames, [`preempt`] stops other frames for them, [`cut_through`]
//!   has the times of the words of stopped frames.
//! * Groups: [`multicast`] copies frames that go to several nodes.
//! * Losses: [`hold_timeout`] discards frames that wait too long, [`losses`] has the losses of links; [`class_2`] has ACKs and end-to-end
//!   credit.
//! * Links: [`failures`] makes links and switches fail, [`presence`] takes nodes out, [`link_changes`] changes
//!   their lengths and speeds, [`link_states`] brings links up and resets them.
//! * Congestion: [`slow_receivers`] returns credit late, [`congestion_attribution`] finds culprits, [`quarantine`] isolates their ports,
//!   [`rate_limit`] limits the rate of nodes, [`notices`] reports to nodes, [`deadlock`] finds frames that wait for each other for ever, [`distance`] finds links with
//!   too little credit.
//! * Surroundings: [`host`] has the events of a fabric and its notifications.
//! * Observation: [`probes`] shows single frames, [`gauges`] has counters and timers.
//!
//! A feature that a fabric does not use costs only one comparison: several virtual channels on a link, losses, trunks, and routing by which
//! an exchange has several paths.

mod buffered_frame;
mod class_2;
pub mod congestion_attribution;
mod control_priority;
mod crossbar;
mod cut_through;
mod deadlock;
mod distance;
mod failures;
pub mod fast_path;
mod flows;
mod gauges;
mod hold_timeout;
mod host;
mod input_queue;
mod link_changes;
mod link_states;
mod losses;
mod multicast;
mod next_frame;
mod notices;
mod output_requests;
mod paths;
mod port;
mod preempt;
mod presence;
pub mod probes;
mod quarantine;
mod rate_limit;
mod receive;
mod send;
mod slow_receivers;

use crate::layout::{FabricLayout, LinkEndDevice, trunks};
use crate::routing::{OwnRouting, RouteTable, RoutingName};
use crate::switch::{Contender, RoutingUnit, SwitchParameters, SwitchingMode, channel};
use buffered_frame::FramePool;
pub use class_2::Class2Counts;
use class_2::Class2State;
use congestion_attribution::CongestionWatch;
pub use congestion_attribution::{BlockedFlow, CongestedPort, CongestionCause};
use cut_through::WordCourses;
pub use deadlock::Deadlock;
use deadlock::DeadlockCheckPlan;
pub use distance::CreditShortage;
use fast_path::accepted::Acceptance;
use fast_path::announced::Announcement;
use fast_path::lanes::SwitchLanes;
use flows::FlowsInFlight;
pub use gauges::FabricBalance;
pub use host::{FabricEvent, FabricHost, FrameWait, NodeEvent};
use input_queue::InputQueue;
use link_states::CreditLackTimes;
use losses::EndLosses;
use multicast::MulticastGroups;
use notices::LinkErrors;
use port::FabricPort;
pub use port::PortUse;
use quarantine::CongestionChecks;
use rate_limit::NodeRateLimits;
use sansim_fc::address::FcAddress;
use sansim_fc::frame::Frame;
use sansim_fc::link::LinkTimes;
use sansim_kernel::Time;
use sansim_pdu::Address;
use sansim_rules::RuleName;
use slow_receivers::SlowNodes;
use std::collections::BTreeMap;

/// A switch of the fabric.
#[derive(Clone, Debug)]
struct Switch {
    unit: RoutingUnit,
    /// The ports of the switch.
    ports: Vec<u32>,
    crossbar: crossbar::CrossbarUse,
    works: bool,
    /// The time at which the switch has been switched on again, if it has been.
    since: Option<Time>,
}

/// A fabric.
#[derive(Clone, Debug)]
pub struct Fabric {
    layout: FabricLayout,
    parameters: SwitchParameters,
    routing: RoutingName,
    /// The rule of the user that chooses among the paths of `routing`.
    own_routing: Option<Box<OwnRouting>>,
    routes: RouteTable,
    /// The paths without cycles, for routing with an escape channel, whose number follows the numbers of the other
    /// channels.
    escape: Option<RouteTable>,
    /// For each port the lead port of its trunk.
    leads: Vec<u32>,
    has_trunks: bool,
    /// Whether any frame is stored completely before it leaves a switch: all frames are, or the links have different
    /// speeds.
    stores_any: bool,
    /// Whether frames choose their paths and the frames of an exchange still keep their order.
    keeps_order: bool,
    /// Whether a frame may have several paths, of which it takes the first that is free.
    has_several_paths: bool,
    flows: FlowsInFlight,
    switches: Vec<Switch>,
    ports: Vec<FabricPort>,
    /// The port of each node, at its own end of its link.
    node_ports: Vec<u32>,
    /// The ports by their places: first the ports of the nodes, then the ports of the switches.
    at_place: Vec<u32>,
    by_address: BTreeMap<Address, u16>,
    held: FramePool,
    /// Rules for control messages that are needed often: whether they may stop other messages, go first at outputs, and leave nodes before
    /// other frames; and the schedules of the words of stopped messages.
    preempts: bool,
    goes_first: bool,
    orders_nodes: bool,
    courses: WordCourses,
    times: LinkTimes,
    /// For each link: whether the link itself has not failed; whether it is alive; and whether paths may use it because both its
    /// ends are active.
    sound: Vec<bool>,
    alive: Vec<bool>,
    works: Vec<bool>,
    /// For each node: whether it has been taken out of the fabric.
    is_absent: Vec<bool>,
    counts: FabricBalance,
    suspicion: DeadlockCheckPlan,
    /// Whether links and switches may fail; whether the fabric allows the fast path, and whether frames take it; and its lanes.
    may_fail: bool,
    fits_fast_path: bool,
    is_fast: bool,
    lanes: Vec<SwitchLanes>,
    /// The frames that nodes have announced, and those that they accept, by node.
    announced: Vec<Option<Announcement>>,
    accepted: Vec<Acceptance>,
    /// Vectors that are kept to reuse their memory.
    contenders: Vec<Contender>,
    places: Vec<(u32, u8)>,
    firsts: Vec<u32>,
    /// The number of headers that have arrived at switches.
    arrivals: u64,
    due: Vec<u32>,
    /// The number of ports that are shown to observers; the ports after them belong to controllers.
    shown_ports: usize,
    class_2: Option<Box<Class2State>>,
    multicast: Option<Box<MulticastGroups>>,
    /// Whether frames are discarded that wait for too long.
    discards: bool,
    slow: Option<Box<SlowNodes>>,
    paces: Option<Box<NodeRateLimits>>,
    looks: Option<Box<CongestionChecks>>,
    link_errors: Option<Box<LinkErrors>>,
    watch: Option<Box<CongestionWatch>>,
}

impl Fabric {
    /// Lets a rule of the user choose among the paths, if there is one.
    #[must_use]
    pub fn with_own_routing(self, rule: &RuleName<RoutingName>) -> Self {
        let own_routing = match rule {
            RuleName::BuiltIn(_) => None,
            RuleName::Own(rule) => Some(Box::new(OwnRouting::from(rule.clone()))),
        };
        Self { own_routing, ..self }
    }

    /// A fabric in which nothing is in flight.
    pub fn new(layout: FabricLayout, parameters: &SwitchParameters, routing: RoutingName) -> Self {
        let works = vec![true; layout.links.len()];
        let leads = trunks::trunk_lead_ports(&layout, parameters.trunks);
        let routes = RouteTable::find_paths(&layout, &works, &leads, routing.is_up_down());
        let escape = routing.has_escape().then(|| RouteTable::find_paths(&layout, &works, &leads, true));
        let mut of_switch: Vec<Vec<u32>> = vec![Vec::new(); layout.switches.len()];
        let mut node_ports = vec![0; layout.nodes.len()];
        let mut ports: Vec<FabricPort> = Vec::with_capacity(2 * layout.links.len());
        let channels = parameters.channels + u8::from(routing.has_escape());
        let mut buffers = Vec::new();
        for (number, link) in layout.links.iter().enumerate() {
            for end in 0..2 {
                let port = (2 * number + end) as u32;
                let lead = leads[port as usize];
                let local = match link.ends[end] {
                    LinkEndDevice::Switch(switch) => {
                        of_switch[usize::from(switch)].push(port);
                        match ports.get(lead as usize) {
                            Some(lead) => lead.local,
                            None => of_switch[usize::from(switch)].len() as u16 - 1,
                        }
                    }
                    LinkEndDevice::Node(node) => {
                        node_ports[usize::from(node)] = port;
                        0
                    }
                };
                buffers.clear();
                let own = (parameters.control.buffers > 0
                    && matches!(link.ends[1 - end], LinkEndDevice::Switch(_)))
                .then_some(parameters.control.buffers);
                match (link.ends[end], link.ends[1 - end]) {
                    (LinkEndDevice::Switch(_), LinkEndDevice::Switch(_)) => {
                        let data = parameters.buffers
                            - parameters.credit_reserve.reserved_buffers(parameters.buffers);
                        buffers.extend(
                            (0..channels).map(|channel| channel::buffers_of_channel(data, channels, channel)),
                        );
                    }
                    (LinkEndDevice::Node(_), LinkEndDevice::Switch(_)) => buffers.push(parameters.buffers),
                    (_, LinkEndDevice::Node(node)) => buffers.push(layout.nodes[usize::from(node)].buffers),
                }
                buffers.extend(own);
                let mut port_of =
                    FabricPort::new(link.ends[end], local, lead, link.rules, &buffers, &parameters.arbiter);
                port_of.control_channel = own.map(|_| buffers.len() as u8 - 1);
                ports.push(port_of);
                if lead != port {
                    let members = &mut ports[lead as usize].members;
                    if members.is_empty() {
                        members.push(lead);
                    }
                    members.push(port);
                }
            }
        }
        for port in 0..ports.len() {
            let channels = ports[port ^ 1].credits.credit_by_channel().count();
            ports[port].waiting = InputQueue::new(channels);
        }
        // Places are numbered: first the nodes, then the ports of the switches, switch by switch.
        for (node, &port) in node_ports.iter().enumerate() {
            ports[port as usize].place = node as u16;
        }
        for (number, &port) in of_switch.iter().flatten().enumerate() {
            ports[port as usize].place = (node_ports.len() + number) as u16;
        }
        let mut at_place = node_ports.clone();
        at_place.extend(of_switch.iter().flatten());
        let switch = |ports: Vec<u32>| Switch {
            unit: RoutingUnit::new(ports.len(), parameters.control.routing_first),
            ports,
            crossbar: crossbar::CrossbarUse::default(),
            works: true,
            since: None,
        };
        let layout_nodes = layout.nodes.len();
        let (nodes, congestion) = (layout.nodes.iter().zip(0..), &parameters.congestion);
        let paces = NodeRateLimits::for_limited_nodes(&layout.nodes, congestion);
        let fabric = Self {
            by_address: nodes.map(|(node, number)| (node.address, number)).collect(),
            switches: of_switch.into_iter().map(switch).collect(),
            held: FramePool::default(),
            preempts: parameters.control.control_preempts(),
            goes_first: parameters.control.control_goes_first(),
            orders_nodes: parameters.control.reorders_at_nodes() || paces.is_some(),
            discards: parameters.hold_time.is_some() || congestion.edge_hold_time.is_some(),
            slow: SlowNodes::for_slow_nodes(layout.nodes.iter().map(|node| node.drain)),
            paces,
            looks: congestion
                .checks_ports()
                .then(|| Box::new(CongestionChecks::new(congestion, layout.nodes.len()))),
            link_errors: LinkErrors::for_nodes(congestion, layout.nodes.len()),
            watch: congestion.watch.then(|| Box::new(CongestionWatch::new(ports.len()))),
            courses: WordCourses::default(),
            counts: FabricBalance::default(),
            contenders: Vec::with_capacity(16),
            places: Vec::with_capacity(16),
            firsts: Vec::with_capacity(16),
            arrivals: 0,
            due: Vec::new(),
            shown_ports: ports.len(),
            class_2: None,
            multicast: None,
            has_trunks: ports.iter().any(|port| !port.members.is_empty()),
            stores_any: parameters.switching == SwitchingMode::StoreAndForward
                || layout.has_different_rates(),
            has_several_paths: routing.is_adaptive(),
            keeps_order: routing.is_adaptive() && parameters.in_order || congestion.quarantine,
            flows: FlowsInFlight::default(),
            parameters: parameters.clone(),
            layout,
            routing,
            own_routing: None,
            routes,
            escape,
            leads,
            ports,
            node_ports,
            at_place,
            times: LinkTimes::default(),
            sound: works.clone(),
            alive: works.clone(),
            is_absent: vec![false; layout_nodes],
            works,
            suspicion: DeadlockCheckPlan::default(),
            may_fail: false,
            fits_fast_path: false,
            is_fast: false,
            lanes: Vec::new(),
            announced: Vec::new(),
            accepted: Vec::new(),
        };
        fabric.with_losses(0, "fabric")
    }

    /// Adds losses to the fabric, which are drawn by random streams of this name, one for each direction of a
    /// link.
    pub fn with_losses(mut self, seed: u64, name: &str) -> Self {
        // Frames are counted by the channels on which the port sends, R_RDYs by the channels on which the
        // other end sends.
        let channels_of: Vec<usize> =
            self.ports.iter().map(|port| port.credits.credit_by_channel().count()).collect();
        for (number, port) in self.ports.iter_mut().enumerate() {
            let name = || format!("{name}/links[{}]/{}", number / 2, ["there", "back"][number % 2]);
            let channels = channels_of[number].max(channels_of[number ^ 1]);
            port.losses =
                port.rules.may_lose_frames().then(|| Box::new(EndLosses::new(seed, &name(), channels)));
        }
        self.choose_path()
    }

    /// Changes the times of the fabric's links.
    pub fn with_times(mut self, times: LinkTimes) -> Self {
        self.times = times;
        for port in &mut self.ports {
            // Where nothing can be lost, a reset would restore no credit.
            let resets =
                times.credit_time_out.is_some() && port.rules.ready_words > 0 && port.rules.may_lose_frames();
            port.lacks =
                resets.then(|| Box::new(CreditLackTimes::new(port.credits.credit_by_channel().count())));
        }
        self.choose_path()
    }

    /// The layout of the fabric: switches, links and nodes.
    pub fn fabric_layout(&self) -> &FabricLayout {
        &self.layout
    }

    /// The counts of the frames that the fabric has carried.
    pub fn frame_counts(&self) -> FabricBalance {
        self.counts
    }

    /// Handles an event that was scheduled and is due.
    pub fn handle_event(&mut self, now: Time, event: FabricEvent, around: &mut impl FabricHost) {
        if self.is_fast {
            match event {
                FabricEvent::Send(port) => return self.send_on_fast_path(now, port, around),
                FabricEvent::Route(switch) => return self.route_on_fast_path(now, switch, around),
                FabricEvent::Arrived(held) => return self.arrived_on_fast_path(now, held, around),
                FabricEvent::Left(port) => return self.left_on_fast_path(now, port, around),
                _ => {}
            }
        }
        match event {
            FabricEvent::Header(held) => self.header(now, held, around),
            FabricEvent::Arrived(held) => self.arrived(now, held, around),
            FabricEvent::Left(port) => self.left(now, port, around),
            FabricEvent::Route(switch) => self.route(now, switch, around),
            FabricEvent::Send(port) => self.may_send(now, port, around),
            FabricEvent::Mark(port) => self.mark(now, port, around),
            FabricEvent::Expire(port) => self.expire(now, port, around),
            FabricEvent::Overdue(node) => self.overdue(now, node, around),
            FabricEvent::Hears(port) => self.hears(now, port, around),
            FabricEvent::Offline(port) => self.offline(now, port, around),
            FabricEvent::TimeOut(port) => self.time_out(now, port, around),
            FabricEvent::Drained(node) => self.drained(now, node, around),
            FabricEvent::Look(port) => self.look(now, port, around),
            FabricEvent::Damaged(node) => self.damaged_frame_came(now, node, around),
        }
    }

    /// The node that has an address, or that leads to it: a node on a loop is reached by the switch port of its loop.
    #[inline]
    pub fn node_at_address(&self, address: Address) -> Option<u16> {
        let nodes = &self.by_address;
        nodes.get(&address).or_else(|| nodes.get(&address.at_switch())).copied()
    }

    /// A node hands over a frame.
    pub fn enqueue_frame(&mut self, now: Time, node: u16, frame: Frame, around: &mut impl FabricHost) {
        self.redirect_frame(now, node, frame, self.node_at_address(frame.destination), around);
    }

    /// A node hands over a frame that goes to another node, whatever its destination; without a node it is lost.
    #[inline]
    pub fn redirect_frame(
        &mut self,
        now: Time,
        node: u16,
        frame: Frame,
        to: Option<u16>,
        around: &mut impl FabricHost,
    ) {
        self.leave_fast_path_if_observed(around);
        if self.suspicion.is_check_due(now) {
            self.looks_for_a_deadlock(now, around);
        }
        let port = self.node_ports[usize::from(node)];
        let to = if self.multicast.is_some() { self.first_member_or(to, frame.destination) } else { to };
        let Some(to) = to.filter(|_| self.is_present(node)) else {
            self.counts.sent += 1;
            self.counts.lost += 1;
            around.upcall(now, node, NodeEvent::Started(frame));
            if !frame.kind.belongs_to_request() {
                // The node counts the frame as one that has left.
                around.upcall(now, node, NodeEvent::Sent(frame));
            }
            around.upcall(now, node, NodeEvent::Lost(frame));
            return;
        };
        let held = self.held.occupy_buffer(frame, to, port, now);
        self.held[held].ready_at = now;
        if self.multicast.is_some() {
            self.goes_to_group(held, frame.destination);
        }
        if self.is_fast {
            // A frame behind others waits until they have left.
            let queue = &mut self.ports[port as usize].queue;
            queue.push_back(held);
            if queue.len() == 1 {
                self.plan(now, port, now, around);
            }
            return;
        }
        self.queue(port, held);
        if !self.works[port as usize / 2] {
            self.drop_queued(now, port, around);
        }
        self.plan(now, port, now, around);
    }

    /// A node has emptied a buffer.
    pub fn buffer_freed(&mut self, now: Time, node: u16, around: &mut impl FabricHost) {
        if self.slow.is_some() && self.gives_back_later(now, node, around) {
            return;
        }
        let port = self.node_ports[usize::from(node)];
        self.free_buffer(now, port, 0, around);
        if self.class_2.is_some() {
            self.acknowledge(now, node, around);
        }
    }

    /// Hides the nodes and links behind this number of them from observers.
    #[must_use]
    pub fn with_hidden_nodes(mut self, nodes: usize, links: usize) -> Self {
        self.shows_nodes(nodes, links);
        self
    }

    /// The number of links that are shown to observers.
    pub fn shown_link_count(&self) -> usize {
        self.shown_ports / 2
    }

    /// Shows only this number of nodes and links to observers.
    fn shows_nodes(&mut self, nodes: usize, links: usize) {
        let switches = self.switches.iter().flat_map(|switch| &switch.ports).copied();
        self.shown_ports = 2 * links;
        self.at_place = self.node_ports[..nodes].to_vec();
        self.at_place.extend(switches.filter(|&port| (port as usize) < 2 * links));
        for (place, &port) in self.at_place.iter().enumerate() {
            self.ports[port as usize].place = place as u16;
        }
        // Changes at the ports of controllers are seen at no place; reading the first place again does no
        // harm.
        self.ports[2 * links..].iter_mut().for_each(|port| port.place = 0);
    }
}
