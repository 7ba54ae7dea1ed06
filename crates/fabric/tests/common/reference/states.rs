//! Ends of links of the plain fabric that are not active: every word of a sequence moves by itself. The failures of
//! links and switches are in this file too.

use super::link::{Counts, Signal, Word};
use super::{Broken, Name, Named, Reference};
use sansim_fabric::layout::LinkEndDevice;
use sansim_fc::link::{LinkState, PrimitiveSequence};
use std::collections::BTreeMap;

/// The sequence that an end receives, and the number of times in a row.
#[derive(Clone, Copy, Default)]
pub struct Heard {
    sequence: Option<PrimitiveSequence>,
    count: u64,
}

impl Heard {
    fn is_heard(self) -> Option<PrimitiveSequence> {
        self.sequence.filter(|sequence| self.count >= sequence.recognition_word_count())
    }
}

impl Reference {
    pub(super) fn is_active(&self, end: usize) -> bool {
        self.alive[end / 2] && self.ends[end].state == LinkState::Active
    }

    /// A word of a sequence is sent in every slot that is not used for anything else, while an end of the link is not
    /// active.
    pub(super) fn fill(&mut self, now: u64, port: usize) {
        let both = self.is_active(port) && self.is_active(port ^ 1);
        let end = &self.ends[port];
        if !self.alive[port / 2] || both || end.rules.ready_words == 0 || !self.is_slot(now, port) {
            return;
        }
        // Pending signals are sent before a sequence other than IDLE begins.
        let is_over = end.pending.is_empty() && end.signal_end.is_none_or(|end| end <= now);
        if end.sending.is_none() && (is_over || end.state.sent_sequence() == PrimitiveSequence::Idle) {
            let at = now + end.rules.word.ticks() + end.rules.latency.ticks();
            let word = Word::Fill(end.state.sent_sequence());
            self.ends[port].line.push_back((at, word));
        }
    }

    pub(super) fn fill_in(&mut self, now: u64, to: usize, sequence: PrimitiveSequence) {
        let heard = &mut self.ends[to].heard;
        if heard.sequence != Some(sequence) {
            *heard = Heard { sequence: Some(sequence), count: 0 };
        }
        heard.count += 1;
        self.react(now, to);
    }

    /// A word that belongs to no sequence has arrived.
    pub(super) fn hears_nothing(&mut self, to: usize) {
        self.ends[to].heard = Heard::default();
    }

    /// An end whose time of OLS is over reacts to the sequence that it receives.
    pub(super) fn end_offline(&mut self, now: u64) {
        for end in 0..self.ends.len() {
            if self.ends[end].state == LinkState::OfflineSent && self.ends[end].offline_until == now {
                self.react(now, end);
            }
        }
    }

    fn react(&mut self, now: u64, end: usize) {
        let of = &self.ends[end];
        let Some(sequence) = of.heard.is_heard() else { return };
        let state = of.state;
        if !self.alive[end / 2] || state == LinkState::OfflineSent && now < of.offline_until {
            return;
        }
        let to = state.state_after_hearing(sequence);
        self.ends[end].state = to;
        if to != state && to == LinkState::Active {
            self.becomes_active(now, end);
        }
    }

    fn becomes_active(&mut self, now: u64, end: usize) {
        if !self.is_active(end ^ 1) {
            self.count_anew(end / 2);
        }
        let of = &mut self.ends[end];
        let word = of.rules.word.ticks();
        let first = now.div_ceil(word) * word;
        of.frame_end = None;
        of.signal_end = Some(first + (of.rules.gap_words - of.rules.fill_words) * word);
        let owed = std::mem::take(&mut of.owed);
        owed.into_iter().for_each(|channel| self.give_back(now, end, channel));
        if self.is_active(end ^ 1) && !self.works[end / 2] {
            self.works[end / 2] = true;
            self.reroute(now);
        }
    }

    /// The credit is the credit at login less the buffers that are occupied, or have a frame on the line.
    fn count_anew(&mut self, link: usize) {
        for port in [2 * link, 2 * link + 1] {
            let mut taken: BTreeMap<Name, u8> = BTreeMap::new();
            for stored in &self.ends[port ^ 1].buffers {
                taken.insert(stored.frame.name(), stored.channel);
            }
            for (_, word) in &self.ends[port].line {
                if let Word::Of(frame, 0, _, channel) = word {
                    taken.insert(frame.name(), *channel);
                }
            }
            let of = &mut self.ends[port];
            of.line.retain(|(_, word)| !matches!(word, Word::Signal(Signal::Ready(_))));
            for channel in 0..of.credit.len() {
                let taken = taken.values().filter(|&&by| usize::from(by) == channel).count() as u32;
                of.credit[channel] = of.login[channel] - taken;
            }
            of.sent.fill(Counts::default());
            of.got.fill(Counts::default());
            of.lacks.fill(None);
            of.owed.clear();
        }
    }

