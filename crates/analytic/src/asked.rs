//! The requests of workloads, observed without time: the share of reads, their sizes, their devices, and the share of them that caches
//! hold.
//!
//! The workloads are asked for requests in the same way as by a functional warm-up (`warm_up.rs`), so every kind of
//! workload is handled alike.

use sansim_assembly::plan::SystemPlan;
use sansim_assembly::routes::workload_routes;
use sansim_assembly::settings;
use sansim_component::demand::RequestClass;
use sansim_component::{DeviceAccess, WarmAccessResult};
use sansim_registry::AnyComponent;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The number of requests of each workload that are observed.
const LOOKED_AT: u64 = 4_096;
/// The number of requests of each workload between two checks whether caches are warm.
const A_LOOK: u64 = 512;
/// The most requests that are drawn for all workloads, if caches have to become warm.
const MOST: u64 = 200_000;

/// The observations of the requests of all workloads.
#[derive(Clone, Debug, Default)]
pub(crate) struct AskedFor {
    /// The requests of each workload, in the order of the file.
    pub of_workloads: Vec<OfWorkload>,
    /// The hit ratio of each part that is a cache.
    pub hit_ratios: Vec<Option<f64>>,
    /// By device: the number of reads and writes that were observed, from workloads and from devices in front.
    pub at: Vec<[f64; 2]>,
    /// For each device, the shares of its requests that begin where the request before ends.
    pub in_sequence: Vec<InSequence>,
    /// The child requests of each part; none for a part without devices behind it.
    pub passed_on: Vec<Option<PassedOn>>,
    /// The order in which each part goes to the devices behind it, as far as a request goes to at most half of them.
    pub orders: Vec<DeviceOrder>,
    /// Parts that hold data and were not used, so that their contents are not known.
    pub unknown: Vec<usize>,
}

/// The requests for a device that begin where the request before ends.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InSequence {
    count: f64,
    follows: f64,
    follows_own: f64,
    end: u64,
    /// The first byte of all requests, and the byte behind the last.
    within: Option<[u64; 2]>,
}

impl InSequence {
    /// A request arrives that begins at the first byte and ends at the last byte of `bytes`. `follows_own` says whether the request
    /// follows the request before of the same workload, which is the assumption of the analytic model; child requests never follow in that
    /// model.
    fn add(&mut self, bytes: &Range<u64>, follows_own: bool) {
        self.follows += f64::from(u8::from(self.count > 0.0 && bytes.start == self.end));
        self.follows_own += f64::from(u8::from(follows_own));
        self.count += 1.0;
        self.end = bytes.end;
        let [first, end] = self.within.unwrap_or([bytes.start, bytes.end]);
        self.within = Some([first.min(bytes.start), end.max(bytes.end)]);
    }

    /// The bytes of the device that were asked for; see [`RequestClass::within`].
    pub fn within(&self) -> Option<[u64; 2]> {
        self.within
    }

    /// The share of requests that follow the request before of any workload, and the share that the model
    /// counts as following.
    pub fn sequential_shares(&self) -> (f64, f64) {
        let all = self.count.max(1.0);
        (self.follows / all, self.follows_own / all)
    }
}

/// The observed requests of a workload.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfWorkload {
    /// The classes of requests of the workload, each with its share.
    pub classes: Vec<(f64, RequestClass)>,
    /// The share of the requests for each device, by its number.
    pub shares: BTreeMap<usize, f64>,
    /// Whether the requests go to the devices in turn, so that they meet less often than at random.
    pub in_turn: bool,
}

/// The share of the requests of a workload that go to the successor of the device before, from which on they count as in turn.
const IN_TURN: f64 = 0.9;

/// The share of the requests of a workload up to which those that follow the request before, or do not, are no kind of their own.
const BY_CHANCE: f64 = 0.02;
/// The share of requests that go to the device of the request before, from which on an order counts as regular: more than at random for two
/// devices.
const MANY_STAY: f64 = 0.7;

/// The order in which a workload, or a part with devices behind it, goes to its devices.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeviceOrder {
    last: Option<u32>,
    successor: BTreeMap<u32, u32>,
    count: f64,
    in_turn: f64,
    stays: f64,
    /// By each device in front, the first device behind it to which its requests went, and whether those of any went to others as well.
    first: BTreeMap<u32, u32>,
    spreads: bool,
}

impl DeviceOrder {
    fn add(&mut self, device: u32) {
        if let Some(last) = self.last.replace(device) {
            let successor = self.successor.insert(last, device);
            self.count += 1.0;
            self.in_turn += f64::from(u8::from(successor == Some(device) && device != last));
            self.stays += f64::from(u8::from(device == last));
        }
    }

    /// Whether requests go to the devices in turn.
    pub fn is_in_turn(&self) -> bool {
        self.in_turn > IN_TURN * self.count
    }

    /// A request to a device in front went to a device behind it.
    fn passes(&mut self, front: u32, device: u32) {
        self.spreads |= *self.first.entry(front).or_insert(device) != device;
        self.add(device);
    }

