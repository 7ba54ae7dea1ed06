//! A test world: devices as blocks of one byte each, behind an array on the bench, and the data that a job of the array may use.
//!
//! A device carries out a request at some later time, or does not carry it out. The content of a write is calculated only from the data
//! that the job has read since it was planned, and from the data of its host.

use super::*;
use crate::array::job::{LOOK, Phase, Task};
use sansim_component::bench::{sample_read, sample_write};
use sansim_kernel::RandomStream;
use sansim_raid::layout::{ErasureCode, MemberRow, RaidLevel, StripeUnit};
use sansim_request::{BLOCK_BYTES, Request};
use std::collections::{BTreeMap, HashMap, HashSet};

#[path = "../../../../raid/tests/common/galois.rs"]
mod galois;
mod knowledge;

/// A device behind the array: a byte for each block.
struct Device {
    blocks: Vec<u8>,
    works: bool,
    /// Blocks that cannot be read.
    unreadable: HashSet<usize>,
}

/// A request that a device has not carried out yet.
struct Pending {
    at: Time,
    port: u16,
    part: RequestId,
    first: usize,
    /// The data of a write; none for a read.
    content: Option<Vec<u8>>,
    blocks: usize,
    job: u32,
    /// Whether the device worked when the request was sent to it.
    works: bool,
}

/// A request of a host.
struct Wanted {
    id: RequestId,
    first: usize,
    blocks: usize,
    /// The data of a write.
    content: Option<Vec<u8>>,
    aborted: bool,
    /// Whether power was lost while the array had the request.
    cut: bool,
}

/// The values of blocks, by stripe, position and offset within the stripe unit.
type Blocks = BTreeMap<(u64, u32, u64), u8>;

/// Faults, each with its frequency in a thousand.
#[derive(Clone, Copy, Default)]
pub struct Chances {
    pub busy: u64,
    pub abort: u64,
    pub fail: u64,
    pub unreadable: u64,
    pub replace: u64,
    /// Power of the array is lost, and with it the content of its memory if the memory is volatile.
    pub power: u64,
}

pub struct World {
    pub bench: ComponentBench<DiskArray>,
    pub random: RandomStream,
    devices: Vec<Device>,
    pending: Vec<Pending>,
    wanted: Vec<Wanted>,
    /// The permitted values of each block of the array.
    may_be: Vec<Vec<u8>>,
    /// Blocks that jobs have read since their latest plan, with the number of the plan.
    gathered: HashMap<u32, (u32, Blocks)>,
    pub now: Time,
    pub answers: HashMap<u8, u32>,
    next_value: u64,
    /// The jobs of the reads of hosts.
    job_of: HashMap<RequestId, u32>,
    /// Data of hosts by job, with their first block.
    written_by: HashMap<u32, (usize, Vec<u8>)>,
    /// Whether the array has no power.
    down: bool,
    /// The most members that were rebuilt at once.
    pub at_once: usize,
}

const NS: Span = Span::from_ns(1);

impl World {
    pub fn new(keys: &str, devices: u32, bytes: u64, seed: u64) -> Self {
        let bench = array(keys, devices, bytes);
        let blocks = (bytes / BLOCK_BYTES) as usize;
        let device = || Device { blocks: vec![0; blocks], works: true, unreadable: HashSet::new() };
        let capacity = (bench.component.array.layout.capacity() / BLOCK_BYTES) as usize;
        let mut world = Self {
            bench,
            random: RandomStream::new(seed, "world"),
            devices: (0..devices).map(|_| device()).collect(),
            pending: Vec::new(),
            wanted: Vec::new(),
            may_be: vec![vec![0]; capacity],
            gathered: HashMap::new(),
            now: Time::ZERO,
            answers: HashMap::new(),
            next_value: 1,
            job_of: HashMap::new(),
            written_by: HashMap::new(),
            down: false,
            at_once: 0,
        };
        let did = world.bench.start();
        world.take(did, Chances::default());
        world
    }

    fn layout(&self) -> &sansim_raid::ArrayLayout {
        &self.bench.component.array.layout
    }

    /// The number of members that do not hold all of their content, or will not when the array learns of a failure.
    fn away(&self) -> u32 {
        let component = &self.bench.component;
        let members = 0..self.layout().member_count();
        let away = |member: &u32| {
            component.array.health.member_state(*member) != MemberState::Working
                || !self.devices[component.members.member_device(*member) as usize].works
        };
        members.filter(away).count() as u32
    }

    fn has_unreadable(&self) -> bool {
        self.devices.iter().any(|device| device.works && !device.unreadable.is_empty())
    }

    /// Runs this many steps, with one event in each.
    pub fn go_on(&mut self, steps: u32, chances: Chances) {
        for _ in 0..steps {
            self.happen(chances);
            self.step(chances);
        }
    }

