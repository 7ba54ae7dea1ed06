//! The agenda: the messages of one instant.
//!
//! A component answers an input with effects. Timers and ledger entries take effect at once. A message for another component is appended to
//! the agenda; the agenda is emptied from its front before the next event of the calendar. Event handlers are therefore not re-entrant, a
//! message is delivered after all messages sent before it, and no order depends on the call graph.
//!
//! If the messages of one instant never end, simulated time does not advance. After [`MOST`] messages the agenda looks for a ring of
//! components in the latest ones and gives up if it finds one. Without a ring it continues: a workload with a million slots sends a million
//! requests at the start of a run.

use crate::message::Message;
use crate::site::{ComponentId, PortRef};
use sansim_kernel::Time;
use std::collections::VecDeque;

/// Messages at one instant after which the agenda looks for a ring.
const MOST: u32 = 1_000_000;

/// The number of messages before [`MOST`] whose sender and receiver are recorded.
const TRAIL: u32 = 1_000;

/// The messages of one instant that have not been delivered.
#[derive(Debug)]
pub struct MessageAgenda {
    messages: Vec<(PortRef, Message)>,
    /// The number of messages that have been delivered.
    delivered: usize,
    /// The instant of the last message that was delivered, and the number of further messages in it until a ring is looked for.
    instant: Time,
    left: u32,
    most: u32,
    trail: Vec<(ComponentId, ComponentId)>,
    ring: Option<Vec<ComponentId>>,
}

impl Default for MessageAgenda {
    fn default() -> Self {
        Self::with_message_limit(MOST)
    }
}

impl MessageAgenda {
    /// An empty agenda that looks for a ring after this many messages at one instant.
    pub fn with_message_limit(most: u32) -> Self {
        Self {
            messages: Vec::with_capacity(32),
            delivered: 0,
            instant: Time::ZERO,
            left: most,
            most,
            trail: Vec::new(),
            ring: None,
        }
    }

    /// Queues a message for a port of a component, behind all pending messages.
    #[inline]
    pub fn push(&mut self, to: PortRef, message: Message) {
        self.messages.push((to, message));
    }

    /// Whether every message has been delivered.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// The index of the next message, to be delivered `now`; none if all have been delivered. The call of `next` is to be followed by
    /// [`MessageAgenda::breaks_message_cycle`].
    #[inline]
    pub fn next_message_index(&mut self, now: Time) -> Option<usize> {
        let place = self.delivered;
        if place >= self.messages.len() {
            self.forget();
            return None;
        }
        self.delivered += 1;
        if self.instant != now {
            (self.instant, self.left) = (now, self.most);
        }
        self.left -= 1;
        Some(place)
    }

    /// A message by its index: the port to which it goes, and its content.
    #[inline]
    pub fn message_at(&self, place: usize) -> &(PortRef, Message) {
        &self.messages[place]
    }

    /// Whether the message at this index, the next one, belongs to a ring of messages that never ends. If there is a ring, the agenda drops
    /// all pending messages. `sender` returns the component at the other end of a port.
    #[inline]
    pub fn breaks_message_cycle(
        &mut self,
        place: usize,
        sender: impl FnOnce(PortRef) -> ComponentId,
    ) -> bool {
        if self.left >= TRAIL {
            return false;
        }
        let to = self.messages[place].0;
        let stops = self.goes_round(sender(to), to.component);
        if stops {
            self.forget();
        }
        stops
    }

    /// Drops all messages of the agenda.
    fn forget(&mut self) {
        self.messages.clear();
        self.delivered = 0;
    }

    /// The components between which messages circulate for ever, from one to the next and back to the first.
    pub fn message_cycle(&self) -> Option<&[ComponentId]> {
        self.ring.as_deref()
    }

    /// The most messages that one instant may have.
    pub fn message_limit(&self) -> u32 {
        self.most
    }

    /// Records the sender and receiver of a message; with the last message that the instant may have it looks for a ring.
    #[cold]
    fn goes_round(&mut self, from: ComponentId, to: ComponentId) -> bool {
        if self.left + 1 == TRAIL.min(self.most) {
            self.trail.clear();
        }
        self.trail.push((from, to));
        if self.left == 0 {
            self.ring = shortest_ring(&self.trail);
            self.left = self.most;
        }
        self.ring.is_some()
    }
}

