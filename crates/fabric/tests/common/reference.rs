//! A fabric as plain as can be: it goes from tick to tick, and every word and every credit is a thing that moves. Only the ways themselves
//! are taken from the fabric that it is compared with.

use super::Note;
use sansim_fabric::layout::{At, Layout};
use sansim_fabric::routing::{Routes, RoutingName};
use sansim_fabric::switch::arbiter::Arbitrates;
use sansim_fabric::switch::{Arbiter, Contender, Crossbar, Queueing, SwitchParameters, Switching};
use sansim_fc::frame::{Frame, FrameKind};
use sansim_fc::link::LinkRules;
use sansim_kernel::Time;
use std::collections::VecDeque;

/// What is on a line, when it is in.
#[derive(Clone, Copy)]
enum Word {
    Ready,
    /// The how manieth word of how many of this frame.
    Of(Frame, u64, u64),
}

/// A frame in a buffer, as far as it is in.
#[derive(Clone)]
struct Stored {
    frame: Frame,
    words_in: u64,
    is_whole: bool,
    came: u64,
    /// Served by the routing unit, and from when on it may leave, if that is known yet.
    outputs: Vec<usize>,
    routed_at: Option<u64>,
    whole_first: bool,
    whole_at: u64,
    leaving: bool,
}

struct End {
    at: At,
    local: u16,
    rules: LinkRules,
    line: VecDeque<(u64, Word)>,
    credit: u32,
    arbiter: Arbiter,
    /// The frame that is being sent: from which buffer (port, frame's tag), its words, and when the next begins.
    sending: Option<(usize, Frame, u64, u64, u64)>,
    ready_pending: u32,
    frame_end: Option<u64>,
    ready_end: Option<u64>,
    buffers: Vec<Stored>,
    /// Of a node: what it has to send.
    queue: VecDeque<Frame>,
    /// In which order frames came to want this output.
    wanted: Vec<(usize, u32)>,
}

/// A routing unit: the ports of its switch, whose turn it is, and the header (port and frame) that is served until then.
type Unit = (Vec<usize>, usize, Option<(usize, u32, u64)>);

pub struct Reference {
    layout: Layout,
    parameters: SwitchParameters,
    routing: RoutingName,
    routes: Routes,
    ends: Vec<End>,
    units: Vec<Unit>,
    pub notes: Vec<Note>,
    takes: Vec<u64>,
    /// Buffers that nodes are going to have emptied.
    freed: Vec<(u64, usize)>,
    inputs: Vec<(u64, u16, Frame)>,
}

impl Reference {
    pub fn new(
        layout: Layout,
        parameters: &SwitchParameters,
        routing: RoutingName,
        takes: Vec<u64>,
        inputs: Vec<(u64, u16, Frame)>,
    ) -> Self {
        let works = vec![true; layout.links.len()];
        let mut units: Vec<Unit> = vec![(Vec::new(), 0, None); layout.switches.len()];
        let mut ends = Vec::new();
        for link in &layout.links {
            for side in 0..2 {
                let local = match link.ends[side] {
                    At::Switch(s) => {
                        units[usize::from(s)].0.push(ends.len());
                        units[usize::from(s)].0.len() - 1
                    }
                    At::Node(_) => 0,
                };
                let credit = match link.ends[1 - side] {
                    At::Switch(_) => parameters.buffers,
                    At::Node(n) => layout.nodes[usize::from(n)].buffers,
                };
                ends.push(End {
                    at: link.ends[side],
                    local: local as u16,
                    rules: link.rules,
                    line: VecDeque::new(),
                    credit,
                    arbiter: parameters.arbiter.arbiter(),
                    sending: None,
                    ready_pending: 0,
                    frame_end: None,
                    ready_end: None,
                    buffers: Vec::new(),
                    queue: VecDeque::new(),
                    wanted: Vec::new(),
                });
            }
        }
        let routes = Routes::find(&layout, &works, routing.is_up_down());
        Self {
            parameters: parameters.clone(),
            routing,
            routes,
            ends,
            units,
            notes: Vec::new(),
            takes,
            freed: Vec::new(),
            inputs,
            layout,
        }
    }

