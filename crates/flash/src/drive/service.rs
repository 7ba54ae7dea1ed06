//! Servers and channels: who works on what, and who has the channel.

use super::FlashDrive;
use crate::agenda::Event;
use crate::parameters::Suspend;
use crate::records::{Kind, NONE, Operation, Purpose};
use crate::server::{Doing, Interrupted};
use sansim_kernel::{Span, Time};

impl FlashDrive {
    /// An operation waits for the server of a plane.
    pub(super) fn wait_for_die(&mut self, number: u32, plane: u32, now: Time) {
        let server_number = self.mapping.layout().server(plane);
        let server = &mut self.servers[server_number as usize];
        let operation = &mut self.operations[number];
        (operation.plane, operation.since, operation.started) = (plane, now, false);
        operation.collected = server.collected_by(now);
        let read = operation.kind == Kind::Read && operation.purpose != Purpose::Collection;
        if operation.purpose == Purpose::Collection {
            server.collections.push(&mut self.operations, number);
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

    /// A server may have something to do.
    pub(super) fn wake(&mut self, number: u32, now: Time) {
        if self.servers[number as usize].doing == Doing::Nothing {
            self.begins_next(number, now);
        }
    }

    /// An operation has waited for its server: for garbage collection and for others.
    pub(super) fn ends_waiting(&mut self, number: u32, now: Time) {
        let operation = &mut self.operations[number];
        let server = self.mapping.layout().server(operation.plane);
        let collected = self.servers[server as usize].collected_by(now) - operation.collected;
        let waited = operation.lap(now);
        operation.spent.collection += collected.min(waited);
        operation.spent.queue += waited.saturating_sub(collected);
    }

    /// A server that does nothing asks for the channel to begin something, or goes on with what was interrupted.
    fn begins_next(&mut self, number: u32, now: Time) {
        let has_work = self.next_of(number).is_some();
        let server = &mut self.servers[number as usize];
        if has_work {
            server.doing = Doing::Asking;
            let channel = self.mapping.layout().channel(number);
            self.channels[channel as usize].asking.push_back(number);
            self.give_channel(channel, now);
        } else if let Some(interrupted) = server.interrupted.take() {
            server.doing = Doing::Working;
            (server.active, server.kind) = (interrupted.first, interrupted.kind);
            (server.array_from, server.array_until) = (now, now + interrupted.left);
            server.turn += 1;
            server.collects_since = interrupted.for_collection.then_some(now);
            self.agenda.at(server.array_until, Event::ArrayDone(number, server.turn));
            // Meanwhile it waited for what went before.
            let mut planes = 0;
            self.each_from(interrupted.first, |operation| {
                let lap = operation.lap(now);
                operation.spent.queue += lap;
                planes += 1;
            });
            self.servers[number as usize].work(now, planes);
        }
    }

    /// A read waits for a server: what it does may be interrupted.
    fn interrupt(&mut self, number: u32, now: Time) {
        let server = &mut self.servers[number as usize];
        let time = match (server.kind, self.rules.suspend) {
            (Kind::Erase, Suspend::Erase | Suspend::EraseAndProgram) => self.rules.suspend_erase,
            (Kind::Program, Suspend::EraseAndProgram) => self.rules.suspend_program,
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
        self.agenda.at(from + time, Event::Suspended(number, server.turn));
    }

    /// What a server did is interrupted.
    pub(super) fn suspended(&mut self, number: u32, turn: u32, now: Time) {
        let server = &self.servers[number as usize];
        let (known, active) = (server.turn, server.active);
        if known == turn {
            self.each_from(active, |operation| {
                let lap = operation.lap(now);
                operation.spent.array += lap;
            });
            self.rests(number, now);
        }
    }

    /// The operation with this number and those behind it that go with it.
    fn each_from(&mut self, mut at: u32, mut what: impl FnMut(&mut Operation)) {
        while at != NONE {
            let operation = &mut self.operations[at];
            what(operation);
            at = operation.next;
        }
    }

    /// A server has nothing in work any more.
    fn rests(&mut self, number: u32, now: Time) {
        let server = &mut self.servers[number as usize];
        server.end_collecting(now);
        server.work(now, 0);
        server.doing = Doing::Nothing;
        self.begins_next(number, now);
    }

    /// The channel goes to the next that wants it, if it is free.
    fn give_channel(&mut self, number: u32, now: Time) {
        loop {
            let channel = &mut self.channels[number as usize];
            if now < channel.until {
                if !channel.told && channel.is_wanted() {
                    channel.told = true;
                    self.agenda.at(channel.until, Event::ChannelFree(number));
                }
                return;
            }
            if channel.told || channel.offered {
                // It goes on when it is told, at this moment, or when it is known what is begun.
                return;
            }
            let begins = self.rules.commands_first && !channel.asking.is_empty();
            if !begins && let Some(server) = channel.sending.pop_front() {
                let operation = &mut self.operations[self.servers[server as usize].active];
                let span = Span::to_move(operation.moved, self.rules.channel_rate);
                let lap = operation.lap(now);
                operation.spent.channel += lap;
                channel.take(now, span);
                channel.carries = Some(server);
                channel.told = true;
                self.agenda.at(channel.until, Event::ChannelFree(number));
                return;
            }
            let Some(server) = channel.asking.pop_front() else { return };
            channel.offered = true;
            let taken = self.begin(server, now);
            let channel = &mut self.channels[number as usize];
            channel.offered = false;
            channel.take(now, taken);
        }
    }

    /// A channel is free; the data that it carried are there.
    pub(super) fn channel_free(&mut self, number: u32, now: Time) {
        let channel = &mut self.channels[number as usize];
        channel.told = false;
        let Some(server_number) = channel.carries.take() else {
            self.give_channel(number, now);
            return;
        };
        let server = &mut self.servers[server_number as usize];
        let sent = server.active;
        let operation = &mut self.operations[sent];
        let lap = operation.lap(now);
        operation.spent.transfer += lap;
        server.active = operation.next;
        let rests = server.active == NONE;
        if !rests {
            channel.sending.push_back(server_number);
        }
        // What comes of it may be what the server does next.
        self.phase_done(sent, now);
        if rests {
            self.rests(server_number, now);
        }
        self.give_channel(number, now);
    }

    /// A server has the channel and begins what is next. Returns how long the channel is taken.
    fn begin(&mut self, number: u32, now: Time) -> Span {
        let Some(first) = self.take_next(number, now) else {
            // All that waited was trimmed; what was interrupted for it goes on.
            self.servers[number as usize].doing = Doing::Nothing;
            self.begins_next(number, now);
            return Span::ZERO;
        };
        let Operation { kind, purpose, .. } = self.operations[first];
        let page = match kind {
            Kind::Read => self.rules.read,
            Kind::Program => self.rules.program,
            Kind::Erase => self.rules.erase,
        };
        let (mut taken, mut array, mut count, mut planes) = (Span::ZERO, Span::ZERO, 0, 0);
        let mut at = first;
        while at != NONE {
            self.ends_waiting(at, now);
            let own = self.on_channel(at);
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
        server.collects_since = (purpose == Purpose::Collection).then_some(now);
        server.doing = Doing::Working;
        (server.active, server.kind) = (first, kind);
        (server.array_from, server.array_until) = (now + taken, now + taken + array);
        server.turn += 1;
        server.work(now, planes);
        self.agenda.at(server.array_until, Event::ArrayDone(number, server.turn));
        let mut at = first;
        while at != NONE {
            let own = self.on_channel(at);
            let operation = &mut self.operations[at];
            // The channel carries one after the other, and they begin together.
            let lap = operation.lap(now + taken);
            operation.spent.transfer += own;
            operation.spent.channel += lap - own;
            let Operation { plane, next, .. } = *operation;
            // A program may have opened a block.
            if kind == Kind::Program {
                self.look_after(plane, now);
            }
            at = next;
        }
        taken
    }

    /// How long an operation that begins has the channel: for its commands, and the data of a program.
    fn on_channel(&self, number: u32) -> Span {
        let operation = &self.operations[number];
        let commands = self.rules.command * u64::from(operation.pages);
        if operation.kind == Kind::Program {
            commands + Span::to_move(operation.moved, self.rules.channel_rate)
        } else {
            commands
        }
    }

    /// What a server did in the flash is done.
    pub(super) fn array_done(&mut self, number: u32, turn: u32, now: Time) {
        let server = &mut self.servers[number as usize];
        if server.turn != turn {
            return;
        }
        let (mut at, kind) = (server.active, server.kind);
        while at != NONE {
            let operation = &mut self.operations[at];
            let lap = operation.lap(now);
            operation.spent.array += lap;
            at = operation.next;
        }
        if kind == Kind::Read {
            server.doing = Doing::Sending;
            let channel = self.mapping.layout().channel(number);
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
