//! What the components want done: an effect of one becomes an input of another, or an event.

use super::order::Timer;
use super::{Event, Node, Simulation};
use crate::usage::kind_index;
use sansim_fc::arbitrated_loop::Upcall;
use sansim_fc::frame::{ExchangeId, Frame, FrameKind};
use sansim_fc::loop_port::Waiting;
use sansim_fcp::adapter::{Adapter, AdapterEffect};
use sansim_fcp::exchange::{BLOCK_BYTES, ExchangeTable, Stage};
use sansim_host::driver::DriverEffect;
use sansim_kernel::Time;
use sansim_observe::ledger::Segment;
use sansim_observe::observer::Observer;
use sansim_storage::drive::{self, Command, Drive, DriveEffect};

impl<O: Observer> Simulation<O> {
    pub(super) fn driver_effects(&mut self, now: Time, station: u8) {
        let mut effects = std::mem::take(&mut self.driver_out);
        for effect in effects.drain(..) {
            match effect {
                DriverEffect::ArrivalDue(at) => {
                    self.schedule(at, station, Timer::DriverArrival, Event::DriverArrival(station));
                }
                DriverEffect::CompletionDue(at) => {
                    self.schedule(at, station, Timer::DriverCompletion, Event::DriverCompletion(station));
                }
                DriverEffect::Arrives(io) => self.enter(now, ExchangeId(io), Segment::DriverArrival),
                DriverEffect::Completes(io) => self.enter(now, ExchangeId(io), Segment::DriverCompletion),
                DriverEffect::Submit(io) => {
                    self.with_adapter(station, |adapter, table, out| {
                        adapter.submit(now, ExchangeId(io), table, out)
                    });
                }
                DriverEffect::Done(io) => self.complete(now, ExchangeId(io)),
            }
        }
        self.driver_out = effects;
    }

    /// Calls an adapter and puts what it wants done on the agenda.
    pub(super) fn with_adapter(
        &mut self,
        station: u8,
        call: impl FnOnce(&mut Adapter, &mut ExchangeTable, &mut Vec<AdapterEffect>),
    ) {
        let (Node::Initiator { adapter, .. } | Node::Target { adapter, .. }) =
            &mut self.nodes[usize::from(station)]
        else {
            return;
        };
        call(adapter, &mut self.exchanges, &mut self.adapter_out);
        self.agenda.extend(self.adapter_out.drain(..).map(|effect| (station, effect)));
    }

    /// Carries out everything on the agenda.
    pub(super) fn settle(&mut self, now: Time) {
        while let Some((station, effect)) = self.agenda.pop_front() {
            match effect {
                AdapterEffect::Due(unit, at) => {
                    self.schedule(at, station, Timer::Adapter(unit), Event::Adapter(station, unit));
                    if O::SEES && self.wants.blocks {
                        self.show_block(now, at, station, unit);
                    }
                }
                AdapterEffect::Enqueue(frame) => {
                    self.on_loop(|fabric, around| fabric.enqueue(now, usize::from(station), frame, around));
                    self.handle_upcalls(now);
                }
                AdapterEffect::BufferFreed => {
                    self.on_loop(|fabric, around| fabric.buffer_freed(now, usize::from(station), around));
                }
                AdapterEffect::Stage(id, stage) => {
                    let comes = matches!(stage, Stage::OutgoingBuffer | Stage::DmaQueue | Stage::Dma);
                    // In a circuit that is held open for it, until it is there.
                    if !comes || self.segment(id) != Some(Segment::CircuitHeld) {
                        self.enter(now, id, segment_of(stage));
                    }
                }
                AdapterEffect::CommandArrived(id) => {
                    let exchange = &self.exchanges[id];
                    let command = Command {
                        tag: id.0,
                        write: exchange.write,
                        bytes: exchange.bytes,
                        from: exchange.lba * BLOCK_BYTES,
                        to: (exchange.lba + exchange.blocks()) * BLOCK_BYTES,
                        piece: exchange.burst_bytes,
                        received: exchange.command_received,
                    };
                    self.with_drive(station, |drive, out| drive.command(now, command, out));
                    self.drive_effects(now, station);
                }
                AdapterEffect::BurstIn(id) => {
                    self.with_drive(station, |drive, out| drive.piece_stored(now, id.0, out));
                    self.drive_effects(now, station);
                }
                AdapterEffect::AllStored(id) => {
                    if self.ios[id.0 as usize].is_none() {
                        self.exchanges.close(id);
                    }
                }
                AdapterEffect::StatusQueued(id) => {
                    self.with_drive(station, |drive, out| drive.finished(now, id.0, out));
                    self.drive_effects(now, station);
                }
                AdapterEffect::Completed(id) => {
                    self.enter(now, id, Segment::CompletionQueue);
                    if let Node::Initiator { driver, .. } = &mut self.nodes[usize::from(station)] {
                        driver.complete(now, id.0, &mut self.driver_out);
                    }
                    self.driver_effects(now, station);
                }
            }
        }
    }

    fn with_drive(&mut self, station: u8, call: impl FnOnce(&mut Drive, &mut Vec<DriveEffect>)) {
        if let Node::Target { drive, .. } = &mut self.nodes[usize::from(station)] {
            call(drive, &mut self.drive_out);
        }
    }

