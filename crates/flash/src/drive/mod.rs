//! The flash drive as a model with time.
//!
//! The caller submits commands, asks for the time of the next event ([`FlashDrive::next_event`]), and advances the drive to it
//! ([`FlashDrive::advance_to`]); completions go to a sink, in the order of time. Time never goes back.
//!
//! A command arrives over the link (a write with its data), passes the controller, and becomes an operation for each mapping unit. An
//! operation waits for its server (the chip, die or plane that does one operation at a time), occupies the channel for its command and the
//! data of a program, then works in the flash; a read occupies the channel again for its data, which are sent over the link. On the
//! channel, servers with data precede servers that would begin an operation, or follow them (`commands_first`), both in the order of their
//! requests. Reads precede programs, and programs precede garbage collection, whose page moves hosts may interrupt; without
//! `preemptible_gc`, or where too few blocks are free, a collection is carried out as a whole.
//!
//! A drive may have an SLC cache, which takes what hosts write as long as it has room ([`folding`]).
//!
//! Source: the structure of MQSim (Tavakkol et al., FAST 2018), without its text or code.

mod choice;
mod collection;
mod folding;
mod parts;
mod service;
mod warming;

use crate::agenda::{FlashAgenda, FlashEvent, NextFlashEvent};
use crate::buffer::Buffer;
use crate::layout::FlashLayout;
use crate::mapping::{FlashWrites, Mapping};
use crate::mapping_cache::MappingCache;
use crate::operations::{Line, NONE, Operation, Operations, Purpose};
use crate::parameters::{FlashParameters, KeyContradiction, PlaneParallelism, SuspendableOperations};
use crate::records::{Active, CommandKind, CommandTimeParts, CompletedCommand, FlashCommand, Slab};
use crate::server::{Channel, Server};
use folding::Folding;
use sansim_kernel::{RandomStream, Span, Time, Total};
use warming::Warming;

/// The most bytes of a command that moves data.
pub const LONGEST_COMMAND: u64 = 4 << 30;

/// The reason why a command is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandRefused {
    /// The command has no bytes.
    Empty,
    /// The command is longer than [`LONGEST_COMMAND`].
    TooLong,
    /// The command ends behind the end of the drive, which has this many bytes.
    BeyondEnd(u64),
    /// The drive can be filled without time only while it is idle.
    Busy,
    /// The drive has been written before, so it cannot be filled in order.
    NotFresh,
}

impl std::fmt::Display for CommandRefused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Empty => write!(f, "a command of 0 B; give it a length"),
            Self::TooLong => write!(f, "a command of more than {LONGEST_COMMAND} B; split it"),
            Self::BeyondEnd(capacity) => {
                write!(f, "a command ends behind the end of the drive, at {capacity} B")
            }
            Self::Busy => write!(f, "commands are in the drive; fill it before the first or after the last"),
            Self::NotFresh => write!(f, "the drive was written before; only a fresh one is filled in order"),
        }
    }
}

impl std::error::Error for CommandRefused {}

/// The space of the flash that is in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlashSpaceUse {
    /// The bytes of blocks that are not free.
    pub used: u64,
    /// The bytes that hosts wrote, up to now.
    pub written: u64,
    /// The bytes in use from which on garbage is collected.
    pub collected_from: u64,
}

/// The counts of operations in the flash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlashCounts {
    /// The number of reads in the flash. Several planes that work by one command count as several operations.
    pub reads: u64,
    /// The number of programs; see `reads`.
    pub programs: u64,
    /// The number of erases; see `reads`.
    pub erases: u64,
    /// The number of programs and erases that were interrupted.
    pub interruptions: u64,
    /// The number of units that were read from the buffer.
    pub buffer_hits: u64,
    /// The number of writes to a unit that was in the buffer and whose program had not begun.
    pub merged: u64,
    /// The number of pages of mapping entries that were read.
    pub mapping_misses: u64,
    /// The number of units that were read and had never been written, or were trimmed.
    pub unwritten: u64,
}