    /// A failure, a repair or another event from outside may happen.
    fn happen(&mut self, chances: Chances) {
        let stands = self.layout().erasure_code().checks();
        let mut hits = |chance: u64| self.random.draw_below(1000) < chance;
        let [new, abort, fail, unreadable, replace, power] = [
            hits(300),
            hits(chances.abort),
            hits(chances.fail),
            hits(chances.unreadable),
            hits(chances.replace),
            hits(chances.power),
        ];
        if power && !self.down {
            self.down = true;
            self.wanted.iter_mut().for_each(|one| one.cut = true);
            let did = self.bench.apply_action(self.now, sansim_component::Action::Fail);
            self.take(did, chances);
        } else if self.down && self.wanted.is_empty() {
            self.down = false;
            let did = self.bench.apply_action(self.now, sansim_component::Action::Repair);
            self.take(did, chances);
        }
        if new && !self.down && self.wanted.len() < 6 {
            self.want(chances);
        }
        if abort && !self.wanted.is_empty() {
            let place = self.random.draw_below(self.wanted.len() as u64) as usize;
            if !self.wanted[place].aborted {
                self.wanted[place].aborted = true;
                let id = self.wanted[place].id;
                let did = self.receive(ASKED, Message::Abort(id));
                self.take(did, chances);
            }
        }
        if fail && self.away() + u32::from(self.has_unreadable()) < stands {
            let place = self.random.draw_below(self.devices.len() as u64) as usize;
            if self.devices[place].works {
                self.fail(place, chances);
            }
        }
        if unreadable && !self.has_unreadable() && self.away() < stands {
            let place = self.random.draw_below(self.devices.len() as u64) as usize;
            let block = self.random.draw_below(self.devices[place].blocks.len() as u64) as usize;
            self.devices[place].unreadable.insert(block);
        }
        // A failed device that the array has not noticed would be confused with its replacement.
        if replace && let Some(&place) = self.bench.component.members.gone.first() {
            self.repair(place as usize);
        }
    }

    fn fail(&mut self, place: usize, chances: Chances) {
        self.devices[place].works = false;
        // The pending requests of a device are answered when it fails.
        while let Some(number) = self.pending.iter().position(|one| usize::from(one.port) == 1 + place) {
            let one = self.pending.remove(number);
            let did = self.receive(one.port, Message::Done(one.part, FAILED));
            self.take(did, chances);
        }
    }

    /// A replacement with other content is put in place of the device.
    fn repair(&mut self, place: usize) {
        let device = &mut self.devices[place];
        device.works = true;
        device.unreadable.clear();
        for block in &mut device.blocks {
            *block = self.random.next_u64() as u8;
        }
    }

    /// A host issues a request that overlaps no write in flight.
    fn want(&mut self, chances: Chances) {
        let capacity = self.may_be.len() as u64;
        let stripe = (self.layout().stripe_bytes() / BLOCK_BYTES).min(capacity);
        let most = [1, stripe, 3 * stripe][self.random.draw_below(3) as usize].min(capacity);
        let blocks = 1 + self.random.draw_below(most);
        let first = self.random.draw_below(capacity - blocks + 1) as usize;
        let (blocks, is_write) = (blocks as usize, self.random.draw_below(2) == 0);
        let meets = |other: &Wanted| {
            first < other.first + other.blocks
                && other.first < first + blocks
                && (is_write || other.content.is_some())
        };
        if !self.wanted.iter().any(meets) {
            self.ask(first, blocks, is_write, chances);
        }
    }

    fn ask(&mut self, first: usize, blocks: usize, is_write: bool, chances: Chances) {
        let (lba, bytes) = (first as u64, blocks as u64 * BLOCK_BYTES);
        let content = is_write.then(|| {
            let mut next = || {
                self.next_value += 1;
                (self.next_value % 251) as u8
            };
            (0..blocks).map(|_| next()).collect::<Vec<u8>>()
        });
        if let Some(content) = &content {
            for (may_be, value) in self.may_be[first..].iter_mut().zip(content) {
                may_be.push(*value);
            }
        }
        let request: Request = if is_write { sample_write(lba, bytes) } else { sample_read(lba, bytes) };
        let id = self.bench.open_request(self.now, request);
        self.wanted.push(Wanted { id, first, blocks, content, aborted: false, cut: false });
        let did = self.receive(ASKED, Message::Request(id, self.now));
        self.take(did, chances);
    }

    fn receive(&mut self, port: u16, message: Message) -> InputEffects {
        self.bench.receive(self.now, port, message)
    }

