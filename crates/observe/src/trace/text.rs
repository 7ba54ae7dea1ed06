//! A trace as text, in the columns of a protocol analyzer (Wang 2005, figure 5.2).
//!
//! Tens of millions of lines are written, so digits and names are formatted by code of this file.

use super::analyzer::AnalyzerPoint;
use super::edge::PortChange;
use super::runs::LineRun;
use crate::names::SystemNames;
use sansim_fc::al_pa::AlPa;
use sansim_fc::frame::{Frame, LinkControl, PduKind};
use sansim_fc::loop_port::PortState;
use sansim_fc::wire::StartDelimiter;
use sansim_fc::word::{FillWord, PrimitiveSignal};
use sansim_kernel::{Span, TICKS_PER_NS, Time};
use sansim_pdu::{Address, link_service, task_management};
use std::ops::Range;

/// The name of the content of a frame.
pub fn unit_name(frame: &Frame) -> &'static str {
    match frame.kind {
        PduKind::Command => "FCP_CMND",
        PduKind::TransferReady => "FCP_XFER_RDY",
        PduKind::Data => "FCP_DATA",
        PduKind::Response => "FCP_RSP",
        PduKind::Abort => "ABTS",
        PduKind::AbortAccept => "BA_ACC",
        PduKind::AbortReject => "BA_RJT",
        PduKind::Ip => "IP",
        PduKind::Confirm => "FCP_CONF",
        PduKind::ServiceRequest if frame.is_of_login() => match frame.status {
            link_service::PORT_LOGIN => "PLOGI",
            link_service::PORT_LOGOUT => "LOGO",
            link_service::ADDRESS_DISCOVERY => "ADISC",
            _ => "PRLI",
        },
        PduKind::ServiceRequest => match frame.status {
            link_service::READ_EXCHANGE_CONCISE => "REC",
            link_service::SEQUENCE_RETRANSMISSION => "SRR",
            task_management::ABORT_TASK_SET => "ABORT TASK SET",
            task_management::CLEAR_TASK_SET => "CLEAR TASK SET",
            task_management::LOGICAL_UNIT_RESET => "LUN RESET",
            task_management::TARGET_RESET => "TARGET RESET",
            _ => "ELS",
        },
        PduKind::ServiceAccept if frame.manages_tasks() => "FCP_RSP",
        PduKind::ServiceAccept => "LS_ACC",
        PduKind::ServiceReject => "LS_RJT",
        PduKind::Control => match frame.control {
            Some((LinkControl::FabricBusy, _)) => "F_BSY",
            Some((LinkControl::FabricReject, _)) => "F_RJT",
            _ => "ACK_1",
        },
    }
}

/// Writes runs as lines.
#[derive(Debug)]
pub struct TextWriter {
    names: Vec<Vec<u8>>,
    last: Vec<Option<Time>>,
    state_of: Vec<PortState>,
    states: bool,
    /// The channels of an analyzer at one node, whose lines are side by side.
    channels: Option<Channels>,
    triples: Vec<[u8; 3]>,
    hex: Vec<[u8; 2]>,
    /// The second whose digits are in `second_text`.
    second: u64,
    second_text: Vec<u8>,
}

/// The channels of an analyzer at one node.
#[derive(Debug)]
struct Channels {
    /// The place of the node, which sends on channel A.
    node: u16,
    /// The names of the node and of the station whose words it receives on channel B.
    names: [String; 2],
    /// The width of channel A.
    width: usize,
}

/// The width of channel A, in which all but frames of long addresses and large numbers find room.
const CHANNEL_WIDTH: usize = 72;

/// The room that the state of a port takes on a line.
const STATE_WIDTH: usize = 20;

fn pad(text: &mut Vec<u8>, from: usize, width: usize) {
    while text.len() < from + width {
        text.push(b' ');
    }
}

/// A number, right-aligned.
fn number(text: &mut Vec<u8>, value: u64, width: usize) {
    let mut digits = [b' '; 20];
    let mut at = digits.len();
    let mut rest = value;
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[at.min(digits.len() - width)..]);
}

