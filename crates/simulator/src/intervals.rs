//! Confidence intervals of the mean response times of workloads and hosts, if there are several, by batch means, as for all I/Os together.

use crate::record::IoRecord;
use sansim_kernel::Observations;

/// The most workloads and hosts that have intervals of their own, because each interval takes some megabytes.
const MOST: usize = 64;

/// The number of observations for which memory is reserved, also if the number of I/Os is not known before
/// the run.
const ROOM: u64 = 1 << 16;

/// The source of the interval of a workload or a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    /// The workload has all I/Os of the run, so that the interval of all applies.
    Whole,
    /// The interval comes from these observations of the workload or host.
    Own(usize),
    /// The workload or host has no interval.
    Nowhere,
}

/// The intervals of workloads and hosts.
#[derive(Clone, Debug)]
pub struct Intervals {
    observed: Vec<Observations<1>>,
    workloads: Vec<From>,
    hosts: Vec<From>,
    /// The observations to which the I/Os of each workload are added.
    takers: Vec<[Option<usize>; 2]>,
}

impl Intervals {
    /// Intervals without observations, for workloads at these hosts with this many expected I/Os.
    pub(crate) fn new(host_of: &[usize], expected: u64) -> Self {
        let mut count = 0;
        let mut own = || {
            count += 1;
            if count > MOST { From::Nowhere } else { From::Own(count - 1) }
        };
        let several = host_of.len() > 1;
        let workloads: Vec<From> =
            host_of.iter().map(|_| if several { own() } else { From::Whole }).collect();
        let last = host_of.iter().max().copied().unwrap_or(0);
        let of_host = |host: usize| {
            let mut its = (0..host_of.len()).filter(|&workload| host_of[workload] == host);
            match (its.next(), its.next()) {
                _ if last == 0 => From::Whole,
                (Some(only), None) => workloads[only],
                _ => own(),
            }
        };
        let hosts: Vec<From> = (0..=last).map(of_host).collect();
        let number = |from: From| if let From::Own(number) = from { Some(number) } else { None };
        let takers = host_of.iter().enumerate().map(|(workload, &host)| {
            let (one, other) = (number(workloads[workload]), number(hosts[host]));
            [one, other.filter(|_| one != other)]
        });
        let takers = takers.collect();
        let observed = (0..count.min(MOST)).map(|_| Observations::new(expected.max(ROOM))).collect();
        Self { observed, workloads, hosts, takers }
    }

    /// Adds an I/O to the observations of its workload and its host.
    #[inline]
    pub(crate) fn add(&mut self, record: &IoRecord) {
        if !self.observed.is_empty() {
            self.observe(record);
        }
    }

    fn observe(&mut self, record: &IoRecord) {
        for number in self.takers[record.workload as usize].into_iter().flatten() {
            self.observed[number].add(record.completed, 0, record.response, record.bytes);
        }
    }

    /// Half the width of the interval of a workload, in ns; `whole` is half the width for all I/Os.
    pub fn interval_of_workload(&self, workload: usize, whole: Option<f64>) -> Option<f64> {
        self.half_width(self.workloads[workload], whole)
    }

    /// Half the width of the interval of a host, in ns; `whole` is half the width for all I/Os.
    pub fn interval_of_host(&self, host: usize, whole: Option<f64>) -> Option<f64> {
        self.half_width(self.hosts[host], whole)
    }

    fn half_width(&self, from: From, whole: Option<f64>) -> Option<f64> {
        match from {
            From::Whole => whole,
            From::Own(number) => {
                Some(self.observed[number].mean_ns(&[0]).half_width_95).filter(|width| width.is_finite())
            }
            From::Nowhere => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_the_same_set_of_ios_is_observed_once_and_the_whole_not_again() {
        let observed = |host_of: &[usize]| {
            let intervals = Intervals::new(host_of, 10);
            (intervals.observed.len(), intervals.takers)
        };
        assert_eq!(observed(&[0]), (0, vec![[None, None]]));
        assert_eq!(observed(&[0, 0]), (2, vec![[Some(0), None], [Some(1), None]]));
        assert_eq!(observed(&[0, 1]), (2, vec![[Some(0), None], [Some(1), None]]));
        let with_two = vec![[Some(0), Some(3)], [Some(1), None], [Some(2), Some(3)]];
        assert_eq!(observed(&[0, 1, 0]), (4, with_two));
    }

    #[test]
    fn more_than_can_be_kept_have_no_interval() {
        let hosts: Vec<usize> = (0..2 * MOST).collect();
        let intervals = Intervals::new(&hosts, 10);
        assert_eq!(intervals.observed.len(), MOST);
        assert_eq!(intervals.interval_of_host(MOST, Some(1.0)), None);
    }
}
