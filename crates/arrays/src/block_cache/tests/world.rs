//! A test world with a cache on a bench and all data: for every sector the number of its write, at the devices and in the cache's memory.
//! The test world acts as hosts and devices, in any permitted order, and checks the data that are read and the writes that are lost.

use super::*;
use sansim_component::bench::InputEffects;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const SECTORS: u64 = 96;
const DEVICES: u32 = 2;

/// The sectors of a device, numbered through all devices.
fn sectors(request: &Request, first_device: u32) -> Range<usize> {
    let start = u64::from(request.device - first_device) * SECTORS + request.lba;
    start as usize..(start + request.bytes / 512) as usize
}

/// A request at a device, with the data of a write.
#[derive(Clone, Debug)]
struct AtDevice {
    port: u16,
    part: RequestId,
    sectors: Range<usize>,
    /// The number of the write that each sector gets; empty for a read.
    data: Vec<u64>,
    aborted: bool,
}

pub(super) struct World {
    pub bench: ComponentBench<DeviceCache>,
    now: Time,
    /// For each sector the number of its write: at the device, and in the memory of the cache if the sector is dirty there.
    device: Vec<u64>,
    memory: BTreeMap<usize, u64>,
    /// For each sector the newest write that was acknowledged.
    acknowledged: Vec<u64>,
    /// Pending requests of devices, including those of writes that were aborted or failed.
    at_devices: Vec<AtDevice>,
    /// The requests of hosts: the number of a write, and the oldest data that a read may return.
    open: BTreeMap<RequestId, (Request, u64, Vec<u64>)>,
    /// The writes that the cache holds, as it has reported.
    held: BTreeSet<RequestId>,
    writes: u64,
    /// For each sector the writes that the cache has held, and the acknowledged ones, in their order.
    versions: Vec<Vec<u64>>,
    answers: Vec<Vec<u64>>,
    /// With asynchronous mirroring: the time for which a copy is in flight to the partner, and the times at which the writes in flight were
    /// held.
    copy_takes: Option<Span>,
    copies: Vec<(u64, Time)>,
    /// The number of writes that were lost because the partner lacked them.
    pub lost_writes: u64,
    pub lost: u64,
    pub good: u64,
}

impl World {
    pub(super) fn new(keys: &str) -> Self {
        let count = (SECTORS * u64::from(DEVICES)) as usize;
        Self {
            bench: ComponentBench::new(cache(keys, DEVICES, SECTORS * 512), 1 + DEVICES as u16),
            now: Time::ZERO,
            device: vec![0; count],
            memory: BTreeMap::new(),
            acknowledged: vec![0; count],
            at_devices: Vec::new(),
            open: BTreeMap::new(),
            held: BTreeSet::new(),
            writes: 0,
            versions: vec![Vec::new(); count],
            answers: vec![Vec::new(); count],
            copy_takes: None,
            copies: Vec::new(),
            lost_writes: 0,
            lost: 0,
            good: 0,
        }
    }

    /// Makes copies to the partner asynchronous: each copy is in flight for this time.
    pub(super) fn asynchronous(self, copy_takes: Span) -> Self {
        Self { copy_takes: Some(copy_takes), ..self }
    }

    /// Time advances, and due timers are handled.
    pub(super) fn tick(&mut self, us_on: u64) {
        let until = self.now + Span::from_us(us_on);
        while let Some(at) = self.bench.timers().into_iter().map(|(at, _)| at).min().filter(|at| *at <= until)
        {
            self.now = at;
            let did = self.bench.handle_due_timer(at);
            self.follow(&did);
        }
        self.now = until;
    }

    pub(super) fn read(&mut self, device: u32, lba: u64, count: u64) {
        let request = Request { device, ..sample_read(lba, count.min(SECTORS - lba) * 512) };
        let least = self.acknowledged[sectors(&request, 0)].to_vec();
        let (id, did) = self.bench.ask(self.now, ASKED, request);
        self.open.insert(id, (request, 0, least));
        self.follow(&did);
    }

    pub(super) fn write(&mut self, device: u32, lba: u64, count: u64) {
        let request = Request { device, ..sample_write(lba, count.min(SECTORS - lba) * 512) };
        // Hosts do not overwrite a write that is unanswered: the content would be undefined.
        let mine = sectors(&request, 0);
        let overlaps = |(other, ..): &(Request, u64, Vec<u64>)| {
            let theirs = sectors(other, 0);
            other.is_write() && theirs.start < mine.end && mine.start < theirs.end
        };
        if self.open.values().any(overlaps) {
            return;
        }
        self.writes += 1;
        let (id, did) = self.bench.ask(self.now, ASKED, request);
        self.open.insert(id, (request, self.writes, Vec::new()));
        self.follow(&did);
        if self.open.contains_key(&id) {
            let did = self.bench.receive(self.now, ASKED, Message::WriteDataUpTo(id, request.bytes));
            self.follow(&did);
        }
    }

