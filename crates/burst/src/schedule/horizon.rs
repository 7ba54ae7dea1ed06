//! The horizon of a burst, until which the burst affects no other component: the calendar has the event of the burst at that
//! moment.

use super::BurstSchedule;
use sansim_fcp::adapter::burst::DmaConcern;
use sansim_kernel::Time;

/// The moment until which a burst affects no other component.
#[derive(Clone, Copy, Debug)]
pub struct Horizon {
    /// The moment of the horizon.
    pub at: Time,
    /// Whether the horizon is the earliest end of work of the sender's DMA that concerns other components, and not the start of
    /// another frame.
    pub is_concern: bool,
    /// Whether the work of the DMA is done exactly at the horizon.
    pub is_certain: bool,
}

impl BurstSchedule {
    /// A moment before which only steps of the burst happen: at that moment another frame starts, or the DMA of the sender has done work
    /// that concerns other components.
    pub fn horizon(&self, concern: Option<DmaConcern>) -> Horizon {
        let Some(gap) = &self.gap else {
            return Horizon { at: Time::ZERO, is_concern: false, is_certain: false };
        };
        let start = |later: usize| gap.until + self.period * later as u64;
        let end = Horizon { at: start(self.most - self.starts.len()), is_concern: false, is_certain: false };
        let Some(DmaConcern { earliest, after, is_certain }) = concern else { return end };
        let at = after.map_or(earliest, |(frames, takes)| earliest.max(start(frames) + takes));
        if at < end.at { Horizon { at, is_concern: true, is_certain } } else { end }
    }

    /// A moment before which no step happens that a reader of the ledger or an observer of the loop could see.
    pub fn no_visible_step_before(&self) -> Time {
        let Some(gap) = &self.gap else { return Time::ZERO };
        let steps = [self.ready_later, gap.empty_at, gap.credit_at];
        steps.into_iter().flatten().fold(gap.until, Time::min)
    }
}
