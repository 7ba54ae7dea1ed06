//! What components have to tell each other at one instant.
//!
//! The answer of a component to an input is effects. Wakes and entries of the ledger take effect at once. What is meant for
//! another component becomes a message, which goes to the end of the agenda; before the next event of the calendar the
//! agenda is emptied from its front. So nobody is entered while it reacts, a message finds done what was sent before it, and
//! no order depends on who calls whom.
//!
//! If messages at one instant never end, simulated time stands still. After [`MOST`] of them the agenda looks for a ring of
//! components that the last ones went round, and gives up if there is one. Without a ring it goes on: a workload with a million
//! slots sends a million requests when a run begins.

use sansim_fc::frame::{ExchangeId, Frame};
use sansim_kernel::Time;
use sansim_observe::observer::Names;
use std::collections::VecDeque;

/// Messages at one instant after which the agenda looks for a ring.
const MOST: u32 = 1_000_000;

/// Of so many messages before that it knows who sent them to whom.
const TRAIL: u32 = 1_000;

/// What stands at a station, and the loop on which they all are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Loop,
    Adapter,
    Drive,
    Driver,
    /// The workloads that issue there.
    Workloads,
}

/// A component: what it is, and its station.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Component(Part, u8);

impl Component {
    /// The loop is one component, whichever of its ports it is.
    fn new(part: Part, station: u8) -> Self {
        Self(part, if part == Part::Loop { 0 } else { station })
    }

    /// Its name, for those who wrote the scenario.
    pub fn name(self, names: &Names) -> String {
        let what = match self.0 {
            Part::Loop => return format!("`{}`", names.arbitrated_loop),
            Part::Adapter => "adapter",
            Part::Drive => "drive",
            Part::Driver => "driver",
            Part::Workloads => "workloads",
        };
        format!("`{}`, {what}", names.stations[usize::from(self.1)].name)
    }
}

/// What one component tells another at the same station.
#[derive(Clone, Copy, Debug)]
pub(super) enum Message {
    /// To the loop: the adapter hands a frame to its port.
    Send(Frame),
    /// To the loop: a buffer of the port is empty again.
    BufferFreed,
    /// To an adapter: its port has received a frame.
    Received(Frame),
    /// To an adapter: a data frame has left the outgoing FIFO.
    Started,
    /// To an adapter: the last data frame of an exchange has been sent.
    Sent(Frame),
    /// To an adapter: the circuit that its port was in is over.
    CircuitEnded,
    /// To an adapter: the driver hands over a request.
    Submit(ExchangeId),
    /// To an adapter: its drive has the data of a read ready, up to this byte.
    DataReady(ExchangeId, u64),
    /// To an adapter: its drive has a buffer for the next burst of a write.
    BufferReady(ExchangeId),
    /// To an adapter: its drive has done a write.
    Written(ExchangeId),
    /// To a drive: a command.
    Command(ExchangeId),
    /// To a drive: a burst of a write is in.
    BurstIn(ExchangeId),
    /// To a drive: the status of a command is made.
    StatusMade(ExchangeId),
    /// To a drive: the data of a read up to this byte of the medium have left.
    SentUpTo(u64),
    /// To a driver: a workload has a request.
    Request(ExchangeId),
    /// To a driver: the adapter is done with a request.
    Completed(ExchangeId),
    /// To a workload: its driver is done with a request.
    Done(ExchangeId),
}

impl Message {
    /// Who sends such a message, and who gets it.
    fn ends(self) -> (Part, Part) {
        match self {
            Self::Send(_) | Self::BufferFreed => (Part::Adapter, Part::Loop),
            Self::Received(_) | Self::Started | Self::Sent(_) | Self::CircuitEnded => {
                (Part::Loop, Part::Adapter)
            }
            Self::Submit(_) => (Part::Driver, Part::Adapter),
            Self::DataReady(..) | Self::BufferReady(_) | Self::Written(_) => (Part::Drive, Part::Adapter),
            Self::Command(_) | Self::BurstIn(_) | Self::StatusMade(_) => (Part::Adapter, Part::Drive),
            Self::SentUpTo(_) => (Part::Loop, Part::Drive),
            Self::Request(_) => (Part::Workloads, Part::Driver),
            Self::Completed(_) => (Part::Adapter, Part::Driver),
            Self::Done(_) => (Part::Driver, Part::Workloads),
        }
    }
}

/// The messages of one instant that have not been delivered.
pub(super) struct Agenda {
    messages: VecDeque<(u8, Message)>,
    /// The instant of the last message that was delivered, and how many more it may have until a ring is looked for.
    instant: Time,
    left: u32,
    most: u32,
    trail: Vec<(Component, Component)>,
    ring: Option<Vec<Component>>,
}

impl Default for Agenda {
    fn default() -> Self {
        Self::with_most(MOST)
    }
}

impl Agenda {
    /// An empty agenda that looks for a ring after so many messages at one instant.
    pub fn with_most(most: u32) -> Self {
        Self {
            messages: VecDeque::with_capacity(32),
            instant: Time::ZERO,
            left: most,
            most,
            trail: Vec::new(),
            ring: None,
        }
    }

    /// Something for a component at this station, after all that is there already.
    pub fn push(&mut self, station: u8, message: Message) {
        self.messages.push_back((station, message));
    }

    /// Whether every message has been delivered.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The next message, to be delivered `now`: none if all have been, or if they go round for ever.
    pub fn next(&mut self, now: Time) -> Option<(u8, Message)> {
        let (station, message) = self.messages.pop_front()?;
        if self.instant != now {
            (self.instant, self.left) = (now, self.most);
        }
        self.left -= 1;
        if self.left < TRAIL && self.goes_round(station, message) {
            self.messages.clear();
            return None;
        }
        Some((station, message))
    }

