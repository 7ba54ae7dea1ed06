//! The lines of the plain fabric: words, signals, credit, and losses.

use super::super::notices_sent;
use super::{Named, Reference, Sending, Stored, is_control};
use sansim_fabric::layout::LinkEndDevice;
use sansim_fabric::switch::ControlPriority;
use sansim_fc::frame::Frame;
use sansim_fc::link::{LinkRules, PrimitiveSequence};

/// A signal that a transmitter sends between frames, for a virtual channel.
#[derive(Clone, Copy)]
pub enum Signal {
    Ready(u8),
    /// The marks BB_SCs and BB_SCr.
    FrameMark(u8),
    ReadyMark(u8),
}

/// A word on a line, with the time at which it arrives.
#[derive(Clone, Copy)]
pub enum Word {
    Signal(Signal),
    Fill(PrimitiveSequence),
    /// A word of this frame, with its number, the number of words of the frame, and the channel.
    Of(Frame, u64, u64, u8),
}

#[derive(Clone, Copy, Default)]
pub struct Counts {
    pub frames: u32,
    pub readies: u32,
}

impl Reference {
    /// Words that have arrived are handled.
    pub(super) fn take_in(&mut self, now: u64) {
        // Sequences that ends recognise come last, because they may change paths.
        let mut fills = Vec::new();
        for to in 0..self.ends.len() {
            let from = to ^ 1;
            while self.ends[from].line.front().is_some_and(|&(at, _)| at == now) {
                let (_, word) = self.ends[from].line.pop_front().expect("looked");
                if !matches!(word, Word::Fill(_)) {
                    self.hears_nothing(to);
                }
                match word {
                    Word::Signal(signal) => self.signal_in(now, to, signal),
                    Word::Fill(sequence) => fills.push((to, sequence)),
                    Word::Of(frame, number, words, channel) => {
                        self.word_in(now, to, frame, number, words, channel)
                    }
                }
            }
        }
        fills.into_iter().for_each(|(to, sequence)| self.fill_in(now, to, sequence));
    }

    fn signal_in(&mut self, now: u64, to: usize, signal: Signal) {
        let end = &mut self.ends[to];
        let period = 1_u32 << end.rules.bb_sc_n;
        match signal {
            Signal::Ready(channel) => {
                end.credit[usize::from(channel)] += 1;
                end.lacks[usize::from(channel)] = None;
                end.got[usize::from(channel)].readies += 1;
            }
            Signal::ReadyMark(channel) => {
                let got = std::mem::take(&mut end.got[usize::from(channel)].readies);
                let more = (period - got % period) % period;
                end.credit[usize::from(channel)] += more;
                if more > 0 {
                    end.lacks[usize::from(channel)] = None;
                }
            }
            Signal::FrameMark(channel) => {
                let got = std::mem::take(&mut end.got[usize::from(channel)].frames);
                if !self.is_active(to) {
                    return; // Credit is counted again before the end sends anything.
                }
                (0..(period - got % period) % period).for_each(|_| self.give_back(now, to, channel));
            }
        }
    }

    fn word_in(&mut self, now: u64, to: usize, frame: Frame, number: u64, words: u64, channel: u8) {
        let end = &mut self.ends[to];
        let header = end.rules.header_words.min(words);
        if number == 0 {
            end.got[usize::from(channel)].frames += 1;
            end.buffers.push(Stored {
                frame,
                channel,
                words_in: 0,
                arrivals: Vec::new(),
                came: None,
                whole_at: None,
                routed_at: None,
                ways: Vec::new(),
                whole_first: false,
                leaving: false,
            });
            assert!(
                end.buffers.len() <= end.most[0].max(end.most[1]) + end.most[0],
                "more frames than buffers"
            );
            let own =
                end.buffers.iter().filter(|stored| is_control(&stored.frame) == is_control(&frame)).count();
            assert!(own <= end.most[usize::from(!is_control(&frame))], "more frames than buffers");
        }
        let is_cut = self.cut.contains(&frame.name());
        let is_there = self.ends[to].buffers.iter().any(|stored| stored.frame.name() == frame.name());
        if is_cut && !is_there {
            return; // The word belongs to a frame that has been discarded.
        }
        // After a failure a frame may come back to a switch that it is still leaving: the last copy is the one that
        // arrives.
        let mut same = self.ends[to].buffers.iter_mut().rev();
        let stored = same.find(|stored| stored.frame.name() == frame.name()).expect("there");
        assert_eq!(stored.words_in, number, "words in order");
        stored.words_in += 1;
        stored.arrivals.push(now);
        if stored.words_in == header {
            stored.came = Some(now);
        }
        if stored.words_in == words {
            stored.whole_at = Some(now);
        }
        let is_header = stored.words_in == header;
        if is_cut && is_header && matches!(self.ends[to].at, LinkEndDevice::Switch(_)) {
            self.throw_away(now, to, frame.name());
            return;
        }
        if number + 1 == words
            && let LinkEndDevice::Node(node) = self.ends[to].at
        {
            if is_cut {
                self.throw_away(now, to, frame.name());
                return;
            }
            self.finish(&frame);
            if frame.is_link_control() {
                self.answer_in(now, to, node, &frame);
                return;
            }
            self.note(now, node, "received", &frame);
            let at = self.goes_back(node.into(), now + self.takes[usize::from(node)]);
            self.freed.push((at, to, frame.name()));
        }
    }

