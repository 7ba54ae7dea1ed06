//! A workload of streams: each stream makes requests of one content at one pace.
//!
//! Longer than 500 lines: the paces of a stream share its slots and its source.
//!
//! A request is drawn only when it is issued, so the requests of a sequential stream are issued in the order of their addresses.
//!
//! Source: Wang 2005, section 4.2.1: arrival, size, place, repetition of another request and operation determine a request. A *closed*
//! stream has slots; each issues its next request after an answer and a think time. The requests of an *open* stream arrive independently
//! of completions. A limit of outstanding requests makes an open stream *semi-open*: later arrivals wait in its backlog, which stores
//! nothing.

mod catalogue;
pub mod content;
pub(crate) mod kind;
pub mod plan;
mod rated;
pub mod source;
pub mod sweep;
pub mod synthetic;
pub mod wanted;
mod warm_up;

use crate::{aims::TargetDevices, arrivals};
use catalogue::{CATALOGUE, segment};
use content::Content;
use plan::{StreamPace, StreamPlan, StreamsPlan};
use rated::Rated;
use sansim_component::{
    BuildContext, Component, Context, DeviceAccess, EventTurn, KeysAround, Message, SourceRole, StockLevel,
    Timer,
};
use sansim_kernel::{RandomStream, Span, Time};
use sansim_request::{BLOCK_BYTES, DataId, Request, RequestOrigin};
use sansim_schema::catalogue::Catalogue;
use source::{RequestSource, SourcePlan};
use std::collections::VecDeque;
use wanted::NextRequest;
use warm_up::WarmUp;

/// The port by which the workload sends requests to its host.
const HOST: u16 = 0;

/// The kinds of timers: a stream begins, the next request of a stream arrives, a slot issues, the pause before a request ends.
mod what {
    pub const BEGIN: u8 = 0;
    pub const ARRIVAL: u8 = 1;
    pub const SLOT: u8 = 2;
    pub const PAUSE: u8 = 3;
}

/// A workload of streams.
#[derive(Debug)]
pub struct Streams {
    streams: Vec<Stream>,
    slots: Vec<Slot>,
    aims: TargetDevices,
    /// For each stream number in results, the stream, of which it may be a part.
    told: Vec<usize>,
    /// The stage whose streams are running.
    stage: u32,
    warm_up: WarmUp,
}

/// A slot of a closed stream.
#[derive(Debug)]
struct Slot {
    stream: usize,
    /// The device with which the slot stays, if it stays with one.
    device: Option<u32>,
    /// Whether the slot is about to issue a request.
    asks: bool,
    /// The time of the slot's last answer, from which the pause before its next request counts.
    answered: Time,
}

/// A stream at work.
#[derive(Debug)]
struct Stream {
    plan: StreamPlan,
    content: Content,
    clock: Clock,
    random: RandomStream,
    /// The stream's number in results, or the number of the first of its parts.
    first_told: u32,
    first_slot: usize,
    slots: usize,
    begun: Time,
    /// The time from which on the stream issues no request.
    ends: Time,
    /// The number of requests that the stream has made or that a slot is about to make.
    made: u64,
    in_flight: u32,
    /// Whether the stream issues no more requests.
    is_over: bool,
    /// Whether a request has arrived for which there is no room; the stream continues with the next answer.
    has_backlog: bool,
    /// The requests of slots after a pause: time, slot and request, in the order in which they were drawn, which is the order of the times.
    paused: VecDeque<(Time, usize, NextRequest)>,
    /// The seed and the path from which the content of the stream is made.
    seed: u64,
    path: String,
    /// The recorded time of the last request of the warm-up.
    passed: Span,
    /// The time of the arrival timer that counts; earlier ones are stale when the rate has changed.
    awaits: Time,
}

/// The rule for the time of a stream's next request.
#[derive(Debug)]
enum Clock {
    /// Requests come when slots have their answers, but none before this time.
    Slots(Time),
    /// Requests arrive by themselves, the next at this time; the content of a request is drawn only when there is room for it.
    Arrivals { arrivals: Box<arrivals::ArrivalClock>, next: Time, outstanding: u32 },
    /// Reads and writes arrive each at their own rate; the content of a request is drawn only when there is room for it.
    Rated { rated: Box<Rated>, outstanding: u32 },
    /// Requests come at the times that the content records.
    Recorded { wanted: Option<NextRequest>, outstanding: u32 },
}

