//! An array of devices: RAID as a component, around the plans of `sansim_raid`.
//!
//! * A read is planned at once and sent to the members. A write gets its memory at once and is planned when its data have arrived. A
//!   request is carried out as up to three jobs ([`job`]), each of which reads, calculates and writes ([`execute`]).
//! * One write at a time works on a stripe under parity ([`locks`]); reads that have to recover units wait for the write.
//! * A device that fails, answers with a failure, or has no path left is no longer a member. Requests of a failed member are planned anew,
//!   and its content is recovered from the other members, as far as the level allows. A failed member is then rebuilt ([`rebuild`]).
//! * Unreadable data are recovered from other members and written back ([`recovery`]).
//! * A transient error of a member (BUSY, QUEUE FULL, CHECK CONDITION) is passed to the initiator, which retries. A partly done write under
//!   parity is written to the end nonetheless, because data and checks have to agree.
//! * An aborted request is aborted at the members, as is a request in progress when the array fails; but writes are carried out to the end,
//!   unless the memory is volatile: then data and checks disagree afterwards ([`power`]).
//!
//! Within a controller ([`ControllerResources`]) the controller's processor maps requests to members, and calculates; otherwise the array
//! itself needs no time except for calculations by an engine of its own.
//!
//! Sources: Patterson, Gibson and Katz 1988; Linux md (`drivers/md/raid5.c`, `raid1.c`, `md.c`). Assumption: data pass through the memory
//! of the array.

mod background;
mod catalogue;
mod demand;
mod engine;
mod execute;
mod flushes;
mod job;
mod locks;
mod members;
mod parameters;
mod parts;
mod power;
mod rebuild;
mod recovery;
mod reliability;
mod requests;
mod scrub;
mod warm;

use catalogue::{CATALOGUE, figure, gauge, meter, segment};
pub use parameters::{RaidParameters, RebuildParameters, ReliabilityParameters, ScrubParameters};

use engine::Engine;
use job::{Job, PartOf};
use locks::Locks;
use members::Members;
use rebuild::Rebuild;
use requests::InHand;
use sansim_component::child_requests::ChildRequests;
use sansim_component::demand::{Demand, DemandContext, RequestClass};
use sansim_component::policy::{PathChoice, PathParameters};
use sansim_component::{
    Action, BuildContext, Component, Context, ControllerResources, DeviceAccess, DeviceRole,
    LeftoverFindings, Message, Module, Timer, WarmAccessResult,
};
use sansim_kernel::{Span, Time, TimeWeighted, Total};
use sansim_raid::layout::LayoutError;
use sansim_raid::{Agreement, Array, MemberState, RequestPlan};
use sansim_request::{RequestId, RequestMap, Status};
use sansim_schema::catalogue::Catalogue;
use scrub::Scrubbing;
use std::collections::{BTreeSet, VecDeque};

/// The timers of an array, by their purpose.
mod timer {
    pub const CALCULATION: u8 = 0;
    pub const REBUILD: u8 = 1;
    pub const SCRUB: u8 = 2;
    pub const RETRY: u8 = 3;
}

/// A RAID array as a component: it carries out the plans of `sansim_raid` on its member devices.
#[derive(Clone, Debug)]
pub struct DiskArray {
    parameters: RaidParameters,
    /// The device that the array presents, by its number in the system.
    device: u32,
    array: Array,
    behind: ChildRequests,
    /// The resources of the controller that contains the array.
    inside: ControllerResources,
    members: Members,
    jobs: Vec<Job>,
    /// The numbers of unused entries of `jobs`.
    free: Vec<u32>,
    part_of: RequestMap<PartOf>,
    locks: Locks,
    /// Jobs that have got the stripes for which they waited.
    granted: VecDeque<u32>,
    engine: Engine,
    in_hand: RequestMap<InHand>,
    /// The number of requests of hosts that are not answered.
    load: u32,
    /// The time at which a request of a host was last answered.
    last_load: Option<Time>,
    /// Requests that wait for memory, and the bytes of memory in use.
    waiting: VecDeque<RequestId>,
    memory_used: u64,
    /// The number of the next background request.
    asked: u64,
    /// The rebuilds in progress.
    rebuilds: Vec<Rebuild>,
    /// Members that can be rebuilt but are not in rebuild yet, each with the time at which its rebuild begins.
    due: Vec<(u32, Time)>,
    /// The members that can be rebuilt, each with its state during the rebuild; the buffer is reused.
    can_be: Vec<(u32, MemberState)>,
    turns: u32,
    /// Members whose rebuild has been abandoned.
    given_up: Vec<u32>,
    /// Jobs that were planned before the spare space to which they write was freed.
    strays: Vec<u32>,
    rebuild_time: Span,
    rebuilding: TimeWeighted,
    /// The last time at which failed devices were checked for their repair.
    looked_at: Time,
    scrubbing: Scrubbing,
    /// The request that represents the background work of the array.
    upkeep: Option<RequestId>,
    /// The agreement of checks with their data.
    agreement: Agreement,
    /// Bytes of data that are permanently wrong, for observers.
    #[cfg(test)]
    damaged: sansim_kernel::Ranges,
    /// Stripes that could not be rebuilt.
    lost_stripes: BTreeSet<u64>,
    failed: bool,
    /// The plan of an access of the functional warm-up.
    warming: RequestPlan,
    counts: [u64; meter::ALL],
    fault: Option<String>,
}

