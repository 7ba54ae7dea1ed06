//! What the components want done. A wake becomes an event and an entry goes into the ledger at once; what is for another
//! component goes on the agenda. Delivered from there it is an input of that one.

use super::agenda::Message;
use super::order::Timer;
use super::{Around, Event, Node, Simulation};
use crate::usage::kind_index;
use sansim_fc::arbitrated_loop::{ArbitratedLoop, Upcall};
use sansim_fc::frame::{ExchangeId, Frame, FrameKind};
use sansim_fc::loop_port::Waiting;
use sansim_fcp::adapter::{Adapter, AdapterEffect};
use sansim_fcp::exchange::{AdapterStage, BLOCK_BYTES, ExchangeTable};
use sansim_host::driver::{Driver, DriverEffect};
use sansim_kernel::Time;
use sansim_observe::ledger::Segment;
use sansim_observe::observer::Observer;
use sansim_storage::drive::{Command, Drive, DriveEffect, DriveStage};

impl<O: Observer> Simulation<O> {
    /// Empties the agenda. Returns false when simulated time stands still. Out of line, because most events do without.
    #[inline(never)]
    pub(super) fn settle(&mut self, now: Time) -> bool {
        while let Some((station, message)) = self.agenda.next(now) {
            self.deliver(now, station, message);
        }
        self.agenda.ring().is_none()
    }

    fn deliver(&mut self, now: Time, station: u8, message: Message) {
        let port = usize::from(station);
        match message {
            Message::Send(frame) => {
                self.on_loop(now, |arbitrated_loop, around| {
                    arbitrated_loop.enqueue(now, port, frame, around)
                });
            }
            Message::BufferFreed => {
                self.on_loop(now, |arbitrated_loop, around| arbitrated_loop.buffer_freed(now, port, around));
            }
            Message::Received(frame) => {
                self.on_adapter(now, station, |adapter, table, out| adapter.received(now, frame, table, out));
            }
            Message::Started => {
                self.on_adapter(now, station, |adapter, table, out| adapter.started(now, table, out));
            }
            Message::Sent(frame) => {
                self.on_adapter(now, station, |adapter, table, out| adapter.sent(now, frame, table, out));
            }
            Message::CircuitEnded => {
                self.on_adapter(now, station, |adapter, table, out| adapter.circuit_ended(table, out));
            }
            Message::Submit(id) => {
                self.on_adapter(now, station, |adapter, table, out| adapter.submit(now, id, table, out));
            }
            Message::DataReady(id, end) => {
                self.on_adapter(now, station, |adapter, table, out| {
                    adapter.send_data(now, id, end, table, out);
                });
            }
            Message::BufferReady(id) => {
                self.on_adapter(now, station, |adapter, table, out| adapter.ask_for_data(id, table, out));
            }
            Message::Written(id) => {
                self.on_adapter(now, station, |adapter, table, out| adapter.respond(now, id, table, out));
            }
            Message::Command(id) => {
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
                self.on_drive(now, station, |drive, out| drive.command(now, command, out));
            }
            Message::BurstIn(id) => {
                self.on_drive(now, station, |drive, out| drive.piece_stored(now, id.0, out));
            }
            Message::StatusMade(id) => {
                self.on_drive(now, station, |drive, out| drive.finished(now, id.0, out));
            }
            Message::SentUpTo(byte) => {
                self.on_drive(now, station, |drive, out| drive.sent_up_to(now, byte, out));
            }
            Message::Request(id) => {
                self.on_driver(now, station, |driver, out| driver.arrive(now, id.0, out));
            }
            Message::Completed(id) => {
                self.on_driver(now, station, |driver, out| driver.complete(now, id.0, out));
            }
            Message::Done(id) => self.complete(now, id),
        }
    }

