//! The calendar is compared with a sorted vector: whatever is done to both, both must answer the same.

use super::*;
use crate::time::Span;
use proptest::prelude::*;

/// A calendar that is simple enough to be obviously right.
#[derive(Default)]
struct Model {
    /// The pending events, the latest first: (time, order, number of scheduling).
    pending: Vec<(Time, Order, usize)>,
}

impl Model {
    fn schedule(&mut self, entry: (Time, Order, usize)) {
        let place = self.pending.partition_point(|other| *other > entry);
        self.pending.insert(place, entry);
    }

    fn cancel(&mut self, number: usize) -> bool {
        let place = self.pending.iter().position(|entry| entry.2 == number);
        place.map(|place| self.pending.remove(place)).is_some()
    }

    fn peek_time(&self) -> Option<Time> {
        self.pending.last().map(|entry| entry.0)
    }
}

/// The distance from now for which an event is scheduled.
#[derive(Clone, Copy, Debug)]
enum Ahead {
    /// The event is scheduled for exactly now.
    Now,
    Ticks(u64),
    /// The distance is a number of this many bits: all orders of magnitude are equally likely.
    Bits(u32, u64),
    /// The event is scheduled this long before the end of time.
    BeforeTheEnd(u64),
    /// The event is scheduled at the instant of the `n`-th event ever scheduled, if that instant is still to
    /// come.
    Again(usize),
}

#[derive(Clone, Debug)]
enum Step {
    Schedule(Ahead, Order),
    /// Many events are scheduled, the i-th of them `i` times the span (or all at once if the span is zero)
    /// after the first.
    Burst(usize, Ahead, u64, u8),
    /// An event is cancelled by the number of its scheduling, modulo the events scheduled so far, which
    /// includes events long gone.
    Cancel(usize),
    CancelRecent(usize),
    Peek,
    Pop(usize),
    PopUntil(Ahead),
}

fn ahead() -> impl Strategy<Value = Ahead> {
    prop_oneof![
        2 => Just(Ahead::Now),
        4 => (0_u64..4).prop_map(Ahead::Ticks),
        3 => (0_u64..1_000).prop_map(Ahead::Ticks),
        6 => (1_u32..=64, any::<u64>()).prop_map(|(bits, value)| Ahead::Bits(bits, value)),
        1 => (0_u64..3).prop_map(Ahead::BeforeTheEnd),
        3 => any::<usize>().prop_map(Ahead::Again),
    ]
}

fn order() -> impl Strategy<Value = Order> {
    let priority = prop_oneof![0_u8..2, 0..Order::PRIORITIES];
    let rank = prop_oneof![4 => 0_u16..3, 1 => 0..Order::RANKS];
    let unit = prop_oneof![4 => 0_u32..3, 2 => 0_u32..1_000, 1 => 0..Order::UNITS];
    (priority, rank, unit).prop_map(|(priority, rank, unit)| Order { priority, rank, unit })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => (ahead(), order()).prop_map(|(ahead, order)| Step::Schedule(ahead, order)),
        1 => (1_usize..120, ahead(), prop_oneof![Just(0), 0_u64..100, 0_u64..1 << 40], 0_u8..3)
            .prop_map(|(n, a, step, p)| Step::Burst(n, a, step, p)),
        2 => any::<usize>().prop_map(Step::Cancel),
        2 => (0_usize..200).prop_map(Step::CancelRecent),
        1 => Just(Step::Peek),
        9 => Just(Step::Pop(1)),
        1 => (1_usize..150).prop_map(Step::Pop),
        1 => ahead().prop_map(Step::PopUntil),
    ]
}

/// The calendar under test and its model, to which the same steps are applied.
struct Pair {
    calendar: Calendar<usize>,
    model: Model,
    /// The key of each event ever scheduled, if it can be cancelled, as two of three can.
    keys: Vec<Option<EventKey>>,
    times: Vec<Time>,
    /// The greatest place of the events popped so far.
    present: (Time, Order),
}

impl Pair {
    fn new(calendar: Calendar<usize>) -> Pair {
        let present = (calendar.now(), Order::default());
        Pair { calendar, model: Model::default(), keys: Vec::new(), times: Vec::new(), present }
    }

