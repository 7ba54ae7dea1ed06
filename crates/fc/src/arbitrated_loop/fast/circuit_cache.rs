//! The cache of circuits: the outcome of a circuit that was seen before is replayed instead of computed
//! again.
//!
//! A circuit that no other component affects depends only on two things: on the state of its ports when it began (its two ends and the
//! ports that are awake because they wait for the loop, [`ports`]), and on what their nodes do during the circuit, that is hand over frames
//! and empty buffers. The rules of a circuit use no absolute time. The loop therefore caches the outcome of each circuit key ([`outcome`]):
//! the notifications to the nodes, their times, and the state of the ports at the end. When a circuit begins with a cached key, the
//! calendar gets only the times of the notifications to the nodes.
//!
//! While a cached circuit is active, its ports and the items between them keep the state from its beginning. No cached outcome can turn out
//! wrong: it holds *if the nodes do nothing*, and an action of a node leads to another outcome, which is cached already or is learned then
//! ([`learn`]). If an event at another port interferes, the elapsed part is worked out by the ordinary rules ([`replay`]), and ordinary
//! events go on from there. No rule of the loop is therefore written down twice.
//!
//! Two inputs that differ only in their times lead to the same outcome if no event of the circuit lies between them and the port asks for
//! the same slot ([`outcome::Within`]); without this rule inputs would hardly ever be the same twice, because nodes act at any time within
//! a slot.

mod begin;
mod counts;
mod end;
mod frames;
mod learn;
mod learning_budget;
mod local;
mod memory;
mod outcome;
mod ports;
mod replay;

use super::{ArbitratedLoop, LoopEvent, PortSet};
use crate::arbitrated_loop::{CircuitStep, LoopHost, PortEvent};
use crate::frame::{Frame, RequestTag};
use crate::loop_port::snapshot::RelativeTime;
pub use counts::CircuitCounts;
use frames::Frames;
use learning_budget::LearningBudget;
use local::LocalEvent;
use memory::Memory;
use outcome::{CircuitKey, EndState, Input, Notification, NotificationKind, Place};
use ports::Ports;
use sansim_kernel::{Order, Span, Time};

/// The number of circuit keys that are noted for a pair of ports.
const NOTED: usize = 6;
/// The number of circuits of a pair of ports that are skipped if they begin with a frame within its sequence, after another frame of that
/// kind followed in such a circuit.
const LEFT_ALONE: u8 = 200;

/// The cached circuits between two ports that were opened by one of the two ports.
#[derive(Clone, Debug)]
struct Pair {
    /// Circuit keys by their hashes.
    roots: Vec<(u64, u32)>,
    patience: LearningBudget,
    /// The learning budget for rare circuit keys, and the last rare keys that are not cached.
    for_rare: LearningBudget,
    noted: [u64; NOTED],
    /// The number of circuits still to be skipped that begin with a frame within its sequence: another frame followed in such a circuit,
    /// and a frame burst serves that case better.
    left_alone: u8,
}

/// The cached circuits of a loop.
#[derive(Clone, Debug)]
pub(in crate::arbitrated_loop) struct CircuitCache {
    /// The cached circuits by owner and other end; the list is empty before a circuit is cached.
    pairs: Vec<Pair>,
    ports: usize,
    memory: Memory,
    going: ActiveCircuit,
    is_going: bool,
    /// The time beyond which no rule of the loop looks back.
    looks_back: Span,
    /// The learning budgets for circuits that begin in an idle loop, after another circuit with a port that had no part in it, and while
    /// other ports arbitrate.
    asleep: LearningBudget,
    with_another: LearningBudget,
    joined: LearningBudget,
    counts: CircuitCounts,
    /// Buffers that learning reuses, so that it allocates no memory.
    scratch: Scratch,
}

/// Lists that are reused each time an outcome is learned.
#[derive(Clone, Debug, Default)]
struct Scratch {
    pending: Vec<LocalEvent>,
    told: Vec<((Time, Order), usize, PortEvent)>,
    unlocked_at: Vec<Time>,
    beginning: CircuitKey,
    /// The state of the ports at the end of a circuit.
    rest: EndState,
}

/// The situation in which a cached circuit began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Began {
    /// The loop was idle.
    Asleep,
    /// The circuit began after another circuit, with a port that had no part in the earlier circuit.
    WithAnother,
    /// A frame was handed to a port while other ports arbitrated.
    Joined,
    /// The circuit began when an OPN arrived, or when another circuit between two of its ports ended.
    #[default]
    Awake,
}

