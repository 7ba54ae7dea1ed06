//! The capture: the frames that pass some ports, written as a pcapng file that Wireshark opens.
//!
//! The time of a packet is the time at which the first word of the frame, SOF, leaves the port or reaches it. Packets are in
//! order of time; at the same time in order of interfaces. The fast and the reference loop give the same file. Words that are
//! not frames are not in the file: of LIP only the initialisation frames after it are.
//!
//! Longer than 500 lines: all packets pass one queue, on which identifiers, windows and counts depend.

mod ethernet;
mod identifiers;
mod initialisation;
mod pcapng;

use crate::file::{FileError, FinishedFile, OutputFile};
use crate::names::{StationRole, SystemNames};
use crate::observer::{Observer, WantedCalls};
use crate::window::Windows;
use ethernet::{EthernetContent, Ethernets, is_ethernet};
use identifiers::IdentifierTable;
use pcapng::{CaptureFile, LinkType};
use sansim_fc::address::FcAddress;
use sansim_fc::al_pa::AlPa;
use sansim_fc::frame::{Frame, Pdu, PduKind, RequestTag};
use sansim_fc::initialisation_frame::InitialisationUnit;
use sansim_fc::observation::Observation;
use sansim_fc::wire::{self, EndDelimiter, HEADER_BYTES, Header, StartDelimiter, UNASSIGNED};
use sansim_fc::word::LinkItem;
use sansim_fcp::unit::{self, PayloadHead};
use sansim_kernel::{Span, Time};
use sansim_pdu::Address;
use sansim_pdu::PortSight;
use sansim_request::{Request, RequestId, Requests};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::path::Path;

/// The part of the payload of data frames that is written to the file. The payload is zeros in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Payload {
    /// Whole frames are written, from SOF to EOF.
    #[default]
    Zeros,
    /// At most this many bytes of payload are written. A frame without its end has neither EOF nor a CRC that can be
    /// checked, and tshark decodes nothing of it if both are announced; with this option no frame has delimiters and CRC.
    Snapped(u16),
}

/// The stations whose ports are monitored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MonitoredPoints {
    /// All initiators are monitored: every frame of a network appears once, when it leaves or reaches an
    /// initiator.
    #[default]
    Initiators,
    /// Every port that does more than repeat is monitored, including ports of switches: each frame appears where it is
    /// sent and where it is received.
    All,
    /// The ports of these stations are monitored. A station that is listed twice counts once; a station at no
    /// network has no frames.
    Stations(Vec<usize>),
}

impl MonitoredPoints {
    fn stations(&self, names: &SystemNames) -> Vec<usize> {
        let at_network = |&station: &usize| names.stations[station].port.is_some();
        let with = |wanted: &dyn Fn(StationRole) -> bool| {
            let stations = (0..names.stations.len()).filter(at_network);
            stations.filter(|&station| wanted(names.stations[station].role)).collect()
        };
        match self {
            Self::Initiators => with(&|role| role == StationRole::Initiator),
            Self::All => with(&|role| role != StationRole::Passive),
            Self::Stations(stations) => stations.iter().copied().filter(at_network).collect(),
        }
    }
}

/// The points and options of a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureOptions {
    /// The monitored ports.
    pub points: MonitoredPoints,
    /// The payload of data frames in the file.
    pub payload: Payload,
    /// If given, only frames of the I/Os with these numbers (in order of issue) are written.
    pub only_ios: Option<HashSet<u64>>,
    /// Only packets within these windows of time are written. The capture itself has to see the whole run, so that an I/O
    /// has the same identifiers in every capture of the run.
    pub windows: Windows,
    /// If given, the file ends with the last packet that fits into this number of bytes.
    pub limit_bytes: Option<u64>,
}

impl Default for CaptureOptions {
    /// The default is whole frames of all I/Os at all initiators.
    fn default() -> Self {
        Self {
            points: MonitoredPoints::Initiators,
            payload: Payload::Zeros,
            only_ios: None,
            windows: Windows::whole_run(),
            limit_bytes: None,
        }
    }
}

