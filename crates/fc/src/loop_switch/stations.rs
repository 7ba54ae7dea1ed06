//! The stations of a switch: arrivals are given to their ports, and the words that they transmit go to the next node of their
//! segment.

use super::{
    Answer, Before, LinkItem, LoopEvent, LoopGeometry, LoopHost, LoopStation, LoopSwitch,
    LoopSwitchParameters, Observation, Segment, Span, Time, Transmits,
};
use super::{FillWord, Frame};
use crate::frame::RequestTag;
use crate::loop_port::PortState;

/// The segments of a switch with these stations.
pub(super) fn segments(parameters: &LoopSwitchParameters, stations: &[LoopStation]) -> Vec<Segment> {
    let mut members: Vec<Vec<usize>> = Vec::new();
    for (index, station) in stations.iter().enumerate() {
        match members.last_mut() {
            Some(last) if station.shares_port && stations[last[0]].switch == station.switch => {
                last.push(index)
            }
            _ => members.push(vec![index]),
        }
    }
    let on = &parameters.on;
    let segment = |stations_there: Vec<usize>| {
        let cable = |station: usize| on.propagation.propagation_time(stations[station].port.cable);
        let (first, last) = (stations_there[0], stations_there[stations_there.len() - 1]);
        // The cable to the first station is as long as the cable from the last station back.
        let mut hops: Vec<Span> = vec![cable(last) + stations[first].port.delay.span];
        for pair in stations_there.windows(2) {
            hops.push(cable(pair[0]) + stations[pair[1]].port.delay.span);
        }
        hops.push(cable(last) + parameters.transit_time());
        Segment {
            stations: stations_there,
            geometry: LoopGeometry::new(&hops, on.word_time()),
            other_end: None,
        }
    };
    members.into_iter().map(segment).collect()
}

impl LoopSwitch {
    /// For each of these stations, the number of its switch port; stations that share a port have the same
    /// number.
    pub fn switch_ports_of_stations(
        parameters: &LoopSwitchParameters,
        stations: &[LoopStation],
    ) -> Vec<usize> {
        let mut ports = vec![0; stations.len()];
        for (port, segment) in segments(parameters, stations).iter().enumerate() {
            segment.stations.iter().for_each(|&station| ports[station] = port);
        }
        ports
    }

    /// The node behind a station hands over a frame.
    pub fn enqueue(&mut self, now: Time, station: usize, frame: Frame, around: &mut impl LoopHost) {
        self.ports[station].enqueue(now, frame, &mut Answer::new(now, station, around));
    }

    /// The node behind a station has emptied an incoming frame buffer.
    pub fn buffer_freed(&mut self, now: Time, station: usize, around: &mut impl LoopHost) {
        self.ports[station].buffer_freed(now, &mut Answer::new(now, station, around));
    }

    /// No more frames of a request come from the node behind a station.
    pub fn sequence_ends(&mut self, now: Time, station: usize, tag: RequestTag, around: &mut impl LoopHost) {
        self.ports[station].sequence_ends(now, tag, &mut Answer::new(now, station, around));
    }

    /// Handles an event of a station that is due.
    pub(super) fn station_handles(
        &mut self,
        now: Time,
        station: usize,
        event: LoopEvent,
        around: &mut impl LoopHost,
    ) {
        let before = Before::of(&self.ports[station]);
        let mut answer = Answer::new(now, station, around);
        match event {
            LoopEvent::Fill => {
                let Some((at, word)) = self.lines[station].pop_front() else { return };
                debug_assert_eq!(at, now);
                if before.state != PortState::Monitoring {
                    answer.around.observe(now, station, || Observation::ReceivedFill(word));
                }
                self.ports[station].receive_fill(now, word, false, &mut answer);
            }
            LoopEvent::Slot => {
                if !self.ports[station].slot_comes(now) {
                    return;
                }
                self.ports[station].handle_slot(now, &mut answer);
            }
            LoopEvent::Item(id) => {
                self.coming[station] -= 1;
                let item = self.items.get(id);
                let taken = self.ports[station].receive_item(now, &item, &mut answer);
                if taken {
                    answer.around.observe(now, station, || Observation::ReceivedItem(item));
                }
                match item {
                    LinkItem::Frame(_) if taken => {
                        let end = now + self.word * item.length_in_words();
                        answer.around.schedule(end, station, LoopEvent::FrameEnd(id));
                    }
                    _ => self.items.remove(id),
                }
            }
            LoopEvent::FrameEnd(id) => {
                if let LinkItem::Frame(frame) = self.items.get(id) {
                    self.ports[station].frame_end(now, frame, &mut answer);
                }
                self.items.remove(id);
                return;
            }
            LoopEvent::Known(..) | LoopEvent::Initialisation(_) | LoopEvent::TimeOut => return,
        }
        let transmits = answer.transmits;
        self.conclude(now, station, before, transmits, around);
    }

    /// Carries the word that a station transmits in answer to an input.
    fn conclude(
        &mut self,
        now: Time,
        station: usize,
        before: Before,
        transmits: Transmits,
        around: &mut impl LoopHost,
    ) {
        let after = self.ports[station].state();
        if before.state != after {
            around.observe(now, station, || Observation::State(after));
        }
        match transmits {
            Transmits::Nothing => {}
            Transmits::Fill(at, word) => {
                if after == PortState::Monitoring {
                    around.observe_repeated(at, station, || Observation::SentFill(word));
                } else {
                    around.observe(at, station, || Observation::SentFill(word));
                }
                self.station_sends_fill(at, station, word, around);
            }
            Transmits::Item(at, item) => {
                if before.state.is_repeating() {
                    around.observe_repeated(at, station, || Observation::SentItem(item));
                } else {
                    around.observe(at, station, || Observation::SentItem(item));
                }
                self.station_sends(at, station, &item, around);
            }
            Transmits::ItemAndFill((at, item), (behind, fill)) => {
                around.observe(at, station, || Observation::SentItem(item));
                self.station_sends(at, station, &item, around);
                around.observe(behind, station, || Observation::SentFill(fill));
                self.station_sends_fill(behind, station, fill, around);
            }
        }
    }

    /// The next node downstream in the segment of a node, and the time to it.
    fn next(&self, node: usize) -> (usize, Span) {
        let (port, place) = match node.checked_sub(self.ports.len()) {
            Some(port) => (port, 0),
            None => (self.port_of[node], self.place_of[node]),
        };
        let segment = &self.segments[port];
        let next = segment.geometry.downstream_port(place);
        let node = match (next, segment.other_end) {
            (0, _) => self.node_of(port),
            (_, Some(other_end)) => self.node_of(other_end),
            _ => segment.stations[next - 1],
        };
        (node, segment.geometry.slot_distance_time(place, next))
    }

    /// Another fill word leaves a node.
    pub(super) fn carry_fill(&mut self, now: Time, node: usize, word: FillWord, around: &mut impl LoopHost) {
        let (next, distance) = self.next(node);
        let at = now + distance;
        self.lines[next].push_back((at, word));
        around.schedule(at, next, LoopEvent::Fill);
    }

    /// An item leaves a node.
    pub(super) fn carry_item(&mut self, now: Time, node: usize, item: &LinkItem, around: &mut impl LoopHost) {
        let (next, distance) = self.next(node);
        self.put_item(now + distance, next, item, around);
    }

    /// An item will arrive at a node at this time.
    pub(super) fn put_item(&mut self, at: Time, node: usize, item: &LinkItem, around: &mut impl LoopHost) {
        let id = self.items.put(*item, node, at);
        self.coming[node] += 1;
        around.schedule(at, node, LoopEvent::Item(id));
    }
}