    fn instant(&self, ahead: Ahead) -> Time {
        let now = self.calendar.now();
        match ahead {
            Ahead::Now => now,
            Ahead::Ticks(ticks) => now.saturating_add(Span(ticks)),
            Ahead::Bits(bits, value) => now.saturating_add(Span(value >> (64 - bits))),
            Ahead::BeforeTheEnd(ticks) => now.max(Time(u64::MAX - ticks)),
            Ahead::Again(n) => now.max(
                self.times.get(n.checked_rem(self.times.len()).unwrap_or(0)).copied().unwrap_or_default(),
            ),
        }
    }

    fn schedule(&mut self, at: Time, order: Order) {
        let number = self.keys.len();
        self.keys.push(if number.is_multiple_of(3) {
            self.calendar.schedule(at, order, number);
            None
        } else {
            Some(self.calendar.schedule_cancellable(at, order, number))
        });
        self.times.push(at);
        self.model.schedule((at, order, number));
    }

    fn cancel(&mut self, number: usize) {
        if let Some(key) = self.keys[number] {
            assert_eq!(self.calendar.cancel(key), self.model.cancel(number));
        }
    }

    fn pop(&mut self) {
        let expected = self.model.pending.pop();
        assert_eq!(self.calendar.pop(), expected.map(|(time, _, number)| (time, number)));
        self.come_to(expected);
        self.agree_on_present();
    }

    fn come_to(&mut self, popped: Option<(Time, Order, usize)>) {
        if let Some((time, order, _)) = popped {
            self.present = self.present.max((time, order));
        }
    }

    fn agree_on_present(&self) {
        assert_eq!(self.calendar.present_place(), self.present);
        assert_eq!(self.calendar.now(), self.present.0);
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Schedule(ahead, order) => self.schedule(self.instant(ahead), order),
            Step::Burst(count, ahead, step, priority) => {
                let first = self.instant(ahead);
                for i in 0..count as u64 {
                    // The units are in falling order, the worst case for a sorted front.
                    let order = Order { priority, rank: 0, unit: 1_000 - i as u32 };
                    self.schedule(first.saturating_add(Span(i * step)), order);
                }
            }
            Step::Cancel(number) if !self.keys.is_empty() => self.cancel(number % self.keys.len()),
            Step::CancelRecent(count) => {
                (self.keys.len().saturating_sub(count)..self.keys.len())
                    .for_each(|number| self.cancel(number));
            }
            Step::Cancel(_) | Step::Peek => {
                assert_eq!(self.calendar.peek_time(), self.model.peek_time());
            }
            Step::Pop(count) => (0..count).for_each(|_| self.pop()),
            Step::PopUntil(ahead) => {
                let end = self.instant(ahead);
                let expected = self.model.pending.pop_if(|(time, ..)| *time <= end);
                let popped = self.calendar.pop_until(end);
                assert_eq!(popped, expected.map(|(time, _, number)| (time, number)));
                self.come_to(expected);
            }
        }
        self.agree_on_present();
        assert_eq!(self.calendar.len(), self.model.pending.len());
        assert_eq!(self.calendar.is_empty(), self.model.pending.is_empty());
    }

    fn drain(&mut self) {
        while !self.model.pending.is_empty() {
            self.pop();
        }
        assert_eq!(self.calendar.pop(), None);
        assert_eq!(self.calendar.peek_time(), None);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(sansim_trials::case_count(4_000)))]

    #[test]
    fn any_interleaving_gives_what_a_sorted_vector_gives(steps in prop::collection::vec(step(), 1..120)) {
        let mut pair = Pair::new(Calendar::new());
        steps.iter().for_each(|step| pair.step(step));
        pair.drain();
    }

    #[test]
    fn running_out_of_sequence_numbers_and_generations_changes_nothing(
        steps in prop::collection::vec(step(), 1..60),
        left in 1_u32..100,
        generations in 0_u32..4,
    ) {
        let mut pair = Pair::new(Calendar::new());
        // The test fills the table, empties it again, and then makes the places old.
        (0..50).for_each(|_| pair.schedule(Time::ZERO, Order::default()));
        pair.drain();
        pair.calendar.table.set_generation(u32::MAX - 1 - generations);
        // The counters are set as if this many more events had happened.
        let last = SEQUENCES - left;
        pair.calendar.happened += u64::from(last - pair.calendar.sequence);
        pair.calendar.sequence = last;
        for step in &steps {
            pair.step(step);
        }
        pair.drain();
    }
}

