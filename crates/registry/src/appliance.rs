//! An in-band appliance: a server between hosts and devices whose software handles every request, as a target on the networks of the hosts
//! and as an initiator on the networks of the devices.

use sansim_bus::BusParameters;
use sansim_component::ControllerSide;
use sansim_component::announced::AnnouncedProperties;
use sansim_component::component_kind::{
    ComponentKind, ComponentReference, DependentFailure, OwnProcessors, RandomOutage, ReferenceRelation,
};
use sansim_component::controller_side::Cluster;
use sansim_component::errors::ErrorParameters;
use sansim_component::groups::MEMBERS;
use sansim_component::policy::{AccessState, PathParameters};
use sansim_component::scheduling::QueueOrder;
use sansim_controllers::controller::{ControllerParameters, ControllerRole, PairParameters};
use sansim_fcp::adapter::ResponseStart;
use sansim_kernel::{Distribution, Span};
use sansim_processors::stack::{
    ApplianceProcessors, NodeLink, StackParameters, StackProcessorParameters, StackProcessors,
};
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{NameList, OrUnlimited};
use sansim_schema::table;

use crate::buses::{bus_of, bus_of_modules, check_buses, join_buses, mark_idle_registers};
use crate::sides::{DeviceSideAdapter, HostSideAdapter, Sides, outages_of, paths};
use crate::{KindMember, Part};

const TO: NameList = NameList { example: r#"["cache"]"# };

table! {
    /// The software and the processors of an in-band appliance, a storage domain server: it takes requests of hosts for virtual volumes,
    /// and asks the devices behind for what they want. A cache, an array or volumes behind it are modules of it if they are `inside` it,
    /// and so is a `controller` behind these whose adapters reach the drives; all of them use its processors.
    pub struct Appliance {
        /// The devices behind the appliance: it reaches devices on a network through its `back` adapters, and other devices directly.
        to: Vec<String> = TO, required r#"["cache"]"#, source "";
        /// How many equal appliances the table describes. `"one"` is one appliance with the name of the table; a number makes a group with
        /// the members `NAME[0]`, `NAME[1]` and so on. Each member has as many of the devices of `to`, and of the modules inside, as every
        /// other member.
        count: Option<u32> = MEMBERS, default r#""one""#, source "ours: one, as long as nobody says otherwise";
        /// Most requests that the appliance accepts; it answers a further request with QUEUE FULL.
        queue_limit: Option<u64> = OrUnlimited::between(1, 1_000_000), default r#""unlimited""#, source "SAM-5, TASK SET FULL";
        /// Requests that the appliance works on at a time; further requests wait.
        at_once: Option<u64> = OrUnlimited::between(1, 1_000_000), default r#""unlimited""#, source "none";
    }
    parts {
        /// Its choice among several paths.
        path: PathParameters;
        /// The queue depth that each of its virtual volumes announces to hosts.
        announced: AnnouncedProperties;
    }
    tables {
        /// The adapter on the network of the hosts, in target mode. The status of a read goes when the software has said so, whatever its
        /// `response_start`. In `stations` it is called `APPLIANCE.front`.
        front: HostSideAdapter;
        /// The adapter on the network of the devices. In `stations` it is called `APPLIANCE.back`.
        back: DeviceSideAdapter;
        /// Its processors.
        processors: ApplianceProcessors;
        /// The cost of each stage of its software.
        stack: StackParameters;
        /// Whether it is several nodes that stand in for each other. The rest of `inside` is as for several controllers.
        pair: PairParameters;
        /// The link between the nodes.
        link: NodeLink;
        /// The errors that it makes with requests of hosts.
        errors: ErrorParameters;
    }
    named {
        /// Where it has several adapters on networks of hosts: each of them, in place of `front`.
        fronts: HostSideAdapter;
        /// Where it has several adapters on networks of devices: each of them, in place of `back`.
        backs: DeviceSideAdapter;
        /// The buses by which its adapters get at its memory. Without one each moves data as if it were alone.
        buses: BusParameters;
    }
    checks(check_buses, check_halves)
    idle(of_other_targets)
}

impl Appliance {
    /// Marks keys of adapters as unused that the software of the appliance replaces.
    fn of_other_targets(&self, idle: &mut IdleKeys) {
        for (path, _) in self.sides().fronts {
            let why = "the status of a read goes when the software has said so";
            idle.collect_table(&path, |idle| idle.mark_idle_unless(false, &["response_start"], why));
        }
        mark_idle_registers(idle, &self.member(), &self.buses);
    }

    fn sides(&self) -> Sides<'_> {
        let fronts = paths(&self.front, "front", &self.fronts);
        Sides { fronts, backs: paths(&self.back, "back", &self.backs) }
    }

    fn check_halves(&self, keys: &mut Keys<'_, '_>) {
        self.sides().check_controller_numbers(&self.pair, keys);
    }

    fn check_buses(&self, keys: &mut Keys<'_, '_>) {
        check_buses(keys, &self.member(), &self.buses);
    }

    /// The bus that polls of each adapter of hosts, and of the devices of each node, cross, if there is one.
    fn crossed(&self) -> (Vec<Option<usize>>, Vec<Option<usize>>) {
        if !matches!(self.processors, ApplianceProcessors::Polling(polling) if polling.poll_reads > 0) {
            return (Vec::new(), Vec::new());
        }
        let Sides { fronts, backs, .. } = self.sides();
        let of_fronts = fronts.iter().map(|(path, _)| bus_of(&self.buses, path)).collect();
        let of_node = |node: usize| {
            let mut own = backs.iter().filter(|(_, back)| back.side.index() == node);
            own.find_map(|(path, _)| bus_of(&self.buses, path)).or_else(|| bus_of_modules(&self.buses))
        };
        (of_fronts, (0..self.pair.controllers.max(1) as usize).map(of_node).collect())
    }

    /// The request handling of the appliance, as a controller without a processor of its own.
    fn core(&self) -> ControllerParameters {
        ControllerParameters {
            processor_time: Distribution::Fixed(Span::ZERO),
            queue_limit: self.queue_limit,
            at_once: self.at_once,
            internal_limit: None,
            storage_side_queue: QueueOrder::default(),
            internal_queue: QueueOrder::default(),
            errors: self.errors,
        }
    }
}

