//! What an array does for itself: it rebuilds what failed members held, looks whether failed devices work again, and scrubs.
//!
//! * One member is rebuilt at a time, row by row from the first. What it held goes first to distributed spare space, if the layout has some that
//!   is free, else to a spare. A member whose content is in distributed spare space gets it copied back when there is a spare.
//! * A failed device that works again is empty, and a spare: so a member without a spare is rebuilt in place.
//! * A piece that is being rebuilt keeps its stripes to itself until all before it is done as well, for until then writes would pass it over.
//! * Pieces are begun no faster than the rate says; while hosts have requests there than the rate under load.
//!
//! While something of this is to be done the array has a request of its own in the background, so a run that waits for nothing else ends.

use super::catalogue::segment;
use super::job::{LOOK, PartOf, Phase, Task};
use super::{DiskArray, meter, timer};
use sansim_component::{Context, Timer, Turn};
use sansim_kernel::{Span, Time};
use sansim_raid::layout::{Code, Level, Slot};
use sansim_raid::{State, Sweep};
use sansim_request::{BLOCK_BYTES, Operation, Request, RequestId, Status};
use std::ops::Range;

/// When the next piece may be begun.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    /// When the last one was, and how much it is.
    last: Option<(Time, u64)>,
    /// When a timer is due for the next.
    timer: Option<Time>,
}

impl Pace {
    /// Whether a piece may be begun now, at this rate; else the timer is set for when it may.
    fn is_due(&mut self, cx: &mut Context<'_>, rate: Option<u64>, what: u8) -> bool {
        let (Some((last, bytes)), Some(rate)) = (self.last, rate) else { return true };
        let due = last + Span::to_move(bytes, rate).min(Span::LONGEST);
        if due > cx.now && self.timer != Some(due) {
            self.timer = Some(due);
            cx.wake(due, Turn::node(what.into()), Timer::new(what, 0));
        }
        due <= cx.now
    }
}

/// The lower of two rates, while there is load.
fn rate(full: Option<u64>, under_load: Option<u64>, load: u32) -> Option<u64> {
    match (full, under_load) {
        (Some(full), Some(less)) if load > 0 => Some(full.min(less)),
        (None, Some(less)) if load > 0 => Some(less),
        _ => full,
    }
}

/// The rebuild that goes on.
#[derive(Clone, Debug)]
pub(super) struct Rebuild {
    pub member: u32,
    /// The how manieth it is.
    pub turn: u32,
    pub sweep: Sweep,
    pace: Pace,
    /// Pieces in work.
    out: u32,
    begun: Time,
}

/// Scrubbing, where it is wanted.
#[derive(Clone, Debug, Default)]
pub(super) struct Scrubbing {
    pass: Option<Sweep>,
    /// When the next pass begins.
    next: Time,
    timer: Option<Time>,
    pace: Pace,
    out: u32,
}

impl DiskArray {
    /// What the array asks for itself.
    pub(super) fn own_request(&self) -> Request {
        Request::in_background(0, Operation::Read, self.device, &(0..0))
    }

    /// Has a request in the background as long as there is something to be done.
    pub(super) fn keep_up(&mut self, cx: &mut Context<'_>) {
        let is_wanted =
            self.rebuild.is_some() || self.rebuild_due.is_some() || self.parameters.scrub.every.is_some();
        match (is_wanted, self.upkeep) {
            (true, None) => {
                let own = self.own_request();
                self.upkeep = Some(cx.begin_in_background(own, segment::UPKEEP));
            }
            (false, Some(id)) => {
                cx.close(id, Status::Good);
                self.upkeep = None;
            }
            _ => {}
        }
    }