#[test]
fn a_look_ahead_does_not_hinder_events_scheduled_before_what_was_seen() {
    let mut pair = Pair::new(Calendar::new());
    // Fifty far events are in the wheel; a look at the next event moves the wheel's base far ahead.
    (0..50).for_each(|i| pair.schedule(Time(1 << 40 | i << 10), Order::default()));
    pair.step(&Step::Peek);
    for i in 0..2_000_u64 {
        pair.schedule(Time(i * 7_919 % 5_000), Order { unit: i as u32, ..Order::default() });
        if i % 5 == 0 {
            pair.pop();
            pair.step(&Step::Peek);
        }
        // Scheduling never goes back in time.
        pair.schedule(pair.calendar.now() + Span(i % 3), Order::default());
    }
    pair.drain();
}

/// Holds 50,000 events in a calendar and in a heap, where each event schedules another event after this many ticks, and
/// compares the two. The delay is drawn for each event by its number.
fn equals_a_heap(delay: impl Fn(&mut crate::RandomStream, u32) -> u64) {
    let order_of =
        |number: u32| Order { priority: (number % 2) as u8, rank: (number % 7) as u16, unit: number % 1_000 };
    let mut random = crate::RandomStream::new(1, "large");
    let mut calendar = Calendar::new();
    let mut heap = BinaryHeap::new();
    let mut now = Time::ZERO;
    for number in 0..400_000_u32 {
        if number >= 50_000 {
            let Some(Reverse((time, order, event))) = heap.pop() else { unreachable!("nothing is pending") };
            assert_eq!(calendar.pop(), Some((time, event)));
            now = time;
            assert_eq!(order, order_of(event));
        }
        let at = now + Span(delay(&mut random, number));
        let order = order_of(number);
        calendar.schedule(at, order, number);
        heap.push(Reverse((at, order, number)));
    }
}

#[test]
fn a_large_calendar_equals_a_heap() {
    equals_a_heap(|random, number| random.exponential(1e6 * f64::from(1 + number % 100)) as u64);
}

#[test]
fn a_large_calendar_of_crowded_instants_far_apart_equals_a_heap() {
    // The delays are powers of two, so that thousands of events meet at one instant, slots are crowded on every level
    // down to the ties, and new records enter a slot while it is being opened level by level.
    equals_a_heap(|random, _| 1 << random.draw_below(24) & !0x3f);
}

#[test]
fn many_events_of_one_instant_come_in_their_order() {
    let mut pair = Pair::new(Calendar::new());
    for i in 0..3_000_u32 {
        pair.schedule(
            Time(5),
            Order { priority: (i % 3) as u8, rank: (i % 5) as u16, unit: i * 7_919 % 1_000 },
        );
    }
    for i in 0..3_000_u32 {
        pair.pop();
        // Events are also scheduled before the event that just happened.
        pair.schedule(
            Time(5),
            Order { priority: (i % 2) as u8, rank: (i % 5) as u16, unit: i * 7_919 % 1_000 },
        );
    }
    pair.drain();
}

#[test]
fn the_present_does_not_go_back_within_an_instant_and_begins_anew_with_the_next() {
    let order = |priority, rank, unit| Order { priority, rank, unit };
    let mut calendar = Calendar::new();
    assert_eq!(calendar.present_place(), (Time::ZERO, Order::default()));
    calendar.schedule(Time(5), order(2, 7, 3), ());
    calendar.pop();
    // A place can be lesser in each of these components.
    for lesser in [order(2, 7, 2), order(2, 6, 9), order(0, 9, 9)] {
        calendar.schedule(Time(5), lesser, ());
        assert_eq!(calendar.pop(), Some((Time(5), ())));
        assert_eq!(calendar.present_place(), (Time(5), order(2, 7, 3)));
    }
    calendar.schedule(Time(5), order(2, 7, 4), ());
    calendar.schedule(Time(6), order(0, 0, 0), ());
    calendar.pop();
    assert_eq!(calendar.present_place(), (Time(5), order(2, 7, 4)));
    calendar.pop();
    assert_eq!(calendar.present_place(), (Time(6), Order::default()));
    assert_eq!(calendar.pop(), None);
    assert_eq!(calendar.present_place(), (Time(6), Order::default()));
}

