//! Commands in the drive, and their parts: what a part does next when something of it is done.

use super::FlashDrive;
use crate::agenda::Event;
use crate::mapping_cache::Looked;
use crate::records::{CommandKind, Kind, NONE, Operation, Phase, Purpose, Spent};
use sansim_kernel::{Span, Time};

impl FlashDrive {
    /// The controller has looked at a command.
    pub(super) fn enters(&mut self, number: u32, now: Time) {
        let active = &mut self.commands[number];
        active.since = now;
        let command = active.command;
        match command.kind {
            CommandKind::Write if self.buffer.exists() => {
                self.buffer.waiting.push_back(number);
                self.let_into_buffer(now);
            }
            CommandKind::Trim => {
                self.trim(command.first_byte, command.bytes);
                self.done.push(number);
            }
            CommandKind::Read | CommandKind::Write => self.begin_parts(number, now),
        }
    }

    /// The part of a command in each unit begins.
    fn begin_parts(&mut self, number: u32, now: Time) {
        let command = self.commands[number].command;
        let (unit_bytes, page) = (self.layout().unit_bytes(), self.layout().page_bytes);
        let write = command.kind == CommandKind::Write;
        let buffered = write && self.buffer.exists();
        let end = command.first_byte + command.bytes;
        let (first, last) = (command.first_byte / unit_bytes, (end - 1) / unit_bytes);
        self.commands[number].left = (last - first + 1) as u32;
        for logical in first..=last {
            let from = command.first_byte.saturating_sub(logical * unit_bytes);
            let to = (end - logical * unit_bytes).min(unit_bytes);
            let logical = logical as u32;
            if buffered && self.merges(logical) {
                continue;
            }
            let purpose = if buffered { Purpose::Buffered } else { Purpose::Command(number) };
            let part = Operation {
                bytes: to - from,
                touched: (to.div_ceil(page) - from / page) as u32,
                covered: (to / page).saturating_sub(from.div_ceil(page)) as u32,
                ..Operation::new(purpose, write, logical, now)
            };
            let part = self.operations.add(part);
            if buffered {
                let pages = self.operations[part].touched;
                self.buffer.take(logical, part, u64::from(pages) * page);
            }
            self.begin_part(part, now);
        }
    }

    /// Writes come into the buffer, in their order, as far as there is room.
    fn let_into_buffer(&mut self, now: Time) {
        while let Some(&number) = self.buffer.waiting.front() {
            let page = self.layout().page_bytes;
            let active = &mut self.commands[number];
            let command = active.command;
            let end = (command.first_byte + command.bytes).next_multiple_of(page);
            if !self.buffer.has_room(end - command.first_byte / page * page) {
                return;
            }
            let until = now + self.rules.buffer_latency;
            active.spent.buffer += until - active.since;
            self.buffer.waiting.pop_front();
            self.agenda.at(until, Event::Acknowledged(number));
            self.begin_parts(number, now);
        }
    }

    /// Whether what is written is added to what the buffer has of that unit and no die works on yet.
    fn merges(&mut self, logical: u32) -> bool {
        let merges = self.buffer.operation(logical).is_some_and(|number| {
            let operation = &self.operations[number];
            operation.phase != Phase::Itself || !operation.started
        });
        self.counts.merged += u64::from(merges);
        merges
    }

    /// Units that lie in it as a whole are written no more.
    pub(super) fn trim(&mut self, first_byte: u64, bytes: u64) {
        let unit_bytes = self.layout().unit_bytes();
        for logical in first_byte.div_ceil(unit_bytes)..(first_byte + bytes) / unit_bytes {
            let logical = logical as u32;
            if let Some(number) = self.buffer.forget(logical) {
                self.operations[number].trimmed = true;
            }
            if let Some(cache) = &mut self.cache {
                cache.look(logical, true);
            }
            self.mapping.trim(logical);
        }
    }

