//! The sender of RDMA: packets, their order at a node, rates, and what is sent again.

use super::node::{Control, PacketOnLinks};
use super::{Frames, OneWay, RdmaEndpoints, back, segment, timer};
use crate::ethernet::timers::Timers;
use crate::tcp::request_of;
use sansim_component::context::UnitStep;
use sansim_component::{Context, Message};
use sansim_fabric::ethernet::EthernetFrame;
use sansim_kernel::Time;
use sansim_pdu::{Pdu, PduKind};
use sansim_rdma::flow::RdmaPacket;
use sansim_rdma::packet::{PacketKind, RdmaOperation, packet_bytes};

impl RdmaEndpoints {
    /// The adapter at a port hands over a unit, or a part of one.
    pub(super) fn enqueue(&mut self, cx: &mut Context<'_>, frames: &mut Frames, port: usize, unit: Pdu) {
        let Ok(to) = self.addresses.binary_search(&unit.destination) else { return };
        let flow = self.flow(port, to);
        let bytes = u64::from(unit.payload_bytes) + unit.stream_part.header_bytes();
        let is_data = unit.kind == PduKind::Data;
        // Data of a write before any request for data come with the command.
        let with_command = is_data && unit.write && unit.unit == 0;
        let operation = RdmaOperation::of_unit(unit.kind, self.nodes[port].side == 1, with_command);
        self.flows[flow].flow.hand_over(unit, operation, bytes, unit.last_of_unit);
        if cx.wanted_sights().ports {
            self.show_unit(cx, flow, unit, bytes.max(1));
        }
        self.counts.handed += 1;
        self.nodes[port].unsent_frames += u64::from(is_data);
        self.begin_packet(cx, frames, port);
    }

    /// A packet without data waits at a node.
    pub(super) fn control(
        &mut self,
        cx: &mut Context<'_>,
        frames: &mut Frames,
        node: usize,
        control: Control,
    ) {
        self.nodes[node].control.push_back(control);
        self.begin_packet(cx, frames, node);
    }

    /// The next packets of a node begin, if the port has none of their class.
    pub(super) fn begin_packet(&mut self, cx: &mut Context<'_>, frames: &mut Frames, number: usize) {
        while let Some(place) = self.next_control(number) {
            let Some(control) = self.nodes[number].control.remove(place) else { return };
            self.send_control(cx, frames, number, control);
        }
        let count = self.nodes[number].flows.len();
        let is_stuck = self.nodes[number].is_adapter_stuck();
        let mut earliest: Option<Time> = None;
        for turn in 0..count {
            let place = (self.nodes[number].turn + turn) % count;
            let flow = self.nodes[number].flows[place] as usize;
            if self.is_sending(number, flow) {
                continue;
            }
            let Some(packet) = self.flows[flow].flow.next_packet(self.rules, is_stuck) else { continue };
            let may = self.flows[flow].may_send_at;
            if may > cx.now {
                self.waits_for_rate(cx, flow);
                earliest = Some(earliest.map_or(may, |at| at.min(may)));
                continue;
            }
            self.nodes[number].turn = place + 1;
            self.send(cx, frames, (number, flow), packet);
            if self.classes.is_empty() {
                return;
            }
        }
        if let Some(at) = earliest {
            if let Some(key) = self.nodes[number].pace.take() {
                cx.cancel_timer(key);
            }
            self.nodes[number].pace = Some(cx.wake(at, timer::PACES, number as u32));
        }
    }

    /// Whether the port of a node has a packet of the class of a flow.
    fn is_sending(&self, number: usize, flow: usize) -> bool {
        self.nodes[number].sending & 1 << self.class_of(flow) != 0
    }

    /// The place of the first packet without data that may begin.
    fn next_control(&self, number: usize) -> Option<usize> {
        let control = &self.nodes[number].control;
        control.iter().position(|control| !self.is_sending(number, back(control.flow())))
    }

    fn send_control(&mut self, cx: &mut Context<'_>, frames: &mut Frames, number: usize, control: Control) {
        let flow = back(control.flow());
        self.nodes[number].sending |= 1 << self.class_of(flow);
        let kind = match control {
            Control::Notice { .. } => PacketKind::CongestionNotice,
            _ => PacketKind::Acknowledgement,
        };
        self.counts.acknowledgements += u64::from(kind == PacketKind::Acknowledgement);
        self.counts.notices += u64::from(kind == PacketKind::CongestionNotice);
        let tag = self.packets.begin(cx.now, PacketOnLinks::Control(control));
        frames.hand_over(self.frame(flow, packet_bytes(kind, self.overhead), tag, false));
    }

    /// The next part of a flow waits for the flow's rate.
    fn waits_for_rate(&mut self, cx: &mut Context<'_>, flow: usize) {
        if let Some(part) = self.flows[flow].flow.next_part() {
            cx.ledger().enter_segment(request_of(&part.unit), segment::RATE);
        }
    }

