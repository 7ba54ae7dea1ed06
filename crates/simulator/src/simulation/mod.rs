//! The components of a system and its event loop.
//!
//! Longer than 500 lines: the loop of events handles every sort of event by the same state.
//!
//! No component refers to another: a component gets an input and acts through its context (`sansim_component`). The messages that a
//! component sends are appended to one agenda, which is emptied before the next event. Every input to a component and every reading of
//! its state goes through `access`; components that lag behind the calendar (`sansim_lookahead`) are brought to the present before it.
//! `returned` follows requests that have come back, `watching` reads the current state.

mod access;
mod beginning;
mod returned;
mod stocks;
mod warm_up;
mod watching;

use crate::clock::ClockFault;
use crate::conservation::ConservationError;
use crate::flow::RunFlow;
use crate::measure::Measurement;
use crate::recording::RecordingOptions;
use crate::samples::{Sampler, Samples};
use crate::steady::Watch;
use sansim_assembly::plan::SystemPlan;
use sansim_assembly::settings;
use sansim_component::NetworkModel;
use sansim_component::culprits::CongestionCulprit;
use sansim_component::{
    Action, ComponentId, KeysAround, LeftoverFindings, NetworkChange, Runtime, Timer, WantedSights,
};
use sansim_kernel::{EventKey, Order, RandomStream, Span, Time, Total};
use sansim_lookahead::{BurstCounts, CircuitCounts, LaggingParts};
use sansim_network::LoopNetwork;
use sansim_observe::names::{ComponentName, SystemNames};
use sansim_observe::observer::{Observer, WantedCalls};
use sansim_registry::{AnyComponent, EventAction as Asked};
use sansim_request::{LossCause, RequestId};
use sansim_scenario::graph::ChangedPart;
use sansim_workload::closed::Workload;
use std::collections::BTreeSet;

/// The number of requests in flight that an error lists.
const SHOWN: usize = 3;

/// The component number of the scenario, which is used when the scenario acts.
const SCENARIO: ComponentId = ComponentId(u32::MAX);

/// An action of the scenario on a component.
#[derive(Clone, Copy, Debug)]
enum Act {
    /// The action is on the whole component.
    Whole(Action),
    /// A part of the component fails, or is repaired.
    Thing(usize, bool),
    /// Keys of the component change, to those with this number among the changes of the scenario.
    Keys(usize),
}

/// The counts that must balance, kept over the whole run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    /// The number of I/Os that came back to their workloads.
    pub completed: u64,
    /// The number of these I/Os that failed.
    pub failed: u64,
    /// The data bytes of the successful I/Os.
    pub data_completed: u64,
    /// The number of I/Os whose ledger did not add up to the response time.
    pub ledger_errors: u64,
    /// The number of the first request whose ledger does not add up.
    pub first_ledger_error: Option<u64>,
}

/// A simulation in progress, with its observer.
pub struct Simulation<'o> {
    pub(crate) around: Runtime,
    /// The components, which only `access` may use.
    components: Vec<AnyComponent>,
    /// The index of the first meter of each component.
    first_meter: Vec<usize>,
    board: sansim_assembly::board::MeasurementBoard,
    /// The actions of the scenario, with the events of the actions that are still pending.
    actions: Vec<(ComponentId, Act, EventKey)>,
    /// The keys of parts that change, in the order in which they do.
    changes: Vec<ChangedPart>,
    /// The selection of the I/Os that count.
    pub measurement: Measurement,
    balance: Balance,
    pub(crate) watch: Watch,
    sampler: Sampler,
    /// The last moment before the next sample, or the end of simulated time.
    until: Time,
    /// The time at which the measured interval begins or ends, if a time decides.
    next_edge: Time,
    /// With the automatic rule: the meters at each moment at which the measured interval may begin.
    openings: Vec<Vec<Total>>,
    at_opening: Vec<Total>,
    at_closing: Option<Vec<Total>>,
    device_stations: Vec<u32>,
    /// For each device, by its number, the components that may use it.
    askers: Vec<Vec<ComponentId>>,
    pub(crate) lagging: LaggingParts,
    /// Remarks on the time before simulated time began, for the reader of the result.
    told_before: Vec<String>,
    /// Whether the remaining background requests have been cut.
    is_over: bool,
    observer: Option<&'o mut dyn Observer>,
    wants: WantedCalls,
    gauges: Vec<u32>,
    /// The stations at which something may have changed.
    touched: Vec<usize>,
}

