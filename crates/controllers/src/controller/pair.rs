//! Pairs and clusters of controllers that take over each other's devices. Each device is owned by one controller, which carries out its
//! requests; the other controllers forward requests over the link to the owner, and the answers back: SPC-4, asymmetric logical unit
//! access.
//!
//! * The owner of a device is its preferred controller, while that works. Hosts know the preferred controller, and use paths to other
//!   controllers only where there is no path to the preferred one.
//! * When a controller fails, its adapters and the jobs at its resources fail; another controller, given by `takes_over`, owns its devices
//!   from then on. A repaired controller gets back the devices that prefer it.
//! * A controller takes ownership of a device when hosts have sent it `change_after` requests for the device in a row (an implicit change),
//!   and when it cannot reach the owner because the link is down.
//! * While a device changes its owner, for `change_time`, its requests wait; requests in flight are completed.
//!
//! Assumptions: hosts use the preferred controller and do not learn of changes; all controllers know at once that a change has begun.

use super::catalogue::segment;
use super::{Controller, what};
use sansim_component::controller_side::{Cluster, MOST, TakeoverNode};
use sansim_component::incident_log::{IncidentKind, IncidentSubject};
use sansim_component::{Context, ControllerSide, EventTurn, Timer};
use sansim_kernel::{Order, Span};
use sansim_request::RequestId;
use sansim_schema::idle::IdleKeys;
use sansim_schema::quantities::{Choice, Count, Dimensioned, OrUnlimited, Time};
use sansim_schema::{table, words};
use std::collections::VecDeque;

/// The range of times of failures and repairs.
const OUTAGE: Time = Time::between(Span::from_us(1), Span::LONGEST);

words! {
    /// The controllers that the devices prefer.
    pub enum PreferredControllers {
        /// All the first.
        A = "a",
        /// All the second.
        B = "b",
        /// The first, the second and so on, and the first again, by their logical units; never the spare one.
        Alternate = "alternate",
    }
}

table! {
    /// The number of controllers that take over from each other, and the rules of a takeover.
    #[derive(Copy, Eq)]
    pub struct PairParameters {
        /// How many controllers there are. Adapters and modules say by `half` to which they belong.
        controllers: u32 = Count::<u32>::between(1, MOST as u64), default "1", source "ours: one, unless the file says otherwise";
        /// The controller that goes on with the devices and modules of a failed one. The first in this order has the copies of its mirrored
        /// caches. With two it is always the other one.
        takes_over: TakeoverNode = Choice::<TakeoverNode>::ANY, default r#""next""#, source "Friedman, SDS architecture: clusters of n + 1";
        /// The owner of each device while all controllers work.
        preferred: PreferredControllers = Choice::<PreferredControllers>::ANY, default r#""alternate""#, source "SPC-4, PREF";
        /// Time of a change of the owner of a device.
        change_time: Span = Time::ANY, default r#""0 ns""#, source "SPC-4, transitioning";
        /// A controller takes a device over when hosts have asked it for that so many times in a row: 1 is what hosts do that ask for a
        /// change when they fail over.
        change_after: Option<u64> = OrUnlimited::between(1, 1_000_000), default r#""unlimited""#, source "SPC-4, implicit asymmetric access management";
        /// Mean time until each of them fails, since the beginning or since it was repaired. The run has to say by `duration` how long it is.
        fails_every: Option<Span> = OUTAGE.or("never"), default r#""never""#, source "none";
        /// Mean time from a failure until the repair.
        fails_for: Option<Span> = OUTAGE.or("ever"), default r#""ever""#, source "none";
    }
    idle(of_an_only_one)
}

impl PairParameters {
    /// Marks keys as unused that apply only to several controllers.
    fn of_an_only_one(&self, idle: &mut IdleKeys) {
        let of_several = ["takes_over", "preferred", "change_time", "change_after", "fails_every"];
        idle.mark_idle_unless(
            self.has_several_controllers(),
            &of_several,
            "there is one controller (`controllers`)",
        );
        idle.mark_idle_unless(
            self.fails_every.is_some(),
            &["fails_for"],
            "none fails by itself (`fails_every`)",
        );
    }

