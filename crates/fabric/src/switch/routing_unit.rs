//! The routing unit of a switch: it polls the ports in turn and serves one header at a time.
//!
//! Source: Molero et al. 2001, section 2: "iteratively polls input ports, in a round-robin scheduling policy, for new messages". The unit
//! serves the first header of a port. Polling takes no time; serving a header takes the routing delay.
//!
//! Where control messages have priority (section 3 of the source) the unit polls in rounds: in each round every port may have one new
//! control message served, before all other headers, and then one header of any kind when its turn comes. When all ports have had their
//! turn the next round begins.

use std::collections::VecDeque;

use sansim_kernel::Time;

/// The routing unit of a switch. Frames are named by the numbers of the caller.
///
/// The header that the unit serves is determined only when it is done, from the headers that had arrived when it began: a header therefore
/// costs one call of the unit instead of two.
#[derive(Clone, Debug)]
pub struct RoutingUnit {
    /// The headers that have not been served, by port; for each, its arrival time and whether it is of a control
    /// message.
    waiting: Vec<VecDeque<(Time, u32, bool)>>,
    /// The ports with such headers, as bits.
    polled: Vec<u64>,
    /// The number of all headers that have not been served.
    count: usize,
    /// The port that is polled first.
    next: usize,
    /// The time at which the unit began with the header that it serves, or will begin; never if no header is here or will come.
    since: Time,
    /// The time at which the unit was done with the last header.
    done_at: Time,
    /// The state of the round, where control messages go first.
    round: Option<Round>,
}

/// A round of polling with priority.
#[derive(Clone, Debug)]
struct Round {
    /// The port that is polled first for new control messages.
    next: usize,
    /// The ports that have had a control message served in this round.
    had: Vec<bool>,
}

impl RoutingUnit {
    /// A unit with this number of ports, which serves new control messages first or all headers in turn.
    pub fn new(ports: usize, control_first: bool) -> Self {
        let round = control_first.then(|| Round { next: 0, had: vec![false; ports] });
        Self {
            waiting: vec![VecDeque::new(); ports],
            polled: vec![0; ports.div_ceil(64)],
            count: 0,
            next: 0,
            since: Time::NEVER,
            done_at: Time::ZERO,
            round,
        }
    }

    /// A header has arrived. Returns whether the unit was idle and begins to serve the header.
    pub fn header_arrived(&mut self, now: Time, port: usize, frame: u32, is_control: bool) -> bool {
        self.waiting[port].push_back((now, frame, is_control));
        self.polled[port / 64] |= 1 << (port % 64);
        self.count += 1;
        let begins = self.since == Time::NEVER;
        if begins {
            self.since = now;
        }
        begins
    }

    /// A header will arrive at this time, after the headers that arrive or will arrive at the same port before it. Returns the time at which
    /// the unit will begin with a header, if it would have begun later, or not at all, without this one.
    #[inline]
    pub fn header_will_arrive(&mut self, at: Time, port: usize, frame: u32) -> Option<Time> {
        self.waiting[port].push_back((at, frame, false));
        self.polled[port / 64] |= 1 << (port % 64);
        self.count += 1;
        let begins = at.max(self.done_at);
        (begins < self.since).then(|| {
            self.since = begins;
            begins
        })
    }

    /// The time at which the unit began with the header that it serves, or will begin with the next.
    #[inline]
    pub fn begun_at(&self) -> Option<Time> {
        Some(self.since).filter(|&since| since < Time::NEVER)
    }

    /// The number of headers that have not been served.
    pub fn waiting_header_count(&self) -> usize {
        self.count
    }

    /// The unit is done with a header: of the headers that had arrived when it began, the first in turn. If other headers wait the unit
    /// begins with the next.
    pub fn header_done(&mut self, now: Time) -> Option<u32> {
        if self.round.is_some() {
            return self.done_with_one_of_round(now);
        }
        let ports = self.waiting.len();
        let mut port = self.port_with_header(self.next)?;
        let first = port;
        loop {
            if let Some(&(came, frame, _)) = self.waiting[port].front()
                && came <= self.since
            {
                self.take_header(port, 0);
                self.next = if port + 1 < ports { port + 1 } else { 0 };
                self.done_at = now;
                self.since = self.next_begin(now);
                return Some(frame);
            }
            port = self.port_with_header(port + 1)?;
            if port == first {
                return None;
            }
        }
    }

    /// The time at which the unit begins with the next header, if it is free from now on.
    fn next_begin(&self, now: Time) -> Time {
        let mut first = Time::NEVER;
        for (number, &word) in self.polled.iter().enumerate() {
            let mut ports = word;
            while ports != 0 {
                let port = 64 * number + ports.trailing_zeros() as usize;
                ports &= ports - 1;
                if let Some(&(at, _, _)) = self.waiting[port].front() {
                    first = first.min(at);
                }
                if first <= now {
                    return now;
                }
            }
        }
        first
    }