    pub(super) fn abort(&mut self, which: usize) {
        let Some(&id) = self.open.keys().nth(which % self.open.len().max(1)) else { return };
        let did = self.bench.receive(self.now, ASKED, Message::Abort(id));
        self.follow(&did);
    }

    /// One of the requests at devices is done, or fails. A device does not reorder requests to the same sectors that it has at the same
    /// time if one of them writes; the cache must not send such requests unless any order is right.
    pub(super) fn arrive(&mut self, which: usize, status: Status) {
        if self.at_devices.is_empty() {
            return;
        }
        let at = self.at_devices.remove(which % self.at_devices.len());
        let AtDevice { port, part, sectors, data, aborted } = at;
        let status = if aborted && status != GOOD { Status::Aborted } else { status };
        if status == GOOD {
            for (sector, data) in sectors.zip(data) {
                self.device[sector] = data;
            }
        }
        let did = self.bench.receive(self.now, port, Message::Done(part, status));
        self.follow(&did);
    }

    pub(super) fn act(&mut self, what: usize, works: bool) {
        let before = self.bench.component.counts.lost;
        let lags =
            self.copy_takes.filter(|_| what == 0 && !works && self.bench.component.failing.has_partner());
        let lacks = lags.map(|takes| self.lacks(takes)).unwrap_or_default();
        let lost_before = self.bench.component.lag.lost;
        let did = match what {
            0 => self.bench.apply_action(self.now, if works { Action::Repair } else { Action::Fail }),
            _ => self.bench.apply_action_to_part(self.now, what - 1, works),
        };
        let lost = self.bench.component.counts.lost - before;
        self.lost += lost;
        // The sectors of blocks that the cache does not hold as dirty have their content from the device.
        let cache = self.bench.component.cache_content();
        let blocks = |sector: usize| {
            let (device, at) = (sector as u64 / SECTORS, sector as u64 % SECTORS);
            self.bench.component.space.bytes(device as u32, at * 512..at * 512 + 1).start
                / cache.block_bytes()
        };
        self.memory.retain(|&sector, _| cache.is_dirty(blocks(sector)));
        if cache.dirty_block_count() == 0 || !self.bench.component.failing.has_partner() && lags.is_none() {
            // Writes that were lost, and writes without a partner, are no longer in flight to it.
            self.copies.clear();
        }
        if lags.is_some() {
            self.is_taken_over(&lacks, lost_before);
        } else if lost > 0 {
            // Hosts learn of lost blocks, so the present content counts as acknowledged from now on.
            for sector in 0..self.device.len() {
                let truth = self.truth(sector);
                self.acknowledged[sector] = self.acknowledged[sector].min(truth);
                self.versions[sector].retain(|&number| number <= truth);
                self.answers[sector].retain(|&number| number <= truth);
                for (request, _, least) in self.open.values_mut().filter(|(request, ..)| !request.is_write())
                {
                    let its = sectors(request, 0);
                    if its.contains(&sector) {
                        least[sector - its.start] = 0;
                    }
                }
            }
        }
        self.follow(&did);
        self.check();
    }

    /// The writes that the partner lacks now: those held last.
    fn lacks(&self, takes: Span) -> BTreeSet<u64> {
        let lacks = |&&(_, held): &&(u64, Time)| held + takes > self.now;
        self.copies.iter().filter(lacks).map(|&(number, _)| number).collect()
    }

    /// The partner has taken over: exactly the writes that it lacked are lost.
    fn is_taken_over(&mut self, lacks: &BTreeSet<u64>, lost_before: u64) {
        let acknowledged: BTreeSet<u64> = self.answers.iter().flatten().copied().collect();
        let lost = lacks.intersection(&acknowledged).count() as u64;
        assert_eq!(self.bench.component.lag.lost - lost_before, lost, "what is counted");
        self.lost_writes += lost;
        for sector in 0..self.device.len() {
            assert!(
                !lacks.contains(&self.device[sector]),
                "the device of sector {sector} is ahead of the partner"
            );
            for list in [&mut self.versions[sector], &mut self.answers[sector]] {
                list.retain(|number| !lacks.contains(number));
            }
            if let Some(has) = self.memory.get(&sector).copied().filter(|has| lacks.contains(has)) {
                // The sector has its earlier content, unless that went to the device.
                match self.versions[sector].last() {
                    Some(&before) if before > self.device[sector] => self.memory.insert(sector, before),
                    _ => self.memory.remove(&sector),
                };
                assert!(has > self.truth(sector));
            }
            self.acknowledged[sector] = self.answers[sector].last().copied().unwrap_or(0);
            for (request, _, least) in self.open.values_mut().filter(|(request, ..)| !request.is_write()) {
                let its = sectors(request, 0);
                if its.contains(&sector) {
                    let place = sector - its.start;
                    least[place] = least[place].min(self.acknowledged[sector]);
                }
            }
        }
        self.copies.clear();
    }

