//! What is to happen in a drive, in the order of time.

use sansim_kernel::Time;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// What happens to what by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// A channel is free.
    ChannelFree(u32),
    /// An operation in the flash of a server is done, if nothing came in between: it has this turn still.
    ArrayDone(u32, u32),
    /// What a server did is interrupted, if it has this turn still.
    Suspended(u32, u32),
    /// The buffer has taken the data of a command.
    Acknowledged(u32),
    /// The buffer has given the data of an operation.
    Given(u32),
}

/// What happens next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Something by itself.
    Event(Event),
    /// The data of a command have come over the link.
    Arrives(u32),
    /// The controller has looked at a command.
    Enters(u32),
    /// A command is done for the host.
    Leaves(u32),
}

/// A queue whose times never go back.
type Line = VecDeque<(Time, u32)>;

/// See the text of the module.
#[derive(Clone, Debug, Default)]
pub struct Agenda {
    events: BinaryHeap<Reverse<(Time, Event)>>,
    /// What arrives, enters and leaves.
    lines: [Line; 3],
}

impl Agenda {
    /// Something happens by itself.
    #[inline]
    pub fn at(&mut self, time: Time, event: Event) {
        self.events.push(Reverse((time, event)));
    }

    /// The data of a command will have come, no earlier than those before.
    pub fn arrives(&mut self, time: Time, command: u32) {
        self.lines[0].push_back((time, command));
    }

    /// The controller will have looked at a command, no earlier than at those before.
    pub fn enters(&mut self, time: Time, command: u32) {
        self.lines[1].push_back((time, command));
    }

    /// A command will be done, no earlier than those before.
    pub fn leaves(&mut self, time: Time, command: u32) {
        self.lines[2].push_back((time, command));
    }

    /// When something happens next; [`Time::NEVER`] if nothing does.
    #[inline]
    pub fn next_time(&self) -> Time {
        let event = self.events.peek().map_or(Time::NEVER, |Reverse((time, _))| *time);
        let fronts = self.lines.iter().filter_map(|line| line.front());
        fronts.fold(event, |least, (time, _)| least.min(*time))
    }

    /// What happens next, if that is by then. Of what happens at a time, what goes on within comes before commands that come, and those
    /// before what leaves.
    #[inline]
    pub fn take(&mut self, until: Time) -> Option<(Time, Next)> {
        let next = self.next_time();
        if next > until || next == Time::NEVER {
            return None;
        }
        if self.events.peek().is_some_and(|Reverse((time, _))| *time == next) {
            let Reverse((_, event)) = self.events.pop()?;
            return Some((next, Next::Event(event)));
        }
        let line = self.lines.iter().position(|line| line.front().is_some_and(|(time, _)| *time == next))?;
        let (_, command) = self.lines[line].pop_front()?;
        Some((next, [Next::Arrives, Next::Enters, Next::Leaves][line](command)))
    }
}