impl Stream {
    fn new(plan: &StreamPlan, aims: &TargetDevices, seed: u64, workload: &str) -> Self {
        let dot = if plan.name.is_empty() { "" } else { "/" };
        let path = format!("{workload}{dot}{}", plan.name);
        let clock = match &plan.pace {
            StreamPace::Closed { .. } => Clock::Slots(Time::ZERO),
            StreamPace::Open { timetable, outstanding } => Clock::Arrivals {
                arrivals: Box::new(timetable.generator()),
                next: Time::ZERO,
                outstanding: *outstanding,
            },
            StreamPace::Rated { rates, outstanding } => {
                Clock::Rated { rated: Box::new(Rated::new(rates, Time::ZERO)), outstanding: *outstanding }
            }
            StreamPace::Recorded { outstanding } => {
                Clock::Recorded { wanted: None, outstanding: *outstanding }
            }
        };
        Self {
            content: Content::new(&plan.content, aims, seed, &path),
            clock,
            random: RandomStream::new(seed, &format!("{path}/pace")),
            plan: plan.clone(),
            first_told: 0,
            first_slot: 0,
            slots: 0,
            begun: Time::ZERO,
            ends: Time::NEVER,
            made: 0,
            in_flight: 0,
            is_over: false,
            has_backlog: false,
            paused: VecDeque::new(),
            seed,
            path,
            passed: Span::ZERO,
            awaits: Time::NEVER,
        }
    }

    /// Whether the stream may make one more request, at this time.
    fn may_ask(&self, at: Time) -> bool {
        !self.is_over && at < self.ends && self.plan.ios.is_none_or(|most| self.made < most)
    }

    /// Determines the time of the next arrival.
    fn turn_clock(&mut self) {
        match &mut self.clock {
            Clock::Slots(_) | Clock::Rated { .. } => {}
            Clock::Arrivals { arrivals, next, .. } => match arrivals.gap(&mut self.random) {
                Some(gap) => *next = next.saturating_add(gap),
                None => self.is_over = true,
            },
            Clock::Recorded { wanted, .. } => {
                *wanted = self.content.next(None);
                self.is_over |= wanted.is_none();
            }
        }
    }

    /// The time of the next arrival; none for a closed stream.
    fn next_arrival(&self) -> Option<Time> {
        match &self.clock {
            Clock::Slots(_) => None,
            Clock::Arrivals { next, .. } => Some(*next),
            Clock::Rated { rated, .. } => Some(rated.next()),
            Clock::Recorded { wanted, .. } => {
                let since = |wanted: NextRequest| Span(wanted.at.0.saturating_sub(self.passed.0));
                wanted.map(|wanted| self.begun.saturating_add(since(wanted)))
            }
        }
    }

    /// The pace is this one from now on. The result is the time of the next arrival, if it is another one than before.
    fn change_pace(&mut self, now: Time, pace: &StreamPace) -> Option<Time> {
        let before = std::mem::replace(&mut self.plan.pace, pace.clone());
        let (StreamPace::Open { timetable: before, .. }, StreamPace::Open { timetable: after, .. }) =
            (&before, pace)
        else {
            return None;
        };
        let Clock::Arrivals { arrivals, next, .. } = &mut self.clock else { return None };
        if before == after {
            return None;
        }
        let left = next.saturating_since(now);
        let left = arrivals.change(before, after, left);
        // Before the stream begins, and while requests wait for room, no arrival is awaited.
        if *next <= now || self.is_over {
            return None;
        }
        *next = now.saturating_add(left);
        Some(*next)
    }

    /// Whether the stream may have one more outstanding request.
    fn has_room(&self) -> bool {
        match self.clock {
            Clock::Slots(_) => true,
            Clock::Arrivals { outstanding, .. }
            | Clock::Rated { outstanding, .. }
            | Clock::Recorded { outstanding, .. } => self.in_flight < outstanding,
        }
    }
}

