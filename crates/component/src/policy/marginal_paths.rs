//! Marginal paths: paths at whose ends frames come in damaged are used only if no other works.
//!
//! Source: multipath.conf(5), `marginal_pathgroups`; multipath-tools, `multipathd/fpin_handlers.c`. A notice of link integrity makes the paths marginal whose
//! target port it names, or that begin at the port that it names; the paths of an adapter are marginal until its port comes up again or it is
//! notified that another port has left or come (RSCN). A path is not marginal for any other reason, and congestion makes none marginal.

use super::path_choice::PathChoice;
use crate::contract::Action;

sansim_schema::words! {
    /// The use of paths at whose ends frames come in damaged.
    pub enum MarginalPaths {
        /// As of other paths.
        Off = "off",
        /// After a notice of the fabric only if no other path works.
        Fpin = "fpin",
    }
}

impl PathChoice {
    /// Has paths used last that the network reports as damaged.
    pub fn use_marginal_paths_last(&mut self) {
        self.marginal_last = true;
    }

    /// The network has reported that frames come in damaged at an end of the path to a device that begins at a port. Returns whether the path is
    /// marginal from now on. The component then calls [`PathChoice::next_ready_request`] for the requests that can continue.
    pub fn path_is_damaged(&mut self, device: u32, port: u16) -> bool {
        let number = self.ways.number(device, port).filter(|_| self.marginal_last);
        number.is_some_and(|number| self.ways.make_marginal(number))
    }

    /// A port that the adapter of a path sees has left the network or come back: the paths of the adapter are not marginal any more.
    pub(super) fn ports_changed(&mut self, action: Action) {
        if let Action::PathFails(number) | Action::PathWorks(number) = action
            && self.marginal_last
        {
            self.ways.end_marginal(number as usize);
        }
    }
}
