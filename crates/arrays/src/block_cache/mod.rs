//! A cache of blocks before devices. It presents a device for each device behind it, of the same capacity; all share its memory.
//!
//! Longer than 500 lines: the state of the cache, its messages and all that it reports are in one place.
//!
//! [`sansim_cache::BlockCache`], which has no time, decides about the content, replacement, read-ahead and dirty blocks of the cache. This
//! module adds times and accesses to the devices behind.
//!
//! | file | what it is about |
//! | --- | --- |
//! | `look_up.rs` | look-ups, and requests that wait |
//! | `reads.rs` | reads: hits, fetches, blocks in flight already |
//! | `writes.rs` | writes: back, through, and those that wait |
//! | `lag.rs` | asynchronous mirroring: the writes that the partner does not have yet |
//! | `returns.rs` | child requests that are done |
//! | `background.rs` | read-ahead, destaging, fetches that complete partly written blocks |
//! | `errors.rs` | devices that fail background requests |
//! | `flushes.rs` | flushes and deallocations |
//! | `failures.rs` | the cache itself: its memory, its partner, its battery, its power; aborts |
//! | `memory.rs` | its memory, which moves the data of one request at a time |
//! | `stocks.rs` | its stocks: dirty blocks, valid blocks, writes that the partner lacks |
//! | `space.rs` | the devices as one address space |
//!
//! * A read is looked up in the cache. Missing blocks are fetched by child requests; if blocks are in flight already the read waits for
//!   them. When all blocks are there, the data of the read are moved out of the memory, and the read is answered.
//! * The data of a write are moved into the memory; then the write is looked up. If the cache can hold the write, it is answered, with a
//!   mirrored cache when the partner has a copy. If the cache cannot hold the write, a child request writes it through, and it is answered
//!   when the child request is done; or the write waits for space.
//! * A flush has the dirty blocks of its device destaged, unless a battery protects them, and goes on to the device then. A deallocation
//!   drops the blocks that it covers and goes on to the device.
//! * A write through is not overtaken: requests to the device that touch one of its blocks wait.
//! * An answer of a device other than GOOD (BUSY, QUEUE FULL, an error) to a child request is passed on. A background request of the cache is retried
//!   if it must be done, and dropped if it was read-ahead.
//!
//! Assumptions: transfers between the cache and a device behind do not wait for the memory; a look-up takes the same time for every request, whatever
//! else is looked up; read-ahead data use the paths of the other requests.

mod background;
mod catalogue;
mod demand;
mod errors;
mod failures;
mod flushes;
mod lag;
mod layered;
mod look_up;
mod memory;
mod parameters;
mod reads;
mod returns;
mod space;
mod stocks;
mod warm;
mod writes;

pub use parameters::BlockCacheParameters;

use background::ToFetch;
use catalogue::{CATALOGUE, block, figure, gauge, meter, segment};
use errors::Trouble;
use failures::Failing;
use flushes::Flush;
use lag::Lag;
use memory::Memory;
use sansim_cache::BlockCache;
use sansim_cache::HitRatioSettling;
use sansim_cache::block_cache::CacheAnswer;
use sansim_component::child_requests::ChildRequests;
use sansim_component::demand::{Demand, DemandContext, RequestClass};
use sansim_component::policy::{PathChoice, PathParameters};
use sansim_component::{
    Action, BuildContext, Component, Context, ControllerResources, DeviceAccess, DeviceRole, EventTurn,
    LeftoverFindings, Message, StockLevel, Timer, WarmAccessResult, WarmUpProgress,
};
use sansim_kernel::{RandomStream, TICKS_PER_NS, Time, TimeWeighted, Total};
use sansim_request::{Operation, RequestId, RequestMap, Status};
use sansim_rules::rules_of_run::set_now_ns;
use sansim_schema::catalogue::Catalogue;
use space::Space;
use std::collections::VecDeque;
use std::ops::Range;

