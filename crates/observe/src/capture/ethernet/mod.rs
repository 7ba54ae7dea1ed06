//! The frames of an Ethernet in a capture: the streams between nodes, and what each frame has of them.
//!
//! The bytes of a frame are those of its stream ([`sansim_fcp::stream_content`]), whichever units they belong to, so a frame that is sent again
//! has the same bytes. A frame is written when the units that it has bytes of are whole. Frames have neither preamble nor check sequence, as most
//! programs capture them; the headers of IP and TCP have the bytes that the scenario gives them.
//!
//! Streams have no begin in the file: connections exist from the beginning, and no hand-shake is invented. Ours: the
//! initiator has port 49152 of TCP, and the target of a protocol without a port of its own 65535 (RFC 6335, private ports).

mod connection;
mod headers;
mod packets;
mod udp;

use super::{Capture, Content, Packet};
use crate::names::{StationRole, SystemNames};
use connection::{Connection, StreamFrame};
use headers::{ETHERNET_BYTES, EthernetPlace, LEAST_PAYLOAD};
use sansim_component::UnitTransport;
use sansim_fcp::stream_content::StreamFormat;
use sansim_kernel::Time;
use sansim_pdu::{FrameContent, FrameSight, StreamUnitSight};
use sansim_request::{RequestId, Requests};
use std::cmp::Reverse;
use std::collections::HashMap;

/// The station of an Ethernet: its place, and the place at the other end of its cable.
#[derive(Clone, Copy, Debug)]
struct EthernetStation {
    at: EthernetPlace,
    peer: EthernetPlace,
    is_node: bool,
    is_rdma: bool,
}

/// The content of a packet of an Ethernet.
#[derive(Clone, Copy, Debug)]
pub(super) enum EthernetContent {
    Stream(StreamFrame),
    Pause { from: EthernetPlace, classes: u8, stops: bool },
}

/// The Ethernets of a system.
#[derive(Debug, Default)]
pub(super) struct Ethernets {
    /// By station: none for a station at another network.
    stations: Vec<Option<EthernetStation>>,
    /// By network and node: the form of its units.
    formats: HashMap<(usize, u16), StreamFormat>,
    of: HashMap<(usize, u32), u32>,
    connections: Vec<Connection>,
    /// The frames that have left their nodes, by network and tag.
    frames: HashMap<(usize, u32), StreamFrame>,
}

/// Whether a network has frames of Ethernet.
pub(super) fn is_ethernet(transport: UnitTransport) -> bool {
    matches!(transport, UnitTransport::Stream | UnitTransport::Rdma)
}

impl Ethernets {
    pub(super) fn new(names: &SystemNames) -> Self {
        let mut stations = vec![None; names.stations.len()];
        let mut formats = HashMap::new();
        let of_ethernets =
            (0..names.networks.len()).filter(|&network| is_ethernet(names.networks[network].transport));
        for network in of_ethernets {
            let range = names.stations_of(network);
            let at = |station: usize| EthernetPlace { network, place: (station - range.start) as u16 };
            for station in range.clone() {
                let name = &names.stations[station];
                stations[station] = Some(EthernetStation {
                    at: at(station),
                    peer: at(name.peer.unwrap_or(station)),
                    is_node: name.role != StationRole::Inner,
                    is_rdma: names.networks[network].transport == UnitTransport::Rdma,
                });
                formats.extend(name.stream_format.map(|format| ((network, at(station).place), format)));
            }
        }
        Self { stations, formats, ..Self::default() }
    }

    /// The addresses of a station as text; none at another network.
    pub(super) fn address_text(&self, station: usize) -> Option<String> {
        let EthernetStation { at, is_node, .. } = self.stations[station]?;
        let [a, b, c, d] = at.ip_address();
        let mac: Vec<String> = at.mac_address().iter().map(|byte| format!("{byte:02x}")).collect();
        Some(if is_node { format!("{a}.{b}.{c}.{d}, {}", mac.join(":")) } else { mac.join(":") })
    }

