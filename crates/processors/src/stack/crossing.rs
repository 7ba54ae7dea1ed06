//! Polls that cross buses, to read a register of an adapter.
//!
//! A poll reads a register of its adapter. If the adapter is on a bus the processor needs the bus for the poll, as any adapter does that
//! moves data, and stalls until the bus is granted; the time of the poll (`poll_cycles`) begins then. A poll therefore lasts longer while
//! others have the bus, and keeps others from the bus while it reads.
//!
//! All processors reach a bus by one bridge, which serves one processor at a time, in the order of their requests (PCI Local Bus 2.2: a
//! bridge is one master). Each poll is an event here, because its end depends on others: with `poll_reads` a run of a server with little to
//! do takes longer. When all sources are exhausted and there is no work, threads pause until work comes.

use super::thread::Doing;
use super::{ApplianceProcessors, StackProcessors, what};
use sansim_component::{BusTransfer, Context, Message};
use std::collections::VecDeque;

/// The bridge to a bus.
#[derive(Clone, Debug)]
pub(super) struct Bridge {
    port: u16,
    /// Threads whose polls wait for the bridge, with their nodes: for the first the bridge has requested the bus. A thread that has been
    /// stopped leaves an empty entry in the line.
    line: VecDeque<Option<(usize, usize)>>,
}

impl Bridge {
    pub fn new(port: u16) -> Self {
        Self { port, line: VecDeque::with_capacity(16) }
    }
}

impl StackProcessors {
    /// Whether polls cross buses.
    pub(super) fn crosses(&self) -> bool {
        !self.bridges.is_empty()
    }

    /// Threads that poll from the beginning begin to poll.
    pub(super) fn begin_to_poll(&mut self, cx: &mut Context<'_>) {
        for node in 0..self.nodes.len() {
            for thread in 0..self.nodes[node].threads.len() {
                if self.nodes[node].threads[thread].doing != Doing::Stopped {
                    self.goes_to_poll(cx, node, thread);
                }
            }
            self.will_evaluate(cx, node);
        }
    }

    /// A thread polls next, when all events of this moment are handled: a job may still continue in line.
    pub(super) fn goes_to_poll(&mut self, cx: &mut Context<'_>, node: usize, thread: usize) {
        self.nodes[node].threads[thread].doing = Doing::Waits;
        self.ends_at(cx, node, thread, cx.now, what::LOOK);
    }

    /// A thread begins to poll the next adapter.
    pub(super) fn begins_poll(&mut self, cx: &mut Context<'_>, node: usize, thread: usize) {
        if cx.background_requests().sources_exhausted() && self.here.len() == self.free.len() {
            self.nodes[node].threads[thread].doing = Doing::Rests;
            return;
        }
        let card = self.nodes[node].threads[thread].card;
        let Some(bridge) = self.bridge_of[node][card] else {
            self.nodes[node].threads[thread].doing = Doing::Reads { since: cx.now, granted: cx.now };
            self.ends_at(cx, node, thread, cx.now + self.poll, what::POLLED);
            return;
        };
        self.nodes[node].threads[thread].doing = Doing::Crosses(cx.now);
        self.bridges[bridge].line.push_back(Some((node, thread)));
        if self.bridges[bridge].line.len() == 1 {
            self.asks_bus(cx, bridge);
        }
    }

    fn asks_bus(&self, cx: &mut Context<'_>, bridge: usize) {
        let ApplianceProcessors::Polling(polling) = &self.parameters.model else { return };
        // The bridge is as fast as any bus.
        let transfer = BusTransfer {
            request: None,
            bytes: polling.poll_reads,
            bytes_per_second: None,
            into_memory: true,
        };
        cx.send(self.bridges[bridge].port, Message::Transfer(transfer));
    }

    /// Handles a message of a bus about a poll.
    pub(super) fn bus_told(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        let Some(bridge) = self.bridges.iter().position(|bridge| bridge.port == port) else { return };
        let first = self.bridges[bridge].line.front().copied().flatten();
        match (message, first) {
            (Message::Granted(_, until), Some((node, thread))) => {
                let (since, granted) = match self.nodes[node].threads[thread].doing {
                    Doing::Crosses(since) => (since, cx.now),
                    Doing::Reads { since, granted } => (since, granted),
                    _ => return,
                };
                self.nodes[node].threads[thread].doing = Doing::Reads { since, granted };
                self.ends_at(cx, node, thread, until.max(granted + self.poll), what::POLLED);
            }
            (Message::Preempted(_), Some((node, thread))) => self.stop_looking(cx, node, thread),
            (Message::Transferred(..), _) => {
                self.bridges[bridge].line.pop_front();
                if !self.bridges[bridge].line.is_empty() {
                    self.asks_bus(cx, bridge);
                }
            }
            _ => {}
        }
    }

    /// A poll is over, whether or not it finds a job.
    pub(super) fn poll_over(&mut self, cx: &mut Context<'_>, node: usize, thread: usize) {
        let of_it = &mut self.nodes[node];
        let cards = of_it.cards.len();
        let one = &mut of_it.threads[thread];
        one.ends = None;
        let Doing::Reads { since, .. } = one.doing else { return };
        let card = one.card;
        one.card = (card + 1) % cards;
        if let Some(place) = of_it.cards[card].pop_front() {
            of_it.productive += 1;
            of_it.found_in += cx.now - since;
            self.works_on(cx, node, thread, place);
        } else {
            of_it.unproductive += 1;
            if one.stops {
                self.is_done(cx, node, thread);
            } else {
                self.begins_poll(cx, node, thread);
            }
        }
    }

    /// There is work again, after all sources were exhausted: paused threads poll again.
    pub(super) fn rouses(&mut self, cx: &mut Context<'_>, node: usize) {
        for thread in 0..self.nodes[node].threads.len() {
            if self.nodes[node].threads[thread].doing == Doing::Rests {
                self.goes_to_poll(cx, node, thread);
            }
        }
    }

    /// A thread is stopped, and its poll is removed from the line of the bridge.
    pub(super) fn leaves_line(&mut self, node: usize, thread: usize) {
        for bridge in &mut self.bridges {
            let Some(place) = bridge.line.iter().position(|of| *of == Some((node, thread))) else { continue };
            if place == 0 {
                bridge.line[0] = None;
            } else {
                bridge.line.remove(place);
            }
        }
    }
}