    /// A device has failed that is a member.
    pub(super) fn member_fails(&mut self, cx: &mut Context<'_>, member: u32, place: u32) {
        let state = self.array.health.state(member);
        if self.members.place(member) != place || matches!(state, State::Failed | State::Spared { .. }) {
            return;
        }
        if let State::Returning { .. } = state {
            // What is to be written into its spare space has no place there any more; nobody else gets that before.
            let is_planned =
                |job: &super::Job| !matches!(job.phase, Phase::Free | Phase::Locks | Phase::Held);
            let planned = self.jobs.iter().zip(0..).filter(|(job, _)| is_planned(job));
            self.strays.extend(planned.map(|(_, number)| number));
        }
        self.array.health.set(member, State::Failed);
        self.members.gone.push(place);
        self.looked_at = cx.now;
        self.given_up.retain(|&other| other != member);
        self.count(meter::FAILURES, 1);
        if self.rebuild.as_ref().is_some_and(|rebuild| rebuild.member == member) {
            self.stop_rebuild(cx);
        }
    }

    /// Looks whether failed devices work again, if it is time.
    pub(super) fn look_for_replacements(&mut self, cx: &mut Context<'_>) {
        let Some(every) = self.parameters.rebuild.replacement_check else { return };
        let has_redundancy = self.array.layout.code() != Code::None;
        if self.members.gone.is_empty() || !has_redundancy || cx.now < self.looked_at + every {
            return;
        }
        self.looked_at = cx.now;
        for number in 0..self.members.gone.len() {
            let place = self.members.gone[number];
            self.asked += 1;
            let asked = self.behind.ask_for_itself(cx, self.asked, place, Operation::Read, 0..BLOCK_BYTES);
            if let Some(part) = asked {
                self.part_of.insert(part, PartOf { job: LOOK, operation: 0, member: 0, place });
            }
        }
    }

    /// A failed device was asked whether it works again.
    pub(super) fn looked(&mut self, place: u32, status: Status) {
        if matches!(status, Status::Good | Status::Unreadable)
            && let Some(number) = self.members.gone.iter().position(|&gone| gone == place)
        {
            self.members.gone.remove(number);
            self.members.spares.push_back(place);
        }
    }

    /// What is rebuilt next: a member, and the state in which it is then.
    fn next_rebuild(&self) -> Option<(u32, State)> {
        let level = self.array.layout.level();
        let states = || {
            let members = 0..self.array.layout.members();
            let mut kept = members.filter(|member| !self.given_up.contains(member));
            std::iter::from_fn(move || kept.next().map(|member| (member, self.array.health.state(member))))
        };
        let failed = states().find(|(_, state)| *state == State::Failed).map(|(member, _)| member);
        if let Some(member) = failed {
            let has = |spare: u32| {
                states().any(|(_, state)| match state {
                    State::Spared { spare: its, .. } | State::Returning { spare: its, .. } => its == spare,
                    _ => false,
                })
            };
            if let Some(spare) = (0..level.spares()).find(|&spare| !has(spare)) {
                return Some((member, State::Spared { spare, rows: 0 }));
            }
        }
        self.members.spares.front()?;
        failed.map(|member| (member, State::Rebuilding { rows: 0 })).or_else(|| {
            states().find_map(|(member, state)| match state {
                State::Spared { spare, .. } => Some((member, State::Returning { spare, rows: 0 })),
                _ => None,
            })
        })
    }

    /// Begins a rebuild if there is one to begin with, or sees to it that it is begun in time. Returns whether it did.
    fn begin_rebuild(&mut self, cx: &mut Context<'_>) -> bool {
        if self.failed || self.array.layout.code() == Code::None {
            return false;
        }
        if self.array.health.is_sound() {
            self.rebuild_due = None;
            return false;
        }
        let Some((member, state)) = self.next_rebuild() else {
            self.rebuild_due = None;
            return false;
        };
        let due = match self.rebuild_due {
            Some(due) => due,
            None => {
                let due = cx.now + self.parameters.rebuild.delay;
                if due > cx.now {
                    cx.wake(due, Turn::node(timer::REBUILD.into()), Timer::new(timer::REBUILD, 0));
                }
                self.rebuild_due = Some(due);
                due
            }
        };
        if cx.now < due {
            return false;
        }
        // What is left of one that came to nothing might write where this one does.
        let is_of_rebuild =
            |job: &super::Job| job.phase != Phase::Free && matches!(job.task, Task::Rebuild(..));
        if self.jobs.iter().any(is_of_rebuild) || !self.strays.is_empty() {
            return false;
        }
        self.rebuild_due = None;
        if !matches!(state, State::Spared { .. })
            && let Some(place) = self.members.spares.pop_front()
        {
            self.members.put(member, place);
        }
        self.array.health.set(member, state);
        self.turns += 1;
        let sweep = Sweep::new(self.array.layout.rows());
        let (turn, pace, begun) = (self.turns, Pace::default(), cx.now);
        self.rebuild = Some(Rebuild { member, turn, sweep, pace, out: 0, begun });
        self.rebuilding.set(cx.now, 1);
        true
    }

