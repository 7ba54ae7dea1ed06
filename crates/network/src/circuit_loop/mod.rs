//! An arbitrated loop that carries one circuit at a time: `fidelity = "circuit"`.
//!
//! The same loop as [`crate::arbitrated_loop`], described by the same parameters and following the same rules, with a closed form in the
//! place of its words. Who has the loop next and when is worked out in [`turns`], when frames go out in [`stream`], and here what opens
//! and closes a circuit. A sequence of data frames goes as one, whatever its length, so an I/O costs a dozen events.
//!
//! A circuit. The port that has won sends OPN a word later. The first frame goes seven words behind it, or, without login credit, when an
//! R_RDY has come, which the other end sends three words after OPN. A port that has nothing more to send sends CLS six words behind its
//! last frame; the other end answers a word after it has come in, and the port has left the loop a word after that has.
//!
//! What follows from it in full duplex, after DHD, for `frames_per_tenancy` and for commands that go first is carried out by cutting
//! a sequence between two of its frames.
//!
//! Left out: see docs/model/circuit-loop.md.

mod account;
mod catalogue;
mod circuit;
mod closing;
mod port;
mod stream;
mod turns;

use crate::demand;
use account::{Account, Use};
use catalogue::{CATALOGUE, figure, gauge, meter, segment};
use circuit::{Circuit, Tenancy};
use port::Port;
use sansim_component::demand::{Around, Class, Demand};
use sansim_component::network::Pace;
use sansim_component::{Component, Context, Message, Rest, Setting, Timer, Turn};
use sansim_describe::catalogue::Catalogue;
use sansim_fc::al_pa::AlPa;
use sansim_fc::arbitrated_loop::geometry::Geometry;
use sansim_fc::arbitrated_loop::{LoopParameters, Station};
use sansim_fc::frame::Frame;
use sansim_kernel::{EventKey, Span, Time, Total};
use sansim_request::RequestId;
use std::collections::VecDeque;
use turns::Turns;

/// A loop that carries circuits. See the module text.
#[derive(Clone, Debug)]
pub struct CircuitLoop {
    word: Span,
    geometry: Geometry,
    ports: Vec<Port>,
    al_pas: Vec<AlPa>,
    by_address: [u8; 256],
    turns: Turns,
    /// Who wins next.
    planned: Option<(usize, Time, EventKey)>,
    circuit: Option<Circuit>,
    /// Its owner keeps the loop between two circuits.
    transfer: Option<Tenancy>,
    /// Sequences on their way, of each direction of the circuit in order.
    flying: [VecDeque<Frame>; 2],
    account: Account,
}

/// What a timer says.
mod what {
    /// A sequence is in, at the port of this place.
    pub const ARRIVED: u8 = 0;
    /// A port has won.
    pub const WON: u8 = 1;
    /// The last frame of a sequence begins.
    pub const LEFT: u8 = 2;
    /// The last data frame of a read has been sent.
    pub const SENT: u8 = 3;
    /// A port in a circuit may send again, or close.
    pub const MAY_SEND: u8 = 4;
    /// The owner of the last circuit opens its next.
    pub const TRANSFER: u8 = 5;
    /// So many frames of a sequence have left that the outgoing FIFO has room for its last.
    pub const HAS_ROOM: u8 = 6;
}

/// What arrives is known before what ports decide in the same slot, and that comes after what nodes do.
const ARRIVES: u8 = 1;
const DECIDES: u8 = 3;

fn wake(cx: &mut Context<'_>, at: Time, what: u8, port: usize, direction: usize) -> EventKey {
    let priority = if what == what::ARRIVED { ARRIVES } else { DECIDES };
    let turn = Turn { priority, unit: u32::from(what) };
    cx.wake_cancellable(at, turn, Timer { what, place: port as u16, number: direction as u32 })
}

fn request_of(frame: &Frame) -> RequestId {
    RequestId(frame.tag.0)
}

impl CircuitLoop {
    /// A quiet loop of these stations, in downstream order, with nodes of this pace.
    pub fn new(parameters: &LoopParameters, stations: &[Station], nodes: &[Pace]) -> Self {
        let (word, geometry) = (parameters.word_time(), Geometry::of(parameters, stations));
        let al_pas: Vec<AlPa> = stations.iter().map(|station| station.al_pa).collect();
        let mut by_address = [u8::MAX; 256];
        for (port, al_pa) in al_pas.iter().enumerate() {
            by_address[usize::from(al_pa.value())] = port as u8;
        }
        let addresses: Vec<u8> = al_pas.iter().map(|al_pa| al_pa.value()).collect();
        let pace = |port: usize| nodes.get(port).copied().unwrap_or_default();
        let ports = stations.iter().enumerate().map(|(port, station)| Port::new(station, pace(port)));
        Self {
            word,
            ports: ports.collect(),
            turns: Turns::new(geometry.clone(), word, &addresses),
            geometry,
            al_pas,
            by_address,
            planned: None,
            circuit: None,
            transfer: None,
            flying: [VecDeque::with_capacity(64), VecDeque::with_capacity(64)],
            account: Account::default(),
        }
    }

