//! The parts of commands in the drive: the next step of a part when a phase of it is done.

use super::FlashDrive;
use crate::agenda::FlashEvent;
use crate::mapping_cache::Looked;
use crate::operations::{Kind, NONE, Operation, Phase, Purpose};
use crate::records::{CommandKind, CommandTimeParts, FlashCommand};
use sansim_kernel::{Span, Time};

impl FlashDrive {
    /// The controller has processed a command.
    pub(super) fn enters(&mut self, number: u32, now: Time) {
        let active = &mut self.commands[number];
        active.since = now;
        let command = active.command;
        match command.kind {
            CommandKind::Write | CommandKind::ForcedWrite if self.buffer.exists() => {
                self.buffer.waiting.push_back(number);
                self.let_into_buffer(now);
            }
            CommandKind::Trim => {
                self.trim(command.first_byte, command.bytes);
                self.done.push(number);
            }
            CommandKind::Flush => {
                if self.rules.protected || self.buffer.flush(number) {
                    self.done.push(number);
                }
            }
            CommandKind::Read | CommandKind::Write | CommandKind::ForcedWrite => {
                self.begin_parts(number, now)
            }
        }
    }

    /// The part of a command in each unit begins.
    fn begin_parts(&mut self, number: u32, now: Time) {
        let command = self.commands[number].command;
        let (unit_bytes, page, pages) =
            (self.layout().unit_bytes(), self.layout().page_bytes, self.layout().pages);
        let write = command.kind.is_write();
        let buffered = write && self.buffer.exists();
        let forced = buffered && self.is_forced(number);
        let end = command.first_byte + command.bytes;
        let (first, last) =
            (self.layout().unit_of_byte(command.first_byte).0, self.layout().unit_of_byte(end - 1).0);
        self.commands[number].left = (last - first + 1) as u32;
        for logical in first..=last {
            let from = command.first_byte.saturating_sub(logical * unit_bytes);
            let to = (end - logical * unit_bytes).min(unit_bytes);
            let logical = logical as u32;
            let purpose = if buffered { Purpose::Buffered } else { Purpose::Command(number) };
            let (touched, covered) = if to - from == unit_bytes {
                (pages, pages)
            } else {
                let covered = (to / page).saturating_sub(from.div_ceil(page));
                (self.layout().pages_touched(from, to - from) as u32, covered as u32)
            };
            let part = Operation {
                bytes: (to - from) as u32,
                touched,
                covered,
                ..Operation::new(purpose, write, logical, now)
            };
            let part = if buffered {
                let slot = self.buffer.operation_entry(logical);
                let awaited = *slot;
                if awaited != NONE && self.operations[awaited].may_take_more() {
                    self.counts.merged += 1;
                    if forced {
                        self.buffer.await_operation(number, awaited);
                    }
                    continue;
                }
                let operation = self.operations.add(part);
                *slot = operation;
                self.operations[operation].epoch =
                    self.buffer.operation_waits(u64::from(part.touched) * page);
                if forced {
                    self.buffer.await_operation(number, operation);
                }
                operation
            } else {
                self.operations.add(part)
            };
            self.begin_part(part, now);
        }
    }

    /// Admits writes to the buffer, in their order, as far as there is room.
    fn let_into_buffer(&mut self, now: Time) {
        while let Some(&number) = self.buffer.waiting.front() {
            let FlashCommand { first_byte, bytes, .. } = self.commands[number].command;
            let pages = self.layout().pages_touched(first_byte, bytes);
            if !self.buffer.has_room(pages * self.layout().page_bytes) {
                return;
            }
            self.buffer.waiting.pop_front();
            if self.is_forced(number) {
                let active = &mut self.commands[number];
                active.spent.buffer += now - active.since;
                active.since = now;
            } else {
                self.acknowledge(number, now + self.rules.buffer_latency);
            }
            self.begin_parts(number, now);
        }
    }

    /// Whether a write is done only when its operations are: it has forced unit access, and the buffer does not survive a loss of power.
    fn is_forced(&self, number: u32) -> bool {
        self.commands[number].command.kind == CommandKind::ForcedWrite && !self.rules.protected
    }

    /// A write is acknowledged at this time, and has been in the buffer, or has waited for room in it, until then.
    fn acknowledge(&mut self, number: u32, until: Time) {
        let active = &mut self.commands[number];
        active.spent.buffer += until - active.since;
        self.agenda.add_event(until, FlashEvent::Acknowledged(number));
    }

    /// An operation of the buffer is done. A write with forced unit access is done with the last of its operations, and no earlier than the
    /// buffer would have acknowledged it.
    fn forced_operation_done(&mut self, operation: u32, now: Time) {
        while let Some(command) = self.buffer.next_forced(operation) {
            let active = &mut self.commands[command];
            active.left -= 1;
            if active.left == 0 {
                let until = now.max(active.since + self.rules.buffer_latency);
                self.acknowledge(command, until);
            }
        }
    }

