//! In whole systems with protected caches, an acknowledged write is never lost: data that a cache reads from a device are the acknowledged
//! data, whatever has failed meanwhile.
//!
//! An observer records the number of the last write of each sector: in the memory of the cache from the moment at which the cache holds the
//! write, on the drives from the moment at which they have carried it out. The cache fetches only blocks that it does not hold; so a
//! fetched block must be on the drive as it was acknowledged last.

use crate::common::text::scenario;
use proptest::prelude::*;
use sansim_component::ComponentId;
use sansim_kernel::Time;
use sansim_observe::names::SystemNames;
use sansim_observe::observer::{Observer, RequestStep, WantedCalls};
use sansim_request::{LedgerLine, Request, RequestId, Requests};
use sansim_simulator::{build, run::RecordingOptions};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

/// The number of sectors of each drive.
const SECTORS: u64 = 512;

pub(crate) struct Oracle {
    /// The devices of the system, by number.
    devices: Vec<String>,
    /// The ledger lines in which a write is when a cache holds it.
    holds: Vec<LedgerLine>,
    open: HashMap<RequestId, (Request, Vec<u64>)>,
    /// By drive and sector: the data in the cache, which are the acknowledged data, and the data on the
    /// drive.
    memory: BTreeMap<(u32, u64), u64>,
    drives: BTreeMap<(u32, u64), u64>,
    /// The write-throughs since the cache held the block: the observer does not see whether they were carried
    /// out.
    unclear: BTreeSet<(u32, u64)>,
    pub(crate) fetched: u64,
    /// The number of times that each I/O has been answered.
    pub(crate) answered: BTreeMap<u64, u32>,
    /// Whether the observer checks data.
    looks: bool,
}

impl Oracle {
    pub(crate) fn new(names: &SystemNames, devices: Vec<String>) -> Self {
        let holds = |&line: &LedgerLine| {
            let name = names.line_name(line);
            name.starts_with("cache") && name.ends_with(".partner")
        };
        let lines =
            names.places.iter().map(|place| place.first_line.0 + place.catalogue.segments.len() as u32);
        let holds: Vec<LedgerLine> = (0..lines.max().unwrap_or(0)).map(LedgerLine).filter(holds).collect();
        assert!(!holds.is_empty(), "a cache");
        Self {
            devices,
            holds,
            open: HashMap::new(),
            memory: BTreeMap::new(),
            drives: BTreeMap::new(),
            unclear: BTreeSet::new(),
            fetched: 0,
            answered: BTreeMap::new(),
            looks: true,
        }
    }

    /// The observer does not check data, because caches may lose them.
    pub(crate) fn of_answers_alone(mut self) -> Self {
        self.looks = false;
        self
    }

    /// The drive of a request, on either side of the cache, and whether the request is on the hosts' side.
    fn place(&self, request: &Request) -> (u32, bool) {
        let of =
            |name: &str| self.devices.iter().position(|device| device.starts_with(name)).unwrap_or(0) as u32;
        let of_cache = self.devices[request.device as usize].starts_with("cache");
        (request.device - of(if of_cache { "cache" } else { "disks" }), of_cache)
    }

    fn sectors(request: &Request) -> Range<u64> {
        request.lba..request.lba + request.block_count()
    }
}

impl Observer for Oracle {
    fn wants(&self) -> WantedCalls {
        WantedCalls { requests: true, ..WantedCalls::default() }
    }