/// Timers of the cache. Units of events have the same numbers as timers; the units of devices that pause follow.
mod what {
    pub const LOOK_UP: u8 = 0;
    pub const MEMORY: u8 = 1;
    pub const PARTNER: u8 = 2;
    pub const RETRY: u8 = 3;
    pub const COPY: u8 = 4;
}

/// The stage of a request in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The data of the request are in flight to the cache.
    Data,
    /// The data of the request wait for the memory, or are being moved.
    Memory,
    /// The cache looks the request up.
    LookUp,
    /// The request waits for free blocks, or for an earlier write.
    Waits,
    /// The child requests of the request are at devices behind the cache.
    Behind,
    /// The request waits for blocks that another request is fetching.
    Awaits,
    /// The partner gets a copy of the write.
    Partner,
    /// The flush waits until the dirty blocks of its device are destaged.
    Flushes,
    /// The request has been answered.
    Answered,
}

/// A request that the cache has.
#[derive(Clone, Copy, Debug)]
struct InHand {
    /// The port by which the request came.
    port: u16,
    operation: Operation,
    /// The index of the device behind the cache.
    place: u32,
    /// The first byte of the request on that device.
    from: u64,
    bytes: u64,
    stage: Stage,
    /// The number of blocks that other requests fetch and for which this one waits, and whether some of them could not be fetched; for a
    /// flush, whether it went on before its blocks were destaged.
    awaits: u64,
    missed: bool,
    /// The outcome of the child requests: the first status other than GOOD.
    status: Status,
    /// Whether the initiator has aborted the request.
    aborted: bool,
    /// Whether the cache failed while it had the request.
    lost: bool,
}

/// The purpose of a child request.
#[derive(Clone, Copy, Debug)]
enum Asked {
    /// The child request fetches blocks for the cache; with a request if they are a part of it.
    Fetch(Option<RequestId>),
    /// The child request fetches bytes for a request that are not put into the cache.
    Bypass(RequestId),
    /// The child request writes a request through.
    Through(RequestId),
    /// The child request is the flush or the deallocation of a request.
    Onward(RequestId),
    /// The child request destages blocks.
    Destage,
}

/// A child request in flight, with its purpose.
#[derive(Clone, Debug)]
struct UnderWay {
    what: Asked,
    blocks: Range<u64>,
    /// The number of restarts of the cache when the child request was sent.
    era: u32,
}

/// A request that waits for blocks that others fetch, with the number of blocks that are still to come.
#[derive(Clone, Debug)]
struct Awaited {
    request: RequestId,
    blocks: Range<u64>,
    left: u64,
}

/// Counters of the component, in addition to those of the cache itself.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    /// The number of destages that failed.
    not_destaged: u64,
    /// The number of blocks that were lost.
    lost: u64,
}

/// A cache of blocks as a component: it presents a device for each device behind it.
#[derive(Clone, Debug)]
pub struct DeviceCache {
    parameters: BlockCacheParameters,
    cache: BlockCache,
    space: Space,
    /// For each device number of the system, the index of the presented device; none if the cache does not present it.
    places: Vec<Option<u32>>,
    behind: ChildRequests,
    /// The resources of the controller that contains the cache.
    inside: ControllerResources,
    in_hand: RequestMap<InHand>,
    under_way: RequestMap<UnderWay>,
    looking: VecDeque<(Time, RequestId)>,
    look_ups: TimeWeighted,
    memory: Memory,
    at_partner: VecDeque<(Time, RequestId)>,
    /// The writes that the partner lacks, with asynchronous mirroring.
    lag: Lag,
    /// Requests that wait for space or for an earlier write, in the order of their arrival.
    waiting: VecDeque<RequestId>,
    /// Whether blocks have changed their state since the waiting requests were checked.
    has_changed: bool,
    awaited: Vec<Awaited>,
    /// Writes in flight to devices that no later write may overtake, with their blocks.
    ordered: Vec<(RequestId, Range<u64>)>,
    /// The flushes that wait for destages.
    flushes: Vec<Flush>,
    to_fetch: VecDeque<ToFetch>,
    /// Blocks that are to be destaged and wait for an earlier write.
    to_destage: VecDeque<Range<u64>>,
    destages: u32,
    trouble: Trouble,
    failing: Failing,
    counts: Counts,
    /// The number of the next background request.
    asked: u64,
    answer: CacheAnswer,
    ranges: Vec<Range<u64>>,
    settling: HitRatioSettling,
    has_settled: bool,
    /// The number of dirty blocks when the hit ratio had settled and their number had not.
    dirty_before: u32,
    /// The most destages in flight.
    destages_at_once: u32,
    /// Whether a rule of the user decides anything in the cache.
    has_own_rules: bool,
    fault: Option<String>,
}

