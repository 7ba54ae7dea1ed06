//! A connection on a SCSI bus: its phases, its waits for data, and its end.

use super::catalogue::move_of;
use super::{Pdu, PduKind, ScsiBus, Span, kind_index, request_of, segment, wake, what};
use sansim_component::context::UnitStep;
use sansim_component::{Context, Message, MoveEnd, Movement, ObservableKind};
use sansim_kernel::{EventKey, Time};
use sansim_pdu::RequestTag;
use sansim_scsi::phases::{DISCONNECT_BYTES, OPENING_BYTES};

/// A phase of a connection that is in progress.
#[derive(Clone, Copy, Debug)]
struct Phase {
    frame: Pdu,
    from: usize,
    to: usize,
    begin: Time,
    end: Time,
}

/// The event that a connection waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaits {
    /// The connection waits for nothing: a phase is in progress, the next one is about to be chosen, or the connection is over.
    Nothing,
    /// The connection waits, since this time, for data or status of its I/O from either end.
    More(Time),
}

/// A connection on a SCSI bus.
#[derive(Clone, Debug)]
pub(super) struct Connection {
    /// The time at which the arbitration for the connection began.
    pub begin: Time,
    tag: RequestTag,
    /// The port that arbitrated, and the other port.
    ends: [usize; 2],
    phase: Option<Phase>,
    awaits: Awaits,
    /// The timer after which the target disconnects, if nothing is handed over before.
    disconnects: Option<EventKey>,
    /// Whether data have moved in the connection.
    has_data: bool,
    /// Whether the target has asked for data.
    asks: bool,
    /// The sums over the phases of the connection that are over.
    held: Span,
    data: Span,
}

impl Connection {
    pub fn new(begin: Time, tag: RequestTag, ends: [usize; 2]) -> Self {
        let (held, data) = (Span::ZERO, Span::ZERO);
        let (phase, awaits, disconnects) = (None, Awaits::Nothing, None);
        Self { begin, tag, ends, phase, awaits, disconnects, has_data: false, asks: false, held, data }
    }

    /// Whether a phase of the connection for the I/O of this frame is in progress.
    pub fn is_phase_in_progress(&self, frame: &Pdu) -> bool {
        self.tag == frame.tag && self.phase.is_some()
    }

    /// The time in which nothing moved during the connection.
    pub fn idle_connection_time(&self, now: Time) -> Span {
        match self.awaits {
            Awaits::More(since) => self.held + (now - since),
            Awaits::Nothing => self.held,
        }
    }

    /// The time in which data moved during the connection.
    pub fn data_transfer_time(&self, now: Time) -> Span {
        match &self.phase {
            Some(phase) if phase.frame.kind == PduKind::Data => {
                self.data + now.min(phase.end).saturating_since(phase.begin)
            }
            _ => self.data,
        }
    }
}

impl ScsiBus {
    /// The port that has won the bus begins the connection with the message that names the I/O.
    pub(super) fn selected(&mut self, cx: &mut Context<'_>) {
        let opening = self.times.control_bytes_time(OPENING_BYTES);
        self.next_phase(cx, opening);
    }

    /// Begins the next phase of the connection, after messages of this duration. Returns whether there is a
    /// next phase.
    fn next_phase(&mut self, cx: &mut Context<'_>, messages: Span) -> bool {
        let Some(Connection { tag, ends: [one, other], .. }) = self.connection else { return false };
        let mut found = None;
        for (from, to) in [(one, other), (other, one)] {
            if let Some(frame) = self.ports[from].take_first_matching(|frame| frame.tag == tag) {
                found = Some((frame, from, to));
                break;
            }
        }
        let Some((frame, from, to)) = found else { return false };
        cx.ledger().enter_segment(request_of(&frame), segment::PHASES);
        let begin = cx.now + messages;
        let end =
            begin + self.times.pdu_phase_time(&frame, &self.ports[from].transfer_nodes(&self.ports[to]));
        cx.ledger().advance_unit(request_of(&frame), UnitStep::Leaves);
        self.sent[kind_index(frame.kind)] += 1;
        if frame.kind == PduKind::Data {
            self.data_begin(cx, &frame, from, to, [begin, end]);
        }
        if let Some(connection) = &mut self.connection {
            connection.phase = Some(Phase { frame, from, to, begin, end });
        }
        if cx.wanted_sights().ports {
            let (request, bytes) = (Some(request_of(&frame)), frame.payload_bytes);
            let [from, to] = [from, to].map(|port| MoveEnd::Place(port as u16));
            let (lasts, arrives) = (end - begin, Some(begin));
            let kind = move_of(frame.kind);
            cx.report_observation(
                cx.now,
                ObservableKind::Moves(Movement {
                    kind,
                    from,
                    to,
                    began: begin,
                    lasts,
                    arrives,
                    request,
                    bytes,
                    hop: None,
                }),
            );
        }
        self.tell_head(cx, from);
        wake(cx, end, what::ENDED);
        true
    }

