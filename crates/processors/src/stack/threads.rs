//! Detection of new work by processors: threads that poll, the number of these threads, and interrupts.

use super::catalogue::segment;
use super::thread::Doing;
use super::{
    ApplianceProcessors, Interrupting, NOT_OF_THREADS, Node, OF_A_NODE, PollingStack, StackProcessors, tell,
    what,
};
use sansim_component::{Context, EventTurn, Module, Timer};
use sansim_kernel::{Span, Time};

impl StackProcessors {
    /// A job has come to an adapter of a node.
    pub(super) fn is_there(&mut self, cx: &mut Context<'_>, place: u32, card: usize) {
        let Some(here) = self.here[place as usize] else { return };
        let node = here.node;
        if here.job.module == Module::Network && !self.polls() {
            tell(cx, &here, segment::QUEUE, false);
            self.waits_by_network(cx, node, place);
            return;
        }
        self.nodes[node].cards[card].push_back(place);
        if self.polls() {
            tell(cx, &here, segment::UNNOTICED, false);
            if self.crosses() {
                self.rouses(cx, node);
                return;
            }
            for thread in 0..self.nodes[node].threads.len() {
                self.may_look_at(cx, node, thread, card);
            }
            return;
        }
        tell(cx, &here, segment::QUEUE, false);
        let of_it = &mut self.nodes[node];
        if !of_it.has_interrupted[card] {
            of_it.has_interrupted[card] = true;
            of_it.interrupted += 1;
            of_it.interrupts.push_back(Interrupting::Card(card));
            self.sets_to_work(cx, node);
        }
    }

    /// Sets the event that ends the present activity of a thread.
    pub(super) fn ends_at(&mut self, cx: &mut Context<'_>, node: usize, thread: usize, at: Time, what: u8) {
        let number = (node * OF_A_NODE + thread) as u32;
        let turn = EventTurn::turn_of_node(4 * number + u32::from(what));
        let event = cx.set_cancellable_timer(at, turn, Timer::new(what, number));
        self.nodes[node].threads[thread].ends = Some((at, event));
    }

    /// Cancels the planned poll of a thread.
    pub(super) fn stop_looking(&mut self, cx: &mut Context<'_>, node: usize, thread: usize) {
        if let Some((_, event)) = self.nodes[node].threads[thread].ends.take() {
            cx.cancel_timer(event);
        }
    }

    /// A polling thread plans a poll of an adapter that has a job, if it is earlier than its planned poll.
    fn may_look_at(&mut self, cx: &mut Context<'_>, node: usize, thread: usize, card: usize) {
        let of_it = &self.nodes[node];
        let looks = of_it.threads[thread].next_poll_end(card, of_it.cards.len(), self.poll, cx.now);
        let Some(at) = looks else { return };
        if of_it.threads[thread].ends.is_none_or(|(other, _)| at < other) {
            self.stop_looking(cx, node, thread);
            self.ends_at(cx, node, thread, at, what::POLLED);
        }
    }

    /// A polling thread plans its first poll that finds a job.
    fn looks_for_more(&mut self, cx: &mut Context<'_>, node: usize, thread: usize) {
        for card in 0..self.nodes[node].cards.len() {
            if !self.nodes[node].cards[card].is_empty() {
                self.may_look_at(cx, node, thread, card);
            }
        }
    }

    /// A poll is over that may find a job.
    pub(super) fn polled(&mut self, cx: &mut Context<'_>, node: usize, thread: usize) {
        if self.crosses() {
            self.poll_over(cx, node, thread);
            return;
        }
        let poll = self.poll;
        self.will_evaluate(cx, node);
        let of_it = &mut self.nodes[node];
        let cards = of_it.cards.len();
        let one = &mut of_it.threads[thread];
        one.ends = None;
        let Doing::Polls(_, first) = one.doing else { return };
        let polls = one.poll_count(poll, cx.now);
        let card = (first as u64 + polls.saturating_sub(1)) as usize % cards;
        let Some(place) = of_it.cards[card].pop_front() else {
            // Another thread has found the job before.
            self.looks_for_more(cx, node, thread);
            return;
        };
        one.card = (card + 1) % cards;
        of_it.unproductive += polls - 1;
        of_it.productive += 1;
        of_it.found_in += poll;
        self.works_on(cx, node, thread, place);
    }

    /// A stage or an interrupt of a thread is over, or a slice of other load.
    pub(super) fn done(&mut self, cx: &mut Context<'_>, node: usize, thread: usize) {
        let one = &mut self.nodes[node].threads[thread];
        one.ends = None;
        match one.doing {
            Doing::Works(place) => self.next_stage(cx, node, thread, place),
            Doing::Interrupt => {
                self.nodes[node].working.decrease(cx.now, 1);
                self.is_done(cx, node, thread);
            }
            _ => self.is_done(cx, node, thread),
        }
    }

