//! The engine that calculates checks and lost units, one job at a time in order of arrival. Within a controller the controller's processor
//! does the calculations instead.

use sansim_component::{Context, ControllerResources, EventTurn, Module, Timer};
use sansim_kernel::{Span, Time, TimeWeighted, Total};
use std::collections::VecDeque;

/// The engine that calculates checks and lost units, one job at a time in order of arrival.
#[derive(Clone, Debug, Default)]
pub(super) struct Engine {
    inside: ControllerResources,
    /// Jobs being calculated; the engine of the array has at most one.
    working: Vec<u32>,
    waiting: VecDeque<(u32, Span)>,
    busy: TimeWeighted,
}

impl Engine {
    /// The engine of an array within this controller.
    pub fn new(inside: ControllerResources) -> Self {
        Self { inside, ..Self::default() }
    }

    /// Whether a job that lasts `takes` in the array, and processes this many bytes, is done as soon as it comes.
    pub fn takes_no_time(&self, takes: Span, bytes: u64) -> bool {
        takes == Span::ZERO && (bytes == 0 || !self.inside.has_resources())
    }

    /// A job comes to the engine. Returns whether the job is begun now; the timer is due when the job is done.
    pub fn submit_job(&mut self, cx: &mut Context<'_>, job: u32, takes: Span, bytes: u64, timer: u8) -> bool {
        if self.inside.has_resources() {
            self.inside.request_own_job(cx, Module::Xor, takes, bytes, job);
            return false;
        }
        if !self.working.is_empty() {
            self.waiting.push_back((job, takes));
            return false;
        }
        self.begins(cx, job, takes, timer);
        true
    }

    fn begins(&mut self, cx: &mut Context<'_>, job: u32, takes: Span, timer: u8) {
        self.set_in_work(cx.now, job, true);
        cx.set_timer(cx.now + takes, EventTurn::turn_of_node(timer.into()), Timer::new(timer, 0));
    }

    /// Sets whether a job is in work.
    pub fn set_in_work(&mut self, now: Time, job: u32, works: bool) {
        self.working.retain(|&other| other != job);
        if works {
            self.working.push(job);
        }
        self.busy.set(now, u64::from(!self.working.is_empty()));
    }

    /// Ends a job: the job that the controller names, or the current job of the engine. Returns the ended job, and the next one.
    pub fn end_job(
        &mut self,
        cx: &mut Context<'_>,
        job: Option<u32>,
        timer: u8,
    ) -> (Option<u32>, Option<u32>) {
        let done = job.or_else(|| self.working.first().copied());
        if let Some(job) = done {
            self.set_in_work(cx.now, job, false);
        }
        let next = self.waiting.pop_front();
        if let Some((next, takes)) = next {
            self.begins(cx, next, takes, timer);
        }
        (done, next.map(|(next, _)| next))
    }

    /// Whether a job is in work.
    pub fn is_job_in_work(&self, job: u32) -> bool {
        self.working.contains(&job)
    }

    /// The time in which the engine was busy.
    pub fn busy_time(&self, now: Time) -> Total {
        self.busy.total(now)
    }
}
