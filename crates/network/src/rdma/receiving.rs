//! The receiver of RDMA: packets in order, acknowledgements, reports of missing packets and of congestion.

use super::node::{Control, PacketOnLinks};
use super::{Frames, OneWay, RdmaEndpoints, segment};
use crate::ethernet::catalogue::moves;
use crate::tcp::request_of;
use sansim_component::context::UnitStep;
use sansim_component::{Context, Message, ObservableKind};
use sansim_fabric::ethernet::EthernetFrame;
use sansim_kernel::Time;
use sansim_pdu::{PacketSight, PacketSightKind, Pdu, PortSight, StreamUnitSight};
use sansim_rdma::flow::{RdmaPacket, ReceiverAction};
use sansim_request::RequestId;

impl RdmaEndpoints {
    /// A packet has arrived at a node.
    pub(crate) fn arrived(&mut self, cx: &mut Context<'_>, frames: &mut Frames, arrived: EthernetFrame) {
        match self.packets.over(arrived.tag) {
            PacketOnLinks::Data(flow, packet) => {
                self.take(cx, frames, flow as usize, packet, arrived.is_marked);
            }
            PacketOnLinks::Control(control) => self.take_control(cx, frames, control),
        }
    }

    /// A packet is lost.
    pub(crate) fn lost(&mut self, lost: EthernetFrame) {
        self.packets.over(lost.tag);
    }

    fn take(
        &mut self,
        cx: &mut Context<'_>,
        frames: &mut Frames,
        number: usize,
        packet: RdmaPacket,
        is_marked: bool,
    ) {
        let (flow, node) = (number as u32, usize::from(self.flows[number].to));
        let interval = self.keys.dcqcn.notice_interval;
        let one_way = &mut self.flows[number];
        if is_marked && one_way.noticed_at.is_none_or(|at| cx.now >= at + interval) {
            one_way.noticed_at = Some(cx.now);
            self.control(cx, frames, node, Control::Notice { flow });
        }
        let action = self.flows[number].flow.packet_arrives(packet);
        let upto = self.flows[number].flow.received();
        self.deliver(cx, number);
        match action {
            ReceiverAction::Nothing => {}
            ReceiverAction::Acknowledge => {
                self.control(cx, frames, node, Control::Acknowledgement { flow, upto });
            }
            ReceiverAction::ReportMissing => {
                self.control(cx, frames, node, Control::Missing { flow, expected: upto });
            }
        }
    }

    /// Hands over the units that have arrived completely.
    fn deliver(&mut self, cx: &mut Context<'_>, number: usize) {
        let to = self.flows[number].to;
        if cx.wanted_sights().ports {
            let taken = PortSight::TookFromStream(number as u32, self.flows[number].flow.received());
            cx.report_observation(cx.now, ObservableKind::Port(to, taken));
        }
        while let Some(part) = self.flows[number].flow.next_arrived_part() {
            self.counts.delivered += 1;
            self.counts.bytes += part.end - part.begin;
            let step = UnitStep::Arrives { wire: segment::RDMA, queue: segment::QUEUE };
            cx.ledger().advance_unit(request_of(&part.unit), step);
            cx.send(to, Message::Received(part.unit));
        }
    }

    fn take_control(&mut self, cx: &mut Context<'_>, frames: &mut Frames, control: Control) {
        let number = control.flow();
        let flow = &mut self.flows[number].flow;
        let is_new = match control {
            Control::Notice { .. } => return self.noticed(cx, number),
            Control::Acknowledgement { upto, .. } => flow.acknowledgement_arrives(upto),
            Control::Missing { expected, .. } => flow.report_arrives(expected),
        };
        if !is_new {
            return;
        }
        if let Some(key) = self.flows[number].time_out.take() {
            cx.cancel_timer(key);
        }
        self.start_timer(cx, number);
        let from = usize::from(self.flows[number].from);
        self.begin_packet(cx, frames, from);
    }

    /// Shows a unit that a node has handed over to a flow.
    #[cold]
    pub(super) fn show_unit(&self, cx: &mut Context<'_>, number: usize, unit: Pdu, bytes: u64) {
        let OneWay { flow, from, to, .. } = &self.flows[number];
        let (begin, end) = (flow.handed_over() - bytes, flow.handed_over());
        let sight = StreamUnitSight { unit, stream: number as u32, to: *to, begin, end };
        cx.report_observation(cx.now, ObservableKind::Port(*from, PortSight::HandedToStream(sight)));
    }

    /// The packet of a frame, as observers see it.
    pub(crate) fn packet_sight(&self, frame: EthernetFrame) -> PacketSight {
        let control = |kind, flow, place| PacketSight {
            kind,
            stream: flow,
            begin: place,
            end: place,
            is_first: true,
            is_last: true,
            asks: false,
            most_payload: self.rules.payload as u32,
        };
        match self.packets.packet(frame.tag).0 {
            PacketOnLinks::Data(stream, RdmaPacket { begin, end, first, last, asks, .. }) => PacketSight {
                end,
                is_first: first,
                is_last: last,
                asks,
                ..control(PacketSightKind::Data, stream, begin)
            },
            PacketOnLinks::Control(Control::Acknowledgement { flow, upto }) => {
                control(PacketSightKind::Acknowledgement, flow, upto)
            }
            PacketOnLinks::Control(Control::Missing { flow, expected }) => {
                control(PacketSightKind::Missing, flow, expected)
            }
            PacketOnLinks::Control(Control::Notice { flow }) => {
                control(PacketSightKind::CongestionNotice, flow, 0)
            }
        }
    }

    /// The kind of a packet's move, its request, its bytes of data, and the time at which it began to leave its node.
    pub(crate) fn moving_content(&self, frame: EthernetFrame) -> (u8, Option<RequestId>, u32, Time) {
        let (packet, began) = self.packets.packet(frame.tag);
        match packet {
            PacketOnLinks::Data(flow, packet) => {
                let part = self.flows[flow as usize].flow.part_at(packet.begin);
                let kind = moves::of_unit(part.map(|part| part.unit.kind));
                let request = part.map(|part| request_of(&part.unit));
                (kind, request, (packet.end - packet.begin) as u32, began)
            }
            PacketOnLinks::Control(Control::Notice { .. }) => (moves::NOTICE, None, 0, began),
            PacketOnLinks::Control(_) => (moves::ACK, None, 0, began),
        }
    }
}
