//! The pending events of a drive, in the order of time.

use sansim_kernel::Time;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// An internal event of the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlashEvent {
    /// A channel is free.
    ChannelFree(u32),
    /// An operation in the flash of a server is done, if it was not interrupted: the server still has this turn.
    ArrayDone(u32, u32),
    /// The operation of a server is interrupted, if the server still has this turn.
    Suspended(u32, u32),
    /// The buffer has accepted the data of a command.
    Acknowledged(u32),
    /// The buffer has returned the data of an operation.
    Given(u32),
    /// The drive may have been idle for so long that it folds its SLC cache.
    Idle,
}

/// An event with its time as one number, by which events are ordered: simultaneous events by their kinds as above, then by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Told(u128);

impl Told {
    fn new(time: Time, event: FlashEvent) -> Self {
        let (kind, number, turn) = match event {
            FlashEvent::ChannelFree(channel) => (0, channel, 0),
            FlashEvent::ArrayDone(server, turn) => (1, server, turn),
            FlashEvent::Suspended(server, turn) => (2, server, turn),
            FlashEvent::Acknowledged(command) => (3, command, 0),
            FlashEvent::Given(operation) => (4, operation, 0),
            FlashEvent::Idle => (5, 0, 0),
        };
        debug_assert!(number < 1 << 29, "more of anything than memory has room for");
        let code = kind << 61 | u64::from(number) << 32 | u64::from(turn);
        Self(u128::from(time.ticks()) << 64 | u128::from(code))
    }

    fn time(self) -> Time {
        Time((self.0 >> 64) as u64)
    }

    fn event(self) -> FlashEvent {
        let code = self.0 as u64;
        let (number, turn) = ((code >> 32) as u32 & ((1 << 29) - 1), code as u32);
        match code >> 61 {
            0 => FlashEvent::ChannelFree(number),
            1 => FlashEvent::ArrayDone(number, turn),
            2 => FlashEvent::Suspended(number, turn),
            3 => FlashEvent::Acknowledged(number),
            4 => FlashEvent::Given(number),
            _ => FlashEvent::Idle,
        }
    }
}

/// The next event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextFlashEvent {
    /// An internal event of the drive.
    Event(FlashEvent),
    /// The data of a command have arrived over the link.
    Arrives(u32),
    /// The controller has processed a command.
    Enters(u32),
    /// A command is done for the host.
    Leaves(u32),
}

/// A queue whose times never decrease.
#[derive(Clone, Debug)]
struct Line {
    waiting: VecDeque<(Time, u32)>,
    /// The time of the first entry, which is read far more often than changed.
    due: Time,
}

impl Line {
    fn push(&mut self, time: Time, command: u32) {
        if self.waiting.is_empty() {
            self.due = time;
        }
        self.waiting.push_back((time, command));
    }

    fn pop(&mut self) -> Option<u32> {
        let (_, command) = self.waiting.pop_front()?;
        self.due = self.waiting.front().map_or(Time::NEVER, |(time, _)| *time);
        Some(command)
    }
}

/// The pending events of a flash drive, in the order of time.
#[derive(Clone, Debug)]
pub struct FlashAgenda {
    events: BinaryHeap<Reverse<Told>>,
    /// The time of the first internal event.
    due: Time,
    /// The queues of arrivals, entries and departures.
    lines: [Line; 3],
}

impl Default for FlashAgenda {
    fn default() -> Self {
        let line = || Line { waiting: VecDeque::new(), due: Time::NEVER };
        Self { events: BinaryHeap::new(), due: Time::NEVER, lines: [line(), line(), line()] }
    }
}

impl FlashAgenda {
    /// Adds an internal event.
    #[inline]
    pub fn add_event(&mut self, time: Time, event: FlashEvent) {
        self.due = self.due.min(time);
        self.events.push(Reverse(Told::new(time, event)));
    }

    /// The data of a command will have arrived, no earlier than those before.
    pub fn data_will_arrive(&mut self, time: Time, command: u32) {
        self.lines[0].push(time, command);
    }

    /// The controller will have processed a command, no earlier than those before.
    pub fn will_be_processed(&mut self, time: Time, command: u32) {
        self.lines[1].push(time, command);
    }

    /// A command will be done, no earlier than those before.
    pub fn will_complete(&mut self, time: Time, command: u32) {
        self.lines[2].push(time, command);
    }

    /// The time of the next event; [`Time::NEVER`] if there is none.
    #[inline]
    pub fn next_time(&self) -> Time {
        let [arrives, enters, leaves] = &self.lines;
        self.due.min(arrives.due).min(enters.due).min(leaves.due)
    }

    /// The next event, if it is due by this time. At the same time internal events precede arriving commands, and these precede departures.
    #[inline]
    pub fn take_due_event(&mut self, until: Time) -> Option<(Time, NextFlashEvent)> {
        let next = self.next_time();
        if next > until || next == Time::NEVER {
            return None;
        }
        if self.due == next {
            let Reverse(told) = self.events.pop()?;
            self.due = self.events.peek().map_or(Time::NEVER, |Reverse(told)| told.time());
            return Some((next, NextFlashEvent::Event(told.event())));
        }
        let line = self.lines.iter().position(|line| line.due == next)?;
        let command = self.lines[line].pop()?;
        Some((next, [NextFlashEvent::Arrives, NextFlashEvent::Enters, NextFlashEvent::Leaves][line](command)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_told_as_it_was_and_in_the_order_of_times_kinds_and_numbers() {
        let at = |ns| Time::ZERO + sansim_kernel::Span::from_ns(ns);
        let all = [
            (at(1), FlashEvent::Given((1 << 29) - 1)),
            (at(2), FlashEvent::ChannelFree(7)),
            (at(2), FlashEvent::ArrayDone(0, u32::MAX)),
            (at(2), FlashEvent::ArrayDone(1, 0)),
            (at(2), FlashEvent::Suspended(0, 3)),
            (at(2), FlashEvent::Acknowledged(9)),
            (at(2), FlashEvent::Acknowledged(10)),
            (at(2), FlashEvent::Given(0)),
            (at(2), FlashEvent::Idle),
        ];
        let told = all.map(|(time, event)| Told::new(time, event));
        assert!(told.is_sorted());
        assert_eq!(told.map(|told| (told.time(), told.event())), all);
    }
}
