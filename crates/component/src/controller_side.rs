//! Controller sides: the controllers or nodes that take over from each other, two in a pair or more in a cluster.

use sansim_schema::words;
use sansim_schema::words::Word;

words! {
    /// One of the controllers, or nodes, that take over from each other.
    pub enum ControllerSide {
        /// The first.
        A = "a",
        /// The second.
        B = "b",
        /// The third.
        C = "c",
        /// The fourth.
        D = "d",
        /// The fifth.
        E = "e",
        /// The sixth.
        F = "f",
        /// The seventh.
        G = "g",
        /// The eighth.
        H = "h",
    }
}

/// The most controllers or nodes that there may be.
pub const MOST: usize = 8;

impl ControllerSide {
    /// All sides that there may be.
    pub const EACH: [Self; MOST] = [Self::A, Self::B, Self::C, Self::D, Self::E, Self::F, Self::G, Self::H];

    /// The number as an index into a list.
    pub fn index(self) -> usize {
        self as usize
    }
}

words! {
    /// The node that takes over the volumes of a failed node.
    pub enum TakeoverNode {
        /// The next node that works: the second for the first, and the first for the last.
        Next = "next",
        /// The last node, at which nothing is at home while all work: n + 1 nodes. If it has failed as well, the next one.
        Spare = "spare",
        /// The others in turn: one for the first of the volumes that are at home there, another one for the second.
        Others = "others",
    }
}

/// The number of nodes of a cluster, and the order in which they take over from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// The number of nodes, at most [`MOST`].
    pub nodes: usize,
    /// The node that takes over.
    pub takes_over: TakeoverNode,
}

impl Default for Cluster {
    fn default() -> Self {
        Self { nodes: 1, takes_over: TakeoverNode::Next }
    }
}

impl Cluster {
    /// Whether there are several nodes.
    pub fn has_several_nodes(self) -> bool {
        self.nodes > 1
    }

    /// The number of nodes that own devices while all nodes work.
    pub fn owner_node_count(self) -> usize {
        if self.takes_over == TakeoverNode::Spare { (self.nodes - 1).max(1) } else { self.nodes }
    }

    /// The nodes in the order in which they take over the devices of one node, that node first. `which` is the number of the volume or
    /// module among those of the node; the number matters only with [`TakeoverNode::Others`].
    pub fn takeover_order(self, home: usize, which: usize) -> impl Iterator<Item = usize> {
        let (nodes, home) = (self.nodes.max(1), home.min(self.nodes.max(1) - 1));
        let others = nodes - 1;
        let turned = if self.takes_over == TakeoverNode::Others && others > 0 { which % others } else { 0 };
        let spare = (self.takes_over == TakeoverNode::Spare && home + 1 < nodes).then(|| nodes - 1);
        let behind = (0..others).map(move |step| (home + 1 + (step + turned) % others.max(1)) % nodes);
        let behind = behind.filter(move |&node| Some(node) != spare);
        std::iter::once(home).chain(spare).chain(behind)
    }

    /// The parts that can fail separately, by their names in events: the nodes, then the link between them. A single node has no such
    /// parts.
    pub fn failable_parts(self) -> Vec<String> {
        if !self.has_several_nodes() {
            return Vec::new();
        }
        let nodes = ControllerSide::EACH.iter().take(self.nodes).map(|half| half.word());
        nodes.chain(["link"]).map(str::to_owned).collect()
    }

    /// The node at an index of [`Cluster::failable_parts`]; none for the link.
    pub fn node_at(self, thing: usize) -> Option<usize> {
        (thing < self.nodes).then_some(thing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(nodes: usize, takes_over: TakeoverNode, home: usize, which: usize) -> Vec<usize> {
        Cluster { nodes, takes_over }.takeover_order(home, which).collect()
    }

    #[test]
    fn each_node_has_a_place_in_every_order_and_what_is_at_home_comes_first() {
        for nodes in 1..=MOST {
            for takes_over in [TakeoverNode::Next, TakeoverNode::Spare, TakeoverNode::Others] {
                for (home, which) in (0..nodes).flat_map(|home| (0..10).map(move |which| (home, which))) {
                    let mut order = order(nodes, takes_over, home, which);
                    assert_eq!(order[0], home);
                    order.sort_unstable();
                    assert_eq!(order, (0..nodes).collect::<Vec<_>>(), "{takes_over:?}");
                }
            }
        }
    }

    #[test]
    fn who_comes_behind_is_the_next_one_the_spare_or_each_of_the_others_in_turn() {
        assert_eq!(order(4, TakeoverNode::Next, 3, 5), [3, 0, 1, 2]);
        assert_eq!(order(4, TakeoverNode::Spare, 1, 5), [1, 3, 2, 0]);
        assert_eq!(order(4, TakeoverNode::Spare, 3, 0), [3, 0, 1, 2]);
        assert_eq!(order(4, TakeoverNode::Others, 1, 0), [1, 2, 3, 0]);
        assert_eq!(order(4, TakeoverNode::Others, 1, 1), [1, 3, 0, 2]);
        assert_eq!(order(4, TakeoverNode::Others, 1, 2), [1, 0, 2, 3]);
        assert_eq!(order(2, TakeoverNode::Others, 1, 7), [1, 0]);
    }
}
