//! The arbitration schedule: when a port arbitrates for the loop, and to which ports it yields.

use super::frame_decisions::{LOOP_ACCESS, LOOP_CIRCUIT, LOOP_QUEUE};
use sansim_rules::{FlagOrRule, RuleName};
use sansim_schema::quantities::{Choice, Flag};
use sansim_schema::{table, words};

words! {
    /// The rule by which a host shares the loop with its drives.
    pub enum LoopSharing {
        /// The host keeps to the fairness window: one tenancy in each.
        Fair = "fair",
        /// The host ignores the fairness window.
        Unfair = "unfair",
        /// Command-First: commands overtake data in the queue, in arbitration and in open circuits.
        CommandFirst = "command-first",
    }
}

table! {
    /// The rules by which a port arbitrates for the loop.
    pub struct ArbitrationSchedule {
        /// How the host shares the loop with its drives.
        schedule: LoopSharing = Choice::<LoopSharing>::ANY, default r#""fair""#, source "Wang 2005, 3.3 and 3.4" changes;
        /// Commands overtake data frames in the outgoing queue. First level of Command-First.
        command_first_queue: RuleName<bool> = FlagOrRule(&LOOP_QUEUE), follows "`schedule`: true for command-first" |_context| RuleName::BuiltIn(schedule == LoopSharing::CommandFirst),
            source "Wang 2005, 3.4" changes;
        /// The host arbitrates without regard to the fairness window when it has a command to send. Second level
        /// of Command-First.
        command_first_arbitration: RuleName<bool> = FlagOrRule(&LOOP_ACCESS), follows "`schedule`: true for command-first" |_context| RuleName::BuiltIn(schedule == LoopSharing::CommandFirst),
            source "Wang 2005, 3.4" changes;
        /// An open circuit is left through the TRANSFER state to send a command. Third level of Command-First.
        command_first_preemption: RuleName<bool> = FlagOrRule(&LOOP_CIRCUIT), follows "`schedule`: true for command-first" |_context| RuleName::BuiltIn(schedule == LoopSharing::CommandFirst),
            source "Wang 2005, 3.4" changes;
        /// A command also leaves a circuit in which the host was opened: the host grants no more R_RDYs, keeps the
        /// buffers of its login credit, and sends CLS first, after one frame at the earliest. Needs `command_first_preemption`.
        command_first_closes_opened: bool = Flag, default "false", source "Wang 2005, 3.3.1, 3.4.3 and 4.3.1.2" changes;
    }
}

impl ArbitrationSchedule {
    /// The fairness algorithm of the standard, without Command-First.
    pub const FAIR: Self = Self {
        schedule: LoopSharing::Fair,
        command_first_queue: RuleName::BuiltIn(false),
        command_first_arbitration: RuleName::BuiltIn(false),
        command_first_preemption: RuleName::BuiltIn(false),
        command_first_closes_opened: false,
    };
    /// The port arbitrates whenever it has something to send.
    pub const UNFAIR: Self = Self { schedule: LoopSharing::Unfair, ..Self::FAIR };
    /// The schedule with all three levels of Command-First.
    pub const COMMAND_FIRST: Self = Self {
        schedule: LoopSharing::CommandFirst,
        command_first_queue: RuleName::BuiltIn(true),
        command_first_arbitration: RuleName::BuiltIn(true),
        command_first_preemption: RuleName::BuiltIn(true),
        ..Self::FAIR
    };

    /// Whether a rule of the user decides about any frame.
    pub fn has_own_rules(&self) -> bool {
        let rules =
            [&self.command_first_queue, &self.command_first_arbitration, &self.command_first_preemption];
        rules.iter().any(|rule| rule.built_in().is_none())
    }

    /// The rules in force; where a rule of the user decides, it may decide for any frame.
    pub(super) fn in_force(&self) -> ScheduleInForce {
        let may = |rule: &RuleName<bool>| rule.built_in().unwrap_or(true);
        ScheduleInForce {
            is_fair: self.schedule != LoopSharing::Unfair,
            command_first_queue: may(&self.command_first_queue),
            command_first_arbitration: may(&self.command_first_arbitration),
            command_first_preemption: may(&self.command_first_preemption),
            command_first_closes_opened: self.command_first_closes_opened,
        }
    }
}

/// The rules of a schedule that are in force at a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScheduleInForce {
    is_fair: bool,
    pub command_first_queue: bool,
    pub command_first_arbitration: bool,
    pub command_first_preemption: bool,
    pub command_first_closes_opened: bool,
}

impl ScheduleInForce {
    /// Whether the port follows the fairness algorithm for ordinary frames.
    pub fn is_fair(&self) -> bool {
        self.is_fair
    }
}

table! {
    /// The rules by which the ports of drives arbitrate for the loop.
    #[derive(Copy, Eq)]
    pub struct DriveFairness {
        /// Whether the drives keep to the fairness window of the loop.
        fair: bool = Flag, default "true", source "FC-AL-2";
    }
}

impl DriveFairness {
    /// The schedule of a port that sends no commands.
    pub fn arbitration_schedule(self) -> ArbitrationSchedule {
        if self.fair { ArbitrationSchedule::FAIR } else { ArbitrationSchedule::UNFAIR }
    }
}
