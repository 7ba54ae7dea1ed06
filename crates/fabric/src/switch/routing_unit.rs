//! The routing unit of a switch: it polls the ports in turn and serves a header at a time.
//!
//! Source: Molero et al. 2001, section 2: "iteratively polls input ports, in a round-robin scheduling policy, for new messages". Of a
//! port it takes the first. Polling itself takes no time; a header takes the routing delay.

use std::collections::VecDeque;

use sansim_kernel::Time;

/// See the module text. Frames are named by numbers of whoever keeps them.
///
/// Which header it took up is decided when it is done with it, by which of them were in when it began: so a header costs one look at the
/// unit, and not two.
#[derive(Clone, Debug)]
pub struct RoutingUnit {
    /// Headers that have not been served, by port, with when each came in.
    waiting: Vec<VecDeque<(Time, u32)>>,
    /// How many there are in all.
    count: usize,
    /// The port that is polled first.
    next: usize,
    /// Since when it serves one; never while it is idle.
    since: Time,
}

impl RoutingUnit {
    /// A unit with so many ports.
    pub fn new(ports: usize) -> Self {
        Self { waiting: vec![VecDeque::with_capacity(4); ports], count: 0, next: 0, since: Time::NEVER }
    }

    /// A header is in. Returns whether the unit was idle and begins to serve one.
    pub fn put(&mut self, now: Time, port: usize, frame: u32) -> bool {
        self.waiting[port].push_back((now, frame));
        self.count += 1;
        let begins = self.since == Time::NEVER;
        if begins {
            self.since = now;
        }
        begins
    }

    /// Headers that have not been served.
    pub fn waiting(&self) -> usize {
        self.count
    }

    /// It is done with a header: of those that were in when it began the first in turn. If there are others it begins with the next one.
    pub fn done(&mut self, now: Time) -> Option<u32> {
        let ports = self.waiting.len();
        for step in 0..ports {
            let port = (self.next + step) % ports;
            if let Some(&(came, frame)) = self.waiting[port].front()
                && came <= self.since
            {
                self.waiting[port].pop_front();
                self.next = (port + 1) % ports;
                self.count -= 1;
                self.since = if self.count > 0 { now } else { Time::NEVER };
                return Some(frame);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_served_in_turn_and_each_in_order() {
        let mut unit = RoutingUnit::new(3);
        for (number, (port, frame)) in [(0, 1), (0, 2), (2, 3), (2, 4), (1, 5)].into_iter().enumerate() {
            assert_eq!(unit.put(Time(7), port, frame), number == 0, "it begins with the first");
        }
        let order: Vec<u32> = std::iter::from_fn(|| unit.done(Time(9))).collect();
        assert_eq!(order, [1, 5, 3, 2, 4]);
        assert!(unit.put(Time(9), 0, 6), "it was idle");
    }

    #[test]
    fn what_comes_while_it_serves_a_header_waits_for_the_next_turn() {
        let mut unit = RoutingUnit::new(3);
        unit.put(Time(10), 2, 1);
        // In turn this port would be first.
        unit.put(Time(15), 0, 2);
        assert_eq!(unit.done(Time(20)), Some(1));
        unit.put(Time(20), 1, 3);
        assert_eq!(unit.done(Time(30)), Some(2));
        assert_eq!((unit.done(Time(40)), unit.waiting()), (Some(3), 0));
    }
}
