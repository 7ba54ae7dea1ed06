//! Processors: their work for requests, and how they detect new work.
//!
//! Components send their work to the processors as [`ProcessorWork`]: a *submission* is a call and can begin at once; a *completion* has to
//! be detected by a processor first.
//!
//! * With interrupts ([`interrupts`]) the source of completions, an adapter, interrupts a processor. An interrupt may wait for further
//!   completions (coalescing), and costs time of its own. Interrupts precede submissions; work in progress is not preempted. Other load may
//!   occupy the processors in slices ([`slices`]).
//! * The software part of a network comes frame by frame, and queues together with interrupts; the network defines the cost of its own
//!   interrupts itself.
//! * With polling ([`polling`]) threads look again and again for new work. Source: Friedman, "SAN Capacity Planning", "Processor
//!   consumption".
//!
//! The processors of an in-band appliance run a stack of software of which each stage costs cycles ([`stack`]).
#![forbid(unsafe_code)]

mod catalogue;
mod demand;
pub mod interrupts;
mod parameters;
pub mod polling;
pub mod slices;
pub mod stack;

pub use parameters::{
    InterruptParameters, OtherLoad, PollingParameters, ProcessParameters, ProcessorParameters,
};

use catalogue::{CATALOGUE, gauge, meter, segment};
use interrupts::Interrupts;
use polling::Polling;
use sansim_component::demand::{Demand, DemandContext, RequestClass};
use sansim_component::{
    BuildContext, Component, Context, LeftoverFindings, Message, ProcessorWork, ProcessorWorkKind,
    SharedRole, Timer,
};
use sansim_kernel::{Time, Total};
use sansim_schema::catalogue::Catalogue;

/// A port: each piece of work is reported as done to the port by which it came.
type Port = u16;

/// Work, and the port by which it came.
type Asked = (Port, ProcessorWork);

/// The processors of a host; see the text of the crate.
#[derive(Clone, Debug)]
pub enum Processors {
    /// Processors that are interrupted.
    Interrupts(Interrupts),
    /// Processors that poll.
    Polling(Polling),
}

/// A processor begins a piece of work.
fn begin(cx: &mut Context<'_>, work: &ProcessorWork) {
    let segment = match work.of {
        ProcessorWorkKind::Submission => segment::SUBMISSION,
        ProcessorWorkKind::Completion(_) => segment::COMPLETION,
        ProcessorWorkKind::Network(_) => segment::FRAME_WORK,
    };
    enter(cx, work, segment);
}

/// Enters a segment for the request of the work. If the work has no request, the initiator of the work records its time.
fn enter(cx: &mut Context<'_>, work: &ProcessorWork, segment: usize) {
    if let Some(request) = work.request {
        cx.ledger().enter_segment(request, segment);
    }
}

/// Whether work is the software part of a network.
fn is_of_network(work: &ProcessorWork) -> bool {
    matches!(work.of, ProcessorWorkKind::Network(_))
}

/// Work is done.
fn worked(cx: &mut Context<'_>, (port, work): Asked) {
    cx.send(port, Message::Worked(work));
}

impl Component for Processors {
    type Parameters = ProcessorParameters;
    type Role = SharedRole;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn demand(
        parameters: &ProcessorParameters,
        _class: &RequestClass,
        around: &DemandContext<'_>,
    ) -> Option<Demand> {
        Some(demand::of(parameters, around))
    }

    fn build(parameters: &ProcessorParameters, cx: &BuildContext<'_, SharedRole>) -> Self {
        let name = cx.random_stream_name("processors");
        match parameters {
            ProcessorParameters::Polling(parameters) => Self::Polling(Polling::new(parameters)),
            ProcessorParameters::Interrupts(parameters) => {
                Self::Interrupts(Interrupts::new(parameters, cx.seed, &name))
            }
            // No component uses processors of this model: the driver works by itself.
            ProcessorParameters::Processes(_) => {
                Self::Interrupts(Interrupts::new(&InterruptParameters::FREE, cx.seed, &name))
            }
        }
    }

    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        match self {
            Self::Interrupts(interrupts) => interrupts.handle_due_timer(cx, timer),
            Self::Polling(polling) => polling.handle_due_timer(cx, timer),
        }
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        let Message::Work(work) = message else { return };
        match self {
            Self::Interrupts(interrupts) => interrupts.submit_work(cx, (port, work)),
            Self::Polling(polling) => polling.submit_work(cx, (port, work)),
        }
    }

    fn gauge(&self, _now: Time, gauge: usize, _place: u16) -> u32 {
        let (waiting, busy) = match self {
            Self::Interrupts(interrupts) => (interrupts.waiting(), interrupts.working()),
            Self::Polling(polling) => (polling.waiting(), polling.working()),
        };
        if gauge == gauge::WAITING { waiting } else { busy }
    }

    fn busy(&self, now: Time, _block: usize) -> Total {
        self.meter(now, meter::WORKING)
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        match (self, meter) {
            (Self::Interrupts(interrupts), meter::WORKING) => interrupts.working_total(now),
            (Self::Interrupts(interrupts), meter::OCCUPIED) => interrupts.occupied_total(now),
            (Self::Interrupts(interrupts), meter::INTERRUPTS) => Total(interrupts.interrupts().into()),
            (Self::Interrupts(interrupts), meter::COMPLETIONS) => Total(interrupts.completions().into()),
            (Self::Polling(polling), meter::WORKING) => polling.working_total(now),
            (Self::Polling(polling), meter::OCCUPIED) => polling.occupied_total(now),
            (Self::Polling(polling), meter::COMPLETIONS) => Total(polling.completions().into()),
            (Self::Polling(polling), meter::PRODUCTIVE) => Total(polling.productive().into()),
            (Self::Polling(polling), meter::UNPRODUCTIVE) => Total(polling.unproductive(now).into()),
            _ => Total::ZERO,
        }
    }

    fn capacity(&self, meter: usize) -> u64 {
        match self {
            _ if meter > meter::OCCUPIED => 1,
            Self::Interrupts(interrupts) => interrupts.count(),
            Self::Polling(polling) => polling.count(),
        }
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        let left = match self {
            Self::Interrupts(interrupts) => interrupts.left(),
            Self::Polling(polling) => polling.left(),
        };
        leftovers.check_zero("requests left at processors", left);
    }
}

#[cfg(test)]
mod tests;