impl<'o> Simulation<'o> {
    /// Builds the system of a plan, prepares it and issues the first requests.
    pub fn new(
        plan: &SystemPlan,
        recording: RecordingOptions,
        observer: Option<&'o mut dyn Observer>,
    ) -> Self {
        let mut simulation = Self::build(plan, recording, observer);
        simulation.begin(plan, &mut |_| RunFlow::Continue);
        simulation
    }

    /// Builds the system of a plan, without preparing it.
    pub(crate) fn build(
        plan: &SystemPlan,
        recording: RecordingOptions,
        observer: Option<&'o mut dyn Observer>,
    ) -> Self {
        let wants = observer.as_ref().map_or(WantedCalls::default(), |observer| observer.wants());
        let shows = WantedSights {
            ports: wants.ports,
            repeaters: wants.repeaters,
            blocks: wants.blocks,
            requests: wants.requests,
            gauges: wants.gauges,
        };
        let model = Self::loop_model(plan.model, wants);
        let components = settings::build_components(plan, model);
        let names = &plan.names;
        let mut simulation = Self {
            around: Runtime::new(plan.sites.clone(), plan.peers.clone(), shows),
            first_meter: plan.board.first_meter.clone(),
            board: plan.board.clone(),
            actions: Vec::new(),
            changes: Vec::new(),
            measurement: Measurement::new(&plan.run, plan, recording.ios),
            balance: Balance::default(),
            watch: Watch::new(plan),
            sampler: Sampler::new(recording.sampling),
            until: Time::HORIZON,
            next_edge: Time::ZERO,
            openings: Vec::new(),
            at_opening: Vec::new(),
            at_closing: None,
            device_stations: names
                .devices
                .iter()
                .map(|device| names.components[device.component].station as u32)
                .collect(),
            askers: settings::initiators_by_device(&plan.graph),
            lagging: LaggingParts::new(&components),
            told_before: Vec::new(),
            is_over: false,
            wants,
            gauges: vec![0; plan.board.gauges.len()],
            touched: Vec::with_capacity(16),
            components,
            observer,
        };
        simulation.around.takes_bursts = model == NetworkModel::Fast;
        simulation.at_opening = simulation.read_meters(Time::ZERO);
        simulation.until = simulation.sampler.last_moment_before_sample();
        simulation.next_edge = simulation.measurement.next_edge();
        simulation.around.sources.most = simulation.measurement.io_limit();
        simulation
    }

