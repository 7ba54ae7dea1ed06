//! The surroundings of a fabric: its events as timers, its notices as messages, the stages of its frames in the ledger, and its counts.

use super::gateways::WriteGateways;
use super::journeys::{FrameJourneys, OtherFrames};
use super::segments::{self, SwitchStage};
use crate::frames::{FRAME_KINDS, frame_index};
use sansim_component::context::UnitStep;
use sansim_component::incident_log::{IncidentKind, IncidentSubject};
use sansim_component::{Context, EventTurn, Message, ObservableKind, Timer};
use sansim_fabric::FabricHost;
use sansim_fabric::engine::probes::{FrameInFlight, FrameStage, PortObservation};
use sansim_fabric::engine::{FabricEvent, FrameWait, NodeEvent};
use sansim_fc::frame::{Frame, PduKind, RequestTag};
use sansim_kernel::{Time, Total};
use sansim_pdu::PortSight;
use sansim_request::{LossCause, RequestId};

/// The number of frames that have arrived, without data and with data, and the time for which they were in flight
/// in all.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ways {
    pub(super) frames: [u64; 2],
    pub(super) lasted: [Total; 2],
}

/// The frames of each kind, and bytes of data, that left nodes, arrived, and were lost.
#[derive(Clone, Debug, Default)]
pub(super) struct Balance {
    pub(super) sent: [u64; FRAME_KINDS.len()],
    pub(super) received: [u64; FRAME_KINDS.len()],
    pub(super) lost: [u64; FRAME_KINDS.len()],
    /// The data bytes that left nodes, and the data bytes that arrived or were lost.
    pub(super) data: [u64; 2],
}

impl Balance {
    /// The first word of a frame has left its node.
    #[inline]
    fn leaves(&mut self, frame: &Frame) {
        self.sent[frame_index(frame)] += 1;
        self.data[0] += data_bytes(frame);
    }

    /// The last word of a frame has arrived at its node.
    #[inline]
    fn arrives(&mut self, frame: &Frame) {
        self.received[frame_index(frame)] += 1;
        self.data[1] += data_bytes(frame);
    }
}

/// The kinds of a fabric's timers, by event.
pub(super) mod what {
    pub const HEADER: u8 = 0;
    pub const ARRIVED: u8 = 1;
    pub const LEFT: u8 = 2;
    pub const ROUTE: u8 = 3;
    pub const SEND: u8 = 4;
    pub const MARK: u8 = 5;
    pub const EXPIRE: u8 = 6;
    pub const OVERDUE: u8 = 7;
    pub const HEARS: u8 = 8;
    pub const OFFLINE: u8 = 9;
    pub const TIME_OUT: u8 = 10;
    pub const DRAINED: u8 = 11;
    pub const LOOK: u8 = 12;
    pub const DAMAGED: u8 = 13;
}

/// The fabric's view of the rest of the system.
pub(super) struct Around<'a, 'b> {
    pub(super) cx: &'a mut Context<'b>,
    pub(super) balance: &'a mut Balance,
    pub(super) crossings: &'a [bool],
    pub(super) journeys: &'a mut FrameJourneys,
    pub(super) ways: &'a mut Ways,
    pub(super) gateways: &'a mut Option<Box<WriteGateways>>,
}

pub(super) fn request_of(tag: RequestTag) -> RequestId {
    RequestId(tag.0)
}

/// The event of the fabric that belongs to a timer.
pub(super) fn event_of(timer: Timer) -> FabricEvent {
    match timer.what {
        what::HEADER => FabricEvent::Header(timer.number),
        what::ARRIVED => FabricEvent::Arrived(timer.number),
        what::LEFT => FabricEvent::Left(timer.number),
        what::ROUTE => FabricEvent::Route(timer.number),
        what::MARK => FabricEvent::Mark(timer.number),
        what::EXPIRE => FabricEvent::Expire(timer.number),
        what::OVERDUE => FabricEvent::Overdue(timer.number as u16),
        what::HEARS => FabricEvent::Hears(timer.number),
        what::OFFLINE => FabricEvent::Offline(timer.number),
        what::TIME_OUT => FabricEvent::TimeOut(timer.number),
        what::DRAINED => FabricEvent::Drained(timer.number as u16),
        what::LOOK => FabricEvent::Look(timer.number),
        what::DAMAGED => FabricEvent::Damaged(timer.number as u16),
        _ => FabricEvent::Send(timer.number),
    }
}

