//! The calendar: the events that are yet to happen, in their total order.
//!
//! The calendar is built for simulations with a few to a hundred thousand pending events, most of them near: a short
//! sorted front of the next events (`front.rs`), a radix wheel for the later events (`wheel.rs`), and a table of the
//! events that can be cancelled (`table.rs`). While no more than a few dozen events are pending, all of them are in the
//! front and the wheel stays empty. Scheduling, cancelling and removing an event take a few steps whatever the number of
//! pending events, and allocate nothing once the calendar has reached its size.
//!
//! The front and the wheel move records, which have the time of an event and the event itself. The record of an event that
//! can be cancelled only has the event's place in the table. Cancelling removes the event from the table; its record stays
//! and is dropped when its turn comes, or when records of cancelled events outnumber the pending events.
//!
//! ```
//! use sansim_kernel::{Calendar, Order, Span, Time};
//!
//! let mut calendar = Calendar::new();
//! let order = Order { priority: 0, rank: 7, unit: 0 };
//! calendar.schedule(Time::ZERO + Span::from_ns(20), order, "second");
//! calendar.schedule(Time::ZERO + Span::from_ns(10), order, "first");
//! let timeout = calendar.schedule_cancellable(Time::ZERO + Span::from_ns(15), order, "never");
//! assert!(calendar.cancel(timeout));
//! assert_eq!(calendar.pop(), Some((Time::ZERO + Span::from_ns(10), "first")));
//! assert_eq!(calendar.pop(), Some((Time::ZERO + Span::from_ns(20), "second")));
//! assert_eq!(calendar.pop(), None);
//! ```

mod front;
mod record;
mod table;
#[cfg(test)]
mod tests;
mod wheel;

use crate::random::RandomStream;
use crate::time::Time;
use front::Front;
use record::{Key, Planned, Record, SEQUENCES};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use table::{Handle, Table};
use wheel::Wheel;

/// The place of an event among the events of the same instant.
///
/// Events happen in the order of (time, priority, rank, unit, sequence of scheduling), smallest first. If all events of one instant differ
/// in their order, the results of a model do not depend on when it scheduled them; [`Calendar::shuffle`] tests that property.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Order {
    /// The class of the event, less than [`Order::PRIORITIES`].
    pub priority: u8,
    /// The rank of the component to which the event belongs, less than [`Order::RANKS`].
    pub rank: u16,
    /// The block or timer of the component, less than [`Order::UNITS`].
    pub unit: u32,
}

impl Order {
    /// The number of priorities.
    pub const PRIORITIES: u8 = 1 << 3;
    /// The number of ranks.
    pub const RANKS: u16 = 1 << 14;
    /// The number of units of a component.
    pub const UNITS: u32 = 1 << 23;
}

/// The key of a scheduled event, by which the event can be cancelled. A key stays valid for ever: once its event
/// has happened or was cancelled, the key refers to no event, and never to a later event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EventKey(Handle);

/// A probe watches a calendar, for traces and counts. A probe cannot change anything in the calendar.
pub trait Probe<E> {
    /// Notes that `event` was scheduled, at `now`, for `at`.
    #[inline(always)]
    fn scheduled(&mut self, _now: Time, _at: Time, _order: Order, _event: &E) {}
    /// Notes that `event` was cancelled at `now`.
    #[inline(always)]
    fn cancelled(&mut self, _now: Time, _event: &E) {}
    /// Notes that `event` happens at `now`.
    #[inline(always)]
    fn happens(&mut self, _now: Time, _order: Order, _event: &E) {}
}

/// A probe that watches nothing and costs nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoProbe;

impl<E> Probe<E> for NoProbe {}

// The records that are moved from the wheel at a time must fit into the front.
const _: () = assert!(wheel::CHUNK <= front::REFILL);

