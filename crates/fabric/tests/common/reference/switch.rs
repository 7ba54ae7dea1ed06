//! Switches of the plain fabric.

use super::{Name, Named, Reference, Stored, Way, is_control};
use sansim_fabric::layout::LinkEndDevice;
use sansim_fabric::switch::arbiter::ArbiterRule;
use sansim_fabric::switch::{Contender, ControlPriority, Crossbar, InputQueueing, SwitchingMode};
use sansim_fc::frame::{Frame, LinkControl};
use sansim_kernel::{TICKS_PER_NS, Time};

impl Reference {
    /// The ports of a trunk, by its lead end.
    fn links(&self, lead: usize) -> impl Iterator<Item = usize> {
        self.links[lead].iter().copied()
    }

    pub(super) fn seen(&self, end: usize, tag: Name) -> &Stored {
        self.ends[end].buffers.iter().rev().find(|stored| stored.frame.name() == tag).expect("there")
    }

    /// The frames that arrived at an end, or by its trunk, and have not begun to leave, in the order in which their
    /// headers arrived.
    pub(super) fn in_order(&self, end: usize) -> Vec<(usize, Name)> {
        let mut waiting = Vec::new();
        for end in self.links(self.ends[end].lead) {
            let of = self.ends[end].buffers.iter().filter(|stored| !stored.leaving);
            waiting.extend(of.filter_map(|stored| Some((stored.came?, end, stored.frame.name()))));
        }
        waiting.sort_by_key(|&(came, end, _)| (came, end));
        waiting.into_iter().map(|(_, end, tag)| (end, tag)).collect()
    }

    pub(super) fn unit(&mut self, now: u64, switch: usize) {
        loop {
            let (_, _, serves) = &self.units[switch];
            if let Some((port, tag, until)) = *serves {
                if until > now {
                    return;
                }
                self.units[switch].2 = None;
                self.served(now, port, tag);
                continue;
            }
            if self.parameters.control.routing_first {
                let Some((end, tag)) = self.of_round(switch) else { return };
                let until = now + self.parameters.routing_delay.ticks();
                self.units[switch].2 = Some((end, tag, until));
                continue;
            }
            let (ports, turn, _) = &self.units[switch];
            let new = |port: usize| {
                let is_new =
                    |end: usize| self.ends[end].buffers.iter().any(|stored| stored.routed_at.is_none());
                if self.ends[port].lead != port || !self.links(port).any(is_new) {
                    return None;
                }
                let waiting = self.in_order(port);
                waiting.into_iter().find(|&(end, tag)| self.seen(end, tag).routed_at.is_none())
            };
            let found = (0..ports.len()).find_map(|step| {
                let place = (*turn + step) % ports.len();
                new(ports[place]).map(|(end, tag)| (place, end, tag))
            });
            let Some((place, end, tag)) = found else { return };
            let turn = (place + 1) % ports.len();
            let until = now + self.parameters.routing_delay.ticks();
            (self.units[switch].1, self.units[switch].2) = (turn, Some((end, tag, until)));
        }
    }

    /// The headers that a port has for the routing unit, in their order.
    fn unrouted(&self, port: usize) -> Vec<(usize, Name)> {
        if self.ends[port].lead != port {
            return Vec::new();
        }
        let waiting = self.in_order(port).into_iter();
        waiting.filter(|&(end, tag)| self.seen(end, tag).routed_at.is_none()).collect()
    }

    /// The next header of a unit with priority: a new control message of a port that has had none served in this round, or else the first
    /// header of the port whose turn it is; and when all ports have had their turn, the same in a new round.
    fn of_round(&mut self, switch: usize) -> Option<(usize, Name)> {
        let ports = self.units[switch].0.clone();
        // While no header waits no round begins.
        if ports.iter().all(|&port| self.unrouted(port).is_empty()) {
            return None;
        }
        for _ in 0..2 {
            for step in 0..ports.len() {
                let place = (self.rounds[switch].0 + step) % ports.len();
                let waiting = self.unrouted(ports[place]);
                let found = waiting.into_iter().find(|&(end, tag)| is_control(&self.seen(end, tag).frame));
                if let Some(found) = found.filter(|_| !self.rounds[switch].1.contains(&place)) {
                    self.rounds[switch].1.push(place);
                    self.rounds[switch].0 = (place + 1) % ports.len();
                    return Some(found);
                }
            }
            for (place, &port) in ports.iter().enumerate().skip(self.units[switch].1) {
                if let Some(&found) = self.unrouted(port).first() {
                    self.units[switch].1 = place + 1;
                    return Some(found);
                }
            }
            self.units[switch].1 = 0;
            self.rounds[switch].1.clear();
        }
        None
    }