impl ComponentKind<Part> for Appliance {
    fn members(&self) -> Option<u32> {
        self.count
    }

    fn member(&self) -> KindMember {
        let sides = self.sides();
        let cards: Vec<ControllerSide> = sides.fronts.iter().map(|(_, front)| front.side).collect();
        let parameters = (self.core(), self.path.clone(), ControllerRole::InBand, self.pair);
        let (mut member, core) = sides.member::<sansim_controllers::controller::Controller>(parameters);
        for part in &mut member.parts[..core] {
            if let Part::Target(adapter) = &mut part.part {
                adapter.response_start = ResponseStart::Answered;
            }
        }
        let bus_parts = join_buses(&mut member, &self.buses);
        let (mut buses, mut device_buses) = self.crossed();
        // The buses that polls cross, in their order, which is also that of the ports by which the processors request them.
        let mut crossed: Vec<usize> = buses.iter().chain(&device_buses).copied().flatten().collect();
        crossed.sort_unstable();
        crossed.dedup();
        for bus in buses.iter_mut().chain(&mut device_buses) {
            *bus = bus.and_then(|bus| crossed.binary_search(&bus).ok());
        }
        let parameters = StackProcessorParameters {
            model: self.processors,
            stack: self.stack,
            link: self.link,
            cards,
            buses,
            device_buses,
            cluster: self.pair.cluster(),
        };
        let processors = member.add_part::<StackProcessors>("processors".to_owned(), parameters);
        member.shared.push((core, processors));
        member.shared.extend(crossed.into_iter().map(|bus| (processors, bus_parts[bus])));
        member.resources = Some(processors);
        member.processors = Some(OwnProcessors {
            part: processors,
            speed_mhz: Some(self.processors.clock_rate_mhz()),
            poll: matches!(self.processors, ApplianceProcessors::Polling(_)),
        });
        member
    }

    fn references(&self) -> Vec<ComponentReference<'_>> {
        vec![ComponentReference { key: "to", names: &self.to, joins: ReferenceRelation::Behind }]
    }

    fn presents(&self, behind: &[u64]) -> Vec<u64> {
        behind.to_vec()
    }

    fn announces(&self) -> AnnouncedProperties {
        self.announced
    }

    fn side_of(&self, adapter: &str) -> ControllerSide {
        self.sides().controller_of_adapter(adapter)
    }

    fn access(&self, unit: u32, adapter: &str) -> Option<AccessState> {
        self.sides().access_state(&self.pair, unit, adapter)
    }

    fn outages(&self) -> Vec<RandomOutage> {
        outages_of(&self.pair)
    }

    fn chooses(&self) -> Option<PathParameters> {
        Some(self.path.clone())
    }

    fn cluster(&self) -> Cluster {
        self.pair.cluster()
    }

    fn falls_with(&self, thing: usize, _of: Cluster, _which: usize) -> Vec<DependentFailure> {
        let mut falls = self.sides().adapters_of_controller(thing);
        if self.pair.has_several_controllers() {
            falls.push(DependentFailure { path: "processors".to_owned(), thing: Some(thing) });
        }
        falls
    }
}
