//! Write acceleration: the gateway near the initiator asks for the data of a write itself, and the gateway near the target keeps the data
//! until the target asks for them.
//!
//! Longer than 500 lines: both gateways handle each frame of a write by the same state.
//!
//! Source: Cisco MDS 9000, I/O Accelerator and FCIP write acceleration: the near gateway sends FCP_XFER_RDY for all data at once, the far
//! one answers those of the target, and FCP_RSP comes from the target, so that no write is done before the target has it. An exchange then
//! takes one round trip over the distance instead of two.
//!
//! Switches redirect the frames of write exchanges between the sites to the port of the near gateway, then to that of the far one, and back.
//! Each gateway receives a frame whole and sends it at once; so frames of an exchange that a gateway passes on unchanged keep their order.
//! ABTS takes the same way, so that nothing of an aborted exchange is sent to the target after it; BA_ACC and BA_RJT go directly.
//!
//! | frame | near the initiator | near the target |
//! |---|---|---|
//! | FCP_CMND | reserves room for the data at the far gateway, sends FCP_XFER_RDY, and passes it on | passes it on |
//! | FCP_DATA | passes it on | keeps it until the target has asked for its bytes; a frame on the boundary of two bursts is divided |
//! | FCP_XFER_RDY | (sends its own) | takes it, and sends the data to the RX_ID in it |
//! | FCP_RSP | keeps it until the data that were asked for have come, then releases the room | drops data that the target did not want |
//! | ABTS | releases the room | drops the data |
//!
//! Without room the near gateway passes a write on unchanged.
//!
//! Assumptions: gateways take no time besides that of their ports. Reads are not redirected. Commands of initiators with `rec_time_out` are
//! not either, because their targets would ask for lost frames of exchanges that gateways answer. A gateway keeps what it has in a failure
//! of its switch.

use super::FabricNetwork;
use super::segments;
use sansim_component::Context;
use sansim_component::context::UnitStep;
use sansim_fabric::layout::gateways::LinkGateways;
use sansim_fc::address::FcAddress;
use sansim_fc::frame::{ExchangeId, Frame, Pdu, PduKind};
use sansim_pdu::Address;
use sansim_request::RequestId;
use std::collections::{BTreeMap, VecDeque};

/// The payload of FCP_XFER_RDY (FCP-4).
const TRANSFER_READY_BYTES: u32 = 12;

/// S_ID of the initiator and OX_ID, by which gateways know an exchange.
type WriteKey = (Address, ExchangeId);

/// A write as the gateway near its initiator knows it.
#[derive(Clone, Debug)]
struct NearWrite {
    /// The port of the target.
    target: Address,
    /// The end of the link at which the initiator is.
    end: usize,
    /// Whether this gateway has asked for the data.
    is_accelerated: bool,
    /// The bytes of room that are reserved at the far gateway.
    reserved: u64,
    /// The bytes that this gateway has asked for, and that have not come.
    to_come: u64,
    /// FCP_RSP, which waits for these bytes.
    response: Option<Frame>,
}

/// An FCP_XFER_RDY of the target.
#[derive(Clone, Copy, Debug)]
struct Burst {
    /// The FCP_XFER_RDY.
    asked_by: Frame,
    /// The number of the next frame of its data.
    part: u16,
}

impl Burst {
    /// The bytes for which the target asks.
    fn has_byte(&self, byte: u64) -> bool {
        byte >= u64::from(self.asked_by.offset) && byte < self.end()
    }

    /// The end of the bytes for which the target asks.
    fn end(&self) -> u64 {
        u64::from(self.asked_by.offset) + u64::from(self.asked_by.burst_bytes)
    }
}

/// A write as the gateway near its target knows it.
#[derive(Clone, Debug, Default)]
struct FarWrite {
    /// The port of the target.
    target: Address,
    /// Whether the near gateway has asked for the data.
    is_accelerated: bool,
    /// The bytes of the write, and those that have come.
    bytes: u64,
    come: u64,
    /// The data that wait for the target.
    held: VecDeque<Frame>,
    /// The bursts for which the target has asked, and of which the last frame has not been sent.
    bursts: Vec<Burst>,
    /// Whether the target has ended the command, so that it wants no more data.
    is_over: bool,
}

