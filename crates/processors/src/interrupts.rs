//! Processors that are interrupted when completions come.
//!
//! A source of completions interrupts when it has a given number of completions, or has had a completion for a given time. Until a
//! processor accepts the interrupt the source does not interrupt again; the processor then finds all completions that are there by then,
//! spends the time of the interrupt, and handles one completion after the other. Completions that come after an interrupt was accepted
//! cause another interrupt. Work without a cost needs no processor.
//!
//! A free processor begins a due slice of other load first, else an interrupt or work of a network, else a submission, the oldest of each.

use crate::catalogue::segment;
use crate::parameters::InterruptParameters;
use crate::slices::OtherLoadSlices;
use crate::{Asked, begin, enter, is_of_network, worked};
use sansim_component::{Context, EventTurn, ProcessorWorkKind, Timer};
use sansim_kernel::{EventKey, RandomStream, Span, Time, TimeWeighted, Total};
use std::collections::VecDeque;

/// Timers: a processor is done, by the processor's number; a source has waited long enough, by the source's number.
const DONE: u8 = 0;
const COALESCED: u8 = 1;

/// The activity of a processor.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Doing {
    /// The processor does nothing for requests; its slices of other load then follow from the time.
    Nothing,
    /// The processor is used by other load, while requests wait.
    Slice,
    /// The processor handles an interrupt.
    Interrupt,
    /// The processor sets a request up, or handles its completion.
    Work(Asked),
}

#[derive(Clone, Debug)]
struct Processor {
    doing: Doing,
    /// The completions of the interrupt that is being handled.
    brought: VecDeque<Asked>,
    slices: Option<OtherLoadSlices>,
}

/// Work that precedes submissions.
#[derive(Clone, Copy, Debug)]
enum Waiting {
    /// The source with this number has interrupted.
    Source(u16),
    /// A network has work for software.
    Network(Asked),
}

/// A source of completions.
#[derive(Clone, Debug, Default)]
struct Source {
    there: VecDeque<Asked>,
    /// Whether the source has interrupted, and no processor has accepted the interrupt.
    has_interrupted: bool,
    /// The coalescing timer for the first waiting completion.
    timer: Option<EventKey>,
}

/// The processors of a host that are interrupted when completions come.
#[derive(Clone, Debug)]
pub struct Interrupts {
    parameters: InterruptParameters,
    processors: Vec<Processor>,
    sources: Vec<Source>,
    waiting: VecDeque<Waiting>,
    submissions: VecDeque<Asked>,
    /// The number of requests at the processors, and the number of those for which a processor works or which an interrupt has brought.
    here: u32,
    taken: u32,
    working: TimeWeighted,
    interrupts: u64,
    completions: u64,
}

impl Interrupts {
    /// Idle processors. Random numbers are drawn from streams whose names begin with `name`.
    pub fn new(parameters: &InterruptParameters, seed: u64, name: &str) -> Self {
        let mut random = RandomStream::new(seed, &format!("{name}/other-load"));
        let mut processor = || Processor {
            doing: Doing::Nothing,
            brought: VecDeque::new(),
            slices: OtherLoadSlices::new(&parameters.other_load, &mut random),
        };
        Self {
            parameters: *parameters,
            processors: (0..parameters.count).map(|_| processor()).collect(),
            sources: Vec::new(),
            waiting: VecDeque::with_capacity(16),
            submissions: VecDeque::with_capacity(256),
            here: 0,
            taken: 0,
            working: TimeWeighted::new(),
            interrupts: 0,
            completions: 0,
        }
    }

    /// A component sends work.
    pub fn submit_work(&mut self, cx: &mut Context<'_>, asked: Asked) {
        match asked.1.of {
            ProcessorWorkKind::Network(_) => {
                enter(cx, &asked.1, segment::QUEUE);
                self.waiting.push_back(Waiting::Network(asked));
                self.set_to_work(cx);
            }
            ProcessorWorkKind::Submission if asked.1.time == Span::ZERO => worked(cx, asked),
            ProcessorWorkKind::Submission => {
                self.here += 1;
                enter(cx, &asked.1, segment::QUEUE);
                self.submissions.push_back(asked);
                self.set_to_work(cx);
            }
            ProcessorWorkKind::Completion(source) => {
                self.here += 1;
                self.completions += 1;
                self.complete(cx, source, asked);
            }
        }
    }

    /// A source has one more completion.
    fn complete(&mut self, cx: &mut Context<'_>, number: u16, asked: Asked) {
        let place = usize::from(number);
        if place >= self.sources.len() {
            self.sources.resize(place + 1, Source::default());
        }
        let source = &mut self.sources[place];
        source.there.push_back(asked);
        if source.has_interrupted {
            enter(cx, &asked.1, segment::QUEUE);
            return;
        }
        let enough = self.parameters.coalesced_completions;
        let time = self.parameters.coalescing_time;
        if time == Span::ZERO || enough.is_some_and(|enough| source.there.len() as u64 >= enough) {
            if let Some(timer) = source.timer.take() {
                cx.cancel_timer(timer);
            }
            self.interrupt(cx, number);
        } else {
            enter(cx, &asked.1, segment::UNNOTICED);
            if source.timer.is_none() {
                let number = u32::from(number);
                let turn = EventTurn::turn_of_node(self.parameters.count + number);
                source.timer =
                    Some(cx.set_cancellable_timer(cx.now + time, turn, Timer::new(COALESCED, number)));
            }
        }
    }

