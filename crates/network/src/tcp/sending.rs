//! The sender of a TCP connection: segments, the software that builds them, the link.

use super::catalogue::{ACK, move_of};
use super::segment_pool::SegmentOnLinks;
use super::{
    BytesInOne, EthernetFrame, Frames, LONGEST_WAIT, Message, OneWay, TcpEndpoints, Timers, back, request_of,
    segment, timer,
};
use sansim_component::context::UnitStep;
use sansim_component::{Context, ObservableKind};
use sansim_kernel::Time;
use sansim_pdu::{Pdu, PduKind, PortSight, SegmentSight, StreamUnitSight};
use sansim_request::RequestId;
use sansim_tcp::costs::{SoftwareJob, TcpSegment};
use sansim_tcp::stream::{SenderReaction, SenderWait, StreamPiece};

impl TcpEndpoints {
    /// The node of a port hands over a message.
    pub(super) fn enqueue(&mut self, cx: &mut Context<'_>, frames: &mut Frames, port: usize, frame: Pdu) {
        let Some(to) = self.node_at(frame.destination) else { return };
        let header = self.keys.message_header + frame.stream_part.header_bytes();
        let bytes = u64::from(frame.payload_bytes) + header;
        let stream = self.connections.stream(port, to, &self.rules);
        // At least one byte is sent even for a message without content.
        self.connections.all[stream].stream.send_message(&self.rules, cx.now, frame, bytes.max(1));
        if cx.wanted_sights().ports {
            self.show_unit(cx, stream, frame, bytes.max(1));
        }
        self.counts.handed += 1;
        self.nodes[port].unsent_frames += u64::from(frame.kind == PduKind::Data);
        self.send(cx, frames, stream);
    }