impl DeviceCache {
    /// An empty cache before devices of these capacities. `places` has, for each device number of the system, the index of the device if
    /// the cache presents it.
    pub fn new(
        parameters: &BlockCacheParameters,
        capacities: &[u64],
        places: Vec<Option<u32>>,
        behind: ChildRequests,
        random: RandomStream,
    ) -> Self {
        let space = Space::new(&parameters.cache, capacities);
        let fault =
            space.is_none().then(|| "the devices behind it hold more than 16 EiB together".to_owned());
        let space = space.or_else(|| Space::new(&parameters.cache, &[0])).unwrap_or_default();
        let cache = BlockCache::over_devices(&parameters.cache, space.devices(), random);
        Self {
            settling: HitRatioSettling::new(cache.capacity(), HitRatioSettling::TOLERANCE),
            has_settled: false,
            dirty_before: 0,
            destages_at_once: parameters.destages_at_once.unwrap_or(1),
            has_own_rules: parameters.cache.has_own_rules(),
            space,
            // If the devices exceed the address space, no device is presented.
            places: if fault.is_some() { Vec::new() } else { places },
            trouble: Trouble::new(capacities.len(), parameters.retry_time, parameters.retries),
            behind,
            inside: ControllerResources::default(),
            in_hand: RequestMap::default(),
            under_way: RequestMap::default(),
            looking: VecDeque::with_capacity(64),
            look_ups: TimeWeighted::new(),
            memory: Memory::new(parameters.memory_bandwidth),
            at_partner: VecDeque::with_capacity(64),
            lag: Lag::new(&parameters.cache),
            waiting: VecDeque::with_capacity(64),
            has_changed: false,
            awaited: Vec::with_capacity(64),
            ordered: Vec::with_capacity(64),
            flushes: Vec::new(),
            to_fetch: VecDeque::with_capacity(64),
            to_destage: VecDeque::with_capacity(64),
            destages: 0,
            failing: Failing::default(),
            counts: Counts::default(),
            asked: 0,
            answer: CacheAnswer::default(),
            ranges: Vec::with_capacity(64),
            fault,
            parameters: parameters.clone(),
            cache,
        }
    }

    /// Sets the controller that contains the cache as a module.
    #[must_use]
    pub fn with_controller(self, inside: ControllerResources) -> Self {
        Self { inside, ..self }
    }

    /// The cache without its times.
    pub fn cache_content(&self) -> &BlockCache {
        &self.cache
    }

    fn arrive(&mut self, cx: &mut Context<'_>, port: u16, id: RequestId) {
        let request = *cx.request(id);
        let place = self.places.get(request.device as usize).copied().flatten();
        let new = InHand {
            port,
            operation: request.operation,
            place: place.unwrap_or(0),
            from: request.first_byte(),
            bytes: request.bytes,
            stage: Stage::Data,
            awaits: 0,
            missed: false,
            status: Status::Good,
            aborted: false,
            lost: false,
        };
        self.in_hand.insert(id, new);
        if place.is_none() || !self.failing.works() {
            self.answer(cx, id, Status::Failed);
        } else if request.is_write() {
            cx.ledger().locate_request(id, segment::DATA);
            cx.send(port, Message::WriteCredit(id, request.data_bytes()));
        } else {
            self.look_up(cx, id);
        }
    }

