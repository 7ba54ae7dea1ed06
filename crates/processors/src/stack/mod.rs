//! The processors of an in-band appliance, and the stack of software that they run: its work for a request, and how the processors detect
//! new work.
//!
//! Longer than 500 lines: the queues, the threads and the jobs of a node share their state.
//!
//! Source: Friedman, "An Introduction to SAN Capacity Planning": SDS software architecture, Processor consumption, Capacity planning.
//!
//! * A module of the appliance sends a [`ModuleJob`] to the processors. The number of a job is that of an adapter: then a poll of that
//!   adapter or its interrupt has to find the job. Jobs without an adapter number continue *in line*: on the thread that has just completed
//!   the previous job, without another poll. If there is no such thread, a poll finds the job at the place of the devices, which is polled
//!   as one more adapter.
//! * A job consists of the [stages](StackParameters) of its module, one after the other. Each stage costs cycles, and lasts as long as
//!   these cycles at the speed of the processors.
//! * With polling, threads poll the adapters in turn, one adapter with each poll ([`thread`]). A poll finds at most one job, which is done
//!   at once. The number of threads is evaluated every `evaluated_every`; a period without any work needs no evaluation, because that
//!   changes nothing. A thread that has to stop after its job first does the jobs that continue in line. With `poll_reads` a poll crosses
//!   the bus of its adapter and waits for the bus ([`crossing`]).
//! * With interrupts an adapter interrupts a processor, which then does all jobs that the adapter has by then. Until a processor accepts
//!   the interrupt the adapter does not interrupt again.
//! * The software part of a network is no job of a module ([`network`]): a poll of the adapter there finds it; where processors are
//!   interrupted it queues together with interrupts.
//! * Each of two nodes has these processors, for its own adapters; between the nodes is a link. When a node fails the other node repeats
//!   its jobs from their beginning.
//!
//! Assumptions: a thread goes to the next adapter after each poll; no stage is interrupted; the link transmits one message at a time.

mod catalogue;
mod crossing;
mod demand;
mod link;
mod network;
mod parameters;
mod thread;
mod threads;

pub use parameters::{
    ApplianceProcessors, InterruptStack, NodeLink, PollingStack, StackParameters, StackProcessorParameters,
    StageCost,
};

use catalogue::{CATALOGUE, block, gauge, meter, segment};
use crossing::Bridge;
use link::Link;
use sansim_component::controller_side::MOST;
use sansim_component::demand::{Demand, DemandContext, RequestClass};
use sansim_component::{
    BuildContext, Component, Context, ControllerSide, LeftoverFindings, Message, Module, ModuleJob,
    SharedRole, Timer,
};
use sansim_kernel::{RandomStream, Span, Time, TimeWeighted, Total};
use sansim_schema::catalogue::Catalogue;
use std::collections::VecDeque;
use std::ops::Range;
use thread::{Doing, Thread};

use crate::slices::OtherLoadSlices;

/// The timers of the processors. Timers of threads have the numbers of the threads, counted over both nodes.
mod what {
    pub const POLLED: u8 = 0;
    pub const DONE: u8 = 1;
    pub const LOOK: u8 = 2;
    pub const EVALUATE: u8 = 3;
    pub const LINK: u8 = 4;
    pub const ARRIVES: u8 = 5;
}

/// The number of timer numbers of a node's threads.
const OF_A_NODE: usize = 256;

/// The first event units that do not belong to threads; each thread has four units.
const NOT_OF_THREADS: u32 = 4 * (MOST * OF_A_NODE) as u32;
const ON_ITS_WAY: u32 = 2 * NOT_OF_THREADS;

/// A job at the processors.
#[derive(Clone, Copy, Debug)]
struct Here {
    job: ModuleJob,
    /// The port by which the job came.
    port: u16,
    node: usize,
    /// The index of the job's stage among the stages of its module.
    at: usize,
    /// Whether the job is done with its stages and at the link.
    at_link: bool,
}