impl TextWriter {
    /// A writer for these stations, with a column for the state of the port if it is requested.
    pub fn new(names: &SystemNames, stations: Range<usize>, states: bool) -> Self {
        let stations = &names.stations[stations];
        let width = stations.iter().map(|s| s.name.len()).max().unwrap_or(0).max(4);
        Self {
            names: stations.iter().map(|s| format!("{:width$}", s.name).into_bytes()).collect(),
            last: vec![None; stations.len()],
            state_of: vec![PortState::Monitoring; stations.len()],
            states,
            channels: None,
            triples: (0..1000_u32).map(|n| [n / 100, n / 10 % 10, n % 10].map(|d| b'0' + d as u8)).collect(),
            hex: (0..256_u32).map(|n| [n / 16, n % 16].map(|d| b"0123456789ABCDEF"[d as usize])).collect(),
            second: u64::MAX,
            second_text: Vec::new(),
        }
    }

    /// A writer for an analyzer at one node, with both channels side by side.
    pub fn at_node(names: &SystemNames, stations: Range<usize>, point: AnalyzerPoint, states: bool) -> Self {
        let node = (point.node - stations.start) as u16;
        let channels = Channels {
            node,
            names: [point.node, point.upstream].map(|station| names.stations[station].name.clone()),
            width: CHANNEL_WIDTH + if states { STATE_WIDTH } else { 0 },
        };
        Self { channels: Some(channels), ..Self::new(names, stations, states) }
    }

    /// Whether changes of state of a station are shown: an analyzer sees those of no other port than its node's.
    pub fn shows_states_of(&self, station: u16) -> bool {
        self.channels.as_ref().is_none_or(|channels| channels.node == station)
    }

    /// The lines above the first run.
    pub fn header(&self, names: &SystemNames, network: usize) -> String {
        let width = self.names.first().map_or(4, Vec::len);
        let of = if names.networks.len() > 1 {
            format!("{}, network {}", names.title, names.networks[network].name)
        } else {
            names.title.clone()
        };
        let state = if self.states { "  [state]" } else { "" };
        let word_ns = names.networks[network].word.as_ns_f64();
        if let Some(Channels { names: [node, upstream], width, .. }) = &self.channels {
            let columns = |state| format!("{:>9} {:14} {:>5} frame{state}", "count", "ordered set", "size");
            let (sent, received) =
                (format!("A: {node} sends"), format!("B: {node} receives from {upstream}"));
            return format!(
                "# sansim trace of {of}: an analyzer at {node}; a word takes {word_ns:.3} ns\n\
                 {:21} {:>14} {sent:width$} | {received}\n\
                 {:21} {:>14} {:width$} | {}\n",
                "",
                "",
                "hhh:mm:ss.ms_us_ns",
                "dt/channel_us",
                columns(state),
                columns(""),
            );
        }
        format!(
            "# sansim trace of {of}: what each port sends; a word takes {:.3} ns\n\
             {:21} {:>14} {:width$} {:>9} {:14} {:>5} frame{}\n",
            word_ns, "hhh:mm:ss.ms_us_ns", "dt/port_us", "port", "count", "ordered set", "size", state,
        )
    }

    /// Sets the state of a port that is observed again.
    pub fn window_opened(&mut self, station: u16, state: PortState) {
        self.state_of[usize::from(station)] = state;
    }

    /// Appends the line of a run.
    pub fn append_line(&mut self, run: &LineRun, text: &mut Vec<u8>) {
        let station = usize::from(run.station);
        self.time(run.start, text);
        text.push(b' ');
        let last = self.last[station].replace(run.start);
        self.difference(last.map_or(Span::ZERO, |last| run.start - last), text);
        text.push(b' ');
        let Some((node, width)) = self.channels.as_ref().map(|channels| (channels.node, channels.width))
        else {
            text.extend_from_slice(&self.names[station]);
            text.push(b' ');
            self.words(run, self.states, text);
            text.push(b'\n');
            return;
        };
        let channel = text.len();
        if run.station == node {
            self.words(run, self.states, text);
            pad(text, channel, width);
            text.extend_from_slice(b" |");
        } else {
            pad(text, channel, width);
            text.extend_from_slice(b" | ");
            self.words(run, false, text);
        }
        text.push(b'\n');
    }

