//! Servers and channels: the operations on each server, and the use of each channel.

use super::FlashDrive;
use crate::agenda::FlashEvent;
use crate::operations::{Kind, NONE, Operation, Purpose};
use crate::parameters::SuspendableOperations;
use crate::records::CommandTimeParts;
use crate::server::{Doing, Interrupted};
use sansim_kernel::{Span, Time};

impl FlashDrive {
    /// An operation waits for the server of a plane.
    pub(super) fn wait_for_die(&mut self, number: u32, plane: u32, now: Time) {
        let server_number = self.mapping.layout().server_of_plane(plane);
        let server = &mut self.servers[server_number as usize];
        let operation = &mut self.operations[number];
        (operation.plane, operation.since, operation.started) = (plane, now, false);
        let Operation { kind, purpose, .. } = *operation;
        let of_host = !matches!(purpose, Purpose::Collection | Purpose::Folding);
        let read = kind == Kind::Read && of_host;
        if let Some(way) = self.operations.operation_times(number) {
            way.collected = server.collection_time(now);
        }
        if purpose == Purpose::Collection {
            server.collections.push(&mut self.operations, number);
        } else if purpose == Purpose::Folding {
            server.folds.push(&mut self.operations, number);
        } else if read {
            server.reads.push(&mut self.operations, number);
        } else {
            server.programs += 1;
            self.programs[plane as usize].push(&mut self.operations, number);
        }
        if read {
            self.interrupt(server_number, now);
        }
        self.wake(server_number, now);
    }

    /// A server may have an operation to begin.
    pub(super) fn wake(&mut self, number: u32, now: Time) {
        if self.servers[number as usize].doing == Doing::Nothing {
            self.begins_next(number, now);
        }
    }

    /// An operation has waited for its server: the waiting time is split into that for garbage collection and that for other operations.
    pub(super) fn ends_waiting(&mut self, number: u32, now: Time) {
        let Operation { plane, since, .. } = self.operations[number];
        let Some(way) = self.operations.operation_times(number) else { return };
        let server = self.mapping.layout().server_of_plane(plane);
        let collected = self.servers[server as usize].collection_time(now) - way.collected;
        let waited = now - since;
        way.spent.collection += collected.min(waited);
        way.spent.queue += waited.saturating_sub(collected);
        self.operations[number].since = now;
    }

    /// An idle server requests the channel to begin an operation, or continues an interrupted one.
    fn begins_next(&mut self, number: u32, now: Time) {
        let has_work = self.next_of(number).is_some();
        let server = &mut self.servers[number as usize];
        if has_work {
            server.doing = Doing::Asking;
            let channel = self.mapping.layout().channel_of_server(number);
            self.channels[channel as usize].asking.push_back(number);
            self.give_channel(channel, now);
        } else if let Some(interrupted) = server.interrupted.take() {
            server.doing = Doing::Working;
            (server.active, server.kind) = (interrupted.first, interrupted.kind);
            (server.array_from, server.array_until) = (now, now + interrupted.left);
            server.turn += 1;
            server.collects_since = interrupted.for_collection.then_some(now);
            self.agenda.add_event(server.array_until, FlashEvent::ArrayDone(number, server.turn));
            // Until it continues, the interrupted operation waited for the operation before it.
            let planes = self.each_spends(interrupted.first, now, |spent| &mut spent.queue);
            self.servers[number as usize].start_planes(now, planes);
        }
    }

    /// A read waits for a server: the server's operation may be interrupted.
    fn interrupt(&mut self, number: u32, now: Time) {
        let server = &mut self.servers[number as usize];
        let time = match (server.kind, self.rules.suspend) {
            (Kind::Erase, SuspendableOperations::Erase | SuspendableOperations::EraseAndProgram) => {
                self.rules.suspend_erase
            }
            (Kind::Program, SuspendableOperations::EraseAndProgram) => self.rules.suspend_program,
            _ => return,
        };
        let from = server.array_from.max(now);
        let left = server.array_until.saturating_since(from);
        let goes_first = server.collects_since.is_some() && server.short_planes > 0;
        if server.doing != Doing::Working || server.interrupted.is_some() || left <= time || goes_first {
            return;
        }
        server.doing = Doing::Suspending;
        server.turn += 1;
        let for_collection = server.collects_since.is_some();
        server.interrupted =
            Some(Interrupted { first: server.active, kind: server.kind, left, for_collection });
        self.counts.interruptions += 1;
        self.agenda.add_event(from + time, FlashEvent::Suspended(number, server.turn));
    }

    /// The operation of a server is interrupted.
    pub(super) fn suspended(&mut self, number: u32, turn: u32, now: Time) {
        let server = &self.servers[number as usize];
        let (known, active) = (server.turn, server.active);
        if known == turn {
            self.each_spends(active, now, |spent| &mut spent.array);
            self.rests(number, now);
        }
    }

    /// Attributes the time since the last call to a segment, for the operation with this number and the operations linked behind it.
    /// Returns the number of these operations.
    fn each_spends(
        &mut self,
        mut at: u32,
        now: Time,
        on: impl Fn(&mut CommandTimeParts) -> &mut Span,
    ) -> u32 {
        let mut count = 0;
        while at != NONE {
            self.operations.attribute_time(at, now, &on);
            at = self.operations[at].next;
            count += 1;
        }
        count
    }

    /// A server has no operation in work any more.
    fn rests(&mut self, number: u32, now: Time) {
        let server = &mut self.servers[number as usize];
        server.end_collecting(now);
        server.start_planes(now, 0);
        server.doing = Doing::Nothing;
        self.begins_next(number, now);
    }