impl DiskArray {
    /// An array over devices of these capacities in bytes; `device` is the number of the array itself.
    ///
    /// # Errors
    /// If the devices cannot be laid out as configured.
    pub fn new(
        parameters: &RaidParameters,
        capacities: &[u64],
        device: u32,
        behind: ChildRequests,
    ) -> Result<Self, LayoutError> {
        let array = parameters.array(capacities)?;
        let members = Members::new(array.layout.member_count(), parameters.spares, &parameters.read_policy);
        Ok(Self {
            parameters: parameters.clone(),
            device,
            array,
            behind,
            inside: ControllerResources::default(),
            members,
            jobs: Vec::with_capacity(64),
            free: Vec::with_capacity(64),
            part_of: RequestMap::default(),
            locks: Locks::default(),
            granted: VecDeque::with_capacity(16),
            engine: Engine::default(),
            in_hand: RequestMap::default(),
            load: 0,
            last_load: None,
            waiting: VecDeque::with_capacity(16),
            memory_used: 0,
            asked: 0,
            rebuilds: Vec::with_capacity(4),
            due: Vec::with_capacity(4),
            can_be: Vec::with_capacity(4),
            turns: 0,
            given_up: Vec::new(),
            strays: Vec::new(),
            rebuild_time: Span::ZERO,
            rebuilding: TimeWeighted::new(),
            looked_at: Time::ZERO,
            scrubbing: Scrubbing::default(),
            upkeep: None,
            agreement: Agreement::default(),
            #[cfg(test)]
            damaged: sansim_kernel::Ranges::default(),
            lost_stripes: BTreeSet::new(),
            failed: false,
            warming: RequestPlan::new(),
            counts: [0; meter::ALL],
            fault: None,
        })
    }

    /// Sets the controller that contains the array as a module, and whose processor calculates parity.
    #[must_use]
    pub fn with_controller(self, inside: ControllerResources) -> Self {
        Self { inside, engine: Engine::new(inside), ..self }
    }

    fn count(&mut self, meter: usize, more: u64) {
        self.counts[meter] += more;
    }

    /// Does all work that is possible now: handles the answers of members, begins jobs that have their stripes, continues background work.
    fn go_on(&mut self, cx: &mut Context<'_>) {
        loop {
            if let Some((part, status)) = self.behind.next_done_child() {
                self.part_done(cx, part, status);
            } else if let Some(place) = self.behind.next_lost_device() {
                self.place_fails(cx, place);
            } else if let Some(job) = self.granted.pop_front() {
                self.granted(cx, job);
            } else if !self.rebuild_on(cx) && !self.scrub_on(cx) {
                break;
            }
        }
        self.keep_up(cx);
    }

    /// The number of members that hold all of their content.
    fn working(&self) -> u32 {
        let members = 0..self.array.layout.member_count();
        members.filter(|&member| self.array.health.member_state(member) == MemberState::Working).count()
            as u32
    }
}

