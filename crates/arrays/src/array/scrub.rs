//! Scrubbing: the content of all members is read and compared.
//!
//! Stripes whose checks disagree with their data, or whose copies differ, are counted; with `repair` the checks are calculated anew from
//! the data, or the first copy replaces the others, as the correct copy is unknown. Source: Linux md, `sync_action`: `check` and `repair`.

use super::background::Pace;
use super::job::Task;
use super::{DiskArray, meter, timer};
use sansim_component::{Context, EventTurn, Timer};
use sansim_kernel::Time;
use sansim_raid::NumberSweep;
use sansim_request::Status;
use std::ops::Range;

/// The state of scrubbing.
#[derive(Clone, Debug, Default)]
pub(super) struct Scrubbing {
    pass: Option<NumberSweep>,
    /// The time at which the next pass begins.
    next: Time,
    timer: Option<Time>,
    pace: Pace,
    out: u32,
}

impl DiskArray {
    /// Begins the next piece of a scrub, if its pace permits. Returns whether a piece began.
    pub(super) fn scrub_on(&mut self, cx: &mut Context<'_>) -> bool {
        let parameters = self.parameters.scrub;
        let Some(every) = parameters.every else { return false };
        let rates = (parameters.rate, parameters.rate_under_load);
        let rate = self.rate(cx.now, rates, parameters.idle_after);
        let layout = &self.array.layout;
        let scrubbing = &mut self.scrubbing;
        if scrubbing.pass.is_none() {
            let next = if scrubbing.next == Time::ZERO { Time::ZERO + every } else { scrubbing.next };
            scrubbing.next = next;
            if cx.now < next {
                if scrubbing.timer != Some(next) {
                    scrubbing.timer = Some(next);
                    cx.set_timer(
                        next,
                        EventTurn::turn_of_node(timer::SCRUB.into()),
                        Timer::new(timer::SCRUB, 0),
                    );
                }
                return false;
            }
            scrubbing.pass = Some(NumberSweep::new(layout.stripe_count()));
            scrubbing.next = cx.now + every;
        }
        if self.failed || !self.rebuilds.is_empty() || scrubbing.out >= parameters.at_once {
            return false;
        }
        if !scrubbing.pace.may_begin_step(cx, rate, timer::SCRUB) {
            return false;
        }
        let many = (parameters.step / layout.stripe_bytes()).max(1);
        let Some(stripes) = scrubbing.pass.as_mut().and_then(|pass| pass.next_numbers(many)) else {
            return false;
        };
        scrubbing.out += 1;
        scrubbing.pace.last = Some((cx.now, (stripes.end - stripes.start) * layout.stripe_bytes()));
        let number = self.new_job(Task::Scrub(stripes.clone()), None, (0, 0));
        let wanted = &mut self.jobs[number as usize].wanted;
        wanted.exclusive = false;
        wanted.stripes.push(stripes);
        self.start(cx, number);
        true
    }

    /// Stripes have been scrubbed, or could not be.
    pub(super) fn scrubbed(
        &mut self,
        cx: &mut Context<'_>,
        number: u32,
        stripes: Range<u64>,
        status: Status,
    ) {
        self.count(meter::SCRUBBED_BYTES, (stripes.end - stripes.start) * self.array.layout.stripe_bytes());
        self.scrubbing.out -= 1;
        if let Some(pass) = &mut self.scrubbing.pass {
            pass.range_completed(&stripes);
            if pass.is_complete() {
                self.scrubbing.pass = None;
            }
        }
        if status == Status::Good && !self.agreement.all_checks_agree() {
            let plan = &self.jobs[number as usize].plan;
            let found: Vec<u64> = self.agreement.disagreeing_stripes(&self.array, plan).collect();
            self.count(meter::MISMATCHES, found.len() as u64);
            if self.parameters.scrub.repair {
                found.into_iter().for_each(|stripe| self.resynchronise(cx, stripe));
            }
        }
    }

    /// Begins to calculate the checks of a stripe anew.
    fn resynchronise(&mut self, cx: &mut Context<'_>, stripe: u64) {
        let number = self.new_job(Task::Resynchronise(stripe..stripe + 1), None, (0, 0));
        let wanted = &mut self.jobs[number as usize].wanted;
        wanted.exclusive = true;
        wanted.stripes.push(stripe..stripe + 1);
        self.start(cx, number);
    }

    /// Notes that stripes were resynchronised, or could not be.
    pub(super) fn resynchronised(&mut self, number: u32, stripes: Range<u64>) {
        if self.jobs[number as usize].member_access_count()[1] > 0 && !self.jobs[number as usize].noted.failed
        {
            self.count(meter::RESYNCHRONISED, stripes.end - stripes.start);
            self.agreement.checks_recalculated(&self.array, stripes);
        }
    }
}
