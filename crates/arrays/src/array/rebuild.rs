//! Rebuilding the content of failed members.
//!
//! * A member is rebuilt row by row, from the first row on. The content of a failed member goes first to distributed spare space, if the
//!   layout has free spare space, else to a spare. The content of a member in distributed spare space is copied back when there is a spare.
//! * Several members are rebuilt at once, as many as there are spares and as the keys allow; each independently, with its own position and
//!   pace. Where two rebuilds meet in a stripe one waits for the other, so each reads all units that it needs. An array that rebuilds two
//!   members in one pass would read their common units only once: such a pass is not modelled. With distributed spare space, one member is
//!   rebuilt at a time.
//! * A rebuild piece keeps its stripes locked until all pieces before it are done as well, because until then writes would bypass it. The
//!   wait is finite: pieces ask for their stripes in the order of the rebuild, and locks are granted in the order of the requests.

use super::background::Pace;
use super::job::{Phase, Task};
use super::{DiskArray, meter, timer};
use sansim_component::{Context, EventTurn, Timer};
use sansim_kernel::Time;
use sansim_raid::layout::{ErasureCode, MemberRow, RaidLevel};
use sansim_raid::{MemberState, NumberSweep};
use std::ops::Range;

/// A rebuild in progress.
#[derive(Clone, Debug)]
pub(super) struct Rebuild {
    pub member: u32,
    /// The number of the rebuild, counted over all rebuilds.
    pub turn: u32,
    pub sweep: NumberSweep,
    pace: Pace,
    /// The number of rebuild pieces in work.
    out: u32,
    begun: Time,
}

impl DiskArray {
    /// Finds the members that can be rebuilt and are not in rebuild: as many as there are destinations, each with its state during the
    /// rebuild.
    fn look_what_can_be_rebuilt(&mut self) {
        let Self { array, members, given_up, can_be, .. } = self;
        let (layout, health) = (&array.layout, &array.health);
        let all = 0..layout.member_count();
        let has = |spare: u32| {
            all.clone().any(|member| match health.member_state(member) {
                MemberState::Spared { spare: its, .. } | MemberState::Returning { spare: its, .. } => {
                    its == spare
                }
                _ => false,
            })
        };
        can_be.clear();
        let mut distributed = (0..layout.raid_level().spares()).filter(|&spare| !has(spare));
        let mut spares = members.spares.len();
        let kept = all.clone().filter(|member| !given_up.contains(member));
        for member in kept.clone().filter(|&member| health.member_state(member) == MemberState::Failed) {
            if let Some(spare) = distributed.next() {
                can_be.push((member, MemberState::Spared { spare, rows: 0 }));
            } else if spares > 0 {
                spares -= 1;
                can_be.push((member, MemberState::Rebuilding { rows: 0 }));
            }
        }
        for member in kept {
            // A member that is still being rebuilt into distributed spare space is not copied back.
            if let MemberState::Spared { spare, rows } = health.member_state(member)
                && rows >= layout.rows_per_member()
                && spares > 0
            {
                spares -= 1;
                can_be.push((member, MemberState::Returning { spare, rows: 0 }));
            }
        }
    }

    /// Begins a rebuild if one is possible, or sets a timer for its beginning. Returns whether a rebuild began.
    fn begin_rebuild(&mut self, cx: &mut Context<'_>) -> bool {
        if self.failed
            || self.array.layout.erasure_code() == ErasureCode::None
            || self.rebuilds.len() as u64 >= self.at_once()
        {
            return false;
        }
        let has_somewhere = !self.members.spares.is_empty() || self.array.layout.raid_level().spares() > 0;
        if self.array.health.all_members_work() || !has_somewhere {
            self.due.clear();
            return false;
        }
        self.look_what_can_be_rebuilt();
        let can_be = std::mem::take(&mut self.can_be);
        self.due.retain(|(member, _)| can_be.iter().any(|(other, _)| other == member));
        for &(member, _) in &can_be {
            if self.due.iter().any(|(other, _)| *other == member) {
                continue;
            }
            let due = cx.now + self.parameters.rebuild.delay;
            if due > cx.now {
                cx.set_timer(
                    due,
                    EventTurn::turn_of_node(timer::REBUILD.into()),
                    Timer::new(timer::REBUILD, 0),
                );
            }
            self.due.push((member, due));
        }
        let is_due = |member: u32| self.due.iter().any(|&(other, due)| other == member && due <= cx.now);
        let next = can_be.iter().copied().find(|&(member, _)| is_due(member));
        self.can_be = can_be;
        let Some((member, state)) = next else { return false };
        // Leftover jobs of an abandoned rebuild might write to the same rows.
        let is_left = (0..self.jobs.len() as u32)
            .any(|number| self.jobs[number as usize].phase != Phase::Free && self.is_stale(number));
        if is_left || !self.strays.is_empty() {
            return false;
        }
        self.due.retain(|(other, _)| *other != member);
        if !matches!(state, MemberState::Spared { .. })
            && let Some(place) = self.members.spares.pop_front()
        {
            self.members.set_member_device(member, place);
        }
        self.array.health.set_member_state(member, state);
        self.turns += 1;
        let sweep = NumberSweep::new(self.array.layout.rows_per_member());
        let (turn, pace, begun) = (self.turns, Pace::default(), cx.now);
        self.rebuilds.push(Rebuild { member, turn, sweep, pace, out: 0, begun });
        self.rebuilding.set(cx.now, 1);
        true
    }