    /// A buffer is empty: R_RDY is to be sent. Where credit returns outside the line the R_RDY does not wait
    /// for the line.
    pub(super) fn give_back(&mut self, now: u64, end: usize, channel: u8) {
        if !self.is_active(end) {
            self.ends[end].owed.push(channel);
            return;
        }
        if self.ends[end].rules.ready_words > 0 {
            self.ends[end].pending.push_back(Signal::Ready(channel));
            return;
        }
        if self.loses(end, false) {
            return;
        }
        let latency = self.ends[end].rules.latency.ticks();
        if latency == 0 {
            self.ends[end ^ 1].credit[usize::from(channel)] += 1;
        } else {
            let line = &mut self.ends[end].line;
            let place = line.iter().position(|(at, _)| *at > now + latency).unwrap_or(line.len());
            line.insert(place, (now + latency, Word::Signal(Signal::Ready(channel))));
        }
    }

    /// Whether the line loses a frame, or an R_RDY, that an end sends now.
    fn loses(&mut self, end: usize, is_frame: bool) -> bool {
        let end = &mut self.ends[end];
        let [frames, readies] = &mut end.losses;
        if is_frame {
            end.rules.frame_loss.draw_event(frames)
        } else {
            end.rules.ready_loss.draw_event(readies)
        }
    }

    /// The frames whose last word has left are completed.
    pub(super) fn ends_of_frames(&mut self, now: u64) {
        for port in 0..self.ends.len() {
            let Some(Sending { from, frame, channel: _, words, sent, next, lost }) = self.ends[port].sending
            else {
                continue;
            };
            if sent < words || next > now {
                continue;
            }
            self.ends[port].sending = self.ends[port].stopped.take();
            self.ends[port].frame_end = Some(now);
            match self.ends[port].at {
                LinkEndDevice::Node(_) if frame.is_link_control() => {}
                LinkEndDevice::Node(node) if notices_sent(frame.tag.0) => {
                    self.note(now, node, "sent", &frame)
                }
                LinkEndDevice::Node(_) => {}
                LinkEndDevice::Switch(_) => {
                    let buffers = &mut self.ends[from].buffers;
                    let leaves = |stored: &Stored| stored.frame.name() == frame.name() && stored.leaving;
                    let place = buffers.iter().position(leaves).expect("it leaves");
                    let buffered = buffers.remove(place).channel;
                    self.give_back(now, from, buffered);
                }
            }
            if lost {
                self.lose(now, &frame);
                if let LinkEndDevice::Node(node) = self.ends[port].at {
                    self.congestion.damaged.push((now + self.ends[port].rules.latency.ticks(), node));
                }
            }
        }
        self.damaged_frames_come(now);
    }

    /// Every port sends what it may, the lowest port first, and again from the beginning when a frame has
    /// begun.
    pub(super) fn transmit(&mut self, now: u64) {
        for port in 0..self.ends.len() {
            self.signal(now, port);
            self.fill(now, port);
        }
        while (0..self.ends.len()).any(|port| self.begin(now, port)) {}
        for port in 0..self.ends.len() {
            self.go_on(now, port);
        }
    }

    /// Whether the next word of a frame that is being sent has arrived.
    fn is_there(&self, now: u64, port: usize, sending: &Sending) -> bool {
        let LinkEndDevice::Switch(_) = self.ends[port].at else { return true };
        let of = self.seen(sending.from, sending.frame.name());
        let came = of.arrivals.get(sending.sent as usize);
        came.is_some_and(|came| came + self.parameters.forwarding_delay.ticks() <= now)
    }

    /// Sends the next word of the current frame.
    fn go_on(&mut self, now: u64, port: usize) {
        let Some(sending) = self.ends[port].sending else { return };
        let goes = sending.next <= now && sending.sent < sending.words;
        if !goes || !self.is_there(now, port, &sending) {
            return;
        }
        let end = &mut self.ends[port];
        let Some(sending) = &mut end.sending else { return };
        {
            let in_at = now + end.rules.word.ticks() + end.rules.latency.ticks();
            if !sending.lost {
                let word = Word::Of(sending.frame, sending.sent, sending.words, sending.channel);
                end.line.push_back((in_at, word));
            }
            sending.sent += 1;
            sending.next = now + end.rules.word.ticks();
        }
    }

    pub(super) fn is_slot(&self, now: u64, port: usize) -> bool {
        let rules = self.ends[port].rules;
        !rules.slotted || now.is_multiple_of(rules.word.ticks())
    }

    fn is_over(end: Option<u64>, words: u64, rules: &LinkRules, now: u64) -> bool {
        end.is_none_or(|end| now >= end + words * rules.word.ticks())
    }

