//! The paths of a component that checks them: with checkers a path that has failed is used again only after a check of it has been answered.
//!
//! Sources: multipath.conf(5) and multipathd for the checkers of Linux `dm`; `drivers/nvme/host/fabrics.h` and `multipath.c` for NVMe, where a
//! controller that does not answer is reconnected before its paths are used.

use super::AccessState;
use super::path_table::PathTable;
use std::collections::VecDeque;

/// The knowledge of a component that checks its paths.
#[derive(Clone, Debug)]
pub(super) struct CheckedPaths {
    /// Whether the network reports each path as down, by the number of the path.
    down: Vec<bool>,
    /// Where access states are learned from answers: the state in which each path is, whether or not the component knows it.
    access: Option<Vec<AccessState>>,
    /// The paths that are to be checked at once.
    suspects: VecDeque<usize>,
}

impl CheckedPaths {
    /// All paths work.
    pub fn new(ways: &PathTable, learns_access: bool) -> Self {
        let count = ways.path_count();
        let states = (0..count).filter_map(|number| ways.path(number)).map(|(way, _)| way.to.access);
        Self {
            down: vec![false; count],
            access: learns_access.then(|| states.collect()),
            suspects: VecDeque::new(),
        }
    }

    /// The network reports a path as down, or as working again.
    pub fn set_down(&mut self, number: usize, is_down: bool) {
        if let Some(down) = self.down.get_mut(number) {
            *down = is_down;
        }
    }

    /// The access state of a device by a path changes. Returns whether the component learns of it only by an answer.
    pub fn access_is_learned(&mut self, number: usize, state: AccessState) -> bool {
        let known = self.access.as_mut().and_then(|access| access.get_mut(number));
        known.is_some_and(|known| {
            *known = state;
            true
        })
    }

    /// Whether the network reports a path as down.
    pub fn is_down(&self, number: usize) -> bool {
        self.down.get(number).is_some_and(|down| *down)
    }

    /// Where access states are learned from answers: the state in which a path is.
    pub fn learned_access(&self, number: usize) -> Option<AccessState> {
        self.access.as_ref()?.get(number).copied()
    }

    /// A path is to be checked at once.
    pub fn suspect(&mut self, number: usize) {
        self.suspects.push_back(number);
    }

    /// The next path that is to be checked at once.
    pub fn next_suspect(&mut self) -> Option<usize> {
        self.suspects.pop_front()
    }
}