impl Streams {
    /// Streams that have issued no request yet. The random streams of each stream are drawn from `seed`, the name of the workload and the
    /// name of the stream.
    pub fn new(plan: &StreamsPlan, aims: TargetDevices, seed: u64, workload: &str) -> Self {
        let mut streams: Vec<Stream> =
            plan.streams.iter().map(|plan| Stream::new(plan, &aims, seed, workload)).collect();
        let (mut slots, mut told) = (Vec::new(), Vec::new());
        for (number, stream) in streams.iter_mut().enumerate() {
            stream.first_told = told.len() as u32;
            told.resize(told.len() + stream.plan.content.parts().len().max(1), number);
            let StreamPace::Closed { slots: many, .. } = stream.plan.pace else { continue };
            stream.first_slot = slots.len();
            stream.slots = many.slot_count(aims.devices.len()) as usize;
            slots.extend((0..stream.slots as u32).map(|slot| Slot {
                stream: number,
                device: many.device_of_slot(slot, aims.devices.len()),
                asks: false,
                answered: Time::ZERO,
            }));
        }
        Self { streams, slots, aims, told, stage: 0, warm_up: WarmUp::default() }
    }

    /// The streams of the present stage begin; if the stage has no streams, those of the next stage that has some.
    fn begin_stage(&mut self, cx: &mut Context<'_>) {
        let stages = self.streams.iter().map(|stream| stream.plan.stage);
        let Some(stage) = stages.filter(|&stage| stage >= self.stage).min() else { return };
        self.stage = stage;
        for (number, stream) in self.streams.iter().enumerate().filter(|(_, s)| s.plan.stage == stage) {
            let unit = self.slots.len() + self.streams.len() + number;
            let at = cx.now.saturating_add(stream.plan.begin);
            cx.set_timer(at, EventTurn::turn_of_node(unit as u32), Timer::new(what::BEGIN, number as u32));
        }
    }

    fn begin(&mut self, cx: &mut Context<'_>, number: usize) {
        let stream = &mut self.streams[number];
        stream.begun = cx.now;
        stream.ends = stream.plan.duration.map_or(Time::NEVER, |duration| cx.now.saturating_add(duration));
        match &mut stream.clock {
            Clock::Slots(not_before) => {
                *not_before = cx.now;
                let slots = stream.first_slot..stream.first_slot + stream.slots;
                slots.for_each(|slot| self.refill(cx, slot, cx.now));
                self.rest(number);
            }
            Clock::Arrivals { next, .. } => {
                *next = cx.now;
                stream.turn_clock();
                self.arrive(cx, number);
            }
            Clock::Rated { rated, .. } => {
                if let StreamPace::Rated { rates, .. } = &stream.plan.pace {
                    **rated = Rated::new(rates, cx.now);
                }
                self.arrive(cx, number);
            }
            Clock::Recorded { .. } => {
                stream.turn_clock();
                self.arrive(cx, number);
            }
        }
        self.end_stage(cx);
    }

    /// A slot is to issue the next request at this time, or as soon as the stream's rest is over. A slot that would issue too late issues
    /// no more requests; other slots, with shorter think times, may.
    fn refill(&mut self, cx: &mut Context<'_>, slot: usize, at: Time) {
        let stream = &mut self.streams[self.slots[slot].stream];
        let Clock::Slots(not_before) = &stream.clock else { return };
        let at = at.max(*not_before);
        if stream.may_ask(at) {
            stream.made += 1;
            (self.slots[slot].asks, self.slots[slot].answered) = (true, cx.now);
            cx.set_timer(at, EventTurn::turn_of_node(slot as u32), Timer::new(what::SLOT, slot as u32));
        }
    }

    /// A slot draws its next request, and issues it after the pause before that request if there is one.
    fn ask(&mut self, cx: &mut Context<'_>, slot: usize) {
        let Slot { stream: number, device, answered, .. } = self.slots[slot];
        let stream = &mut self.streams[number];
        let wanted = if stream.is_over { None } else { stream.content.next(device) };
        let Some(wanted) = wanted else {
            stream.is_over = true;
            self.asks_no_more(cx, slot);
            return;
        };
        let Clock::Slots(not_before) = &mut stream.clock else { return };
        if wanted.pause > Span::ZERO {
            *not_before = (*not_before).max(answered).saturating_add(wanted.pause);
        }
        let at = cx.now.max(*not_before);
        if at >= stream.ends {
            self.asks_no_more(cx, slot);
        } else if at > cx.now || !stream.paused.is_empty() {
            // Requests of a stream are issued in the order in which they were drawn.
            stream.paused.push_back((at, slot, wanted));
            let unit = self.slots.len() + 2 * self.streams.len() + number;
            cx.set_timer(at, EventTurn::turn_of_node(unit as u32), Timer::new(what::PAUSE, number as u32));
        } else {
            self.issue_of(cx, slot, &wanted);
        }
    }

