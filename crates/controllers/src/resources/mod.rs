//! The resources of a storage controller that all of its modules share.
//!
//! Source: Wang 2005, figure 3.3: I/O buses and a system bus joined by a bridge, the processor and the memory on the system bus; 3.1.2 for
//! the modules, which [`Module`] lists.
//!
//! * A job takes a processor for the cost of its module, and for time of its own.
//! * Then its data go through: those between an adapter and the memory through bridge, system bus and memory, calculations through system
//!   bus and memory.
//! * Each resource has a queue, first come first served, and works on one job at a time; the processors on one each. Processors may have a
//!   queue each, to which a rule deals the jobs out (`queues.rs`).
//!
//! Each controller of a pair has all of these resources, and the link is between the controllers. A module uses the resources of the
//! controller that contains it. When a controller has failed another controller does its jobs, including the incomplete ones, from their
//! beginning.
//!
//! Assumptions: a job uses one resource after the other, and all of its bytes have passed one resource before the next begins; no job is
//! interrupted.

mod catalogue;
mod demand;
mod parameters;
mod queues;

use catalogue::{CATALOGUE, ON_THE_WAY, at_work, resource};
pub use parameters::{JobCost, ResourceParameters};
pub use queues::ProcessorQueues;
use queues::Queues;

use sansim_component::controller_side::{Cluster, MOST};
use sansim_component::demand::{Demand, DemandContext, RequestClass};
use sansim_component::{
    BuildContext, Component, Context, ControllerSide, EventTurn, LeftoverFindings, Message, Module,
    ModuleJob, SharedRole, Timer,
};
use sansim_kernel::{EventKey, Order, RandomStream, Span, Time, TimeWeighted, Total};
use sansim_schema::catalogue::Catalogue;

/// A job at the resources.
#[derive(Clone, Copy, Debug)]
struct Here {
    job: ModuleJob,
    /// The port by which the job came.
    port: u16,
    /// The time of the job at each resource.
    takes: [Span; resource::ALL],
    /// The resource at which the job is.
    at: usize,
    /// The queue there to which it was dealt.
    queue: u32,
    half: ControllerSide,
    /// The event that ends the job's work at the resource.
    ends: Option<EventKey>,
}

/// The timer of a message that is in flight on the link.
const ON_ITS_WAY: u8 = resource::ALL as u8;

/// A resource of a controller, such as its processors or its link, with its queue.
#[derive(Clone, Debug)]
struct Resource {
    /// Jobs by their places.
    queues: Queues,
    busy: TimeWeighted,
}

/// The resources that all modules of a storage controller share: processors, memory, buses and their bridge.
#[derive(Clone, Debug)]
pub struct ControllerResourcePool {
    parameters: ResourceParameters,
    /// The controller side behind each port; the first side for ports without an entry.
    home: Vec<ControllerSide>,
    cluster: Cluster,
    works: [bool; MOST],
    /// The resources of each controller. There is only one link, that of the first controller.
    resources: Vec<[Resource; resource::ALL]>,
    here: Vec<Option<Here>>,
    free: Vec<u32>,
    /// The random numbers for costs that are drawn, and for jobs that are dealt out at random.
    random: RandomStream,
}

impl ControllerResourcePool {
    /// Idle resources.
    pub fn new(parameters: &ResourceParameters) -> Self {
        let resource = |number: usize| {
            let queues = match number {
                resource::PROCESSOR => Queues::new(parameters.processors, parameters.processor_queues),
                _ => Queues::new(1, ProcessorQueues::Shared),
            };
            Resource { queues, busy: TimeWeighted::new() }
        };
        Self {
            parameters: parameters.clone(),
            home: Vec::new(),
            cluster: Cluster::default(),
            works: [true; MOST],
            resources: vec![std::array::from_fn(resource)],
            here: Vec::with_capacity(64),
            free: Vec::with_capacity(64),
            random: RandomStream::new(0, "resources"),
        }
    }

    /// The same with these random numbers.
    #[must_use]
    pub fn with_random_stream(self, random: RandomStream) -> Self {
        Self { random, ..self }
    }

    /// The same of several controllers, with the one that asks by each of these ports.
    #[must_use]
    pub fn for_several_controllers(self, cluster: Cluster, home: Vec<ControllerSide>) -> Self {
        let resources = vec![self.resources[0].clone(); cluster.nodes.max(1)];
        Self { cluster, home, resources, ..self }
    }

