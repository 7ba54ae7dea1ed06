//! Nodes that are taken out of the fabric and put in again.
//!
//! The link of a node that is taken out is dead, as a link that fails (`super::failures`). The frames in the queue of the node are lost, those
//! in the queues of others that go to it, and each frame that it hands over until it is back.

use super::{Fabric, FabricHost, FrameWait, NodeEvent};
use sansim_kernel::Time;

impl Fabric {
    /// Whether a node is in the fabric.
    pub fn is_present(&self, node: u16) -> bool {
        !self.is_absent[usize::from(node)]
    }

    /// Takes a node out of the fabric, or puts it in again. Call this function only for a fabric [`Fabric::with_failures`].
    pub fn set_node_presence(
        &mut self,
        now: Time,
        node: u16,
        is_present: bool,
        around: &mut impl FabricHost,
    ) {
        self.is_absent[usize::from(node)] = !is_present;
        let port = self.node_ports[usize::from(node)];
        self.set_link_state(now, port as usize / 2, is_present, around);
        if !is_present {
            for other in 0..self.node_ports.len() as u16 {
                self.lose_queued(now, other, node, around);
            }
        }
    }

    /// Frames in the queue of a node are lost that go to a node that has left, or come from it, also by way of another node; if it is the one that
    /// has left, all.
    fn lose_queued(&mut self, now: Time, node: u16, gone: u16, around: &mut impl FabricHost) {
        let port = self.node_ports[usize::from(node)];
        let mut place = 0;
        while let Some(&held) = self.ports[port as usize].queue.get(place) {
            let at = self.held[held];
            let is_of_it = |address| self.node_at_address(address) == Some(gone);
            let is_lost =
                node == gone || at.to == gone || is_of_it(at.frame.destination) || is_of_it(at.frame.source);
            if !is_lost {
                place += 1;
                continue;
            }
            self.ports[port as usize].queue.remove(place);
            self.release(held);
            self.counts.sent += 1;
            if at.frame.kind.belongs_to_request() {
                around.upcall(now, node, NodeEvent::Waits(at.frame.tag, FrameWait::Way));
            }
            self.tell_started(now, node, at.frame, around);
            if at.frame.is_link_control() {
                self.lose(now, &at, around);
            } else {
                // No answer is awaited to a frame that has not been sent.
                around.upcall(now, node, NodeEvent::Sent(at.frame));
                self.counts.lost += 1;
                around.upcall(now, node, NodeEvent::Lost(at.frame));
            }
        }
        if self.ports[port as usize].queue.is_empty() {
            self.stalls_no_more(now, port);
        }
    }
}
