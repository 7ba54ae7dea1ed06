//! The frames of an Ethernet as observers see them: at the ports of nodes, and at those of switches that have a place.

use super::{Surroundings, Transport};
use sansim_component::ObservableKind;
use sansim_fabric::ethernet::{EthernetFrame, EthernetSwitches, PassingFrame};
use sansim_kernel::Time;
use sansim_pdu::{FrameContent, FrameSight, PortSight};

/// The place of each port among the places of the network; none for a port of a switch that observers do not see.
#[derive(Clone, Debug)]
pub(super) struct PortPlaces(Vec<Option<u16>>);

impl PortPlaces {
    /// The places of the ports of this number of nodes, and behind them those of ports of switches.
    pub(super) fn new(switches: &EthernetSwitches, nodes: usize, inner: &[u32]) -> Self {
        let mut places = vec![None; switches.port_count()];
        let of_nodes = (0..nodes as u16).map(|node| switches.node_port(node));
        for (port, place) in of_nodes.chain(inner.iter().copied()).zip(0..) {
            places[port as usize] = Some(place);
        }
        Self(places)
    }
}

/// Shows that a transmission passes a port.
pub(super) fn show_passing(
    around: &mut Surroundings<'_, '_>,
    at: Time,
    port: u32,
    is_sent: bool,
    what: PassingFrame,
) {
    let Some(place) = around.places.0[port as usize] else { return };
    let sight = match what {
        PassingFrame::Frame(frame) => around.transport.frame_sight(frame),
        PassingFrame::Pause(request) => pause_sight(1 << request.class, request.stops),
    };
    let sight = if is_sent { PortSight::SentFrame(sight) } else { PortSight::ReceivedFrame(sight) };
    around.cx.report_observation(at, ObservableKind::Port(place, sight));
}

/// A pause frame, which goes to the other end of its link and has no number.
fn pause_sight(classes: u8, stops: bool) -> FrameSight {
    FrameSight {
        tag: u32::MAX,
        from: 0,
        to: 0,
        class: 0,
        may_be_marked: false,
        is_marked: false,
        content: FrameContent::Pause { classes, stops },
    }
}

impl Transport {
    /// A frame with its content.
    fn frame_sight(&self, frame: EthernetFrame) -> FrameSight {
        let content = match self {
            Self::Tcp(tcp) => FrameContent::Segment(tcp.segment_sight(frame)),
            Self::Rdma(rdma) => FrameContent::Packet(rdma.packet_sight(frame)),
        };
        let EthernetFrame { tag, from, to, class, may_be_marked, is_marked, .. } = frame;
        FrameSight { tag, from, to, class, may_be_marked, is_marked, content }
    }
}