    /// Appends what was sent, with the state of its port if that is wanted.
    fn words(&mut self, run: &LineRun, with_state: bool, text: &mut Vec<u8>) {
        let station = usize::from(run.station);
        if let PortChange::State(state) = run.what {
            self.state_of[station] = state;
            text.extend_from_slice(b"        - => ");
            text.extend_from_slice(state_name(state).as_bytes());
            return;
        }
        number(text, run.count, 9);
        text.push(b' ');
        let set = text.len();
        let bytes = self.ordered_set(&run.what, text);
        pad(text, set, 14);
        text.push(b' ');
        number(text, bytes, 5);
        if let PortChange::Frame(frame, io, _) = &run.what {
            self.frame(frame, *io, text);
        }
        if with_state {
            text.extend_from_slice(b"  [");
            text.extend_from_slice(state_name(self.state_of[station]).as_bytes());
            text.push(b']');
        }
    }

    /// Appends a time as hhh:mm:ss.mmm_uuu_nnn, rounded down to whole ns.
    fn time(&mut self, at: Time, text: &mut Vec<u8>) {
        let ns = at.ticks() / TICKS_PER_NS;
        let (second, rest) = (ns / 1_000_000_000, (ns % 1_000_000_000) as usize);
        if second != self.second {
            self.second = second;
            self.second_text =
                format!("{:03}:{:02}:{:02}.", second / 3600, second / 60 % 60, second % 60).into_bytes();
        }
        text.extend_from_slice(&self.second_text);
        text.extend_from_slice(&self.triples[rest / 1_000_000]);
        text.push(b'_');
        text.extend_from_slice(&self.triples[rest / 1000 % 1000]);
        text.push(b'_');
        text.extend_from_slice(&self.triples[rest % 1000]);
    }

    /// Appends a span in microseconds with three decimals.
    fn difference(&self, span: Span, text: &mut Vec<u8>) {
        let ns = (span.ticks() + TICKS_PER_NS / 2) / TICKS_PER_NS;
        number(text, ns / 1000, 10);
        text.push(b'.');
        text.extend_from_slice(&self.triples[(ns % 1000) as usize]);
    }

    fn al_pa(&self, al_pa: AlPa, text: &mut Vec<u8>) {
        text.extend_from_slice(&self.hex[usize::from(al_pa.address_byte())]);
    }

    /// For a port of a private loop its AL_PA is sufficient.
    fn address(&self, address: Address, text: &mut Vec<u8>) {
        let [_, domain, area, port] = address.value().to_be_bytes();
        if domain != 0 || area != 0 {
            text.extend_from_slice(&self.hex[usize::from(domain)]);
            text.extend_from_slice(&self.hex[usize::from(area)]);
        }
        text.extend_from_slice(&self.hex[usize::from(port)]);
    }

    fn pair(&self, name: &[u8], first: AlPa, second: AlPa, text: &mut Vec<u8>) {
        text.extend_from_slice(name);
        self.al_pa(first, text);
        text.push(b',');
        self.al_pa(second, text);
        text.push(b')');
    }

    /// Appends the ordered set, and returns the number of bytes of the set or of its frame.
    fn ordered_set(&self, what: &PortChange, text: &mut Vec<u8>) -> u64 {
        match *what {
            PortChange::Fill(FillWord::Idle) => text.extend_from_slice(b"IDLE"),
            PortChange::Fill(FillWord::ArbF0) => text.extend_from_slice(b"ARB(F0,F0)"),
            PortChange::Fill(FillWord::Arb(x)) => self.pair(b"ARB(", x, x, text),
            PortChange::Signal(PrimitiveSignal::Open { destination, source }) => {
                self.pair(b"OPN(", destination, source.unwrap_or(destination), text);
            }
            PortChange::Signal(PrimitiveSignal::Close) => text.extend_from_slice(b"CLS"),
            PortChange::Signal(PrimitiveSignal::ReceiverReady) => text.extend_from_slice(b"R_RDY"),
            PortChange::Signal(PrimitiveSignal::DynamicHalfDuplex) => text.extend_from_slice(b"DHD"),
            PortChange::Signal(PrimitiveSignal::Mark) => text.extend_from_slice(b"MRK"),
            PortChange::Signal(PrimitiveSignal::Initialise { source }) => match source {
                Some(x) => text.extend_from_slice(format!("LIP(F7,{x})").as_bytes()),
                None => text.extend_from_slice(b"LIP(F7,F7)"),
            },
            PortChange::Initialisation(frame) => {
                text.extend_from_slice(b"SOFil ");
                text.extend_from_slice(frame.name().as_bytes());
                return frame.length_in_words() * 4;
            }
            PortChange::Frame(frame, _, start) => {
                text.extend_from_slice(match start {
                    StartDelimiter::Initiate => b"SOFi3",
                    StartDelimiter::Normal => b"SOFn3",
                    StartDelimiter::InitiateClass2 => b"SOFi2",
                    StartDelimiter::NormalClass2 => b"SOFn2",
                });
                return frame.length_in_words() * 4;
            }
            PortChange::State(_) | PortChange::Resumes { .. } | PortChange::Pauses => {}
        }
        4
    }