/// Work that waits for a processor to be interrupted.
#[derive(Clone, Copy, Debug)]
enum Interrupting {
    /// The adapter with this number has interrupted.
    Card(usize),
    /// The job at this index, of a network, waits.
    Network(u32),
}

/// The state of a node of the appliance.
#[derive(Clone, Debug)]
struct Node {
    works: bool,
    threads: Vec<Thread>,
    /// The jobs of each adapter; the jobs of the devices follow after the last adapter.
    cards: Vec<VecDeque<u32>>,
    /// Interrupts of adapters that no processor has accepted, and work of networks; and whether each adapter has interrupted.
    interrupts: VecDeque<Interrupting>,
    has_interrupted: Vec<bool>,
    /// The time-weighted number of threads that poll or work.
    active: TimeWeighted,
    working: TimeWeighted,
    productive: u64,
    /// The time of productive polls, including their waits for buses.
    found_in: Span,
    /// The number of polls that found nothing, without those of threads that poll at present.
    unproductive: u64,
    interrupted: u64,
    /// The numbers of productive and other polls at the beginning of the period, if the number of threads is evaluated at its end.
    seen: Option<(u64, u64)>,
}

/// The processors of an in-band appliance, with the software stack that they run.
#[derive(Clone, Debug)]
pub struct StackProcessors {
    parameters: StackProcessorParameters,
    /// The node of each adapter, and the adapter's index there.
    cards: Vec<(usize, usize)>,
    /// The node side behind each port.
    home: Vec<ControllerSide>,
    poll: Span,
    nodes: Vec<Node>,
    here: Vec<Option<Here>>,
    free: Vec<u32>,
    /// The thread that has finished a job at this time, with its node.
    just_done: Option<(Time, usize, usize)>,
    link: Link,
    /// The bridges to the buses that polls cross, and the bridge that leads to each adapter of a node, and to its devices; none if polls
    /// cross no bus.
    bridges: Vec<Bridge>,
    bridge_of: Vec<Vec<Option<usize>>>,
}

impl StackProcessors {
    /// Idle processors. Random numbers are drawn from streams whose names begin with `name`. The processors request buses by the ports
    /// `buses`.
    pub fn new(
        parameters: &StackProcessorParameters,
        home: Vec<ControllerSide>,
        buses: Range<u16>,
        seed: u64,
        name: &str,
    ) -> Self {
        let mut random = RandomStream::new(seed, &format!("{name}/other-load"));
        let nodes = parameters.cluster.nodes.max(1);
        let mut of_node = vec![0; nodes];
        let cards = parameters.cards.iter().map(|half| {
            let node = half.index().min(nodes - 1);
            of_node[node] += 1;
            (node, of_node[node] - 1)
        });
        let cards: Vec<(usize, usize)> = cards.collect();
        let poll = match &parameters.model {
            ApplianceProcessors::Polling(polling) => {
                parameters.model.time_of_cycles(polling.poll_cycles).max(Span(1))
            }
            ApplianceProcessors::Interrupts(_) => Span(1),
        };
        let bridges: Vec<Bridge> = buses.map(Bridge::new).collect();
        let mut bridge_of: Vec<Vec<Option<usize>>> = vec![Vec::new(); nodes];
        for (&(node, _), &bus) in cards.iter().zip(&parameters.buses) {
            bridge_of[node].push(bus);
        }
        for (node, of_cards) in bridge_of.iter_mut().enumerate() {
            of_cards.resize(of_node[node], None);
            of_cards.push(parameters.device_buses.get(node).copied().flatten());
        }
        let mut node = |cards: usize| {
            let threads: Vec<Thread> = match &parameters.model {
                ApplianceProcessors::Polling(polling) => (0..polling.most_threads as usize)
                    .map(|number| {
                        let card = number % (cards + 1);
                        let polls = (number as u32) < polling.first_threads;
                        let doing = if polls { Doing::Polls(Time::ZERO, card) } else { Doing::Stopped };
                        Thread::new(doing, card, None)
                    })
                    .collect(),
                ApplianceProcessors::Interrupts(interrupts) => (0..interrupts.count)
                    .map(|_| {
                        Thread::new(
                            Doing::Waits,
                            0,
                            OtherLoadSlices::new(&interrupts.other_load, &mut random),
                        )
                    })
                    .collect(),
            };
            let mut active = TimeWeighted::new();
            let stopped = |thread: &&Thread| thread.doing != Doing::Stopped;
            active.set(Time::ZERO, threads.iter().filter(stopped).count() as u64);
            Node {
                works: true,
                threads,
                cards: (0..=cards).map(|_| VecDeque::with_capacity(64)).collect(),
                interrupts: VecDeque::with_capacity(16),
                has_interrupted: vec![false; cards + 1],
                active,
                working: TimeWeighted::new(),
                productive: 0,
                found_in: Span::ZERO,
                unproductive: 0,
                interrupted: 0,
                seen: None,
            }
        };
        Self {
            nodes: of_node.iter().map(|&cards| node(cards)).collect(),
            link: Link::new(parameters.link),
            parameters: parameters.clone(),
            cards,
            home,
            poll,
            here: Vec::with_capacity(64),
            free: Vec::with_capacity(64),
            just_done: None,
            bridges,
            bridge_of,
        }
    }