    /// The components that messages go round for ever, from one to the next and back to the first.
    pub fn ring(&self) -> Option<&[Component]> {
        self.ring.as_deref()
    }

    /// Messages that one instant may have.
    pub fn most(&self) -> u32 {
        self.most
    }

    /// Notes where a message goes; with the last that the instant may have it looks for a ring.
    #[cold]
    fn goes_round(&mut self, station: u8, message: Message) -> bool {
        if self.left + 1 == TRAIL.min(self.most) {
            self.trail.clear();
        }
        let (from, to) = message.ends();
        self.trail.push((Component::new(from, station), Component::new(to, station)));
        if self.left == 0 {
            self.ring = shortest_ring(&self.trail);
            self.left = self.most;
        }
        self.ring.is_some()
    }
}

/// The shortest way along these steps that comes back to where it began.
fn shortest_ring(steps: &[(Component, Component)]) -> Option<Vec<Component>> {
    let mut steps = steps.to_vec();
    steps.sort_unstable();
    steps.dedup();
    let rings = steps.iter().filter_map(|&(first, second)| {
        // Every way from the second on, the shortest first, until one leads to the first.
        let mut ways = VecDeque::from([vec![first, second]]);
        let mut seen = vec![second];
        while let Some(way) = ways.pop_front() {
            let end = *way.last()?;
            if end == first {
                return Some(way);
            }
            for &(_, next) in steps.iter().filter(|(from, _)| *from == end) {
                if !seen.contains(&next) {
                    seen.push(next);
                    ways.push_back([way.as_slice(), &[next]].concat());
                }
            }
        }
        None
    });
    rings.min_by_key(Vec::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: ExchangeId = ExchangeId(7);

    /// Delivers everything; each message is answered with these.
    fn deliver(agenda: &mut Agenda, now: Time, answer: impl Fn(u8, Message) -> Vec<(u8, Message)>) -> u64 {
        let mut delivered = 0;
        while let Some((station, message)) = agenda.next(now) {
            delivered += 1;
            for (station, message) in answer(station, message) {
                agenda.push(station, message);
            }
        }
        delivered
    }

    /// Drive and adapter of station 3 answer each other without end, beside others that do not.
    fn go_round(station: u8, message: Message) -> Vec<(u8, Message)> {
        match (station, message) {
            (3, Message::Command(_)) => vec![(3, Message::Written(ID)), (4, Message::Command(ID))],
            (3, Message::Written(_)) => vec![(3, Message::Command(ID)), (3, Message::BufferFreed)],
            _ => Vec::new(),
        }
    }

    #[test]
    fn messages_are_delivered_in_the_order_in_which_they_were_sent() {
        let mut agenda = Agenda::default();
        agenda.push(1, Message::Request(ID));
        agenda.push(2, Message::BufferFreed);
        let first = agenda.next(Time(5));
        agenda.push(3, Message::Done(ID));
        assert!(matches!(first, Some((1, Message::Request(ID)))));
        assert!(matches!(agenda.next(Time(5)), Some((2, Message::BufferFreed))));
        assert!(matches!(agenda.next(Time(5)), Some((3, Message::Done(ID)))));
        assert!(agenda.next(Time(5)).is_none());
    }

    #[test]
    fn messages_that_go_round_for_ever_are_stopped_and_the_ring_is_named() {
        let mut agenda = Agenda::default();
        agenda.push(3, Message::Command(ID));
        let delivered = deliver(&mut agenda, Time(5), go_round);
        assert_eq!(delivered, u64::from(MOST) - 1);
        let (drive, adapter) = (Component(Part::Drive, 3), Component(Part::Adapter, 3));
        assert_eq!(agenda.ring(), Some([adapter, drive, adapter].as_slice()));
        assert!(agenda.next(Time(5)).is_none(), "nothing is left on it");
    }

    #[test]
    fn a_ring_of_several_events_at_one_instant_is_found_too() {
        let mut agenda = Agenda::with_most(100);
        // The workload issues again by an event of its own.
        let mut events = 0;
        while agenda.ring().is_none() {
            agenda.push(0, Message::Request(ID));
            deliver(&mut agenda, Time(5), |station, message| match message {
                Message::Request(_) => vec![(station, Message::Done(ID))],
                _ => Vec::new(),
            });
            events += 1;
        }
        assert_eq!(events, 50);
        let (driver, workloads) = (Component(Part::Driver, 0), Component(Part::Workloads, 0));
        assert_eq!(agenda.ring(), Some([driver, workloads, driver].as_slice()));
    }

    #[test]
    fn many_messages_without_a_ring_are_no_fault() {
        let mut agenda = Agenda::with_most(100);
        (0..1_000).for_each(|_| agenda.push(0, Message::Request(ID)));
        assert_eq!(deliver(&mut agenda, Time(5), |_, _| Vec::new()), 1_000);
        assert!(agenda.ring().is_none());
    }

    #[test]
    fn messages_of_other_instants_do_not_count() {
        let mut agenda = Agenda::with_most(100);
        for instant in 0..1_000 {
            agenda.push(0, Message::Request(ID));
            deliver(&mut agenda, Time(instant), |station, message| match message {
                Message::Request(_) => vec![(station, Message::Done(ID))],
                _ => Vec::new(),
            });
        }
        assert!(agenda.ring().is_none());
    }
}