/// The counts of packets of an interface, which is one direction of one monitored port.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InterfaceCounts {
    /// The name of the interface in the file: the station and `out` or `in`.
    pub name: String,
    /// The number of FCP_CMND frames.
    pub commands: u64,
    /// The number of FCP_XFER_RDY frames.
    pub transfer_readies: u64,
    /// The number of FCP_DATA frames.
    pub data: u64,
    /// The number of FCP_RSP frames.
    pub responses: u64,
    /// The number of frames of link services: ABTS, REC, SRR and their answers.
    pub link_services: u64,
    /// The number of FCP_CONF frames.
    pub confirmations: u64,
    /// The number of link control frames of class 2: ACK_1, F_BSY and F_RJT.
    pub link_control: u64,
    /// The number of IP datagrams.
    pub ip: u64,
    /// The number of initialisation frames of loops: LISM to LILP.
    pub initialisation: u64,
    /// The number of segments of TCP.
    pub segments: u64,
    /// The number of packets of RDMA.
    pub rdma_packets: u64,
    /// The number of pause frames of Ethernet.
    pub pauses: u64,
    /// The payload bytes of the FCP_DATA frames.
    pub data_bytes: u64,
}

impl InterfaceCounts {
    /// The number of all packets of the interface.
    pub fn packets(&self) -> u64 {
        let of_exchanges = self.commands + self.transfer_readies + self.data + self.responses;
        of_exchanges
            + self.link_services
            + self.confirmations
            + self.link_control
            + self.ip
            + self.initialisation
            + self.segments
            + self.rdma_packets
            + self.pauses
    }
}

/// The amounts that a capture has written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaptureCounts {
    /// The counts of each interface, in the order of the file.
    pub interfaces: Vec<InterfaceCounts>,
    /// The number of packets that were written longer than the simulated frames, because frames of the scenario are
    /// shorter than frames of the standard.
    pub widened: u64,
    /// The number of packets without an OX_ID, because their initiator had 65535 exchanges open.
    pub without_identifier: u64,
}

impl CaptureCounts {
    /// The number of all packets of the capture.
    pub fn packets(&self) -> u64 {
        self.interfaces.iter().map(InterfaceCounts::packets).sum()
    }
}

/// An address in the usual notation: on a private loop it is an AL_PA.
fn address_name(address: Address) -> String {
    match AlPa::new(address.port()) {
        Some(al_pa) if al_pa.address() == address => format!("AL_PA {al_pa}"),
        _ => format!("address {address}"),
    }
}

/// A frame that will be written when no earlier frame can come any more.
#[derive(Clone, Copy, Debug)]
struct Packet {
    at: Time,
    interface: u32,
    content: Content,
}

/// The frame of a packet.
#[derive(Clone, Copy, Debug)]
enum Content {
    Frame(FrameContent),
    Initialisation(InitialisationUnit),
    Ethernet(EthernetContent),
}

/// A frame of an exchange, or IP.
#[derive(Clone, Copy, Debug)]
struct FrameContent {
    kind: PduKind,
    payload_bytes: u16,
    widened: bool,
    start: StartDelimiter,
    end: EndDelimiter,
    header: Header,
    head: PayloadHead,
}

impl Packet {
    /// A port sends or receives one frame at a time, so time and interface determine the order of packets.
    fn key(&self) -> (Time, u32) {
        (self.at, self.interface)
    }
}