    pub fn run(&mut self, until: u64) {
        for now in 0..=until {
            self.take_in(now);
            self.ends_of_frames(now);
            self.nodes(now);
            self.return_at_once(now);
            (0..self.units.len()).for_each(|switch| self.unit(now, switch));
            self.transmit(now);
        }
    }

    /// Words that are in.
    fn take_in(&mut self, now: u64) {
        for to in 0..self.ends.len() {
            let from = to ^ 1;
            while self.ends[from].line.front().is_some_and(|&(at, _)| at == now) {
                let (_, word) = self.ends[from].line.pop_front().expect("looked");
                match word {
                    Word::Ready => self.ends[to].credit += 1,
                    Word::Of(frame, number, words) => self.word_in(now, to, frame, number, words),
                }
            }
        }
    }

    fn word_in(&mut self, now: u64, to: usize, frame: Frame, number: u64, words: u64) {
        let header = self.ends[to].rules.header_words.min(words);
        if number == 0 {
            self.ends[to].buffers.push(Stored {
                frame,
                words_in: 0,
                is_whole: false,
                came: 0,
                outputs: Vec::new(),
                routed_at: None,
                whole_first: false,
                whole_at: 0,
                leaving: false,
            });
            let most = match self.ends[to].at {
                At::Switch(_) => self.parameters.buffers,
                At::Node(n) => self.layout.nodes[usize::from(n)].buffers,
            };
            assert!(self.ends[to].buffers.len() <= most as usize, "more frames than buffers");
        }
        let stored =
            self.ends[to].buffers.iter_mut().find(|stored| stored.frame.tag == frame.tag).expect("begun");
        assert_eq!(stored.words_in, number, "words in order");
        stored.words_in += 1;
        if stored.words_in == header {
            stored.came = now;
        }
        if stored.words_in == words {
            (stored.is_whole, stored.whole_at) = (true, now);
            if let At::Node(node) = self.ends[to].at {
                self.notes.push((now, node, "received", frame.tag.0));
                self.freed.push((now + self.takes[usize::from(node)], to));
            }
        }
    }

    /// Frames whose last word has left.
    fn ends_of_frames(&mut self, now: u64) {
        for port in 0..self.ends.len() {
            let Some((from, frame, words, sent, next)) = self.ends[port].sending else { continue };
            if sent < words || next > now {
                continue;
            }
            self.ends[port].sending = None;
            self.ends[port].frame_end = Some(now);
            match self.ends[port].at {
                At::Node(node) => self.notes.push((now, node, "sent", frame.tag.0)),
                At::Switch(_) => {
                    self.ends[from].buffers.retain(|stored| stored.frame.tag != frame.tag);
                    self.ends[from].ready_pending += 1;
                }
            }
        }
    }

    fn nodes(&mut self, now: u64) {
        let due: Vec<usize> = self.freed.iter().filter(|(at, _)| *at == now).map(|(_, port)| *port).collect();
        for port in due {
            self.ends[port].buffers.remove(0);
            self.ends[port].ready_pending += 1;
        }
        for place in 0..self.inputs.len() {
            let (at, node, frame) = self.inputs[place];
            if at == now {
                let port = self.ends.iter().position(|end| end.at == At::Node(node)).expect("a port");
                self.ends[port].queue.push_back(frame);
            }
        }
    }

    /// Where credit comes back beside the line it does not wait for it.
    fn return_at_once(&mut self, now: u64) {
        for port in 0..self.ends.len() {
            if self.ends[port].rules.ready_words == 0 {
                let latency = self.ends[port].rules.latency.ticks();
                for _ in 0..std::mem::take(&mut self.ends[port].ready_pending) {
                    if latency == 0 {
                        self.ends[port ^ 1].credit += 1;
                    } else {
                        let line = &mut self.ends[port].line;
                        let place = line.iter().position(|(at, _)| *at > now + latency).unwrap_or(line.len());
                        line.insert(place, (now + latency, Word::Ready));
                    }
                }
            }
        }
    }