/// A frame that a gateway sends: its gateway, the frame, and the node to which it goes next; none if no node has the address.
type Outgoing = (u16, Frame, Option<u16>);

/// The gateways of a fabric.
#[derive(Clone, Debug)]
pub(super) struct WriteGateways {
    layout: LinkGateways,
    /// For each node, gateways included, the end of the link on whose side it is.
    end_of_node: Vec<usize>,
    /// The bytes that initiators at each end have reserved at the gateway of the other.
    reserved: [u64; 2],
    near: BTreeMap<WriteKey, NearWrite>,
    far: BTreeMap<WriteKey, FarWrite>,
    /// The frames that have arrived at gateways and have not been handled, and whether each is outdated.
    arrived: VecDeque<(u16, Frame, bool)>,
    sends: Vec<Outgoing>,
    /// The number of writes whose data a gateway asked for, and of those that were passed on unchanged.
    pub(super) accelerated: u64,
    pub(super) passed_on: u64,
}

/// The exchange of a frame that its initiator sent, or that goes to its initiator.
fn key_of(frame: &Frame) -> WriteKey {
    let from_initiator = frame.is_from_originator();
    (if from_initiator { frame.source } else { frame.destination }, frame.originator)
}

impl WriteGateways {
    pub(super) fn new(layout: LinkGateways, fabric: &sansim_fabric::Fabric) -> Self {
        let nodes = fabric.fabric_layout().nodes.iter();
        let end = |switch: Option<u16>| switch.map_or(0, |switch| layout.end_of_switch[usize::from(switch)]);
        Self {
            end_of_node: nodes.map(|node| end(node.switch)).collect(),
            layout,
            reserved: [0; 2],
            near: BTreeMap::new(),
            far: BTreeMap::new(),
            arrived: VecDeque::new(),
            sends: Vec::new(),
            accelerated: 0,
            passed_on: 0,
        }
    }

    /// A frame has arrived at a gateway.
    pub(super) fn arrives(&mut self, gateway: u16, frame: Frame, is_outdated: bool) {
        self.arrived.push_back((gateway, frame, is_outdated));
    }

    /// The bytes of data in both gateways.
    pub(super) fn held_bytes(&self) -> u64 {
        let held = self.far.values().flat_map(|write| &write.held);
        held.map(|frame| u64::from(frame.payload_bytes)).sum()
    }

    /// The bytes of room that are reserved.
    pub(super) fn reserved_bytes(&self) -> u64 {
        self.reserved.iter().sum()
    }

    /// The gateway to which the frame of a node is redirected, if it is.
    fn redirects(&mut self, fabric: &sansim_fabric::Fabric, node: u16, frame: &Frame) -> Option<u16> {
        if !frame.write {
            return None;
        }
        let end = self.end_of_node[usize::from(node)];
        let key = key_of(frame);
        let is_known = match frame.kind {
            PduKind::Command if frame.burst_bytes > 0 => {
                // Data follow the command unasked. An exchange with the same number is over.
                if let Some(before) = self.near.remove(&key) {
                    self.reserved[end] -= before.reserved;
                }
                false
            }
            PduKind::Data if frame.is_of_first_burst() => false,
            PduKind::Command if frame.status == 0 => {
                let to = fabric.node_at_address(frame.destination)?;
                if self.end_of_node[usize::from(to)] == end {
                    return None;
                }
                let write = NearWrite {
                    target: frame.destination,
                    end,
                    is_accelerated: false,
                    reserved: 0,
                    to_come: 0,
                    response: None,
                };
                // An exchange with the same number is over; its status may have been lost.
                if let Some(before) = self.near.insert(key, write) {
                    self.reserved[end] -= before.reserved;
                }
                true
            }
            // Without RX_ID no target would know the data, even of an exchange that is over.
            PduKind::Data => frame.responder == ExchangeId::UNASSIGNED || self.near.contains_key(&key),
            PduKind::Abort => self.near.contains_key(&key),
            PduKind::TransferReady | PduKind::Response => self.far.contains_key(&key),
            _ => false,
        };
        is_known.then(|| self.layout.nodes[end])
    }