    /// Whether a job is of a rebuild that came to nothing.
    pub(super) fn is_stale(&self, number: u32) -> bool {
        let Task::Rebuild(_, turn) = self.jobs[number as usize].task else { return false };
        self.rebuild.as_ref().is_none_or(|rebuild| rebuild.turn != turn)
    }

    /// Begins with the next piece of a rebuild, if that may be. Returns whether it did.
    pub(super) fn rebuild_on(&mut self, cx: &mut Context<'_>) -> bool {
        let parameters = self.parameters.rebuild;
        let Some(rebuild) = &mut self.rebuild else { return self.begin_rebuild(cx) };
        if self.failed || rebuild.out >= parameters.at_once {
            return false;
        }
        let rate = rate(parameters.rate, parameters.rate_under_load, self.load);
        if !rebuild.pace.is_due(cx, rate, timer::REBUILD) {
            return false;
        }
        let strip = self.array.layout.strip();
        let Some(rows) = rebuild.sweep.take((parameters.chunk / strip).max(1)) else { return false };
        rebuild.out += 1;
        rebuild.pace.last = Some((cx.now, (rows.end - rows.start) * strip));
        let (member, turn) = (rebuild.member, rebuild.turn);
        let number = self.new_job(Task::Rebuild(rows.clone(), turn), None, (0, 0));
        let wanted = &mut self.jobs[number as usize].wanted;
        wanted.exclusive = true;
        for row in rows {
            if let Some(unit) = self.array.health.held(&self.array.layout, Slot { member, row }) {
                match wanted.stripes.last_mut() {
                    Some(last) if last.end == unit.stripe => last.end += 1,
                    _ => wanted.stripes.push(unit.stripe..unit.stripe + 1),
                }
            }
        }
        self.start(cx, number);
        true
    }

    /// A piece has been rebuilt. Returns whether it keeps its stripes for now, or has left them already.
    pub(super) fn rebuilt(
        &mut self,
        cx: &mut Context<'_>,
        number: u32,
        rows: &Range<u64>,
        turn: u32,
    ) -> bool {
        let strip = self.array.layout.strip();
        let Some(rebuild) = self.rebuild.as_mut().filter(|rebuild| rebuild.turn == turn) else {
            return false;
        };
        rebuild.out -= 1;
        let mark = rebuild.sweep.done(rows);
        let (member, is_complete, begun) = (rebuild.member, rebuild.sweep.is_complete(), rebuild.begun);
        let state = match self.array.health.state(member) {
            State::Spared { spare, .. } => State::Spared { spare, rows: mark },
            _ if is_complete => State::Working,
            State::Returning { spare, .. } => State::Returning { spare, rows: mark },
            _ => State::Rebuilding { rows: mark },
        };
        self.array.health.set(member, state);
        self.jobs[number as usize].phase = Phase::Held;
        self.count(meter::REBUILT_BYTES, (rows.end - rows.start) * strip);
        self.release_held(turn, mark);
        if is_complete {
            self.count(meter::REBUILDS, 1);
            self.rebuild_time = cx.now - begun;
            self.rebuild = None;
            self.rebuilding.set(cx.now, 0);
        }
        true
    }

