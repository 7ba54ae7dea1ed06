//! The counts of the I/Os of each workload and each device, and of each host at each device.
//!
//! There may be thousands of devices, so distributions are kept in buckets whose width is at most 0.8 % of their value, without
//! confidence intervals. For a host at a device only sums are kept.

use crate::extent::SystemExtent;
use crate::intervals::Intervals;
use crate::record::{IoRecord, KINDS, WRITES};
use crate::trend::GrowthTests;
use sansim_component::ByDevice;
use sansim_kernel::TICKS_PER_NS;
use std::ops::Range;

/// The number of buckets for each doubling of the response time.
const PER_OCTAVE: u32 = 128;

/// The number of buckets for which memory is reserved, for response times up to some 8 s; memory of unused buckets
/// is not touched.
const ROOM: usize = (26 * PER_OCTAVE) as usize;

/// The sums over the I/Os of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DirectionSums {
    /// The number of I/Os.
    pub count: u64,
    /// The number of these I/Os that failed.
    pub failed: u64,
    /// The data bytes of these I/Os.
    pub bytes: u64,
    /// The sum of the response times, in ticks.
    pub ticks: u128,
    /// The least response time in whole ns.
    pub min_ns: u64,
    /// The greatest response time in whole ns.
    pub max_ns: u64,
}

impl DirectionSums {
    #[inline]
    fn add(&mut self, record: &IoRecord, ns: u64) {
        self.min_ns = if self.count == 0 { ns } else { self.min_ns.min(ns) };
        self.max_ns = self.max_ns.max(ns);
        self.count += 1;
        self.failed += u64::from(record.failed);
        self.bytes += record.bytes;
        self.ticks += u128::from(record.response.ticks());
    }

    /// The sums over these I/Os and the I/Os of `other` together.
    pub fn combined_with(&self, other: &Self) -> Self {
        let min_ns = match (self.count, other.count) {
            (0, _) => other.min_ns,
            (_, 0) => self.min_ns,
            _ => self.min_ns.min(other.min_ns),
        };
        Self {
            count: self.count + other.count,
            failed: self.failed + other.failed,
            bytes: self.bytes + other.bytes,
            ticks: self.ticks + other.ticks,
            min_ns,
            max_ns: self.max_ns.max(other.max_ns),
        }
    }

    /// The mean response time in ns.
    pub fn mean_response_ns(&self) -> f64 {
        self.ticks as f64 / TICKS_PER_NS as f64 / self.count.max(1) as f64
    }

    /// The average number of I/Os in flight over `seconds`, by Little's law.
    pub fn in_flight(&self, seconds: f64) -> f64 {
        let spent = self.ticks as f64 / TICKS_PER_NS as f64 / 1e9;
        if seconds > 0.0 { spent / seconds } else { 0.0 }
    }
}

/// The counts of one direction of one workload or device.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The sums over the I/Os.
    pub sums: DirectionSums,
    buckets: Vec<u32>,
}

fn bucket_of(ns: u64) -> usize {
    let shift = (u64::BITS - ns.leading_zeros()).saturating_sub(PER_OCTAVE.ilog2() + 1);
    (shift * PER_OCTAVE + (ns >> shift) as u32) as usize
}

/// The greatest value of a bucket.
fn top_of(bucket: usize) -> u64 {
    let per_octave = PER_OCTAVE as usize;
    if bucket < 2 * per_octave {
        return bucket as u64;
    }
    let shift = bucket / per_octave - 1;
    (((bucket - shift * per_octave) as u64 + 1) << shift) - 1
}

impl Tally {
    fn with_room() -> Self {
        Self { buckets: Vec::with_capacity(ROOM), ..Self::default() }
    }

    #[inline]
    fn add(&mut self, record: &IoRecord, ns: u64, bucket: usize) {
        self.sums.add(record, ns);
        if bucket >= self.buckets.len() {
            // The list grows by a whole octave at a time, so it grows beyond its reserved size only a few
            // times.
            self.buckets.resize((bucket + 1).next_multiple_of(PER_OCTAVE as usize), 0);
        }
        self.buckets[bucket] += 1;
    }