    /// A gateway handles a frame.
    fn handle(&mut self, cx: &mut Context<'_>, fabric: &sansim_fabric::Fabric, gateway: u16, frame: Frame) {
        let key = key_of(&frame);
        let end = self.end_of_node[usize::from(gateway)];
        let end_of =
            |address| fabric.node_at_address(address).map(|node| self.end_of_node[usize::from(node)]);
        let is_near = end_of(key.0) == Some(end);
        let other = Some(self.layout.nodes[1 - end]);
        let arrived = Some(fabric.node_at_address(frame.destination));
        // The node to which the frame goes on; none if the gateway keeps it.
        let next = match (frame.kind, is_near) {
            (PduKind::Command, true) => {
                self.ask_for_data(cx, fabric, gateway, key, &frame);
                Some(other)
            }
            (PduKind::Data, true) => {
                if let Some(write) = self.near.get_mut(&key) {
                    write.to_come = write.to_come.saturating_sub(frame.payload_bytes.into());
                }
                self.sends.push((gateway, frame, other));
                self.respond(fabric, gateway, key);
                return;
            }
            (PduKind::Abort, true) => {
                if let Some(write) = self.near.get_mut(&key) {
                    self.reserved[write.end] -= std::mem::take(&mut write.reserved);
                    write.to_come = 0;
                }
                self.sends.push((gateway, frame, other));
                if self.near.get(&key).is_some_and(|write| write.response.is_some()) {
                    self.respond(fabric, gateway, key);
                }
                return;
            }
            (PduKind::Response, true) => {
                if let Some(write) = self.near.get_mut(&key) {
                    write.response = Some(frame);
                    self.respond(fabric, gateway, key);
                    None
                } else {
                    arrived
                }
            }
            (PduKind::Command, false) => {
                let Some(&NearWrite { is_accelerated, .. }) = self.near.get(&key) else {
                    // One end left the fabric while the command waited at the near gateway.
                    drop_frames(cx, [frame]);
                    return;
                };
                let (target, bytes) = (frame.destination, cx.request(RequestId(frame.tag.0)).data_bytes());
                let write = FarWrite { target, is_accelerated, bytes, ..FarWrite::default() };
                if let Some(before) = self.far.insert(key, write) {
                    drop_frames(cx, before.held);
                }
                arrived
            }
            (PduKind::Data, false) => self.take_data(cx, gateway, key, frame, arrived),
            (PduKind::Abort, false) => {
                if let Some(write) = self.far.remove(&key) {
                    drop_frames(cx, write.held);
                }
                arrived
            }
            (PduKind::TransferReady, false) => match self.far.get_mut(&key) {
                Some(write) if write.is_accelerated => {
                    write.bursts.push(Burst { asked_by: frame, part: 0 });
                    end_unit(cx, &frame);
                    self.send_held(cx, fabric, gateway, key);
                    None
                }
                _ => Some(other),
            },
            (PduKind::Response, false) => {
                if let Some(write) = self.far.get_mut(&key) {
                    write.is_over = true;
                    drop_frames(cx, std::mem::take(&mut write.held));
                    if !write.is_accelerated || write.come >= write.bytes {
                        self.far.remove(&key);
                    }
                }
                Some(other)
            }
            _ => arrived,
        };
        if let Some(to) = next {
            self.sends.push((gateway, frame, to));
        }
    }