    fn polls(&self) -> bool {
        matches!(self.parameters.model, ApplianceProcessors::Polling(_))
    }

    /// A module sends a job.
    fn comes(&mut self, cx: &mut Context<'_>, port: u16, job: ModuleJob) {
        let says_where = job.request.is_some() || job.module == Module::SetUpSent;
        let found_at = (job.number as usize).checked_sub(1).filter(|_| says_where);
        let card = found_at.and_then(|card| self.cards.get(card)).copied();
        let home = self.home.get(usize::from(port)).map_or(0, |half| half.index().min(self.nodes.len() - 1));
        let mut node = card.map_or(home, |(node, _)| node);
        let mut card = card.map(|(_, place)| place);
        if let Some(heir) = self.heir(node, usize::from(port)).filter(|&heir| heir != node) {
            (node, card) = (heir, card.map(|_| self.nodes[heir].cards.len() - 1));
        }
        let place = self.keep(Here { job, port, node, at: 0, at_link: false });
        match (found_at, card) {
            (None, _) => self.goes_on_in_line(cx, place),
            (Some(_), Some(card)) => self.is_there(cx, place, card),
            // A job without an adapter of this appliance is queued with the devices.
            (Some(_), None) => self.is_there(cx, place, self.nodes[node].cards.len() - 1),
        }
    }

    /// Stores a job, and returns its index.
    fn keep(&mut self, here: Here) -> u32 {
        match self.free.pop() {
            Some(place) => {
                self.here[place as usize] = Some(here);
                place
            }
            None => {
                self.here.push(Some(here));
                (self.here.len() - 1) as u32
            }
        }
    }

    /// A job continues in line, so no adapter has to be polled for it.
    fn goes_on_in_line(&mut self, cx: &mut Context<'_>, place: u32) {
        let Some(here) = self.here[place as usize] else { return };
        if self.is_free(&here) {
            self.stages_done(cx, place);
            return;
        }
        let just = self.just_done.filter(|&(at, node, _)| at == cx.now && self.nodes[node].works);
        let Some((_, node, thread)) = just else {
            let devices = self.nodes[here.node].cards.len() - 1;
            self.is_there(cx, place, devices);
            return;
        };
        if let Some(here) = &mut self.here[place as usize] {
            here.node = node;
        }
        let of_it = &mut self.nodes[node];
        let one = &mut of_it.threads[thread];
        if one.doing == Doing::Stopped {
            // The thread stopped at this moment, before it was known that a job continues in line: it stops after that job.
            one.stops = true;
            of_it.active.increase(cx.now, 1);
        }
        if one.may_begin_job(cx.now) {
            self.stop_looking(cx, node, thread);
            self.works_on(cx, node, thread, place);
        } else {
            tell(cx, &here, segment::QUEUE, false);
            self.nodes[node].threads[thread].next.push_back(place);
        }
    }