    /// All paths that a frame has from the switch at an end.
    pub(super) fn allowed(&self, end: usize, frame: &Frame) -> Vec<Way> {
        let LinkEndDevice::Switch(switch) = self.ends[end].at else { panic!("not at a switch") };
        let to = self.node_of(frame.destination);
        let target = self.layout.nodes[to].switch.expect("a switch");
        if target == switch {
            let port =
                self.ends.iter().position(|end| end.at == LinkEndDevice::Node(to as u16)).expect("a port")
                    ^ 1;
            return if self.works[port / 2] { vec![(port, 0, false)] } else { Vec::new() };
        }
        let from = match self.ends[end ^ 1].at {
            LinkEndDevice::Switch(switch) => Some(switch),
            LinkEndDevice::Node(_) => None,
        };
        let channels = self.parameters.channels;
        let escape = |from| {
            let ports = self.escape.as_ref()?.ports(switch, from, target);
            let area = (frame.destination.value() >> 8 & 0xFF) as usize;
            (!ports.is_empty()).then(|| usize::from(ports[area % ports.len()]))
        };
        if self.parameters.control.buffers > 0 && is_control(frame) {
            let own = channels + u8::from(self.escape.is_some());
            if self.escape.is_some() {
                return escape(from).map(|port| (port, own, false)).into_iter().collect();
            }
            let any = self.routes.ports(switch, from, target);
            if any.is_empty() {
                return Vec::new();
            }
            let any = self.routing.choose(frame, any);
            return any.ports().iter().map(|&port| (usize::from(port), own, false)).collect();
        }
        if from.is_some() && self.seen(end, frame.name()).channel == channels {
            return escape(from).map(|port| (port, channels, false)).into_iter().collect();
        }
        let onto = self.onto(to, frame);
        let allowed = self.routes.ports(switch, from, target);
        if allowed.is_empty() {
            return Vec::new();
        }
        let any = self.routing.choose(frame, allowed);
        let any = any.ports().iter().map(|&port| (usize::from(port), onto, false));
        any.chain(escape(None).map(|port| (port, channels, true))).collect()
    }

    /// Whether a link of an output is idle and has credit.
    fn is_free(&self, output: usize, channel: u8) -> bool {
        let free = |end: usize| {
            self.ends[end].sending.is_none()
                && self.is_active(end)
                && self.ends[end].credit[usize::from(channel)] > 0
        };
        self.links(output).any(free)
    }

    /// Whether a frame must have arrived completely before it leaves by these paths.
    pub(super) fn is_whole_first(&self, end: usize, ways: &[Way]) -> bool {
        let comes = self.ends[end].rules.word;
        self.parameters.switching == SwitchingMode::StoreAndForward
            || ways.iter().any(|way| self.ends[way.0].rules.word < comes)
    }

    fn served(&mut self, now: u64, end: usize, tag: Name) {
        let stored = self.seen(end, tag);
        if self.hold_ends(end, stored).is_some_and(|at| at < now) {
            self.throw_away(now, end, tag);
            return;
        }
        self.finds_way(now, end, tag);
    }

