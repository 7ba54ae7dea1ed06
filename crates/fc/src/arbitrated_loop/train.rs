//! A circuit of the fast loop at the begin and at the end of a train; see [`crate::loop_port::train`].
//!
//! While a train goes on, its frames and R_RDYs are not on the loop one by one. What was under way when it began arrives by the
//! events that it has, and is only taken off; what is under way when it ends is put on the loop then.

use super::fast::PortSet;
use super::{ArbitratedLoop, LoopEvent, Surroundings};
use crate::frame::Frame;
use crate::loop_port::train::{Received, Receiving, Sending, Sent};
use crate::word::{Item, Signal};
use sansim_kernel::{Span, Time};

/// A circuit that could carry a train.
#[derive(Clone, Copy, Debug)]
pub struct Circuit {
    /// The port that sends, and what it starts from.
    pub from: usize,
    /// See [`Circuit::from`].
    pub sending: Sending,
    /// The port that receives, and what it starts from.
    pub to: usize,
    /// See [`Circuit::to`].
    pub receiving: Receiving,
    /// Time of a word, and of the receiver's slots the start within it.
    pub word: Span,
    /// See [`Circuit::word`].
    pub phase: Span,
    /// From a slot of the sender to that of the receiver.
    pub there: Span,
    /// From a slot of the receiver to that of the sender.
    pub back: Span,
}

/// Something on its way to a port.
#[derive(Clone, Copy, Debug)]
pub struct UnderWay {
    /// What it is.
    pub item: Item,
    /// When the first word of it is in; of a frame the last.
    pub arrives: Time,
}

impl ArbitratedLoop {
    /// The circuit in which a port sends data frames, if it could carry a train. Only on the fast loop.
    pub fn circuit(&self, now: Time, from: usize) -> Option<Circuit> {
        if self.reference.is_some() {
            return None;
        }
        let sending = self.ports[from].sending_train()?;
        let to = self.index_of(self.ports[from].peer()?)?;
        if self.fast.others_in_circuit(from) != PortSet::of(to) {
            return None;
        }
        let receiving = self.ports[to].receiving_train(now)?;
        let there = self.geometry.distance(from, to);
        let back = self.geometry.distance(to, from);
        let phase = self.geometry.phase(to);
        Some(Circuit { from, sending, to, receiving, word: self.word, phase, there, back })
    }

    /// What is on its way to a port, in no order.
    pub fn under_way(&self, to: usize) -> impl Iterator<Item = UnderWay> {
        self.items.pending().filter(move |pending| pending.to == to).map(|pending| {
            let rest = if pending.has_begun { Span::ZERO } else { self.word * (pending.item.words()) };
            let takes = if matches!(pending.item, Item::Frame(_)) { rest } else { Span::ZERO };
            UnderWay { item: pending.item, arrives: pending.at + takes }
        })
    }

    /// An event of an end of a train is due: what it is about has been worked out already.
    pub fn pass_over(&mut self, now: Time, port: usize, event: LoopEvent, around: &mut impl Surroundings) {
        match event {
            LoopEvent::Item(id) => match self.items.get(id) {
                Item::Frame(frame) => self.frame_begins(now, port, id, &frame, around),
                Item::Signal(_) => self.items.remove(id),
            },
            LoopEvent::FrameEnd(id) => self.items.remove(id),
            LoopEvent::Fill | LoopEvent::Slot => {}
        }
    }

    /// A frame or an R_RDY of a train began here at this time. In order for each of both.
    pub fn note_passing(&mut self, from: usize, to: usize, sent: Time, length: Span) {
        self.fast.note_flight(sent, length, from, to, self.geometry.round());
    }

    /// A frame of a train, sent at this time, is under way when the train ends. `has_begun`: its first word is in.
    pub fn put_frame(
        &mut self,
        circuit: &Circuit,
        (sent, frame): (Time, Frame),
        has_begun: bool,
        around: &mut impl Surroundings,
    ) {
        let begins = sent + circuit.there;
        let item = Item::Frame(frame);
        if circuit.receiving.ready_between_frames && !has_begun {
            let id = self.items.put(item, circuit.to, begins, false);
            around.schedule(begins, circuit.to, LoopEvent::Item(id));
        } else {
            let ends = begins + self.word * frame.words();
            let id = self.items.put(item, circuit.to, ends, true);
            around.schedule(ends, circuit.to, LoopEvent::FrameEnd(id));
        }
    }

    /// An R_RDY of a train is under way when the train ends, and arrives then.
    pub fn put_ready(&mut self, circuit: &Circuit, arrives: Time, around: &mut impl Surroundings) {
        let id = self.items.put(Item::Signal(Signal::ReceiverReady), circuit.from, arrives, false);
        around.schedule(arrives, circuit.from, LoopEvent::Item(id));
    }

    /// So much of a train has passed; the ordinary events go on from here. `came`: frames that came to the queue of the sender
    /// meanwhile.
    pub fn end_train(
        &mut self,
        now: Time,
        circuit: &Circuit,
        (sent, came): (&Sent, impl Iterator<Item = Frame>),
        received: &Received,
        around: &mut impl Surroundings,
    ) {
        let state = self.ports[circuit.from].state();
        self.ports[circuit.from].sent_of_train(now, sent, came, &mut self.effects);
        self.apply(now, circuit.from, state, around);
        let state = self.ports[circuit.to].state();
        self.ports[circuit.to].received_of_train(now, received, &mut self.effects);
        self.apply(now, circuit.to, state, around);
    }

    /// The first word of a frame that is taken is in.
    pub(super) fn frame_begins(
        &mut self,
        now: Time,
        port: usize,
        id: u32,
        frame: &Frame,
        around: &mut impl Surroundings,
    ) {
        let end = now + self.word * frame.words();
        self.items.begins(id, end);
        around.schedule(end, port, LoopEvent::FrameEnd(id));
    }
}