    fn send(
        &mut self,
        cx: &mut Context<'_>,
        frames: &mut Frames,
        (number, flow): (usize, usize),
        packet: RdmaPacket,
    ) {
        self.nodes[number].sending |= 1 << self.class_of(flow);
        self.counts.data_packets += 1;
        let one_way = &mut self.flows[flow];
        self.counts.again += u64::from(one_way.flow.is_sent_before(packet));
        for part in one_way.flow.begin_packet(packet) {
            let request = request_of(&part.unit);
            cx.ledger().advance_unit(request, UnitStep::Leaves);
            cx.ledger().enter_segment(request, segment::RDMA);
        }
        let RdmaPacket { begin, end, operation, first, last, .. } = packet;
        let kind = PacketKind::Data { operation, payload: end - begin, first, last };
        let bytes = packet_bytes(kind, self.overhead);
        if let Some(rate) = &mut one_way.rate {
            one_way.may_send_at = cx.now + rate.time_of(bytes);
            rate.bytes_sent(bytes, &self.keys.dcqcn);
        }
        let tag = self.packets.begin(cx.now, PacketOnLinks::Data(flow as u32, packet));
        frames.hand_over(self.frame(flow, bytes, tag, true));
    }

    /// A packet has left its node.
    pub(crate) fn left(&mut self, cx: &mut Context<'_>, frames: &mut Frames, sent: EthernetFrame) {
        let node = usize::from(sent.from);
        self.nodes[node].sending &= !(1 << sent.class);
        if let PacketOnLinks::Data(flow, packet) = self.packets.left(sent.tag) {
            self.parts_left(cx, node, flow as usize, packet);
            self.start_timer(cx, flow as usize);
        }
        self.begin_packet(cx, frames, node);
    }

    /// Parts whose last byte has been sent for the first time have left the node.
    fn parts_left(&mut self, cx: &mut Context<'_>, node: usize, flow: usize, packet: RdmaPacket) {
        while let Some(part) = self.flows[flow].flow.next_sent_part(packet) {
            if part.unit.kind == PduKind::Data {
                self.nodes[node].unsent_frames -= 1;
                cx.send(node as u16, Message::Left(part.unit));
                if part.unit.last_of_data {
                    cx.send(node as u16, Message::Sent(part.unit));
                    // RDMA has no circuits, so a status has no circuit of its own.
                    cx.send(node as u16, Message::CircuitEnded);
                }
            }
        }
    }

    /// The sender waits for an acknowledgement from the first packet on that is not acknowledged.
    pub(super) fn start_timer(&mut self, cx: &mut Context<'_>, flow: usize) {
        let one_way = &mut self.flows[flow];
        if one_way.time_out.is_none() && one_way.flow.awaits_acknowledgement() {
            one_way.time_out = Some(cx.wake(cx.now + self.keys.time_out, timer::TIME_OUT, flow as u32));
        }
    }

    /// A sender has waited for too long.
    pub(super) fn timed_out(&mut self, cx: &mut Context<'_>, frames: &mut Frames, flow: usize) {
        self.counts.time_outs += 1;
        let OneWay { flow: of, time_out, from, .. } = &mut self.flows[flow];
        // The timer starts again when a packet has left.
        *time_out = None;
        if self.may_fail && cx.all_requests_are_back() {
            return; // The link may be dead for ever.
        }
        of.timed_out();
        let from = usize::from(*from);
        self.begin_packet(cx, frames, from);
        self.start_timer(cx, flow);
    }

    /// The rate of a flow makes a step by its timer.
    pub(super) fn rate_rises(&mut self, cx: &mut Context<'_>, frames: &mut Frames, flow: usize) {
        let keys = self.keys.dcqcn;
        let one_way = &mut self.flows[flow];
        one_way.rate_timer = None;
        let Some(rate) = &mut one_way.rate else { return };
        rate.timer_steps(&keys);
        if rate.is_limited() {
            one_way.rate_timer = Some(cx.wake(cx.now + keys.rate_interval, timer::RATE_RISES, flow as u32));
        }
        let from = usize::from(one_way.from);
        self.begin_packet(cx, frames, from);
    }

    /// A report of congestion arrives at the sender of a flow.
    pub(super) fn noticed(&mut self, cx: &mut Context<'_>, flow: usize) {
        let keys = self.keys.dcqcn;
        let one_way = &mut self.flows[flow];
        let Some(rate) = &mut one_way.rate else { return };
        rate.notice_arrives(cx.now, &keys);
        if let Some(key) = one_way.rate_timer.take() {
            cx.cancel_timer(key);
        }
        one_way.rate_timer = Some(cx.wake(cx.now + keys.rate_interval, timer::RATE_RISES, flow as u32));
    }
}
