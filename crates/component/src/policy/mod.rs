//! Policies: decisions that users may want to replace. A policy has neither ports nor timers. A policy gets the candidates in a list that
//! is reused, and returns the index of the chosen candidate.
//!
//! Each policy is a file in this directory and a line in the list below; scenarios name a policy by its word.

mod balanced;
mod checked_paths;
mod first;
mod historical_service_time;
mod least_outstanding;
mod marginal_paths;
mod numa;
mod own_policy;
mod parameters;
mod path_choice;
mod path_table;
mod queue_depth;
mod queue_length;
mod rotation;
mod round_robin;
mod service_time;
mod turns;

pub use marginal_paths::MarginalPaths;
pub use own_policy::PATH;
pub use parameters::{AccessState, InitiatorPathKeys, PathParameters, TargetPathKeys};
pub use path_choice::{PathChoice, PathDecision};
pub use path_table::{DevicePath, PathTable};

use sansim_kernel::Time;
use sansim_request::Request;
use sansim_rules::RuleName;
use sansim_schema::alternatives;

/// The properties of a candidate that a policy may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChoiceCandidate {
    /// The number of the candidate among all possible candidates, whether or not all are candidates at present. Candidates are in the order
    /// of their numbers.
    pub number: u16,
    /// Requests that the candidate has not answered; for a path the requests by the same adapter of the initiating component.
    pub outstanding: u32,
    /// For a path, outstanding requests to the same adapter of the storage.
    pub at_server: u32,
    /// For a path, outstanding requests to the same device.
    pub by_way: u32,
    /// The bytes of the outstanding requests.
    pub bytes: u64,
    /// The relative throughput of the candidate; 0 is the last resort.
    pub throughput: u32,
    /// For a path, the NUMA node of the host at which it begins.
    pub node: u32,
    /// The distance in bytes from the end of the last access of a copy to the request, if the copy has a position, as a disk has.
    pub distance: Option<u64>,
    /// Whether the request begins where the last read of this copy ended.
    pub follows: bool,
}

impl ChoiceCandidate {
    /// A candidate without anything in common with others: a copy of a mirror. The candidate has this many requests, of this many bytes.
    pub fn independent_candidate(number: u16, outstanding: u32, bytes: u64) -> Self {
        Self {
            number,
            outstanding,
            at_server: outstanding,
            by_way: outstanding,
            bytes,
            throughput: 1,
            node: 0,
            distance: None,
            follows: false,
        }
    }
}

/// How long a candidate has its turn, for policies that take turns of several requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnLength {
    /// The number of I/Os.
    pub ios: u32,
    /// The number of bytes.
    pub bytes: u64,
}

impl TurnLength {
    /// The length of a turn in VMware ESXi.
    pub const ESXI: Self = Self { ios: 1_000, bytes: 10 << 20 };
}

/// The circumstances of a choice that concern no single candidate.
#[derive(Clone, Copy, Debug)]
pub struct ChoiceContext {
    /// The time of the choice.
    pub now: Time,
    /// How long a candidate has its turn.
    pub turn: TurnLength,
    /// The number of NUMA nodes of the host.
    pub nodes: u32,
}

impl ChoiceContext {
    /// A choice at this time, with turns of the default length.
    pub fn at(now: Time) -> Self {
        Self { now, turn: TurnLength::ESXI, nodes: 1 }
    }
}

/// An answer to a request for which a policy has chosen a path.
#[derive(Clone, Copy, Debug)]
pub struct ChoiceAnswer {
    /// The time of the answer.
    pub now: Time,
    /// The number of the candidate that was chosen.
    pub number: u16,
    /// The time at which the request was sent.
    pub sent: Time,
    /// The number of candidates that can be used now.
    pub usable: u32,
}

/// A policy that chooses one of several: the path to a device, or the copy to read.
pub trait ChoicePolicy {
    /// The index of the chosen candidate. There is at least one candidate.
    fn choose(&mut self, context: &ChoiceContext, request: &Request, candidates: &[ChoiceCandidate])
    -> usize;

    /// A request that was sent on a chosen path has been answered. Only policies that learn from answers hear of it ([`PolicyName::learns`]).
    fn answered(&mut self, _answer: &ChoiceAnswer) {}
}