    /// The near gateway asks the initiator of a write for all its data, if there is room for them.
    fn ask_for_data(
        &mut self,
        cx: &mut Context<'_>,
        fabric: &sansim_fabric::Fabric,
        gateway: u16,
        key: WriteKey,
        command: &Frame,
    ) {
        let bytes = cx.request(RequestId(command.tag.0)).data_bytes();
        let Some(write) = self.near.get_mut(&key) else { return };
        if bytes == 0 || self.reserved[write.end] + bytes > self.layout.room_bytes {
            self.passed_on += 1;
            return;
        }
        self.accelerated += 1;
        self.reserved[write.end] += bytes;
        (write.is_accelerated, write.reserved, write.to_come) = (true, bytes, bytes);
        let ready = Pdu {
            source: command.destination,
            destination: command.source,
            responder: ExchangeId::UNASSIGNED,
            kind: PduKind::TransferReady,
            offset: 0,
            burst_bytes: bytes as u32,
            payload_bytes: TRANSFER_READY_BYTES,
            // The first sequence after that of the command.
            unit: 1,
            part: 0,
            last_of_unit: true,
            last_of_data: false,
            ..command.pdu
        };
        cx.requests().units_queued(RequestId(command.tag.0), 1);
        self.sends.push((gateway, ready.into(), fabric.node_at_address(key.0)));
    }

    /// The near gateway passes FCP_RSP on when all data have come that it asked for.
    fn respond(&mut self, fabric: &sansim_fabric::Fabric, gateway: u16, key: WriteKey) {
        let Some(write) = self.near.get_mut(&key).filter(|write| write.to_come == 0) else { return };
        let Some(response) = write.response.take() else { return };
        self.reserved[write.end] -= write.reserved;
        self.near.remove(&key);
        self.sends.push((gateway, response, fabric.node_at_address(key.0)));
    }

    /// Data arrive at the far gateway. Returns the node to which they go on at once, if the gateway does not keep them.
    fn take_data(
        &mut self,
        cx: &mut Context<'_>,
        gateway: u16,
        key: WriteKey,
        frame: Frame,
        arrived: Option<Option<u16>>,
    ) -> Option<Option<u16>> {
        let Some(write) = self.far.get_mut(&key) else {
            // The exchange has been aborted.
            drop_frames(cx, [frame]);
            return None;
        };
        if !write.is_accelerated {
            if frame.responder != ExchangeId::UNASSIGNED {
                return arrived;
            }
            // The near gateway asked for the data, and forgot the exchange before the command came here: its initiator had left.
            drop_frames(cx, [frame]);
            return None;
        }
        write.come += u64::from(frame.payload_bytes);
        if write.is_over {
            drop_frames(cx, [frame]);
            if write.come >= write.bytes {
                self.far.remove(&key);
            }
            return None;
        }
        write.held.push_back(frame);
        let to = arrived.flatten();
        send_asked(cx, write, gateway, to, &mut self.sends);
        None
    }

    /// The far gateway sends the data for which the target has asked.
    fn send_held(
        &mut self,
        cx: &mut Context<'_>,
        fabric: &sansim_fabric::Fabric,
        gateway: u16,
        key: WriteKey,
    ) {
        if let Some(write) = self.far.get_mut(&key) {
            let to = fabric.node_at_address(write.target);
            send_asked(cx, write, gateway, to, &mut self.sends);
        }
    }

    /// A node has left the fabric: its exchanges are over.
    fn forget_node(&mut self, cx: &mut Context<'_>, address: Address) {
        let is_meant = |key: &WriteKey, target: Address| {
            key.0 == address
                || key.0.at_switch() == address
                || target == address
                || target.at_switch() == address
        };
        let (mut dropped, reserved) = (Vec::new(), &mut self.reserved);
        self.near.retain(|key, write| {
            let is_over = is_meant(key, write.target);
            if is_over {
                reserved[write.end] -= write.reserved;
                dropped.extend(write.response.take());
            }
            !is_over
        });
        self.far.retain(|key, write| {
            let is_over = is_meant(key, write.target);
            if is_over {
                dropped.extend(write.held.drain(..));
            }
            !is_over
        });
        drop_frames(cx, dropped);
    }
}

