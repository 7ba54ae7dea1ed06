//! By which way a device is asked, where there are several.

use super::{Candidate, Chooser, Policy, PolicyName};
use sansim_request::Request;

/// The ways of a component to all devices.
#[derive(Clone, Debug)]
pub struct Paths {
    /// By the number of a device: where its ways begin among all, how many there are, and who chooses among several.
    of_device: Vec<(u32, u16, Chooser)>,
    /// The ways of the devices one after the other: ports of the component.
    ways: Vec<u16>,
    /// For each of the ways what policies may know.
    candidates: Vec<Candidate>,
    /// Requests under way, by the port.
    outstanding: Vec<u32>,
    /// Most of them.
    limit: u32,
}

impl Paths {
    /// `ways` are the ports by which each device can be reached, by the number of the device.
    pub fn new(ways: &[Vec<u16>], policy: PolicyName) -> Self {
        let mut of_device = Vec::with_capacity(ways.len());
        let mut all = Vec::new();
        for ports in ways {
            of_device.push((all.len() as u32, ports.len() as u16, policy.chooser()));
            all.extend_from_slice(ports);
        }
        let most = ways.iter().map(Vec::len).max().unwrap_or(0);
        let ports = all.iter().max().map_or(0, |&last| usize::from(last) + 1);
        Self {
            of_device,
            ways: all,
            candidates: Vec::with_capacity(most),
            outstanding: vec![0; ports],
            limit: u32::MAX,
        }
    }

    /// With no more than so many requests under way by each port.
    #[must_use]
    pub fn with_limit(mut self, limit: Option<u64>) -> Self {
        self.limit = limit.and_then(|limit| u32::try_from(limit).ok()).unwrap_or(u32::MAX);
        self
    }

    /// Whether a device can be asked now by one of its ways; also one that has none, which is found out when it is asked.
    pub fn has_room(&self, device: u32) -> bool {
        let Some((first, count, _)) = self.of_device.get(device as usize) else { return true };
        let ways = &self.ways[*first as usize..][..usize::from(*count)];
        ways.is_empty() || ways.iter().any(|&port| self.outstanding[usize::from(port)] < self.limit)
    }

    /// The port by which a request goes; none if its device cannot be reached.
    pub fn choose(&mut self, request: &Request) -> Option<u16> {
        let (first, count, chooser) = self.of_device.get_mut(request.device as usize)?;
        let ways = &self.ways[*first as usize..][..usize::from(*count)];
        let port = match ways {
            [] => return None,
            [only] => *only,
            several => {
                let outstanding = &self.outstanding;
                let candidate =
                    |&port: &u16| Candidate { number: port, outstanding: outstanding[usize::from(port)] };
                self.candidates.clear();
                self.candidates
                    .extend(several.iter().map(candidate).filter(|one| one.outstanding < self.limit));
                match self.candidates.as_slice() {
                    [] => several[0],
                    [only] => only.number,
                    some => some[chooser.choose(request, some)].number,
                }
            }
        };
        self.outstanding[usize::from(port)] += 1;
        Some(port)
    }

    /// A request that went by a port has been answered.
    pub fn answered(&mut self, port: u16) {
        self.outstanding[usize::from(port)] -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_request::{DataId, NORMAL_PRIORITY, Operation, Origin};

    fn request(device: u32) -> Request {
        Request {
            number: 0,
            parent: None,
            origin: Origin { workload: 0, stream: 0, slot: 0, background: false, priority: NORMAL_PRIORITY },
            operation: Operation::Read,
            device,
            lba: 0,
            bytes: 512,
            data: DataId(0),
        }
    }

    #[test]
    fn ways_are_taken_in_turn_and_a_device_without_one_is_not_reached() {
        let mut paths = Paths::new(&[vec![1], vec![1, 2], vec![]], PolicyName::RoundRobin);
        let turns: Vec<_> = (0..4).map(|_| paths.choose(&request(1))).collect();
        assert_eq!(turns, [Some(1), Some(2), Some(1), Some(2)]);
        assert_eq!((paths.choose(&request(0)), paths.choose(&request(2))), (Some(1), None));
        assert_eq!(paths.choose(&request(7)), None);
    }

    #[test]
    fn the_way_with_the_fewest_requests_is_found_when_they_come_back() {
        let mut paths = Paths::new(&[vec![1, 2]], PolicyName::LeastOutstanding);
        assert_eq!([(); 3].map(|()| paths.choose(&request(0))), [Some(1), Some(2), Some(1)]);
        paths.answered(1);
        paths.answered(1);
        assert_eq!(paths.choose(&request(0)), Some(1));
    }
}
