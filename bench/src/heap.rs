//! The plain thing: the standard library's binary heap of (time in ns, sequence, event), without an engine, an order
//! among components, a cancellation or a probe.

use crate::load::{Engine, Event};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

struct Node {
    time: u64,
    sequence: u64,
    event: Event,
}

impl Ord for Node {
    fn cmp(&self, other: &Node) -> Ordering {
        (other.time, other.sequence).cmp(&(self.time, self.sequence))
    }
}
impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Node) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Node {
    fn eq(&self, other: &Node) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Node {}

#[derive(Default)]
pub struct Heap {
    heap: BinaryHeap<Node>,
    now: u64,
    sequence: u64,
}

impl Engine for Heap {
    type Key = ();

    #[inline]
    fn plan(&mut self, delay: f64, _component: u32, event: Event) {
        self.heap.push(Node { time: self.now + delay as u64, sequence: self.sequence, event });
        self.sequence += 1;
    }

    fn plan_cancellable(&mut self, _delay: f64, _component: u32, _event: Event) {
        unreachable!("a plain heap cannot cancel")
    }

    fn cancel(&mut self, _key: ()) -> bool {
        unreachable!("a plain heap cannot cancel")
    }

    #[inline]
    fn next(&mut self) -> Event {
        let node = self.heap.pop().expect("both loads are closed: something is always pending");
        self.now = node.time;
        node.event
    }
}
