//! The frames and signals of a playback that are on their way: each is sent on one or several links, and arrives.
//!
//! A port says that it sends a frame, and the port at the other end that it receives the frame, often before the time of arrival. Both belong
//! together by what identifies the frame on the wire; on its next link the frame has the same number.

use super::tables::{Move, NONE, NONE_SHORT, between, ns};
use crate::names::SystemNames;
use sansim_component::{ComponentId, FrameHop};
use sansim_fc::frame::{Frame, LinkControl, PduKind, RequestTag};
use sansim_fc::moves::move_of;
use sansim_fc::word::{LinkItem, PrimitiveSignal};
use sansim_kernel::{Span, Time};
use sansim_pdu::Address;
use std::collections::{HashMap, VecDeque};

/// The number of frames in flight above which those are forgotten that were sent long ago, because they were lost.
const MANY: usize = 1 << 16;

/// The time after which a frame in flight is forgotten, if there are [`MANY`].
const LONG: Span = Span::from_s(1);

/// The identity of a frame on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct FrameKey {
    tag: RequestTag,
    ends: [Address; 2],
    unit: u16,
    part: u16,
    kind: PduKind,
    control: Option<LinkControl>,
}

impl FrameKey {
    fn of(frame: &Frame) -> Self {
        let (ends, control) = ([frame.source, frame.destination], frame.control.map(|control| control.0));
        Self { tag: frame.tag, ends, unit: frame.unit, part: frame.part, kind: frame.kind, control }
    }
}

/// A frame in flight.
#[derive(Clone, Copy, Debug)]
struct UnderWay {
    number: u32,
    sent: Time,
    /// The move on the present link, until the arrival is known.
    row: Option<Move>,
}

/// Frames and signals in flight.
#[derive(Debug)]
pub struct MovesUnderWay {
    frames: HashMap<FrameKey, UnderWay>,
    /// The signals that have been sent on each network, in order, until their arrival is known.
    signals: Vec<VecDeque<(PrimitiveSignal, Time, Move)>>,
    /// The signals that were lost because their loop was initialised.
    lost: Vec<Move>,
    numbered: u32,
    /// The numbers of the frames that pass several links of a component, by their tags there.
    on_links: HashMap<(ComponentId, u32), u32>,
    /// The station with each address of each network, without ports inside networks.
    stations: HashMap<(usize, Address), u16>,
}

impl MovesUnderWay {
    /// Nothing is on its way.
    pub fn new(names: &SystemNames) -> Self {
        let stations = names.stations.iter().enumerate().filter(|(_, station)| station.inner.is_none());
        Self {
            frames: HashMap::new(),
            signals: names.networks.iter().map(|_| VecDeque::new()).collect(),
            lost: Vec::new(),
            numbered: 0,
            on_links: HashMap::new(),
            stations: stations.filter_map(|(number, station)| Some((station.port?, number as u16))).collect(),
        }
    }

    /// The number of a frame that a buffer holds.
    pub fn number(&self, frame: &Frame) -> u32 {
        self.frames.get(&FrameKey::of(frame)).map_or(NONE, |under_way| under_way.number)
    }

    /// The station with an address on a network, or behind a port between this network and another one.
    fn station_at(&self, names: &SystemNames, network: usize, address: Address) -> Option<u16> {
        let networks = std::iter::once(network).chain(0..names.networks.len());
        networks.filter_map(|network| self.stations.get(&(network, address)).copied()).next()
    }

    /// A number for the next frame.
    pub fn next_number(&mut self) -> u32 {
        self.numbered = self.numbered.wrapping_add(1);
        self.numbered
    }

    /// The number of what moves over a link of a component: the same on all links of a frame, the last of which leads to its receiver.
    pub fn number_on_link(&mut self, component: ComponentId, hop: Option<FrameHop>, is_last: bool) -> u32 {
        let Some(FrameHop { tag, is_first, .. }) = hop else { return self.next_number() };
        let key = (component, tag);
        let known = if is_first { None } else { self.on_links.get(&key).copied() };
        let number = known.unwrap_or_else(|| self.next_number());
        if is_last {
            self.on_links.remove(&key);
        } else {
            self.on_links.insert(key, number);
        }
        number
    }