    /// A source interrupts.
    fn interrupt(&mut self, cx: &mut Context<'_>, number: u16) {
        self.interrupts += 1;
        let source = &mut self.sources[usize::from(number)];
        let costs = self.parameters.interrupt_time > Span::ZERO
            || source.there.iter().any(|(_, work)| work.time > Span::ZERO);
        if !costs {
            self.here -= source.there.len() as u32;
            while let Some(asked) = self.sources[usize::from(number)].there.pop_front() {
                worked(cx, asked);
            }
            return;
        }
        source.has_interrupted = true;
        source.there.iter().for_each(|(_, work)| enter(cx, work, segment::QUEUE));
        self.waiting.push_back(Waiting::Source(number));
        self.set_to_work(cx);
    }

    /// Lets an idle processor begin the waiting work, if there is one.
    fn set_to_work(&mut self, cx: &mut Context<'_>) {
        for number in 0..self.processors.len() {
            let processor = &mut self.processors[number];
            if processor.doing != Doing::Nothing {
                continue;
            }
            match processor.slices.as_mut().and_then(|slices| slices.let_slices_pass(cx.now)) {
                Some(until) => self.leave(cx, number, until),
                None => {
                    self.take(cx, number);
                    return;
                }
            }
        }
    }

    /// A processor has a slice of other load until a time.
    fn leave(&mut self, cx: &mut Context<'_>, number: usize, until: Time) {
        self.processors[number].doing = Doing::Slice;
        Self::wake(cx, number, until);
    }

    fn wake(cx: &mut Context<'_>, number: usize, at: Time) {
        cx.set_timer(at, EventTurn::turn_of_node(number as u32), Timer::new(DONE, number as u32));
    }

    /// A free processor begins waiting work.
    fn take(&mut self, cx: &mut Context<'_>, number: usize) {
        match self.waiting.pop_front() {
            Some(Waiting::Source(source)) => self.take_interrupt(cx, number, source),
            Some(Waiting::Network(asked)) => self.work(cx, number, asked),
            None => {
                if let Some(asked) = self.submissions.pop_front() {
                    self.taken += 1;
                    self.work(cx, number, asked);
                } else {
                    self.processors[number].doing = Doing::Nothing;
                }
            }
        }
    }

    fn take_interrupt(&mut self, cx: &mut Context<'_>, number: usize, source: u16) {
        let processor = &mut self.processors[number];
        let source = &mut self.sources[usize::from(source)];
        source.has_interrupted = false;
        std::mem::swap(&mut processor.brought, &mut source.there);
        self.taken += processor.brought.len() as u32;
        if self.parameters.interrupt_time == Span::ZERO {
            self.go_on(cx, number);
            return;
        }
        if let Some((_, first)) = processor.brought.front() {
            enter(cx, first, segment::INTERRUPT);
        }
        processor.doing = Doing::Interrupt;
        self.working.increase(cx.now, 1);
        Self::wake(cx, number, cx.now + self.parameters.interrupt_time);
    }

    fn work(&mut self, cx: &mut Context<'_>, number: usize, asked: Asked) {
        begin(cx, &asked.1);
        self.processors[number].doing = Doing::Work(asked);
        self.working.increase(cx.now, 1);
        Self::wake(cx, number, cx.now + asked.1.time);
    }

    /// A processor is done with a piece of work, and continues with the completions of its interrupt, or with other work.
    fn go_on(&mut self, cx: &mut Context<'_>, number: usize) {
        while let Some(asked) = self.processors[number].brought.pop_front() {
            if asked.1.time > Span::ZERO {
                self.work(cx, number, asked);
                return;
            }
            self.done(cx, asked);
        }
        match self.processors[number].slices.as_mut().and_then(|slices| slices.begin_due_slice(cx.now)) {
            Some(until) => self.leave(cx, number, until),
            None => self.take(cx, number),
        }
    }

    fn done(&mut self, cx: &mut Context<'_>, asked: Asked) {
        if !is_of_network(&asked.1) {
            (self.here, self.taken) = (self.here - 1, self.taken - 1);
        }
        worked(cx, asked);
    }

    /// A processor is done, or a source has waited long enough.
    pub fn handle_due_timer(&mut self, cx: &mut Context<'_>, timer: Timer) {
        if timer.what == COALESCED {
            self.sources[timer.number as usize].timer = None;
            self.interrupt(cx, timer.number as u16);
            return;
        }
        let number = timer.number as usize;
        match std::mem::replace(&mut self.processors[number].doing, Doing::Nothing) {
            Doing::Work(asked) => {
                self.working.decrease(cx.now, 1);
                self.done(cx, asked);
            }
            Doing::Interrupt => self.working.decrease(cx.now, 1),
            Doing::Slice | Doing::Nothing => {}
        }
        self.go_on(cx, number);
    }

    pub(crate) fn count(&self) -> u64 {
        self.parameters.count.into()
    }

    pub(crate) fn waiting(&self) -> u32 {
        self.here - self.taken
    }

    pub(crate) fn working(&self) -> u32 {
        self.working.value() as u32
    }

    pub(crate) fn left(&self) -> u64 {
        self.here.into()
    }

    pub(crate) fn working_total(&self, now: Time) -> Total {
        self.working.total(now)
    }

    pub(crate) fn occupied_total(&self, now: Time) -> Total {
        let others = |processor: &Processor| {
            let is_idle = processor.doing == Doing::Nothing;
            processor.slices.map_or(0, |slices| slices.slice_time(now, is_idle).0)
        };
        Total(self.working.total(now).0 + self.processors.iter().map(others).sum::<u128>())
    }

    pub(crate) fn interrupts(&self) -> u64 {
        self.interrupts
    }

    pub(crate) fn completions(&self) -> u64 {
        self.completions
    }
}
