//! Processors whose threads poll for work.
//!
//! Threads poll all the time, each on a processor of its own. A poll lasts `poll_time`; at its end the thread does the oldest waiting work,
//! then polls again. Submissions are found by polls, too, without a call, as with Datacore's software (Friedman), with SPDK, or with a
//! kernel thread that polls queues of io_uring.
//!
//! Polls that find nothing are not events: their number follows from the time.

use crate::catalogue::segment;
use crate::parameters::PollingParameters;
use crate::{Asked, begin, enter, is_of_network, worked};
use sansim_component::{Context, EventTurn, ProcessorWorkKind, Timer};
use sansim_kernel::{Span, Time, TimeWeighted, Total};
use std::collections::VecDeque;

/// Timers: the end of a poll that finds work, and the end of work. The number of a timer is the number of the thread.
const POLLED: u8 = 0;
const DONE: u8 = 1;

/// The activity of a thread.
#[derive(Clone, Copy, Debug)]
enum Doing {
    /// The thread polls, one poll after the other, since this time.
    Polls(Time),
    /// The thread polls since the first time, and the poll that ends at the second time finds work.
    Finds(Time, Time),
    /// The thread does the work that it has found.
    Works(Asked),
}

/// The processors of a host whose threads poll for work.
#[derive(Clone, Debug)]
pub struct Polling {
    parameters: PollingParameters,
    threads: Vec<Doing>,
    /// Work that no poll has found yet.
    there: VecDeque<Asked>,
    /// The number of threads whose next poll finds work.
    finding: usize,
    working: TimeWeighted,
    productive: u64,
    completions: u64,
    /// The number of polls that found nothing, without those of threads that poll at present.
    unproductive: u64,
}

impl Polling {
    /// Processors whose threads have begun to poll.
    pub fn new(parameters: &PollingParameters) -> Self {
        Self {
            parameters: *parameters,
            threads: vec![Doing::Polls(Time::ZERO); parameters.threads as usize],
            there: VecDeque::with_capacity(256),
            finding: 0,
            working: TimeWeighted::new(),
            productive: 0,
            completions: 0,
            unproductive: 0,
        }
    }

    /// A component sends work.
    pub fn submit_work(&mut self, cx: &mut Context<'_>, asked: Asked) {
        enter(cx, &asked.1, segment::UNNOTICED);
        self.there.push_back(asked);
        let ends = |doing: &Doing| match doing {
            Doing::Polls(since) => Some(self.next_end(*since, cx.now)),
            _ => None,
        };
        let next =
            self.threads.iter().enumerate().filter_map(|(thread, doing)| Some((ends(doing)?, thread))).min();
        if let Some((_, thread)) = next {
            self.find(cx, thread);
        }
    }

    /// The end of the first poll that ends after now, of a thread that polls since `since`.
    fn next_end(&self, since: Time, now: Time) -> Time {
        let poll = self.parameters.poll_time.ticks();
        since + Span(((now - since).ticks() / poll + 1) * poll)
    }

    /// Plans the poll of a thread that finds the waiting work.
    fn find(&mut self, cx: &mut Context<'_>, thread: usize) {
        let Doing::Polls(since) = self.threads[thread] else { return };
        let at = self.next_end(since, cx.now);
        self.threads[thread] = Doing::Finds(since, at);
        self.finding += 1;
        cx.set_timer(at, EventTurn::turn_of_node(thread as u32), Timer::new(POLLED, thread as u32));
    }

    /// A poll that finds work is over, or work is done.
    pub fn handle_due_timer(&mut self, cx: &mut Context<'_>, timer: Timer) {
        let thread = timer.number as usize;
        match self.threads[thread] {
            Doing::Finds(since, _) => {
                let Some(asked) = self.there.pop_front() else { return };
                self.finding -= 1;
                self.unproductive += self.polls(since, cx.now) - 1;
                self.productive += 1;
                self.completions += u64::from(matches!(asked.1.of, ProcessorWorkKind::Completion(_)));
                self.threads[thread] = Doing::Works(asked);
                self.working.increase(cx.now, 1);
                if asked.1.time == Span::ZERO {
                    self.done(cx, thread, asked);
                } else {
                    begin(cx, &asked.1);
                    let at = cx.now + asked.1.time;
                    cx.set_timer(at, EventTurn::turn_of_node(timer.number), Timer::new(DONE, timer.number));
                }
            }
            Doing::Works(asked) => self.done(cx, thread, asked),
            Doing::Polls(_) => {}
        }
    }

    fn done(&mut self, cx: &mut Context<'_>, thread: usize, asked: Asked) {
        self.working.decrease(cx.now, 1);
        self.threads[thread] = Doing::Polls(cx.now);
        worked(cx, asked);
        if self.there.len() > self.finding {
            self.find(cx, thread);
        }
    }

    /// The number of polls that a thread has ended that polls since `since`.
    fn polls(&self, since: Time, now: Time) -> u64 {
        (now - since).ticks() / self.parameters.poll_time.ticks()
    }

    pub(crate) fn count(&self) -> u64 {
        self.parameters.count.into()
    }

    pub(crate) fn waiting(&self) -> u32 {
        self.there.iter().filter(|(_, work)| !is_of_network(work)).count() as u32
    }

    pub(crate) fn working(&self) -> u32 {
        self.threads.iter().filter(|doing| matches!(doing, Doing::Works(_))).count() as u32
    }

    pub(crate) fn left(&self) -> u64 {
        let for_a_request = |doing: &&Doing| matches!(doing, Doing::Works((_, work)) if !is_of_network(work));
        u64::from(self.waiting()) + self.threads.iter().filter(for_a_request).count() as u64
    }

    /// The time at work for requests: the work, and the polls that found it.
    pub(crate) fn working_total(&self, now: Time) -> Total {
        let poll = u128::from(self.parameters.poll_time.ticks());
        Total(self.working.total(now).0 + u128::from(self.productive) * poll)
    }

    pub(crate) fn occupied_total(&self, now: Time) -> Total {
        Total(u128::from((now - Time::ZERO).ticks()) * self.threads.len() as u128)
    }

    pub(crate) fn productive(&self) -> u64 {
        self.productive
    }

    pub(crate) fn completions(&self) -> u64 {
        self.completions
    }

    pub(crate) fn unproductive(&self, now: Time) -> u64 {
        let present = |doing: &Doing| match doing {
            Doing::Polls(since) => self.polls(*since, now),
            // The last of these polls is productive, so it is not counted here.
            Doing::Finds(since, end) => self.polls(*since, now).min(self.polls(*since, *end) - 1),
            Doing::Works(_) => 0,
        };
        self.unproductive + self.threads.iter().map(present).sum::<u64>()
    }
}