alternatives! {
    /// The policies that choose one of several: a path to a device, or a copy to read.
    pub enum PolicyName {
        /// For copies: first, the copy whose last read is followed by this request; else, if the copies have a position, as disks have, the
        /// idle copy (any copy, if none is idle) whose last access ended nearest. Otherwise, and for paths: the one with the fewest
        /// requests, among equals the least recently used. As Linux md reads RAID 1 and 10.
        Balanced(balanced::BalancedPolicy) = "balanced",
        /// Always the first, in the order in which the scenario names them.
        First(first::FirstPathPolicy) = "first",
        /// The nearest to the NUMA node that issues the I/O, among equals the first, and then the same for as long as it is there.
        Numa(numa::NumaPolicy) = "numa",
        /// Each path or copy in turn.
        RoundRobin(round_robin::RoundRobinPaths) = "round-robin",
        /// The one with the fewest unanswered requests, among equals the first; paths through one adapter count together.
        LeastOutstanding(least_outstanding::LeastOutstanding) = "least-outstanding",
        /// As `"least-outstanding"`, but paths count together if they are between the same two adapters, as in NVMe multipath.
        QueueDepth(queue_depth::QueueDepth) = "queue-depth",
        /// The path or copy with the fewest requests for the device; among equal ones the least recently used.
        QueueLength(queue_length::QueueLengthPolicy) = "queue-length",
        /// The one with the fewest bytes in flight to the device, divided by `relative_throughput`.
        ServiceTime(service_time::ServiceTimePolicy) = "service-time",
        /// The path with the least service time in the past, times one more than the requests on it; as Linux dm-multipath. Copies have no
        /// history: the one with the fewest requests, among equals the least recently used.
        HistoricalServiceTime(historical_service_time::HistoricalServiceTime) = "historical-service-time",
        /// The same path or copy for `path_turn_ios` I/Os, then the next, as VMware ESXi.
        TurnsOfIos(turns::TurnsOfIos) = "round-robin-ios",
        /// The same path or copy for `path_turn_bytes` bytes, then the next, as VMware ESXi.
        TurnsOfBytes(turns::TurnsOfBytes) = "round-robin-bytes",
    }
    /// One of the policies, with its state.
    pub enum AnyChoicePolicy: ChoicePolicy, or Own(own_policy::OwnPolicy) {
        fn choose(&mut self, context: &ChoiceContext, request: &Request, candidates: &[ChoiceCandidate]) -> usize;
        fn answered(&mut self, answer: &ChoiceAnswer);
    }
    /// A policy of this name that has not chosen yet.
    pub fn chooser();
}

impl AnyChoicePolicy {
    /// The policy of this name, or of the user, that has not chosen yet.
    pub fn of_rule(rule: &RuleName<PolicyName>) -> Self {
        rule.object(PolicyName::chooser, |rule| Self::Own(own_policy::OwnPolicy::from(rule)))
    }
}

impl PolicyName {
    /// Whether the policy chooses the same path every time, as long as that works.
    pub fn always_same_path(self) -> bool {
        matches!(self, Self::First | Self::Numa)
    }

    /// Whether the choice depends on the waiting requests and those in flight.
    pub fn depends_on_queues(self) -> bool {
        !self.always_same_path() && !self.takes_turns()
    }

    /// Whether each path has its turn, whatever happens on it.
    fn takes_turns(self) -> bool {
        matches!(self, Self::RoundRobin | Self::TurnsOfIos | Self::TurnsOfBytes)
    }

    /// Whether the policy learns from the answers to requests.
    pub fn learns(self) -> bool {
        self == Self::HistoricalServiceTime
    }