    pub(super) fn drive_effects(&mut self, now: Time, station: u8) {
        let mut effects = std::mem::take(&mut self.drive_out);
        for effect in effects.drain(..) {
            match effect {
                DriveEffect::Due(tag, at) => {
                    self.schedule(at, station, Timer::Drive(tag), Event::Drive(station, tag));
                }
                DriveEffect::DataReady(tag, end) => self.with_adapter(station, |adapter, table, out| {
                    adapter.send_data(now, ExchangeId(tag), end, table, out);
                }),
                DriveEffect::BufferReady(tag) => self.with_adapter(station, |adapter, table, out| {
                    adapter.ask_for_data(ExchangeId(tag), table, out);
                }),
                DriveEffect::Written(tag) => self.with_adapter(station, |adapter, table, out| {
                    adapter.respond(now, ExchangeId(tag), table, out);
                }),
                DriveEffect::Stage(tag, stage) => {
                    let segment = match stage {
                        drive::Stage::Queue => Segment::DriveQueue,
                        drive::Stage::MediumTaken => Segment::MediaQueue,
                        drive::Stage::Access => Segment::Access,
                        drive::Stage::Transfer => Segment::MediaTransfer,
                    };
                    self.enter(now, ExchangeId(tag), segment);
                }
            }
        }
        self.drive_out = effects;
    }

    pub(super) fn handle_upcalls(&mut self, now: Time) {
        let mut upcalls = std::mem::take(&mut self.upcalls);
        for (port, upcall) in upcalls.drain(..) {
            match upcall {
                Upcall::Received(frame) => {
                    self.balance.frames_received[kind_index(frame.kind)] += 1;
                    self.on_wire(now, &frame, false);
                    self.with_adapter(port, |adapter, table, out| adapter.received(now, frame, table, out));
                }
                Upcall::Started(frame) => {
                    self.count_sent(now, &frame);
                    self.on_wire(now, &frame, true);
                    if frame.kind == FrameKind::Data {
                        self.with_adapter(port, |adapter, table, out| adapter.started(now, table, out));
                        if frame.last_of_sequence {
                            let first = self.exchanges[frame.exchange].lba * BLOCK_BYTES;
                            let end = first + u64::from(frame.offset) + u64::from(frame.payload_bytes);
                            self.with_drive(port, |drive, out| drive.sent_up_to(now, end, out));
                            self.drive_effects(now, port);
                        }
                    }
                }
                Upcall::Sent(frame) => {
                    self.with_adapter(port, |adapter, table, out| adapter.sent(now, frame, table, out));
                }
                Upcall::Waits(id, waiting) => {
                    let segment = match waiting {
                        Waiting::AccessWindow => Segment::AccessWindow,
                        Waiting::Loop => Segment::Loop,
                        Waiting::Credit => Segment::Credit,
                        Waiting::Wire => Segment::Wire,
                        Waiting::Held => Segment::CircuitHeld,
                        Waiting::Gathering => Segment::PortQueue,
                    };
                    self.enter(now, id, segment);
                }
                Upcall::CircuitEnded => {
                    self.with_adapter(port, |adapter, table, out| adapter.circuit_ended(table, out));
                }
                Upcall::Owns(true) => {
                    self.loop_use.tenancies += 1;
                    self.loop_use.owned_since = Some(now);
                }
                Upcall::Owns(false) => {
                    let since = self.loop_use.owned_since.take().unwrap_or(now);
                    self.loop_use.owned += now - since;
                }
            }
        }
        self.upcalls = upcalls;
    }

    /// The first word of a frame is on the wire, or its last word has been received.
    fn on_wire(&mut self, now: Time, frame: &Frame, starts: bool) {
        let exchange = &mut self.exchanges[frame.exchange];
        if starts {
            self.wire.begins(now);
            exchange.frames_on_wire += 1;
            return;
        }
        self.wire.ends(now);
        exchange.frames_on_wire -= 1;
        // Others of the exchange are still to be sent, and the port may have another exchange to tell about.
        let others_wait = exchange.frames_on_wire == 0 && exchange.frames_under_way > 1;
        let id = frame.exchange;
        if others_wait && self.segment(id) == Some(Segment::Wire) {
            self.enter(now, id, Segment::PortQueue);
        }
    }

    fn count_sent(&mut self, now: Time, frame: &Frame) {
        self.balance.frames_sent[kind_index(frame.kind)] += 1;
        if frame.kind == FrameKind::Data {
            self.balance.data_sent += u64::from(frame.payload_bytes);
        }
        self.loop_use.frame_begins(now, self.word * frame.words());
    }
}

fn segment_of(stage: Stage) -> Segment {
    match stage {
        Stage::MessageQueue => Segment::MessageQueue,
        Stage::Message => Segment::Message,
        Stage::CommandLimit => Segment::CommandLimit,
        Stage::ProcessorQueue => Segment::ProcessorQueue,
        Stage::Command => Segment::CommandExecution,
        Stage::TransferReady => Segment::TransferReady,
        Stage::Response => Segment::Response,
        Stage::OutgoingBuffer => Segment::OutgoingBuffer,
        Stage::DmaQueue => Segment::DmaQueue,
        Stage::Dma => Segment::Dma,
        Stage::Port => Segment::PortQueue,
        Stage::Circuit => Segment::Loop,
        Stage::IncomingQueue => Segment::FrameProcessQueue,
        Stage::Incoming => Segment::FrameProcess,
        Stage::SingleFrameQueue => Segment::SingleFrameQueue,
        Stage::SingleFrame => Segment::SingleFrame,
        // It has had its access, and between two sequences of a read the medium never rests.
        Stage::Drive => Segment::MediaTransfer,
    }
}