    /// The connection of a stream; the first unit on it creates it.
    fn connection_of(&mut self, here: &EthernetStation, sight: &StreamUnitSight) -> u32 {
        let Self { of, connections, formats, .. } = self;
        let &EthernetStation { at: here, is_rdma, .. } = here;
        *of.entry((here.network, sight.stream >> 1)).or_insert_with(|| {
            let there = EthernetPlace { place: sight.to, ..here };
            let from_initiator = sight.unit.is_from_originator();
            let places = if from_initiator { [here, there] } else { [there, here] };
            let format = places.iter().find_map(|place| formats.get(&(place.network, place.place)));
            let is_turned = from_initiator == (sight.stream & 1 == 1);
            let number = connections.len() as u32;
            connections.push(Connection::new(number, places, format.copied(), (is_turned, is_rdma)));
            number
        })
    }

    /// A node hands a unit over to a stream.
    pub(super) fn hand_over(
        &mut self,
        station: usize,
        sight: &StreamUnitSight,
        logical_units: &[u32],
        requests: &Requests,
    ) {
        let Some(here) = self.stations[station] else { return };
        let connection = self.connection_of(&here, sight);
        let request = requests.request(RequestId(sight.unit.tag.0));
        let logical_unit = logical_units[request.device as usize];
        self.connections[connection as usize].hand_over(sight, request, logical_unit);
    }

    /// A node has all bytes of a stream up to a place.
    pub(super) fn took(&mut self, station: usize, stream: u32, upto: u64) {
        let Some(EthernetStation { at, .. }) = self.stations[station] else { return };
        if let Some(&connection) = self.of.get(&(at.network, stream >> 1)) {
            let connection = &mut self.connections[connection as usize];
            let direction = connection.direction(stream);
            connection.content.taken_upto(direction, upto);
        }
    }

    /// The content of a frame that passes a station. A frame that leaves its node gets its headers there.
    fn content(
        &mut self,
        now: Time,
        station: usize,
        sight: &FrameSight,
        is_sent: bool,
    ) -> Option<EthernetContent> {
        let EthernetStation { at, peer, is_node, .. } = self.stations[station]?;
        let stream = match &sight.content {
            FrameContent::Segment(segment) => segment.stream,
            FrameContent::Packet(packet) => packet.stream,
            &FrameContent::Pause { classes, stops } => {
                let from = if is_sent { at } else { peer };
                return Some(EthernetContent::Pause { from, classes, stops });
            }
        };
        let key = (at.network, sight.tag);
        if is_sent && is_node {
            let number = *self.of.get(&(at.network, stream >> 1))?;
            let connection = &mut self.connections[number as usize];
            let frame = match &sight.content {
                FrameContent::Segment(segment) => connection.segment(now, sight, segment),
                FrameContent::Packet(packet) => connection.packet(sight, packet),
                FrameContent::Pause { .. } => return None,
            };
            self.frames.insert(key, frame);
        }
        let frame = *self.frames.get(&key)?;
        if !is_sent && is_node {
            self.connections[frame.connection as usize].arrives(frame.direction.into(), now);
        }
        Some(EthernetContent::Stream(StreamFrame { is_marked: sight.is_marked, ..frame }))
    }

    /// Whether all units that a frame has bytes of are whole.
    pub(super) fn is_complete(&self, content: &EthernetContent) -> bool {
        match content {
            EthernetContent::Stream(frame) => {
                let content = &self.connections[frame.connection as usize].content;
                frame.range().end <= content.known_upto(frame.direction.into())
            }
            EthernetContent::Pause { .. } => true,
        }
    }

    /// Whether a frame has bytes of one of these I/Os.
    fn belongs_to(&self, content: &EthernetContent, is_wanted: impl Fn(u64) -> bool) -> bool {
        match content {
            EthernetContent::Stream(frame) => {
                let content = &self.connections[frame.connection as usize].content;
                let mut units = content.units(frame.direction.into(), frame.range());
                units.any(|unit| is_wanted(unit.io))
            }
            EthernetContent::Pause { .. } => false,
        }
    }
}