    /// Whether a stream stays on the copy that it is read from.
    pub fn follows_streams(self) -> bool {
        self == Self::Balanced
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_request::{DataId, NORMAL_PRIORITY, Operation, RequestOrigin};

    pub(super) fn a_read(bytes: u64) -> Request {
        Request {
            number: 0,
            parent: None,
            origin: RequestOrigin {
                workload: 0,
                stream: 0,
                slot: 0,
                background: false,
                priority: NORMAL_PRIORITY,
            },
            operation: Operation::Read,
            device: 0,
            lba: 0,
            bytes,
            cache_control: sansim_request::CacheControl::NONE,
            data: DataId(0),
        }
    }

    fn context() -> ChoiceContext {
        ChoiceContext::at(Time::ZERO)
    }

    fn numbered(outstanding: &[u32]) -> Vec<ChoiceCandidate> {
        let candidate =
            |(number, &outstanding)| ChoiceCandidate::independent_candidate(number, outstanding, 0);
        (0..).zip(outstanding).map(candidate).collect()
    }

    fn chosen(policy: PolicyName, outstanding: &[u32], times: usize) -> Vec<usize> {
        let mut chooser = policy.chooser();
        (0..times).map(|_| chooser.choose(&context(), &a_read(512), &numbered(outstanding))).collect()
    }

    #[test]
    fn each_policy_chooses_as_its_name_says() {
        assert_eq!(chosen(PolicyName::First, &[5, 0, 0], 3), [0, 0, 0]);
        assert_eq!(chosen(PolicyName::Numa, &[5, 0, 0], 3), [0, 0, 0]);
        assert_eq!(chosen(PolicyName::RoundRobin, &[5, 0, 0], 4), [0, 1, 2, 0]);
        assert_eq!(chosen(PolicyName::LeastOutstanding, &[5, 2, 2], 2), [1, 1]);
        assert_eq!(chosen(PolicyName::QueueDepth, &[5, 2, 2], 2), [1, 1]);
        assert_eq!(chosen(PolicyName::QueueLength, &[5, 2, 2], 4), [1, 2, 1, 2], "equals take turns");
    }

    /// A copy with this many requests, whose head is at this distance; the request follows its last read at distance 0.
    fn turning(number: u16, outstanding: u32, distance: u64) -> ChoiceCandidate {
        let distance = Some(distance);
        ChoiceCandidate {
            distance,
            follows: distance == Some(0),
            ..ChoiceCandidate::independent_candidate(number, outstanding, 0)
        }
    }

    #[test]
    fn balanced_goes_on_where_a_read_follows_then_by_position_then_by_load() {
        let choose = |copies: [ChoiceCandidate; 3]| {
            PolicyName::Balanced.chooser().choose(&context(), &a_read(512), &copies)
        };
        let follows = [turning(0, 0, 9), turning(1, 7, 0), turning(2, 0, 5)];
        assert_eq!(choose(follows), 1, "a stream stays where it is, however much there is to do");
        assert_eq!(choose([turning(0, 3, 9), turning(1, 1, 4), turning(2, 2, 6)]), 1, "the nearest head");
        assert_eq!(choose([turning(0, 0, 9), turning(1, 1, 4), turning(2, 0, 6)]), 2, "the nearest idle one");
        assert_eq!(choose([turning(0, 0, 5), turning(1, 0, 5), turning(2, 1, 1)]), 0);
        assert_eq!(chosen(PolicyName::Balanced, &[5, 2, 2], 4), [1, 2, 1, 2], "without a position by load");
    }

    #[test]
    fn each_policy_counts_what_its_name_says() {
        let [mut one, mut other] = [
            ChoiceCandidate::independent_candidate(0, 4, 100),
            ChoiceCandidate::independent_candidate(1, 4, 100),
        ];
        let choose = |policy: PolicyName, one: ChoiceCandidate, other: ChoiceCandidate| {
            policy.chooser().choose(&context(), &a_read(512), &[one, other])
        };
        one.at_server = 5;
        assert_eq!(choose(PolicyName::QueueDepth, one, other), 1);
        assert_eq!(choose(PolicyName::LeastOutstanding, one, other), 0);
        (one.at_server, one.by_way) = (0, 5);
        assert_eq!(choose(PolicyName::QueueLength, one, other), 1);
        assert_eq!(choose(PolicyName::QueueDepth, one, other), 0);
        (one.by_way, one.bytes) = (0, 101);
        assert_eq!(choose(PolicyName::ServiceTime, one, other), 1);
        assert_eq!(choose(PolicyName::QueueLength, one, other), 0);
        other.outstanding = 3;
        assert_eq!(choose(PolicyName::LeastOutstanding, one, other), 1);
    }

    #[test]
    fn turns_go_on_while_one_is_missing_and_when_it_is_back() {
        let all = numbered(&[0, 0, 0]);
        let without_the_second = [all[0], all[2]];
        let mut chooser = PolicyName::RoundRobin.chooser();
        let mut number = |candidates: &[ChoiceCandidate]| {
            candidates[chooser.choose(&context(), &a_read(512), candidates)].number
        };
        assert_eq!([number(&all), number(&without_the_second), number(&without_the_second)], [0, 2, 0]);
        assert_eq!([number(&all), number(&all), number(&all)], [1, 2, 0]);
    }

    #[test]
    fn numa_stays_with_the_way_that_it_found_until_that_is_gone() {
        let all = numbered(&[0, 0, 0]);
        let mut chooser = PolicyName::Numa.chooser();
        let mut number = |candidates: &[ChoiceCandidate]| {
            candidates[chooser.choose(&context(), &a_read(512), candidates)].number
        };
        assert_eq!([number(&all), number(&all[1..]), number(&all), number(&all[..1])], [0, 1, 1, 0]);
    }

    #[test]
    fn numa_has_a_path_of_its_own_for_each_node() {
        let at = |nodes: [u32; 3]| {
            (0..)
                .zip(nodes)
                .map(|(number, node)| ChoiceCandidate {
                    node,
                    ..ChoiceCandidate::independent_candidate(number, 0, 0)
                })
                .collect::<Vec<_>>()
        };
        let all = at([1, 0, 1]);
        let context = ChoiceContext { nodes: 3, ..context() };
        let mut chooser = PolicyName::Numa.chooser();
        let mut number = |io: u64, candidates: &[ChoiceCandidate]| {
            let request = Request { number: io, ..a_read(512) };
            candidates[chooser.choose(&context, &request, candidates)].number
        };
        // Node 2 has no adapter, and is as far from all others.
        assert_eq!([0, 1, 2, 3, 4, 5].map(|io| number(io, &all)), [1, 0, 0, 1, 0, 0]);
        // The path of node 1 is gone: it goes to another near one, and stays there; node 0 does not notice it.
        assert_eq!([3, 4].map(|io| number(io, &all[1..])), [1, 2]);
        assert_eq!([3, 4].map(|io| number(io, &all)), [1, 2]);
    }

    /// Each case has the requests in flight and relative throughput of each path, the bytes of the request, and the path that Linux
    /// chooses.
    #[test]
    fn service_time_weighs_bytes_by_throughput_and_breaks_ties_as_linux_does() {
        let cases = [
            ([(3000, 1), (2000, 1)], 512, 1),
            // The estimates are (1000 + 1000) / 1 against (2500 + 1000) / 2.
            ([(1000, 1), (2500, 2)], 1000, 1),
            // The estimates are (1000 + 200) / 1 against (2500 + 200) / 2.
            ([(1000, 1), (2500, 2)], 200, 0),
            // With equal bytes in flight on both paths the faster path is chosen, whatever the request.
            ([(1000, 1), (1000, 2)], 0, 1),
            // With equal estimates the faster path is chosen.
            ([(1000, 1), (3000, 2)], 1000, 1),
            // A path with a throughput of 0 is the last resort, however much the other path has in flight.
            ([(0, 0), (1 << 40, 1)], 512, 1),
            ([(5000, 0), (3000, 0)], 512, 1),
            ([(700, 3), (700, 3)], 512, 0),
        ];
        for (ways, bytes, expected) in cases {
            let candidate = |(number, (bytes, throughput))| ChoiceCandidate {
                throughput,
                ..ChoiceCandidate::independent_candidate(number, 1, bytes)
            };
            let candidates: Vec<ChoiceCandidate> = (0..).zip(ways).map(candidate).collect();
            let place = PolicyName::ServiceTime.chooser().choose(&context(), &a_read(bytes), &candidates);
            assert_eq!(place, expected, "{ways:?} for {bytes} bytes");
        }
    }

    #[test]
    fn of_equal_service_times_each_is_taken_in_turn() {
        assert_eq!(chosen(PolicyName::ServiceTime, &[1, 1, 1], 5), [0, 1, 2, 0, 1]);
    }

    #[test]
    fn turns_end_after_their_ios_or_bytes_and_when_a_path_is_gone() {
        let context = ChoiceContext { turn: TurnLength { ios: 3, bytes: 1_000 }, ..context() };
        let all = numbered(&[0, 0, 0]);
        let mut of = PolicyName::TurnsOfIos.chooser();
        let mut ios =
            |candidates: &[ChoiceCandidate]| candidates[of.choose(&context, &a_read(512), candidates)].number;
        assert_eq!([(); 7].map(|()| ios(&all)), [0, 0, 0, 1, 1, 1, 2]);
        assert_eq!([ios(&all[..2]), ios(&all), ios(&all), ios(&all)], [0, 0, 0, 1], "a turn of its own");
        let mut of = PolicyName::TurnsOfBytes.chooser();
        let mut bytes = |bytes: u64| of.choose(&context, &a_read(bytes), &all);
        assert_eq!([600, 600, 600, 5_000, 1, 999, 1].map(&mut bytes), [0, 0, 1, 1, 2, 2, 0]);
    }
}
