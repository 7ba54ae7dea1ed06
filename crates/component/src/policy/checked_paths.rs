//! The paths of a component that checks them: with checkers a path that has failed is used again only after a check of it has been answered.
//!
//! Sources: multipath.conf(5) and multipathd for the checkers of Linux `dm`; `drivers/nvme/host/fabrics.h` and `multipath.c` for NVMe, where a
//! controller that does not answer is reconnected before its paths are used.

use super::AccessState;
use super::path_choice::PathChoice;
use super::path_table::{PathState, PathTable};
use crate::context::Context;
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
}

impl PathChoice {
    /// Has a path that has failed used again only after [`PathChoice::check_answered`]. With `learns_access` the access states of devices are
    /// known from answers, not when they change.
    pub fn use_checkers(&mut self, learns_access: bool) {
        self.checked = Some(CheckedPaths::new(&self.ways, learns_access));
    }

    /// All paths that frames go by, by their numbers: the port at which each begins, the numbers of the adapters at its ends, and its device.
    pub fn checkable_paths(&self) -> impl Iterator<Item = (usize, u16, (u16, u32), u32)> + '_ {
        let paths = (0..self.ways.path_count()).filter_map(|number| Some((number, self.ways.path(number)?)));
        paths
            .filter(|(_, (way, _))| way.is_on_network)
            .map(|(number, (way, device))| (number, way.port, (way.adapter, way.server), device))
    }

    /// The port at which a path begins, and its device.
    pub fn begin_of_path(&self, number: usize) -> Option<(u16, u32)> {
        self.ways.path(number).map(|(way, device)| (way.port, device))
    }

    /// Whether the network reports a path as down, so that a check would find nothing else.
    pub fn is_reported_down(&self, number: usize) -> bool {
        self.checked.as_ref().is_some_and(|checked| checked.down.get(number).is_some_and(|down| *down))
    }

    /// Whether the component takes a path as failed.
    pub fn is_path_failed(&self, number: usize) -> bool {
        self.ways.path_state(number) == Some(PathState::Failed)
    }

    /// An I/O for a device on the path that begins at a port was not answered in time, or came back as unreachable: the path counts as
    /// failed until a check of it is answered. Returns whether the path worked until now.
    pub fn suspect_path(&mut self, cx: &mut Context<'_>, device: u32, port: u16) -> bool {
        if self.checked.is_none() {
            return false;
        }
        let found = self.ways.number(device, port);
        let Some(number) =
            found.filter(|&number| self.ways.path(number).is_some_and(|(way, _)| way.is_on_network))
        else {
            return false;
        };
        if let Some(checked) = &mut self.checked {
            checked.suspects.push_back(number);
        }
        self.check_fails(cx, number)
    }

    /// The next path that is to be checked at once.
    pub fn next_suspect(&mut self) -> Option<usize> {
        self.checked.as_mut()?.suspects.pop_front()
    }

    /// A check of a path has not been answered, or has been answered by an adapter that does not reach the device. Returns whether the path
    /// worked until now. The component then calls [`PathChoice::next_ready_request`] for the requests that can continue.
    pub fn check_fails(&mut self, cx: &mut Context<'_>, number: usize) -> bool {
        self.learn_access(number);
        match self.ways.path_state(number) {
            // The network has reported the failure, which is noticed in time.
            Some(PathState::Failed | PathState::Failing(_)) | None => return false,
            Some(PathState::Works | PathState::Spare(_)) => {}
        }
        self.ways.set_path_state(number, PathState::Failed);
        self.may_be_lost(self.ways.device_of_path(number));
        self.look_for_lost(cx);
        self.release(cx);
        true
    }

    /// A check of a path has been answered. Returns whether the path counted as failed until now. The component then calls
    /// [`PathChoice::next_ready_request`] for the requests that can continue.
    pub fn check_answered(&mut self, cx: &mut Context<'_>, number: usize) -> bool {
        self.learn_access(number);
        let was_failed = self.is_path_failed(number) && !self.is_reported_down(number);
        if was_failed {
            self.path_is_back(cx, number);
        }
        self.look_for_lost(cx);
        self.release(cx);
        was_failed
    }

    /// The component reads the access state of the device by a path. Assumption: it is the state at the moment of the answer.
    fn learn_access(&mut self, number: usize) {
        let state = self.checked.as_ref().and_then(|checked| checked.access.as_ref()?.get(number).copied());
        if let Some(state) = state {
            self.ways.set_access_state(number, state);
            self.may_be_lost(self.ways.device_of_path(number));
        }
    }
}
