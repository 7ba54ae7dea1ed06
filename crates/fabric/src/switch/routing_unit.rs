//! The routing unit of a switch: it polls the ports in turn and serves a header at a time.
//!
//! Source: Molero et al. 2001, section 2: "iteratively polls input ports, in a round-robin scheduling policy, for new messages". Of a
//! port it takes the first. Polling itself takes no time; a header takes the routing delay.

use std::collections::VecDeque;

/// See the module text. Frames are named by numbers of whoever keeps them.
#[derive(Clone, Debug, Default)]
pub struct RoutingUnit {
    /// Headers that have not been served, by port.
    waiting: Vec<VecDeque<u32>>,
    /// How many there are in all.
    count: usize,
    /// The port that is polled first.
    next: usize,
    /// The frame whose header is served.
    serves: Option<u32>,
}

impl RoutingUnit {
    /// A unit with so many ports.
    pub fn new(ports: usize) -> Self {
        Self { waiting: vec![VecDeque::with_capacity(4); ports], ..Self::default() }
    }

    /// A header is in.
    pub fn put(&mut self, port: usize, frame: u32) {
        self.waiting[port].push_back(frame);
        self.count += 1;
    }

    /// Headers that have not been served.
    pub fn waiting(&self) -> usize {
        self.count
    }

    /// Whether it serves one.
    pub fn is_busy(&self) -> bool {
        self.serves.is_some()
    }

    /// Takes up the next header, if it is idle and there is one.
    pub fn take(&mut self) -> Option<u32> {
        if self.count == 0 || self.serves.is_some() {
            return None;
        }
        let ports = self.waiting.len();
        for step in 0..ports {
            let port = (self.next + step) % ports;
            if let Some(frame) = self.waiting[port].pop_front() {
                self.next = (port + 1) % ports;
                self.count -= 1;
                self.serves = Some(frame);
                return self.serves;
            }
        }
        None
    }

    /// The header that it served is done.
    pub fn done(&mut self) -> Option<u32> {
        self.serves.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_served_in_turn_and_each_in_order() {
        let mut unit = RoutingUnit::new(3);
        for (port, frame) in [(0, 1), (0, 2), (2, 3), (2, 4), (1, 5)] {
            unit.put(port, frame);
        }
        let mut order = Vec::new();
        while let Some(frame) = unit.take() {
            assert!(unit.take().is_none(), "one at a time");
            unit.done();
            order.push(frame);
        }
        assert_eq!(order, [1, 5, 3, 2, 4]);
    }
}
