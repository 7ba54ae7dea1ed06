//! Slow receivers of the plain fabric, and the countermeasures.

use super::super::what_is_noticed;
use super::{Reference, is_control};
use sansim_fabric::layout::LinkEndDevice;
use sansim_fc::frame::Frame;
use sansim_kernel::{TICKS_PER_NS, Time};
use sansim_pdu::NoticeKind;
use std::collections::BTreeMap;

/// The state of nodes and ports for congestion.
pub struct Seen {
    /// For each node, the time at which its last credit was returned, or will be.
    last: Vec<u64>,
    pub quarantined: Vec<bool>,
    told: Vec<bool>,
    /// For each node, the time at which it may begin its next frame; and the same for each destination.
    next: Vec<u64>,
    next_to: BTreeMap<(usize, usize), u64>,
    /// For each node, the time at which it may ask for data again.
    next_asking: Vec<u64>,
    /// The number of periods in which a port to a node was congested.
    pub congested: u64,
    /// The damaged frames of nodes on their way to a switch: the time at which each comes in, and its node.
    pub damaged: Vec<(u64, u16)>,
    /// The times at which damaged frames of each node came in since the last notice about it.
    errors: Vec<Vec<u64>>,
}

impl Seen {
    pub fn new(nodes: usize) -> Self {
        Self {
            last: vec![0; nodes],
            quarantined: vec![false; nodes],
            told: vec![false; nodes],
            next: vec![0; nodes],
            next_to: BTreeMap::new(),
            next_asking: vec![0; nodes],
            congested: 0,
            damaged: Vec::new(),
            errors: vec![Vec::new(); nodes],
        }
    }
}

impl Reference {
    pub fn congested(&self) -> u64 {
        self.congestion.congested
    }

    /// The time at which the credit of a buffer is returned that a node will have emptied at the time `at`.
    pub(super) fn goes_back(&mut self, node: usize, at: u64) -> u64 {
        let drain = self.layout.nodes[node].drain;
        if drain.returns_credit_at_once() {
            return at;
        }
        let goes = drain.credit_return_time(Time(at), Time(self.congestion.last[node])).ticks();
        self.congestion.last[node] = goes;
        goes
    }

    /// At the end of a period every port to a node is checked.
    pub(super) fn look(&mut self, now: u64) {
        let rules = self.parameters.congestion;
        if !rules.checks_ports() || now == 0 || !now.is_multiple_of(rules.period.ticks()) {
            return;
        }
        let mut congested = Vec::new();
        let most = (rules.period.ticks() as f64 * rules.stalled_share).round().max(1.0) as u64;
        for port in 0..self.ends.len() {
            let (LinkEndDevice::Switch(_), LinkEndDevice::Node(node)) =
                (self.ends[port].at, self.ends[port ^ 1].at)
            else {
                continue;
            };
            let end = &mut self.ends[port];
            let stalled = end.stalled + end.stalled_since.map_or(0, |since| now - since);
            if stalled - end.before >= most {
                self.congestion.congested += 1;
                self.congestion.quarantined[usize::from(node)] = rules.quarantine;
                self.congestion.told[usize::from(node)] = rules.notifies_nodes();
                congested.push(node);
            }
            end.before = stalled;
        }
        for node in congested {
            for to in 0..self.layout.nodes.len() as u16 {
                if to == node && rules.notify_node {
                    self.notice(now, to, NoticeKind::Congestion, node);
                } else if to != node && rules.notify_peers {
                    self.notice(now, to, NoticeKind::PeerCongestion, node);
                }
            }
        }
    }

    /// Sends a notice to a node whose link is alive.
    fn notice(&mut self, now: u64, to: u16, kind: NoticeKind, about: u16) {
        let port = self.ends.iter().position(|end| end.at == LinkEndDevice::Node(to)).expect("a port");
        if self.alive[port / 2] {
            let about = self.layout.nodes[usize::from(about)].address.value();
            self.notes.push((now, to, what_is_noticed(kind), about));
        }
    }

