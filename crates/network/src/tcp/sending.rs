//! The sender of a TCP connection: segments, the software that builds them, the link.

use super::catalogue::{ACK, move_of};
use super::node::Node;
use super::{LONGEST_WAIT, Message, OneWay, TcpNetwork, back, request_of, segment, wake, what};
use sansim_component::context::UnitStep;
use sansim_component::{Context, MoveEnd, Movement, ObservableKind};
use sansim_kernel::{TICKS_PER_NS, Time};
use sansim_pdu::{Pdu, PduKind};
use sansim_tcp::costs::{SoftwareJob, TcpSegment};
use sansim_tcp::stream::{SenderReaction, SenderWait, StreamPiece};

impl TcpNetwork {
    /// The node of a port hands over a message.
    pub(super) fn enqueue(&mut self, cx: &mut Context<'_>, port: usize, frame: Pdu) {
        let Some(to) = self.node_at(frame.destination) else { return };
        let header = self.parameters.message_header + frame.stream_part.header_bytes();
        let bytes = u64::from(frame.payload_bytes) + header;
        let stream = self.connections.stream(port, to, &self.rules);
        // At least one byte is sent even for a message without content.
        self.connections.all[stream].stream.send_message(&self.rules, cx.now, frame, bytes.max(1));
        self.counts.handed += 1;
        self.nodes[port].unsent_frames += u64::from(frame.kind == PduKind::Data);
        self.send(cx, stream);
    }

    /// Sends all segments of a stream that may be sent.
    pub(super) fn send(&mut self, cx: &mut Context<'_>, stream: usize) {
        loop {
            let OneWay { stream: bytes, from, .. } = &self.connections.all[stream];
            match bytes.next_piece(&self.rules, self.nodes[usize::from(*from)].is_adapter_stuck()) {
                Ok(piece) => {
                    self.connections.all[stream].stream.piece_sent(&self.rules, cx.now, piece);
                    self.make(cx, stream, piece);
                }
                Err(SenderWait::ForWindow) => {
                    if let Some(frame) = bytes.waits_for_window() {
                        cx.ledger().enter_segment(request_of(&frame), segment::WINDOW);
                    }
                    return;
                }
                Err(SenderWait::ForBytes) => return,
            }
        }
    }

    /// The software of the sender makes a frame.
    fn make(&mut self, cx: &mut Context<'_>, stream: usize, piece: StreamPiece) {
        let OneWay { from, to, .. } = self.connections.all[stream];
        self.nodes[usize::from(from)].made += 1;
        self.counts.data_frames += 1;
        self.counts.again += u64::from(piece.again);
        let StreamPiece { begin, end, .. } = piece;
        let frame = TcpSegment { begin, end, ..TcpSegment::empty(stream as u32, to) };
        self.work(cx, from.into(), SoftwareJob::Send(frame));
    }

    /// Retransmits a segment that the receiver may be missing.
    pub(super) fn send_again(&mut self, cx: &mut Context<'_>, stream: usize, done: SenderReaction) {
        if let SenderReaction::Missing(piece) = done {
            self.make(cx, stream, piece);
        }
    }

    /// The software of a receiver makes a frame with nothing but an acknowledgement of a stream.
    pub(super) fn acknowledges(&mut self, cx: &mut Context<'_>, stream: usize) {
        let one_way = &mut self.connections.all[stream];
        if let Some(key) = one_way.delayed.take() {
            cx.cancel_timer(key);
        }
        let (ack, echo) = (one_way.stream.acknowledgement_sent(), one_way.stream.echoes());
        let blocks = one_way.stream.blocks();
        let (from, to) = (one_way.to, one_way.from);
        self.counts.acks += 1;
        let frame = TcpSegment { ack, echo, blocks, ..TcpSegment::empty(back(stream) as u32, to) };
        self.work(cx, from.into(), SoftwareJob::Send(frame));
    }