impl PartialEq for Packet {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
impl Eq for Packet {}
impl PartialOrd for Packet {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Packet {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

/// A station at a network.
#[derive(Clone, Copy, Debug)]
struct Port {
    network: usize,
    word: Span,
    /// The interface of the port's transmissions, if it is monitored; the interface of its receptions has the
    /// next number.
    interface: Option<u32>,
    /// Whether only frames of other ports pass this port: no exchange begins or ends at it.
    inner: bool,
}

/// An observer that writes a capture. The file is described in the module text.
#[derive(Debug)]
pub struct Capture {
    container: CaptureFile,
    /// The ports of stations at a network, by station.
    ports: Vec<Port>,
    snapped: Option<usize>,
    only_ios: Option<HashSet<u64>>,
    windows: Windows,
    identifiers: IdentifierTable,
    ethernets: Ethernets,
    /// The network of each interface, and the addresses on each network, if it is a loop, in the order of its stations.
    network_of_interface: Vec<usize>,
    on_loops: Vec<Vec<AlPa>>,
    /// The logical unit of each device.
    logical_units: Vec<u32>,
    /// The present time of the run.
    present: Time,
    /// Packets that were seen but not written: on the fast loop the reception of a frame is reported before
    /// its time.
    pending: BinaryHeap<Reverse<Packet>>,
    counts: CaptureCounts,
}

impl Capture {
    /// Opens the file and describes its interfaces.
    ///
    /// # Errors
    /// Fails if the file cannot be created.
    ///
    /// # Panics
    /// Panics if a monitored station is not in `names`.
    pub fn create(path: &Path, names: &SystemNames, options: CaptureOptions) -> Result<Self, FileError> {
        let (snapped, link_type) = match options.payload {
            Payload::Zeros => (None, LinkType::FrameDelimiters),
            Payload::Snapped(bytes) => (Some(usize::from(bytes)), LinkType::HeaderAndPayload),
        };
        let comment = format!(
            "Simulated: {}. Times count from the start of the simulation. Payload of FCP_DATA is zeros. An information \
             unit is written with the length of the standard if the scenario makes it shorter.",
            names.title
        );
        let mut container =
            CaptureFile::new(OutputFile::create(path)?.with_size_limit(options.limit_bytes), &comment);
        let at_networks = names.stations.iter().map_while(|station| Some((station.port?.0, station.role)));
        let port = |(network, role): (usize, StationRole)| {
            let word = names.networks[network].word;
            Port { network, word, interface: None, inner: role == StationRole::Inner }
        };
        let mut ports: Vec<Port> = at_networks.map(port).collect();
        let mut on_loops = vec![Vec::new(); names.networks.len()];
        for (network, address) in names.stations.iter().filter_map(|station| station.port) {
            on_loops[network].extend(AlPa::new(address.port()));
        }
        let ethernets = Ethernets::new(names);
        let mut network_of_interface = Vec::new();
        let mut counts = CaptureCounts::default();
        for point in options.points.stations(names) {
            let station = &names.stations[point];
            let (Port { network: number, interface: interface @ None, .. }, Some((_, address))) =
                (&mut ports[point], station.port)
            else {
                continue;
            };
            *interface = Some(counts.interfaces.len() as u32);
            let network = &names.networks[*number].name;
            let link_type =
                if is_ethernet(names.networks[*number].transport) { LinkType::Ethernet } else { link_type };
            let address = ethernets.address_text(point).unwrap_or_else(|| address_name(address));
            for (direction, verb) in [("out", "sent"), ("in", "received")] {
                let name = format!("{} {direction}", station.name);
                let description = match station.role {
                    StationRole::Inner => format!("{verb} by a switch of {network}"),
                    _ => format!("{verb} by {address} on {network}"),
                };
                container.interface(&name, &description, link_type);
                network_of_interface.push(*number);
                counts.interfaces.push(InterfaceCounts { name, ..InterfaceCounts::default() });
            }
        }
        Ok(Self {
            container,
            ports,
            snapped,
            only_ios: options.only_ios,
            windows: options.windows,
            identifiers: IdentifierTable::new(),
            ethernets,
            network_of_interface,
            on_loops,
            logical_units: names.devices.iter().map(|device| device.logical_unit).collect(),
            present: Time::ZERO,
            pending: BinaryHeap::with_capacity(64),
            counts,
        })
    }