/// The pending events of a simulation, in the order of (time, priority, rank, unit, sequence of scheduling).
///
/// `E` is the type of the events, preferably a small enum; `P` is the probe that watches (see [`Probe`]).
#[derive(Clone, Debug)]
pub struct Calendar<E: Copy, P: Probe<E> = NoProbe> {
    now: Time,
    /// The greatest tie of the events popped at this instant.
    tie: u64,
    /// The earliest records of all: the records below `horizon`.
    front: Front<E>,
    horizon: Key,
    /// Records at or above the horizon and below the wheel's base. This heap is almost always empty: it is used only after a
    /// look ahead to a distant event, when more events are scheduled before that event than the front has room for.
    early: BinaryHeap<Reverse<Record<E>>>,
    /// All later records. The wheel is empty only if `early` is.
    wheel: Wheel<E>,
    table: Table<E>,
    /// The next sequence number, and the number of events that had been scheduled when it was last zero.
    sequence: u32,
    unnumbered: u64,
    happened: u64,
    /// The number of events that were ever cancelled, and the number of their records that are still in `front`,
    /// `early` or `wheel`.
    withdrawn: u64,
    cancelled: usize,
    /// A buffer for a record that is moved on a rare branch. As an argument the record would be written to memory on every
    /// branch.
    aside: Record<E>,
    /// A vector that is kept to reuse its memory.
    scratch: Vec<Record<E>>,
    probe: P,
}

impl<E: Copy> Default for Calendar<E> {
    fn default() -> Self {
        Calendar::new()
    }
}

impl<E: Copy> Calendar<E> {
    /// An empty calendar at [`Time::ZERO`].
    pub fn new() -> Self {
        Calendar::with_probe(NoProbe)
    }
}

impl<E: Copy, P: Probe<E>> Calendar<E, P> {
    /// An empty calendar at [`Time::ZERO`], watched by `probe`.
    pub fn with_probe(probe: P) -> Self {
        Calendar {
            now: Time::ZERO,
            tie: 0,
            front: Front::new(),
            horizon: Key::MAX,
            early: BinaryHeap::new(),
            wheel: Wheel::new(),
            table: Table::new(),
            sequence: 0,
            unnumbered: 0,
            happened: 0,
            withdrawn: 0,
            cancelled: 0,
            aside: Record::NONE,
            scratch: Vec::new(),
            probe,
        }
    }

    /// Schedules `event` for the instant `at`, which must not be before [`Calendar::now`]. The rule for `at`,
    /// and the limits of `order`, are checked in debug builds. The event cannot be cancelled: see
    /// [`Calendar::schedule_cancellable`].
    ///
    /// # Panics
    /// Panics if more than 2^23 events of one instant and order are pending.
    #[inline]
    pub fn schedule(&mut self, at: Time, order: Order, event: E) {
        self.probe.scheduled(self.now, at, order, &event);
        self.plan(at, order, Planned::Certain(event));
    }

    /// Schedules `event` as [`Calendar::schedule`] does, and returns the key by which it can be cancelled.
    ///
    /// # Panics
    /// Panics like [`Calendar::schedule`], and if more than 2^32 - 1 events that can be cancelled are
    /// pending.
    #[inline]
    pub fn schedule_cancellable(&mut self, at: Time, order: Order, event: E) -> EventKey {
        self.probe.scheduled(self.now, at, order, &event);
        let handle = self.table.insert(event);
        self.plan(at, order, Planned::Cancellable(handle));
        EventKey(handle)
    }

    #[inline(always)]
    fn plan(&mut self, at: Time, order: Order, planned: Planned<E>) {
        debug_assert!(at >= self.now, "an event cannot be scheduled into the past");
        let record = Record::new(at, order, self.sequence, planned);
        self.sequence += 1;
        if record.key() < self.horizon {
            self.front.insert(record);
            if self.front.is_overfull() || self.sequence == SEQUENCES {
                self.tidy_up();
            }
        } else if self.early.is_empty() && !self.wheel.is_full() {
            self.wheel.insert(record);
            if self.sequence == SEQUENCES {
                self.tidy_up();
            }
        } else {
            self.aside = record;
            self.file_aside();
        }
    }

    /// Stores the record in `aside`, which does not belong into the front.
    #[cold]
    #[inline(never)]
    fn file_aside(&mut self) {
        if self.early.is_empty() || self.aside.key() >= self.wheel.base() {
            self.wheel.insert(self.aside);
        } else {
            self.early.push(Reverse(self.aside));
        }
        self.tidy_up();
    }