    /// A frame waits for the link of a node.
    pub(super) fn put_on_link(&mut self, cx: &mut Context<'_>, node: usize, frame: TcpSegment) {
        self.nodes[node].out.push_back(frame);
        if self.nodes[node].out_until.is_none() {
            self.begin_frame(cx, node);
        }
    }

    /// The first frame that waits for the link of a node begins.
    fn begin_frame(&mut self, cx: &mut Context<'_>, node: usize) {
        let Some(frame) = self.nodes[node].out.front_mut() else { return };
        let stream = frame.stream as usize;
        if !frame.is_bare_acknowledgement() {
            // A frame with data acknowledges all bytes that have arrived by now, so that no separate
            // acknowledgement is needed.
            let other = &mut self.connections.all[back(stream)];
            (frame.ack, frame.echo) = (other.stream.acknowledgement_sent(), other.stream.echoes());
            frame.blocks = other.stream.blocks();
            if let Some(key) = other.delayed.take() {
                cx.cancel_timer(key);
            }
        }
        frame.reduced =
            !frame.is_bare_acknowledgement() && self.connections.all[stream].stream.says_reduced();
        let frame = *frame;
        let takes = self.parameters.frame_time(frame.data_bytes());
        let until = cx.now + takes;
        let node_at = &mut self.nodes[node];
        (node_at.out_until, node_at.sent) = (Some(until), node_at.sent + takes);
        self.messages_begin(cx, stream, frame.end);
        wake(cx, until, what::LEFT, node as u32);
    }

    /// Messages whose first byte is sent for the first time are in flight from now on.
    fn messages_begin(&mut self, cx: &mut Context<'_>, stream: usize, upto: u64) {
        let bytes = &mut self.connections.all[stream].stream;
        while let Some(message) = bytes.messages.get(bytes.begun)
            && message.begin < upto
        {
            bytes.begun += 1;
            cx.ledger().advance_unit(request_of(&message.frame), UnitStep::Leaves);
            cx.ledger().enter_segment(request_of(&message.frame), segment::UNDER_WAY);
        }
    }

    /// A frame has left a node: the switch has it, unless it is lost.
    pub(super) fn frame_left(&mut self, cx: &mut Context<'_>, node: usize) {
        let Some(frame) = self.nodes[node].out.pop_front() else { return };
        self.nodes[node].out_until = None;
        self.nodes[node].made -= u32::from(!frame.is_bare_acknowledgement());
        self.messages_left(cx, node, frame);
        self.start_timer(cx, frame);
        let loss = self.parameters.frame_loss;
        if self.losses.as_mut().is_some_and(|random| random.chance(loss)) {
            self.counts.lost += 1;
            self.show_frame(cx, node, frame, None);
        } else {
            self.pass_on(cx, node, frame);
        }
        if self.nodes[node].out_until.is_none() {
            self.begin_frame(cx, node);
        }
        if self.nodes[node].is_adapter_stuck() {
            let from_it = |&stream: &usize| usize::from(self.connections.all[stream].from) == node;
            if let Some(stream) =
                (0..self.connections.all.len()).filter(from_it).find(|&stream| self.may_send(stream))
            {
                self.send(cx, stream);
            }
        }
    }

    /// Whether a segment of a stream may be sent.
    fn may_send(&self, stream: usize) -> bool {
        let OneWay { stream: bytes, from, .. } = &self.connections.all[stream];
        bytes.next_piece(&self.rules, self.nodes[usize::from(*from)].is_adapter_stuck()).is_ok()
    }

    /// The bytes that wait at the switch for the link to a node, the rest of the frame on the link among them.
    pub(super) fn waiting_bytes(&self, node: &Node, at: Time) -> u64 {
        let ticks = u128::from(node.in_free.saturating_since(at).ticks());
        let bytes = ticks * u128::from(self.parameters.rate) / u128::from(TICKS_PER_NS * 1_000_000_000);
        u64::try_from(bytes).unwrap_or(u64::MAX)
    }

