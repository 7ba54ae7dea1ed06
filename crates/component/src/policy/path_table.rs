//! The table of the paths of a component to all devices: the working ones, the requests in flight on each, and the choice of a path.
//!
//! Paths that end at an optimised adapter precede all others; policies choose among equals only.

use super::{
    AccessState, AnyChoicePolicy, ChoiceAnswer, ChoiceCandidate, ChoiceContext, ChoicePolicy,
    InitiatorPathKeys, PolicyName, TargetPathKeys,
};
use crate::by_device::ByDevice;
use sansim_kernel::Time;
use sansim_request::Request;
use sansim_rules::RuleName;

/// A path to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DevicePath {
    /// The port of the initiating component at which the path begins: no two paths to a device begin at the same port.
    pub port: u16,
    /// The adapter by which the path goes, named by the first of its ports; for a device without a network, the port.
    pub adapter: u16,
    /// The adapter at which the path ends, by a number of its own; for a device without a network, any number.
    pub server: u32,
    /// Most requests of a host in flight between the two adapters of the path: those for which the submission queues of NVMe have entries.
    pub queue_entries: Option<u32>,
    /// Whether frames go by the path, so that it can be checked.
    pub is_on_network: bool,
    /// The keys of the beginning of the path.
    pub from: InitiatorPathKeys,
    /// The keys of the end of the path.
    pub to: TargetPathKeys,
}

impl DevicePath {
    /// A path that begins at this port, with the default for everything else.
    pub fn from_port(port: u16) -> Self {
        let is_on_network = true;
        Self {
            port,
            adapter: port,
            server: 0,
            queue_entries: None,
            is_on_network,
            from: InitiatorPathKeys::PLAIN,
            to: TargetPathKeys::PLAIN,
        }
    }
}

/// The state of a path, as the asker knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathState {
    /// The path works, as far as the asker knows.
    Works,
    /// The path has failed, and the asker notices the failure at this time.
    Failing(Time),
    /// The asker does not use the path.
    Failed,
    /// The path works again, and the asker uses it from this time on; before that, or for ever if there is no time, only if no other path
    /// works.
    Spare(Option<Time>),
}

/// A path with its requests in flight.
#[derive(Clone, Debug)]
struct Used {
    way: DevicePath,
    /// The device to which the path leads.
    device: u32,
    /// The index of the counter of requests between the two adapters of the path.
    pair: u32,
    state: PathState,
    /// Whether frames come in damaged at an end of the path, as its network has reported.
    is_marginal: bool,
    requests: u32,
    bytes: u64,
}

impl Used {
    /// The preference of a path in this state: the asker takes the lowest grade first, and never a path without a grade.
    fn grade(&self) -> Option<u8> {
        let other = match self.way.to.access {
            AccessState::Optimised => 0,
            AccessState::NonOptimised => 1,
            AccessState::Unavailable => return None,
        };
        let last = if self.is_marginal { 4 } else { 0 };
        match self.state {
            PathState::Works | PathState::Failing(_) => Some(last + other),
            PathState::Spare(_) => Some(last + 2 + other),
            PathState::Failed => None,
        }
    }
}

/// The table of the paths of a component to all devices, with the requests in flight on each path.
#[derive(Clone, Debug)]
pub struct PathTable {
    /// For each device the index of its first path, their number, and the policy that chooses among them.
    of_device: ByDevice<(u32, u16, AnyChoicePolicy)>,
    /// The paths of the devices one after the other.
    ways: Vec<Used>,
    /// The properties of the candidates, as policies see them.
    candidates: Vec<ChoiceCandidate>,
    /// Requests in flight, by the adapter of the asker; and by the pair of adapters.
    by_adapter: Vec<u32>,
    by_pair: Vec<u32>,
    /// Most requests in flight per adapter of the asker, and, by the pair of adapters, most requests between them.
    limit: u32,
    pair_limits: Vec<u32>,
    /// Whether any number of requests is limited.
    is_limited: bool,
}

