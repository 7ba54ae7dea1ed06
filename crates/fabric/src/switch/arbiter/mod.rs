//! Arbiters choose which input sends next through an output of a switch. Each arbiter has a file and a line in the list below.

mod fixed;
mod oldest;
mod own_arbiter;
mod round_robin;

pub use own_arbiter::ARBITER;

use sansim_kernel::Time;
use sansim_rules::RuleName;
use sansim_schema::alternatives;

/// A frame that may leave by an output now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contender {
    /// The input port of the switch at which the frame waits.
    pub input: u16,
    /// The time since which the frame may leave.
    pub since: Time,
    /// The time at which the header of the frame arrived at the switch.
    pub came: Time,
    /// Whether the frame carries control and no data, if such frames may go first.
    pub is_control: bool,
    /// The place of the frame among all frames that wait for the output: of frames of one input the first is chosen.
    pub place: (u64, u64),
}

/// Chooses the next frame at one output.
pub trait ArbiterRule {
    /// The index of the frame that is next. There is at least one contender. Frames of one input with the same paths leave in the order in
    /// which they came, so of these only the first contends.
    fn choose(&mut self, now: Time, contenders: &[Contender]) -> usize;

    /// The input whose frames go first, if the rule knows inputs alone: the other inputs follow by their numbers, round all ports.
    fn first_input(&self) -> Option<u16> {
        None
    }
}

alternatives! {
    /// The rule that chooses the next input at an output of a switch.
    pub enum ArbiterName {
        /// Each input in turn.
        RoundRobin(round_robin::RoundRobinArbiter) = "round-robin",
        /// The frame that came into the switch first.
        Oldest(oldest::OldestArbiter) = "oldest",
        /// The lowest port number.
        Fixed(fixed::FixedArbiter) = "fixed",
    }
    /// An arbiter, with what it remembers.
    pub enum Arbiter: ArbiterRule, or Own(own_arbiter::OwnArbiter) {
        fn choose(&mut self, now: Time, contenders: &[Contender]) -> usize;
        fn first_input(&self) -> Option<u16>;
    }
    /// An arbiter of this name that has not chosen yet.
    pub fn arbiter();
}

impl Arbiter {
    /// The arbiter of this name, or of the user, that has not chosen yet.
    pub fn of_rule(rule: &RuleName<ArbiterName>) -> Self {
        rule.object(ArbiterName::arbiter, |rule| Self::Own(own_arbiter::OwnArbiter::from(rule)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contender(input: u16, came: u64) -> Contender {
        Contender { input, since: Time(came + 1), came: Time(came), is_control: false, place: (came, 0) }
    }

    #[test]
    fn each_chooses_as_it_says() {
        let three = [contender(1, 30), contender(4, 10), contender(6, 20)];
        let order = |name: ArbiterName| {
            let mut arbiter = name.arbiter();
            (0..4).map(|_| three[arbiter.choose(Time(40), &three)].input).collect::<Vec<u16>>()
        };
        assert_eq!(order(ArbiterName::RoundRobin), [1, 4, 6, 1]);
        assert_eq!(order(ArbiterName::Oldest), [4; 4]);
        assert_eq!(order(ArbiterName::Fixed), [1; 4]);
    }
}