    /// The controller that does the work of a failed one; the failed controller itself if all have failed.
    fn heir(&self, half: ControllerSide, which: usize) -> ControllerSide {
        let mut order =
            self.cluster.takeover_order(half.index(), which).map(|node| ControllerSide::EACH[node]);
        order.find(|node| self.works[node.index()]).unwrap_or(half)
    }

    /// The cost of a job at each resource, and the bytes that it counts for; none where it needs nothing.
    fn costs(
        parameters: &ResourceParameters,
        module: Module,
        bytes: u64,
    ) -> [Option<&JobCost>; resource::ALL] {
        let (over_bridge, over_bus) = match module {
            Module::Data | Module::InternalData => (true, true),
            Module::Xor => (false, true),
            _ => (false, false),
        };
        let cost = |goes: bool, cost| (goes && bytes > 0).then_some(cost);
        [
            Some(parameters.processor_cost(module)),
            cost(over_bridge, &parameters.bridge),
            cost(over_bus, &parameters.system_bus),
            cost(over_bus, &parameters.memory),
            (module == Module::Link).then_some(&parameters.link),
        ]
    }

    /// The time of a job at each resource, drawn where it has a distribution.
    pub fn draw_job_times(
        parameters: &ResourceParameters,
        module: Module,
        time: Span,
        bytes: u64,
        random: &mut RandomStream,
    ) -> [Span; resource::ALL] {
        let mut takes = Self::costs(parameters, module, bytes)
            .map(|cost| cost.map_or(Span::ZERO, |cost| cost.draw_job_time(bytes, random)));
        let processor = &mut takes[resource::PROCESSOR];
        *processor = Span(processor.ticks() + time.ticks()).min(Span::LONGEST);
        takes
    }

    /// The mean of the time of a job at each resource, and its variance: in ns and ns^2.
    pub fn mean_and_variance_ns(
        parameters: &ResourceParameters,
        module: Module,
        bytes: u64,
    ) -> [(f64, f64); resource::ALL] {
        Self::costs(parameters, module, bytes)
            .map(|cost| cost.map_or((0.0, 0.0), |cost| cost.mean_and_variance_ns(bytes)))
    }

    fn comes(&mut self, cx: &mut Context<'_>, port: u16, job: ModuleJob) {
        let takes = Self::draw_job_times(&self.parameters, job.module, job.time, job.bytes, &mut self.random);
        let home = self.home.get(usize::from(port)).copied().unwrap_or(ControllerSide::A);
        let half = self.heir(home, usize::from(port));
        let here = Some(Here { job, port, takes, at: 0, queue: 0, half, ends: None });
        let place = match self.free.pop() {
            Some(place) => {
                self.here[place as usize] = here;
                place
            }
            None => {
                self.here.push(here);
                (self.here.len() - 1) as u32
            }
        };
        self.goes_on(cx, place);
    }

    /// A job goes to the next resource that it needs, or is done.
    fn goes_on(&mut self, cx: &mut Context<'_>, place: u32) {
        let Some(here) = &mut self.here[place as usize] else { return };
        while here.at < resource::ALL && here.takes[here.at] == Span::ZERO {
            here.at += 1;
        }
        let Here { job, port, at, half, .. } = *here;
        if at == resource::ALL {
            let latency = self.parameters.link_latency;
            if job.module == Module::Link && latency > Span::ZERO && here.ends.is_none() {
                here.ends = Some(wait_for(cx, place, ON_ITS_WAY, latency));
                if let Some(id) = job.request {
                    cx.ledger().locate_request(id, ON_THE_WAY);
                }
                return;
            }
            self.here[place as usize] = None;
            self.free.push(place);
            cx.send(port, Message::JobDone(job));
            return;
        }
        let number = self.number_of(half, at);
        let resource = &mut self.resources[number][at];
        let (queue, begins) = resource.queues.enqueue_job(place, &mut self.random);
        if begins {
            resource.busy.increase(cx.now, 1);
        } else {
            tell(cx, port, &job, at, false);
        }
        if let Some(here) = &mut self.here[place as usize] {
            here.queue = queue;
        }
        if begins {
            self.begin(cx, place);
        }
    }

    /// The number of the controller whose resource a side uses: both use the link of the first.
    fn number_of(&self, half: ControllerSide, at: usize) -> usize {
        if at == resource::LINK { 0 } else { half.index().min(self.resources.len() - 1) }
    }

    fn resource(&mut self, half: ControllerSide, at: usize) -> &mut Resource {
        let number = self.number_of(half, at);
        &mut self.resources[number][at]
    }