    /// Whether requests go to some of the devices and not to the others, wherever they go in front.
    pub fn spreads(&self) -> bool {
        self.spreads
    }

    /// Whether requests go to several devices in an order of which the model knows nothing: in turn, or many to one device before the next.
    pub fn is_regular(&self) -> bool {
        self.spreads && (self.is_in_turn() || self.stays > MANY_STAY * self.count)
    }
}

/// The child requests of a device: by whether its request is a write, and whether the child request is a
/// write.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PassedOn {
    requests: [f64; 2],
    behind: [[Behind; 2]; 2],
}

#[derive(Clone, Copy, Debug, Default)]
struct Behind {
    count: f64,
    bytes: f64,
}

impl PassedOn {
    /// The mean number of child requests of a direction for a request, and their mean bytes. The result is none if no request of that
    /// direction was drawn.
    pub fn mean_children(&self, write: bool, behind: bool) -> Option<(f64, f64)> {
        let requests = self.requests[usize::from(write)];
        let Behind { count, bytes } = self.behind[usize::from(write)][usize::from(behind)];
        (requests > 0.0).then(|| (count / requests, bytes / count.max(1.0)))
    }
}

#[derive(Debug, Default)]
struct Seen {
    count: f64,
    bytes: f64,
    first: u64,
    differ: bool,
}

impl Seen {
    /// Counts other requests as requests of this kind.
    fn join(&mut self, other: &Self) {
        self.differ |= other.differ || (self.count > 0.0 && self.first != other.first);
        self.first = other.first;
        self.count += other.count;
        self.bytes += other.bytes;
    }
}

/// Draws requests from the workloads of a plan.
pub(crate) fn asked(plan: &SystemPlan) -> AskedFor {
    let sources: Vec<usize> = workload_routes(&plan.graph).iter().map(|route| route.workload).collect();
    let asks = |part: usize| plan.graph.reaches.iter().any(|reach| reach.asker == part);
    let wanted = |part: usize| takes_part(plan, &sources, part);
    let mut components = settings::build_chosen_components(plan, plan.model, wanted);
    let warm: u64 = patience(&components).min(MOST);
    let turns = LOOKED_AT.max(warm / sources.len().max(1) as u64);
    let mut seen: Vec<BTreeMap<(bool, bool), Seen>> = sources.iter().map(|_| BTreeMap::new()).collect();
    let mut shares: Vec<BTreeMap<usize, f64>> = vec![BTreeMap::new(); sources.len()];
    let mut orders: Vec<DeviceOrder> = sources.iter().map(|_| DeviceOrder::default()).collect();
    let mut ends: Vec<BTreeMap<u32, u64>> = vec![BTreeMap::new(); sources.len()];
    let mut does_not = vec![false; components.len()];
    let mut behind_orders = vec![DeviceOrder::default(); components.len()];
    let is_device = |part: usize| plan.graph.devices.iter().any(|device| device.part == part);
    let has_stacks = plan.graph.reaches.iter().any(|reach| is_device(reach.asker));
    let mut at = vec![[0.0; 2]; plan.graph.devices.len()];
    let mut in_sequence = vec![InSequence::default(); plan.graph.devices.len()];
    let mut passed_on: Vec<Option<PassedOn>> =
        (0..components.len()).map(|part| asks(part).then(PassedOn::default)).collect();
    let (mut under_way, mut over) = (Vec::new(), vec![false; sources.len()]);
    for turn in 0..turns {
        let is_a_look = turn >= LOOKED_AT && turn % A_LOOK == 0;
        if is_a_look
            && components
                .iter()
                .flatten()
                .filter_map(AnyComponent::warm_up_progress)
                .all(|warmth| warmth.settled)
        {
            break;
        }
        for (number, &source) in
            sources.iter().enumerate().filter(|(number, _)| !over[*number]).collect::<Vec<_>>()
        {
            let Some(access) = components[source].as_mut().and_then(AnyComponent::next_warm_up_access) else {
                over[number] = true;
                continue;
            };
            let follows = ends[number].insert(access.device, access.bytes.end) == Some(access.bytes.start);
            let bytes = access.bytes.end - access.bytes.start;
            let of = seen[number]
                .entry((access.write, follows))
                .or_insert(Seen { first: bytes, ..Seen::default() });
            of.count += 1.0;
            of.bytes += bytes as f64;
            of.differ |= bytes != of.first;
            *shares[number].entry(access.device as usize).or_default() += 1.0;
            orders[number].add(access.device);
            if let Some(of) = in_sequence.get_mut(access.device as usize) {
                of.add(&access.bytes, follows);
            }
            if !has_stacks {
                at[access.device as usize][usize::from(access.write)] += 1.0;
                continue;
            }
            under_way.push(access);
            carry_out(
                plan,
                &mut components,
                &mut under_way,
                &mut does_not,
                (&mut passed_on, &mut behind_orders),
            );
            for (behind, access) in under_way.drain(..).enumerate() {
                if let Some(of) = in_sequence.get_mut(access.device as usize).filter(|_| behind > 0) {
                    of.add(&access.bytes, false);
                }
                if let Some(of) = at.get_mut(access.device as usize) {
                    of[usize::from(access.write)] += 1.0;
                }
            }
        }
    }
    let of_workloads = seen
        .into_iter()
        .zip(shares)
        .zip(&orders)
        .map(|((seen, shares), order)| OfWorkload::of(seen, shares, order))
        .collect();
    let hit_ratios = components
        .iter()
        .map(|one| one.as_ref().and_then(AnyComponent::warm_up_progress).and_then(|warmth| warmth.ratio))
        .collect();
    let unknown = (0..does_not.len()).filter(|&part| does_not[part]).collect();
    AskedFor { of_workloads, at, in_sequence, hit_ratios, passed_on, orders: behind_orders, unknown }
}

