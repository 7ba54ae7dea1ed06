//! A fabric that is as plain as possible: it advances tick by tick, and every word and every credit is an object that moves. Only the paths
//! themselves come from the fabric with which it is compared.
//!
//! [`class_2`] has answers and end-to-end credit, [`link`] the words on lines, [`states`] the ends that are not active, [`switch`] the
//! handling of frames in switches, and [`order`] keeps the frames of an exchange in order.

mod class_2;
mod congestion;
mod link;
mod order;
mod states;
mod switch;

use super::Note;
use link::{Counts, Signal, Word};
use order::Trip;
use sansim_fabric::layout::{FabricLayout, LinkEndDevice, trunks};
use sansim_fabric::routing::{RouteTable, RoutingName};
use sansim_fabric::switch::{Arbiter, SwitchParameters};
use sansim_fc::frame::{Frame, LinkControl, PduKind};
use sansim_fc::link::{LinkRules, LinkState, LinkTimes};
use sansim_kernel::RandomStream;
use states::Heard;
use std::collections::{BTreeSet, VecDeque};

/// The identity of a frame: its tag, and whether it is link control, which has the tag of the frame that it answers.
type Name = (u32, bool);

trait Named {
    fn name(&self) -> Name;
}

impl Named for Frame {
    fn name(&self) -> Name {
        (self.tag.0, self.is_link_control())
    }
}

/// A path out of a switch: the output, the channel, and whether it is for a frame for which no other path is
/// free.
pub(crate) type Way = (usize, u8, bool);

/// A link or a switch that fails, or is repaired.
#[derive(Clone, Copy, Debug)]
pub struct Broken {
    pub at: u64,
    pub is_switch: bool,
    pub which: usize,
    pub works: bool,
}

/// A frame in a buffer, with the words that have arrived.
#[derive(Clone)]
struct Stored {
    frame: Frame,
    channel: u8,
    words_in: u64,
    /// The arrival time of each word.
    arrivals: Vec<u64>,
    /// The times at which the header and the last word arrived.
    came: Option<u64>,
    whole_at: Option<u64>,
    /// The time at which the routing unit has served the frame, and the paths of the frame.
    routed_at: Option<u64>,
    ways: Vec<Way>,
    whole_first: bool,
    leaving: bool,
}

/// A frame that is being sent: the end whose buffer holds it, its words, the number of words sent and the time
/// of the next word.
#[derive(Clone, Copy)]
struct Sending {
    from: usize,
    frame: Frame,
    channel: u8,
    words: u64,
    sent: u64,
    next: u64,
    lost: bool,
}

struct End {
    at: LinkEndDevice,
    /// The lead end of this end's trunk.
    lead: usize,
    local: u16,
    rules: LinkRules,
    line: VecDeque<(u64, Word)>,
    /// By channel: the number of frames that the end may send, and the counts of frames sent and received
    /// since the last marks.
    credit: Vec<u32>,
    login: Vec<u32>,
    sent: Vec<Counts>,
    got: Vec<Counts>,
    losses: [RandomStream; 2],
    state: LinkState,
    heard: Heard,
    offline_until: u64,
    owed: Vec<u8>,
    /// By channel: the time since which a frame has found no credit.
    lacks: Vec<Option<u64>>,
    arbiter: Arbiter,
    sending: Option<Sending>,
    /// The message that has been stopped for the message that is being sent.
    stopped: Option<Sending>,
    pending: VecDeque<Signal>,
    frame_end: Option<u64>,
    signal_end: Option<u64>,
    /// The numbers of buffers: for control messages, and for other frames.
    most: [usize; 2],
    buffers: Vec<Stored>,
    /// The frames that a node has to send.
    queue: VecDeque<Frame>,
    /// The frames that wait for this output, in the order in which they began to wait.
    wanted: Vec<(usize, Name)>,
    /// The time for which the port has had a frame and no credit so far; the same at the beginning of this period; and the time
    /// since which it has waited now.
    stalled: u64,
    before: u64,
    stalled_since: Option<u64>,
}

/// A routing unit: the ports of its switch, the port whose turn it is, and the header (port and frame) that is being
/// served, with the end of the service.
type Unit = (Vec<usize>, usize, Option<(usize, Name, u64)>);

/// Whether a frame is a control message; the tests have only commands and data.
fn is_control(frame: &Frame) -> bool {
    frame.kind != PduKind::Data
}