    /// The next due event happens: a timer of the array, or a pending request of a device.
    fn step(&mut self, chances: Chances) {
        self.at_once = self.at_once.max(self.bench.component.rebuilds.len());
        let timer = self.bench.timers().first().map(|&(at, _)| at);
        let next = (0..self.pending.len()).min_by_key(|&place| self.pending[place].at);
        let at = next.map(|place| self.pending[place].at);
        match (timer, at) {
            (Some(timer), at) if at.is_none_or(|at| timer <= at) => {
                self.now = timer;
                let did = self.bench.handle_due_timer(timer);
                self.take(did, chances);
            }
            (_, Some(at)) => {
                self.now = at;
                let one = self.pending.remove(next.unwrap_or(0));
                self.carry_out(one, chances);
            }
            _ => self.now += NS,
        }
    }

    fn carry_out(&mut self, one: Pending, chances: Chances) {
        let place = usize::from(one.port) - 1;
        let device = &mut self.devices[place];
        let range = one.first..one.first + one.blocks;
        let status = if !one.works {
            FAILED
        } else if self.random.draw_below(1000) < chances.busy {
            Status::Busy
        } else if let Some(content) = &one.content {
            device.blocks[range.clone()].copy_from_slice(content);
            range.for_each(|block| {
                device.unreadable.remove(&block);
            });
            GOOD
        } else if range.clone().any(|block| device.unreadable.contains(&block)) {
            Status::Unreadable
        } else {
            let values = device.blocks[range].to_vec();
            self.gather(&one, &values);
            GOOD
        };
        let did = self.receive(one.port, Message::Done(one.part, status));
        self.take(did, chances);
    }

    /// Handles the actions of the array.
    fn take(&mut self, did: InputEffects, chances: Chances) {
        for (port, message) in did.sent {
            match message {
                Message::Request(part, _) => self.is_asked(port, part),
                Message::WriteCredit(id, upto) if port == ASKED => {
                    let did = self.receive(ASKED, Message::WriteDataUpTo(id, upto));
                    self.take(did, chances);
                }
                Message::Abort(part) => {
                    let Some(number) = self.pending.iter().position(|one| one.part == part) else { continue };
                    if self.random.draw_below(2) == 0 {
                        let one = self.pending.remove(number);
                        let did = self.receive(one.port, Message::Done(one.part, Status::Aborted));
                        self.take(did, chances);
                    }
                }
                Message::Done(id, status) if port == ASKED => self.is_answered(id, status, chances),
                _ => {}
            }
        }
    }

    fn is_asked(&mut self, port: u16, part: RequestId) {
        let request = *self.bench.requests().request(part);
        let of = *self.bench.component.part_of.get(&part).expect("a part of something");
        if let Some(parent) = request.parent {
            self.job_of.insert(parent, of.job);
            let wanted = self.wanted.iter().find(|one| one.id == parent).expect("it was asked for");
            if let Some(content) = &wanted.content {
                self.written_by.insert(of.job, (wanted.first, content.clone()));
            }
        }
        let (first, blocks) = (request.lba, request.block_count());
        let strip = self.layout().stripe_unit_bytes() / BLOCK_BYTES;
        let content = request.is_write().then(|| {
            let slot = |block: u64| MemberRow { member: of.member, row: block / strip };
            (first..first + blocks).map(|block| self.content(of.job, slot(block), block % strip)).collect()
        });
        let at = self.now + Span::from_ns(1 + self.random.draw_below(40));
        let (first, blocks) = (first as usize, blocks as usize);
        let works = self.devices[usize::from(port) - 1].works;
        self.pending.push(Pending { at, port, part, first, content, blocks, job: of.job, works });
    }

    fn is_answered(&mut self, id: RequestId, status: Status, chances: Chances) {
        let place = self.wanted.iter().position(|one| one.id == id).expect("it was asked for");
        let one = self.wanted.remove(place);
        *self.answers.entry(status as u8).or_default() += 1;
        assert!(
            one.cut || !matches!(status, Status::Failed | Status::Unreadable),
            "{status:?}: the level makes up for it"
        );
        let range = one.first..one.first + one.blocks;
        match (&one.content, status) {
            (Some(content), GOOD) => {
                for (may_be, value) in self.may_be[range].iter_mut().zip(content) {
                    *may_be = vec![*value];
                }
                let bytes = one.first as u64 * BLOCK_BYTES..(one.first + one.blocks) as u64 * BLOCK_BYTES;
                self.bench.component.damaged.remove(bytes);
            }
            (None, GOOD) => self.check(&one, range),
            _ => {}
        }
        let did = self.bench.close_request(self.now, ASKED, id);
        self.take(did, chances);
    }