impl Capture {
    /// A frame begins at a port of an Ethernet, and is written for this interface if its station is monitored.
    pub(super) fn note_frame(
        &mut self,
        at: Time,
        station: usize,
        interface: Option<u32>,
        sight: &FrameSight,
        is_sent: bool,
    ) {
        let Some(content) = self.ethernets.content(at, station, sight, is_sent) else { return };
        let is_wanted = self
            .only_ios
            .as_ref()
            .is_none_or(|only| self.ethernets.belongs_to(&content, |io| only.contains(&io)));
        let interface = interface.filter(|_| is_wanted && self.windows.contains(at));
        if let EthernetContent::Stream(frame) = &content {
            let connection = &mut self.ethernets.connections[frame.connection as usize];
            connection.pending += u32::from(interface.is_some());
            if connection.pending == 0 {
                connection.forget(frame);
            }
        }
        if let Some(interface) = interface {
            self.pending.push(Reverse(Packet { at, interface, content: Content::Ethernet(content) }));
        }
    }

    /// Writes a frame of an Ethernet.
    pub(super) fn write_ethernet(
        &mut self,
        &Packet { at, interface, .. }: &Packet,
        content: &EthernetContent,
    ) {
        match content {
            &EthernetContent::Pause { from, classes, stops } => {
                let bytes = headers::pause_frame(from, classes, stops);
                let fits =
                    self.container.packet(interface, at, bytes.len(), |out| out.extend_from_slice(&bytes));
                self.counts.interfaces[interface as usize].pauses += u64::from(fits);
            }
            EthernetContent::Stream(frame) => self.write_stream_frame(at, interface, frame),
        }
    }

    fn write_stream_frame(&mut self, at: Time, interface: u32, frame: &StreamFrame) {
        let connection = &mut self.ethernets.connections[frame.connection as usize];
        let direction = usize::from(frame.direction);
        let mut runs: Vec<(usize, Vec<u8>)> = Vec::new();
        connection.content.copy(direction, frame.range(), |place, run| runs.push((place, run.to_vec())));
        let runs: Vec<(usize, &[u8])> = runs.iter().map(|(place, run)| (*place, &run[..])).collect();
        let mut head = frame.head;
        if frame.wants_length
            && let Some((_, message)) = connection.content.message_at(direction, frame.range().start)
        {
            packets::set_message_length(&mut head, message.end - message.start);
        }
        let data = (frame.range().end - frame.range().start) as usize;
        let finished = head.finished(data, frame.is_marked, &runs);
        let (head_bytes, content_bytes) = (finished.head.len(), data + finished.tail.len());
        let payload = head_bytes - ETHERNET_BYTES + content_bytes + usize::from(head.trailer);
        let length = ETHERNET_BYTES + payload.max(LEAST_PAYLOAD);
        // Headers of units are kept whole, and of the data behind them no more than asked for.
        let headers_end = runs.last().map_or(0, |(place, run)| place + run.len());
        let kept = self.snapped.map_or(length, |most| (head_bytes + headers_end + most).min(length));
        let fits = self.container.packet(interface, at, length, |out| {
            let begin = out.len();
            out.extend_from_slice(&finished.head);
            out.resize(begin + head_bytes + data, 0);
            for (place, run) in &runs {
                let place = begin + head_bytes + place;
                out[place..place + run.len()].copy_from_slice(run);
            }
            out.extend_from_slice(&finished.tail);
            out.resize(begin + kept, 0);
        });
        connection.pending -= 1;
        connection.forget(frame);
        let counts = &mut self.counts.interfaces[interface as usize];
        if finished.tail.is_empty() {
            counts.segments += u64::from(fits);
        } else {
            counts.rdma_packets += u64::from(fits);
        }
    }
}