/// Whether a part is used when workloads are observed. The last devices, of which flash is filled when it is built, are not used.
fn takes_part(plan: &SystemPlan, sources: &[usize], part: usize) -> bool {
    sources.contains(&part) || plan.graph.reaches.iter().any(|reach| reach.asker == part)
}

/// All settings on which the drawn requests depend: plans with an equal text have equal requests, whatever else differs.
pub(crate) fn depends_on(plan: &SystemPlan) -> String {
    let routes = workload_routes(&plan.graph);
    let sources: Vec<usize> = routes.iter().map(|route| route.workload).collect();
    let parts: Vec<_> = (0..plan.graph.parts.len())
        .filter(|&part| takes_part(plan, &sources, part))
        .map(|part| (part, &plan.graph.parts[part], &plan.names.components[part].name))
        .collect();
    let reaches: Vec<_> = plan.graph.reaches.iter().map(|reach| (reach.asker, reach.device)).collect();
    format!("{} {parts:?} {routes:?} {reaches:?} {:?}", plan.seed, plan.graph.devices)
}

fn patience(components: &[Option<AnyComponent>]) -> u64 {
    let all = components.iter().flatten().filter_map(AnyComponent::warm_up_progress);
    all.fold(0, |sum: u64, warmth| sum.saturating_add(warmth.patience))
}

fn carry_out(
    plan: &SystemPlan,
    components: &mut [Option<AnyComponent>],
    under_way: &mut Vec<DeviceAccess>,
    does_not: &mut [bool],
    (passed_on, orders): (&mut [Option<PassedOn>], &mut [DeviceOrder]),
) {
    let mut next = 0;
    while let Some(access) = under_way.get(next).cloned() {
        next += 1;
        let Some(device) = plan.graph.devices.get(access.device as usize) else { continue };
        // The request causes no child request behind the last devices, and their contents make no difference
        // here.
        let (Some(of), Some(component)) = (&mut passed_on[device.part], &mut components[device.part]) else {
            continue;
        };
        let before = under_way.len();
        let warmed = component.apply_warm_up_access(&access, under_way);
        does_not[device.part] |= warmed == WarmAccessResult::Not;
        of.requests[usize::from(access.write)] += 1.0;
        let devices: BTreeSet<u32> = under_way[before..].iter().map(|behind| behind.device).collect();
        let all = plan.graph.data_devices_of(device.part).count();
        if let Some(first) = under_way.get(before).filter(|_| 2 * devices.len() <= all) {
            let front = access.device;
            orders[device.part].passes(front, first.device);
        }
        for behind in &under_way[before..] {
            let sum = &mut of.behind[usize::from(access.write)][usize::from(behind.write)];
            sum.count += 1.0;
            sum.bytes += (behind.bytes.end - behind.bytes.start) as f64;
        }
    }
}

impl OfWorkload {
    fn of(
        mut seen: BTreeMap<(bool, bool), Seen>,
        mut shares: BTreeMap<usize, f64>,
        order: &DeviceOrder,
    ) -> Self {
        let all: f64 = shares.values().sum();
        shares.values_mut().for_each(|share| *share /= all);
        // A few of many requests at random places follow each other by chance, and the first of a sequence follows none.
        for (write, rare) in [(false, true), (false, false), (true, true), (true, false)] {
            let is_rare = seen.get(&(write, rare)).is_some_and(|of| of.count < BY_CHANCE * all);
            if let Some(of) =
                (is_rare && seen.contains_key(&(write, !rare))).then(|| seen.remove(&(write, rare))).flatten()
            {
                seen.entry((write, !rare)).or_default().join(&of);
            }
        }
        let class = |((write, sequential), seen): ((bool, bool), Seen)| {
            let class = RequestClass {
                write,
                bytes: seen.bytes / seen.count,
                is_of_one_size: !seen.differ,
                sequential,
                hit_ratio: None,
                within: None,
            };
            (seen.count / all, class)
        };
        Self { classes: seen.into_iter().map(class).collect(), shares, in_turn: order.is_in_turn() }
    }
}