    /// Gives a free channel to the next server that needs it.
    fn give_channel(&mut self, number: u32, now: Time) {
        loop {
            let channel = &mut self.channels[number as usize];
            if now < channel.until {
                if !channel.told && channel.has_waiting_server() {
                    channel.told = true;
                    self.agenda.add_event(channel.until, FlashEvent::ChannelFree(number));
                }
                return;
            }
            if channel.told || channel.offered {
                // The channel continues with the event of this moment, or when the begun operation is known.
                return;
            }
            let begins = self.rules.commands_first && !channel.asking.is_empty();
            if !begins && let Some(server) = channel.sending.pop_front() {
                let sent = self.servers[server as usize].active;
                let span = self.carried(self.operations[sent].moved);
                self.operations.attribute_time(sent, now, |spent| &mut spent.channel);
                let channel = &mut self.channels[number as usize];
                channel.occupy_channel(now, span);
                channel.carries = Some(server);
                channel.told = true;
                self.agenda.add_event(channel.until, FlashEvent::ChannelFree(number));
                return;
            }
            let Some(server) = channel.asking.pop_front() else { return };
            channel.offered = true;
            let taken = self.begin(server, now);
            let channel = &mut self.channels[number as usize];
            channel.offered = false;
            channel.occupy_channel(now, taken);
        }
    }

    /// A channel is free; the data that were on it have arrived.
    pub(super) fn channel_free(&mut self, number: u32, now: Time) {
        let channel = &mut self.channels[number as usize];
        channel.told = false;
        let Some(server_number) = channel.carries.take() else {
            self.give_channel(number, now);
            return;
        };
        let server = &mut self.servers[server_number as usize];
        let sent = server.active;
        self.operations.attribute_time(sent, now, |spent| &mut spent.transfer);
        server.active = self.operations[sent].next;
        let rests = server.active == NONE;
        if !rests {
            channel.sending.push_back(server_number);
        }
        // The end of a phase may determine the next operation of the server.
        self.phase_done(sent, now);
        if rests {
            self.rests(server_number, now);
        }
        self.give_channel(number, now);
    }

    /// A server has the channel and begins its next operation. Returns the time for which the channel is occupied.
    fn begin(&mut self, number: u32, now: Time) -> Span {
        let Some(first) = self.take_next(number, now) else {
            // All waiting operations were trimmed; the operation interrupted for them continues.
            self.servers[number as usize].doing = Doing::Nothing;
            self.begins_next(number, now);
            return Span::ZERO;
        };
        let Operation { kind, purpose, .. } = self.operations[first];
        let (mut taken, mut array, mut count, mut planes) = (Span::ZERO, Span::ZERO, 0, 0);
        let mut at = first;
        while at != NONE {
            self.ends_waiting(at, now);
            let own = self.on_channel(at);
            let page = self.page_time(kind, self.operations[at].unit);
            let operation = &mut self.operations[at];
            operation.started = true;
            let pages = u64::from(operation.pages);
            taken += own;
            array = array.max(page * pages);
            count += pages;
            planes += 1;
            at = operation.next;
        }
        match kind {
            Kind::Read => self.counts.reads += count,
            Kind::Program => self.counts.programs += count,
            Kind::Erase => self.counts.erases += count,
        }
        let server = &mut self.servers[number as usize];
        let is_own = matches!(purpose, Purpose::Collection | Purpose::Folding);
        server.collects_since = is_own.then_some(now);
        server.doing = Doing::Working;
        (server.active, server.kind) = (first, kind);
        (server.array_from, server.array_until) = (now + taken, now + taken + array);
        server.turn += 1;
        server.start_planes(now, planes);
        self.agenda.add_event(server.array_until, FlashEvent::ArrayDone(number, server.turn));
        let mut at = first;
        while at != NONE {
            let Operation { plane, next, since, .. } = self.operations[at];
            let own = self.on_channel(at);
            if let Some(way) = self.operations.operation_times(at) {
                // The channel transmits the commands one after the other, and the operations begin together.
                way.spent.transfer += own;
                way.spent.channel += now + taken - since - own;
                self.operations[at].since = now + taken;
            }
            // A program may have opened a block, so garbage collection is checked.
            if kind == Kind::Program {
                self.look_after(plane, now);
                self.fold_plane(plane, now);
            }
            at = next;
        }
        taken
    }

    /// The time for which an operation occupies the channel when it begins: for its commands, and the data of a program.
    fn on_channel(&self, number: u32) -> Span {
        let Operation { kind, pages, moved, .. } = self.operations[number];
        let commands = self.rules.command * u64::from(pages);
        if kind == Kind::Program { commands + self.carried(moved) } else { commands }
    }

    /// The time of this many bytes on a channel.
    fn carried(&self, bytes: u32) -> Span {
        let bytes = u64::from(bytes);
        if bytes == self.layout().unit_bytes() {
            self.rules.unit_carried
        } else {
            Span::to_move(bytes, self.rules.channel_rate)
        }
    }

    /// The operation of a server in the flash is done.
    pub(super) fn array_done(&mut self, number: u32, turn: u32, now: Time) {
        let server = &mut self.servers[number as usize];
        if server.turn != turn {
            return;
        }
        let (active, kind) = (server.active, server.kind);
        self.each_spends(active, now, |spent| &mut spent.array);
        let server = &mut self.servers[number as usize];
        if kind == Kind::Read {
            server.doing = Doing::Sending;
            let channel = self.mapping.layout().channel_of_server(number);
            self.channels[channel as usize].sending.push_back(number);
            self.give_channel(channel, now);
            return;
        }
        let mut at = std::mem::replace(&mut server.active, NONE);
        while at != NONE {
            let next = self.operations[at].next;
            self.phase_done(at, now);
            at = next;
        }
        self.rests(number, now);
    }
}