    /// The first port from this one on, round all ports, that has a header.
    #[inline]
    fn port_with_header(&self, from: usize) -> Option<usize> {
        let first = |word: usize, ports: u64| 64 * word + ports.trailing_zeros() as usize;
        if let [ports] = self.polled[..] {
            let behind = if from < 64 { ports & u64::MAX << from } else { 0 };
            let ports = if behind == 0 { ports } else { behind };
            return (ports != 0).then(|| first(0, ports));
        }
        let (words, start) = (self.polled.len(), from / 64);
        for step in 0..=words {
            let word = (start + step) % words;
            let mut ports = self.polled[word];
            if step == 0 && start < words {
                ports &= u64::MAX << (from % 64);
            }
            if ports != 0 {
                return Some(first(word, ports));
            }
        }
        None
    }

    /// A header waits no more.
    fn take_header(&mut self, port: usize, place: usize) -> Option<(Time, u32, bool)> {
        let headers = &mut self.waiting[port];
        let header = if place == 0 { headers.pop_front() } else { headers.remove(place) };
        if self.waiting[port].is_empty() {
            self.polled[port / 64] &= !(1 << (port % 64));
        }
        self.count -= 1;
        header
    }

    /// The unit is done with a header, where control messages go first.
    #[cold]
    fn done_with_one_of_round(&mut self, now: Time) -> Option<u32> {
        // The next header is of this round, or else of the next round.
        let (port, place) = self.one_of_round().or_else(|| {
            self.next = 0;
            self.round.as_mut()?.had.fill(false);
            self.one_of_round()
        })?;
        let (_, frame, _) = self.take_header(port, place)?;
        self.since = if self.count > 0 { now } else { Time::NEVER };
        Some(frame)
    }

    /// The port and place of the header that is next in this round.
    fn one_of_round(&mut self) -> Option<(usize, usize)> {
        let (ports, since) = (self.waiting.len(), self.since);
        let round = self.round.as_mut()?;
        for step in 0..ports {
            let port = (round.next + step) % ports;
            if round.had[port] {
                continue;
            }
            let new = |&(came, _, is_control): &(Time, u32, bool)| is_control && came <= since;
            if let Some(place) = self.waiting[port].iter().position(new) {
                round.had[port] = true;
                round.next = (port + 1) % ports;
                return Some((port, place));
            }
        }
        let port = (self.next..ports)
            .find(|&port| self.waiting[port].front().is_some_and(|header| header.0 <= since))?;
        self.next = port + 1;
        Some((port, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_served_in_turn_and_each_in_order() {
        let mut unit = RoutingUnit::new(3, false);
        for (number, (port, frame)) in [(0, 1), (0, 2), (2, 3), (2, 4), (1, 5)].into_iter().enumerate() {
            assert_eq!(
                unit.header_arrived(Time(7), port, frame, frame % 2 == 0),
                number == 0,
                "it begins with the first"
            );
        }
        let order: Vec<u32> = std::iter::from_fn(|| unit.header_done(Time(9))).collect();
        assert_eq!(order, [1, 5, 3, 2, 4]);
        assert!(unit.header_arrived(Time(9), 0, 6, true), "it was idle");
    }

    #[test]
    fn what_comes_while_it_serves_a_header_waits_for_the_next_turn() {
        let mut unit = RoutingUnit::new(3, false);
        unit.header_arrived(Time(10), 2, 1, false);
        // By the order of polling this port would be first.
        unit.header_arrived(Time(15), 0, 2, false);
        assert_eq!(unit.header_done(Time(20)), Some(1));
        unit.header_arrived(Time(20), 1, 3, false);
        assert_eq!(unit.header_done(Time(30)), Some(2));
        assert_eq!((unit.header_done(Time(40)), unit.waiting_header_count()), (Some(3), 0));
    }
    #[test]
    fn of_each_port_one_new_control_message_in_a_round_goes_before_the_others() {
        let mut unit = RoutingUnit::new(3, true);
        // The headers by port: data 1, 2, control 13, 14; data 5, control 16; control 17, data 8.
        for (port, frame) in [(0, 1), (0, 2), (0, 13), (0, 14), (1, 5), (1, 16), (2, 17), (2, 8)] {
            unit.header_arrived(Time(7), port, frame, frame > 10);
        }
        let order: Vec<u32> = std::iter::from_fn(|| unit.header_done(Time(9))).collect();
        // First comes one control message of each port, then the first header of each port; in the next round
        // port 0 has another control message.
        assert_eq!(order, [13, 16, 17, 1, 5, 8, 14, 2]);
    }

    #[test]
    fn a_control_message_that_comes_within_a_round_is_next_and_keeps_none_waiting_for_ever() {
        let mut unit = RoutingUnit::new(2, true);
        unit.header_arrived(Time(1), 0, 1, false);
        unit.header_arrived(Time(1), 1, 2, false);
        assert_eq!(unit.header_done(Time(5)), Some(1));
        unit.header_arrived(Time(5), 0, 11, true);
        // The unit has begun with the second header by then.
        assert_eq!(unit.header_done(Time(9)), Some(11), "it was in when the unit began");
        unit.header_arrived(Time(9), 0, 12, true);
        assert_eq!(unit.header_done(Time(13)), Some(2), "that port has had its one");
        assert_eq!(unit.header_done(Time(17)), Some(12));
    }
}