    /// A part begins: with its mapping entries, if they are not in memory.
    fn begin_part(&mut self, number: u32, now: Time) {
        let Operation { logical, write, .. } = self.operations[number];
        let looked = self.cache.as_mut().map_or(Looked::Here, |cache| cache.look(logical, write));
        let Looked::Missing { page, changed } = looked else {
            self.go_on(number, now);
            return;
        };
        self.counts.mapping_misses += 1;
        let (planes, page_bytes) = (self.layout().planes, self.layout().page_bytes);
        let part = &mut self.operations[number];
        (part.phase, part.unit, part.kind) = (Phase::Entries, NONE, Kind::Read);
        (part.pages, part.moved) = (1, page_bytes);
        self.wait_for_die(number, page % planes, now);
        if let Some(changed) = changed {
            let leaving = Operation {
                kind: Kind::Program,
                pages: 1,
                moved: page_bytes,
                ..Operation::new(Purpose::Entries, true, NONE, now)
            };
            let leaving = self.operations.add(leaving);
            self.wait_for_die(leaving, changed % planes, now);
        }
    }

    /// A part knows where its unit is: what it is for begins, or the reading of what it does not write.
    fn go_on(&mut self, number: u32, now: Time) {
        let Operation { logical, write, bytes, touched, covered, .. } = self.operations[number];
        let unit = self.mapping.unit(logical);
        let (unit_bytes, pages) = (self.layout().unit_bytes(), self.layout().pages);
        let part = &mut self.operations[number];
        part.kind = Kind::Read;
        match unit {
            _ if !write && self.buffer.operation(logical).is_some() => {
                self.counts.buffer_hits += 1;
                self.agenda.at(now + self.rules.buffer_latency, Event::Given(number));
                return;
            }
            None if !write => {
                self.counts.unwritten += 1;
                self.part_done(number, now);
                return;
            }
            Some(unit) if !write => {
                (part.phase, part.unit) = (Phase::Itself, unit);
                (part.pages, part.moved) = (touched, bytes);
            }
            Some(unit) if bytes < unit_bytes => {
                (part.phase, part.unit) = (Phase::Rest, unit);
                (part.pages, part.moved) = (pages - covered, unit_bytes - bytes);
            }
            _ => {
                self.write_unit(number, now);
                return;
            }
        }
        self.wait_for_die(number, self.layout().plane(logical), now);
    }

    /// A write has all of its unit, which gets a place when a die takes it.
    fn write_unit(&mut self, number: u32, now: Time) {
        let plane = self.layout().plane(self.operations[number].logical);
        self.program(number, NONE, plane, now);
    }

    /// A whole unit is to be programmed.
    pub(super) fn program(&mut self, number: u32, unit: u32, plane: u32, now: Time) {
        let (pages, unit_bytes) = (self.layout().pages, self.layout().unit_bytes());
        let part = &mut self.operations[number];
        (part.phase, part.kind, part.unit) = (Phase::Itself, Kind::Program, unit);
        (part.pages, part.moved) = (pages, unit_bytes);
        self.wait_for_die(number, plane, now);
    }

    /// The present phase of an operation is done.
    pub(super) fn phase_done(&mut self, number: u32, now: Time) {
        let part = &mut self.operations[number];
        match (part.purpose, part.phase) {
            (Purpose::Collection, _) => self.collection_goes_on(number, now),
            (_, Phase::Entries) => {
                part.spent = Spent { mapping: part.spent.total(), ..Spent::default() };
                self.go_on(number, now);
            }
            (_, Phase::Rest) => self.write_unit(number, now),
            (_, Phase::Itself) => self.part_done(number, now),
        }
    }

    /// A part is done.
    pub(super) fn part_done(&mut self, number: u32, now: Time) {
        let Operation { purpose, write, logical, bytes, touched, mut spent, .. } = self.operations[number];
        self.operations.remove(number);
        match purpose {
            Purpose::Command(command) => {
                let mut done = now;
                if !write {
                    let carried = self.rules.link_rate.map_or(Span::ZERO, |rate| Span::to_move(bytes, rate));
                    self.link_out = self.link_out.max(now).saturating_add(carried);
                    done = self.link_out;
                    spent.link += done - now;
                }
                let active = &mut self.commands[command];
                active.left -= 1;
                if active.left > 0 {
                    return;
                }
                active.spent = active.spent.and(&spent);
                if write {
                    self.done.push(command);
                } else {
                    self.agenda.leaves(done, command);
                }
            }
            Purpose::Buffered => {
                let page = self.layout().page_bytes;
                self.buffer.give_back(logical, number, u64::from(touched) * page);
                self.let_into_buffer(now);
            }
            Purpose::Entries | Purpose::Collection => {}
        }
    }
}