pub struct Reference {
    layout: FabricLayout,
    parameters: SwitchParameters,
    routing: RoutingName,
    routes: RouteTable,
    escape: Option<RouteTable>,
    ends: Vec<End>,
    /// The ends of each trunk, by its lead end.
    links: Vec<Vec<usize>>,
    units: Vec<Unit>,
    /// For units with priority: the port that is polled next for new control messages, and the ports that have had one served in
    /// this round.
    rounds: Vec<(usize, Vec<usize>)>,
    trips: Vec<Trip>,
    pub notes: Vec<Note>,
    takes: Vec<u64>,
    /// The buffers that nodes will have emptied.
    freed: Vec<(u64, usize, Name)>,
    inputs: Vec<(u64, u16, Frame)>,
    class_2: Option<class_2::Class2>,
    pub times: LinkTimes,
    pub broken: Vec<Broken>,
    sound: Vec<bool>,
    switch_works: Vec<bool>,
    /// For each switch, the time at which it has been switched on again.
    switch_since: Vec<Option<u64>>,
    alive: Vec<bool>,
    works: Vec<bool>,
    /// Frames that a failure has cut.
    cut: BTreeSet<Name>,
    pub resets: u64,
    congestion: congestion::Seen,
}

impl Reference {
    pub fn new(
        layout: FabricLayout,
        parameters: &SwitchParameters,
        routing: RoutingName,
        takes: Vec<u64>,
        inputs: Vec<(u64, u16, Frame)>,
    ) -> Self {
        let works = vec![true; layout.links.len()];
        let leads = trunks::trunk_lead_ports(&layout, parameters.trunks);
        let mut units: Vec<Unit> = vec![(Vec::new(), 0, None); layout.switches.len()];
        let mut ends: Vec<End> = Vec::new();
        let channels = usize::from(parameters.channels) + usize::from(routing.has_escape());
        for (number, link) in layout.links.iter().enumerate() {
            for side in 0..2 {
                let lead = leads[ends.len()] as usize;
                let local = match link.ends[side] {
                    LinkEndDevice::Switch(s) => {
                        units[usize::from(s)].0.push(ends.len());
                        ends.get(lead).map_or(units[usize::from(s)].0.len() as u16 - 1, |lead| lead.local)
                    }
                    LinkEndDevice::Node(_) => 0,
                };
                let all = |at| match at {
                    LinkEndDevice::Switch(_) => parameters.buffers,
                    LinkEndDevice::Node(n) => layout.nodes[usize::from(n)].buffers,
                };
                let between = link.ends.iter().all(|end| matches!(end, LinkEndDevice::Switch(_)));
                let mut credit: Vec<u32> = if between {
                    let data =
                        parameters.buffers - parameters.credit_reserve.reserved_buffers(parameters.buffers);
                    // The buffers are distributed one by one.
                    let mut credit = vec![0; channels];
                    (0..data).for_each(|buffer| credit[buffer as usize % channels] += 1);
                    credit
                } else {
                    vec![all(link.ends[1 - side])]
                };
                let own = parameters.control.buffers;
                if own > 0 && matches!(link.ends[1 - side], LinkEndDevice::Switch(_)) {
                    credit.push(own);
                }
                let stream = |what| {
                    let way = ["there", "back"][side];
                    RandomStream::new(0, &format!("fabric/links[{number}]/{way}/{what}"))
                };
                // The two directions of a link may have different channels.
                let counts = vec![Counts::default(); channels + 2];
                let (login, lacks) = (credit.clone(), vec![None; credit.len()]);
                ends.push(End {
                    login,
                    lacks,
                    state: LinkState::Active,
                    heard: Heard::default(),
                    offline_until: 0,
                    owed: Vec::new(),
                    at: link.ends[side],
                    lead,
                    local,
                    rules: link.rules,
                    line: VecDeque::new(),
                    credit,
                    sent: counts.clone(),
                    got: counts,
                    losses: [stream("frames"), stream("readies")],
                    arbiter: sansim_fabric::switch::Arbiter::of_rule(&parameters.arbiter),
                    sending: None,
                    stopped: None,
                    pending: VecDeque::new(),
                    frame_end: None,
                    signal_end: None,
                    most: match link.ends[side] {
                        LinkEndDevice::Switch(_) if own > 0 => [own as usize, parameters.buffers as usize],
                        at => [all(at) as usize; 2],
                    },
                    buffers: Vec::new(),
                    queue: VecDeque::new(),
                    wanted: Vec::new(),
                    stalled: 0,
                    before: 0,
                    stalled_since: None,
                });
            }
        }
        let find = |up_down| RouteTable::find_paths(&layout, &works, &leads, up_down);
        Self {
            parameters: parameters.clone(),
            routing,
            routes: find(routing.is_up_down()),
            escape: routing.has_escape().then(|| find(true)),
            links: (0..ends.len())
                .map(|lead| (0..ends.len()).filter(|&end| ends[end].lead == lead).collect())
                .collect(),
            ends,
            rounds: vec![(0, Vec::new()); units.len()],
            units,
            trips: Vec::new(),
            notes: Vec::new(),
            takes,
            freed: Vec::new(),
            inputs,
            class_2: None,
            times: LinkTimes::default(),
            broken: Vec::new(),
            sound: works.clone(),
            switch_works: vec![true; layout.switches.len()],
            switch_since: vec![None; layout.switches.len()],
            alive: works.clone(),
            works,
            cut: BTreeSet::new(),
            resets: 0,
            congestion: congestion::Seen::new(layout.nodes.len()),
            layout,
        }
    }