    /// A slot that was about to issue a request does not.
    fn asks_no_more(&mut self, cx: &mut Context<'_>, slot: usize) {
        let number = self.slots[slot].stream;
        self.slots[slot].asks = false;
        self.streams[number].made -= 1;
        self.rest(number);
        self.end_stage(cx);
    }

    /// The pauses before some requests of a stream are over.
    fn end_pauses(&mut self, cx: &mut Context<'_>, number: usize) {
        while let Some(&(at, slot, wanted)) = self.streams[number].paused.front()
            && at <= cx.now
        {
            self.streams[number].paused.pop_front();
            self.issue_of(cx, slot, &wanted);
        }
    }

    /// A slot issues its request.
    fn issue_of(&mut self, cx: &mut Context<'_>, slot: usize, wanted: &NextRequest) {
        let number = self.slots[slot].stream;
        self.slots[slot].asks = false;
        let of_stream = (slot - self.streams[number].first_slot) as u32;
        self.issue(cx, number, of_stream, cx.now, wanted);
    }

    /// Issues the requests that have arrived by now, as far as there is room; then waits for the next.
    fn arrive(&mut self, cx: &mut Context<'_>, number: usize) {
        loop {
            let stream = &mut self.streams[number];
            let Some(next) = stream.next_arrival() else { return };
            // A stream that is behind its rate catches up until its end, and not after it.
            let asks_at = if matches!(stream.clock, Clock::Rated { .. }) { next.max(cx.now) } else { next };
            stream.is_over = !stream.may_ask(asks_at);
            if stream.is_over {
                return;
            }
            if next > cx.now {
                self.await_arrival(cx, number, next);
                return;
            }
            stream.has_backlog = !stream.has_room();
            if stream.has_backlog {
                return;
            }
            let wanted = match &stream.clock {
                Clock::Recorded { wanted, .. } => *wanted,
                Clock::Rated { rated, .. } => stream.content.next_due(rated.due_directions(cx.now)),
                _ => stream.content.next(None),
            };
            let Some(wanted) = wanted else {
                stream.is_over = true;
                return;
            };
            stream.made += 1;
            let came = match &mut stream.clock {
                Clock::Rated { rated, .. } => {
                    rated.count_request(wanted.operation, wanted.bytes, cx.now, &mut stream.random)
                }
                _ => next,
            };
            stream.turn_clock();
            self.issue(cx, number, 0, came, &wanted);
        }
    }

    /// A stream has one arrival timer at a time, and none while it has a backlog.
    fn await_arrival(&mut self, cx: &mut Context<'_>, number: usize, at: Time) {
        self.streams[number].awaits = at;
        let unit = self.slots.len() + number;
        cx.set_timer(at, EventTurn::turn_of_node(unit as u32), Timer::new(what::ARRIVAL, number as u32));
    }

    fn issue(&mut self, cx: &mut Context<'_>, number: usize, slot: u32, since: Time, wanted: &NextRequest) {
        let stream = &mut self.streams[number];
        let Some(issued) = cx.source().next_request_number() else {
            stream.is_over = true;
            return;
        };
        stream.in_flight += 1;
        let request = Request {
            number: issued,
            parent: None,
            origin: RequestOrigin {
                workload: self.aims.workload,
                stream: stream.first_told + wanted.part,
                slot,
                background: false,
                priority: stream.plan.priority,
            },
            operation: wanted.operation,
            device: self.aims.devices[wanted.device as usize],
            lba: wanted.offset_bytes / BLOCK_BYTES,
            bytes: wanted.bytes,
            cache_control: wanted.cache_control,
            data: DataId(issued),
        };
        cx.source().ask_with_issue_time(HOST, since, segment::BACKLOG, request);
    }