    /// The counts of these I/Os and the I/Os of `other` together.
    pub fn combined_with(&self, other: &Self) -> Self {
        let (few, many) =
            if self.buckets.len() < other.buckets.len() { (self, other) } else { (other, self) };
        let mut buckets = many.buckets.clone();
        buckets.iter_mut().zip(&few.buckets).for_each(|(sum, more)| *sum += more);
        Self { sums: self.sums.combined_with(&other.sums), buckets }
    }

    /// A percentile of the response times in ns: the least upper end of a bucket that this percentage of the
    /// I/Os does not exceed.
    pub fn percentile_ns(&self, percent: f64) -> u64 {
        let wanted = (self.sums.count as f64 * percent / 100.0).ceil().max(1.0) as u64;
        let mut seen = 0;
        // No I/O is below the least response time.
        for (bucket, &count) in self.buckets.iter().enumerate().skip(bucket_of(self.sums.min_ns)) {
            seen += u64::from(count);
            if seen >= wanted {
                return top_of(bucket).clamp(self.sums.min_ns, self.sums.max_ns);
            }
        }
        self.sums.max_ns
    }
}

/// The tallies of a run.
#[derive(Clone, Debug)]
pub struct Tallies {
    /// The tallies of each stream by kind ([`crate::record::ALL`]), workload after workload.
    pub streams: Vec<[Tally; KINDS]>,
    /// The index of the first stream of each workload.
    first_stream: Vec<usize>,
    /// The growth test of the response times of each stream, for open streams only.
    pub trends: Vec<Option<GrowthTests>>,
    /// The tallies of each device by kind.
    pub devices: Vec<[Tally; KINDS]>,
    /// The sums by kind of each host at each device at which it had I/Os, if there are several hosts.
    at_devices: Vec<ByDevice<[DirectionSums; KINDS]>>,
    /// The host of each workload.
    hosts: Vec<usize>,
    /// The response times of the workloads and the hosts that have intervals of their own.
    intervals: Intervals,
}

impl Tallies {
    /// Empty tallies of a system of this extent, with this many expected I/Os.
    pub(crate) fn new(expected: u64, extent: &SystemExtent) -> Self {
        let SystemExtent { workloads, hosts, devices, .. } = extent;
        // Few systems flush or deallocate, so only reads and writes have room from the beginning.
        let tally = |kind| if kind <= WRITES { Tally::with_room() } else { Tally::default() };
        let tallies = |count| (0..count).map(|_| std::array::from_fn(tally)).collect();
        let mut first_stream = vec![0];
        first_stream.extend(workloads.iter().scan(0, |behind, streams| {
            *behind += streams.len();
            Some(*behind)
        }));
        let trends: Vec<Option<GrowthTests>> =
            workloads.iter().flatten().map(|open| open.map(GrowthTests::new)).collect();
        let count = hosts.iter().max().map_or(0, |last| last + 1);
        Self {
            streams: tallies(trends.len()),
            first_stream,
            trends,
            devices: tallies(*devices),
            at_devices: vec![ByDevice::default(); if count > 1 { count } else { 0 }],
            intervals: Intervals::new(hosts, expected),
            hosts: hosts.clone(),
        }
    }

    /// The streams of a workload, by their numbers among all streams.
    pub fn streams_of_workload(&self, workload: usize) -> Range<usize> {
        self.first_stream[workload]..self.first_stream[workload + 1]
    }

    /// The sums by kind of a host at a device; none where there is only one host.
    pub fn host_device_sums(&self, host: usize, device: usize) -> Option<[DirectionSums; KINDS]> {
        let of = self.at_devices.get(host)?;
        Some(of.get(device as u32).copied().unwrap_or_default())
    }