    /// A thread is done with a job. Jobs that continue in line precede all others.
    pub(super) fn is_done(&mut self, cx: &mut Context<'_>, node: usize, thread: usize) {
        let polls = self.polls();
        let one = &mut self.nodes[node].threads[thread];
        if let Some(place) = one.next.pop_front() {
            self.works_on(cx, node, thread, place);
        } else if polls && one.stops {
            one.stops = false;
            one.doing = Doing::Stopped;
            self.nodes[node].active.decrease(cx.now, 1);
        } else if polls {
            self.polls_from_now(cx, node, thread);
        } else {
            one.doing = Doing::Waits;
            self.ends_at(cx, node, thread, cx.now, what::LOOK);
        }
    }

    /// A thread begins to poll.
    fn polls_from_now(&mut self, cx: &mut Context<'_>, node: usize, thread: usize) {
        if self.crosses() {
            self.goes_to_poll(cx, node, thread);
        } else {
            let one = &mut self.nodes[node].threads[thread];
            one.doing = Doing::Polls(cx.now, one.card);
            self.looks_for_more(cx, node, thread);
        }
    }

    /// A processor that waits for interrupts accepts one if there is one, and a polling thread polls.
    pub(super) fn looks(&mut self, cx: &mut Context<'_>, node: usize, thread: usize) {
        let one = &mut self.nodes[node].threads[thread];
        one.ends = None;
        if one.doing != Doing::Waits {
            return;
        }
        if self.crosses() {
            self.begins_poll(cx, node, thread);
            return;
        }
        let one = &mut self.nodes[node].threads[thread];
        match one.slices.as_mut().and_then(|slices| slices.begin_due_slice(cx.now)) {
            Some(until) => self.leaves(cx, node, thread, until),
            None => self.takes_interrupt(cx, node, thread),
        }
    }

    /// Other load has the processor until a time.
    fn leaves(&mut self, cx: &mut Context<'_>, node: usize, thread: usize, until: Time) {
        self.stop_looking(cx, node, thread);
        self.nodes[node].threads[thread].doing = Doing::Slice;
        self.ends_at(cx, node, thread, until, what::DONE);
    }

    /// Lets an idle processor accept an interrupt, if one waits.
    pub(super) fn sets_to_work(&mut self, cx: &mut Context<'_>, node: usize) {
        for thread in 0..self.nodes[node].threads.len() {
            let one = &mut self.nodes[node].threads[thread];
            // A processor that has just finished something looks for interrupts by itself.
            if one.doing != Doing::Waits || one.ends.is_some() {
                continue;
            }
            match one.slices.as_mut().and_then(|slices| slices.let_slices_pass(cx.now)) {
                Some(until) => self.leaves(cx, node, thread, until),
                None => {
                    self.takes_interrupt(cx, node, thread);
                    return;
                }
            }
        }
    }

    /// A processor accepts an interrupt, with all jobs that its adapter has by now.
    fn takes_interrupt(&mut self, cx: &mut Context<'_>, node: usize, thread: usize) {
        let ApplianceProcessors::Interrupts(interrupts) = self.parameters.model else { return };
        let of_it = &mut self.nodes[node];
        let card = match of_it.interrupts.pop_front() {
            Some(Interrupting::Card(card)) => card,
            Some(Interrupting::Network(place)) => {
                self.works_on(cx, node, thread, place);
                return;
            }
            None => return,
        };
        of_it.has_interrupted[card] = false;
        let one = &mut of_it.threads[thread];
        std::mem::swap(&mut one.next, &mut of_it.cards[card]);
        let takes = self.parameters.model.time_of_cycles(interrupts.interrupt_cycles);
        if takes == Span::ZERO {
            self.is_done(cx, node, thread);
            return;
        }
        let first = one.next.front().and_then(|&place| self.here[place as usize]);
        one.doing = Doing::Interrupt;
        of_it.working.increase(cx.now, 1);
        if let Some(here) = first {
            tell(cx, &here, segment::INTERRUPT, true);
        }
        self.ends_at(cx, node, thread, cx.now + takes, what::DONE);
    }

    /// A poll finds a job, or polls begin that are counted one by one: at the end of the period the number of threads is evaluated.
    pub(super) fn will_evaluate(&mut self, cx: &mut Context<'_>, node: usize) {
        let ApplianceProcessors::Polling(polling) = self.parameters.model else { return };
        let of_it = &self.nodes[node];
        if of_it.seen.is_some() || polling.first_threads == polling.most_threads {
            return;
        }
        // No job was found since the period began, so all polls were unproductive, except a poll that ends just then and finds the present
        // job.
        let every = polling.evaluated_every.ticks();
        let began = Time(cx.now.0 / every * every);
        let seen = (of_it.productive, self.unproductive(of_it, began));
        self.nodes[node].seen = Some(seen);
        self.wakes_to_evaluate(cx, node, began + polling.evaluated_every);
    }

    fn wakes_to_evaluate(&mut self, cx: &mut Context<'_>, node: usize, at: Time) {
        let node = node as u32;
        cx.set_timer(at, EventTurn::turn_of_node(NOT_OF_THREADS + node), Timer::new(what::EVALUATE, node));
    }

