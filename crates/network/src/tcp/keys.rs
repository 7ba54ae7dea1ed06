//! The keys of `kind = "tcp"` as those of an Ethernet: one switch that stores frames.

use super::catalogue::CATALOGUE;
use super::{TcpEndpoints, TcpParameters, TcpSettings};
use crate::ethernet::{EthernetKeys, Transport};
use crate::tcp::EthernetDemandKeys;
use sansim_component::{BuildContext, NetworkRole};
use sansim_fabric::FabricLayout;
use sansim_fabric::ethernet::{EthernetPlan, EthernetQueueParameters, EthernetSwitchParameters};
use sansim_fabric::layout::{LinkEndDevice, LinkPlan, NodePlan};
use sansim_fabric::switch::SwitchingMode;
use sansim_fc::link::LinkRules;
use sansim_kernel::Span;
use sansim_schema::catalogue::Catalogue;

impl EthernetKeys for TcpParameters {
    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn plan(&self, nodes: &[&str]) -> EthernetPlan {
        let rules = LinkRules::without_coding(self.word_time(), 4, 1, Span::ZERO);
        let numbers = 0..nodes.len() as u16;
        let link =
            |node: u16| LinkPlan { ends: [LinkEndDevice::Switch(0), LinkEndDevice::Node(node)], rules };
        EthernetPlan {
            layout: FabricLayout {
                switches: vec!["switch".to_owned()],
                links: numbers.clone().map(link).collect(),
                nodes: numbers
                    .map(|node| NodePlan::new(Some(0), super::node_address(node.into()), 0))
                    .collect(),
            },
            rates: vec![self.rate; nodes.len()],
            switch: EthernetSwitchParameters {
                switching: SwitchingMode::StoreAndForward,
                latency: self.latency,
                buffer: None,
                port_buffer: self.buffer,
                free_share: None,
                pause_response: Span::ZERO,
                convergence_time: Span::ZERO,
            },
            classes: vec![EthernetQueueParameters {
                mark_above: self.mark_above,
                ..EthernetQueueParameters::plain()
            }],
            largest: (self.mtu + self.frame_overhead) as u32,
            loss: self.frame_loss,
            up_down: false,
            slow: Vec::new(),
            may_fail: false,
        }
    }

    fn endpoints(&self, cx: &BuildContext<'_, NetworkRole>) -> Transport {
        Transport::Tcp(Box::new(TcpEndpoints::of_build(settings(self), cx)))
    }

    fn demand_keys(&self) -> EthernetDemandKeys<'_> {
        EthernetDemandKeys {
            rate: self.rate,
            format: self.frame_format(),
            message_header: self.connections.message_header,
            ack_every: self.connections.ack_every,
            stacks: &self.stacks,
        }
    }
}

/// The parameters that the nodes of a network of `kind = "tcp"` have in common.
pub(super) fn settings(parameters: &TcpParameters) -> TcpSettings<'_> {
    TcpSettings {
        keys: &parameters.connections,
        format: parameters.frame_format(),
        stacks: &parameters.stacks,
        classes: Vec::new(),
    }
}