    /// Schedules the actions of the scenario on components. At its moment an action comes before all other
    /// events.
    fn schedule_actions(&mut self, plan: &SystemPlan) {
        for event in &plan.graph.events {
            if let Some(changed) = event.change.and_then(|number| plan.graph.changes.get(&number)) {
                let mut ends = BTreeSet::new();
                for of in changed {
                    let learns = plan.graph.parts[of.part].part.learns_access_from_answers();
                    self.schedule_action(event.at, of.part, Act::Keys(self.changes.len()));
                    self.changes.push(of.clone());
                    for &(number, access) in &of.access {
                        if learns
                            && let Some(end) = plan.graph.end_of_path(of.part, number)
                            && ends.insert(end)
                        {
                            let (device, adapter) = end;
                            let action = Action::Access(device, access);
                            self.schedule_action(event.at, adapter, Act::Whole(action));
                        }
                        let action = Action::PathAccess(number, access);
                        self.schedule_action(event.at, of.part, Act::Whole(action));
                    }
                }
                continue;
            }
            let action = match event.action {
                Asked::Fail => Action::Fail,
                Asked::Repair => Action::Repair,
                Asked::Slow => Action::Slow(event.thousandths),
                Asked::Silence => Action::Silence,
                Asked::Unreadable => {
                    let (first_byte, bytes) = event.unreadable;
                    Action::Unreadable { first_byte, bytes }
                }
                Asked::Remove => Action::Network(NetworkChange::Detached),
                Asked::Add => Action::Network(NetworkChange::Attached),
                Asked::Initialise => Action::Network(NetworkChange::Initialise),
                // Handled above.
                Asked::Change => continue,
            };
            let ends_paths = matches!(event.action, Asked::Fail | Asked::Remove);
            // No component uses a path that leads nowhere: it is notified of a failure before the failure happens, and of a
            // repair after the repair has happened.
            let act =
                event.thing.map_or(Act::Whole(action), |thing| Act::Thing(thing, action == Action::Repair));
            let parts = event.parts.iter().map(|&part| (part, act));
            let initialise = event.initialise;
            let at_networks = event.nodes.iter().map(|&(network, port)| {
                let change = match event.action {
                    Asked::Add => NetworkChange::AddNode { port, initialise },
                    _ => NetworkChange::RemoveNode { port, initialise },
                };
                (network, Act::Whole(Action::Network(change)))
            });
            let told = event.ways.iter().map(|&(asker, way)| {
                let action = if ends_paths { Action::PathFails(way) } else { Action::PathWorks(way) };
                (asker, Act::Whole(action))
            });
            let acts: Vec<(usize, Act)> = if ends_paths {
                told.chain(parts).chain(at_networks).collect()
            } else {
                at_networks.chain(parts).chain(told).collect()
            };
            for (part, action) in acts {
                self.schedule_action(event.at, part, action);
            }
            if event.delay > Span::ZERO {
                for &part in &event.parts {
                    self.schedule_action(event.at, part, Act::Whole(Action::Delay(event.delay)));
                }
            }
        }
    }

    /// Schedules an action on a part.
    fn schedule_action(&mut self, at: Span, part: usize, action: Act) {
        let number = self.actions.len() as u32;
        let order = Order { priority: 0, rank: 0, unit: number };
        let timer = Timer::new(0, number);
        let key = self.around.calendar.schedule_cancellable(Time::ZERO + at, order, (SCENARIO, timer));
        self.actions.push((ComponentId(part as u32), action, key));
    }

    /// The present simulated time.
    pub fn now(&self) -> Time {
        self.around.calendar.now()
    }

    /// The time of the next event, if there is one.
    pub fn next_event(&mut self) -> Option<Time> {
        self.around.calendar.peek_time()
    }

    /// The number of handled events.
    pub fn event_count(&self) -> u64 {
        self.around.calendar.happened_event_count()
    }

    /// The counts that must balance.
    pub fn balance_counts(&self) -> &Balance {
        &self.balance
    }

    /// The number of I/Os issued by workloads.
    pub fn issued_io_count(&self) -> u64 {
        self.around.sources.issued
    }

    /// The number of requests that are still open.
    pub fn open_requests(&self) -> usize {
        self.around.requests.record_count()
    }

    /// The number of background requests.
    pub fn background_counts(&self) -> u64 {
        self.around.sources.background
    }

