//! Policies: decisions that users may want to make otherwise. A policy has neither ports nor timers. It is shown the candidates
//! by a view that is used again, and says which one by its place.
//!
//! Each is a file here and a line in [`policies!`] below; scenarios name it by its word.

mod first;
mod least_outstanding;
mod parameters;
mod paths;
mod round_robin;

pub use parameters::PathParameters;
pub use paths::Paths;

use sansim_request::Request;

/// What a policy may know of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The candidate, by the number that the asker gives it: a port, a member.
    pub number: u16,
    /// Requests that it has and has not answered.
    pub outstanding: u32,
}

/// Chooses one of several: the way to a device, the copy that is read.
pub trait Policy {
    /// The place of the one that is chosen. There is at least one.
    fn choose(&mut self, request: &Request, candidates: &[Candidate]) -> usize;
}

/// Declares the policies: the word in scenarios, the type, and what it does.
macro_rules! policies {
    ($($(#[doc = $doc:literal])+ $word:literal => $name:ident($type:ty);)+) => {
        sansim_describe::words! {
            /// How one of several is chosen: a way to a device, a copy to be read.
            pub enum PolicyName {
                $($(#[doc = $doc])+ $name = $word,)+
            }
        }

        /// One of the policies, with what it remembers.
        #[derive(Clone, Debug)]
        pub enum Chooser {
            $($(#[doc = $doc])+ $name($type),)+
        }

        impl PolicyName {
            /// A policy of this name that has not chosen yet.
            pub fn chooser(self) -> Chooser {
                match self {
                    $(Self::$name => Chooser::$name(<$type>::default()),)+
                }
            }
        }

        impl Policy for Chooser {
            fn choose(&mut self, request: &Request, candidates: &[Candidate]) -> usize {
                match self {
                    $(Self::$name(policy) => policy.choose(request, candidates),)+
                }
            }
        }
    };
}

policies! {
    /// Always the first, in the order in which the scenario names them.
    "first" => First(first::First);
    /// Each in turn.
    "round-robin" => RoundRobin(round_robin::RoundRobin);
    /// The one with the fewest requests that it has not answered, of several the first.
    "least-outstanding" => LeastOutstanding(least_outstanding::LeastOutstanding);
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_request::{DataId, NORMAL_PRIORITY, Operation, Origin};

    fn chosen(policy: PolicyName, outstanding: &[u32], times: usize) -> Vec<usize> {
        let request = Request {
            number: 0,
            parent: None,
            origin: Origin { workload: 0, stream: 0, slot: 0, background: false, priority: NORMAL_PRIORITY },
            operation: Operation::Read,
            device: 0,
            lba: 0,
            bytes: 512,
            data: DataId(0),
        };
        let candidates: Vec<Candidate> = outstanding
            .iter()
            .enumerate()
            .map(|(number, &outstanding)| Candidate { number: number as u16, outstanding })
            .collect();
        let mut chooser = policy.chooser();
        (0..times).map(|_| chooser.choose(&request, &candidates)).collect()
    }

    #[test]
    fn each_policy_chooses_as_its_name_says() {
        assert_eq!(chosen(PolicyName::First, &[5, 0, 0], 3), [0, 0, 0]);
        assert_eq!(chosen(PolicyName::RoundRobin, &[5, 0, 0], 4), [0, 1, 2, 0]);
        assert_eq!(chosen(PolicyName::LeastOutstanding, &[5, 2, 2], 2), [1, 1]);
    }
}