    /// Gives the loop an input and carries out its effects.
    pub(super) fn on_loop(&mut self, now: Time, input: impl FnOnce(&mut ArbitratedLoop, &mut Around<'_, O>)) {
        let mut around = Around {
            calendar: &mut self.calendar,
            upcalls: &mut self.upcalls,
            observer: &mut self.observer,
            wants: self.wants,
            exchanges: &self.exchanges,
        };
        input(&mut self.arbitrated_loop, &mut around);
        if !self.upcalls.is_empty() {
            self.loop_effects(now);
        }
    }

    fn loop_effects(&mut self, now: Time) {
        for number in 0..self.upcalls.len() {
            let (station, upcall) = self.upcalls[number];
            match upcall {
                Upcall::Received(frame) => {
                    self.balance.frames_received[kind_index(frame.kind)] += 1;
                    self.on_wire(now, &frame, false);
                    self.agenda.push(station, Message::Received(frame));
                }
                Upcall::Started(frame) => {
                    self.count_sent(now, &frame);
                    self.on_wire(now, &frame, true);
                    if frame.kind == FrameKind::Data {
                        self.agenda.push(station, Message::Started);
                        if frame.last_of_sequence {
                            let first = self.exchanges[frame.exchange].lba * BLOCK_BYTES;
                            let end = first + u64::from(frame.offset) + u64::from(frame.payload_bytes);
                            self.agenda.push(station, Message::SentUpTo(end));
                        }
                    }
                }
                Upcall::Sent(frame) => self.agenda.push(station, Message::Sent(frame)),
                Upcall::CircuitEnded => self.agenda.push(station, Message::CircuitEnded),
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
        self.upcalls.clear();
    }

    /// Gives an adapter an input and carries out its effects.
    pub(super) fn on_adapter(
        &mut self,
        now: Time,
        station: u8,
        input: impl FnOnce(&mut Adapter, &mut ExchangeTable, &mut Vec<AdapterEffect>),
    ) {
        if let Node::Host { adapter, .. } | Node::Drive { adapter, .. } =
            &mut self.nodes[usize::from(station)]
        {
            input(adapter, &mut self.exchanges, &mut self.adapter_out);
            self.adapter_effects(now, station);
        }
    }

    fn adapter_effects(&mut self, now: Time, station: u8) {
        for number in 0..self.adapter_out.len() {
            match self.adapter_out[number] {
                AdapterEffect::Due(block, at) => {
                    self.schedule(at, station, Timer::Adapter(block), Event::Adapter(station, block));
                    if O::SEES && self.wants.blocks {
                        self.show_block(now, at, station, block);
                    }
                }
                AdapterEffect::Stage(id, stage) => {
                    let comes = matches!(
                        stage,
                        AdapterStage::OutgoingBuffer | AdapterStage::DmaQueue | AdapterStage::Dma
                    );
                    // In a circuit that is held open for it, until it is there.
                    if !comes || self.segment(id) != Some(Segment::CircuitHeld) {
                        self.enter(now, id, segment_of(stage));
                    }
                }
                AdapterEffect::AllStored(id) => {
                    if self.ios[id.0 as usize].is_none() {
                        self.exchanges.close(id);
                    }
                }
                AdapterEffect::Enqueue(frame) => self.agenda.push(station, Message::Send(frame)),
                AdapterEffect::BufferFreed => self.agenda.push(station, Message::BufferFreed),
                AdapterEffect::CommandArrived(id) => self.agenda.push(station, Message::Command(id)),
                AdapterEffect::BurstIn(id) => self.agenda.push(station, Message::BurstIn(id)),
                AdapterEffect::StatusQueued(id) => self.agenda.push(station, Message::StatusMade(id)),
                AdapterEffect::Completed(id) => {
                    self.enter(now, id, Segment::CompletionQueue);
                    self.agenda.push(station, Message::Completed(id));
                }
            }
        }
        self.adapter_out.clear();
    }

    /// Gives the drive of a station, if there is one, an input and carries out its effects.
    pub(super) fn on_drive(
        &mut self,
        now: Time,
        station: u8,
        input: impl FnOnce(&mut Drive, &mut Vec<DriveEffect>),
    ) {
        let Node::Drive { drive, .. } = &mut self.nodes[usize::from(station)] else { return };
        input(drive, &mut self.drive_out);
        for number in 0..self.drive_out.len() {
            match self.drive_out[number] {
                DriveEffect::Due(tag, at) => {
                    self.schedule(at, station, Timer::Drive(tag), Event::Drive(station, tag));
                }
                DriveEffect::Stage(tag, stage) => {
                    let segment = match stage {
                        DriveStage::Queue => Segment::DriveQueue,
                        DriveStage::MediumTaken => Segment::MediaQueue,
                        DriveStage::Access => Segment::Access,
                        DriveStage::Transfer => Segment::MediaTransfer,
                    };
                    self.enter(now, ExchangeId(tag), segment);
                }
                DriveEffect::DataReady(tag, end) => {
                    self.agenda.push(station, Message::DataReady(ExchangeId(tag), end));
                }
                DriveEffect::BufferReady(tag) => {
                    self.agenda.push(station, Message::BufferReady(ExchangeId(tag)));
                }
                DriveEffect::Written(tag) => self.agenda.push(station, Message::Written(ExchangeId(tag))),
            }
        }
        self.drive_out.clear();
    }

    /// Gives the driver of a station, if there is one, an input and carries out its effects.
    pub(super) fn on_driver(
        &mut self,
        now: Time,
        station: u8,
        input: impl FnOnce(&mut Driver, &mut Vec<DriverEffect>),
    ) {
        let Node::Host { driver, .. } = &mut self.nodes[usize::from(station)] else { return };
        input(driver, &mut self.driver_out);
        for number in 0..self.driver_out.len() {
            match self.driver_out[number] {
                DriverEffect::ArrivalDue(at) => {
                    self.schedule(at, station, Timer::DriverArrival, Event::DriverArrival(station));
                }
                DriverEffect::CompletionDue(at) => {
                    self.schedule(at, station, Timer::DriverCompletion, Event::DriverCompletion(station));
                }
                DriverEffect::Arrives(io) => self.enter(now, ExchangeId(io), Segment::DriverArrival),
                DriverEffect::Completes(io) => self.enter(now, ExchangeId(io), Segment::DriverCompletion),
                DriverEffect::Submit(io) => self.agenda.push(station, Message::Submit(ExchangeId(io))),
                DriverEffect::Done(io) => self.agenda.push(station, Message::Done(ExchangeId(io))),
            }
        }
        self.driver_out.clear();
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

fn segment_of(stage: AdapterStage) -> Segment {
    match stage {
        AdapterStage::MessageQueue => Segment::MessageQueue,
        AdapterStage::Message => Segment::Message,
        AdapterStage::CommandLimit => Segment::CommandLimit,
        AdapterStage::ProcessorQueue => Segment::ProcessorQueue,
        AdapterStage::Command => Segment::CommandExecution,
        AdapterStage::TransferReady => Segment::TransferReady,
        AdapterStage::Response => Segment::Response,
        AdapterStage::OutgoingBuffer => Segment::OutgoingBuffer,
        AdapterStage::DmaQueue => Segment::DmaQueue,
        AdapterStage::Dma => Segment::Dma,
        AdapterStage::Port => Segment::PortQueue,
        AdapterStage::Circuit => Segment::Loop,
        AdapterStage::IncomingQueue => Segment::FrameProcessQueue,
        AdapterStage::Incoming => Segment::FrameProcess,
        AdapterStage::SingleFrameQueue => Segment::SingleFrameQueue,
        AdapterStage::SingleFrame => Segment::SingleFrame,
        // It has had its access, and between two sequences of a read the medium never rests.
        AdapterStage::Drive => Segment::MediaTransfer,
    }
}