    /// A frame waits for the paths that it has; if it has no path, or is cut, it is discarded.
    pub(super) fn finds_way(&mut self, now: u64, end: usize, tag: Name) {
        let frame = self.seen(end, tag).frame;
        let kept = self.kept(&frame, end).map(|way| vec![way]);
        let ways = kept.or_else(|| self.as_before(end, &frame)).unwrap_or_else(|| {
            let ways = self.allowed(end, &frame);
            let idle = |way: &&Way| self.ends[way.0].wanted.is_empty() && self.is_free(way.0, way.1);
            let may_choose = ways.len() > 1 && !ways.iter().any(|way| way.2);
            match ways.iter().find(idle) {
                Some(&idle) if may_choose => vec![idle],
                _ => ways,
            }
        });
        if ways.is_empty() || self.cut.contains(&tag) {
            self.throw_away(now, end, tag);
            return;
        }
        for way in &ways {
            if !self.ends[way.0].wanted.contains(&(end, tag)) {
                // Frames that arrived by a trunk go on in the order in which they arrived, whichever was routed
                // first.
                let later: Vec<(usize, Name)> = match self.links(self.ends[end].lead).count() {
                    1 => Vec::new(),
                    _ => self.in_order(end).into_iter().skip_while(|other| *other != (end, tag)).collect(),
                };
                let wanted = &mut self.ends[way.0].wanted;
                let place = wanted.iter().position(|other| later.contains(other)).unwrap_or(wanted.len());
                wanted.insert(place, (end, tag));
            }
        }
        let whole_first = self.is_whole_first(end, &ways);
        let stored = self.find(end, tag);
        (stored.ways, stored.routed_at, stored.whole_first) = (ways, Some(now), whole_first);
    }

    /// The time at which a frame has waited for too long, as far as it is known.
    fn hold_ends(&self, end: usize, stored: &Stored) -> Option<u64> {
        let to = self.layout.nodes[self.node_of(stored.frame.destination)].switch;
        let at_edge = to.is_some_and(|to| self.ends[end].at == LinkEndDevice::Switch(to));
        let edge = self.parameters.congestion.edge_hold_time.filter(|_| at_edge);
        let hold = self.parameters.hold_time.into_iter().chain(edge).min()?;
        Some((stored.came? + hold.ticks()).max(stored.whole_at?))
    }

    /// Discards the frames that have waited for too long.
    pub(super) fn discard(&mut self, now: u64) {
        if self.parameters.hold_time.is_none() && self.parameters.congestion.edge_hold_time.is_none() {
            return;
        }
        for lead in 0..self.ends.len() {
            if !matches!(self.ends[lead].at, LinkEndDevice::Switch(_)) || self.ends[lead].lead != lead {
                continue;
            }
            for (end, tag) in self.in_order(lead) {
                let stored = self.seen(end, tag);
                if stored.routed_at.is_some() && self.hold_ends(end, stored).is_some_and(|at| at <= now) {
                    self.throw_away(now, end, tag);
                }
            }
        }
    }

    pub(super) fn throw_away(&mut self, now: u64, end: usize, tag: Name) {
        let stored = self.seen(end, tag).clone();
        self.ends.iter_mut().for_each(|other| other.wanted.retain(|wants| *wants != (end, tag)));
        self.ends[end].buffers.retain(|stored| stored.frame.name() != tag || stored.leaving);
        // The words of the frame that are still to arrive belong to no frame.
        let is_whole = self.cut.insert(tag);
        self.lose(now, &stored.frame);
        if is_whole {
            self.answer(now, self.ends[end].at, &stored.frame, LinkControl::FabricBusy);
        }
        self.give_back(now, end, stored.channel);
    }

    /// The time from which on a frame may leave.
    fn ready_at(&self, stored: &Stored) -> Option<u64> {
        let routed = stored.routed_at?;
        let from = if stored.whole_first { routed.max(stored.whole_at?) } else { routed };
        Some(from + self.parameters.forwarding_delay.ticks())
    }

    /// Whether the crossbar of a switch accepts one more frame to a port.
    fn has_room(&self, switch: usize, port: usize) -> bool {
        let passing: Vec<usize> =
            self.units[switch].0.iter().copied().filter(|&port| self.ends[port].sending.is_some()).collect();
        if self.parameters.transactions.is_some_and(|most| passing.len() as u64 >= most) {
            return false;
        }
        let rate = |port: usize| {
            let rules = self.ends[port].rules;
            rules.word_bytes * TICKS_PER_NS * 1_000_000_000 / rules.word.ticks()
        };
        let all: u64 = passing.iter().map(|&port| rate(port)).sum();
        passing.is_empty() || self.parameters.cross_section.is_none_or(|most| all + rate(port) <= most)
    }