    /// Counts the damaged frames that have come in at switches by now.
    pub(super) fn damaged_frames_come(&mut self, now: u64) {
        let (come, on_line): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.congestion.damaged).into_iter().partition(|&(at, _)| at <= now);
        self.congestion.damaged = on_line;
        let rules = self.parameters.congestion;
        let Some(most) = rules.link_errors else { return };
        for (at, node) in come {
            let errors = &mut self.congestion.errors[usize::from(node)];
            errors.push(at);
            if errors.iter().filter(|&&other| other + rules.link_error_time.ticks() >= at).count() as u64
                >= most
            {
                errors.clear();
                (0..self.layout.nodes.len() as u16)
                    .for_each(|to| self.notice(now, to, NoticeKind::LinkIntegrity, node));
            }
        }
    }

    /// A port has a frame, and no credit for it.
    pub(super) fn stalls(&mut self, now: u64, port: usize) {
        self.ends[port].stalled_since.get_or_insert(now);
    }

    pub(super) fn stalls_no_more(&mut self, now: u64, port: usize) {
        if let Some(since) = self.ends[port].stalled_since.take() {
            self.ends[port].stalled += now - since;
        }
    }

    /// Ports at which no frame waits any more are not without credit.
    pub(super) fn nothing_waits(&mut self, now: u64) {
        for port in 0..self.ends.len() {
            if matches!(self.ends[port].at, LinkEndDevice::Switch(_))
                && self.ends[self.ends[port].lead].wanted.is_empty()
            {
                self.stalls_no_more(now, port);
            }
        }
    }

    /// The virtual channel of a frame between switches.
    pub(super) fn onto(&self, to: usize, frame: &Frame) -> u8 {
        let channels = self.parameters.channels;
        match self.parameters.congestion.quarantine {
            true if self.congestion.quarantined[to] => channels - 1,
            true => self.parameters.channel.assign(frame, channels - 1),
            false => self.parameters.channel.assign(frame, channels),
        }
    }

    /// Whether a node may begin a frame now.
    pub(super) fn may_begin(&self, now: u64, node: usize, frame: &Frame) -> bool {
        let Some(next) = self.congestion.next.get(node) else { return true };
        let to = self.node_of(frame.destination);
        let pair = self.congestion.next_to.get(&(node, to)).filter(|_| self.congestion.told[to]);
        let may_ask = !self.congestion.told[node] || now >= self.congestion.next_asking[node];
        now >= *next && pair.is_none_or(|next| now >= *next) && (frame.asks_for_bytes() == 0 || may_ask)
    }

    /// A node begins a frame.
    pub(super) fn has_begun(&mut self, now: u64, node: usize, frame: &Frame) {
        let of = |bytes: u32, rate: u64| (u64::from(bytes) * TICKS_PER_NS * 1_000_000_000).div_ceil(rate);
        let takes = |rate: u64| of(frame.payload_bytes, rate);
        if let Some(rate) = self.layout.nodes[node].limit {
            self.congestion.next[node] = now + takes(rate);
        }
        let asks_for = frame.asks_for_bytes();
        if let Some(rate) = self.parameters.congestion.signal_rate
            && self.congestion.told[node]
            && asks_for > 0
        {
            self.congestion.next_asking[node] = now + of(asks_for, rate);
        }
        let to = self.node_of(frame.destination);
        if let Some(rate) = self.parameters.congestion.notice_rate
            && self.congestion.told[to]
        {
            self.congestion.next_to.insert((node, to), now + takes(rate));
        }
    }

    /// The places in the queue of a node of the first control message and of the first other frame that may
    /// be sent.
    pub(super) fn firsts(&self, now: u64, port: usize) -> [Option<usize>; 2] {
        let end = &self.ends[port];
        let LinkEndDevice::Node(node) = end.at else { return [None; 2] };
        [true, false].map(|control| {
            let goes =
                |frame: &Frame| is_control(frame) == control && self.may_begin(now, node.into(), frame);
            end.queue.iter().position(goes)
        })
    }
}