    fn unit(&mut self, now: u64, switch: usize) {
        loop {
            let (ports, turn, serves) = &mut self.units[switch];
            if let Some((port, tag, until)) = *serves {
                if until > now {
                    return;
                }
                *serves = None;
                self.served(now, switch, port, tag);
                continue;
            }
            let new = |port: usize| {
                let end = &self.ends[port];
                let header = end.rules.header_words;
                let is_new = |stored: &&Stored| {
                    stored.routed_at.is_none()
                        && stored.words_in
                            >= header.min(end.rules.frame_words(stored.frame.payload_bytes.into()))
                };
                end.buffers.iter().find(is_new).map(|stored| stored.frame.tag.0)
            };
            let found = (0..ports.len()).find_map(|step| {
                let place = (*turn + step) % ports.len();
                new(ports[place]).map(|tag| (place, tag))
            });
            let Some((place, tag)) = found else { return };
            let port = ports[place];
            *turn = (place + 1) % ports.len();
            *serves = Some((port, tag, now + self.parameters.routing_delay.ticks()));
        }
    }

    fn served(&mut self, now: u64, switch: usize, port: usize, tag: u32) {
        let stored = self.ends[port].buffers.iter().find(|stored| stored.frame.tag.0 == tag).expect("there");
        let to = self
            .layout
            .nodes
            .iter()
            .position(|node| node.address == stored.frame.destination)
            .expect("a node");
        let target = self.layout.nodes[to].switch.expect("a switch");
        let mut outputs: Vec<usize> = if usize::from(target) == switch {
            vec![self.ends.iter().position(|end| end.at == At::Node(to as u16)).expect("a port") ^ 1]
        } else {
            let from = match self.ends[port ^ 1].at {
                At::Switch(switch) => Some(switch),
                At::Node(_) => None,
            };
            let allowed = self.routes.ports(switch as u16, from, target);
            self.routing.choose(&stored.frame, allowed).ports().iter().map(|&port| port.into()).collect()
        };
        if outputs.len() > 1 {
            let idle = |&&port: &&usize| {
                let end = &self.ends[port];
                end.sending.is_none() && end.wanted.is_empty() && end.credit > 0
            };
            if let Some(&idle) = outputs.iter().find(idle) {
                outputs = vec![idle];
            }
        }
        let comes = self.ends[port].rules.word;
        let whole = self.parameters.switching == Switching::StoreAndForward
            || outputs.iter().any(|&output| self.ends[output].rules.word < comes);
        for &output in &outputs {
            self.ends[output].wanted.push((port, tag));
        }
        let stored =
            self.ends[port].buffers.iter_mut().find(|stored| stored.frame.tag.0 == tag).expect("there");
        (stored.outputs, stored.routed_at, stored.whole_first) = (outputs, Some(now), whole);
    }

    /// From when on a frame may leave.
    fn ready_at(&self, stored: &Stored) -> Option<u64> {
        let routed = stored.routed_at?;
        let from =
            if stored.whole_first { stored.is_whole.then_some(routed.max(stored.whole_at))? } else { routed };
        Some(from + self.parameters.forwarding_delay.ticks())
    }

    /// Every port does what it may; the lowest first, and again from the beginning when a frame has begun.
    fn transmit(&mut self, now: u64) {
        for port in 0..self.ends.len() {
            self.go_on(now, port);
            self.ready(now, port);
        }
        while (0..self.ends.len()).any(|port| self.begin(now, port)) {}
    }

    /// The next word of the frame that is being sent.
    fn go_on(&mut self, now: u64, port: usize) {
        let end = &mut self.ends[port];
        let Some((_, frame, words, sent, next)) = &mut end.sending else { return };
        if *next == now && sent < words {
            let in_at = now + end.rules.word.ticks() + end.rules.latency.ticks();
            end.line.push_back((in_at, Word::Of(*frame, *sent, *words)));
            *sent += 1;
            *next += end.rules.word.ticks();
        }
    }