    /// Whether there are several controllers.
    pub fn has_several_controllers(&self) -> bool {
        self.controllers > 1
    }

    /// The number of controllers, and the rule by which they take over from each other.
    pub fn cluster(&self) -> Cluster {
        Cluster { nodes: self.controllers as usize, takes_over: self.takes_over }
    }

    /// The controller that a device prefers, by its logical unit.
    pub fn preferred_controller(&self, unit: u32) -> ControllerSide {
        match self.preferred {
            PreferredControllers::A => ControllerSide::A,
            PreferredControllers::B => ControllerSide::B,
            PreferredControllers::Alternate => {
                ControllerSide::EACH[unit as usize % self.cluster().owner_node_count().min(MOST)]
            }
        }
    }
}

/// A device with its owner.
#[derive(Clone, Copy, Debug)]
struct Owned {
    /// The number of the device in the system.
    device: u32,
    /// The number of the device among those that prefer the same controller.
    which: usize,
    preferred: ControllerSide,
    owner: ControllerSide,
    /// The number of requests in a row that came by another controller.
    by_other: u64,
    /// The number of changes of owner in progress.
    changing: u32,
}

/// The state of controllers that take over each other's devices.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    parameters: PairParameters,
    fronts: Vec<ControllerSide>,
    owned: Vec<Owned>,
    works: [bool; MOST],
    link_works: bool,
    /// Requests that wait until their device has its owner.
    waiting: VecDeque<RequestId>,
    /// The number of changes of owner.
    pub(super) changes: u64,
    /// The number of requests that were forwarded.
    pub(super) forwarded: u64,
}

impl Pair {
    /// `devices` are the presented devices, by their numbers in the system, and `fronts` the controller sides behind the ports.
    pub(super) fn new(
        parameters: PairParameters,
        devices: &[u32],
        fronts: &[ControllerSide],
    ) -> Option<Self> {
        let owned = |(unit, &device): (u32, &u32)| {
            let preferred = parameters.preferred_controller(unit);
            let which =
                (0..unit).filter(|&other| parameters.preferred_controller(other) == preferred).count();
            Owned { device, which, preferred, owner: preferred, by_other: 0, changing: 0 }
        };
        parameters.has_several_controllers().then(|| Self {
            parameters,
            fronts: fronts.to_vec(),
            owned: (0..).zip(devices).map(owned).collect(),
            works: std::array::from_fn(|node| node < parameters.controllers as usize),
            link_works: true,
            waiting: VecDeque::with_capacity(16),
            changes: 0,
            forwarded: 0,
        })
    }

    fn place(&self, device: u32) -> Option<usize> {
        self.owned.iter().position(|owned| owned.device == device)
    }

    /// The controller side to which a request came, by its port.
    fn came_to(&self, port: u16) -> ControllerSide {
        self.fronts.get(usize::from(port)).copied().unwrap_or(ControllerSide::A)
    }

    /// A request waits for an owner no more.
    pub(super) fn forget(&mut self, id: RequestId) {
        self.waiting.retain(|&waiting| waiting != id);
    }
}

impl Controller {
    /// Passes a request that is worked on from now on to the owner of its device, over the link if it came to another controller. Returns
    /// whether the request has to wait; it may have waited before.
    pub(super) fn waits_for_owner(
        &mut self,
        cx: &mut Context<'_>,
        id: RequestId,
        port: u16,
        has_waited: bool,
    ) -> bool {
        let device = cx.request(id).device;
        let Some(pair) = &mut self.pair else { return false };
        let Some(place) = pair.place(device) else { return false };
        let came_to = pair.came_to(port);
        let owned = &mut pair.owned[place];
        let is_foreign = owned.owner != came_to;
        owned.by_other = if is_foreign { owned.by_other + u64::from(!has_waited) } else { 0 };
        // A request that has waited for a change does not cause another change: two requests to different controllers would wait for ever.
        let rule = !has_waited && pair.parameters.change_after.is_some_and(|most| owned.by_other >= most);
        let must = is_foreign && (rule || !pair.link_works);
        // A change excludes another change: otherwise two requests to different controllers would take the device from each other for ever.
        if must && owned.changing == 0 && pair.works[came_to.index()] {
            self.change_owner(cx, place, came_to);
        }
        let Some(pair) = &mut self.pair else { return false };
        if pair.owned[place].changing > 0 {
            cx.ledger().locate_request(id, segment::OWNER);
            pair.waiting.push_back(id);
            return true;
        }
        let is_forwarded = pair.owned[place].owner != came_to;
        pair.forwarded += u64::from(is_forwarded);
        if let Some(in_hand) = self.in_hand.get_mut(&id) {
            in_hand.foreign = is_forwarded;
        }
        false
    }