    fn at_request(
        &mut self,
        _now: Time,
        _: ComponentId,
        id: RequestId,
        what: RequestStep,
        requests: &Requests,
    ) {
        let request = *requests.request(id);
        if matches!(what, RequestStep::Completed { .. })
            && request.parent.is_none()
            && !request.origin.background
        {
            *self.answered.entry(request.number).or_default() += 1;
        }
        if !self.looks {
            return;
        }
        // Requests to controllers have not reached a cache yet, and the store below an array has the blocks at other
        // places.
        let beside = ["controller", "store"];
        if beside.iter().any(|name| self.devices[request.device as usize].starts_with(name)) {
            return;
        }
        let (drive, is_hosts) = self.place(&request);
        let key = |sector: u64| (drive, sector);
        match what {
            RequestStep::Issued(_) if !is_hosts => {
                let mut data = Vec::new();
                for sector in Self::sectors(&request) {
                    let least = self.memory.get(&key(sector)).copied().unwrap_or(0);
                    if request.is_write() {
                        if request.parent.is_some() {
                            self.unclear.insert(key(sector));
                        }
                        data.push(least);
                    } else if !self.unclear.contains(&key(sector)) {
                        let has = self.drives.get(&key(sector)).copied().unwrap_or(0);
                        self.fetched += u64::from(least > 0);
                        assert!(
                            has >= least,
                            "{drive}, sector {sector}: write {has} is there, {least} was acknowledged"
                        );
                    }
                }
                self.open.insert(id, (request, data));
            }
            RequestStep::Enters(line) if self.holds.contains(&line) && is_hosts => {
                // The write is acknowledged at this moment.
                for sector in Self::sectors(&request) {
                    self.memory.insert(key(sector), request.number + 1);
                    self.unclear.remove(&key(sector));
                }
            }
            RequestStep::Completed { .. } => {
                // The number of the request may have been reused by now.
                let Some((request, data)) = self.open.remove(&id) else { return };
                let (drive, _) = self.place(&request);
                for (sector, data) in Self::sectors(&request).zip(data) {
                    self.drives.insert((drive, sector), data);
                }
            }
            RequestStep::Issued(_) | RequestStep::Enters(_) | RequestStep::Joined(_) => {}
        }
    }
}

fn event(at_ms: u32, act: &str, what: &str) -> String {
    format!("[[event]]\nat = \"{at_ms} ms\"\ndo = \"{act}\"\nwhat = \"{what}\"\n")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sansim_trials::case_count(60)) })]

    #[test]
    fn what_a_protected_cache_asks_a_drive_for_is_there(
        pace in prop::sample::select(vec!["at-once", "watermarks", "linear"]),
        order in prop::sample::select(vec!["oldest", "least-recently-written", "c-look", "whole-stripes"]),
        full in prop::sample::select(vec!["wait", "through"]),
        (blocks, size, depth, at_once) in (8..80_u32, 1..6_u32, 1..10_u32, 1..10_u32),
        allocate in any::<bool>(),
        failures in prop::collection::vec((0..6_u32, 1..300_u32), 0..5),
    ) {
        // The failures come one after the other, so that both protecting copies are never gone at the same
        // time.
        let (mut at, has_failures) = (0, !failures.is_empty());
        let mut events = String::new();
        for (which, ms) in failures {
            let what = ["cache", "cache.power", "cache.battery", "cache.partner", "cache.power", "cache"][which as usize];
            events += &(event(at + ms, "fail", what) + &event(at + 2 * ms, "repair", what));
            at += 2 * ms + 1;
        }
        let text = format!(r#"
            [run]
            measured_ios = 1500
            warm_up = 0
            [host]
            kind = "host"
            attached = ["cache"]
            [cache]
            kind = "cache"
            to = ["disks"]
            capacity = "{} KiB"
            look_up_time = "3 us"
            destages_at_once = {at_once}
            retry_time = "2 ms"
            [cache.write]
            when_full = "{full}"
            mirrored = true
            battery = true
            allocate = {allocate}
            stripe_size = "16 KiB"
            destage = {{ when = "{pace}" }}
            order = {{ first = "{order}" }}
            [disks]
            kind = "drives"
            count = 2
            concurrency = 8
            capacity = "{} B"
            access_time = {{ distribution = "uniform", low = "0.1 ms", high = "3 ms" }}
            transfer_rate = "100 MB/s"
            [load]
            kind = "closed"
            from = "host"
            to = ["cache"]
            size = "{} KiB"
            queue_depth = {depth}
            read_fraction = 0.5
            think_time = "1 ms"
            {events}
        "#, blocks * 4, SECTORS * 512, size * 4);
        let plan = build::plan_system(&scenario(&text), None, sansim_component::NetworkModel::Fast);
        let oracle = Oracle::new(&plan.observer_names(), plan.graph.devices.iter().map(|device| device.name.clone()).collect());
        let (ended, oracle) = crate::common::watched(&plan, RecordingOptions::IOS, oracle)
            .unwrap_or_else(|error| panic!("{error}"));
        let cache = ended.summary.components.value_named("cache").expect("a cache");
        prop_assert_eq!(cache.figure_named("lost_blocks"), Some(0.0));
prop_assert!(has_failures || oracle.fetched > 50, "it says something: {}", oracle.fetched);
    }
}