    /// Sends all segments of a stream that may be sent.
    pub(super) fn send(&mut self, cx: &mut Context<'_>, frames: &mut Frames, stream: usize) {
        loop {
            let OneWay { stream: bytes, from, .. } = &self.connections.all[stream];
            match bytes.next_piece(&self.rules, self.nodes[usize::from(*from)].is_adapter_stuck()) {
                Ok(piece) => {
                    self.connections.all[stream].stream.piece_sent(&self.rules, cx.now, piece);
                    self.make(cx, frames, stream, piece);
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
    fn make(&mut self, cx: &mut Context<'_>, frames: &mut Frames, stream: usize, piece: StreamPiece) {
        let OneWay { from, to, .. } = self.connections.all[stream];
        self.nodes[usize::from(from)].made += 1;
        self.counts.data_frames += 1;
        self.counts.again += u64::from(piece.again);
        let StreamPiece { begin, end, again } = piece;
        let is_joined = !again && self.joins_segment(cx.now, stream, begin, end);
        let frame = TcpSegment { begin, end, is_joined, ..TcpSegment::empty(stream as u32, to) };
        self.work(cx, frames, from.into(), SoftwareJob::Send(frame));
    }

    /// Whether the software of a node hands these bytes over together with those before them, and the adapter cuts them.
    fn joins_segment(&mut self, now: Time, stream: usize, begin: u64, end: u64) -> bool {
        let most = self.nodes[usize::from(self.connections.all[stream].from)].costs.sends_in_one;
        let in_one = &mut self.connections.all[stream].in_one;
        let joins = most > 0 && in_one.at == now && in_one.end == begin && end - in_one.begin <= most;
        *in_one = BytesInOne { at: now, begin: if joins { in_one.begin } else { begin }, end };
        joins
    }

    /// Retransmits a segment that the receiver may be missing.
    pub(super) fn send_again(
        &mut self,
        cx: &mut Context<'_>,
        frames: &mut Frames,
        stream: usize,
        done: SenderReaction,
    ) {
        if let SenderReaction::Missing(piece) = done {
            self.make(cx, frames, stream, piece);
        }
    }

    /// The software of a receiver makes a frame with nothing but an acknowledgement of a stream.
    pub(super) fn acknowledges(&mut self, cx: &mut Context<'_>, frames: &mut Frames, stream: usize) {
        let one_way = &mut self.connections.all[stream];
        if let Some(key) = one_way.delayed.take() {
            cx.cancel_timer(key);
        }
        let (ack, echo) = (one_way.stream.acknowledgement_sent(), one_way.stream.echoes());
        let blocks = one_way.stream.blocks();
        let (from, to) = (one_way.to, one_way.from);
        self.counts.acks += 1;
        let frame = TcpSegment { ack, echo, blocks, ..TcpSegment::empty(back(stream) as u32, to) };
        self.work(cx, frames, from.into(), SoftwareJob::Send(frame));
    }

    /// A frame waits for the port of a node.
    pub(super) fn put_on_link(
        &mut self,
        cx: &mut Context<'_>,
        frames: &mut Frames,
        node: usize,
        frame: TcpSegment,
    ) {
        self.nodes[node].out.push_back(frame);
        self.begin_frame(cx, frames, node);
    }

    /// The node hands the first frame that waits over to its port, of a class of which the port has none.
    fn begin_frame(&mut self, cx: &mut Context<'_>, frames: &mut Frames, node: usize) {
        let sending = self.nodes[node].sending;
        if sending != 0 && self.classes.is_empty() {
            return;
        }
        let may_begin = |frame: &TcpSegment| sending & 1 << self.class_between(node, frame.to.into()) == 0;
        let Some(place) = self.nodes[node].out.iter().position(may_begin) else { return };
        let Some(mut frame) = self.nodes[node].out.remove(place) else { return };
        let class = self.class_between(node, frame.to.into());
        let stream = frame.stream as usize;
        let has_data = !frame.is_bare_acknowledgement();
        if has_data {
            // A frame with data acknowledges all bytes that have arrived by now, so that no separate
            // acknowledgement is needed.
            let other = &mut self.connections.all[back(stream)];
            (frame.ack, frame.echo) = (other.stream.acknowledgement_sent(), other.stream.echoes());
            frame.blocks = other.stream.blocks();
            if let Some(key) = other.delayed.take() {
                cx.cancel_timer(key);
            }
        }
        frame.reduced = has_data && self.connections.all[stream].stream.says_reduced();
        self.nodes[node].sending |= 1 << class;
        self.messages_begin(cx, stream, frame.end);
        frames.hand_over(EthernetFrame {
            tag: self.segments.begin(cx.now, frame),
            flow: self.connections.all[stream].flow,
            bytes: self.format.frame_bytes(frame.data_bytes()) as u32,
            from: node as u16,
            to: frame.to,
            class,
            may_be_marked: has_data && self.heeds_marks(),
            is_marked: false,
        });
    }

    /// The class of the frames between two nodes.
    fn class_between(&self, one: usize, other: usize) -> u8 {
        self.classes.get(one).map_or(0, |of_one| of_one[other])
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

    /// A frame has left its node.
    pub(crate) fn left(&mut self, cx: &mut Context<'_>, frames: &mut Frames, sent: EthernetFrame) {
        let (node, frame) = (usize::from(sent.from), self.segments.left(sent.tag).segment);
        self.nodes[node].sending &= !(1 << sent.class);
        self.nodes[node].made -= u32::from(!frame.is_bare_acknowledgement());
        self.messages_left(cx, node, frame);
        self.start_timer(cx, frame);
        self.begin_frame(cx, frames, node);
        if self.nodes[node].is_adapter_stuck() {
            let from_it = |&stream: &usize| usize::from(self.connections.all[stream].from) == node;
            if let Some(stream) =
                (0..self.connections.all.len()).filter(from_it).find(|&stream| self.may_send(stream))
            {
                self.send(cx, frames, stream);
            }
        }
    }

    /// A frame is lost.
    pub(crate) fn lost(&mut self, lost: EthernetFrame) {
        self.segments.over(lost.tag);
    }

    /// Whether a segment of a stream may be sent.
    fn may_send(&self, stream: usize) -> bool {
        let OneWay { stream: bytes, from, .. } = &self.connections.all[stream];
        bytes.next_piece(&self.rules, self.nodes[usize::from(*from)].is_adapter_stuck()).is_ok()
    }

    /// Shows a unit that a node has handed over to a stream.
    #[cold]
    fn show_unit(&self, cx: &mut Context<'_>, number: usize, unit: Pdu, bytes: u64) {
        let OneWay { stream, from, to, .. } = &self.connections.all[number];
        let (begin, end) = (stream.handed - bytes, stream.handed);
        let sight = StreamUnitSight { unit, stream: number as u32, to: *to, begin, end };
        cx.report_observation(cx.now, ObservableKind::Port(*from, PortSight::HandedToStream(sight)));
    }

    /// The segment of a frame, as observers see it.
    pub(crate) fn segment_sight(&self, frame: EthernetFrame) -> SegmentSight {
        let segment = self.segments.on_links(frame.tag).segment;
        SegmentSight {
            stream: segment.stream,
            begin: segment.begin,
            end: segment.end,
            acknowledged: segment.ack,
            header_bytes: self.format.headers as u16,
            window: self.rules.window,
            beyond_gaps: segment.blocks,
            echoes_mark: segment.echo,
            has_reduced: segment.reduced,
        }
    }

    /// The kind of a frame's move, its request, its bytes of data, and the time at which it began to leave its node.
    pub(crate) fn moving_content(&self, frame: EthernetFrame) -> (u8, Option<RequestId>, u32, Time) {
        let SegmentOnLinks { segment, began, .. } = self.segments.on_links(frame.tag);
        if segment.is_bare_acknowledgement() {
            return (ACK, None, 0, began);
        }
        let messages = &self.connections.all[segment.stream as usize].stream.messages;
        let first = messages.iter().find(|message| (message.begin..message.end).contains(&segment.begin));
        let kind = move_of(first.map(|message| message.frame.kind));
        let request = first.map(|message| request_of(&message.frame));
        (kind, request, segment.data_bytes() as u32, began)
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
        one_way.time_out = Some(cx.wake(cx.now + one_way.waits, timer::TIME_OUT, frame.stream));
    }

    /// Handles a retransmission time-out.
    pub(super) fn timed_out(&mut self, cx: &mut Context<'_>, frames: &mut Frames, stream: usize) {
        self.counts.time_outs += 1;
        let one_way = &mut self.connections.all[stream];
        one_way.waits = (one_way.waits * 2).min(LONGEST_WAIT);
        // The timer starts again when the frame has left.
        one_way.time_out = None;
        if self.may_fail && cx.all_requests_are_back() {
            return; // The link may be dead for ever.
        }
        let reaction = one_way.stream.timed_out(&self.rules);
        self.send_again(cx, frames, stream, reaction);
        if reaction == SenderReaction::More {
            self.send(cx, frames, stream);
        }
    }
}