impl FabricHost for Around<'_, '_> {
    #[inline]
    fn schedule(&mut self, at: Time, event: FabricEvent, unit: u32) {
        let (what, number) = match event {
            FabricEvent::Header(held) => (what::HEADER, held),
            FabricEvent::Arrived(held) => (what::ARRIVED, held),
            FabricEvent::Left(port) => (what::LEFT, port),
            FabricEvent::Route(switch) => (what::ROUTE, switch),
            FabricEvent::Send(port) => (what::SEND, port),
            FabricEvent::Mark(port) => (what::MARK, port),
            FabricEvent::Expire(port) => (what::EXPIRE, port),
            FabricEvent::Overdue(node) => (what::OVERDUE, node.into()),
            FabricEvent::Hears(port) => (what::HEARS, port),
            FabricEvent::Offline(port) => (what::OFFLINE, port),
            FabricEvent::TimeOut(port) => (what::TIME_OUT, port),
            FabricEvent::Drained(node) => (what::DRAINED, node.into()),
            FabricEvent::Look(port) => (what::LOOK, port),
            FabricEvent::Damaged(node) => (what::DAMAGED, node.into()),
        };
        self.cx.set_timer(
            at,
            EventTurn { priority: event.priority(), unit },
            Timer { what, place: 0, number },
        );
    }

    /// A fabric has no circuits, so only the end of a node's data matters, and to a port to another network the end of each frame. Observers
    /// of gauges read them when a frame has left. The numbers of the controllers of switches follow those of the nodes.
    #[inline]
    fn notices_sent(&self, node: u16, frame: &Frame) -> bool {
        let crosses = self.crossings.get(usize::from(node)).is_some_and(|&crosses| crosses);
        frame.last_of_data || crosses || self.cx.wanted_sights().gauges
    }

    #[cold]
    fn is_quarantined(&mut self, node: u16) {
        let now = self.cx.now;
        self.cx.failures().report_incident(IncidentKind::Quarantine, now, IncidentSubject::Node(node));
    }

    #[inline]
    fn observes(&self) -> bool {
        let wanted = self.cx.wanted_sights();
        wanted.gauges || wanted.ports || wanted.requests
    }

    #[inline]
    fn coming(&mut self, at: Time, node: u16, frame: &Frame) {
        if self.cx.wanted_sights().ports && !self.is_gateway(node) {
            self.cx.report_observation(at, ObservableKind::Port(node, PortSight::Received((*frame).into())));
        }
    }