    fn frame(&self, frame: &Frame, io: u64, text: &mut Vec<u8>) {
        text.push(b' ');
        text.extend_from_slice(unit_name(frame).as_bytes());
        text.push(b' ');
        self.address(frame.source, text);
        text.extend_from_slice(b"->");
        self.address(frame.destination, text);
        text.extend_from_slice(b" io ");
        number(text, io, 1);
        if frame.kind == PduKind::Data {
            text.extend_from_slice(b" offset ");
            number(text, u64::from(frame.offset), 1);
        }
    }
}

/// The name of a state as the standard writes it.
pub fn state_name(state: PortState) -> &'static str {
    match state {
        PortState::Monitoring => "MONITORING",
        PortState::Arbitrating => "ARBITRATING",
        PortState::ArbitrationWon => "ARBITRATION WON",
        PortState::Open => "OPEN",
        PortState::Opened => "OPENED",
        PortState::TransmittedClose => "TRANSMITTED CLOSE",
        PortState::ReceivedClose => "RECEIVED CLOSE",
        PortState::Transfer => "TRANSFER",
        PortState::Initialising => "INITIALIZING",
        PortState::OpenInit => "OPEN-INIT",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::StationRole;
    use crate::names::example::networks;
    use sansim_fc::frame::Pdu;
    use sansim_fc::frame::RequestTag;

    fn writer() -> TextWriter {
        let stations = [("controller", 1, StationRole::Initiator), ("drives[0]", 2, StationRole::Target)];
        TextWriter::new(&networks(&[("loop", Span::from_ns(38), &stations)]), 0..2, true)
    }

    #[test]
    fn columns_are_those_of_an_analyzer() {
        let mut writer = writer();
        let at = |ns| Time(ns * TICKS_PER_NS);
        let one = AlPa::new(0xE1).expect("valid");
        let open = PrimitiveSignal::Open { destination: one, source: Some(AlPa::new(0x01).expect("valid")) };
        let frame = Frame::from(Pdu {
            tag: RequestTag(0),
            source: one.address(),
            destination: Address::new(0x01),
            part: 1,
            offset: 2048,
            ..Pdu::example()
        });
        let runs = [
            LineRun {
                start: at(998_306_903),
                station: 0,
                what: PortChange::Fill(FillWord::Idle),
                count: 1021,
            },
            LineRun {
                start: at(998_307_533),
                station: 1,
                what: PortChange::State(PortState::Opened),
                count: 1,
            },
            LineRun {
                start: at(3_599_999_999_999),
                station: 1,
                what: PortChange::Frame(frame, 17, StartDelimiter::Normal),
                count: 1,
            },
            LineRun { start: at(3_600_000_000_000), station: 0, what: PortChange::Signal(open), count: 1 },
        ];
        let mut text = Vec::new();
        for run in &runs {
            writer.append_line(run, &mut text);
        }
        let expected = "\
000:00:00.998_306_903          0.000 controller      1021 IDLE               4  [MONITORING]
000:00:00.998_307_533          0.000 drives[0]          - => OPENED
000:59:59.999_999_999 3599001692.466 drives[0]          1 SOFn3           2084 FCP_DATA E1->01 io 17 offset 2048  [OPENED]
001:00:00.000_000_000 3599001693.097 controller         1 OPN(E1,01)         4  [MONITORING]
";
        assert_eq!(String::from_utf8(text).expect("text"), expected);
    }

    #[test]
    fn an_address_beyond_a_private_loop_is_written_in_full() {
        let mut text = Vec::new();
        writer().address(Address::new(0x01_02_E8), &mut text);
        assert_eq!(text, b"0102E8");
    }
}
