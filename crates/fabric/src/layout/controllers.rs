//! The ports of the switches themselves, by which they send their messages to nodes: F_BSY and F_RJT of class 2.
//!
//! Source: FC-SW. The port of a switch itself is its domain controller, FFFCdd. The connection of the controller to the switch is internal;
//! it is modelled as the first link of the switch, without length and losses (assumption), and with a queue of its own, so that its
//! messages occupy no buffer of the fabric.

use super::{FabricLayout, LinkEndDevice, LinkPlan, NodePlan};
use sansim_fc::link::{ExactProbability, LinkRules};
use sansim_kernel::Span;
use sansim_pdu::Address;

/// The address of the domain controller of domain 0.
const FIRST: u32 = 0xFF_FC00;

impl FabricLayout {
    /// Adds a controller to each switch: nodes and links behind all others, in the order of the switches.
    #[must_use]
    pub fn with_controllers(mut self) -> Self {
        for switch in 0..self.switches.len() as u16 {
            let is_there = |link: &&LinkPlan| link.ends.contains(&LinkEndDevice::Switch(switch));
            let Some(like) = self.links.iter().find(is_there).map(|link| link.rules) else { continue };
            let rules = LinkRules {
                latency: Span::ZERO,
                frame_loss: ExactProbability::NEVER,
                ready_loss: ExactProbability::NEVER,
                bb_sc_n: 0,
                ..like
            };
            let number = self.nodes.len() as u16;
            self.links
                .push(LinkPlan { ends: [LinkEndDevice::Switch(switch), LinkEndDevice::Node(number)], rules });
            let address = Address::new(FIRST + u32::from(switch) + 1);
            // No node sends anything to a controller.
            self.nodes.push(NodePlan::new(Some(switch), address, 1));
        }
        self
    }

    /// The controller of a switch, in a layout that has controllers.
    pub fn controller_of_switch(&self, switch: u16) -> Option<u16> {
        let address = Address::new(FIRST + u32::from(switch) + 1);
        let number = self.nodes.iter().rposition(|node| node.address == address)?;
        Some(number as u16)
    }
}
