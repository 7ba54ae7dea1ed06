//! The numbers of commands, statuses and data on a session, which the simulation does not need and the units on the wire have.
//!
//! Source: RFC 7143, 4.2.2, for CmdSN, StatSN, R2TSN and DataSN; NVM Express, command identifiers and the head of the submission queue. Ours:
//! task tags and command identifiers are given in turn.

use sansim_pdu::RequestTag;
use std::collections::{HashMap, VecDeque};

/// The numbers of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CommandNumbers {
    /// The command identifier, or the initiator task tag.
    pub(crate) command: u32,
    /// The number of requests for data so far; the transfer tag of the last one.
    pub(crate) requests_for_data: u32,
    /// The place in the data from which on the last request asks.
    pub(crate) asked_from: u32,
    /// The number of data units in the present sequence of a write, or of the command of a read.
    pub(crate) data_units: u32,
}

impl CommandNumbers {
    const UNKNOWN: Self = Self { command: u32::MAX, requests_for_data: 0, asked_from: 0, data_units: 0 };
}

/// The numbers of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct SessionNumbers {
    /// Commands and functions so far; commands so far; statuses so far.
    tags: u32,
    commands: u32,
    statuses: u32,
    of_commands: HashMap<RequestTag, CommandNumbers>,
    of_aborts: HashMap<RequestTag, u32>,
    /// The places behind commands and statuses that have not been taken, and the number of those that have.
    in_flight: [VecDeque<u64>; 2],
    taken: [u32; 2],
}

impl SessionNumbers {
    fn next_tag(&mut self) -> u32 {
        self.tags = self.tags.wrapping_add(1);
        self.tags - 1
    }

    /// A command begins, whose last byte is before a place. Returns its CmdSN, from 1.
    pub(super) fn command_begins(&mut self, tag: RequestTag) -> u32 {
        let command = self.next_tag();
        self.of_commands.insert(tag, CommandNumbers { command, ..CommandNumbers::UNKNOWN });
        self.commands = self.commands.wrapping_add(1);
        self.commands
    }

    /// The numbers of a command.
    pub(super) fn of_command(&self, tag: RequestTag) -> CommandNumbers {
        self.of_commands.get(&tag).copied().unwrap_or(CommandNumbers::UNKNOWN)
    }

    /// A request for data of a command is sent.
    pub(super) fn asks_for_data(&mut self, tag: RequestTag, from: u32) {
        if let Some(numbers) = self.of_commands.get_mut(&tag) {
            numbers.requests_for_data += 1;
            (numbers.asked_from, numbers.data_units) = (from, 0);
        }
    }

    /// A data unit of a command is sent.
    pub(super) fn sends_data(&mut self, tag: RequestTag) {
        if let Some(numbers) = self.of_commands.get_mut(&tag) {
            numbers.data_units += 1;
        }
    }

    /// A function or an abort begins. Returns its tag.
    pub(super) fn abort_begins(&mut self, tag: RequestTag) -> u32 {
        let own = self.next_tag();
        self.of_aborts.insert(tag, own);
        own
    }

    /// The tag of a function or an abort.
    pub(crate) fn of_abort(&self, tag: RequestTag) -> u32 {
        self.of_aborts.get(&tag).copied().unwrap_or(u32::MAX)
    }

    /// A status is sent. Returns its StatSN, from 1.
    pub(super) fn status_sent(&mut self) -> u32 {
        self.statuses = self.statuses.wrapping_add(1);
        self.statuses
    }

    /// A command (0) or a status (1) ends at a place of its stream.
    pub(super) fn ends_at(&mut self, direction: usize, place: u64) {
        self.in_flight[direction].push_back(place);
    }

    /// All bytes of a stream up to a place have been taken.
    pub(super) fn taken_upto(&mut self, direction: usize, place: u64) {
        while self.in_flight[direction].front().is_some_and(|&end| end <= place) {
            self.in_flight[direction].pop_front();
            self.taken[direction] = self.taken[direction].wrapping_add(1);
        }
    }

    /// The CmdSN of the next command, and the StatSN of the next status, at their senders.
    pub(crate) fn next_command(&self) -> u32 {
        self.commands.wrapping_add(1)
    }

    /// See [`Self::next_command`].
    pub(crate) fn next_status(&self) -> u32 {
        self.statuses.wrapping_add(1)
    }

    /// The CmdSN that the target expects next.
    pub(crate) fn expected_command(&self) -> u32 {
        self.taken[0].wrapping_add(1)
    }

    /// The StatSN that the initiator expects next.
    pub(crate) fn expected_status(&self) -> u32 {
        self.taken[1].wrapping_add(1)
    }

    /// The commands that the target has taken.
    pub(crate) fn taken_commands(&self) -> u32 {
        self.taken[0]
    }
}
