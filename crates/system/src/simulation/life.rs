//! The life of an I/O: issued by a workload, through its segments, back to the application.

use super::agenda::Message;
use super::{Io, Node, Simulation};
use crate::counted::IoRecord;
use crate::measure::Window;
use sansim_fc::frame::ExchangeId;
use sansim_fcp::exchange::Exchange;
use sansim_kernel::{Span, Time};
use sansim_observe::ledger::{Ledger, Segment};
use sansim_observe::observer::{IoStep, Observer};

impl<O: Observer> Simulation<O> {
    /// A slot of a workload issues its next request.
    pub(super) fn issue(&mut self, now: Time, workload: u16, slot: u32) {
        if self.balance.issued >= self.measurement.most() {
            return;
        }
        self.balance.issued += 1;
        let request = self.workloads[usize::from(workload)].next(slot);
        let (from, to) = &self.routes[usize::from(workload)];
        let (initiator, target) = (*from, to[request.drive as usize]);
        let Node::Drive { adapter, drive } = &self.nodes[usize::from(target)] else { return };
        let described = drive.parameters();
        let pieces = if request.write { described.write_burst() } else { described.read_pieces() };
        let burst = pieces.unwrap_or(request.bytes);
        let address = |s: u8| self.arbitrated_loop.ports()[usize::from(s)].al_pa();
        let target_address = adapter.al_pa();
        let exchange = Exchange {
            lba: request.lba,
            io: self.balance.issued - 1,
            ..Exchange::new(address(initiator), target_address, request.write, request.bytes, burst)
        };
        let id = self.exchanges.open(exchange);
        let index = id.0 as usize;
        if index == self.ios.len() {
            self.ios.push(None);
        }
        self.ios[index] = Some(Io { workload, slot, drive: target, initiator, ledger: Ledger::open(now) });
        if O::SEES && self.wants.ios {
            let issued = IoStep::Issued { initiator: usize::from(initiator), drive: usize::from(target) };
            self.observer.at_io(now, id, issued, &self.exchanges);
        }
        self.agenda.push(initiator, Message::Request(id));
    }

    /// The I/O is in another segment of its ledger.
    pub(super) fn enter(&mut self, now: Time, id: ExchangeId, segment: Segment) {
        if let Some(io) = &mut self.ios[id.0 as usize] {
            if O::SEES && self.wants.ios && io.ledger.segment() != segment {
                self.observer.at_io(now, id, IoStep::Enters(segment), &self.exchanges);
            }
            io.ledger.enter(now, segment);
        }
    }

    /// The segment that an I/O is in, if it has not come back to the application.
    pub(super) fn segment(&self, id: ExchangeId) -> Option<Segment> {
        self.ios[id.0 as usize].as_ref().map(|io| io.ledger.segment())
    }

    /// An I/O has come back to the application.
    pub(super) fn complete(&mut self, now: Time, id: ExchangeId) {
        let Some(mut io) = self.ios[id.0 as usize].take() else { return };
        let exchange = self.exchanges[id];
        // The status of a write may be back while the target still moves its data; the number stays taken until then.
        if !exchange.write || exchange.stored_bytes == exchange.bytes {
            self.exchanges.close(id);
        }
        let response = io.ledger.close(now);
        if O::SEES && self.wants.ios {
            let completed = IoStep::Completed { measured: self.measurement.is_open() };
            self.observer.at_io(now, id, completed, &self.exchanges);
        }
        self.balance.completed += 1;
        self.balance.data_completed += exchange.bytes;
        if io.ledger.spent().iter().copied().sum::<Span>() != response {
            self.balance.ledger_errors += 1;
            self.balance.first_ledger_error.get_or_insert(exchange.io);
        }
        let record = IoRecord {
            response,
            completed: now,
            spent: *io.ledger.spent(),
            bytes: exchange.bytes,
            io: exchange.io,
            lba: exchange.lba,
            workload: u32::from(io.workload),
            slot: io.slot,
            drive: u32::from(io.drive),
            write: exchange.write,
        };
        let window = self.measurement.complete(now, &record);
        if window != Window::Same {
            self.note(now, window);
        }
        self.go_on(now, io.workload, io.slot);
        debug_assert!(matches!(self.nodes[usize::from(io.initiator)], Node::Host { .. }));
    }

    /// Takes down how much loop and nodes have been used when the measured interval begins or ends, or may.
    fn note(&mut self, now: Time, window: Window) {
        let (loop_use, node_use) = (self.loop_use_until(now), self.node_use_until(now));
        match window {
            Window::Same => {}
            Window::MayOpen => self.openings.push((loop_use, node_use)),
            Window::MayOpenFewer => {
                self.openings.push((loop_use, node_use));
                let mut number = 0;
                self.openings.retain(|_| {
                    number += 1;
                    number % 2 == 0
                });
            }
            Window::Opens => (self.loop_use_at_opening, self.node_use_at_opening) = (loop_use, node_use),
            Window::Closes => {
                (self.loop_use_at_closing, self.node_use_at_closing) = (Some(loop_use), Some(node_use));
            }
        }
        self.next_edge = self.measurement.next_edge();
    }

    /// Begins and ends the measured interval where it is time, before an event at `now`.
    #[cold]
    pub(super) fn pass_edges(&mut self, now: Time) {
        while self.next_edge <= now {
            let at = self.next_edge;
            let window = self.measurement.pass_edge();
            self.note(at, window);
        }
    }

    /// A slot has its answer and goes on; with the last answer of a pass every slot does.
    fn go_on(&mut self, now: Time, number: u16, slot: u32) {
        let workload = &mut self.workloads[usize::from(number)];
        let next = workload.next_issue(now);
        let slots = if workload.completed(now, slot) { 0..workload.slots() } else { slot..slot + 1 };
        for slot in slots {
            if self.workloads[usize::from(number)].claim(slot) {
                self.schedule_issue(next, number, slot);
            }
        }
    }
}