    /// The most members that are rebuilt at once. With distributed spare space only one member is rebuilt at a time: while another member
    /// is rebuilt, units that belong into its spare space would have no position.
    fn at_once(&self) -> u64 {
        if self.array.layout.raid_level().spares() > 0 {
            return 1;
        }
        self.parameters.rebuild.members_at_once.unwrap_or(u64::MAX)
    }

    /// Whether a job belongs to a rebuild that has been abandoned.
    pub(super) fn is_stale(&self, number: u32) -> bool {
        let Task::Rebuild(_, turn) = self.jobs[number as usize].task else { return false };
        self.rebuilds.iter().all(|rebuild| rebuild.turn != turn)
    }

    /// Begins the next piece of a rebuild, if its pace permits, or begins a rebuild. Returns whether a piece or a rebuild began.
    pub(super) fn rebuild_on(&mut self, cx: &mut Context<'_>) -> bool {
        (0..self.rebuilds.len()).any(|place| self.begin_piece(cx, place)) || self.begin_rebuild(cx)
    }

    fn begin_piece(&mut self, cx: &mut Context<'_>, place: usize) -> bool {
        let parameters = self.parameters.rebuild;
        let rates = (parameters.rate, parameters.rate_under_load);
        let rate = self.rate(cx.now, rates, parameters.idle_after);
        let rebuild = &mut self.rebuilds[place];
        if self.failed || rebuild.out >= parameters.at_once {
            return false;
        }
        if !rebuild.pace.may_begin_step(cx, rate, timer::REBUILD) {
            return false;
        }
        let strip = self.array.layout.stripe_unit_bytes();
        let Some(rows) = rebuild.sweep.next_numbers((parameters.step / strip).max(1)) else { return false };
        rebuild.out += 1;
        rebuild.pace.last = Some((cx.now, (rows.end - rows.start) * strip));
        let (member, turn) = (rebuild.member, rebuild.turn);
        let number = self.new_job(Task::Rebuild(rows.clone(), turn), None, (0, 0));
        let wanted = &mut self.jobs[number as usize].wanted;
        wanted.exclusive = true;
        for row in rows {
            if let Some(unit) = self.array.health.unit_held(&self.array.layout, MemberRow { member, row }) {
                match wanted.stripes.last_mut() {
                    Some(last) if last.end == unit.stripe => last.end += 1,
                    _ => wanted.stripes.push(unit.stripe..unit.stripe + 1),
                }
            }
        }
        self.start(cx, number);
        true
    }

    /// A piece of a rebuild has been rebuilt. Returns whether the piece keeps its stripes for now, or has released them already.
    pub(super) fn rebuilt(
        &mut self,
        cx: &mut Context<'_>,
        number: u32,
        rows: &Range<u64>,
        turn: u32,
    ) -> bool {
        let strip = self.array.layout.stripe_unit_bytes();
        let Some(place) = self.rebuilds.iter().position(|rebuild| rebuild.turn == turn) else { return false };
        self.agrees_with(number);
        let rebuild = &mut self.rebuilds[place];
        rebuild.out -= 1;
        let mark = rebuild.sweep.range_completed(rows);
        let (member, is_complete, begun) = (rebuild.member, rebuild.sweep.is_complete(), rebuild.begun);
        let state = match self.array.health.member_state(member) {
            MemberState::Spared { spare, .. } => MemberState::Spared { spare, rows: mark },
            _ if is_complete => MemberState::Working,
            MemberState::Returning { spare, .. } => MemberState::Returning { spare, rows: mark },
            _ => MemberState::Rebuilding { rows: mark },
        };
        self.array.health.set_member_state(member, state);
        self.jobs[number as usize].phase = Phase::Held;
        self.count(meter::REBUILT_BYTES, (rows.end - rows.start) * strip);
        self.release_held(turn, mark);
        if is_complete {
            self.count(meter::REBUILDS, 1);
            self.rebuild_time = cx.now - begun;
            self.end_rebuild(cx, place);
        }
        true
    }

    /// Pieces that end before a row release their stripes.
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

    fn end_rebuild(&mut self, cx: &mut Context<'_>, place: usize) -> Rebuild {
        let ended = self.rebuilds.remove(place);
        self.rebuilding.set(cx.now, u64::from(!self.rebuilds.is_empty()));
        ended
    }

    /// Abandons a rebuild, because more units are lost than the level can recover. The rows that have been rebuilt are kept.
    pub(super) fn give_up_rebuild(&mut self, cx: &mut Context<'_>, turn: u32) {
        if let Some(place) = self.rebuilds.iter().position(|rebuild| rebuild.turn == turn) {
            self.given_up.push(self.rebuilds[place].member);
            self.stop_rebuild(cx, place);
        }
    }

    pub(super) fn stop_rebuild(&mut self, cx: &mut Context<'_>, place: usize) {
        let turn = self.end_rebuild(cx, place).turn;
        self.release_held(turn, u64::MAX);
    }

    /// The mean progress of the rebuilds, in thousandths.
    pub(super) fn rebuilt_thousandths(&self) -> u32 {
        let rows =
            u128::from(self.array.layout.rows_per_member().max(1)) * self.rebuilds.len().max(1) as u128;
        let done: u128 =
            self.rebuilds.iter().map(|rebuild| u128::from(rebuild.sweep.completed_below())).sum();
        (done * 1000 / rows) as u32
    }
}
