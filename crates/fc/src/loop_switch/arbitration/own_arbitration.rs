//! Arbitration at the ports of a loop switch by a built-in rule or by a rule of the user.

use super::{Arbitration, PortContender};
use sansim_kernel::{TICKS_PER_NS, Time};
use sansim_rules::{Decider, RuleName};
use sansim_schema::decision;
use sansim_schema::decision::as_feature;

decision! {
    /// The choice of the next contender for a port of a loop switch that has become free.
    pub static LOOP_SWITCH = "loop-switch";
    /// The time.
    common PortCircumstances {
        /// The time of the choice.
        now: "ns",
    }
    /// A contender: a station that sent an OPN for the port, or one at the port that arbitrates.
    each ContenderFeatures {
        /// AL_PA of the station; of two the lower one has the higher priority on a loop.
        address: "",
        /// 1 for a host or controller, 0 for a drive.
        initiates: "",
        /// Time since the contender waits.
        waiting: "ns",
        /// Time since the contender was last served; the largest number if it never was.
        since_turn: "ns",
    }
}

/// The rule at the ports of a loop switch.
#[derive(Clone, Debug)]
pub enum PortArbiter {
    /// A built-in rule.
    BuiltIn(Arbitration),
    /// A rule of the user.
    Own(Decider),
}

impl PortArbiter {
    /// The arbiter of this name, or of the user.
    pub fn of_rule(rule: &RuleName<Arbitration>) -> Self {
        rule.object(Self::BuiltIn, |rule| Self::Own(Decider::from(rule)))
    }

    /// The index of the next contender. There is at least one candidate.
    pub fn choose(&mut self, now: Time, candidates: &[PortContender]) -> usize {
        let decider = match self {
            Self::BuiltIn(rule) => return rule.choose(candidates),
            Self::Own(decider) => decider,
        };
        let now_ns = now.ticks() / TICKS_PER_NS;
        let since = |earlier: Time| as_feature(now.saturating_since(earlier).ticks() / TICKS_PER_NS);
        let view = decider.view();
        view.begin(&PortCircumstances { now: as_feature(now_ns) }.values());
        for candidate in candidates {
            let features = ContenderFeatures {
                address: candidate.al_pa.address_byte().into(),
                initiates: candidate.initiates.into(),
                waiting: since(candidate.since),
                since_turn: candidate.last_turn.map_or(i64::MAX, since),
            };
            view.add_candidate(&features.values());
        }
        decider.choose(now_ns)
    }
}
