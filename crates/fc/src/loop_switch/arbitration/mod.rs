//! Arbitration: the next contender at a port of the switch that has become free. The standard leaves the policy to the maker of the switch.
//!
//! A policy has neither ports nor timers of its own. A policy gets the candidates, and returns the index of the chosen candidate. Each
//! policy is a file in this folder and a line in [`arbitrations!`] below; a scenario names a policy by its word.

mod controller_first;
mod fair;
mod own_arbitration;
mod priority;
mod rotating;

pub use own_arbitration::{LOOP_SWITCH, PortArbiter};

use crate::al_pa::AlPa;
use sansim_kernel::Time;

/// A contender for a port: a station at another port that sent an OPN for it, or a station at the port itself that
/// arbitrates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortContender {
    /// The address of the contender.
    pub al_pa: AlPa,
    /// Whether the contender sends commands: a host or a controller does, a drive does not.
    pub initiates: bool,
    /// The time since which the contender waits.
    pub since: Time,
    /// The time at which the contender was last served; the time is `None` if the contender was never served.
    pub last_turn: Option<Time>,
}

/// Chooses the next contender.
pub trait ArbitrationPolicy {
    /// The index of the next contender. There is at least one candidate.
    fn choose(candidates: &[PortContender]) -> usize;
}

/// Declares the arbitration policies: the word in scenarios, the type, and its description.
macro_rules! arbitrations {
    ($($(#[doc = $doc:literal])+ $word:literal => $name:ident($type:ty);)+) => {
        sansim_schema::words! {
            /// The rule that chooses the next contender at a port of a loop switch.
            pub enum Arbitration {
                $($(#[doc = $doc])+ $name = $word,)+
            }
        }

        impl Arbitration {
            /// The index of the next contender. There is at least one candidate.
            pub fn choose(self, candidates: &[PortContender]) -> usize {
                match self {
                    $(Self::$name => <$type as ArbitrationPolicy>::choose(candidates),)+
                }
            }
        }
    };
}

arbitrations! {
    /// The contender that has waited longest.
    "fair" => Fair(fair::FairArbitration);
    /// Hosts and controllers before drives; among several the one that has waited longest.
    "controller-first" => ControllerFirst(controller_first::ControllerFirst);
    /// The contender whose last turn is longest ago: one that has had a turn goes to the end of the list.
    "rotating" => Rotating(rotating::RotatingArbitration);
    /// The lowest address, as on a loop without fairness.
    "priority" => Priority(priority::PriorityArbitration);
}

/// The index of the candidate with the least value; among equal values, of the candidate with the lowest
/// address.
fn least<V: Ord>(candidates: &[PortContender], value: impl Fn(&PortContender) -> V) -> usize {
    let valued = candidates.iter().enumerate().map(|(place, one)| (value(one), one.al_pa, place));
    valued.min().map_or(0, |(_, _, place)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(rank: usize, initiates: bool, since: u64, last_turn: Option<u64>) -> PortContender {
        let al_pa = AlPa::from_priority_rank(rank).expect("an address");
        PortContender { al_pa, initiates, since: Time(since), last_turn: last_turn.map(Time) }
    }

    #[test]
    fn each_policy_chooses_as_its_word_says() {
        let waiting = [
            candidate(9, false, 10, Some(5)),
            candidate(3, true, 30, Some(8)),
            candidate(1, false, 20, Some(7)),
            candidate(4, true, 25, None),
        ];
        assert_eq!(Arbitration::Fair.choose(&waiting), 0);
        assert_eq!(Arbitration::ControllerFirst.choose(&waiting), 3);
        assert_eq!(Arbitration::Rotating.choose(&waiting), 3, "who never had a turn");
        assert_eq!(Arbitration::Rotating.choose(&waiting[..3]), 0);
        assert_eq!(Arbitration::Priority.choose(&waiting), 2);
    }

    #[test]
    fn of_equals_the_lowest_address_is_next() {
        let waiting = [candidate(9, false, 10, None), candidate(3, false, 10, None)];
        for policy in [Arbitration::Fair, Arbitration::ControllerFirst, Arbitration::Rotating] {
            assert_eq!(policy.choose(&waiting), 1);
        }
    }
}
