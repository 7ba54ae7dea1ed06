//! Nodes that are taken out of a fabric while it runs, and put in again; who learns of it, and when.
//!
//! The link of a node that is taken out is dead: its frames in flight and in its queue are lost, and so is each frame that is sent to the
//! node or by it until it is back. Both ends of a dead link notice that at once (`sansim_fabric`), and the fabric informs the other nodes by
//! RSCN (FC-LS, registered state change notification), which end their exchanges with the node.
//!
//! A frame that has left its node before may be in flight for longer than the other end is away. It is discarded where it arrives, as a port
//! discards commands and data of a port that is not logged in (Hitachi Ultrastar 15K450, table 254).
//!
//! Assumptions: RSCN takes no time. Targets learn first, so that a request that is repeated on another path is never at a device twice. A
//! node that comes back needs the time in which its link comes up, and none to log in again.

use super::{FabricNetwork, spec};
use crate::stations::AttachedPort;
use sansim_component::{Context, Message, NetworkChange, PortKeys};
use sansim_fabric::{FabricLayout, FabricParameters};

impl FabricNetwork {
    /// The links are those of these parameters from now on, and of ports with these keys.
    #[cold]
    pub(super) fn links_change(
        &mut self,
        cx: &mut Context<'_>,
        parameters: &FabricParameters,
        ports: &[PortKeys],
    ) {
        let nodes: Vec<_> =
            self.stations.iter().zip(ports).map(|(station, keys)| spec(station, keys)).collect();
        // An impossible layout was reported when the scenario was read.
        let Ok(layout) = FabricLayout::distribute_nodes(parameters, &nodes) else { return };
        self.react(cx, |fabric, now, around| fabric.change_links(now, &layout, around));
    }

    /// Carries out a change.
    #[cold]
    pub(super) fn nodes_change(&mut self, cx: &mut Context<'_>, change: NetworkChange) {
        match change {
            NetworkChange::RemoveNode { port, .. } => self.node_leaves(cx, port),
            NetworkChange::AddNode { port, .. } => {
                self.react(cx, |fabric, now, around| fabric.set_node_presence(now, port, true, around));
            }
            NetworkChange::Initialise | NetworkChange::Detached | NetworkChange::Attached => {}
        }
    }

    fn node_leaves(&mut self, cx: &mut Context<'_>, node: u16) {
        if !self.fabric.is_present(node) {
            return;
        }
        self.react(cx, |fabric, now, around| fabric.set_node_presence(now, node, false, around));
        let own = usize::from(node);
        self.journeys.node_removed(self.attached[own].address);
        self.gateways_forget(cx, self.attached[own].address);
        for other in AttachedPort::targets_first(&self.attached).filter(|&other| other != own) {
            cx.send(other as u16, Message::PortLeft(self.attached[own].address));
            cx.send(node, Message::PortLeft(self.attached[other].address));
        }
    }
}
