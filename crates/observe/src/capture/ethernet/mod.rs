//! The frames of an Ethernet in a capture: the streams between nodes, and what each frame has of them.
//!
//! The bytes of a frame are those of its stream ([`sansim_fcp::stream_content`]), whichever units they belong to, so a frame that is sent again
//! has the same bytes. A frame is written when the units that it has bytes of are whole. Frames have neither preamble nor check sequence, as most
//! programs capture them; the headers of IP and TCP have the bytes that the scenario gives them.
//!
//! Streams have no begin in the file: connections exist from the beginning, and no hand-shake is invented. Ours: the
//! initiator has port 49152 of TCP, and the target of a protocol without a port of its own 65535 (RFC 6335, private ports).

mod headers;

use super::{Capture, Content, Packet};
use crate::names::{StationRole, SystemNames};
use headers::{ETHERNET_BYTES, EthernetPlace, FrameHead, LEAST_PAYLOAD, SegmentEnds};
use sansim_component::UnitTransport;
use sansim_fcp::stream_content::{StreamFormat, StreamSession};
use sansim_kernel::Time;
use sansim_pdu::{FrameContent, FrameSight, SegmentSight, StreamUnitSight};
use sansim_request::{RequestId, Requests};
use std::cmp::Reverse;
use std::collections::{HashMap, VecDeque};
use std::ops::Range;

/// The port of TCP of initiators, and of targets of a protocol without a port of its own.
const INITIATOR_PORT: u16 = 49_152;
const OTHER_PORT: u16 = 65_535;

/// The station of an Ethernet: its place, and the place at the other end of its cable.
#[derive(Clone, Copy, Debug)]
struct EthernetStation {
    at: EthernetPlace,
    peer: EthernetPlace,
    is_node: bool,
}

/// A connection between two nodes.
#[derive(Clone, Debug)]
struct Connection {
    content: StreamSession,
    /// The initiator, the target, and their ports.
    ends: SegmentEnds,
    /// Whether the streams with even numbers lead to the initiator.
    is_turned: bool,
    /// For each direction: how far its bytes have been sent and acknowledged, and the most that were in flight at a time.
    sent: [u64; 2],
    acknowledged: [u64; 2],
    most_in_flight: [u64; 2],
    /// For each direction: the timestamps of segments that arrive, and the last that has arrived.
    arriving: [VecDeque<(Time, u32)>; 2],
    arrived: [u32; 2],
    /// The packets that have not been written.
    pending: u32,
}

impl Connection {
    fn direction(&self, stream: u32) -> usize {
        (stream as usize & 1) ^ usize::from(self.is_turned)
    }

    /// The ends as a segment of a direction goes.
    fn ends_of(&self, direction: usize) -> SegmentEnds {
        let SegmentEnds { places: [near, far], ports: [here, there] } = self.ends;
        if direction == 0 { self.ends } else { SegmentEnds { places: [far, near], ports: [there, here] } }
    }

    /// Notes the numbers of a segment that leaves its node. Returns the place up to which no later frame has bytes of the other direction: what
    /// the sender of that direction had in flight at most may still be sent again behind what is acknowledged.
    fn segment_leaves(&mut self, direction: usize, segment: &SegmentSight) -> u64 {
        let other = 1 - direction;
        self.acknowledged[other] = self.acknowledged[other].max(segment.acknowledged);
        self.sent[direction] = self.sent[direction].max(segment.end);
        let in_flight = self.sent[direction] - self.acknowledged[direction];
        self.most_in_flight[direction] = self.most_in_flight[direction].max(in_flight);
        self.acknowledged[other].saturating_sub(self.most_in_flight[other])
    }

    /// The timestamps of a segment that leaves its node.
    fn timestamps(&mut self, direction: usize, now: Time) -> [u32; 2] {
        let other = 1 - direction;
        while let Some(&(at, value)) = self.arriving[other].front()
            && at <= now
        {
            self.arriving[other].pop_front();
            self.arrived[other] = value;
        }
        [headers::timestamp(now), self.arrived[other]]
    }
}