    /// Makes room in an overfull front, and renumbers the events when the sequence numbers are used up. The
    /// function is called as soon as there is no room left, so that scheduling an event ends without further work.
    #[cold]
    #[inline(never)]
    fn tidy_up(&mut self) {
        if self.front.is_overfull() {
            self.make_room();
        }
        if self.sequence == SEQUENCES {
            self.renumber();
        }
    }

    /// Moves the later half of the front to its place: the wheel, or `early`.
    fn make_room(&mut self) {
        if self.wheel.is_empty() {
            // No event can be scheduled before now, so no record will be below the base.
            self.wheel.set_base(Key::from(self.now.ticks()) << 64);
        }
        let base = self.wheel.base();
        self.front.drain_later_half(|record| {
            self.horizon = record.key();
            if self.horizon >= base {
                self.wheel.insert(record);
            } else {
                self.early.push(Reverse(record));
            }
        });
        // The cost of rebuilding is covered by the many records that went through the heap before.
        if self.early.len() > self.len() / 2 {
            self.rebuild();
        }
    }

    /// Gives the pending records new sequence numbers that keep their order, so that unused sequence numbers
    /// are available again.
    fn renumber(&mut self) {
        let mut records = self.take_all();
        records.sort_unstable();
        let scheduled = self.scheduled();
        let mut sequence = 0;
        self.sequence = 0;
        for i in 0..records.len() {
            // The sequence numbers matter only among records of the same place.
            sequence = if i > 0 && records[i].same_place(&records[i - 1]) { sequence + 1 } else { 0 };
            records[i] = records[i].renumbered(sequence);
            self.sequence = self.sequence.max(sequence + 1);
        }
        assert!(self.sequence <= SEQUENCES / 2, "too many events of one instant and order");
        self.unnumbered = scheduled - u64::from(self.sequence);
        self.file_all(records);
    }

    /// Stores all pending records again, above a base of now, and drops the cancelled records.
    #[cold]
    #[inline(never)]
    fn rebuild(&mut self) {
        let records = self.take_all();
        self.file_all(records);
    }

    /// Removes and returns all pending records, and drops the cancelled records.
    fn take_all(&mut self) -> Vec<Record<E>> {
        let mut records = std::mem::take(&mut self.scratch);
        self.front.drain(|record| records.push(record));
        self.wheel.drain(|record| records.push(record));
        records.extend(self.early.drain().map(|Reverse(record)| record));
        records.retain(|record| record.event(&self.table).is_some());
        self.cancelled = 0;
        records
    }

    /// Stores the records that [`Calendar::take_all`] returned.
    fn file_all(&mut self, mut records: Vec<Record<E>>) {
        // The base is now, unless the caller broke the rule and scheduled into the past.
        let base = records.iter().fold(self.now.ticks(), |base, record| base.min(record.time));
        self.wheel.set_base(Key::from(base) << 64);
        self.horizon = self.wheel.base();
        records.drain(..).for_each(|record| self.wheel.insert(record));
        self.scratch = records;
    }

    /// Moves the earliest records to an empty front; returns false if there are no records.
    #[inline(never)]
    fn refill(&mut self) -> bool {
        if self.early.is_empty() && self.wheel.is_empty() {
            return false;
        }
        if self.early.is_empty() {
            self.wheel.take_earliest(|slot| self.front.append(slot));
        } else {
            let earliest = std::iter::from_fn(|| self.early.pop()).take(front::REFILL);
            earliest.for_each(|Reverse(record)| self.front.append(&[record]));
        }
        self.front.end_refill();
        let early = self.early.peek().map(|Reverse(record)| record.key());
        self.horizon = early.unwrap_or_else(|| self.wheel.lowest_slot_start());
        true
    }

    /// The pending events in the order in which they will happen. The function is too slow for a simulation,
    /// because it sorts all events.
    pub fn pending(&mut self) -> Vec<(Time, Order, E)> {
        let mut records = self.take_all();
        records.sort_unstable();
        let seen = |record: &Record<E>| Some((Time(record.time), record.order(), record.event(&self.table)?));
        let events = records.iter().filter_map(seen).collect();
        self.file_all(records);
        events
    }