    /// Whether no request of a stream is in flight, and none of its slots is about to issue one.
    fn is_idle(&self, stream: &Stream) -> bool {
        let mut slots = self.slots[stream.first_slot..stream.first_slot + stream.slots].iter();
        stream.in_flight == 0 && slots.all(|slot| !slot.asks)
    }

    /// A closed stream is over when none of its slots will ask again.
    fn rest(&mut self, number: usize) {
        self.streams[number].is_over |= self.is_idle(&self.streams[number]);
    }

    /// When all streams of the stage have ended, the streams of the next stage begin.
    fn end_stage(&mut self, cx: &mut Context<'_>) {
        let mut now = self.streams.iter().filter(|stream| stream.plan.stage == self.stage);
        if now.all(|stream| stream.is_over && self.is_idle(stream)) {
            self.stage += 1;
            self.begin_stage(cx);
        }
    }
}

impl Component for Streams {
    type Parameters = StreamsPlan;
    type Role = SourceRole;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn build(plan: &StreamsPlan, cx: &BuildContext<'_, SourceRole>) -> Self {
        Self::new(plan, TargetDevices::from_build_context(cx), cx.seed, cx.name)
    }

    fn next_access(&mut self) -> Option<DeviceAccess> {
        self.access()
    }

    fn start(&mut self, cx: &mut Context<'_>) {
        self.begin_stage(cx);
    }

    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        let number = timer.number as usize;
        match timer.what {
            what::BEGIN => self.begin(cx, number),
            what::ARRIVAL if self.streams[number].awaits != cx.now => {}
            what::ARRIVAL => {
                self.streams[number].awaits = Time::NEVER;
                self.arrive(cx, number);
                if self.streams[number].is_over {
                    self.end_stage(cx);
                }
            }
            what::PAUSE => self.end_pauses(cx, number),
            _ => self.ask(cx, number),
        }
    }

    /// Rates and think times change. A think time that has begun goes on; of the time to the next arrival the share that is left stays left.
    fn change(&mut self, cx: &mut Context<'_>, plan: &StreamsPlan, _around: &KeysAround<'_>) {
        for (number, after) in plan.streams.iter().enumerate() {
            if let Some(next) = self.streams[number].change_pace(cx.now, &after.pace) {
                self.await_arrival(cx, number, next);
            }
        }
    }

    /// The number of outstanding requests that arrived by themselves; closed streams have as many as there are slots.
    fn stock(&self, _now: Time, _stock: usize) -> Option<StockLevel> {
        let open = self.streams.iter().filter(|stream| !matches!(stream.clock, Clock::Slots(_)));
        let under_way = open.map(|stream| f64::from(stream.in_flight)).reduce(|sum, one| sum + one)?;
        Some(StockLevel { level: under_way, ..StockLevel::default() })
    }

    fn remarks(&self) -> Vec<String> {
        self.streams.iter().flat_map(|stream| stream.content.remarks()).collect()
    }

    fn fault(&self) -> Option<String> {
        let fault = self.streams.iter().find_map(|stream| stream.content.fault());
        // A workload that has ended without a request has an error in its keys.
        let asked = |stream: &Stream| stream.made > 0 || !stream.is_over;
        fault.or_else(|| {
            let nothing = !self.streams.is_empty() && !self.streams.iter().any(asked);
            nothing.then(|| "it asks for nothing: not one request comes of what its keys say".to_owned())
        })
    }

    fn receive(&mut self, cx: &mut Context<'_>, _port: u16, message: Message) {
        let Message::Done(request, status) = message else { return };
        let RequestOrigin { stream: number, slot, .. } = cx.close_request(request, status).request.origin;
        let number = self.told[number as usize];
        let stream = &mut self.streams[number];
        stream.in_flight -= 1;
        if let StreamPace::Closed { think, .. } = &stream.plan.pace {
            let at = cx.now.saturating_add(think.draw(&mut stream.random));
            let slot = stream.first_slot + slot as usize;
            self.refill(cx, slot, at);
            self.rest(number);
        } else if stream.has_backlog {
            // The next request is not issued at once: the ledger of the completed request is valid until the next request is issued.
            stream.has_backlog = false;
            self.await_arrival(cx, number, cx.now);
        }
        if self.streams[number].is_over {
            self.end_stage(cx);
        }
    }
}

#[cfg(test)]
mod tests;