    /// Trims the units that lie completely within a range.
    pub(super) fn trim(&mut self, first_byte: u64, bytes: u64) {
        let unit_bytes = self.layout().unit_bytes();
        for logical in first_byte.div_ceil(unit_bytes)..(first_byte + bytes) / unit_bytes {
            let logical = logical as u32;
            if let Some(number) = self.buffer.data_obsolete(logical) {
                let operation = &mut self.operations[number];
                operation.trimmed = true;
                let plane = operation.plane;
                self.programs[plane as usize].update_first_program(&self.operations);
            }
            if let Some(cache) = &mut self.cache {
                cache.look_up_entry(logical, true);
            }
            self.mapping.trim_unit(logical);
        }
    }

    /// A part begins: its mapping entries are loaded first, if they are not in memory.
    fn begin_part(&mut self, number: u32, now: Time) {
        let Operation { logical, write, .. } = self.operations[number];
        let looked = self.cache.as_mut().map_or(Looked::Here, |cache| cache.look_up_entry(logical, write));
        let Looked::Missing { page, changed } = looked else {
            self.go_on(number, now);
            return;
        };
        self.counts.mapping_misses += 1;
        let (planes, page_bytes) = (self.layout().planes, self.layout().page_bytes);
        let part = &mut self.operations[number];
        (part.phase, part.unit, part.kind) = (Phase::Entries, NONE, Kind::Read);
        (part.pages, part.moved) = (1, page_bytes as u32);
        self.wait_for_die(number, page % planes, now);
        if let Some(changed) = changed {
            let leaving = Operation {
                kind: Kind::Program,
                pages: 1,
                moved: page_bytes as u32,
                ..Operation::new(Purpose::Entries, true, NONE, now)
            };
            let leaving = self.operations.add(leaving);
            self.wait_for_die(leaving, changed % planes, now);
        }
    }

    /// The physical unit of a part is known: its read or program begins, or the read of the bytes that a write does not cover.
    fn go_on(&mut self, number: u32, now: Time) {
        let Operation { logical, write, bytes, touched, covered, .. } = self.operations[number];
        let (unit_bytes, pages) = (self.layout().unit_bytes() as u32, self.layout().pages);
        if write && bytes == unit_bytes {
            self.write_unit(number, now);
            return;
        }
        let unit = self.mapping.physical_unit(logical);
        let part = &mut self.operations[number];
        part.kind = Kind::Read;
        match unit {
            _ if !write && self.buffer.operation_of_unit(logical).is_some() => {
                self.counts.buffer_hits += 1;
                self.agenda.add_event(now + self.rules.buffer_latency, FlashEvent::Given(number));
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
            Some(unit) => {
                (part.phase, part.unit) = (Phase::Rest, unit);
                (part.pages, part.moved) = (pages - covered, unit_bytes - bytes);
            }
            None => {
                self.write_unit(number, now);
                return;
            }
        }
        self.wait_for_die(number, self.layout().plane_of_unit(logical), now);
    }

    /// A write covers all of its unit, which gets a physical unit when a die begins it.
    fn write_unit(&mut self, number: u32, now: Time) {
        let plane = self.layout().plane_of_unit(self.operations[number].logical);
        self.program(number, NONE, plane, now);
    }

    /// A whole unit is to be programmed.
    pub(super) fn program(&mut self, number: u32, unit: u32, plane: u32, now: Time) {
        let (pages, unit_bytes) = (self.layout().pages, self.layout().unit_bytes());
        let part = &mut self.operations[number];
        (part.phase, part.kind, part.unit) = (Phase::Itself, Kind::Program, unit);
        (part.pages, part.moved) = (pages, unit_bytes as u32);
        self.wait_for_die(number, plane, now);
    }

    /// The present phase of an operation is done.
    pub(super) fn phase_done(&mut self, number: u32, now: Time) {
        let part = &mut self.operations[number];
        match (part.purpose, part.phase) {
            (Purpose::Collection, _) => self.collection_goes_on(number, now),
            (Purpose::Folding, _) => self.folding_goes_on(number, now),
            (_, Phase::Entries) => {
                if let Some(way) = self.operations.operation_times(number) {
                    way.spent =
                        CommandTimeParts { mapping: way.spent.total_time(), ..CommandTimeParts::default() };
                }
                self.go_on(number, now);
            }
            (_, Phase::Rest) => self.write_unit(number, now),
            (_, Phase::Itself) => self.part_done(number, now),
        }
    }

    /// A part is done.
    pub(super) fn part_done(&mut self, number: u32, now: Time) {
        let Operation { purpose, write, logical, bytes, touched, epoch, .. } = self.operations[number];
        let mut spent =
            self.operations.operation_times(number).map_or_else(CommandTimeParts::default, |way| way.spent);
        self.operations.remove(number);
        match purpose {
            Purpose::Command(command) => {
                let mut done = now;
                if !write {
                    let carried =
                        self.rules.link_rate.map_or(Span::ZERO, |rate| Span::to_move(bytes.into(), rate));
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
                    self.agenda.will_complete(done, command);
                }
            }
            Purpose::Buffered => {
                let page = self.layout().page_bytes;
                self.buffer.programmed(logical, number, u64::from(touched) * page);
                self.buffer.operation_done(epoch);
                self.forced_operation_done(number, now);
                while let Some(flush) = self.buffer.next_flushed() {
                    let active = &mut self.commands[flush];
                    active.spent.buffer += now - active.since;
                    self.done.push(flush);
                }
                self.let_into_buffer(now);
            }
            Purpose::Entries | Purpose::Collection | Purpose::Folding => {}
        }
    }
}