    /// The number of the write that a read of the sector through the cache returns.
    fn truth(&self, sector: usize) -> u64 {
        self.memory.get(&sector).copied().unwrap_or(self.device[sector])
    }

    /// Checks that no acknowledged write is lost.
    pub(super) fn check(&self) {
        for sector in 0..self.device.len() {
            let (truth, least) = (self.truth(sector), self.acknowledged[sector]);
            assert!(truth >= least, "sector {sector} has write {truth}, and {least} was acknowledged");
        }
    }

    /// Handles the actions of the cache, in the order that matters: first the writes that it holds, then its child requests.
    fn follow(&mut self, did: &InputEffects) {
        for &(id, place) in &did.entered {
            if place == BenchRequestPlace::Here(segment::PARTNER) && self.held.insert(id) {
                let (request, number, _) = &self.open[&id];
                for sector in sectors(request, 0) {
                    self.memory.insert(sector, *number);
                    self.versions[sector].push(*number);
                }
                if self.bench.component.failing.has_partner() {
                    self.copies.push((*number, self.now));
                }
            }
        }
        for &(port, message) in &did.sent {
            match message {
                Message::Request(part, _) => self.asked(port, part),
                Message::Abort(part) => {
                    self.at_devices.iter_mut().filter(|at| at.part == part).for_each(|at| at.aborted = true);
                }
                Message::Done(id, status) => self.answered(id, status),
                _ => {}
            }
        }
    }

    fn asked(&mut self, port: u16, part: RequestId) {
        let request = *self.bench.requests().request(part);
        let its = sectors(&request, 10);
        let data = match request.parent {
            _ if !request.is_write() => Vec::new(),
            Some(parent) => vec![self.open[&parent].1; its.len()],
            None => its.clone().map(|sector| self.truth(sector)).collect(),
        };
        // A write through replaces the held block: the device gets the data of the write.
        self.at_devices.push(AtDevice { port, part, sectors: its, data, aborted: false });
    }

    fn answered(&mut self, id: RequestId, status: Status) {
        let (request, number, least) = self.open.remove(&id).expect("it was asked");
        let held = self.held.remove(&id);
        for (place, sector) in sectors(&request, 0).enumerate() {
            if status == GOOD && request.is_write() {
                if !held {
                    // After a write through the device has the data, and the cache has them too if it holds the block as dirty.
                    if let Some(newest) = self.memory.get_mut(&sector) {
                        *newest = number;
                    }
                }
                self.acknowledged[sector] = number;
                self.answers[sector].push(number);
            } else if status == GOOD {
                let truth = self.truth(sector);
                assert!(
                    truth >= least[place],
                    "sector {sector} is read as write {truth}, {} was there before",
                    least[place]
                );
            }
        }
        self.good += u64::from(status == GOOD);
        let did = self.bench.close_request(self.now, ASKED, id);
        self.follow(&did);
    }

    /// Ends the test: all parts work again, devices carry out their requests, and the cache is flushed.
    pub(super) fn finish(&mut self) {
        for what in 0..=failures::THINGS.len() {
            self.act(what, true);
        }
        self.bench.component.cache.flush();
        for _ in 0..20_000 {
            self.arrive(0, GOOD);
            self.tick(50);
            if self.at_devices.is_empty()
                && self.open.is_empty()
                && self.bench.component.cache_content().dirty_block_count() == 0
            {
                break;
            }
            if self.at_devices.is_empty() && self.open.is_empty() {
                // The cache may have given up a device; a request that is carried out there ends this state.
                for device in 0..DEVICES {
                    self.read(device, 0, SECTORS);
                }
                self.bench.component.cache.flush();
            }
        }
        assert_eq!(
            (self.open.len(), self.bench.component.cache_content().dirty_block_count()),
            (0, 0),
            "it gets nowhere"
        );
        for sector in 0..self.device.len() {
            assert!(
                self.device[sector] >= self.acknowledged[sector],
                "the device has all of sector {sector}"
            );
        }
        self.tick(1_000_000);
        assert_eq!(self.bench.leftovers(), [""; 0]);
    }
}