/// The cached circuit that is active.
#[derive(Clone, Debug, Default)]
struct ActiveCircuit {
    /// The two ends of the circuit, and the other ports that are awake.
    ports: Ports,
    /// The moment from which the times of the circuit are counted: further back than any rule looks.
    origin: Time,
    began: Began,
    /// Whether the circuit began while other ports waited, or at the end of another circuit. In many loads the key of a circuit with
    /// other ports hardly ever recurs, so the key is only noted at first, and has a learning budget of its own.
    is_rare: bool,
    /// The number of the outcome that follows from the circuit key and the inputs so far.
    future: u32,
    /// The range of notifications of the outcome that are still to come.
    tells: (u32, u32),
    /// The frames of the circuit, each with a number.
    frames: Frames,
    /// The number of frames at its two ends that are within their sequences.
    within: u32,
    /// The inputs from the nodes since the states of the ports were recorded.
    inputs: Vec<Given>,
    /// The events that were pending when the states of the ports were recorded, if that was after the circuit
    /// began.
    pending: Option<Vec<LocalEvent>>,
    /// The place of the last event before the states of the ports were recorded.
    behind: (Time, Order),
    /// For each port of the circuit, the time at which the first IDLE passed it, or will pass it. The other ports of the
    /// loop take note of these IDLEs when the cached circuit is left.
    idles: [RelativeTime; Ports::MOST],
    /// The number of the event that the calendar holds for the circuit, and the place of that event. Events
    /// of the circuit with earlier numbers are stale.
    number: u32,
    scheduled: Option<Place>,
    /// The notifications so far, which are compared with the notifications that the rules yield.
    #[cfg(debug_assertions)]
    told: Vec<(Time, usize, NotificationKind)>,
}

/// An input to a cached circuit.
#[derive(Clone, Copy, Debug)]
struct Given {
    at: Time,
    /// The place of the last event before the input.
    behind: (Time, Order),
    port: usize,
    /// The frame that was handed over; none if a buffer was emptied.
    frame: Option<Frame>,
}

impl CircuitCache {
    pub(in crate::arbitrated_loop) fn new(ports: usize, looks_back: Span) -> Self {
        Self {
            pairs: Vec::new(),
            ports,
            memory: Memory::default(),
            going: ActiveCircuit::default(),
            is_going: false,
            looks_back,
            asleep: LearningBudget::new(LearningBudget::MOST),
            with_another: LearningBudget::new(LearningBudget::MOST),
            joined: LearningBudget::new(LearningBudget::MOST),
            counts: CircuitCounts::default(),
            scratch: Scratch::default(),
        }
    }

    /// Forgets all circuits, because the loop has other cables or its ports other rules. No cached circuit is active.
    pub(in crate::arbitrated_loop) fn forget_circuits(&mut self) {
        self.pairs.clear();
        self.memory = Memory::default();
    }

    /// Whether a cached circuit is active.
    #[inline]
    pub(in crate::arbitrated_loop) fn is_going(&self) -> bool {
        self.is_going
    }

    /// Whether a cached circuit is active in which this port has a part.
    pub(in crate::arbitrated_loop) fn is_at(&self, port: usize) -> bool {
        self.is_going && self.going.ports.contains(port)
    }

    /// The cached circuits between the two ends of the circuit that is active, or begins.
    fn pair(&mut self) -> &mut Pair {
        if self.pairs.is_empty() {
            let [patience, for_rare] =
                [LearningBudget::MOST, LearningBudget::FOR_RARE].map(LearningBudget::new);
            let (roots, noted) = (Vec::new(), [0; NOTED]);
            let nothing = Pair { roots, patience, for_rare, noted, left_alone: 0 };
            self.pairs.resize(self.ports * self.ports, nothing);
        }
        let [owner, other] = self.going.ports.both();
        &mut self.pairs[owner * self.ports + other]
    }

    /// The learning budget for circuits of the kind of the circuit that is active, or begins.
    fn patience(&mut self) -> &mut LearningBudget {
        let is_rare = self.going.is_rare;
        let pair = self.pair();
        if is_rare { &mut pair.for_rare } else { &mut pair.patience }
    }

    /// The learning budget for circuits that begin in the situation in which this circuit begins, if there is
    /// one.
    fn patience_of_beginning(&mut self) -> Option<&mut LearningBudget> {
        match self.going.began {
            Began::Asleep => Some(&mut self.asleep),
            Began::WithAnother => Some(&mut self.with_another),
            Began::Joined => Some(&mut self.joined),
            Began::Awake => None,
        }
    }

    /// The circuit continues with this outcome.
    fn goes_on_with(&mut self, future: u32) {
        (self.going.future, self.going.tells) = (future, self.memory.future(future).tells());
    }