    /// Replaces the order in which the pending events were scheduled by a random order. Tests use this function to check
    /// that results do not depend on the order of scheduling.
    ///
    /// # Panics
    /// Panics if more than 2^23 events are pending.
    pub fn shuffle(&mut self, random: &mut RandomStream) {
        let mut records = self.take_all();
        assert!(records.len() <= SEQUENCES as usize / 2, "too many events to be shuffled");
        for last in (1..records.len()).rev() {
            records.swap(last, random.draw_below(last as u64 + 1) as usize);
        }
        let scheduled = self.scheduled();
        self.sequence = 0;
        for record in &mut records {
            *record = record.renumbered(self.sequence);
            self.sequence += 1;
        }
        self.unnumbered = scheduled - u64::from(self.sequence);
        self.file_all(records);
    }

    /// Cancels a pending event. Returns false if the event has happened or was cancelled already.
    #[inline]
    pub fn cancel(&mut self, key: EventKey) -> bool {
        let Some(event) = self.table.take(key.0) else { return false };
        self.withdrawn += 1;
        self.cancelled += 1;
        self.probe.cancelled(self.now, &event);
        if self.cancelled > self.len() + 64 {
            // The cost of rebuilding is covered by the many cancellations before.
            self.rebuild();
        }
        true
    }

    /// The next event and its instant, which becomes [`Calendar::now`]; `None` if no event is pending.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, E)> {
        self.pop_until(Time::NEVER)
    }

    /// The next event if it happens at or before `end`, otherwise `None`; see [`Calendar::pop`].
    #[inline]
    pub fn pop_until(&mut self, end: Time) -> Option<(Time, E)> {
        loop {
            let Some(&record) = self.front.earliest() else {
                if self.refill() { continue } else { return None }
            };
            // If even the next cancelled event is after the end, so are all pending events.
            if record.time > end.ticks() {
                return None;
            }
            self.front.drop_earliest();
            let event = match record.planned {
                Planned::Certain(event) => Some(event),
                Planned::Cancellable(handle) => self.table.take(handle),
            };
            if let Some(event) = event {
                self.come_to(&record);
                self.happened += 1;
                self.probe.happens(self.now, record.order(), &event);
                return Some((self.now, event));
            }
            self.cancelled -= 1;
        }
    }

    /// The event of a record happens.
    #[inline(always)]
    fn come_to(&mut self, record: &Record<E>) {
        // An event that was scheduled at this very instant may come before events that have happened at the
        // instant.
        if record.time != self.now.ticks() || record.tie > self.tie {
            self.tie = record.tie;
        }
        self.now = Time(record.time);
    }

    /// The instant of the next event; `None` if no event is pending.
    pub fn peek_time(&mut self) -> Option<Time> {
        loop {
            let Some(&record) = self.front.earliest() else {
                if self.refill() { continue } else { return None }
            };
            if record.event(&self.table).is_some() {
                return Some(Time(record.time));
            }
            self.front.drop_earliest();
            self.cancelled -= 1;
        }
    }

    /// The present place of the simulation in the total order: the instant of the event popped last, and the greatest order of
    /// the events popped at that instant; before the first event [`Time::ZERO`] and the least order. The present never goes
    /// back: when an event schedules another event for its own instant with a lesser order, the scheduled event happens behind
    /// its place in the order.
    #[inline]
    pub fn present_place(&self) -> (Time, Order) {
        (self.now, record::order(self.tie))
    }

    /// The instant of the event popped last.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The number of pending events.
    pub fn len(&self) -> usize {
        (self.scheduled() - self.happened - self.withdrawn) as usize
    }

    /// Whether no event is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of events that have been scheduled since the start.
    fn scheduled(&self) -> u64 {
        self.unnumbered + u64::from(self.sequence)
    }

    /// The number of events that have happened (were popped) since the start.
    pub fn happened_event_count(&self) -> u64 {
        self.happened
    }

    /// The probe of the calendar.
    pub fn probe(&self) -> &P {
        &self.probe
    }

    /// The probe of the calendar, to read and change.
    pub fn probe_mut(&mut self) -> &mut P {
        &mut self.probe
    }
}