    /// A data phase begins; the sending node gets the times at which its outgoing FIFO empties.
    fn data_begin(
        &mut self,
        cx: &mut Context<'_>,
        frame: &Pdu,
        from: usize,
        to: usize,
        [begin, end]: [Time; 2],
    ) {
        let bytes = u64::from(frame.payload_bytes);
        self.used.bytes += bytes;
        if let Some(connection) = &mut self.connection {
            connection.has_data = true;
        }
        let port = &self.ports[from];
        let (pieces, ready) = (port.frame_buffers_needed(frame), port.pace.ready_frames);
        // All pieces of the data but the last are equally long.
        let piece =
            self.times.data_piece_time(port.pace.payload_bytes, &port.transfer_nodes(&self.ports[to]));
        let begins = |number: u64| (begin + piece * number).min(end);
        if !frame.write && pieces > ready {
            wake(cx, begins(pieces.saturating_sub(ready + 1)), what::HAS_ROOM);
        }
        wake(cx, begins(pieces - 1), what::LEFT);
    }

    /// The outgoing FIFO has room for the last piece of a sequence.
    pub(super) fn has_room(&mut self, cx: &mut Context<'_>) {
        if let Some(phase) = self.connection.as_ref().and_then(|connection| connection.phase) {
            cx.send(phase.from as u16, Message::LastUnitFits(phase.frame));
        }
    }

    /// The last piece of a sequence leaves the outgoing FIFO.
    pub(super) fn last_piece_begins(&mut self, cx: &mut Context<'_>) {
        if let Some(phase) = self.connection.as_ref().and_then(|connection| connection.phase) {
            cx.send(phase.from as u16, Message::Left(phase.frame));
        }
    }

    /// Ends a phase: its data are at the other end.
    pub(super) fn phase_ended(&mut self, cx: &mut Context<'_>) {
        let Some(connection) = &mut self.connection else { return };
        connection.data = connection.data_transfer_time(cx.now);
        let Some(Phase { frame, from, to, .. }) = connection.phase.take() else { return };
        self.received[kind_index(frame.kind)] += 1;
        self.ports[to].occupied += 1;
        if frame.kind == PduKind::Data && frame.last_of_data && !frame.write {
            cx.send(from as u16, Message::Sent(frame));
            // A SCSI bus has no circuits, so the status has no circuit of its own.
            cx.send(from as u16, Message::CircuitEnded);
        }
        cx.ledger().advance_unit(
            request_of(&frame),
            UnitStep::Arrives { wire: segment::PHASES, queue: segment::QUEUE },
        );
        cx.send(to as u16, Message::Received(frame));
        if matches!(frame.kind, PduKind::Response | PduKind::AbortAccept | PduKind::AbortReject) {
            self.clean_up(cx, Span::ZERO);
            return;
        }
        if let Some(connection) = &mut self.connection {
            connection.asks = frame.kind == PduKind::TransferReady;
        }
        wake(cx, cx.now, what::GOES_ON);
    }

    /// Continues a connection with the next phase, or lets it wait.
    pub(super) fn go_on(&mut self, cx: &mut Context<'_>) {
        if self.next_phase(cx, Span::ZERO) {
            return;
        }
        // A target that has asked for data waits for the data. Any other target waits for the time that the
        // scenario sets.
        let asks = self.connection.as_ref().is_some_and(|connection| connection.asks);
        match self.disconnect_after.filter(|_| !asks) {
            Some(Span::ZERO) => self.disconnect(cx),
            Some(after) => {
                self.hold(cx);
                let key = wake(cx, cx.now + after, what::DISCONNECTS);
                if let Some(connection) = &mut self.connection {
                    connection.disconnects = Some(key);
                }
            }
            None => self.hold(cx),
        }
    }

    fn hold(&mut self, cx: &Context<'_>) {
        if let Some(connection) = &mut self.connection {
            connection.awaits = Awaits::More(cx.now);
        }
    }

    /// Handles a unit that was handed over during a connection, which may have waited for the unit.
    pub(super) fn queued_in_connection(&mut self, cx: &mut Context<'_>, port: usize, frame: &Pdu) {
        let Some(connection) = &mut self.connection else { return };
        let is_awaited = connection.awaits != Awaits::Nothing
            && connection.tag == frame.tag
            && connection.ends.contains(&port);
        if !is_awaited {
            return;
        }
        connection.held = connection.idle_connection_time(cx.now);
        connection.awaits = Awaits::Nothing;
        if let Some(key) = connection.disconnects.take() {
            cx.cancel_timer(key);
        }
        wake(cx, cx.now, what::GOES_ON);
    }

    /// The target sends the message that it disconnects.
    pub(super) fn disconnect(&mut self, cx: &mut Context<'_>) {
        let Some(connection) = &mut self.connection else { return };
        connection.held = connection.idle_connection_time(cx.now);
        (connection.awaits, connection.disconnects) = (Awaits::Nothing, None);
        let messages = self.times.control_bytes_time(DISCONNECT_BYTES[usize::from(connection.has_data)]);
        self.clean_up(cx, messages);
    }

    /// All ports release the bus after messages of this duration.
    fn clean_up(&mut self, cx: &mut Context<'_>, messages: Span) {
        wake(cx, cx.now + messages + self.times.clean_up, what::FREE);
    }

    /// Frees the bus; ports with units in their queues arbitrate.
    pub(super) fn free(&mut self, cx: &mut Context<'_>) {
        self.used = self.used(cx.now);
        self.connection = None;
        self.arbitrate(cx);
    }
}