    /// The number of the cached circuit key with this hash, if the noted key is cached.
    fn root(&self, print: u64) -> Option<u32> {
        let [owner, other] = self.going.ports.both();
        let roots = &self.pairs[owner * self.ports + other].roots;
        self.memory.root(roots, print, &self.scratch.beginning)
    }

    /// Makes room for one more outcome in the cache, if that is possible now.
    fn has_room(&mut self) -> bool {
        if self.memory.has_room() {
            return true;
        }
        if !self.is_going {
            self.pairs.iter_mut().for_each(|pair| pair.roots.clear());
            self.memory = Memory::default();
        }
        !self.is_going
    }
}

impl Pair {
    /// Whether the present circuit, which begins with a frame within its sequence, is skipped.
    fn leaves_alone(&mut self) -> bool {
        let is_left_alone = self.left_alone > 0;
        self.left_alone -= u8::from(is_left_alone);
        is_left_alone
    }
}

impl ActiveCircuit {
    /// The next notification of the active circuit.
    #[inline(always)]
    fn is_told<'a>(&self, memory: &'a Memory) -> Option<&'a Notification> {
        let (next, until) = self.tells;
        (next < until).then(|| memory.told(next))
    }

    /// The number of a port within the circuit.
    fn end_of(&self, port: usize) -> u8 {
        self.ports.number_of(port).unwrap_or_default()
    }

    /// Whether other ports wait for the loop during the circuit.
    fn waits_anybody(&self) -> bool {
        self.ports.count() > self.ports.both().len()
    }

    /// Records a frame that is handed to a port.
    #[inline]
    fn takes(&mut self, port: usize, frame: Option<Frame>) {
        if let Some(frame) = frame {
            self.within += u32::from(self.is_within_at_end(port, &frame));
            self.frames.put(&frame, self.end_of(port));
        }
    }

    #[inline]
    fn is_within_at_end(&self, port: usize, frame: &Frame) -> bool {
        frame.is_within_unit() && self.ports.both().contains(&port)
    }

    fn tag(&self, number: u8) -> Option<RequestTag> {
        self.frames.tag(number)
    }

    /// Sends a node the notification of an outcome.
    #[inline(always)]
    fn tell(&self, now: Time, port: usize, says: NotificationKind, around: &mut impl LoopHost) {
        let frame = |number: u8| self.frames.get(number);
        // Each kind of notification has a branch of its own, because a common value for all kinds would copy
        // the frame once more.
        match says {
            NotificationKind::Received(number) => {
                if let Some(&frame) = frame(number) {
                    around.upcall(now, port, PortEvent::Received(frame));
                }
            }
            NotificationKind::Started(number) => {
                if let Some(&frame) = frame(number) {
                    around.upcall(now, port, PortEvent::Started(frame));
                }
            }
            NotificationKind::Sent(number) => {
                if let Some(&frame) = frame(number) {
                    around.upcall(now, port, PortEvent::Sent(frame));
                }
            }
            NotificationKind::Waits(number, waiting) => {
                if let Some(tag) = self.tag(number) {
                    around.upcall(now, port, PortEvent::Waits(tag, waiting));
                }
            }
            NotificationKind::Owns(owns) => around.upcall(now, port, PortEvent::Owns(owns)),
            NotificationKind::CircuitEnded => around.upcall(now, port, PortEvent::CircuitEnded),
        }
    }

    fn time_of(&self, place: &Place) -> (Time, Order) {
        (place.at.after(self.origin), place.order)
    }
}

impl ArbitratedLoop {
    /// Counts of cached circuits.
    pub fn cached_circuits(&self) -> CircuitCounts {
        self.known.counts
    }

    /// An event of the loop is due while a cached circuit is active. Returns whether the event belonged to the
    /// cached circuit.
    #[inline]
    pub(in crate::arbitrated_loop) fn is_of_cached(
        &mut self,
        now: Time,
        port: usize,
        event: LoopEvent,
        around: &mut impl LoopHost,
    ) -> bool {
        match event {
            LoopEvent::Known(_, number) => {
                if self.known.is_going && number == self.known.going.number {
                    self.notify(now, around);
                }
                true
            }
            _ if !self.known.is_going => false,
            // The event was pending when the circuit began.
            _ if self.known.going.ports.contains(port) => true,
            // The event is stale.
            LoopEvent::Slot if !self.ports[port].slot_comes(now) => true,
            LoopEvent::Fill if self.fast.lines[port].is_empty() => true,
            _ => {
                self.fall_back_to_events(now, around);
                false
            }
        }
    }