    /// A station sends an item. Returns the move of an earlier item that did not arrive.
    pub fn sent(
        &mut self,
        names: &SystemNames,
        now: Time,
        station: usize,
        item: &LinkItem,
        (request, kind): (u32, u16),
    ) -> Option<Move> {
        let (network, own) = names.stations[station].port?;
        let from = station as u16;
        let peer = names.stations[station].peer.map_or(NONE_SHORT, |peer| peer as u16);
        match item {
            LinkItem::Frame(frame) => {
                self.forget(now);
                let receiver = self.station_at(names, network, frame.destination);
                let begins_here = names.stations[station].inner.is_none() && frame.source == own;
                let key = FrameKey::of(frame);
                let known = self.frames.get(&key).copied();
                // A frame that its source sends again is another frame.
                let number = match known {
                    Some(known) if !begins_here => known.number,
                    _ => self.next_number(),
                };
                let row = Move {
                    at_ns: ns(now),
                    dt: between(now, now + names.frame_time(station, frame)),
                    arrives: NONE,
                    bytes: frame.payload_bytes,
                    request,
                    frame: number,
                    from,
                    to: peer,
                    receiver: receiver.unwrap_or(NONE_SHORT),
                    kind,
                };
                self.frames.insert(key, UnderWay { number, sent: now, row: Some(row) });
                known.and_then(|known| known.row)
            }
            // No signal that is in flight arrives any more.
            LinkItem::Signal(PrimitiveSignal::Initialise { .. }) => {
                self.lost.extend(self.signals[network].drain(..).map(|(_, _, row)| row));
                None
            }
            LinkItem::Signal(signal) => {
                let word = names.word_time(station).unwrap_or_default();
                let row = Move {
                    at_ns: ns(now),
                    dt: between(now, now + word),
                    arrives: NONE,
                    bytes: 0,
                    request,
                    frame: NONE,
                    from,
                    to: NONE_SHORT,
                    receiver: NONE_SHORT,
                    kind,
                };
                let signals = &mut self.signals[network];
                signals.push_back((*signal, now, row));
                (signals.len() > MANY).then(|| signals.pop_front()).flatten().map(|(_, _, row)| row)
            }
        }
    }

    /// A station receives an item, at a time that may be ahead of the present. Returns the move that has ended.
    pub fn received(
        &mut self,
        names: &SystemNames,
        at: Time,
        station: usize,
        item: &LinkItem,
    ) -> Option<Move> {
        let (network, _) = names.stations[station].port?;
        let to = station as u16;
        match item {
            LinkItem::Frame(frame) => {
                let key = FrameKey::of(frame);
                let under_way = self.frames.get_mut(&key)?;
                let row = under_way.row.take();
                let sent = under_way.sent;
                if row.is_some_and(|row| row.receiver == to) {
                    self.frames.remove(&key);
                }
                row.map(|row| Move { to, arrives: between(sent, at), ..row })
            }
            LinkItem::Signal(signal) => {
                let signals = &mut self.signals[network];
                let place = signals.iter().position(|(sent, _, row)| sent == signal && row.from != to)?;
                let (_, sent, row) = signals.remove(place)?;
                Some(Move { to, receiver: to, arrives: between(sent, at), ..row })
            }
        }
    }

    /// The moves whose arrival is not known, which are written as such.
    pub fn drain(&mut self) -> Vec<Move> {
        let mut rows: Vec<Move> =
            self.frames.values_mut().filter_map(|under_way| under_way.row.take()).collect();
        rows.append(&mut self.lost);
        rows.extend(self.signals.iter_mut().flat_map(|signals| signals.drain(..).map(|(_, _, row)| row)));
        rows.sort_unstable_by_key(|row| (row.at_ns, row.from, row.frame));
        rows
    }

    fn forget(&mut self, now: Time) {
        if self.frames.len() > MANY {
            self.frames.retain(|_, under_way| under_way.sent + LONG > now);
        }
    }
}

/// The kind of an item in the catalogue of its network.
pub fn kind_of(item: &LinkItem) -> usize {
    move_of(item)
}