    /// The sums over all I/Os.
    pub fn sums_of_all_ios(&self) -> DirectionSums {
        self.devices
            .iter()
            .flatten()
            .fold(DirectionSums::default(), |sum, tally| sum.combined_with(&tally.sums))
    }

    /// The intervals of mean response times of workloads and hosts.
    pub fn intervals(&self) -> &Intervals {
        &self.intervals
    }

    #[inline]
    pub(crate) fn add(&mut self, record: &IoRecord, kind: usize) {
        let (workload, device) = (record.workload as usize, record.device as usize);
        let ns = record.response.ticks() / TICKS_PER_NS;
        let bucket = bucket_of(ns);
        let stream = self.first_stream[workload] + record.stream as usize;
        self.streams[stream][kind].add(record, ns, bucket);
        if let Some(trend) = &mut self.trends[stream] {
            trend.add(kind, record.response);
        }
        self.devices[device][kind].add(record, ns, bucket);
        if let Some(of) = self.at_devices.get_mut(self.hosts[workload]) {
            of.get_or_insert_with(record.device, Default::default)[kind].add(record, ns);
        }
        self.intervals.add(record);
    }
}

/// The sum of the tallies with these numbers, by kind.
pub fn sum_tallies(tallies: &[[Tally; KINDS]], numbers: impl Iterator<Item = usize>) -> [Tally; KINDS] {
    let mut sums: [Tally; KINDS] = Default::default();
    for of in numbers.map(|number| &tallies[number]) {
        sums = std::array::from_fn(|kind| sums[kind].combined_with(&of[kind]));
    }
    sums
}

/// The evenness of shares: 1 if all members have the same, 1/n if one member has everything; none if all shares are
/// zero.
///
/// Source: Jain, Chiu, Hawe, "A quantitative measure of fairness and discrimination for resource allocation in shared computer
/// systems", DEC technical report 301, 1984.
pub fn fairness_index(shares: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for share in shares {
        count += 1.0;
        sum += share;
        squares += share * share;
    }
    (squares > 0.0).then(|| sum * sum / (count * squares))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_kernel::{Span, Time};

    fn tally(of: impl Iterator<Item = u64>) -> Tally {
        let mut tally = Tally::default();
        let record = |ns| IoRecord {
            response: Span::from_ns(ns),
            completed: Time::ZERO,
            bytes: 10,
            io: 0,
            lba: 0,
            workload: 0,
            stream: 0,
            slot: 0,
            drive: 0,
            device: 0,
            operation: sansim_request::Operation::Read,
            failed: ns % 10 == 0,
        };
        of.for_each(|ns| tally.add(&record(ns), ns, bucket_of(ns)));
        tally
    }

    #[test]
    fn percentiles_are_less_than_a_percent_off() {
        let all = tally((1..=100_000).map(|ns| ns * 31 % 100_003));
        for percent in [1.0, 50.0, 90.0, 99.0, 99.9] {
            let (found, exact) = (all.percentile_ns(percent) as f64, percent * 1_000.0);
            assert!((found / exact - 1.0).abs() < 0.01, "{percent}: {found}");
        }
    }

    #[test]
    fn two_together_are_as_one() {
        let (few, many) = (tally(5..50), tally(40..90_000));
        for sum in [few.combined_with(&many), many.combined_with(&few)] {
            let sums = sum.sums;
            assert_eq!((sums.count, sums.bytes, sums.failed), (45 + 89_960, 900_050, 4 + 8_996));
            assert_eq!((sums.min_ns, sums.max_ns), (5, 89_999));
        }
        assert_eq!(few.combined_with(&Tally::default()).sums.min_ns, 5);
    }

    #[test]
    fn fairness_goes_from_one_for_all_to_one_over_the_number_of_them_for_one() {
        assert_eq!(fairness_index([3.0; 4].into_iter()), Some(1.0));
        assert_eq!(fairness_index([1.0, 0.0, 0.0, 0.0].into_iter()), Some(0.25));
        assert_eq!(fairness_index([0.0; 4].into_iter()), None);
    }
}