    fn stage(&mut self, now: Time, traveller: &FrameInFlight<'_>, stage: FrameStage) {
        let &FrameInFlight { journey, hop, frame } = traveller;
        let (request, cx, ways) = (frame.tag.0, &mut *self.cx, &mut *self.journeys);
        let id = request_of(frame.tag);
        let segment = match stage {
            FrameStage::Leaves { last } => {
                let segment = if last {
                    segments::last_link_segment(frame)
                } else {
                    segments::at(frame, hop + 1, SwitchStage::Link)
                };
                if hop == 0 {
                    if ways.frame_left_node(now, request, journey, segment) {
                        cx.ledger().enter_segment(id, segment);
                    }
                    return;
                }
                segment
            }
            FrameStage::Header => segments::at(frame, hop, SwitchStage::Routing),
            FrameStage::Routed(_) | FrameStage::BehindOthers => segments::at(frame, hop, SwitchStage::Output),
            FrameStage::Served { came, ready } => {
                let output = segments::at(frame, hop, SwitchStage::Output);
                let link = ways.frame_segment(journey);
                if let Some(since) = ways.frame_served(now, request, journey, output) {
                    let routing = segments::at(frame, hop, SwitchStage::Routing);
                    cx.ledger().reattribute_time(id, link, routing, now.saturating_since(came.max(since)));
                    cx.ledger().enter_segment(id, output);
                }
                if ready > now {
                    ways.switch_works_until(journey, ready);
                }
                return;
            }
            FrameStage::WithoutCredit => segments::credit_wait_segment(frame),
            FrameStage::Over { received } => {
                if received {
                    let class = usize::from(frame.kind == PduKind::Data);
                    self.ways.frames[class] += 1;
                    self.ways.lasted[class] += self.journeys.time_in_flight(now, journey);
                    self.journeys.frame_arrived(journey, frame);
                }
                self.journey_ends(now, traveller);
                return;
            }
        };
        // While the switch still worked on the frame, the frame did not yet wait for its output.
        let worked = ways.switch_work_time(now, request, journey);
        if !worked.is_zero() {
            cx.ledger().reattribute_time(
                id,
                ways.frame_segment(journey),
                segments::at(frame, hop, SwitchStage::Routing),
                worked,
            );
        }
        if ways.frame_advanced(now, request, journey, segment) {
            cx.ledger().enter_segment(id, segment);
        }
        if let FrameStage::Routed(until) = stage
            && until > now
        {
            ways.switch_works_until(journey, until);
        }
    }

    fn is_stuck(&mut self) {
        self.cx.failures().stop_run_with_fault();
    }

    fn at_port(&mut self, at: Time, place: u16, what: PortObservation) {
        if self.cx.wanted_sights().ports {
            let sight = match what {
                PortObservation::Sent(frame) => ObservableKind::Port(place, PortSight::Sent(frame.into())),
                PortObservation::Received(frame) => {
                    ObservableKind::Port(place, PortSight::Received(frame.into()))
                }
                PortObservation::Buffered(buffer, frame) => {
                    ObservableKind::Buffered(place, buffer, frame.into())
                }
                PortObservation::Freed(buffer) => ObservableKind::Freed(place, buffer),
            };
            self.cx.report_observation(at, sight);
        }
    }

    #[inline]
    fn changed(&mut self, place: u16) {
        if self.cx.wanted_sights().gauges {
            self.cx.report_observation(self.cx.now, ObservableKind::Changed(place));
        }
    }