    /// The channel by which a frame may leave by a port now.
    fn channel(&self, port: usize, stored: &Stored) -> Option<u8> {
        let (output, credit) = (self.ends[port].lead, &self.ends[port].credit);
        let mut ways = stored.ways.iter().filter(|way| way.0 == output && credit[usize::from(way.1)] > 0);
        let plain = ways.clone().find(|way| !way.2);
        let others_free = || stored.ways.iter().any(|way| !way.2 && self.is_free(way.0, way.1));
        plain.or_else(|| ways.find(|way| way.2 && !others_free())).map(|way| way.1)
    }

    /// The next frame at a port of a switch: its buffer, its name, and the channel by which it leaves.
    pub(super) fn choose(
        &mut self,
        now: u64,
        port: usize,
        switch: usize,
        stops: bool,
    ) -> Option<(usize, Name, u8)> {
        if self.ends[self.ends[port].lead].wanted.is_empty() || !stops && !self.has_room(switch, port) {
            return None;
        }
        let mut may = Vec::new();
        let mut trunks = Vec::new();
        let mut lacking = Vec::new();
        for (number, &(from, tag)) in (0..).zip(&self.ends[self.ends[port].lead].wanted) {
            let input = &self.ends[from];
            let stored = self.seen(from, tag);
            let (control, is_control) = (&self.parameters.control, is_control(&stored.frame));
            if stops && !is_control {
                continue;
            }
            if self.links(input.lead).count() > 1 {
                let overtakes = control.buffers > 0 || control.transmission != ControlPriority::InTurn;
                let line = (input.lead, overtakes && is_control);
                if trunks.contains(&line) {
                    continue;
                }
                trunks.push(line);
            }
            let Some(since) = self.ready_at(stored).filter(|&at| at <= now) else { continue };
            let waiting = self.in_order(from);
            let first = waiting.iter().find(|(end, tag)| self.seen(*end, *tag).channel == stored.channel);
            let in_order =
                self.parameters.queueing == InputQueueing::PerOutput || first == Some(&(from, tag));
            let has_way =
                self.parameters.crossbar == Crossbar::PerBuffer || !input.buffers.iter().any(|s| s.leaving);
            if in_order && has_way {
                let (output, credit) = (self.ends[port].lead, &self.ends[port].credit);
                let without =
                    stored.ways.iter().filter(|way| way.0 == output && credit[usize::from(way.1)] == 0);
                lacking.extend(without.map(|way| way.1));
            }
            let Some(channel) = self.channel(port, stored).filter(|_| in_order && has_way) else { continue };
            let contender = Contender {
                input: input.local,
                since: Time(since),
                came: Time(stored.came.expect("its header is in")),
                is_control,
                place: (number, 0),
            };
            may.push(((from, tag, channel), contender));
        }
        let lacks_any = !lacking.is_empty();
        lacking.into_iter().for_each(|channel| self.lacks(now, port, channel));
        if may.is_empty() {
            if lacks_any && !stops {
                self.stalls(now, port);
            }
            return None;
        }
        let always = self.parameters.control.transmission != ControlPriority::InTurn;
        let rules = self.ends[port].rules;
        let first = |contender: &Contender| {
            let one_try =
                self.parameters.control.routing_first && rules.next_word_slot(contender.since) == Time(now);
            contender.is_control && (always || one_try)
        };
        if may.iter().any(|(_, contender)| first(contender)) {
            may.retain(|(_, contender)| first(contender));
        }
        let contenders: Vec<Contender> = may.iter().map(|(_, contender)| *contender).collect();
        let lead = self.ends[port].lead;
        Some(may[self.ends[lead].arbiter.choose(Time(now), &contenders)].0)
    }
}