/// Sends the data at the head of those that are held as far as the target has asked for them.
fn send_asked(
    cx: &mut Context<'_>,
    write: &mut FarWrite,
    gateway: u16,
    to: Option<u16>,
    sends: &mut Vec<Outgoing>,
) {
    while let Some(frame) = write.held.front_mut() {
        let begin = u64::from(frame.offset);
        let Some(place) = write.bursts.iter().position(|burst| burst.has_byte(begin)) else { return };
        let burst = &mut write.bursts[place];
        let all = u64::from(frame.payload_bytes);
        let bytes = all.min(burst.end() - begin);
        let ends = begin + bytes == burst.end();
        let part = Pdu {
            responder: burst.asked_by.responder,
            unit: burst.asked_by.unit.wrapping_add(1),
            part: burst.part,
            payload_bytes: bytes as u32,
            last_of_unit: ends,
            last_of_data: begin + bytes == write.bytes,
            ..frame.pdu
        };
        burst.part = burst.part.wrapping_add(1);
        if ends {
            write.bursts.remove(place);
        }
        sends.push((gateway, part.into(), to));
        if bytes < all {
            frame.pdu.offset += bytes as u32;
            frame.pdu.payload_bytes -= bytes as u32;
            cx.requests().units_queued(RequestId(frame.tag.0), 1);
        } else {
            write.held.pop_front();
        }
    }
}

/// A frame goes no further than its gateway.
fn end_unit(cx: &mut Context<'_>, frame: &Frame) {
    let request = RequestId(frame.tag.0);
    cx.keep_record(request);
    cx.ledger().advance_unit(request, UnitStep::Taken);
    cx.ledger().advance_unit(request, UnitStep::AllIn);
    cx.release_record(request);
}

/// Drops frames of which no node has any use.
fn drop_frames(cx: &mut Context<'_>, frames: impl IntoIterator<Item = Frame>) {
    frames.into_iter().for_each(|frame| end_unit(cx, &frame));
}

impl FabricNetwork {
    /// A node hands over a frame, which may have to pass gateways.
    #[cold]
    pub(super) fn send_by_gateways(&mut self, cx: &mut Context<'_>, node: u16, frame: Frame) {
        let gateway =
            self.gateways.as_mut().and_then(|gateways| gateways.redirects(&self.fabric, node, &frame));
        self.react(cx, |fabric, now, around| match gateway {
            Some(gateway) => fabric.redirect_frame(now, node, frame, Some(gateway), around),
            None => fabric.enqueue_frame(now, node, frame, around),
        });
    }

    /// Gateways handle the frames that have arrived.
    #[cold]
    pub(super) fn gateways_work(&mut self, cx: &mut Context<'_>) {
        while let Some(gateways) = &mut self.gateways
            && let Some((gateway, frame, is_outdated)) = gateways.arrived.pop_front()
        {
            // The memory of the gateway takes the frame, so that its buffer is empty at once.
            self.react_once(cx, |fabric, now, around| fabric.buffer_freed(now, gateway, around));
            if !self.journeys.has_frames_in_flight(frame.tag.0) {
                cx.ledger().enter_segment(RequestId(frame.tag.0), segments::GATEWAY);
            }
            if is_outdated {
                // One end has left the fabric and come back since, so the exchange is over.
                drop_frames(cx, [frame]);
                continue;
            }
            let Some(gateways) = &mut self.gateways else { return };
            gateways.handle(cx, &self.fabric, gateway, frame);
            let mut sends = std::mem::take(&mut gateways.sends);
            for (gateway, frame, to) in sends.drain(..) {
                self.react_once(cx, |fabric, now, around| {
                    fabric.redirect_frame(now, gateway, frame, to, around);
                });
            }
            if let Some(gateways) = &mut self.gateways {
                gateways.sends = sends;
            }
        }
    }

    /// The exchanges of a node that has left are over at the gateways.
    pub(super) fn gateways_forget(&mut self, cx: &mut Context<'_>, address: Address) {
        if let Some(gateways) = &mut self.gateways {
            gateways.forget_node(cx, address);
        }
    }
}