    /// Writes pending packets and ends the file, which gets its name if it is `complete`. In a run that was stopped early, frames in flight
    /// are not received. Returns the file, and the number of packets of each kind.
    ///
    /// # Errors
    /// Fails with the first error of all writing.
    pub fn finish(self, complete: bool) -> Result<(FinishedFile, CaptureCounts), FileError> {
        let (file, counts) = self.into_file(complete);
        Ok((file.finish(complete)?, counts))
    }

    /// Writes all pending packets; returns the file, and its counts.
    pub(crate) fn into_file(mut self, complete: bool) -> (OutputFile, CaptureCounts) {
        self.write_until(if complete { Time::NEVER } else { self.present + Span(1) }, true);
        (self.container.into_file(), self.counts)
    }

    /// Sets the windows of time for the frames; call this function before the run.
    pub fn set_windows(&mut self, windows: Windows) {
        self.windows = windows;
    }

    /// Writes the packets before which no packet can come any more.
    fn go_on(&mut self, now: Time) {
        self.present = now;
        self.write_until(now, false);
    }

    /// Writes the packets before a time; at the end of the file also those whose units are not whole.
    fn write_until(&mut self, time: Time, at_end: bool) {
        while let Some(Reverse(packet)) = self.pending.peek()
            && packet.at < time
            && (at_end || self.is_complete(packet))
        {
            let packet = *packet;
            self.pending.pop();
            self.write(&packet);
        }
    }

    /// Whether the bytes of a packet are known: the header of a unit has its length, which is known at its end.
    fn is_complete(&self, packet: &Packet) -> bool {
        match &packet.content {
            Content::Ethernet(content) => self.ethernets.is_complete(content),
            Content::Frame(_) | Content::Initialisation(_) => true,
        }
    }

    fn write(&mut self, packet: &Packet) {
        match &packet.content {
            Content::Frame(frame) => self.write_frame(packet, frame),
            Content::Initialisation(unit) => self.write_initialisation(packet, unit),
            Content::Ethernet(content) => self.write_ethernet(packet, content),
        }
    }

    fn write_frame(&mut self, &Packet { at, interface, .. }: &Packet, frame: &FrameContent) {
        let header = &frame.header;
        let head = frame.head.leading_bytes();
        let payload_bytes = usize::from(frame.payload_bytes);
        let fits = match self.snapped {
            None => {
                let length = wire::frame_bytes(payload_bytes);
                self.container.packet(interface, at, length, |out| {
                    wire::put_frame(out, frame.start, header, head, payload_bytes, frame.end);
                })
            }
            Some(most) => {
                let length = HEADER_BYTES + payload_bytes.next_multiple_of(4);
                let kept = if matches!(frame.kind, PduKind::Data | PduKind::Ip) {
                    HEADER_BYTES + most
                } else {
                    length
                };
                self.container.packet(interface, at, length, |out| {
                    let end = out.len() + kept.min(length);
                    out.extend_from_slice(&header.header_for_payload(payload_bytes).wire_bytes());
                    out.extend_from_slice(head);
                    out.resize(end, 0);
                })
            }
        };
        if fits {
            self.count(interface, frame);
        }
    }

    fn count(&mut self, interface: u32, frame: &FrameContent) {
        let counts = &mut self.counts.interfaces[interface as usize];
        match frame.kind {
            PduKind::Command => counts.commands += 1,
            PduKind::TransferReady => counts.transfer_readies += 1,
            PduKind::Data => {
                counts.data += 1;
                counts.data_bytes += u64::from(frame.payload_bytes);
            }
            PduKind::Response => counts.responses += 1,
            PduKind::Confirm => counts.confirmations += 1,
            PduKind::Control => counts.link_control += 1,
            PduKind::Ip => counts.ip += 1,
            PduKind::Abort
            | PduKind::AbortAccept
            | PduKind::AbortReject
            | PduKind::ServiceRequest
            | PduKind::ServiceAccept
            | PduKind::ServiceReject => counts.link_services += 1,
        }
        self.counts.widened += u64::from(frame.widened);
        self.counts.without_identifier += u64::from(frame.header.originator == UNASSIGNED);
    }