    /// The switch passes a frame on by the link of its destination node, if its buffer has room for the frame.
    fn pass_on(&mut self, cx: &mut Context<'_>, node: usize, mut frame: TcpSegment) {
        let takes = self.parameters.frame_time(frame.data_bytes());
        let arrives = cx.now + self.parameters.latency;
        let waiting = self.waiting_bytes(&self.nodes[usize::from(frame.to)], arrives);
        let bytes = self.parameters.frame_bytes(frame.data_bytes());
        if self.parameters.buffer.is_some_and(|room| waiting + bytes > room) {
            self.counts.dropped += 1;
            self.show_frame(cx, node, frame, None);
            return;
        }
        if self.parameters.mark_above.is_some_and(|most| waiting > most) && !frame.is_bare_acknowledgement() {
            frame.is_marked = true;
            self.counts.marked += 1;
        }
        let to = &mut self.nodes[usize::from(frame.to)];
        let begins: Time = to.in_free.max(arrives);
        to.in_free = begins + takes;
        to.coming.push_back(frame);
        wake(cx, begins + takes, what::ARRIVED, frame.to.into());
        self.show_frame(cx, node, frame, Some(begins));
    }

    /// Shows a frame that has left a node just now, and arrives at its receiver from this time on.
    fn show_frame(&self, cx: &mut Context<'_>, node: usize, frame: TcpSegment, arrives: Option<Time>) {
        if !cx.wanted_sights().ports {
            return;
        }
        let messages = &self.connections.all[frame.stream as usize].stream.messages;
        let first = messages.iter().find(|message| (message.begin..message.end).contains(&frame.begin));
        let lasts = self.parameters.frame_time(frame.data_bytes());
        let movement = Movement {
            kind: if frame.is_bare_acknowledgement() {
                ACK
            } else {
                move_of(first.map(|message| message.frame.kind))
            },
            from: MoveEnd::Place(node as u16),
            to: MoveEnd::Place(frame.to),
            began: cx.now - lasts,
            lasts,
            arrives,
            request: first
                .filter(|_| !frame.is_bare_acknowledgement())
                .map(|message| request_of(&message.frame)),
            bytes: frame.data_bytes() as u32,
        };
        cx.report_observation(cx.now, ObservableKind::Moves(movement));
    }

    /// Messages whose last byte has been sent for the first time have left the node.
    fn messages_left(&mut self, cx: &mut Context<'_>, node: usize, frame: TcpSegment) {
        loop {
            let bytes = &mut self.connections.all[frame.stream as usize].stream;
            let Some(&message) = bytes.messages.get(bytes.sent).filter(|message| message.end <= frame.end)
            else {
                break;
            };
            bytes.sent += 1;
            let frame = message.frame;
            if frame.kind == PduKind::Data {
                self.nodes[node].unsent_frames -= 1;
                cx.send(node as u16, Message::Left(frame));
                if frame.last_of_data {
                    cx.send(node as u16, Message::Sent(frame));
                    // TCP has no circuits, so a status has no circuit of its own.
                    cx.send(node as u16, Message::CircuitEnded);
                }
            }
        }
    }

    /// The sender waits for an acknowledgement from the first unacknowledged frame on.
    fn start_timer(&mut self, cx: &mut Context<'_>, frame: TcpSegment) {
        let one_way = &mut self.connections.all[frame.stream as usize];
        if frame.is_bare_acknowledgement()
            || one_way.stream.is_all_acknowledged()
            || one_way.time_out.is_some()
        {
            return;
        }
        one_way.time_out = Some(wake(cx, cx.now + one_way.waits, what::TIME_OUT, frame.stream));
    }

    /// Handles a retransmission time-out.
    pub(super) fn timed_out(&mut self, cx: &mut Context<'_>, stream: usize) {
        self.counts.time_outs += 1;
        let one_way = &mut self.connections.all[stream];
        one_way.waits = (one_way.waits * 2).min(LONGEST_WAIT);
        // The timer starts again when the frame has left.
        one_way.time_out = None;
        let reaction = one_way.stream.timed_out(&self.rules);
        self.send_again(cx, stream, reaction);
        if reaction == SenderReaction::More {
            self.send(cx, stream);
        }
    }
}