/// Times and choices of the keys, in the form in which they are needed at every step.
#[derive(Clone, Debug)]
struct Rules {
    command: Span,
    read: Span,
    program: Span,
    erase: Span,
    channel_rate: u64,
    /// The time of a unit on the channel.
    unit_carried: Span,
    multi_plane: bool,
    commands_first: bool,
    suspend: SuspendableOperations,
    suspend_program: Span,
    suspend_erase: Span,
    overhead: Span,
    interval: Span,
    link_rate: Option<u64>,
    buffer_latency: Span,
    /// Whether the buffer survives a loss of power.
    protected: bool,
}

/// A flash drive as a model with time: commands, buffer, dies and garbage collection.
#[derive(Clone, Debug)]
pub struct FlashDrive {
    rules: Rules,
    mapping: Mapping,
    cache: Option<MappingCache>,
    buffer: Buffer,
    /// The random stream by which victims are drawn.
    random: RandomStream,
    servers: Vec<Server>,
    channels: Vec<Channel>,
    agenda: FlashAgenda,
    commands: Slab<Active>,
    operations: Operations,
    /// For each plane the waiting programs, of hosts and of the mapping; and the victim with the progress of its copying.
    programs: Vec<Line>,
    victims: Vec<Option<(u32, u32)>>,
    short: Vec<bool>,
    link_in: Time,
    link_out: Time,
    controller: Time,
    /// Commands that are done at this moment.
    done: Vec<u32>,
    counts: FlashCounts,
    /// The folding of the SLC cache, if there is one.
    folding: Option<Folding>,
    warming: Warming,
    /// The time to which the drive has been advanced.
    now: Time,
}

impl FlashDrive {
    /// A fresh drive. `random` is the stream by which victims of garbage collection are drawn.
    ///
    /// # Errors
    /// Two keys contradict each other.
    pub fn new(parameters: &FlashParameters, random: RandomStream) -> Result<Self, KeyContradiction> {
        if let Some(contradiction) = parameters.contradiction() {
            return Err(contradiction);
        }
        let mapping = Mapping::new(parameters);
        let layout = mapping.layout();
        let (planes, servers) = (layout.planes, layout.server_count());
        let limit = |bytes: u64| {
            let bytes = u128::from(bytes) * u128::from(parameters.dirty_limit.millionths) / 1_000_000;
            u64::try_from(bytes).unwrap_or(u64::MAX)
        };
        let cache = parameters.mapping_cache;
        let mut operations = Operations::new();
        for plane in 0..planes {
            let number = operations.add(Operation::new(Purpose::Collection, true, NONE, Time::ZERO));
            debug_assert_eq!(number, plane);
        }
        let folding = Folding::new(parameters, planes);
        if folding.is_some() {
            Self::add_fold_operations(&mut operations, planes);
        }
        Ok(Self {
            rules: Rules {
                command: parameters.command_time,
                read: parameters.read_time,
                program: parameters.program_time,
                erase: parameters.erase_time,
                channel_rate: parameters.channel_rate,
                unit_carried: Span::to_move(layout.unit_bytes(), parameters.channel_rate),
                multi_plane: parameters.plane_operations == PlaneParallelism::MultiPlane,
                commands_first: parameters.commands_first,
                suspend: parameters.suspend,
                suspend_program: parameters.suspend_program_time,
                suspend_erase: parameters.suspend_erase_time,
                overhead: parameters.command_overhead,
                interval: parameters.command_interval,
                link_rate: parameters.link_rate,
                buffer_latency: parameters.buffer_latency,
                protected: parameters.power_loss_protection,
            },
            cache: cache.map(|bytes| MappingCache::new(bytes, layout.logical_units(), layout.page_bytes)),
            buffer: Buffer::new(parameters.buffer.map(limit)),
            random,
            servers: (0..servers).map(|_| Server::new()).collect(),
            channels: (0..layout.channels).map(|_| Channel::new(servers / layout.channels)).collect(),
            agenda: FlashAgenda::default(),
            commands: Slab::new(),
            operations,
            programs: vec![Line::EMPTY; planes as usize],
            victims: vec![None; planes as usize],
            short: vec![false; planes as usize],
            link_in: Time::ZERO,
            link_out: Time::ZERO,
            controller: Time::ZERO,
            done: Vec::new(),
            counts: FlashCounts::default(),
            folding,
            warming: Warming::default(),
            now: Time::ZERO,
            mapping,
        })
    }

    fn layout(&self) -> &FlashLayout {
        self.mapping.layout()
    }