    /// Checks that a run that reached its end lost nothing and did nothing twice.
    ///
    /// # Errors
    /// The error lists the violated laws, and their places.
    pub fn check_conservation(&self, plan: &SystemPlan) -> Result<(), ConservationError> {
        let names = &plan.names;
        let mut leftovers = LeftoverFindings::default();
        let under_way: Vec<String> = self
            .around
            .requests
            .open_requests()
            .take(SHOWN)
            .map(|(_, request)| {
                let workload = &names.workloads[request.origin.workload as usize].name;
                let device = &names.components[names.devices[request.device as usize].component].name;
                format!("from `{workload}` to `{device}`")
            })
            .collect();
        leftovers.place =
            if under_way.is_empty() { "in the whole system".to_owned() } else { under_way.join(", ") };
        leftovers.check_equal(
            "I/Os",
            ("issued", self.issued_io_count()),
            ("completed", self.balance.completed),
        );
        // Background requests that were cut are still in flight, at any component.
        let is_cut = self.cut_background_count() > 0;
        if !is_cut {
            leftovers.check_zero("requests left", self.open_requests() as u64);
        }
        leftovers.place =
            self.balance.first_ledger_error.map_or(String::new(), |io| format!("first of them I/O {io}"));
        leftovers.check_zero(
            "I/Os whose segments do not add up to their response time",
            self.balance.ledger_errors,
        );
        for (component, name) in self.look_at_all().zip(&names.components).filter(|_| !is_cut) {
            leftovers.place = format!("on `{}`", name.name);
            component.report_leftovers(&mut leftovers);
        }
        ConservationError::of(leftovers)
    }

    /// Whether the observer cannot go on.
    pub fn observer_failed(&self) -> bool {
        self.observer.as_ref().is_some_and(|observer| observer.failed())
    }

    /// The loops, in the order of the scenario, of a run that reached its end.
    pub fn loops(&self) -> impl Iterator<Item = &LoopNetwork> {
        sansim_lookahead::loops_among_components(self.look_at_all())
    }

    /// The number of loop circuits that ran from the cache.
    pub fn cached_circuits(&self) -> CircuitCounts {
        sansim_lookahead::cached_circuit_counts(self.look_at_all())
    }

    /// The counts of frame bursts so far.
    pub fn burst_counts(&self) -> BurstCounts {
        self.lagging.carried_frame_count()
    }

    /// The number of frames on fabrics that left their adapters, and that arrived at theirs, without a notice to these.
    pub fn frames_without_notice(&self) -> [u64; 2] {
        self.lagging.frames_without_notice()
    }

    /// The number of fill words that were passed on at the receiving end of a frame burst, and answered at the sending end, without ending
    /// the burst; and the number of times that adapters fetched ahead.
    pub fn fill_words_passed_in_bursts(&self) -> ([u64; 2], u64) {
        self.lagging.fill_words_passed_in_bursts()
    }

    /// The loop model with this observer: the stepped model if an observer wants every step.
    fn loop_model(asked: NetworkModel, wants: WantedCalls) -> NetworkModel {
        let sees = wants.ports || wants.repeaters || wants.blocks || wants.requests || wants.gauges;
        if asked == NetworkModel::Fast && sees { NetworkModel::Stepped } else { asked }
    }

    /// The component that ran past its horizon, if there is one.
    pub(crate) fn overrun(&self, names: &SystemNames) -> Option<ClockFault> {
        let (component, at) = self.lagging.first_overrun_burst()?;
        Some(ClockFault::RunsAhead { at, place: names.components[component.index()].name.clone() })
    }

    /// The workloads that run in passes.
    pub(crate) fn workloads(&self) -> impl Iterator<Item = &Workload> {
        self.look_at_all().filter_map(AnyComponent::as_pass_workload)
    }

    /// The measurement and the samples, when the run is over.
    pub fn into_measurement_and_samples(self) -> (Measurement, Samples) {
        let capacity =
            |at: &sansim_assembly::board::SampledMeter| self.look(at.component).server_count(at.number);
        let capacities = self.board.meters.iter().map(capacity).collect();
        let Self { measurement, sampler, board, .. } = self;
        (measurement, sampler.into_samples(board, capacities))
    }