    /// Checks that a read returns a permitted value. The job of the read has ended just now, and its number is not reused yet.
    fn check(&self, one: &Wanted, range: std::ops::Range<usize>) {
        let component = &self.bench.component;
        let layout = &component.array.layout;
        let job = self.job_of[&one.id];
        for block in range {
            let (unit, within) =
                layout.data_unit_of_offset(block as u64 * BLOCK_BYTES).expect("within the array");
            let found = self.found(job, unit, within / BLOCK_BYTES, |_| true);
            let found = found.expect("what is answered has been read");
            // After a power failure a reconstructed block may be wrong; then the array must report and count it.
            let from = block as u64 * BLOCK_BYTES;
            let is_told = component.is_wrong(job) && component.counts[meter::WRONG_READS] > 0
                || component.damaged.first_within(from..from + BLOCK_BYTES).is_some();
            assert!(
                is_told || self.may_be[block].contains(&found),
                "block {block} is {found}, but may be {:?}",
                self.may_be[block]
            );
        }
    }

    /// Ends the test: no more failures happen, all devices are replaced, and all work ends; then all blocks are read.
    pub fn end(&mut self) {
        let none = Chances::default();
        if std::mem::take(&mut self.down) {
            let did = self.bench.apply_action(self.now, sansim_component::Action::Repair);
            self.take(did, none);
        }
        self.settle();
        let capacity = self.may_be.len();
        for first in (0..capacity).step_by(7) {
            self.ask(first, 7.min(capacity - first), false, none);
            while !self.wanted.is_empty() {
                self.step(none);
            }
        }
        self.settle();
        assert_eq!(self.bench.leftovers(), [""; 0]);
        self.assert_checks_agree();
    }

    /// Ends the test: no more requests or failures come, and all stripes are scrubbed twice.
    pub fn end_scrubbed(&mut self) {
        let none = Chances::default();
        if std::mem::take(&mut self.down) {
            let did = self.bench.apply_action(self.now, sansim_component::Action::Repair);
            self.take(did, none);
        }
        while !self.wanted.is_empty() {
            self.step(none);
        }
        let scrubbed = |world: &Self| world.bench.component.counts[meter::SCRUBBED_BYTES];
        let until = scrubbed(self) + 3 * self.layout().capacity();
        while scrubbed(self) < until || !self.pending.is_empty() {
            self.step(none);
        }
        self.assert_checks_agree();
    }

    /// Runs until all work has ended.
    fn settle(&mut self) {
        let none = Chances::default();
        for _ in 0..200_000 {
            let gone = &self.bench.component.members.gone;
            if let Some(&place) = gone.iter().find(|place| !self.devices[**place as usize].works) {
                self.repair(place as usize);
            }
            let component = &self.bench.component;
            let is_idle = self.wanted.is_empty() && self.pending.is_empty() && component.rebuilds.is_empty();
            let is_quiet = component.jobs.iter().all(|job| job.phase == Phase::Free);
            if is_idle && is_quiet && self.bench.timers().is_empty() {
                if self.bench.component.array.health.all_members_work() {
                    return;
                }
                // The array looks for replacements when it gets a request.
                self.now += Span::from_ms(1);
                self.ask(0, 1, false, none);
            }
            self.step(none);
        }
        panic!("it does not come to rest");
    }

    /// Checks that all checks agree with their data, except those reported as disagreeing; and that few of the latter agree by chance.
    fn assert_checks_agree(&self) {
        let component = &self.bench.component;
        let (array, layout) = (&component.array, &component.array.layout);
        let (data, strip) = (layout.raid_level().data_units(), layout.stripe_unit_bytes() / BLOCK_BYTES);
        let block = |stripe: u64, position: u32, within: u64| {
            let slot = layout.raid_level().slot(stripe, position);
            let device = &self.devices[component.members.member_device(slot.member) as usize];
            device.blocks[(slot.row * strip + within) as usize]
        };
        let (mut told, mut by_chance) = (0, 0);
        let checks = match layout.erasure_code() {
            ErasureCode::None => 0..0,
            ErasureCode::Copies(_) => 0..1,
            ErasureCode::Parity | ErasureCode::DoubleParity => data..data + layout.erasure_code().checks(),
        };
        for (stripe, within) in
            (0..layout.stripe_count()).flat_map(|stripe| (0..strip).map(move |within| (stripe, within)))
        {
            let all: Vec<u8> = (0..data).map(|unit| block(stripe, unit, within)).collect();
            for check in checks.clone() {
                let agrees = match layout.erasure_code() {
                    ErasureCode::Copies(more) => (0..=more).all(|copy| block(stripe, copy, within) == all[0]),
                    _ => block(stripe, check, within) == galois::encode(check, &all),
                };
                let bytes = within * BLOCK_BYTES..(within + 1) * BLOCK_BYTES;
                let number = (check - checks.start) as usize;
                let is_apart = component.agreement.check_disagrees_within(array, stripe, number, bytes);
                assert!(agrees || is_apart, "check {check} of stripe {stripe}");
                told += u32::from(is_apart);
                by_chance += u32::from(is_apart && agrees);
            }
        }
        assert!(by_chance <= 2 + told / 10, "{by_chance} of {told} that are said to be apart agree");
    }
}