#[test]
fn cancelled_events_do_not_pile_up() {
    let mut calendar = Calendar::new();
    for i in 0..100_000_u64 {
        calendar.schedule(Time(i), Order::default(), ());
        let timeout = calendar.schedule_cancellable(Time(i + 1_000_000_000), Order::default(), ());
        calendar.pop();
        assert!(calendar.cancel(timeout));
        assert!(!calendar.cancel(timeout));
    }
    assert!(calendar.cancelled <= 65);
    let mut left = 0;
    calendar.wheel.drain(|_| left += 1);
    assert!(left <= 65);
    assert_eq!(calendar.happened_event_count(), 100_000);
}

#[test]
fn a_key_never_names_a_later_event() {
    let mut calendar = Calendar::new();
    let old = calendar.schedule_cancellable(Time(1), Order::default(), 'a');
    assert_eq!(calendar.pop(), Some((Time(1), 'a')));
    let new = calendar.schedule_cancellable(Time(2), Order::default(), 'b');
    assert!(!calendar.cancel(old));
    assert!(calendar.cancel(new));
    assert_eq!(calendar.pop(), None);
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "into the past")]
fn scheduling_into_the_past_is_caught_in_debug_builds() {
    let mut calendar = Calendar::new();
    calendar.schedule(Time(2), Order::default(), ());
    calendar.pop();
    calendar.schedule(Time(1), Order::default(), ());
}

#[test]
fn a_probe_sees_every_event() {
    #[derive(Default)]
    struct Log(Vec<String>);
    impl Probe<char> for Log {
        fn scheduled(&mut self, now: Time, at: Time, order: Order, event: &char) {
            let Order { priority, rank, unit } = order;
            self.0.push(format!("{}: {event} for {} as {priority}.{rank}.{unit}", now.0, at.0));
        }
        fn cancelled(&mut self, now: Time, event: &char) {
            self.0.push(format!("{}: {event} cancelled", now.0));
        }
        fn happens(&mut self, now: Time, order: Order, event: &char) {
            let Order { priority, rank, unit } = order;
            self.0.push(format!("{}: {event} as {priority}.{rank}.{unit}", now.0));
        }
    }
    let mut calendar = Calendar::with_probe(Log::default());
    calendar.schedule(Time(3), Order { priority: 1, rank: 2, unit: Order::UNITS - 1 }, 'a');
    calendar.pop();
    let last = Order { priority: Order::PRIORITIES - 1, rank: Order::RANKS - 1, unit: 0 };
    let key = calendar.schedule_cancellable(Time(4), last, 'b');
    calendar.cancel(key);
    let expected =
        ["0: a for 3 as 1.2.8388607", "3: a as 1.2.8388607", "3: b for 4 as 7.16383.0", "3: b cancelled"];
    assert_eq!(calendar.probe().0, expected);
}

#[test]
fn shuffling_changes_nothing_but_the_order_of_what_is_equal() {
    let mut random = crate::RandomStream::new(1, "shuffle");
    let mut calendar = Calendar::new();
    // A hundred events differ in their order, and a hundred have the same order.
    let order_of = |i: u32| Order { unit: if i < 100 { i } else { 100 }, ..Order::default() };
    let keys: Vec<_> = (0..200).map(|i| calendar.schedule_cancellable(Time(5), order_of(i), i)).collect();
    assert!(calendar.cancel(keys[7]));
    calendar.shuffle(&mut random);
    assert!(calendar.cancel(keys[8]), "the key of an event still names it");
    let pending = calendar.pending();
    let happened: Vec<u32> = std::iter::from_fn(|| calendar.pop()).map(|(_, i)| i).collect();
    assert!(pending.iter().map(|(_, _, i)| i).eq(&happened));
    let (apart, equal) = happened.split_at(98);
    assert!(apart.iter().copied().eq((0..100).filter(|i| ![7, 8].contains(i))));
    assert!(!equal.is_sorted());
    let mut equal = equal.to_vec();
    equal.sort_unstable();
    assert!(equal.into_iter().eq(100..200));
}
