//! The limit of the commands of one flow: down by a share at each notice, and up by steps when none has come.
//!
//! Source: `qla_scm.c` of qla2xxx by Marvell (2025): `qla2xxx_scmr_set_baseline`, `qla2xxx_scmr_reduce_throttle`, `qla2xxx_scmr_increase_flows`,
//! `qla2xxx_throttle_curr_req`, `qla2xxx_scmr_init_deltas`. The driver looks each second. The first notice limits the flow to the most commands
//! that it had in flight in this minute, divided by 2, 4 or 8; each further one divides the limit again, but takes one from it once it has begun
//! to rise. When no notice has come for as many seconds as the event period has, and one, the limit rises by a step, and ends when it would pass
//! the most commands that it began from. A command begins while no more than the limit are in flight before it.
//!
//! Assumptions, where the driver's constants are not public: the least limit is the key `congestion_least`; the flow may have had any number of
//! commands before its first notice; the limit rises without a pause beyond the event period; by at least one; and the loss of throughput beyond
//! which the driver stops is left out.

use super::CongestionProfile;
use sansim_kernel::{Span, Time};

/// The time after which the most commands in flight are counted anew.
const COUNTING_TIME: Span = Span::from_s(60);

/// The limit of the commands in flight of one flow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FlowThrottle {
    in_flight: u64,
    /// The most commands in flight in a minute, and the number of this minute of the run.
    most: u64,
    minute: u64,
    /// The limit, and the commands in flight from which it came down; none of a flow without a limit.
    limit: Option<(u64, u64)>,
    /// By how much the last division lowered the limit.
    lowered_by: u64,
    rises: bool,
    /// Whether a notice has come since the driver looked last.
    is_noticed: bool,
    /// The event period of the last notice in seconds, and the number of times that the driver still looks without raising the limit.
    period_s: u64,
    pauses: u64,
}

impl FlowThrottle {
    /// Whether the flow may have one more command in flight.
    pub(super) fn may_begin(&self) -> bool {
        self.limit.is_none_or(|(limit, _)| self.in_flight <= limit)
    }

    /// Whether the flow is limited, or a notice is to be looked at.
    pub(super) fn is_limited(&self) -> bool {
        self.limit.is_some() || self.is_noticed
    }

    pub(super) fn command_begins(&mut self, now: Time) {
        self.in_flight += 1;
        self.count_in(now);
        self.most = self.most.max(self.in_flight);
    }

    pub(super) fn command_ends(&mut self) {
        self.in_flight = self.in_flight.saturating_sub(1);
    }

    /// Begins to count anew in a new minute.
    fn count_in(&mut self, now: Time) {
        let minute = now.ticks() / COUNTING_TIME.ticks();
        if minute != self.minute {
            (self.minute, self.most) = (minute, 0);
        }
    }

    /// A notice has come, with its event period.
    pub(super) fn noticed(&mut self, period_ms: u32) {
        self.is_noticed = true;
        self.period_s = u64::from(period_ms / 1000).max(1);
        self.pauses = self.period_s;
    }

    /// The driver looks.
    pub(super) fn look(&mut self, now: Time, profile: CongestionProfile, least: u64) {
        let (halvings, step) = match profile {
            CongestionProfile::Monitor => return,
            CongestionProfile::Conservative => (1, 8),
            CongestionProfile::Moderate => (2, 4),
            CongestionProfile::Aggressive => (3, 2),
        };
        self.count_in(now);
        if std::mem::take(&mut self.is_noticed) {
            let from = self.limit.map_or(self.most.max(least), |(_, from)| from);
            let before = self.limit.map_or(from, |(limit, _)| limit);
            if self.limit.is_some() && before <= least {
                return;
            }
            let mut limit = before.saturating_sub(1);
            if !self.rises {
                limit = before >> halvings;
                self.lowered_by = before - limit;
            }
            self.limit = Some((limit.max(least), from));
        } else if let Some((limit, from)) = self.limit {
            if self.pauses > 0 {
                self.pauses -= 1;
                return;
            }
            self.pauses = self.period_s;
            let step = if self.lowered_by > step { step } else { self.lowered_by.saturating_sub(1).max(1) };
            self.rises = limit + step <= from;
            self.limit = self.rises.then_some((limit + step, from));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limits after each second, of which some bring a notice, beginning with this number of commands in flight.
    fn limits(profile: CongestionProfile, in_flight: u64, notices: &[bool]) -> Vec<Option<u64>> {
        let mut throttle = FlowThrottle::default();
        (0..in_flight).for_each(|_| throttle.command_begins(Time::ZERO));
        let after = |(second, &is_noticed): (u64, &bool)| {
            if is_noticed {
                throttle.noticed(100);
            }
            throttle.look(Time::ZERO + Span::from_s(second), profile, 1);
            throttle.limit.map(|(limit, _)| limit)
        };
        (1..).zip(notices).map(after).collect()
    }

    #[test]
    fn notices_divide_the_limit_and_quiet_seconds_raise_it_until_it_ends() {
        // Two notices, then none: the limit rises in the second second without a notice, and in every second one after that.
        let notices = [true, true, false, false, false, false, false, false, false, false];
        assert_eq!(
            limits(CongestionProfile::Conservative, 32, &notices),
            [16, 8, 8, 15, 15, 22, 22, 29, 29].map(Some).into_iter().chain([None]).collect::<Vec<_>>(),
            "the last division took 8 from the limit, no more than a step, so it rises by 7"
        );
        assert_eq!(limits(CongestionProfile::Moderate, 32, &notices[..4]), [8, 2, 2, 6].map(Some));
        assert_eq!(limits(CongestionProfile::Aggressive, 32, &notices[..4]), [4, 1, 1, 3].map(Some));
        assert_eq!(limits(CongestionProfile::Monitor, 32, &notices[..2]), [None, None]);
    }

    #[test]
    fn a_notice_to_a_limit_that_rises_takes_one_from_it() {
        let notices = [true, false, false, true, true];
        assert_eq!(limits(CongestionProfile::Conservative, 32, &notices), [16, 16, 24, 23, 22].map(Some));
    }

    #[test]
    fn a_command_begins_while_no_more_than_the_limit_are_in_flight() {
        let mut throttle = FlowThrottle::default();
        (0..8).for_each(|_| throttle.command_begins(Time::ZERO));
        throttle.noticed(100);
        throttle.look(Time::ZERO + Span::from_s(1), CongestionProfile::Conservative, 1);
        (0..3).for_each(|_| throttle.command_ends());
        assert!(!throttle.may_begin(), "5 in flight with a limit of 4");
        throttle.command_ends();
        assert!(throttle.may_begin());
    }

    #[test]
    fn the_most_commands_are_those_of_this_minute() {
        let mut throttle = FlowThrottle::default();
        (0..64).for_each(|_| throttle.command_begins(Time::ZERO));
        (0..56).for_each(|_| throttle.command_ends());
        throttle.command_begins(Time::ZERO + Span::from_s(60));
        throttle.noticed(100);
        throttle.look(Time::ZERO + Span::from_s(61), CongestionProfile::Conservative, 1);
        assert_eq!(throttle.limit, Some((4, 9)), "9 in flight, not 64");
    }
}