    /// Evaluates whether a node has enough threads.
    pub(super) fn evaluate(&mut self, cx: &mut Context<'_>, node: usize) {
        let ApplianceProcessors::Polling(polling) = self.parameters.model else { return };
        let polls = (self.nodes[node].productive, self.unproductive(&self.nodes[node], cx.now));
        let Some(seen) = self.nodes[node].seen.take() else { return };
        let (productive, in_vain) = (polls.0 - seen.0, polls.1 - seen.1);
        self.takes_threads(cx, node, &polling, productive, productive + in_vain);
        // Without jobs only threads that stop would change anything.
        let may_stop = polling.fewer_below.millionths > 0
            && self.nodes[node].active.value() > u64::from(polling.first_threads);
        if productive > 0 || may_stop || (self.crosses() && !cx.background_requests().sources_exhausted()) {
            self.nodes[node].seen = Some(polls);
            self.wakes_to_evaluate(cx, node, cx.now + polling.evaluated_every);
        }
    }

    /// Starts or stops a thread, depending on the share of polls that found a job.
    fn takes_threads(
        &mut self,
        cx: &mut Context<'_>,
        node: usize,
        polling: &PollingStack,
        productive: u64,
        all: u64,
    ) {
        let of_it = &mut self.nodes[node];
        let millionths = u128::from(productive) * 1_000_000;
        let is_at_least = |share: u64| millionths >= u128::from(share) * u128::from(all);
        let stopped = of_it.threads.iter().position(|thread| thread.doing == Doing::Stopped);
        let last = of_it.threads.iter().rposition(|thread| thread.doing != Doing::Stopped && !thread.stops);
        if all > 0 && of_it.works && is_at_least(polling.another_from.millionths) {
            if let Some(thread) = stopped {
                of_it.active.increase(cx.now, 1);
                self.polls_from_now(cx, node, thread);
            }
        } else if let Some(thread) = last.filter(|&last| last >= polling.first_threads as usize)
            && !is_at_least(polling.fewer_below.millionths)
        {
            self.stops(cx, node, thread);
        }
    }

    /// A thread stops, at once or when its job is done.
    fn stops(&mut self, cx: &mut Context<'_>, node: usize, thread: usize) {
        let poll = self.poll;
        let of_it = &mut self.nodes[node];
        let one = &mut of_it.threads[thread];
        if !matches!(one.doing, Doing::Polls(..)) {
            one.stops = true;
            return;
        }
        of_it.unproductive += one.poll_count(poll, cx.now);
        one.doing = Doing::Stopped;
        of_it.active.decrease(cx.now, 1);
        self.stop_looking(cx, node, thread);
    }

    /// A thread is stopped because its node has failed.
    pub(super) fn breaks_off(&mut self, cx: &mut Context<'_>, node: usize, thread: usize) {
        let (poll, polls) = (self.poll, self.polls());
        self.stop_looking(cx, node, thread);
        self.leaves_line(node, thread);
        let of_it = &mut self.nodes[node];
        let one = &mut of_it.threads[thread];
        of_it.unproductive += one.poll_count(poll, cx.now);
        one.next.clear();
        if matches!(one.doing, Doing::Works(_) | Doing::Interrupt) {
            of_it.working.decrease(cx.now, 1);
        }
        if polls && one.doing != Doing::Stopped {
            of_it.active.decrease(cx.now, 1);
        }
        one.stops = false;
        one.doing = Doing::Stopped;
    }

    /// A node works again, with as many threads as at the beginning.
    pub(super) fn is_repaired(&mut self, cx: &mut Context<'_>, node: usize) {
        let model = self.parameters.model;
        let of_it = &mut self.nodes[node];
        if of_it.works {
            return;
        }
        of_it.works = true;
        let stand_still = of_it.threads.iter().all(|thread| thread.doing == Doing::Stopped);
        let threads = if stand_still { of_it.threads.len() } else { 0 };
        for thread in 0..threads {
            match model {
                ApplianceProcessors::Polling(polling) if (thread as u32) < polling.first_threads => {
                    self.nodes[node].active.increase(cx.now, 1);
                    self.polls_from_now(cx, node, thread);
                }
                ApplianceProcessors::Polling(_) => {}
                ApplianceProcessors::Interrupts(_) => self.nodes[node].threads[thread].doing = Doing::Waits,
            }
        }
    }

    /// The number of polls of a node that found nothing.
    pub(super) fn unproductive(&self, node: &Node, now: Time) -> u64 {
        // A poll that is to find a job at this moment has not ended yet.
        let present = |thread: &super::Thread| {
            let ends_now = thread.ends.is_some_and(|(at, _)| at == now);
            thread.poll_count(self.poll, now)
                - u64::from(ends_now && matches!(thread.doing, Doing::Polls(..)))
        };
        node.unproductive + node.threads.iter().map(present).sum::<u64>()
    }

    /// The time for which processors of a node were in use.
    pub(super) fn occupied(&self, node: &Node, now: Time) -> u128 {
        if self.polls() {
            return node.active.total(now).0;
        }
        let others = |thread: &super::Thread| {
            let is_idle = thread.doing == Doing::Waits;
            thread.slices.map_or(0, |slices| slices.slice_time(now, is_idle).0)
        };
        node.working.total(now).0 + node.threads.iter().map(others).sum::<u128>()
    }
}