    /// Whether a job needs no processor time.
    fn is_free(&self, here: &Here) -> bool {
        let stages = StackParameters::stages(here.job.module);
        here.job.time == Span::ZERO
            && stages
                .iter()
                .all(|&stage| self.parameters.stack.cost(stage).cycles_for_bytes(here.job.bytes) == 0)
    }

    /// A thread begins a job.
    fn works_on(&mut self, cx: &mut Context<'_>, node: usize, thread: usize, place: u32) {
        self.nodes[node].threads[thread].doing = Doing::Works(place);
        self.nodes[node].working.increase(cx.now, 1);
        self.next_stage(cx, node, thread, place);
    }

    /// A thread begins the next stage of its job that costs anything, or finishes the job.
    fn next_stage(&mut self, cx: &mut Context<'_>, node: usize, thread: usize, place: u32) {
        let Some(here) = &mut self.here[place as usize] else { return };
        if here.job.module == Module::Network && here.at == 0 {
            here.at = 1;
            tell(cx, here, segment::FRAME_WORK, true);
            let until = cx.now + here.job.time;
            self.ends_at(cx, node, thread, until, what::DONE);
            return;
        }
        let stages = StackParameters::stages(here.job.module);
        while let Some(&stage) = stages.get(here.at) {
            let cycles = self.parameters.stack.cost(stage).cycles_for_bytes(here.job.bytes);
            // Time that is not given in cycles is added to the first stage.
            let own = if here.at == 0 { here.job.time } else { Span::ZERO };
            let takes =
                Span(self.parameters.model.time_of_cycles(cycles).ticks() + own.ticks()).min(Span::LONGEST);
            here.at += 1;
            if takes > Span::ZERO {
                tell(cx, here, segment::of(stage), true);
                self.ends_at(cx, node, thread, cx.now + takes, what::DONE);
                return;
            }
        }
        self.nodes[node].working.decrease(cx.now, 1);
        self.just_done = Some((cx.now, node, thread));
        self.is_done(cx, node, thread);
        self.stages_done(cx, place);
    }

    /// The stages of a job are done.
    fn stages_done(&mut self, cx: &mut Context<'_>, place: u32) {
        let Some(here) = &mut self.here[place as usize] else { return };
        if here.job.module == Module::Link && !here.at_link {
            here.at_link = true;
            let here = *here;
            self.goes_to_link(cx, place, &here);
            return;
        }
        self.ends(cx, place);
    }

    /// A job is done.
    fn ends(&mut self, cx: &mut Context<'_>, place: u32) {
        if let Some(Here { job, port, .. }) = self.here[place as usize].take() {
            self.free.push(place);
            cx.send(port, network::done(job));
        }
    }

    /// The node that does the work of a node: itself, or another node if it has failed.
    fn heir(&self, node: usize, which: usize) -> Option<usize> {
        self.parameters.cluster.takeover_order(node, which).find(|&node| self.nodes[node].works)
    }

    /// A node fails: the nodes that take over repeat its jobs from their beginning.
    fn fails(&mut self, cx: &mut Context<'_>, node: usize) {
        self.nodes[node].works = false;
        if self.heir(node, 0).is_none() {
            return;
        }
        self.just_done = self.just_done.filter(|&(_, other, _)| other != node);
        for thread in 0..self.nodes[node].threads.len() {
            self.breaks_off(cx, node, thread);
        }
        let failed = &mut self.nodes[node];
        failed.cards.iter_mut().for_each(VecDeque::clear);
        failed.interrupts.clear();
        failed.has_interrupted.fill(false);
        for place in 0..self.here.len() {
            let of_it = self.here[place].as_ref().filter(|here| here.node == node);
            let Some(heir) = of_it.and_then(|here| self.heir(node, usize::from(here.port))) else { continue };
            let Some(here) = self.here[place].as_mut() else { continue };
            here.node = heir;
            // A message on the link is not affected by the failure.
            if !here.at_link {
                here.at = 0;
                let devices = self.nodes[heir].cards.len() - 1;
                self.is_there(cx, place as u32, devices);
            }
        }
    }
}