    /// The bytes that hosts see.
    pub fn capacity(&self) -> u64 {
        u64::from(self.layout().logical_units()) * self.layout().unit_bytes()
    }

    fn check(&self, kind: CommandKind, first_byte: u64, bytes: u64) -> Result<(), CommandRefused> {
        match first_byte.checked_add(bytes) {
            _ if bytes == 0 => Err(CommandRefused::Empty),
            _ if bytes > LONGEST_COMMAND && kind != CommandKind::Trim => Err(CommandRefused::TooLong),
            Some(end) if end <= self.capacity() => Ok(()),
            _ => Err(CommandRefused::BeyondEnd(self.capacity())),
        }
    }

    /// A command comes, at a time that is no earlier than the last call. Events at the time of the command happen with
    /// [`advance`](Self::advance_to).
    ///
    /// # Errors
    /// The reason why the command is refused.
    pub fn submit_command(&mut self, now: Time, command: FlashCommand) -> Result<(), CommandRefused> {
        if command.kind != CommandKind::Flush {
            self.check(command.kind, command.first_byte, command.bytes)?;
        }
        debug_assert!(now >= self.now, "time goes back");
        self.now = now;
        self.program_buffered_writes();
        self.command_seen(now);
        let active =
            Active { command, submitted: now, since: now, spent: CommandTimeParts::default(), left: 0 };
        let number = self.commands.add(active);
        match self.rules.link_rate {
            Some(rate) if command.kind.is_write() => {
                let carried = Span::to_move(command.bytes, rate);
                self.link_in = self.link_in.max(now).saturating_add(carried);
                self.commands[number].spent.link = self.link_in - now;
                self.agenda.data_will_arrive(self.link_in, number);
            }
            _ => self.reaches_controller(number, now),
        }
        Ok(())
    }

    fn reaches_controller(&mut self, number: u32, now: Time) {
        let begins = self.controller.max(now);
        self.controller = begins.saturating_add(self.rules.interval);
        let enters = begins.saturating_add(self.rules.overhead);
        self.commands[number].spent.controller = enters - now;
        self.agenda.will_be_processed(enters, number);
    }

    /// The time of the next event; [`Time::NEVER`] if there is no event until the next command.
    #[inline]
    pub fn next_event(&self) -> Time {
        self.agenda.next_time()
    }

    /// Carries out all events up to a time, including that time. Completions are passed to the sink.
    pub fn advance_to(&mut self, now: Time, mut sink: impl FnMut(CompletedCommand)) {
        while let Some((at, next)) = self.agenda.take_due_event(now) {
            self.now = at;
            match next {
                NextFlashEvent::Event(FlashEvent::ChannelFree(channel)) => self.channel_free(channel, at),
                NextFlashEvent::Event(FlashEvent::ArrayDone(server, turn)) => {
                    self.array_done(server, turn, at)
                }
                NextFlashEvent::Event(FlashEvent::Suspended(server, turn)) => {
                    self.suspended(server, turn, at)
                }
                NextFlashEvent::Event(FlashEvent::Acknowledged(command)) => self.done.push(command),
                NextFlashEvent::Event(FlashEvent::Idle) => self.maybe_idle(at),
                NextFlashEvent::Event(FlashEvent::Given(operation)) => {
                    self.operations.attribute_time(operation, at, |spent| &mut spent.buffer);
                    self.part_done(operation, at);
                }
                NextFlashEvent::Arrives(command) => self.reaches_controller(command, at),
                NextFlashEvent::Enters(command) => self.enters(command, at),
                NextFlashEvent::Leaves(command) => self.done.push(command),
            }
            if !self.done.is_empty() {
                self.command_seen(at);
            }
            for number in self.done.drain(..) {
                let Active { command, submitted, spent, .. } = self.commands[number];
                self.commands.remove(number);
                debug_assert_eq!(spent.total_time(), at - submitted, "{command:?} {spent:?}");
                sink(CompletedCommand { tag: command.tag, kind: command.kind, submitted, done: at, spent });
            }
        }
        self.now = self.now.max(now);
    }

    /// The time to which the drive has been advanced.
    pub fn current_time(&self) -> Time {
        self.now
    }

    /// The number of commands in the drive.
    pub fn command_count(&self) -> usize {
        self.commands.len()
    }