    fn slot(&self, port: usize, now: Time) -> Time {
        self.geometry.slots(port).from(now)
    }

    fn words(&self, count: u64) -> Span {
        self.word * count
    }

    /// A whole number of words that holds a time.
    fn in_words(&self, time: Span) -> Span {
        self.word * time.ticks().div_ceil(self.word.ticks())
    }

    fn port_of(&self, al_pa: AlPa) -> Option<usize> {
        let port = usize::from(self.by_address[usize::from(al_pa.value())]);
        (port < self.ports.len()).then_some(port)
    }

    /// Says whether a port wants the loop.
    fn note(&mut self, now: Time, port: usize) {
        let slot = self.slot(port, now);
        let at = &self.ports[port];
        self.turns.note(port, at.queued() > 0, at.is_unfair(), slot);
    }

    /// Works out who has the loop next, if nobody has.
    fn plan(&mut self, cx: &mut Context<'_>) {
        if self.circuit.is_some() || self.transfer.is_some() {
            return;
        }
        let next = self.turns.next();
        if let Some((port, at, key)) = self.planned {
            if next == Some((port, at)) {
                return;
            }
            cx.cancel(key);
        }
        self.planned = next.map(|(port, at)| (port, at, wake(cx, at.max(cx.now), what::WON, port, 0)));
    }

    /// The node behind a port hands over a sequence.
    fn enqueue(&mut self, cx: &mut Context<'_>, port: usize, frame: Frame) {
        self.make_room(cx, port, &frame);
        let sending = self.circuit.as_ref().map_or(0, |circuit| circuit.left_to_send(port, cx.now));
        self.ports[port].put(frame, sending);
        self.note(cx.now, port);
        if self.circuit.is_some() {
            self.queued_in_circuit(cx, port);
        } else {
            self.tell_head(cx, port);
            self.plan(cx);
        }
    }

    /// The request of the first sequence of a port waits for the loop.
    fn tell_head(&self, cx: &mut Context<'_>, port: usize) {
        if let Some(head) = self.ports[port].head() {
            cx.enter(request_of(head), segment::LOOP);
        }
    }

    /// A sequence is in.
    fn arrived(&mut self, cx: &mut Context<'_>, port: usize, direction: usize) {
        let Some(frame) = self.flying[direction].pop_front() else { return };
        self.account.received(&frame);
        self.ports[port].occupied += 1;
        cx.frame_arrives(request_of(&frame), segment::CIRCUIT, segment::QUEUE);
        cx.send(port as u16, Message::Received(frame));
    }

    fn used(&self, now: Time) -> Use {
        self.account.until(now, self.circuit.as_ref().map(Circuit::carries))
    }
}

impl Component for CircuitLoop {
    type Parameters = LoopParameters;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn demand(parameters: &LoopParameters, class: &Class, around: &Around<'_>) -> Option<Demand> {
        Some(demand::of(parameters, class, around))
    }

    fn build(parameters: &LoopParameters, setting: &Setting<'_>) -> Self {
        Self::new(parameters, &setting.stations, &setting.nodes)
    }

    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        let (port, direction) = (usize::from(timer.place), timer.number as usize);
        match timer.what {
            what::ARRIVED => self.arrived(cx, port, direction),
            what::WON => self.won(cx, port),
            what::LEFT => self.last_frame_begins(cx, direction),
            what::SENT => self.sent(cx, direction),
            what::MAY_SEND => self.may_send(cx, direction),
            what::HAS_ROOM => self.has_room(cx, direction),
            _ => {
                if let Some(tenancy) = self.transfer.take() {
                    self.open(cx, port, tenancy, None);
                }
            }
        }
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        match message {
            Message::Send(frame) => self.enqueue(cx, usize::from(port), frame),
            Message::BufferFreed => self.ports[usize::from(port)].occupied -= 1,
            _ => {}
        }
    }

    fn places(&self) -> u16 {
        self.ports.len() as u16
    }

    fn gauge(&self, _now: Time, gauge: usize, place: u16) -> u32 {
        let port = &self.ports[usize::from(place)];
        if gauge == gauge::PORT_QUEUE { port.queued() as u32 } else { port.occupied }
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        let used = self.used(now);
        match meter {
            meter::OWNED => used.owned.into(),
            meter::CARRYING => used.carrying.into(),
            meter::BOTH_WAYS => used.both_ways.into(),
            meter::TENANCIES => Total(used.tenancies.into()),
            _ => Total(used.frames.into()),
        }
    }

    fn constant(&self, figure: usize) -> f64 {
        match figure {
            figure::ROUND_TRIP => self.geometry.round().as_ns_f64(),
            _ => self.ports.len() as f64,
        }
    }

    fn rest(&self, rest: &mut Rest) {
        self.account.rest(rest);
        rest.none("sequences left on their way", self.flying.iter().map(VecDeque::len).sum::<usize>() as u64);
        let queued: usize = self.ports.iter().map(Port::queued).sum();
        rest.none("sequences left in the queues of ports", queued as u64);
        let occupied: u64 = self.ports.iter().map(|port| u64::from(port.occupied)).sum();
        rest.none("buffers left taken", occupied);
    }
}
