//! Hand-fed tests of the loop port: every input is given at a word slot, and what the port transmits is compared slot by
//! slot. This file has the test bench; arbitration and fill words, circuits, sequences and laws have files of their own.

mod ahead;
mod arbitration;
mod circuits;
mod cures;
mod laws;
mod queueing;
mod sequences;

use super::*;
use crate::delay::{Delay, WordTime};
use crate::frame::Pdu;
use crate::frame::PduKind;
use crate::slots::WordSlots;
use crate::word::PrimitiveSignal;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;
use std::ops::{Deref, DerefMut};

/// The word time of the trace in figure 5.3.
const WORD: Span = Span::from_ns(38);
const OWN: u8 = 0x10;
/// An address of higher priority than the port's own, and an address of lower priority.
const HIGH: u8 = 0x01;
const LOW: u8 = 0xE1;
/// The addresses of ports that are opened.
const X: u8 = 0x43;
const Y: u8 = 0x45;

fn al_pa(value: u8) -> AlPa {
    AlPa::new(value).expect("a valid address")
}

fn arb(value: u8) -> FillWord {
    FillWord::Arb(al_pa(value))
}

/// An OPN sent by `source` in full duplex, or in half duplex if there is no `source`.
fn opn(destination: u8, source: Option<u8>) -> PrimitiveSignal {
    PrimitiveSignal::Open { destination: al_pa(destination), source: source.map(al_pa) }
}

fn frame(kind: PduKind, number: u32, destination: u8, payload_bytes: u32) -> Frame {
    Frame::from(Pdu {
        tag: RequestTag(number),
        kind,
        source: al_pa(OWN).address(),
        destination: al_pa(destination).address(),
        payload_bytes,
        last_of_unit: false,
        last_of_data: false,
        ..Pdu::example()
    })
}

/// A data frame of 2 KiB: 521 words.
fn data(number: u32, destination: u8) -> Frame {
    frame(PduKind::Data, number, destination, 2048)
}

/// A command frame of 28 bytes as in figure 5.3: 16 words.
fn command(number: u32, destination: u8) -> Frame {
    frame(PduKind::Command, number, destination, 28)
}

fn slot_of(at: Time) -> u64 {
    (at - Time::ZERO).ticks() / WORD.ticks()
}

impl PortEffectReceiver for Vec<PortEffect> {
    fn push(&mut self, effect: PortEffect) {
        self.push(effect);
    }
}

/// The parts of a port under test.
struct Setup {
    port: PortParameters,
    schedule: ArbitrationSchedule,
    link: LoopFacts,
}

impl Deref for Setup {
    type Target = PortParameters;

    fn deref(&self) -> &PortParameters {
        &self.port
    }
}

impl DerefMut for Setup {
    fn deref_mut(&mut self) -> &mut PortParameters {
        &mut self.port
    }
}

/// A port with a clock that counts word slots.
struct Bench {
    port: LoopPort,
    now: u64,
    ends: Vec<(u64, Frame)>,
    effects: Vec<PortEffect>,
    log: Vec<(u64, PortEffect)>,
    wakes: Vec<Time>,
    /// Whether each fill word comes with the information that nothing comes in the next slot.
    stays_alone: bool,
}

impl Bench {
    /// A fair half-duplex port with one buffer and no login credit, modified by `change`. Every other port announced
    /// `their_login` buffers.
    fn new(their_login: u32, change: impl FnOnce(&mut Setup)) -> Self {
        let context = Facts::default().with_fact(WordTime(WORD));
        let keys = "incoming_buffers = 1\nwithin_sequence = \"close\"";
        let link = LoopFacts {
            al_pa: al_pa(OWN),
            word: WORD,
            slots: WordSlots::new(WORD, Span::ZERO),
            access_in_circuit: true,
            tells_ahead: false,
            tells_ends: true,
            area: 0,
            is_fl_port: false,
        };
        let mut setup = Setup {
            port: PortParameters::from_toml(keys, &context).expect("keys of a port"),
            schedule: ArbitrationSchedule::FAIR,
            link,
        };
        change(&mut setup);
        let login =
            Login { credit: their_login, full_duplex: true, dynamic_half_duplex: setup.dynamic_half_duplex };
        Self {
            port: LoopPort::new(&setup.port, &setup.schedule, setup.link, &[login; 256].into()),
            now: 0,
            ends: Vec::new(),
            effects: Vec::new(),
            log: Vec::new(),
            wakes: Vec::new(),
            stays_alone: false,
        }
    }