    /// Whether the drive is idle: no command, no data left in the buffer, no garbage collection, nothing to fold.
    pub fn is_idle(&self) -> bool {
        self.agenda.next_time() == Time::NEVER && self.commands.len() == 0
    }

    /// The bytes in the buffer that wait to be programmed.
    pub fn dirty_bytes(&self) -> u64 {
        self.buffer.waiting_bytes()
    }

    /// The counts of operations in the flash.
    pub fn counts(&self) -> FlashCounts {
        self.counts
    }

    /// The units written and blocks erased so far, including those without time.
    pub fn write_counts(&self) -> FlashWrites {
        self.mapping.write_counts()
    }

    /// The space of the flash that is in use.
    pub fn space_in_use(&self) -> FlashSpaceUse {
        let layout = self.layout();
        let (planes, block_bytes) = (u64::from(layout.planes), u64::from(layout.units) * layout.unit_bytes());
        let all = planes * u64::from(layout.blocks);
        let free: u64 = (0..layout.planes).map(|plane| u64::from(self.mapping.free_blocks(plane))).sum();
        FlashSpaceUse {
            used: (all - free) * block_bytes,
            written: self.write_counts().by_hosts * layout.unit_bytes(),
            collected_from: all.saturating_sub(planes * u64::from(self.mapping.collection_start_blocks()))
                * block_bytes,
        }
    }

    /// The mapping, for reading.
    pub fn mapping(&self) -> &Mapping {
        &self.mapping
    }

    /// The busy time of all servers (chips, dies or planes, whichever do one operation at a time), and the number of servers.
    pub fn dies_busy_time(&self, now: Time) -> (Total, u64) {
        let busy = self.servers.iter().map(|server| server.busy_time(now));
        (busy.fold(Total::ZERO, |sum, busy| sum + busy), self.servers.len() as u64)
    }

    /// The part of the servers' busy time that was for garbage collection.
    pub fn collection_time(&self, now: Time) -> Total {
        self.servers.iter().map(|server| server.collection_time(now)).sum()
    }

    /// The busy time of all planes: where one command works on several planes, each of them counts.
    pub fn planes_busy_time(&self, now: Time) -> Total {
        self.servers.iter().map(|server| server.planes_busy_time(now)).sum()
    }

    /// The busy time of all channels, and the number of channels.
    pub fn channels_busy_time(&self, now: Time) -> (Total, u64) {
        let busy = self.channels.iter().map(|channel| channel.busy_time(now));
        (busy.fold(Total::ZERO, |sum, busy| sum + busy), self.channels.len() as u64)
    }

    /// Functional warm-up: this many bytes from the beginning of a fresh drive are written in order, in no time and without memory for
    /// entries.
    ///
    /// # Errors
    /// If the drive is not fresh, or has fewer bytes.
    pub fn precondition(&mut self, bytes: u64) -> Result<(), CommandRefused> {
        if bytes > self.capacity() {
            return Err(CommandRefused::BeyondEnd(self.capacity()));
        }
        let units = (bytes / self.layout().unit_bytes()) as u32;
        if self.mapping.precondition(units) { Ok(()) } else { Err(CommandRefused::NotFresh) }
    }

    /// Applies the effect of a command on mapping, blocks and the mapping cache, in no time, without the buffer. Garbage is collected as
    /// needed.
    ///
    /// # Errors
    /// The reason why the drive cannot be filled.
    pub fn apply_initial_write(
        &mut self,
        kind: CommandKind,
        first_byte: u64,
        bytes: u64,
    ) -> Result<(), CommandRefused> {
        self.check(kind, first_byte, bytes)?;
        if !self.is_idle() {
            return Err(CommandRefused::Busy);
        }
        let unit_bytes = self.layout().unit_bytes();
        if kind == CommandKind::Trim {
            self.trim(first_byte, bytes);
            return Ok(());
        }
        for logical in first_byte / unit_bytes..(first_byte + bytes).div_ceil(unit_bytes) {
            let logical = logical as u32;
            if let Some(cache) = &mut self.cache {
                cache.look_up_entry(logical, kind.is_write());
            }
            if kind.is_write() {
                self.mapping.write_without_time(logical, &mut self.random);
            }
        }
        Ok(())
    }
}