    fn change_owner(&mut self, cx: &mut Context<'_>, place: usize, to: ControllerSide) {
        let Some(pair) = &mut self.pair else { return };
        let owned = &mut pair.owned[place];
        (owned.owner, owned.by_other) = (to, 0);
        pair.changes += 1;
        let takes = pair.parameters.change_time;
        let device = IncidentSubject::Device(owned.device);
        let until = cx.now + takes;
        cx.failures().report_incident(IncidentKind::OwnerChange, until, device);
        if takes > Span::ZERO {
            owned.changing += 1;
            let unit = (u32::from(what::OWNER) + place as u32) % Order::UNITS;
            cx.set_timer(
                cx.now + takes,
                EventTurn::turn_of_node(unit),
                Timer::new(what::OWNER, place as u32),
            );
        }
    }

    /// A device has its new owner. Requests that came to the owner go first, so that some are carried out although others cause another
    /// change.
    pub(super) fn has_owner(&mut self, cx: &mut Context<'_>, place: u32) {
        let Some(pair) = &mut self.pair else { return };
        let owned = &mut pair.owned[place as usize];
        owned.changing -= 1;
        let Owned { device, owner, .. } = *owned;
        for to_owner in [true, false] {
            let waiting = self.pair.as_ref().map_or(0, |pair| pair.waiting.len());
            for _ in 0..waiting {
                let Some(pair) = &mut self.pair else { return };
                let Some(id) = pair.waiting.pop_front() else { return };
                let port = self.in_hand.get(&id).map(|in_hand| in_hand.port);
                let goes_on = cx.request(id).device == device
                    && port.is_none_or(|port| (pair.came_to(port) == owner) == to_owner);
                if goes_on {
                    self.comes_to_owner(cx, id, true);
                } else {
                    pair.waiting.push_back(id);
                }
            }
        }
    }

    /// A controller, or the link, fails or works again.
    pub(super) fn pair_changes(&mut self, cx: &mut Context<'_>, thing: usize, works: bool) {
        let Some(pair) = &mut self.pair else { return };
        let cluster = pair.parameters.cluster();
        let Some(node) = cluster.node_at(thing) else {
            pair.link_works = works;
            return;
        };
        let half = ControllerSide::EACH[node];
        pair.works[node] = works;
        let heir = |owned: &Owned| {
            let mut order = cluster.takeover_order(owned.preferred.index(), owned.which);
            order.find(|&node| pair.works[node]).map(|node| ControllerSide::EACH[node])
        };
        let moves: Vec<(usize, ControllerSide)> = (0..)
            .zip(&pair.owned)
            .filter_map(|(place, owned)| match works {
                false if owned.owner == half => heir(owned).map(|to| (place, to)),
                true if owned.owner != half
                    && (owned.preferred == half || !pair.works[owned.owner.index()]) =>
                {
                    Some((place, half))
                }
                _ => None,
            })
            .collect();
        for (place, to) in moves {
            self.change_owner(cx, place, to);
        }
    }

    /// Whether all controllers have failed, so that no request is carried out.
    pub(super) fn is_down(&self) -> bool {
        self.pair.as_ref().is_some_and(|pair| pair.works == [false; MOST])
    }
}