/// The bytes of a frame: headers, and a range of a stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct StreamFrame {
    head: FrameHead,
    connection: u32,
    direction: u8,
    is_marked: bool,
    begin: u64,
    end: u64,
    /// The place before which the other direction's content may be forgotten.
    forget_before: u64,
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
    fn connection_of(&mut self, here: EthernetPlace, sight: &StreamUnitSight) -> u32 {
        let Self { of, connections, formats, .. } = self;
        *of.entry((here.network, sight.stream >> 1)).or_insert_with(|| {
            let there = EthernetPlace { place: sight.to, ..here };
            let from_initiator = sight.unit.is_from_originator();
            let places = if from_initiator { [here, there] } else { [there, here] };
            let format = places.iter().find_map(|place| formats.get(&(place.network, place.place))).copied();
            let target_port = format.map_or(OTHER_PORT, |format| format.target_port());
            connections.push(Connection {
                content: StreamSession::new(format),
                ends: SegmentEnds { places, ports: [INITIATOR_PORT, target_port] },
                is_turned: from_initiator == (sight.stream & 1 == 1),
                sent: [0; 2],
                acknowledged: [0; 2],
                most_in_flight: [0; 2],
                arriving: Default::default(),
                arrived: [0; 2],
                pending: 0,
            });
            connections.len() as u32 - 1
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
        let Some(EthernetStation { at, .. }) = self.stations[station] else { return };
        let connection = self.connection_of(at, sight);
        let connection = &mut self.connections[connection as usize];
        let request = requests.request(RequestId(sight.unit.tag.0));
        let logical_unit = logical_units[request.device as usize];
        let direction = connection.direction(sight.stream);
        let places = (sight.begin, sight.end);
        connection.content.hand_over(direction, places, &sight.unit, request, logical_unit);
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
        let EthernetStation { at, peer, is_node } = self.stations[station]?;
        let segment = match &sight.content {
            FrameContent::Segment(segment) => segment,
            &FrameContent::Pause { classes, stops } => {
                let from = if is_sent { at } else { peer };
                return Some(EthernetContent::Pause { from, classes, stops });
            }
        };
        let key = (at.network, sight.tag);
        if is_sent && is_node {
            let number = *self.of.get(&(at.network, segment.stream >> 1))?;
            let frame = self.connections[number as usize].frame(now, number, sight, segment);
            self.frames.insert(key, frame);
        }
        let frame = *self.frames.get(&key)?;
        if !is_sent && is_node {
            let connection = &mut self.connections[frame.connection as usize];
            let direction = usize::from(frame.direction);
            connection.arriving[direction].push_back((now, headers::timestamp(now)));
        }
        Some(EthernetContent::Stream(StreamFrame { is_marked: sight.is_marked, ..frame }))
    }

    /// Whether all units that a frame has bytes of are whole.
    pub(super) fn is_complete(&self, content: &EthernetContent) -> bool {
        match content {
            EthernetContent::Stream(frame) => {
                let content = &self.connections[frame.connection as usize].content;
                frame.end <= content.known_upto(frame.direction.into())
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

    /// Forgets what no later frame has bytes of. The packets of a connection that wait were noted later.
    fn forget(&mut self, frame: &StreamFrame) {
        let Connection { content, .. } = &mut self.connections[frame.connection as usize];
        let other = 1 - usize::from(frame.direction);
        content.forget_before(other, frame.forget_before.min(content.known_upto(other)));
    }
}

impl Connection {
    /// A segment that leaves its node.
    fn frame(&mut self, now: Time, number: u32, sight: &FrameSight, segment: &SegmentSight) -> StreamFrame {
        let direction = self.direction(segment.stream);
        let mut segment = *segment;
        if segment.begin == segment.end {
            // An acknowledgement may pass data that the software has not put on the link; its number is that of the next byte there.
            (segment.begin, segment.end) = (self.sent[direction], self.sent[direction]);
        }
        let segment = &segment;
        let forget_before = self.segment_leaves(direction, segment);
        let timestamps = self.timestamps(direction, now);
        let range = segment.begin..segment.end;
        let is_pushed =
            self.content.units(direction, range).any(|unit| unit.end == segment.end && unit.is_pushed());
        let class = (sight.class, sight.may_be_marked);
        StreamFrame {
            head: headers::segment_head(&self.ends_of(direction), segment, class, is_pushed, timestamps),
            connection: number,
            direction: direction as u8,
            is_marked: sight.is_marked,
            begin: segment.begin,
            end: segment.end,
            forget_before,
        }
    }
}

impl StreamFrame {
    fn range(&self) -> Range<u64> {
        self.begin..self.end
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
        match interface {
            Some(interface) if is_wanted && self.windows.contains(at) => {
                if let EthernetContent::Stream(frame) = &content {
                    self.ethernets.connections[frame.connection as usize].pending += 1;
                }
                self.pending.push(Reverse(Packet { at, interface, content: Content::Ethernet(content) }));
            }
            _ => {
                if let EthernetContent::Stream(frame) = &content
                    && self.ethernets.connections[frame.connection as usize].pending == 0
                {
                    self.ethernets.forget(frame);
                }
            }
        }
    }

    /// Writes a frame of an Ethernet.
    pub(super) fn write_ethernet(
        &mut self,
        &Packet { at, interface, .. }: &Packet,
        content: &EthernetContent,
    ) {
        let counts = &mut self.counts.interfaces[interface as usize];
        match content {
            &EthernetContent::Pause { from, classes, stops } => {
                let bytes = headers::pause_frame(from, classes, stops);
                let fits =
                    self.container.packet(interface, at, bytes.len(), |out| out.extend_from_slice(&bytes));
                counts.pauses += u64::from(fits);
            }
            EthernetContent::Stream(frame) => {
                let content = &self.ethernets.connections[frame.connection as usize].content;
                let mut runs: Vec<(usize, Vec<u8>)> = Vec::new();
                content.copy(frame.direction.into(), frame.range(), |place, run| {
                    runs.push((place, run.to_vec()));
                });
                let runs: Vec<(usize, &[u8])> = runs.iter().map(|(place, run)| (*place, &run[..])).collect();
                let data = (frame.end - frame.begin) as usize;
                let (head, head_bytes) = frame.head.finished(data, frame.is_marked, &runs);
                let payload = head_bytes - ETHERNET_BYTES + data + usize::from(frame.head.trailer);
                let length = ETHERNET_BYTES + payload.max(LEAST_PAYLOAD);
                // Headers of units are kept whole, and of the data behind them no more than asked for.
                let headers_end = runs.last().map_or(0, |(place, run)| place + run.len());
                let kept = self.snapped.map_or(length, |most| (head_bytes + headers_end + most).min(length));
                let fits = self.container.packet(interface, at, length, |out| {
                    let begin = out.len();
                    out.extend_from_slice(&head[..head_bytes]);
                    out.resize(begin + kept, 0);
                    for (place, run) in &runs {
                        let place = begin + head_bytes + place;
                        out[place..place + run.len()].copy_from_slice(run);
                    }
                });
                counts.segments += u64::from(fits);
                self.ethernets.connections[frame.connection as usize].pending -= 1;
                self.ethernets.forget(frame);
            }
        }
    }
}