    /// Sends the nodes the notifications of a cached circuit that are due.
    #[inline(never)]
    fn notify(&mut self, now: Time, around: &mut impl LoopHost) {
        let CircuitCache { memory, going, .. } = &mut self.known;
        let Some(place) = going.scheduled.take() else { return };
        let future = memory.future(going.future);
        while let Some(told) = going.is_told(memory)
            && told.place == place
        {
            going.tells.0 += 1;
            let port = going.ports.at(told.end);
            #[cfg(debug_assertions)]
            going.told.push((now, port, told.says));
            going.tell(now, port, told.says, around);
        }
        if let Some(end) = &future.end
            && end.place == place
        {
            self.end_cached(now, around);
            return;
        }
        self.schedule_cached(around);
    }

    /// Schedules the next step of a cached circuit.
    fn schedule_cached(&mut self, around: &mut impl LoopHost) {
        let CircuitCache { memory, going, .. } = &mut self.known;
        let end = || memory.future(going.future).end.as_ref().map(|end| end.place);
        let Some(place) = going.is_told(memory).map(|told| told.place).or_else(end) else {
            // The circuit waits for an action of its nodes.
            going.scheduled = None;
            going.number = going.number.wrapping_add(1);
            return;
        };
        if going.scheduled == Some(place) {
            return;
        }
        going.scheduled = Some(place);
        going.number = going.number.wrapping_add(1);
        let event = LoopEvent::Known(CircuitStep::of(place.order), going.number);
        around.schedule(place.at.after(going.origin), usize::from(place.order.rank), event);
    }

    /// A node gives a port an input while a cached circuit is active. Returns whether the input belonged to the
    /// cached circuit.
    #[inline(never)]
    pub(in crate::arbitrated_loop) fn cached_takes(
        &mut self,
        now: Time,
        port: usize,
        frame: Option<Frame>,
        around: &mut impl LoopHost,
    ) -> bool {
        if !self.known.going.ports.contains(port) {
            // The input only gives an idle port one more empty buffer.
            if frame.is_some() {
                self.fall_back_to_events(now, around);
            }
            return false;
        }
        // Frames of a cached circuit are distinguished by their fields.
        let frames = &self.known.going.frames;
        let is_like_another = |frame: Frame| frame.kind.is_link_service() || frames.has(&frame);
        if frame.is_some_and(is_like_another) {
            self.fall_back_to_events(now, around);
            return false;
        }
        let slot = self.ports[port].next_word_slot(now);
        let goes = frame.and_then(|frame| self.goes_to(port, &frame));
        let CircuitCache { memory, going, .. } = &mut self.known;
        let end = going.end_of(port);
        let input = Input::of(frame.map(|frame| (frame, goes)), &going.frames);
        let is_edge = |edge: &&outcome::Edge| {
            edge.end == end
                && edge.input == input
                && edge.within.holds((now, slot), going.origin, |order| around.has_passed(order))
        };
        let Some(&outcome::Edge { to, within, asks_for, .. }) = memory.edges(going.future).find(is_edge)
        else {
            return self.learn_input(now, port, frame, around);
        };
        let is_next = asks_for.after(going.origin) == now;
        let future = memory.future(to);
        if !future.is_of_use() || (is_next && around.has_passed(LoopEvent::Slot.event_order(port as u16))) {
            self.fall_back_to_events(now, around);
            return false;
        }
        going.takes(port, frame);
        let behind = going.time_of(&within.behind);
        going.inputs.push(Given { at: now, behind, port, frame });
        (going.future, going.tells) = (to, future.tells());
        for (end, says) in memory.at_once(future) {
            let port = going.ports.at(end);
            #[cfg(debug_assertions)]
            going.told.push((now, port, says));
            going.tell(now, port, says, around);
        }
        self.known.patience().pays();
        self.schedule_cached(around);
        true
    }

    /// Leaves the cached circuit because the state of the ports is read at a moment between the last event and the next.
    pub fn leave_cached_circuit(
        &mut self,
        now: Time,
        has_passed: impl Fn(Order) -> bool,
        around: &mut impl LoopHost,
    ) {
        if self.known.is_going {
            let (pending, _) = self.replay(now, has_passed);
            self.go_on_by_events(pending, around);
        }
    }

    /// Works out the elapsed part of a cached circuit by the rules; ordinary events continue from here.
    #[inline(never)]
    pub(in crate::arbitrated_loop) fn fall_back_to_events(&mut self, now: Time, around: &mut impl LoopHost) {
        let (pending, _) = self.replay(now, |order| around.has_passed(order));
        self.known.patience().costs(LearningBudget::LEAVING);
        if let Some(patience) = self.known.patience_of_beginning() {
            patience.costs(LearningBudget::LEAVING);
        }
        self.go_on_by_events(pending, around);
    }
}