    /// A port that won the loop with these frames at slot 10: it sends OPN at 11, and ARB(F0) from 12 on.
    fn owner(their_login: u32, frames: &[Frame], change: impl FnOnce(&mut Setup)) -> Self {
        let mut bench = Self::new(their_login, change);
        for &frame in frames {
            bench.enqueue(2, frame);
        }
        bench.fill(10, arb(OWN));
        bench.to(12);
        assert_eq!(bench.port.state(), PortState::Open);
        bench
    }

    fn time(&self) -> Time {
        Time::ZERO + WORD * self.now
    }

    fn note(&mut self) {
        for effect in self.effects.drain(..) {
            if let PortEffect::Wake(at) = effect {
                self.wakes.push(at);
            }
            self.log.push((self.now, effect));
        }
    }

    /// Runs the port until before slot `slot`, whose arrivals come next.
    fn to(&mut self, slot: u64) -> &mut Self {
        while self.now < slot {
            if self.port.slot_comes(self.time()) {
                assert!(self.wakes.contains(&self.time()), "due at {} without a wish to wake", self.now);
                self.port.handle_slot(self.time(), &mut self.effects);
                self.note();
            }
            self.now += 1;
            while let Some(at) = self.ends.iter().position(|(end, _)| *end == self.now) {
                let (_, frame) = self.ends.remove(at);
                self.port.frame_end(self.time(), frame, &mut self.effects);
                self.note();
            }
        }
        self
    }

    /// A fill edge arrives.
    fn fill(&mut self, slot: u64, word: FillWord) {
        self.to(slot);
        self.port.receive_fill(self.time(), word, self.stays_alone, &mut self.effects);
        self.note();
    }

    /// An item arrives, with its first word in this slot.
    fn item(&mut self, slot: u64, item: LinkItem) {
        self.to(slot);
        let consumed = self.port.receive_item(self.time(), &item, &mut self.effects);
        if let (true, LinkItem::Frame(frame)) = (consumed, item) {
            self.ends.push((slot + frame.length_in_words(), frame));
        }
        self.note();
    }

    fn signal(&mut self, slot: u64, signal: PrimitiveSignal) {
        self.item(slot, LinkItem::Signal(signal));
    }

    /// The node hands over a frame.
    fn enqueue(&mut self, slot: u64, frame: Frame) {
        self.to(slot);
        self.port.enqueue(self.time(), frame, &mut self.effects);
        self.note();
    }

    /// The node empties a buffer.
    fn freed(&mut self, slot: u64) {
        self.to(slot);
        self.port.buffer_freed(self.time(), &mut self.effects);
        self.note();
    }

    /// The items whose transmission begins from slot `from` until before slot `until`: fill edges, signals and
    /// frames.
    fn sent(&mut self, from: u64, until: u64) -> String {
        self.to(until);
        let words = self.log.iter().filter(|(slot, _)| (from..until).contains(slot));
        let words = words.filter_map(|(slot, effect)| match effect {
            PortEffect::Fill(at, word) => Some(format!("{} {word}", slot_of(*at))),
            PortEffect::Send(at, LinkItem::Signal(signal)) => Some(format!("{} {signal}", slot_of(*at))),
            PortEffect::Send(_, LinkItem::Frame(frame)) => Some(format!("{slot} frame {}", frame.tag.0)),
            _ => None,
        });
        words.collect::<Vec<_>>().join(", ")
    }
}