/// Reports the position of a job: in the ledger of its request, or by a message to its initiator if it has no request.
fn tell(cx: &mut Context<'_>, here: &Here, segment: usize, works: bool) {
    if here.job.module == Module::Network {
        // The request is in this segment although its frames are in flight.
        here.job.request.into_iter().for_each(|id| cx.ledger().enter_segment(id, segment));
        return;
    }
    match here.job.request {
        Some(id) => cx.ledger().locate_request(id, segment),
        None => cx.send(here.port, Message::JobState(here.job, works)),
    }
}

impl Component for StackProcessors {
    type Parameters = StackProcessorParameters;
    type Role = SharedRole;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn demand(
        parameters: &Self::Parameters,
        _class: &RequestClass,
        around: &DemandContext<'_>,
    ) -> Option<Demand> {
        Some(demand::of(parameters, around))
    }

    fn build(parameters: &Self::Parameters, cx: &BuildContext<'_, SharedRole>) -> Self {
        let name = cx.random_stream_name("processors");
        Self::new(parameters, cx.halves.clone(), cx.uses.clone(), cx.seed, &name)
    }

    fn start(&mut self, cx: &mut Context<'_>) {
        if self.crosses() {
            self.begin_to_poll(cx);
        }
    }

    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        let number = timer.number as usize;
        let (node, thread) = (number / OF_A_NODE, number % OF_A_NODE);
        match timer.what {
            what::POLLED => self.polled(cx, node, thread),
            what::DONE => self.done(cx, node, thread),
            what::LOOK => self.looks(cx, node, thread),
            what::EVALUATE => self.evaluate(cx, number),
            what::LINK => self.link_is_free(cx),
            _ => self.ends(cx, timer.number),
        }
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        match message {
            Message::Job(job) => self.comes(cx, port, job),
            Message::Work(work) => self.comes_by_network(cx, port, work),
            Message::Granted(..) | Message::Preempted(_) | Message::Transferred(..) => {
                self.bus_told(cx, port, message);
            }
            _ => {}
        }
    }

    fn act_on(&mut self, cx: &mut Context<'_>, thing: usize, works: bool) {
        if thing >= self.nodes.len() {
            return;
        }
        if works {
            self.is_repaired(cx, thing);
        } else if self.nodes[thing].works {
            self.fails(cx, thing);
        }
    }

    fn gauge(&self, _now: Time, gauge: usize, _place: u16) -> u32 {
        let working = self.nodes.iter().map(|node| node.working.value() as u32).sum();
        match gauge {
            gauge::WAITING => {
                (self.here.len() - self.free.len()) as u32 - working - self.link.queued_job_count()
            }
            gauge::WORKING => working,
            _ => self.nodes.iter().map(|node| node.active.value() as u32).sum(),
        }
    }

    fn busy(&self, now: Time, block: usize) -> Total {
        self.meter(now, if block == block::PROCESSORS { meter::WORKING } else { meter::LINK })
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        let of_nodes = |of: &dyn Fn(&Node) -> u128| Total(self.nodes.iter().map(of).sum());
        match meter {
            meter::WORKING => of_nodes(&|node| node.working.total(now).0 + u128::from(node.found_in.ticks())),
            meter::OCCUPIED => of_nodes(&|node| self.occupied(node, now)),
            meter::LINK => self.link.busy(now),
            meter::INTERRUPTS => of_nodes(&|node| node.interrupted.into()),
            meter::PRODUCTIVE => of_nodes(&|node| node.productive.into()),
            _ => of_nodes(&|node| self.unproductive(node, now).into()),
        }
    }

    fn capacity(&self, meter: usize) -> u64 {
        match meter {
            meter::WORKING | meter::OCCUPIED => {
                u64::from(self.parameters.model.processor_count()) * self.nodes.len() as u64
            }
            _ => 1,
        }
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        // A network may still have acknowledgements to process.
        let left = self.here.iter().flatten().filter(|here| here.job.module != Module::Network);
        leftovers.check_zero("jobs left at the processors of an appliance", left.count() as u64);
    }
}

#[cfg(test)]
mod tests;