    /// A resource begins to work on a job.
    fn begin(&mut self, cx: &mut Context<'_>, place: u32) {
        let Some(here) = &mut self.here[place as usize] else { return };
        tell(cx, here.port, &here.job, here.at, true);
        here.ends = Some(wait_for(cx, place, here.at as u8, here.takes[here.at]));
    }

    /// A controller fails: another controller does the jobs that are not done.
    fn fails(&mut self, cx: &mut Context<'_>, half: ControllerSide) {
        self.works[half.index()] = false;
        if self.heir(half, 0) == half {
            return;
        }
        for at in 0..resource::LINK {
            let resource = self.resource(half, at);
            resource.queues.drop_all_jobs();
            resource.busy.set(cx.now, 0);
        }
        for place in 0..self.here.len() {
            let Some(port) = self.here[place].as_ref().filter(|here| here.half == half).map(|here| here.port)
            else {
                continue;
            };
            let heir = self.heir(half, usize::from(port));
            let Some(here) = self.here[place].as_mut() else { continue };
            here.half = heir;
            // A message on the link is not affected by the failure.
            if here.job.module != Module::Link {
                here.at = 0;
                if let Some(event) = here.ends.take() {
                    cx.cancel_timer(event);
                }
                self.goes_on(cx, place as u32);
            }
        }
    }
}

/// Reports the position of a job: in the ledger of its request, or by a message to its initiator if it has no request.
fn tell(cx: &mut Context<'_>, port: u16, job: &ModuleJob, at: usize, works: bool) {
    match job.request {
        Some(id) => cx.ledger().locate_request(id, if works { at_work(at, job.module) } else { at }),
        None => cx.send(port, Message::JobState(*job, works)),
    }
}

fn wait_for(cx: &mut Context<'_>, place: u32, what: u8, takes: Span) -> EventKey {
    cx.set_cancellable_timer(
        cx.now + takes,
        EventTurn::turn_of_node(place % Order::UNITS),
        Timer::new(what, place),
    )
}

impl Component for ControllerResourcePool {
    type Parameters = (ResourceParameters, Cluster);
    type Role = SharedRole;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn demand(
        (parameters, _): &Self::Parameters,
        _class: &RequestClass,
        around: &DemandContext<'_>,
    ) -> Option<Demand> {
        Some(demand::of(parameters, around))
    }

    fn build((parameters, cluster): &Self::Parameters, cx: &BuildContext<'_, SharedRole>) -> Self {
        Self::new(parameters)
            .for_several_controllers(*cluster, cx.halves.clone())
            .with_random_stream(cx.component_random_stream("costs"))
    }

    /// A resource is done with a job, and begins the next.
    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        let Some(here) = self.here[timer.number as usize].as_mut() else { return };
        let (half, queue) = (here.half, here.queue);
        if timer.what != ON_ITS_WAY {
            here.at += 1;
            here.ends = None;
            let resource = self.resource(half, usize::from(timer.what));
            match resource.queues.job_completed(queue) {
                None => resource.busy.decrease(cx.now, 1),
                Some(next) => self.begin(cx, next),
            }
        }
        self.goes_on(cx, timer.number);
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        if let Message::Job(job) = message {
            self.comes(cx, port, job);
        }
    }

    fn act_on(&mut self, cx: &mut Context<'_>, thing: usize, works: bool) {
        let Some(half) = self.cluster.node_at(thing).map(|node| ControllerSide::EACH[node]) else { return };
        if works {
            self.works[half.index()] = true;
        } else if self.works[half.index()] {
            self.fails(cx, half);
        }
    }

    fn gauge(&self, _now: Time, gauge: usize, _place: u16) -> u32 {
        self.resources.iter().map(|half| half[gauge].queues.waiting_job_count() as u32).sum()
    }

    fn busy(&self, now: Time, block: usize) -> Total {
        let of_each = self.resources.iter().map(|of_it| of_it[block].busy.total(now).0);
        Total(of_each.sum())
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        self.busy(now, meter)
    }

    fn capacity(&self, meter: usize) -> u64 {
        // The controllers up to the last one that is in use are counted.
        let last = self.home.iter().map(|half| half.index() as u64 + 1).max().unwrap_or(1);
        let halves = if meter == resource::LINK { 1 } else { last.min(self.resources.len() as u64) };
        self.resources[0][meter].queues.total_server_count() * halves
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        leftovers.check_zero(
            "jobs left at the resources of a controller",
            (self.here.len() - self.free.len()) as u64,
        );
    }
}

#[cfg(test)]
mod tests;