    /// All data of a write have come.
    fn data_in(&mut self, cx: &mut Context<'_>, id: RequestId) {
        if self.in_hand.get(&id).is_some_and(|in_hand| in_hand.stage == Stage::Data) {
            self.move_data(cx, id);
        }
    }

    /// Rules of the user get the time of an input: the cache itself has none.
    #[inline]
    fn set_rule_time(&self, now: Time) {
        if self.has_own_rules {
            set_now_ns(now.ticks() / TICKS_PER_NS);
        }
    }

    fn stage(&self, id: RequestId) -> Option<Stage> {
        self.in_hand.get(&id).map(|in_hand| in_hand.stage)
    }

    fn put(&mut self, id: RequestId, stage: Stage) {
        if let Some(in_hand) = self.in_hand.get_mut(&id) {
            in_hand.stage = stage;
        }
    }

    /// The bytes of a request in the address space of the cache.
    fn bytes_of(&self, in_hand: &InHand) -> Range<u64> {
        self.space.bytes(in_hand.place, in_hand.from..in_hand.from.saturating_add(in_hand.bytes))
    }

    /// Whether a write of these blocks would overtake an ordered write in flight.
    fn overtakes(&self, blocks: &Range<u64>) -> bool {
        self.ordered.iter().any(|(_, ahead)| ahead.start < blocks.end && blocks.start < ahead.end)
    }

    fn answer(&mut self, cx: &mut Context<'_>, id: RequestId, status: Status) {
        let Some(in_hand) = self.in_hand.get_mut(&id) else { return };
        if in_hand.operation == Operation::Flush {
            self.flushes.retain(|flush| flush.request != id);
        }
        in_hand.stage = Stage::Answered;
        if in_hand.awaits > 0 {
            in_hand.awaits = 0;
            self.awaited.retain(|awaited| awaited.request != id);
        }
        cx.ledger().locate_request(id, segment::MEMORY_QUEUE);
        cx.answer_from_memory(in_hand.port, id, status);
    }
}

/// Sets a timer of a kind that is set only once at a time.
fn wake(cx: &mut Context<'_>, at: Time, what: u8) {
    cx.set_timer(at, EventTurn::turn_of_node(u32::from(what)), Timer::new(what, 0));
}

impl Component for DeviceCache {
    type Parameters = (BlockCacheParameters, PathParameters);
    type Role = DeviceRole;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn demand(
        (parameters, _): &Self::Parameters,
        class: &RequestClass,
        around: &DemandContext<'_>,
    ) -> Option<Demand> {
        demand::of(parameters, class, around)
    }

    fn build((parameters, path): &Self::Parameters, cx: &BuildContext<'_, DeviceRole>) -> Self {
        let random = cx.random_stream("replacement");
        let behind = ChildRequests::new(cx, path, segment::FAIL_OVER);
        let cache = Self::new(parameters, &cx.device_capacities(), cx.device_indices(), behind, random);
        let devices = cx.behind.iter().fold(0_u64, |sum, behind| sum.saturating_add(behind.takes));
        let devices = u32::try_from(devices).unwrap_or(u32::MAX).max(1);
        Self { destages_at_once: parameters.destages_at_once.unwrap_or(devices), ..cache }
            .with_controller(ControllerResources::new(cx))
    }

    fn warm(&mut self, access: &DeviceAccess, behind: &mut Vec<DeviceAccess>) -> WarmAccessResult {
        self.warm_by(access, behind)
    }

