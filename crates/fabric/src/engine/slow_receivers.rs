//! Receivers that return credit late: a buffer of a slow node is occupied until its R_RDY is sent
//! (`crate::congestion::CreditReturn`).

use super::{Fabric, FabricEvent, FabricHost};
use crate::congestion::CreditReturn;
use sansim_kernel::Time;

/// The nodes that return credit late.
#[derive(Clone, Debug)]
pub struct SlowNodes {
    /// For each node, its behaviour when it returns credit, and the time at which it last did or will next.
    nodes: Vec<(CreditReturn, Time)>,
    /// The number of buffers that are empty and whose credit has not been returned.
    pub kept: u64,
}

impl SlowNodes {
    /// The state of the nodes, if any of them is slow.
    pub fn for_slow_nodes(drains: impl Iterator<Item = CreditReturn>) -> Option<Box<Self>> {
        let nodes: Vec<(CreditReturn, Time)> = drains.map(|drain| (drain, Time::ZERO)).collect();
        nodes
            .iter()
            .any(|(drain, _)| !drain.returns_credit_at_once())
            .then(|| Box::new(Self { nodes, kept: 0 }))
    }
}

impl Fabric {
    /// A node has emptied a buffer. Returns whether the node returns the credit later.
    pub(super) fn gives_back_later(&mut self, now: Time, node: u16, around: &mut impl FabricHost) -> bool {
        let Some(slow) = &mut self.slow else { return false };
        let Some((drain, last)) = slow.nodes.get_mut(usize::from(node)) else { return false };
        if drain.returns_credit_at_once() {
            return false;
        }
        *last = drain.credit_return_time(now, *last);
        if *last == now {
            return false;
        }
        slow.kept += 1;
        around.schedule(*last, FabricEvent::Drained(node), node.into());
        true
    }

    /// A slow node returns a credit.
    pub(super) fn drained(&mut self, now: Time, node: u16, around: &mut impl FabricHost) {
        if let Some(slow) = &mut self.slow {
            slow.kept -= 1;
        }
        self.free_buffer(now, self.node_ports[usize::from(node)], 0, around);
    }

    /// The number of buffers of nodes that are empty and whose credit has not been returned.
    pub fn credit_withheld(&self) -> u64 {
        self.slow.as_ref().map_or(0, |slow| slow.kept)
    }
}