impl PathTable {
    /// A table of the paths to each device. All paths of a new table work.
    pub fn new(ways: &ByDevice<Vec<DevicePath>>, policy: &RuleName<PolicyName>) -> Self {
        let mut of_device = ByDevice::default();
        let mut all: Vec<Used> = Vec::new();
        for (device, ways) in ways.iter() {
            of_device.set(device, (all.len() as u32, ways.len() as u16, AnyChoicePolicy::of_rule(policy)));
            let used = |&way| Used {
                way,
                device,
                pair: 0,
                state: PathState::Works,
                is_marginal: false,
                requests: 0,
                bytes: 0,
            };
            all.extend(ways.iter().map(used));
        }
        let mut pairs: Vec<(u16, u32)> = all.iter().map(|used| (used.way.adapter, used.way.server)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        for used in &mut all {
            let pair = pairs.binary_search(&(used.way.adapter, used.way.server));
            used.pair = pair.unwrap_or(0) as u32;
        }
        let most = ways.iter().map(|(_, ways)| ways.len()).max().unwrap_or(0);
        let adapters = pairs.last().map_or(0, |&(last, _)| usize::from(last) + 1);
        Self {
            of_device,
            ways: all,
            candidates: Vec::with_capacity(most),
            by_adapter: vec![0; adapters],
            by_pair: vec![0; pairs.len()],
            limit: u32::MAX,
            pair_limits: vec![u32::MAX; pairs.len()],
            is_limited: false,
        }
    }

    /// Sets the most requests that may be in flight at each adapter of the asker, and limits those between two adapters by the entries of queues.
    pub fn set_adapter_limit(&mut self, limit: u32) {
        self.limit = limit;
        for used in &self.ways {
            if let Some(entries) = used.way.queue_entries {
                self.pair_limits[used.pair as usize] = entries;
            }
        }
        let limits = self.pair_limits.iter().chain([&self.limit]);
        self.is_limited = limits.into_iter().any(|&limit| limit < u32::MAX);
    }

    /// The grade of the best paths to a device; none if no path leads to it.
    fn best(&self, device: u32) -> Option<u8> {
        self.ways[self.to(device)].iter().filter_map(Used::grade).min()
    }

    fn has_room_by(&self, used: &Used) -> bool {
        self.by_adapter[usize::from(used.way.adapter)] < self.limit
            && self.by_pair[used.pair as usize] < self.pair_limits[used.pair as usize]
    }

    /// Whether one of the best paths to a device has room; also true without a path, because the lack of a path is found when the request
    /// is sent.
    #[inline]
    pub fn has_free_path(&self, device: u32) -> bool {
        // Without a limit there always is room.
        if !self.is_limited {
            return true;
        }
        let best = self.best(device);
        let mut ways = self.ways[self.to(device)].iter();
        best.is_none() || ways.any(|used| used.grade() == best && self.has_room_by(used))
    }

    /// The indexes of the paths to a device.
    fn to(&self, device: u32) -> std::ops::Range<usize> {
        let of_device = self.of_device.get(device);
        of_device.map_or(0..0, |&(first, count, _)| first as usize..first as usize + usize::from(count))
    }

    /// The device to which a path leads, by the number of the path among all.
    pub fn device_of_path(&self, number: usize) -> u32 {
        self.ways[number].device
    }

    /// The port for a request, which is in flight from now on; none if no path leads to its device.
    pub fn choose_port(&mut self, context: &ChoiceContext, request: &Request) -> Option<u16> {
        let to = self.to(request.device);
        let number = if to.len() == 1 {
            self.ways[to.start].grade()?;
            to.start
        } else {
            self.choose_among(context, request, to)?
        };
        let used = &mut self.ways[number];
        if matches!(used.state, PathState::Spare(_)) {
            // No other path worked, so this one is in use again.
            used.state = PathState::Works;
        }
        used.requests += 1;
        used.bytes += request.data_bytes();
        self.by_pair[used.pair as usize] += 1;
        self.by_adapter[usize::from(used.way.adapter)] += 1;
        Some(used.way.port)
    }

    fn choose_among(
        &mut self,
        context: &ChoiceContext,
        request: &Request,
        to: std::ops::Range<usize>,
    ) -> Option<usize> {
        let best = Some(self.best(request.device)?);
        // Requests that can use another path are not held up by a full adapter.
        let full = !self.has_free_path(request.device);
        self.candidates.clear();
        for (number, used) in (0..).zip(&self.ways[to.clone()]) {
            if used.grade() == best && (full || self.has_room_by(used)) {
                self.candidates.push(ChoiceCandidate {
                    number,
                    outstanding: self.by_adapter[usize::from(used.way.adapter)],
                    at_server: self.by_pair[used.pair as usize],
                    by_way: used.requests,
                    bytes: used.bytes,
                    throughput: used.way.from.relative_throughput,
                    node: used.way.from.numa_node,
                    distance: None,
                    follows: false,
                });
            }
        }
        let (.., chooser) = self.of_device.get_mut(request.device)?;
        let place = chooser.choose(context, request, &self.candidates);
        Some(to.start + usize::from(self.candidates[place].number))
    }

    /// The number among all paths of the path to a device that begins at a port.
    pub fn number(&self, device: u32, port: u16) -> Option<usize> {
        self.to(device).find(|&number| self.ways[number].way.port == port)
    }

    /// Returns the adapter that a port belongs to, named by the first port at that adapter; the request is for `device`.
    pub fn adapter_of_port(&self, device: u32, port: u16) -> u16 {
        self.number(device, port).map_or(port, |number| self.ways[number].way.adapter)
    }

    /// A request that went by a port has been answered.
    pub fn request_answered(&mut self, request: &Request, port: u16) {
        let Some(number) = self.number(request.device, port) else { return };
        let used = &mut self.ways[number];
        used.requests -= 1;
        used.bytes -= request.data_bytes();
        self.by_pair[used.pair as usize] -= 1;
        self.by_adapter[usize::from(used.way.adapter)] -= 1;
    }

    /// The policy of a request's device learns that a request that went by a port has been answered.
    pub fn policy_learns(&mut self, request: &Request, port: u16, sent: Time, now: Time) {
        let Some(number) = self.number(request.device, port) else { return };
        let to = self.to(request.device);
        let usable = self.ways[to.clone()].iter().filter(|used| used.grade().is_some()).count() as u32;
        if let Some((.., policy)) = self.of_device.get_mut(request.device) {
            policy.answered(&ChoiceAnswer { now, number: (number - to.start) as u16, sent, usable });
        }
    }

    /// The number of all paths.
    pub fn path_count(&self) -> usize {
        self.ways.len()
    }

    /// The path with this number among all, and the device to which it leads.
    pub fn path(&self, number: usize) -> Option<(DevicePath, u32)> {
        self.ways.get(number).map(|used| (used.way, used.device))
    }

    /// Whether any path leads to a device.
    pub fn has_path_to(&self, device: u32) -> bool {
        self.ways[self.to(device)].iter().any(|used| used.grade().is_some())
    }

    /// The state of a path, by its number among all: device by device, in the order in which the paths were given.
    pub fn path_state(&self, number: usize) -> Option<PathState> {
        self.ways.get(number).map(|used| used.state)
    }

    /// The state of the path to a device that begins at a port.
    pub fn path_state_at_port(&self, device: u32, port: u16) -> Option<PathState> {
        self.path_state(self.number(device, port)?)
    }

    /// Changes the state of a path.
    pub fn set_path_state(&mut self, number: usize, state: PathState) {
        if let Some(used) = self.ways.get_mut(number) {
            used.state = state;
        }
    }

    /// Makes a path marginal: it is used only if no other works. Returns whether it was not before.
    pub fn make_marginal(&mut self, number: usize) -> bool {
        self.ways.get_mut(number).is_some_and(|used| !std::mem::replace(&mut used.is_marginal, true))
    }

    /// No path that begins at the adapter of this path is marginal any more.
    pub fn end_marginal(&mut self, number: usize) {
        let Some(adapter) = self.ways.get(number).map(|used| used.way.adapter) else { return };
        let of_adapter = self.ways.iter_mut().filter(|used| used.way.adapter == adapter);
        of_adapter.for_each(|used| used.is_marginal = false);
    }

    /// Changes the access state of the device by a path.
    pub fn set_access_state(&mut self, number: usize, access: AccessState) {
        if let Some(used) = self.ways.get_mut(number) {
            used.way.to.access = access;
        }
    }

    /// Changes the states that end at a time or ended before.
    pub fn update_timed_states(&mut self, now: Time) {
        for used in &mut self.ways {
            used.state = match used.state {
                PathState::Failing(until) if until <= now => PathState::Failed,
                PathState::Spare(Some(until)) if until <= now => PathState::Works,
                state => state,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_request::{DataId, NORMAL_PRIORITY, Operation, RequestOrigin};
    use sansim_schema::words::Word;

    fn context() -> ChoiceContext {
        ChoiceContext::at(Time::ZERO)
    }

    fn request(device: u32) -> Request {
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
            device,
            lba: 0,
            bytes: 512,
            cache_control: sansim_request::CacheControl::NONE,
            data: DataId(0),
        }
    }

    /// Paths to each device at these ports.
    fn ways(ports: &[&[u16]], policy: PolicyName) -> PathTable {
        let of_device = |ports: &&[u16]| ports.iter().map(|&port| DevicePath::from_port(port)).collect();
        PathTable::new(&ports.iter().map(of_device).collect::<Vec<_>>().into(), &policy.into())
    }

    #[test]
    fn ways_are_taken_in_turn_and_a_device_without_one_is_not_reached() {
        let mut ways = ways(&[&[1], &[1, 2], &[]], PolicyName::RoundRobin);
        let turns: Vec<_> = (0..4).map(|_| ways.choose_port(&context(), &request(1))).collect();
        assert_eq!(turns, [Some(1), Some(2), Some(1), Some(2)]);
        assert_eq!(
            (ways.choose_port(&context(), &request(0)), ways.choose_port(&context(), &request(2))),
            (Some(1), None)
        );
        assert_eq!(ways.choose_port(&context(), &request(7)), None);
    }

    #[test]
    fn the_way_with_the_fewest_requests_is_found_when_they_come_back() {
        let mut ways = ways(&[&[1, 2]], PolicyName::LeastOutstanding);
        assert_eq!([(); 3].map(|()| ways.choose_port(&context(), &request(0))), [Some(1), Some(2), Some(1)]);
        ways.request_answered(&request(0), 1);
        ways.request_answered(&request(0), 1);
        assert_eq!(ways.choose_port(&context(), &request(0)), Some(1));
    }

    #[test]
    fn requests_count_by_adapter_by_pair_of_adapters_and_by_device_as_the_policy_says() {
        // Two devices are behind one pair of adapters on each network, a third behind another adapter on the first network.
        let way = |port, server| DevicePath { server, ..DevicePath::from_port(port) };
        let to: [Vec<DevicePath>; 3] =
            [vec![way(1, 10), way(2, 20)], vec![way(1, 10), way(2, 20)], vec![way(1, 11), way(2, 21)]];
        // Two requests for the first device went by port 1, one for the second by port 2.
        let after = |policy: PolicyName, device: u32| {
            let mut ways = PathTable::new(&to.to_vec().into(), &policy.into());
            for (device, port) in [(0, 1), (0, 1), (1, 2)] {
                let number = ways.number(device, port).expect("a way");
                ways.ways[number].requests += 1;
                ways.ways[number].bytes += 512;
                let pair = ways.ways[number].pair as usize;
                ways.by_pair[pair] += 1;
                ways.by_adapter[usize::from(port)] += 1;
            }
            ways.choose_port(&context(), &request(device))
        };
        assert_eq!([0, 1, 2].map(|device| after(PolicyName::LeastOutstanding, device)), [Some(2); 3]);
        assert_eq!(
            [0, 1, 2].map(|device| after(PolicyName::QueueDepth, device)),
            [Some(2), Some(2), Some(1)]
        );
        for policy in [PolicyName::QueueLength, PolicyName::ServiceTime] {
            assert_eq!([0, 1, 2].map(|device| after(policy, device)), [Some(2), Some(1), Some(1)]);
        }
    }

    #[test]
    fn non_optimised_ways_carry_nothing_while_an_optimised_one_works() {
        let non_optimised = TargetPathKeys { access: AccessState::NonOptimised };
        let to = [vec![
            DevicePath { to: non_optimised, ..DevicePath::from_port(1) },
            DevicePath::from_port(2),
            DevicePath::from_port(3),
        ]];
        for &(policy, ..) in PolicyName::ALL {
            let mut ways = PathTable::new(&to.to_vec().into(), &policy.into());
            let by = |ways: &mut PathTable| {
                (0..20).map(|_| ways.choose_port(&context(), &request(0))).collect::<Vec<_>>()
            };
            assert!(!by(&mut ways).contains(&Some(1)), "{policy:?}");
            ways.set_path_state(1, PathState::Failed);
            assert_eq!(by(&mut ways), [Some(3); 20], "{policy:?}");
            ways.set_path_state(2, PathState::Failed);
            assert_eq!(by(&mut ways), [Some(1); 20], "{policy:?}");
            ways.set_path_state(2, PathState::Works);
            assert_eq!(by(&mut ways), [Some(3); 20], "{policy:?}");
        }
    }

    #[test]
    fn a_way_that_works_again_is_used_before_its_time_only_where_there_is_no_other() {
        let mut ways = ways(&[&[1, 2]], PolicyName::First);
        ways.set_path_state(0, PathState::Spare(None));
        assert_eq!(ways.choose_port(&context(), &request(0)), Some(2));
        ways.set_path_state(1, PathState::Failed);
        assert_eq!(ways.choose_port(&context(), &request(0)), Some(1));
        ways.set_path_state(1, PathState::Works);
        assert_eq!(ways.choose_port(&context(), &request(0)), Some(1), "it has been in use since");
        ways.set_path_state(0, PathState::Failed);
        ways.set_path_state(1, PathState::Failed);
        assert!(!ways.has_path_to(0) && ways.choose_port(&context(), &request(0)).is_none());
    }

    #[test]
    fn a_full_port_is_not_taken_and_one_that_is_not_optimised_does_not_stand_in_for_it() {
        let non_optimised = TargetPathKeys { access: AccessState::NonOptimised };
        let to = [vec![
            DevicePath::from_port(1),
            DevicePath::from_port(2),
            DevicePath { to: non_optimised, ..DevicePath::from_port(3) },
        ]];
        let mut ways = PathTable::new(&to.to_vec().into(), &PolicyName::First.into());
        ways.set_adapter_limit(1);
        assert_eq!([(); 2].map(|()| ways.choose_port(&context(), &request(0))), [Some(1), Some(2)]);
        assert!(!ways.has_free_path(0));
        ways.set_path_state(0, PathState::Failed);
        assert!(!ways.has_free_path(0));
        assert_eq!(ways.choose_port(&context(), &request(0)), Some(2), "one that goes on is not held up");
        ways.set_path_state(1, PathState::Failed);
        assert!(ways.has_free_path(0));
        assert_eq!(ways.choose_port(&context(), &request(0)), Some(3));
    }

    #[test]
    fn states_end_at_their_times() {
        let mut ways = ways(&[&[1, 2, 3]], PolicyName::First);
        ways.set_path_state(0, PathState::Failing(Time(10)));
        ways.set_path_state(1, PathState::Spare(Some(Time(20))));
        ways.set_path_state(2, PathState::Spare(None));
        ways.update_timed_states(Time(9));
        assert_eq!(ways.path_state(0), Some(PathState::Failing(Time(10))));
        ways.update_timed_states(Time(20));
        let states = [0, 1, 2].map(|number| ways.path_state(number));
        assert_eq!(states, [Some(PathState::Failed), Some(PathState::Works), Some(PathState::Spare(None))]);
    }
}