    fn upcall(&mut self, now: Time, node: u16, upcall: NodeEvent) {
        let cx = &mut *self.cx;
        match upcall {
            NodeEvent::Started(frame) => {
                self.leaves(now, node, &frame);
                if frame.kind == PduKind::Data && usize::from(node) < self.crossings.len() {
                    self.cx.send(node, Message::Left(frame.pdu));
                }
            }
            NodeEvent::StartedBefore(frame, next) => {
                self.leaves(now, node, &frame);
                self.cx.requests().units_queued(request_of(next), 1);
            }
            NodeEvent::Sent(frame) => {
                let Some(&crosses) = self.crossings.get(usize::from(node)) else { return };
                // A fabric has no circuits; an adapter that waits for the end of a circuit need not wait.
                if crosses {
                    cx.send(node, Message::Sent(frame.pdu));
                } else if frame.last_of_data {
                    cx.send(node, Message::Sent(frame.pdu));
                    cx.send(node, Message::CircuitEnded);
                }
            }
            NodeEvent::Received(frame) => {
                self.balance.arrives(&frame);
                let is_outdated = self.journeys.is_outdated();
                let Some(&crosses) = self.crossings.get(usize::from(node)) else {
                    if let Some(gateways) = self.gateways {
                        gateways.arrives(node, frame, is_outdated);
                    }
                    return;
                };
                if frame.class_2 {
                    // The record of the request is kept until the ACK of the frame has arrived.
                    cx.keep_record(request_of(frame.tag));
                }
                if is_outdated && !crosses {
                    cx.send(node, Message::Outdated(frame.pdu));
                } else {
                    cx.send(node, Message::Received(frame.pdu));
                }
            }
            NodeEvent::Accepted(frame) => {
                self.balance.arrives(&frame);
                let request = request_of(frame.tag);
                self.cx.ledger().advance_unit(request, UnitStep::Taken);
                self.cx.ledger().advance_unit(request, UnitStep::AllIn);
            }
            NodeEvent::Taken(frame) => {
                self.balance.received[frame_index(&frame)] += 1;
                cx.release_record(request_of(frame.tag));
            }
            NodeEvent::Copied(frame) => {
                // Each copy arrives, or is lost, as a frame that a node sent.
                self.balance.sent[frame_index(&frame)] += 1;
                self.balance.data[0] += data_bytes(&frame);
                cx.keep_record(request_of(frame.tag));
            }
            NodeEvent::Refused(frame) => {
                self.balance.sent[frame_index(&frame)] += 1;
                cx.keep_record(request_of(frame.tag));
            }
            NodeEvent::Lost(frame) => {
                self.balance.lost[frame_index(&frame)] += 1;
                self.balance.data[1] += data_bytes(&frame);
                let request = request_of(frame.tag);
                if !frame.kind.belongs_to_request() {
                    cx.release_record(request);
                    return;
                }
                cx.ledger().advance_unit(request, UnitStep::Taken);
                cx.failures().lose_request(request, LossCause::FrameLost);
                cx.ledger().locate_request(request, segments::LOST);
            }
            // The frames of a request may wait at its node and at a gateway; those at a gateway are in the segment of the gateway.
            NodeEvent::Waits(..) if self.gateways.is_some() && usize::from(node) >= self.crossings.len() => {}
            NodeEvent::Waits(tag, FrameWait::Credit) => {
                if self.journeys.credit_wait_begins(tag.0) {
                    cx.ledger().enter_segment(request_of(tag), segments::CREDIT);
                }
            }
            NodeEvent::Noticed(notice) => {
                // A port between networks has no driver that reacts.
                if self.crossings.get(usize::from(node)) == Some(&false) {
                    cx.send(node, Message::Noticed(notice));
                }
            }
            NodeEvent::Waits(tag, FrameWait::Way) => self.journeys.credit_wait_ends(tag.0),
        }
    }
}

impl Around<'_, '_> {
    /// The first word of a frame has left a node.
    #[inline]
    fn leaves(&mut self, now: Time, node: u16, frame: &Frame) {
        self.balance.leaves(frame);
        if frame.kind.belongs_to_request() {
            self.cx.ledger().advance_unit(request_of(frame.tag), UnitStep::Leaves);
        }
        if self.cx.wanted_sights().ports && !self.is_gateway(node) {
            self.cx.report_observation(now, ObservableKind::Port(node, PortSight::Sent((*frame).into())));
        }
    }

    /// Whether a node is a gateway and no station.
    fn is_gateway(&self, node: u16) -> bool {
        usize::from(node) >= self.crossings.len()
    }

    /// The next frame of the request is the foremost, or none is in flight; in that case the frames that wait at the node determine
    /// the stage of the request.
    fn journey_ends(&mut self, now: Time, traveller: &FrameInFlight<'_>) {
        let &FrameInFlight { journey, frame, .. } = traveller;
        let id = request_of(frame.tag);
        let segment = self.journeys.frame_segment(journey);
        let others = self.journeys.frame_gone(now, frame.tag.0, journey);
        let queue = if others == OtherFrames::Wait { segments::CREDIT } else { segments::QUEUE };
        self.cx.ledger().advance_unit(id, UnitStep::Arrives { wire: segment, queue });
        if let OtherFrames::At(next) = others {
            self.cx.ledger().enter_segment(id, next);
        }
    }
}

pub(super) fn data_bytes(frame: &Frame) -> u64 {
    if frame.kind == PduKind::Data { frame.payload_bytes.into() } else { 0 }
}