    fn is_slot(&self, now: u64, port: usize) -> bool {
        let rules = self.ends[port].rules;
        !rules.slotted || now.is_multiple_of(rules.word.ticks())
    }

    fn is_over(end: Option<u64>, words: u64, rules: &LinkRules, now: u64) -> bool {
        end.is_none_or(|end| now >= end + words * rules.word.ticks())
    }

    fn ready(&mut self, now: u64, port: usize) {
        let is_slot = self.is_slot(now, port);
        let end = &mut self.ends[port];
        let fits = Self::is_over(end.frame_end, end.rules.fill_words, &end.rules, now)
            && Self::is_over(end.ready_end, end.rules.fill_words, &end.rules, now);
        if is_slot && end.ready_pending > 0 && end.sending.is_none() && fits {
            end.ready_pending -= 1;
            let sent = now + end.rules.ready_words * end.rules.word.ticks();
            end.ready_end = Some(sent);
            end.line.push_back((sent + end.rules.latency.ticks(), Word::Ready));
        }
    }

    fn begin(&mut self, now: u64, port: usize) -> bool {
        let end = &self.ends[port];
        let fits = Self::is_over(end.frame_end, end.rules.gap_words, &end.rules, now)
            && Self::is_over(end.ready_end, end.rules.fill_words, &end.rules, now);
        if !self.is_slot(now, port) || !fits || end.sending.is_some() || end.credit == 0 {
            return false;
        }
        let (from, frame) = match end.at {
            At::Node(node) => {
                let Some(frame) = self.ends[port].queue.pop_front() else { return false };
                self.notes.push((now, node, "started", frame.tag.0));
                (port, frame)
            }
            At::Switch(switch) => {
                let Some(chosen) = self.choose(now, port, switch.into()) else { return false };
                let stored = self.ends[chosen.0]
                    .buffers
                    .iter_mut()
                    .find(|s| s.frame.tag.0 == chosen.1)
                    .expect("there");
                stored.leaving = true;
                let (frame, outputs) = (stored.frame, stored.outputs.clone());
                for output in outputs {
                    self.ends[output].wanted.retain(|other| *other != chosen);
                }
                (chosen.0, frame)
            }
        };
        let end = &mut self.ends[port];
        end.credit -= 1;
        let words = end.rules.frame_words(frame.payload_bytes.into());
        end.sending = Some((from, frame, words, 0, now));
        self.go_on(now, port);
        true
    }

    fn choose(&mut self, now: u64, port: usize, switch: usize) -> Option<(usize, u32)> {
        let passing: usize = self.units[switch]
            .0
            .iter()
            .map(|&port| self.ends[port].buffers.iter().filter(|s| s.leaving).count())
            .sum();
        if self.parameters.transactions.is_some_and(|most| passing as u64 >= most) {
            return None;
        }
        let mut may = Vec::new();
        for &(from, tag) in &self.ends[port].wanted {
            let input = &self.ends[from];
            let stored = input.buffers.iter().find(|stored| stored.frame.tag.0 == tag).expect("there");
            let Some(since) = self.ready_at(stored).filter(|&at| at <= now) else { continue };
            let first = input.buffers.iter().find(|stored| !stored.leaving).expect("this");
            let in_order = self.parameters.queueing == Queueing::PerOutput || first.frame.tag.0 == tag;
            let has_way =
                self.parameters.crossbar == Crossbar::PerBuffer || !input.buffers.iter().any(|s| s.leaving);
            if in_order && has_way {
                let is_control = stored.frame.kind != FrameKind::Data;
                may.push((
                    (from, tag),
                    Contender { input: input.local, since: Time(since), came: Time(stored.came), is_control },
                ));
            }
        }
        if may.is_empty() {
            return None;
        }
        let contenders: Vec<Contender> = may.iter().map(|(_, contender)| *contender).collect();
        Some(may[self.ends[port].arbiter.choose(&contenders)].0)
    }
}
