//! A drive whose clock runs slower while it is slow.

use super::catalogue::block;
use super::{Drive, what};
use crate::faults::slowness::Slowness;
use sansim_component::{Context, EventTurn, Timer};
use sansim_kernel::{Time, Total};

/// The number of busy times that the drive reports: those of its blocks.
pub(super) const AT_WORK: usize = 2;

impl Drive {
    /// The time of the drive's clock, after all changes of its pace up to now.
    #[inline]
    pub(super) fn own_time(&mut self, cx: &mut Context<'_>) -> Time {
        if self.firmware.faults.slowness.next_phase_change() <= cx.now {
            self.at_pace(cx, |_, _, _| false);
        }
        self.firmware.faults.slowness.medium_clock_time(cx.now)
    }

    /// Whether the drive has work whose times change with the pace.
    pub(super) fn has_work(&self) -> bool {
        !self.in_work.is_empty() || self.firmware.keeps() > 0
    }

    /// A busy time of the drive, by its own clock.
    pub(super) fn reported_at_work(&self, own: Time, number: usize) -> Total {
        if number == block::POSITIONING { self.positioning(own) } else { self.transferring(own) }
    }

    /// Applies a change of the drive's pace, which moves the ends of commands in service.
    pub(super) fn at_pace(
        &mut self,
        cx: &mut Context<'_>,
        change: impl FnOnce(&mut Slowness, Time, &dyn Fn(Time, usize) -> Total) -> bool,
    ) {
        let mut slowness = std::mem::take(&mut self.firmware.faults.slowness);
        let told = |own: Time, number: usize| self.reported_at_work(own, number);
        let passed = slowness.catch_up(cx.now, AT_WORK, told);
        let changed = change(&mut slowness, cx.now, &told) || passed;
        self.firmware.faults.slowness = slowness;
        if self.has_work() {
            self.watch(cx);
        }
        if !changed {
            return;
        }
        for index in 0..self.in_work.len() {
            if let Some(timer) = self.in_work[index].timer.take() {
                cx.cancel_timer(timer);
                let due = self.in_work[index].due;
                self.wake(cx, index, due);
            }
        }
    }

    /// Sets a timer for the next moment at which the drive changes, because of its faults.
    #[inline]
    pub(super) fn watch(&mut self, cx: &mut Context<'_>) {
        let at = self.firmware.faults.slowness.next_phase_change();
        match self.watched {
            _ if at == Time::NEVER => return,
            Some((before, _)) if before == at => return,
            Some((_, timer)) => {
                cx.cancel_timer(timer);
            }
            None => {}
        }
        self.watched =
            Some((at, cx.set_cancellable_timer(at, EventTurn::turn_of_node(0), Timer::new(what::PACE, 0))));
    }
}