    /// Handles up to `count` events and samples. Returns false when no event is left up to the horizon of simulated time, or when simulated
    /// time does not advance.
    fn handle_events(&mut self, count: u64) -> bool {
        let mut last = self.event_count().saturating_add(count);
        while self.event_count() < last {
            let Some((now, (component, timer))) = self.around.calendar.pop_until(self.until) else {
                if !self.goes_on() {
                    return false;
                }
                last -= 1;
                continue;
            };
            if now >= self.next_edge {
                self.pass_edges(now);
            }
            if component == SCENARIO {
                let (component, action, _) = self.actions[timer.number as usize];
                let present = self.around.calendar.present_place();
                self.lookahead().end_all_lookahead(present);
                let changes = std::mem::take(&mut self.changes);
                self.react(now, component, |component, cx| match action {
                    Act::Whole(action) => component.apply_action(cx, action),
                    Act::Thing(thing, works) => component.apply_action_to_part(cx, thing, works),
                    Act::Keys(number) => {
                        let ChangedPart { keys, ports, limits, .. } = &changes[number];
                        component.change_keys(cx, keys, &KeysAround { ports, limits });
                    }
                });
                self.changes = changes;
            } else if !self.is_worked_out(now, component, timer) {
                self.touch(component, timer.place);
                self.react(now, component, |component, cx| component.handle_due_timer(cx, timer));
            }
            // Most events leave nothing on the agenda.
            let is_settled = self.around.agenda.is_empty() && self.around.failed_devices.is_empty();
            if !is_settled && !self.settle(now) {
                return false;
            }
            if self.around.looks_for_bursts {
                self.lookahead().check_for_new_bursts();
            }
            if self.wants.gauges {
                self.show_gauges(now);
            }
        }
        true
    }

    /// Whether workloads have issued all I/Os that they may, and all of them have come back. Remaining background requests are cut then,
    /// because they might never end.
    pub(crate) fn is_drained(&self) -> bool {
        let sources = &self.around.sources;
        sources.issued >= sources.most && self.balance.completed == sources.issued
    }

    /// The remarks of components on the run, each with the component's name.
    pub(crate) fn remarks(&self, names: &SystemNames) -> Vec<String> {
        let named = self.look_at_all().zip(&names.components);
        let remarks = |(component, name): (&AnyComponent, &ComponentName)| {
            component
                .run_remarks()
                .into_iter()
                .map(|remark| format!("`{}`: {remark}", name.name))
                .collect::<Vec<_>>()
        };
        self.told_before.iter().cloned().chain(named.flat_map(remarks)).collect()
    }

    /// The congestion culprits of networks and their victims, each with the name of the network.
    pub(crate) fn culprits(&self, names: &SystemNames) -> Vec<(String, CongestionCulprit)> {
        let now = self.now();
        let named = self.look_at_all().zip(&names.components);
        named
            .flat_map(|(component, name)| {
                component.congestion_culprits(now).into_iter().map(|of| (name.name.clone(), of))
            })
            .collect()
    }

    /// The first component that could not continue, with the reason.
    pub(crate) fn fault(&self, names: &SystemNames) -> Option<(String, String)> {
        let mut named = self.look_at_all().zip(&names.components);
        let own = named.find_map(|(component, name)| Some((name.name.clone(), component.stuck_reason()?)));
        own.or_else(|| self.lost_for_ever(names))
    }

    /// Requests that wait for discarded frames, or for the answer of an adapter that fell silent, without a time-out.
    fn lost_for_ever(&self, names: &SystemNames) -> Option<(String, String)> {
        let with_cause = |cause| self.around.requests.losses_with_cause(cause);
        let causes = [
            (LossCause::FrameLost, "requests of which a frame was lost (`frame_loss`, or a silent adapter)"),
            (LossCause::NoAnswer, "requests that an adapter had when it fell silent"),
        ];
        let (first, lost, which) = causes.iter().find_map(|&(cause, which)| {
            Some((with_cause(cause).next()?, with_cause(cause).count(), which))
        })?;
        let why =
            format!("{which}: {lost}, and no driver aborts them; give the drivers of the hosts a `time_out`");
        Some((names.components[first.component as usize].name.clone(), why))
    }