    /// A frame has found no credit.
    pub(super) fn lacks(&mut self, now: u64, port: usize, channel: u8) {
        self.ends[port].lacks[usize::from(channel)].get_or_insert(now);
    }

    /// Ends that have had no credit for too long reset their links.
    pub(super) fn time_outs(&mut self, now: u64) {
        let Some(time_out) = self.times.credit_time_out else { return };
        for port in 0..self.ends.len() {
            let is_due = self.ends[port].lacks.iter().flatten().any(|since| since + time_out.ticks() <= now);
            if is_due
                && self.is_active(port)
                && self.ends[port].rules.ready_words > 0
                && self.ends[port].rules.may_lose_frames()
            {
                self.ends[port].lacks.fill(None);
                self.ends[port].state = LinkState::ResetSent;
                self.resets += 1;
            }
        }
    }

    /// Links and switches that fail now, or are repaired.
    pub(super) fn breaks(&mut self, now: u64) {
        let due: Vec<Broken> = self.broken.iter().copied().filter(|broken| broken.at == now).collect();
        for Broken { is_switch, which, works, .. } in due {
            if is_switch {
                if self.switch_works[which] == works {
                    continue;
                }
                self.switch_works[which] = works;
                self.switch_since[which] = works.then_some(now);
                if !works {
                    for end in self.units[which].0.clone() {
                        let tags: Vec<Name> = self.ends[end]
                            .buffers
                            .iter()
                            .filter(|stored| stored.came.is_some() && !stored.leaving)
                            .map(|stored| stored.frame.name())
                            .collect();
                        self.cut.extend(tags);
                    }
                }
            } else {
                self.sound[which] = works;
            }
            let mut fell = is_switch && !works;
            for link in 0..self.layout.links.len() {
                let at = self.layout.links[link].ends;
                let switch_works = |end: LinkEndDevice| match end {
                    LinkEndDevice::Switch(switch) => self.switch_works[usize::from(switch)],
                    LinkEndDevice::Node(_) => true,
                };
                let alive = self.sound[link] && at.into_iter().all(switch_works);
                let was = std::mem::replace(&mut self.alive[link], alive);
                if was && !alive {
                    self.falls(now, link);
                    fell = true;
                } else if alive && !was {
                    let is_on = |end: LinkEndDevice| match end {
                        LinkEndDevice::Switch(switch) => self.switch_since[usize::from(switch)] == Some(now),
                        LinkEndDevice::Node(_) => false,
                    };
                    self.rises(now, link, at.map(is_on));
                }
            }
            if fell {
                self.reroute(now);
            }
        }
    }

    fn falls(&mut self, now: u64, link: usize) {
        self.works[link] = false;
        for port in [2 * link, 2 * link + 1] {
            let of = &mut self.ends[port];
            let on_line = of.line.iter().filter_map(|(_, word)| match word {
                Word::Of(frame, ..) => Some(frame.name()),
                _ => None,
            });
            self.cut.extend(on_line);
            let halfway = [of.sending, of.stopped].into_iter().flatten().filter(|sending| !sending.lost);
            self.cut.extend(halfway.map(|sending| sending.frame.name()));
            of.line.retain(|(_, word)| !matches!(word, Word::Fill(_)));
            of.state = LinkState::Failed;
            of.heard = Heard::default();
            of.owed.clear();
            of.lacks.fill(None);
            self.drop_answers(now, port);
        }
    }

    fn rises(&mut self, now: u64, link: usize, is_on: [bool; 2]) {
        let ports = [2 * link, 2 * link + 1];
        if self.ends[2 * link].rules.ready_words == 0 {
            self.count_anew(link);
            ports.iter().for_each(|&port| self.ends[port].state = LinkState::Active);
            self.works[link] = true;
            self.reroute(now);
            return;
        }
        for (port, is_on) in ports.into_iter().zip(is_on) {
            if is_on {
                self.ends[port].state = LinkState::OfflineSent;
                self.ends[port].offline_until = now + self.times.offline.ticks();
            }
        }
    }

    /// All paths are found again, and frames that wait are routed, each in its turn.
    fn reroute(&mut self, now: u64) {
        self.find_ways();
        self.trips.iter_mut().for_each(|trip| trip.passed.clear());
        for lead in 0..self.ends.len() {
            if !matches!(self.ends[lead].at, LinkEndDevice::Switch(_)) || self.ends[lead].lead != lead {
                continue;
            }
            for (end, tag) in self.in_order(lead) {
                if self.seen(end, tag).routed_at.is_some() {
                    self.ends.iter_mut().for_each(|other| other.wanted.retain(|wants| *wants != (end, tag)));
                    self.find(end, tag).ways.clear();
                    self.finds_way(now, end, tag);
                }
            }
        }
    }
}