    /// Pieces leave their stripes that end before a row.
    fn release_held(&mut self, turn: u32, mark: u64) {
        for number in 0..self.jobs.len() {
            let job = &self.jobs[number];
            if job.phase == Phase::Held
                && let Task::Rebuild(rows, its) = &job.task
                && *its == turn
                && rows.end <= mark
            {
                self.release(number as u32);
            }
        }
    }

    /// A rebuild comes to nothing: more is lost than the level makes up for. What has been rebuilt stays.
    pub(super) fn give_up_rebuild(&mut self, cx: &mut Context<'_>, turn: u32) {
        if let Some(rebuild) = self.rebuild.as_ref().filter(|rebuild| rebuild.turn == turn) {
            self.given_up.push(rebuild.member);
            self.stop_rebuild(cx);
        }
    }

    fn stop_rebuild(&mut self, cx: &mut Context<'_>) {
        if let Some(rebuild) = self.rebuild.take() {
            self.rebuilding.set(cx.now, 0);
            self.release_held(rebuild.turn, u64::MAX);
        }
    }

    /// Begins with the next piece of a scrub, if that may be. Returns whether it did.
    pub(super) fn scrub_on(&mut self, cx: &mut Context<'_>) -> bool {
        let parameters = self.parameters.scrub;
        let Some(every) = parameters.every else { return false };
        let layout = &self.array.layout;
        let scrubbing = &mut self.scrubbing;
        if scrubbing.pass.is_none() {
            let next = if scrubbing.next == Time::ZERO { Time::ZERO + every } else { scrubbing.next };
            scrubbing.next = next;
            if cx.now < next {
                if scrubbing.timer != Some(next) {
                    scrubbing.timer = Some(next);
                    cx.wake(next, Turn::node(timer::SCRUB.into()), Timer::new(timer::SCRUB, 0));
                }
                return false;
            }
            scrubbing.pass = Some(Sweep::new(layout.stripes()));
            scrubbing.next = cx.now + every;
        }
        if self.failed || self.rebuild.is_some() || scrubbing.out >= parameters.at_once {
            return false;
        }
        let rate = rate(parameters.rate, parameters.rate_under_load, self.load);
        if !scrubbing.pace.is_due(cx, rate, timer::SCRUB) {
            return false;
        }
        let many = (parameters.chunk / layout.stripe_bytes()).max(1);
        let Some(stripes) = scrubbing.pass.as_mut().and_then(|pass| pass.take(many)) else { return false };
        scrubbing.out += 1;
        scrubbing.pace.last = Some((cx.now, (stripes.end - stripes.start) * layout.stripe_bytes()));
        let number = self.new_job(Task::Scrub(stripes.clone()), None, (0, 0));
        let wanted = &mut self.jobs[number as usize].wanted;
        wanted.exclusive = false;
        wanted.stripes.push(stripes);
        self.start(cx, number);
        true
    }

    /// Stripes have been scrubbed.
    pub(super) fn scrubbed(&mut self, stripes: Range<u64>) {
        self.count(meter::SCRUBBED_BYTES, (stripes.end - stripes.start) * self.array.layout.stripe_bytes());
        self.scrubbing.out -= 1;
        if let Some(pass) = &mut self.scrubbing.pass {
            pass.done(&stripes);
            if pass.is_complete() {
                self.scrubbing.pass = None;
            }
        }
    }

    /// How far the rebuild is, in thousandths.
    pub(super) fn rebuilt_thousandths(&self) -> u32 {
        let rows = self.array.layout.rows().max(1);
        self.rebuild
            .as_ref()
            .map_or(0, |rebuild| (u128::from(rebuild.sweep.mark()) * 1000 / u128::from(rows)) as u32)
    }

    /// Requests that are under way, by number: what the order of a map does not say.
    pub(super) fn in_hand_by_number(&self) -> Vec<RequestId> {
        let mut all: Vec<RequestId> = self.in_hand.keys().copied().collect();
        all.sort_unstable();
        all
    }
}