/// The shortest ring in these steps between components.
fn shortest_ring(steps: &[(ComponentId, ComponentId)]) -> Option<Vec<ComponentId>> {
    let mut steps = steps.to_vec();
    steps.sort_unstable();
    steps.dedup();
    let rings = steps.iter().filter_map(|&(first, second)| {
        // The search extends every path from the second component on, the shortest first, until a path leads to the first component.
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
    use sansim_request::{RequestId, Status};

    const ID: RequestId = RequestId(7);

    /// In the test, components 2n and 2n + 1 are joined, each by its port 0.
    fn partner(end: PortRef) -> ComponentId {
        ComponentId(end.component.0 ^ 1)
    }

    fn next(agenda: &mut MessageAgenda, now: Time) -> Option<(PortRef, Message)> {
        let place = agenda.next_message_index(now)?;
        if agenda.breaks_message_cycle(place, partner) { None } else { Some(*agenda.message_at(place)) }
    }

    fn to(component: u32) -> PortRef {
        PortRef { component: ComponentId(component), port: 0 }
    }

    /// Delivers all messages; each message is answered with the messages that `answer` returns.
    fn deliver(
        agenda: &mut MessageAgenda,
        now: Time,
        answer: impl Fn(u32, Message) -> Vec<(u32, Message)>,
    ) -> u64 {
        let mut delivered = 0;
        while let Some((end, message)) = next(agenda, now) {
            delivered += 1;
            for (component, message) in answer(end.component.0, message) {
                agenda.push(to(component), message);
            }
        }
        delivered
    }

    /// Lets components 6 and 7 answer each other without end, beside components that stop.
    fn go_round(component: u32, message: Message) -> Vec<(u32, Message)> {
        match (component, message) {
            (6, Message::ReadConsumedUpTo(..)) => {
                vec![(7, Message::Release(ID)), (9, Message::ReadConsumedUpTo(ID, 0))]
            }
            (7, Message::Release(_)) => {
                vec![(6, Message::ReadConsumedUpTo(ID, 0)), (4, Message::BufferFreed)]
            }
            _ => Vec::new(),
        }
    }

    #[test]
    fn messages_are_delivered_in_the_order_in_which_they_were_sent() {
        let mut agenda = MessageAgenda::default();
        agenda.push(to(1), Message::Release(ID));
        agenda.push(to(2), Message::BufferFreed);
        let first = next(&mut agenda, Time(5));
        agenda.push(to(3), Message::Abort(ID));
        assert_eq!(first, Some((to(1), Message::Release(ID))));
        assert_eq!(next(&mut agenda, Time(5)), Some((to(2), Message::BufferFreed)));
        assert_eq!(next(&mut agenda, Time(5)), Some((to(3), Message::Abort(ID))));
        assert_eq!(next(&mut agenda, Time(5)), None);
    }

    #[test]
    fn messages_that_go_round_for_ever_are_stopped_and_the_ring_is_named() {
        let mut agenda = MessageAgenda::default();
        agenda.push(to(6), Message::ReadConsumedUpTo(ID, 0));
        let delivered = deliver(&mut agenda, Time(5), go_round);
        assert_eq!(delivered, u64::from(MOST) - 1);
        let [six, seven] = [ComponentId(6), ComponentId(7)];
        assert_eq!(agenda.message_cycle(), Some([six, seven, six].as_slice()));
        assert!(next(&mut agenda, Time(5)).is_none(), "nothing is left on it");
    }

    #[test]
    fn a_ring_of_several_events_at_one_instant_is_found_too() {
        let mut agenda = MessageAgenda::with_message_limit(100);
        // The workload issues again by an event of its own.
        let mut events = 0;
        while agenda.message_cycle().is_none() {
            agenda.push(to(0), Message::Request(ID, Time(5)));
            deliver(&mut agenda, Time(5), |_, message| match message {
                Message::Request(..) => vec![(1, Message::Done(ID, Status::Good))],
                _ => Vec::new(),
            });
            events += 1;
        }
        assert_eq!(events, 50);
        let [server, asker] = [ComponentId(0), ComponentId(1)];
        assert_eq!(agenda.message_cycle(), Some([server, asker, server].as_slice()));
    }

    #[test]
    fn many_messages_without_a_ring_are_no_fault() {
        let mut agenda = MessageAgenda::with_message_limit(100);
        (0..1_000).for_each(|_| agenda.push(to(0), Message::Release(ID)));
        assert_eq!(deliver(&mut agenda, Time(5), |_, _| Vec::new()), 1_000);
        assert!(agenda.message_cycle().is_none());
    }

    #[test]
    fn messages_of_other_instants_do_not_count() {
        let mut agenda = MessageAgenda::with_message_limit(100);
        for instant in 0..1_000 {
            agenda.push(to(0), Message::Release(ID));
            deliver(&mut agenda, Time(instant), |_, message| match message {
                Message::Release(_) => vec![(1, Message::BufferFreed)],
                _ => Vec::new(),
            });
        }
        assert!(agenda.message_cycle().is_none());
    }
}