    /// The number of background requests that were cut at the end.
    pub fn cut_background_count(&self) -> u64 {
        self.around.sources.background_requests_in_flight()
    }

    /// The reason why simulated time did not reach the end of the run, although no event is left; none if everything has
    /// happened.
    pub(crate) fn clock_fault(&mut self, names: &SystemNames) -> Option<ClockFault> {
        let name = |component: &ComponentId| {
            let known = names.components.get(component.index());
            known.map_or_else(|| "event".to_owned(), |known| known.name.clone())
        };
        if let Some(ring) = self.around.agenda.message_cycle() {
            let ring = ring.iter().map(|component| format!("`{}`", name(component))).collect();
            return Some(ClockFault::StandsStill { messages: self.around.agenda.message_limit(), ring });
        }
        if self.is_over {
            return None;
        }
        let (due, _, (component, _)) = *self.around.calendar.pending().first()?;
        (due > Time::HORIZON).then(|| ClockFault::Ends { due, place: name(&component) })
    }

    /// Makes the simulation look for a ring of components after this number of messages at one instant.
    #[cfg(test)]
    pub(crate) fn suspect_a_ring_after(&mut self, messages: u32) {
        self.around.agenda = sansim_component::agenda::MessageAgenda::with_message_limit(messages);
    }

    /// Loses a frame, so that a test can check that the error is found.
    #[cfg(test)]
    pub(crate) fn lose_a_frame(&mut self) {
        self.components.iter_mut().for_each(AnyComponent::lose_a_frame);
    }

    /// Begins a background request that is never done, with an event at the time `due`. A test uses the function to check that
    /// such a request does not keep a run going.
    #[cfg(test)]
    pub(crate) fn begin_in_the_background(&mut self, due: Time) {
        use sansim_request::{DataId, LedgerLine, Operation, Request, RequestOrigin};
        let request = Request {
            number: 0,
            parent: None,
            origin: RequestOrigin::BACKGROUND,
            operation: Operation::Read,
            device: 0,
            lba: 0,
            bytes: 512,
            cache_control: sansim_request::CacheControl::NONE,
            data: DataId(0),
        };
        self.around.requests.open_request(Time::ZERO, request, LedgerLine(0));
        self.around.sources.background += 1;
        // No drive has this command, so the event has no effect.
        let drive = self.components.iter().position(AnyComponent::is_drive).unwrap_or(0);
        let timer = Timer::new(0, u32::MAX);
        self.around.calendar.schedule(due, Order::default(), (ComponentId(drive as u32), timer));
    }

    /// Replaces the order in which the pending events were scheduled by a random order. Tests use this function to check
    /// that no result depends on the order of scheduling.
    pub fn shuffle_pending_events(&mut self, random: &mut RandomStream) {
        self.around.calendar.shuffle(random);
    }

    /// The different events of one instant that differ only in the order of scheduling: if there are any, a result may
    /// depend on that order. The function is for tests.
    pub fn undecided_events(&mut self) -> Vec<String> {
        let pending = self.around.calendar.pending();
        let pairs = pending.windows(2).filter(|pair| {
            let [(first_at, first_order, first), (at, order, event)] = pair else { return false };
            (first_at, first_order) == (at, order) && first != event
        });
        pairs
            .map(|pair| format!("{} at {}: {:?} and {:?}", pair[0].0.0, pair[0].0, pair[0].2, pair[1].2))
            .collect()
    }

    /// An open request.
    pub fn open_request(&self, id: RequestId) -> &sansim_request::Request {
        self.around.requests.request(id)
    }
}
