//! The frames of an Ethernet as observers see them: at the ports of nodes, and at those of switches that have a place.

use super::{Surroundings, Transport};
use sansim_component::{Context, FrameHop, MoveEnd, Movement, ObservableKind};
use sansim_fabric::ethernet::{EthernetFrame, EthernetSwitches, LinkPassage, PassingFrame};
use sansim_kernel::{Span, Time};
use sansim_pdu::{FrameContent, FrameSight, PortSight};

/// The place of each port among the places of the network; none for a port of a switch that observers do not see.
#[derive(Clone, Debug)]
pub(super) struct PortPlaces {
    places: Vec<Option<u16>>,
    hides_switches: bool,
}

impl PortPlaces {
    /// The places of the ports of this number of nodes, and behind them those of ports of switches.
    pub(super) fn new(switches: &EthernetSwitches, nodes: usize, inner: &[u32]) -> Self {
        let mut places = vec![None; switches.port_count()];
        let of_nodes = (0..nodes as u16).map(|node| switches.node_port(node));
        for (port, place) in of_nodes.chain(inner.iter().copied()).zip(0..) {
            places[port as usize] = Some(place);
        }
        Self { hides_switches: places.contains(&None), places }
    }
}

/// Shows that a transmission passes a link: at both ports, and as a move of its frame.
pub(super) fn show_passage(around: &mut Surroundings<'_, '_>, link: LinkPassage, what: PassingFrame) {
    let LinkPassage { port, begins, lasts, arrives } = link;
    let [from, to] = [port, port ^ 1].map(|port| around.places.places[port as usize]);
    let sight = match what {
        PassingFrame::Frame(frame) => around.transport.frame_sight(frame),
        PassingFrame::Pause(request) => pause_sight(1 << request.class, request.stops),
    };
    let mut show = |at: Time, place: Option<u16>, sight: PortSight| {
        if let Some(place) = place {
            around.cx.report_observation(at, ObservableKind::Port(place, sight));
        }
    };
    show(begins, from, PortSight::SentFrame(sight));
    if let Some(at) = arrives {
        show(at, to, PortSight::ReceivedFrame(sight));
    }
    let PassingFrame::Frame(frame) = what else { return };
    let whole = around.transport.moves(frame, lasts);
    let movement = match (from, to) {
        (Some(from), Some(to)) => {
            let receiver = whole.to;
            let hop = FrameHop { tag: frame.tag, is_first: from == frame.from, receiver };
            let (from, to) = (MoveEnd::Place(from), MoveEnd::Place(to));
            Movement { from, to, began: begins, arrives, hop: Some(hop), ..whole }
        }
        // The frame has crossed switches that observers do not see.
        (None, Some(_)) => Movement { arrives, ..whole },
        _ => return,
    };
    around.cx.report_observation(around.cx.now, ObservableKind::Moves(movement));
}

/// Shows that a frame is lost, where observers see no switches and thus no single links.
pub(super) fn show_loss(
    cx: &mut Context<'_>,
    (transport, places): (&Transport, &PortPlaces),
    frame: EthernetFrame,
) {
    if cx.wanted_sights().ports && places.hides_switches {
        let movement = transport.moves(frame, Span::ZERO);
        cx.report_observation(cx.now, ObservableKind::Moves(movement));
    }
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
    /// The move of a frame from its sender to its receiver, which it has not reached.
    fn moves(&self, frame: EthernetFrame, lasts: Span) -> Movement {
        let (kind, request, bytes, began) = match self {
            Self::Tcp(tcp) => tcp.moving_content(frame),
            Self::Rdma(rdma) => rdma.moving_content(frame),
        };
        let [from, to] = [frame.from, frame.to].map(MoveEnd::Place);
        Movement { kind, from, to, began, lasts, arrives: None, request, bytes, hop: None }
    }

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