impl Component for DiskArray {
    type Parameters = (RaidParameters, PathParameters);
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
        let behind = ChildRequests::new(cx, path, segment::FAIL_OVER);
        let device = cx.presents.first().copied().unwrap_or_default();
        // A layout that is impossible has been refused when the scenario was read
        // ([`LayeredDeviceKeys::check_behind`](sansim_component::stacked::LayeredDeviceKeys::check_behind)).
        let array = Self::new(parameters, &cx.device_capacities(), device, behind);
        let mut array =
            array.expect("devices that can be laid out").with_controller(ControllerResources::new(cx));
        array.members.set_moving_heads(&cx.behind.iter().map(|behind| behind.turns).collect::<Vec<bool>>());
        array
    }

    fn warm(&mut self, access: &DeviceAccess, behind: &mut Vec<DeviceAccess>) -> WarmAccessResult {
        self.warm_by(access, behind)
    }

    fn start(&mut self, cx: &mut Context<'_>) {
        self.go_on(cx);
    }

    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        match timer.what {
            PathChoice::TIMER => self.behind.handle_due_timer(cx),
            timer::CALCULATION => self.calculated(cx, None),
            timer::RETRY => self.again(cx, timer.number),
            _ => {}
        }
        self.go_on(cx);
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        if !self.behind.receive(cx, port, message) {
            match message {
                Message::Request(request, _) => self.arrive(cx, port, request),
                Message::WriteDataUpTo(request, upto) if upto >= cx.request(request).data_bytes() => {
                    self.data_in(cx, request);
                }
                Message::Release(request) => self.closed(cx, request),
                Message::Abort(request) => self.end(cx, request, Status::Aborted),
                Message::JobState(job, works) => self.is_calculated(cx, job.number, works),
                Message::JobDone(job) if job.module == Module::Xor => self.calculated(cx, Some(job.number)),
                Message::JobDone(job) => self.mapped(cx, &job),
                _ => {}
            }
        }
        self.go_on(cx);
    }

    fn act(&mut self, cx: &mut Context<'_>, action: Action) {
        match action {
            Action::Fail => {
                self.failed = true;
                cx.failures().report_device_failure(self.device);
                for request in self.in_hand_by_number() {
                    self.end(cx, request, Status::Failed);
                }
                self.cut_off_what_is_answered(cx);
            }
            Action::Repair => self.failed = false,
            Action::PathFails(_) | Action::PathWorks(_) | Action::PathAccess(..) => {
                self.behind.apply_action(cx, action)
            }
            Action::DeviceFails(device) => {
                if let Some(place) = self.behind.device_index(device) {
                    self.place_fails(cx, place);
                }
            }
            // Only drives can be slow or have unreadable sectors, and only adapters can be slow or silent, not arrays.
            Action::Access(..)
            | Action::Slow(_)
            | Action::Delay(_)
            | Action::Silence
            | Action::Unreadable { .. }
            | Action::Network(_) => {}
        }
        self.go_on(cx);
    }

    fn gauge(&self, _now: Time, gauge: usize, _place: u16) -> u32 {
        match gauge {
            gauge::MEMBERS => self.working(),
            gauge::LOCKED => {
                let stripes = self.locks.locked_stripe_count(|job| &self.jobs[job as usize].wanted);
                u32::try_from(stripes).unwrap_or(u32::MAX)
            }
            _ => self.rebuilt_thousandths(),
        }
    }

    fn busy(&self, now: Time, _block: usize) -> Total {
        self.engine.busy_time(now)
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        match meter {
            meter::CALCULATION => self.engine.busy_time(now),
            meter::REBUILDING => self.rebuilding.total(now),
            _ => Total(self.counts[meter].into()),
        }
    }

    fn constant(&self, figure: usize) -> f64 {
        match figure {
            figure::MEMBERS => self.working().into(),
            figure::REBUILD_TIME => self.rebuild_time.as_s_f64(),
            figure::LOST_STRIPES => self.stripes_lost() as f64,
            figure::MTTDL_FORMULA => self.mttdl_by_formula_s(),
            figure::MTTDL_SIMULATED => self.mttdl_simulated_s(),
            _ => self.mttdl_half_width_s(),
        }
    }

    fn fault(&self) -> Option<String> {
        self.fault.clone().or_else(|| self.behind.stuck_reason())
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        leftovers.check_zero("requests left in an array", self.in_hand.len() as u64);
        leftovers.check_zero("parts left behind an array", u64::from(self.behind.child_requests_in_flight()));
        leftovers.check_zero("jobs left in an array", (self.jobs.len() - self.free.len()) as u64);
        leftovers.check_zero("stripes left locked in an array", u64::from(!self.locks.is_unlocked()));
        leftovers.check_zero("memory left used in an array", self.memory_used);
    }
}

#[cfg(test)]
mod tests;
