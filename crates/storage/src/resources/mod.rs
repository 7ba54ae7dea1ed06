//! The resources of a storage controller that all of its modules share.
//!
//! Source: Wang 2005, figure 3.3: I/O buses and a system bus joined by a bridge, the processor and the memory on the system bus; 3.1.2 for
//! the modules. [`Module`] says which there are.
//!
//! * A job takes a processor for the cost of its module, and for time of its own.
//! * Then its data go through: those between an adapter and the memory through bridge, system bus and memory, what is calculated through
//!   system bus and memory.
//! * Each resource has a queue, first come first served, and works on one job at a time; of processors each.
//!
//! Assumptions: a job has one resource after the other, and all of its bytes have gone through one before the next begins; nothing that is
//! begun is interrupted.

mod catalogue;
mod parameters;

use catalogue::{CATALOGUE, at_work, resource};
pub use parameters::{Cost, ResourceParameters};

use sansim_component::{Component, Context, Job, Message, Module, Rest, Setting, Timer, Turn};
use sansim_describe::catalogue::Catalogue;
use sansim_kernel::{Order, Span, Time, TimeWeighted, Total};
use std::collections::VecDeque;

/// A job that is here.
#[derive(Clone, Copy, Debug)]
struct Here {
    job: Job,
    /// The port by which it came.
    port: u16,
    /// What it takes of each resource.
    takes: [Span; resource::ALL],
    /// Where it is.
    at: usize,
}

/// One of the resources.
#[derive(Clone, Debug)]
struct Resource {
    /// Jobs that it works on at once.
    most: u64,
    /// Jobs by their places.
    waiting: VecDeque<u32>,
    busy: TimeWeighted,
}

/// See the module text.
#[derive(Clone, Debug)]
pub struct Resources {
    parameters: ResourceParameters,
    resources: [Resource; resource::ALL],
    here: Vec<Option<Here>>,
    free: Vec<u32>,
}

impl Resources {
    /// Idle ones.
    pub fn new(parameters: &ResourceParameters) -> Self {
        let resource = |number: usize| Resource {
            most: if number == resource::PROCESSOR { parameters.processors.into() } else { 1 },
            waiting: VecDeque::with_capacity(64),
            busy: TimeWeighted::new(),
        };
        Self {
            parameters: *parameters,
            resources: std::array::from_fn(resource),
            here: Vec::with_capacity(64),
            free: Vec::with_capacity(64),
        }
    }

    /// What a job takes of each resource.
    pub fn takes(parameters: &ResourceParameters, module: Module, time: Span, bytes: u64) -> [Span; 4] {
        let processor = parameters.of_processor(module).of(bytes).ticks() + time.ticks();
        let (over_bridge, over_bus) = match module {
            Module::Data | Module::InternalData => (true, true),
            Module::Xor => (false, true),
            _ => (false, false),
        };
        let cost = |goes: bool, cost: Cost| if goes && bytes > 0 { cost.of(bytes) } else { Span::ZERO };
        [
            Span(processor).min(Span::LONGEST),
            cost(over_bridge, parameters.bridge),
            cost(over_bus, parameters.system_bus),
            cost(over_bus, parameters.memory),
        ]
    }

    fn comes(&mut self, cx: &mut Context<'_>, port: u16, job: Job) {
        let takes = Self::takes(&self.parameters, job.module, job.time, job.bytes);
        let here = Some(Here { job, port, takes, at: 0 });
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

    /// A job goes to the next resource of which it needs anything, or is done.
    fn goes_on(&mut self, cx: &mut Context<'_>, place: u32) {
        let Some(here) = &mut self.here[place as usize] else { return };
        while here.at < resource::ALL && here.takes[here.at] == Span::ZERO {
            here.at += 1;
        }
        let Here { job, port, takes, at } = *here;
        let Some(resource) = self.resources.get_mut(at) else {
            self.here[place as usize] = None;
            self.free.push(place);
            cx.send(port, Message::JobDone(job));
            return;
        };
        if resource.busy.value() == resource.most {
            resource.waiting.push_back(place);
            tell(cx, port, &job, at, false);
        } else {
            resource.busy.increase(cx.now, 1);
            begin(cx, place, &job, port, at, takes[at]);
        }
    }
}

/// Says where a job is: in the ledger of its request, or to the one who asks if it has none.
fn tell(cx: &mut Context<'_>, port: u16, job: &Job, at: usize, works: bool) {
    match job.request {
        Some(id) => cx.tell(id, if works { at_work(at, job.module) } else { at }),
        None => cx.send(port, Message::JobIs(*job, works)),
    }
}

/// A resource begins with a job.
fn begin(cx: &mut Context<'_>, place: u32, job: &Job, port: u16, at: usize, takes: Span) {
    tell(cx, port, job, at, true);
    cx.wake(cx.now + takes, Turn::node(place % Order::UNITS), Timer::new(at as u8, place));
}

impl Component for Resources {
    type Parameters = ResourceParameters;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn build(parameters: &ResourceParameters, _: &Setting<'_>) -> Self {
        Self::new(parameters)
    }

    /// A resource is done with a job, and takes the next.
    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        let at = usize::from(timer.what);
        let resource = &mut self.resources[at];
        match resource.waiting.pop_front() {
            None => resource.busy.decrease(cx.now, 1),
            Some(next) => {
                if let Some(Here { job, port, takes, .. }) = self.here[next as usize] {
                    begin(cx, next, &job, port, at, takes[at]);
                }
            }
        }
        if let Some(here) = &mut self.here[timer.number as usize] {
            here.at += 1;
        }
        self.goes_on(cx, timer.number);
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        if let Message::Job(job) = message {
            self.comes(cx, port, job);
        }
    }

    fn gauge(&self, _now: Time, gauge: usize, _place: u16) -> u32 {
        self.resources[gauge].waiting.len() as u32
    }

    fn busy(&self, now: Time, block: usize) -> Total {
        self.resources[block].busy.total(now)
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        self.busy(now, meter)
    }

    fn capacity(&self, meter: usize) -> u64 {
        self.resources[meter].most
    }

    fn rest(&self, rest: &mut Rest) {
        rest.none("jobs left at the resources of a controller", (self.here.len() - self.free.len()) as u64);
    }
}

#[cfg(test)]
mod tests;