    /// A frame begins at a port, and is written for this interface if its station is monitored.
    fn note(&mut self, at: Time, network: usize, interface: Option<u32>, frame: &Frame, requests: &Requests) {
        let request = requests.request(RequestId(frame.tag.0));
        // Identifiers are also assigned for frames that are not captured, so that the identifiers of an I/O are the same in
        // every capture of the run.
        let of_exchange = of_exchange(frame, request);
        let identifiers = self.identifiers.of(at, network, &of_exchange, request.number);
        let Some(interface) = interface else { return };
        let left_out = self.only_ios.as_ref().is_some_and(|only| !only.contains(&request.number));
        if left_out || !self.windows.contains(at) {
            return;
        }
        let (start, end) = unit::frame_delimiters(frame);
        let payload_bytes = unit::payload_bytes(frame);
        let logical_unit = self.logical_units[request.device as usize];
        let about = self.identifiers.about(network, frame, request).unwrap_or(identifiers);
        let content = FrameContent {
            kind: frame.kind,
            payload_bytes: payload_bytes as u16,
            widened: payload_bytes > frame.payload_bytes as usize,
            start,
            end,
            header: unit::frame_header(frame, identifiers),
            head: unit::payload_head(frame, request, logical_unit, about),
        };
        self.pending.push(Reverse(Packet { at, interface, content: Content::Frame(content) }));
    }
}

/// The frame as one of the exchange to which it belongs. A link service is an exchange of its own, but FCP_CONF belongs to the exchange that
/// it confirms.
fn of_exchange(frame: &Frame, request: &Request) -> Frame {
    let tag = match request.parent.filter(|_| frame.kind == PduKind::Confirm) {
        Some(RequestId(confirmed)) => RequestTag(confirmed),
        None => frame.tag,
    };
    Frame { pdu: Pdu { tag, ..frame.pdu }, ..*frame }
}

impl Observer for Capture {
    fn wants(&self) -> WantedCalls {
        WantedCalls { ports: true, ..WantedCalls::default() }
    }

    fn at_port(&mut self, now: Time, station: usize, what: PortSight, requests: &Requests) {
        let Port { network, word, interface, inner } = self.ports[station];
        match what {
            PortSight::HandedToStream(sight) => {
                self.go_on(now);
                self.ethernets.hand_over(station, &sight, &self.logical_units, requests);
            }
            PortSight::TookFromStream(stream, upto) => {
                self.go_on(now);
                self.ethernets.took(station, stream, upto);
            }
            // These may be reported before their time.
            PortSight::SentFrame(sight) => self.note_frame(now, station, interface, &sight, true),
            PortSight::ReceivedFrame(sight) => {
                self.note_frame(now, station, interface.map(|out| out + 1), &sight, false);
            }
            _ => {}
        }
        let Some(what) = Observation::from_port_sight(what) else { return };
        match what {
            Observation::ReceivedItem(LinkItem::Frame(frame)) => {
                self.note(now, network, interface.map(|out| out + 1), &frame, requests);
                if !inner {
                    let frame = of_exchange(&frame, requests.request(RequestId(frame.tag.0)));
                    self.identifiers.received(now + word * frame.length_in_words(), network, &frame);
                }
            }
            Observation::SentItem(LinkItem::Frame(frame)) => {
                self.go_on(now);
                self.note(now, network, interface, &frame, requests);
                if !inner {
                    let frame = of_exchange(&frame, requests.request(RequestId(frame.tag.0)));
                    self.identifiers.sent(now + word * frame.length_in_words(), network, &frame);
                }
            }
            Observation::SentInitialisation(unit) => {
                self.go_on(now);
                self.note_initialisation(now, interface, unit);
            }
            Observation::ReceivedInitialisation(unit) => {
                self.note_initialisation(now, interface.map(|out| out + 1), unit);
            }
            // Any other observation is at the present time.
            _ => self.go_on(now),
        }
    }

    fn failed(&self) -> bool {
        self.container.failed()
    }
}

#[cfg(test)]
mod tests;
