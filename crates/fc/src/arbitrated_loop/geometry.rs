//! Distances round a loop, in ticks.
//!
//! A hop leads from the transmit slot of one port to the transmit slot of the next: the cable between them plus the delay of
//! the port at its end. Every port has a slot grid of its own (its phase), so that a repeated word falls into a slot of the
//! repeater without further delay. Round the whole loop the hops must add up to a whole number of words; the last hop, into
//! port 0, is lengthened by the missing fraction of a word, as the elastic store of one port does on a real loop.

use super::{LoopParameters, LoopStation};
use crate::slots::WordSlots;
use sansim_kernel::Span;

/// The hops of a loop, their sums and the slots of the ports.
#[derive(Clone, Debug)]
pub struct LoopGeometry {
    offset: Vec<Span>,
    round: Span,
    slots: Vec<WordSlots>,
}

impl LoopGeometry {
    /// The geometry of a loop with these stations, in downstream order.
    pub fn from_stations(parameters: &LoopParameters, stations: &[LoopStation]) -> Self {
        let cable = |station: &LoopStation| parameters.propagation.propagation_time(station.port.cable);
        let downstream = stations.iter().cycle().skip(1);
        let hops: Vec<Span> =
            stations.iter().zip(downstream).map(|(one, next)| cable(one) + next.port.delay.span).collect();
        Self::new(&hops, parameters.word_time())
    }

    /// `hops[i]` leads from port `i` to its downstream neighbour. All hops must be longer than zero.
    pub fn new(hops: &[Span], word: Span) -> Self {
        let mut offset = Vec::with_capacity(hops.len());
        let mut sum = Span::ZERO;
        for &hop in hops {
            offset.push(sum);
            sum += hop;
        }
        let words = sum.ticks().div_ceil(word.ticks()).max(1);
        let phase = |offset: &Span| Span(offset.ticks() % word.ticks());
        let slots = offset.iter().map(|offset| WordSlots::new(word, phase(offset))).collect();
        Self { offset, round: word * words, slots }
    }

    /// Number of ports.
    pub fn ports(&self) -> usize {
        self.offset.len()
    }

    /// Time of a round trip of the loop, a whole number of words.
    pub fn round_trip_time(&self) -> Span {
        self.round
    }

    /// The slots of a port.
    #[inline]
    pub fn slots(&self, port: usize) -> WordSlots {
        self.slots[port]
    }

    /// The time from a slot of `from` to the corresponding slot of `to`, downstream; a whole round when both are the
    /// same port.
    pub fn slot_distance_time(&self, from: usize, to: usize) -> Span {
        let (a, b) = (self.offset[from], self.offset[to]);
        if to > from { b - a } else { self.round - (a - b) }
    }

    /// The shortest delay from a port to its downstream neighbour.
    pub fn shortest_hop(&self) -> Span {
        let hops = (0..self.ports()).map(|port| self.slot_distance_time(port, self.downstream_port(port)));
        hops.min().unwrap_or(self.round)
    }

    /// The downstream neighbour.
    pub fn downstream_port(&self, port: usize) -> usize {
        if port + 1 == self.offset.len() { 0 } else { port + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_is_a_whole_number_of_words_and_distances_add_up() {
        let word = Span(21120);
        let geometry = LoopGeometry::new(&[Span(130_000), Span(126_720), Span(140_001)], word);
        assert_eq!(geometry.round_trip_time().ticks() % word.ticks(), 0);
        assert!(geometry.round_trip_time() >= Span(396_721));
        let there = geometry.slot_distance_time(0, 2);
        let back = geometry.slot_distance_time(2, 0);
        assert_eq!(there + back, geometry.round_trip_time());
        assert_eq!(geometry.slot_distance_time(1, 1), geometry.round_trip_time());
        assert_eq!(geometry.slots(1).first_slot_start(), Span(130_000 % 21120));
    }
}