    /// Finds the paths over the links that work now.
    fn find_ways(&mut self) {
        let leads: Vec<u32> = self.ends.iter().map(|end| end.lead as u32).collect();
        let find = |up_down| RouteTable::find_paths(&self.layout, &self.works, &leads, up_down);
        self.routes = find(self.routing.is_up_down());
        self.escape = self.routing.has_escape().then(|| find(true));
    }

    pub fn run(&mut self, until: u64) {
        for now in 0..=until {
            self.look(now);
            self.give_up(now);
            self.take_in(now);
            self.end_offline(now);
            self.ends_of_frames(now);
            self.nodes(now);
            (0..self.units.len()).for_each(|switch| self.unit(now, switch));
            self.discard(now);
            self.nothing_waits(now);
            self.time_outs(now);
            self.transmit(now);
            if now % 64 == 0 && self.is_quiet(now) {
                return;
            }
        }
    }

    /// Whether nothing is in flight any more and nothing more will be.
    fn is_quiet(&self, now: u64) -> bool {
        let idle = |end: &End| {
            let nothing = end.line.is_empty() && end.pending.is_empty() && end.sending.is_none();
            let resets = self.times.credit_time_out.is_some() && end.lacks.iter().any(Option::is_some);
            nothing
                && !resets
                && end.state == LinkState::Active
                && end.buffers.is_empty()
                && end.queue.is_empty()
        };
        // At the end of the period the port would still be checked.
        let looks = |end: &End| self.parameters.congestion.checks_ports() && end.stalled > end.before;
        self.ends.iter().all(|end| idle(end) && !looks(end))
            && self.congestion.damaged.is_empty()
            && self.broken.iter().all(|broken| broken.at <= now)
            && self.inputs.iter().all(|(at, _, _)| *at <= now)
    }

    /// The credit of each node.
    pub fn credit_of_nodes(&self) -> Vec<u32> {
        let mut nodes = vec![0; self.layout.nodes.len()];
        for end in &self.ends {
            if let LinkEndDevice::Node(node) = end.at {
                nodes[usize::from(node)] = end.credit.iter().sum();
            }
        }
        nodes
    }

    fn note(&mut self, now: u64, node: u16, what: &'static str, frame: &Frame) {
        self.notes.push((now, node, what, frame.tag.0));
    }

    fn node_of(&self, address: sansim_pdu::Address) -> usize {
        self.layout.nodes.iter().position(|node| node.address == address).expect("a node")
    }

    fn lose(&mut self, now: u64, frame: &Frame) {
        self.finish(frame);
        let node = self.node_of(frame.source) as u16;
        let what = if frame.is_link_control() { "answer lost" } else { "lost" };
        self.note(now, node, what, frame);
    }

    fn nodes(&mut self, now: u64) {
        let due: Vec<(u64, usize, Name)> =
            self.freed.iter().copied().filter(|(at, _, _)| *at == now).collect();
        for (_, port, name) in due {
            let of = &mut self.ends[port].buffers;
            let place = of.iter().position(|stored| stored.frame.name() == name).expect("there");
            let stored = of.remove(place);
            self.give_back(now, port, 0);
            self.answer(now, self.ends[port].at, &stored.frame, LinkControl::Acknowledge);
        }
        self.breaks(now);
        for place in 0..self.inputs.len() {
            let (at, node, frame) = self.inputs[place];
            if at == now {
                let port =
                    self.ends.iter().position(|end| end.at == LinkEndDevice::Node(node)).expect("a port");
                self.ends[port].queue.push_back(frame);
            }
        }
    }

    fn find(&mut self, end: usize, tag: Name) -> &mut Stored {
        self.ends[end].buffers.iter_mut().rev().find(|stored| stored.frame.name() == tag).expect("there")
    }
}