    /// An R_RDY or a mark is sent in a slot of its own.
    fn signal(&mut self, now: u64, port: usize) {
        let end = &self.ends[port];
        let fits = Self::is_over(end.frame_end, end.rules.fill_words, &end.rules, now)
            && Self::is_over(end.signal_end, end.rules.fill_words, &end.rules, now);
        if !self.is_slot(now, port) || end.pending.is_empty() || end.sending.is_some() || !fits {
            return;
        }
        let mut lost = false;
        let signal = self.ends[port].pending.pop_front().expect("looked");
        if let Signal::Ready(channel) = signal {
            lost = self.loses(port, false);
            let end = &mut self.ends[port];
            let count = &mut end.sent[usize::from(channel)].readies;
            *count += 1;
            if end.rules.bb_sc_n > 0 && *count == 1 << end.rules.bb_sc_n {
                *count = 0;
                end.pending.push_front(Signal::ReadyMark(channel));
            }
        }
        let end = &mut self.ends[port];
        let sent = now + end.rules.ready_words * end.rules.word.ticks();
        end.signal_end = Some(sent);
        if !lost {
            end.line.push_back((sent + end.rules.latency.ticks(), Word::Signal(signal)));
        }
    }

    /// Whether the frame that a port sends may be stopped now: behind its header, between two words.
    fn may_stop(&self, now: u64, port: usize) -> bool {
        let end = &self.ends[port];
        let control = &self.parameters.control;
        let may = match end.at {
            LinkEndDevice::Switch(_) => control.transmission,
            LinkEndDevice::Node(_) => control.nodes,
        };
        let is_between = |sending: &Sending| {
            let behind = sending.sent >= end.rules.header_words && sending.sent < sending.words;
            !is_control(&sending.frame) && behind && sending.next <= now
        };
        may == ControlPriority::Preempts && end.sending.as_ref().is_some_and(is_between)
    }

    /// The next frame of a node: its place in the queue and its channel.
    fn of_queue(&mut self, now: u64, port: usize, stops: bool) -> Option<(usize, u8)> {
        let end = &self.ends[port];
        let [first, other] = self.firsts(now, port);
        let channels = (end.credit.len() > 1, end.credit.len() as u8 - 1);
        let control = first.map(|place| (place, if channels.0 { channels.1 } else { 0 }));
        let mut all: Vec<(usize, u8)> = control.into_iter().collect();
        all.extend(other.filter(|_| !stops).map(|place| (place, 0)));
        if self.parameters.control.nodes == ControlPriority::InTurn {
            all.sort_unstable();
            if !channels.0 {
                all.truncate(1);
            }
        }
        for (place, channel) in all {
            if self.ends[port].credit[usize::from(channel)] > 0 {
                return Some((place, channel));
            }
            self.lacks(now, port, channel);
        }
        None
    }

    /// A frame begins, if one may begin.
    fn begin(&mut self, now: u64, port: usize) -> bool {
        let stops = self.may_stop(now, port);
        let end = &self.ends[port];
        let fits = Self::is_over(end.frame_end, end.rules.gap_words, &end.rules, now)
            && Self::is_over(end.signal_end, end.rules.fill_words, &end.rules, now);
        if !self.is_active(port) || !stops && (!self.is_slot(now, port) || !fits || end.sending.is_some()) {
            return false;
        }
        let (from, frame, channel, switch) = match end.at {
            LinkEndDevice::Node(node) => {
                // A frame that waits for answers does not ask for credit of its link.
                let (place, channel) = if self.class_2.is_some() {
                    let Some(first) = self.first_to_send(port) else { return false };
                    if end.credit[0] == 0 {
                        self.lacks(now, port, 0);
                        return false;
                    }
                    (first, 0)
                } else {
                    let Some(found) = self.of_queue(now, port, stops) else { return false };
                    found
                };
                let frame = self.ends[port].queue.remove(place).expect("found there");
                self.begins(now, node, &frame);
                if self.class_2.is_none() {
                    self.has_begun(now, node.into(), &frame);
                }
                (port, frame, channel, None)
            }
            LinkEndDevice::Switch(switch) => {
                let Some((from, tag, channel)) = self.choose(now, port, switch.into(), stops) else {
                    return false;
                };
                for end in &mut self.ends {
                    end.wanted.retain(|other| *other != (from, tag));
                }
                let stored = self.find(from, tag);
                stored.leaving = true;
                (from, stored.frame, channel, Some(usize::from(switch)))
            }
        };
        self.stalls_no_more(now, port);
        let lost = self.loses(port, true);
        let end = &mut self.ends[port];
        end.stopped = end.sending.take();
        end.credit[usize::from(channel)] -= 1;
        end.lacks[usize::from(channel)] = None;
        let words = end.rules.frame_words(frame.payload_bytes.into());
        end.sending = Some(Sending { from, frame, channel, words, sent: 0, next: now, lost });
        let count = &mut end.sent[usize::from(channel)].frames;
        *count += 1;
        if end.rules.bb_sc_n > 0 && *count == 1 << end.rules.bb_sc_n {
            *count = 0;
            end.pending.push_front(Signal::FrameMark(channel));
        }
        match switch {
            Some(_) => self.turns(&frame, from, (self.ends[port].lead, channel, false)),
            None if !lost => self.sets_out(&frame),
            None => {}
        }
        true
    }
}