    fn warmth(&self) -> Option<WarmUpProgress> {
        Some(self.how_warm())
    }

    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        self.set_rule_time(cx.now);
        match timer.what {
            what::LOOK_UP => self.look_up_due(cx),
            what::MEMORY => self.memory_due(cx),
            what::PARTNER => self.partner_due(cx),
            what::COPY => self.copy_due(cx),
            what::RETRY => self.retry_due(cx, timer.number),
            PathChoice::TIMER => {
                self.behind.handle_due_timer(cx);
                self.tell_of_lost(cx);
            }
            _ => {}
        }
        self.proceed(cx);
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        self.set_rule_time(cx.now);
        if self.behind.receive(cx, port, message) {
            self.proceed(cx);
            return;
        }
        match message {
            Message::Request(id, _) => self.arrive(cx, port, id),
            Message::WriteDataUpTo(id, upto) if upto == cx.request(id).data_bytes() => self.data_in(cx, id),
            Message::Release(id) => {
                self.in_hand.remove(&id);
            }
            Message::Abort(id) => self.abort(cx, id),
            Message::JobDone(job) => self.job_done(cx, &job),
            _ => {}
        }
        self.proceed(cx);
    }

    fn act(&mut self, cx: &mut Context<'_>, action: Action) {
        self.set_rule_time(cx.now);
        match action {
            Action::Fail => self.memory_fails(cx),
            Action::Repair => self.memory_works(),
            Action::DeviceFails(device) => {
                if let Some(place) = self.behind.device_index(device) {
                    self.backing_fails(cx, place);
                }
            }
            ways => self.behind.apply_action(cx, ways),
        }
        self.tell_of_lost(cx);
        self.proceed(cx);
    }

    fn act_on(&mut self, cx: &mut Context<'_>, thing: usize, works: bool) {
        self.set_rule_time(cx.now);
        self.thing_changes(cx, thing, works);
        self.proceed(cx);
    }

    fn gauge(&self, _now: Time, gauge: usize, _place: u16) -> u32 {
        match gauge {
            gauge::DIRTY => self.cache.dirty_block_count(),
            gauge::RESIDENT => self.cache.resident_block_count(),
            gauge::LAG => self.lag.has(),
            _ => self.behind.child_requests_in_flight(),
        }
    }

    fn busy(&self, now: Time, block: usize) -> Total {
        match block {
            block::LOOK_UP => self.look_ups.total(now),
            _ => self.memory.busy(now),
        }
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        let counts = self.cache.counts();
        let count = match meter {
            meter::MEMORY => return self.memory.busy(now),
            meter::READS => counts.reads,
            meter::READ_HITS => counts.read_hits,
            meter::BLOCKS_READ => counts.blocks_read,
            meter::BLOCKS_HIT => counts.blocks_hit,
            meter::WRITES => counts.writes,
            meter::WRITES_BACK => counts.writes - counts.writes_through,
            meter::OVERWRITTEN => counts.blocks_overwritten,
            meter::DESTAGES => counts.stripes_destaged,
            meter::WHOLE_STRIPES => counts.stripes_destaged_whole,
            meter::BLOCKS_DESTAGED => counts.blocks_destaged,
            meter::NOT_DESTAGED => self.counts.not_destaged,
            meter::EVICTED => counts.blocks_evicted,
            meter::REFUSED => counts.blocks_refused,
            meter::AHEAD => counts.blocks_ahead,
            meter::AHEAD_USED => counts.blocks_ahead_used,
            meter::AHEAD_WASTED => counts.blocks_ahead_wasted,
            meter::LOST => self.counts.lost,
            meter::LOST_WRITES => self.lag.lost,
            _ => 0,
        };
        Total(count.into())
    }

    fn stock(&self, _now: Time, stock: usize) -> Option<StockLevel> {
        self.level(stock)
    }

    fn constant(&self, figure: usize) -> f64 {
        match figure {
            figure::LEFT_DIRTY => f64::from(self.cache.dirty_block_count()),
            _ => f64::from(self.cache.capacity()),
        }
    }

    fn remarks(&self) -> Vec<String> {
        self.failing.losses.clone()
    }

    fn fault(&self) -> Option<String> {
        self.fault.clone().or_else(|| self.behind.stuck_reason())
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        leftovers.check_zero("requests left in a cache", self.in_hand.len() as u64);
        leftovers.check_zero("requests left behind a cache", self.under_way.len() as u64);
        leftovers.check_zero("requests that wait for blocks in a cache", self.awaited.len() as u64);
    }
}

#[cfg(test)]
mod tests;
