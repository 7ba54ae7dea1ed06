//! The switches, links and nodes that the keys of `kind = "ethernet"` describe.

use super::catalogue::CATALOGUE;
use super::{EthernetKeys, EthernetParameters, EthernetRouting, EthernetTransport, Transport};
use crate::rdma::{RdmaEndpoints, RdmaSettings};
use crate::tcp::{EthernetDemandKeys, TcpEndpoints, TcpSettings};
use sansim_component::{BuildContext, NetworkRole};
use sansim_fabric::ethernet::EthernetPlan;
use sansim_fabric::layout::ports::SwitchPort;
use sansim_rdma::packet::DATAGRAM_HEADERS;
use sansim_schema::catalogue::Catalogue;
use sansim_tcp::FrameFormat;

impl EthernetParameters {
    /// The switches and links for nodes of these stations.
    pub(super) fn plan_of(&self, stations: &[&str]) -> EthernetPlan {
        // An impossible layout was already reported with the addresses.
        let (layout, rates) = self.layout(stations).unwrap_or_default();
        let slow = members(stations).zip(0..).filter_map(|((station, member), node)| {
            let slow = self.slow_station(station, member)?;
            Some((node, slow.rate, slow.buffer))
        });
        EthernetPlan {
            layout,
            rates,
            switch: self.switch.clone(),
            classes: self.queues(),
            largest: (self.mtu + self.frame_overhead) as u32,
            loss: self.frame_loss,
            up_down: self.routing == EthernetRouting::UpDownFlow,
            slow: slow.collect(),
            may_fail: false,
        }
    }

    /// The bytes of a middle packet of RDMA, as a frame with a segment.
    fn packet_format(&self) -> FrameFormat {
        let payload = self.rdma.payload_bytes(self.mtu);
        FrameFormat {
            mtu: payload + DATAGRAM_HEADERS,
            headers: DATAGRAM_HEADERS,
            frame_overhead: self.frame_overhead,
        }
    }

    /// The class of the frames between each two nodes: that of the node whose class comes first, of classes that the file describes.
    fn classes_between(&self, stations: &[&str]) -> Vec<Vec<u8>> {
        if self.classes.is_empty() {
            return Vec::new();
        }
        let of_nodes: Vec<u8> =
            members(stations).map(|(station, member)| self.class_of(station, member)).collect();
        let between = |one: u8, other: u8| match (one, other) {
            (0, class) | (class, 0) => class,
            _ => one.min(other),
        };
        of_nodes.iter().map(|&one| of_nodes.iter().map(|&other| between(one, other)).collect()).collect()
    }
}

/// The station of each node, with the number of the node among the members of the station.
fn members<'a>(stations: &'a [&'a str]) -> impl Iterator<Item = (&'a str, usize)> {
    stations.iter().enumerate().map(move |(number, &station)| {
        (station, stations[..number].iter().filter(|&&other| other == station).count())
    })
}

impl EthernetKeys for EthernetParameters {
    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn plan(&self, nodes: &[&str]) -> EthernetPlan {
        self.plan_of(nodes)
    }

    fn shown_ports(&self, nodes: &[&str]) -> Vec<u32> {
        let (layout, _) = self.layout(nodes).unwrap_or_default();
        let number = |port: &SwitchPort| 2 * port.link as u32 + u32::from(!port.first_end);
        layout.switch_ports().iter().map(number).collect()
    }

    fn endpoints(&self, cx: &BuildContext<'_, NetworkRole>) -> Transport {
        let stations: Vec<&str> = cx.nodes.iter().map(|node| node.listed.as_str()).collect();
        let classes = self.classes_between(&stations);
        match self.transport {
            EthernetTransport::Tcp => {
                let (format, stacks) = (self.frame_format(), &self.stacks[..]);
                let settings = TcpSettings { keys: &self.tcp, format, stacks, classes };
                Transport::Tcp(Box::new(TcpEndpoints::of_build(settings, cx)))
            }
            EthernetTransport::Rdma => {
                let (mtu, overhead) = (self.mtu, self.frame_overhead);
                let settings = RdmaSettings { keys: &self.rdma, mtu, overhead, classes };
                Transport::Rdma(Box::new(RdmaEndpoints::of_build(settings, cx)))
            }
        }
    }

    fn demand_keys(&self) -> EthernetDemandKeys<'_> {
        let rate = self.speed.bytes_per_second();
        match self.transport {
            EthernetTransport::Tcp => EthernetDemandKeys {
                rate,
                format: self.frame_format(),
                message_header: self.tcp.message_header,
                ack_every: self.tcp.ack_every,
                stacks: &self.stacks,
            },
            EthernetTransport::Rdma => EthernetDemandKeys {
                rate,
                format: self.packet_format(),
                message_header: 0,
                ack_every: u32::MAX,
                stacks: &[],
            },
        }
    }
}
