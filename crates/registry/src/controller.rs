//! A storage controller: a target on the network of the hosts and an initiator on the network of its drives.

use sansim_bus::BusParameters;
use sansim_component::ControllerSide;
use sansim_component::announced::AnnouncedProperties;
use sansim_component::component_kind::{
    ComponentKind, ComponentReference, DependentFailure, RandomOutage, ReferenceRelation,
};
use sansim_component::controller_side::Cluster;
use sansim_component::groups::MEMBERS;
use sansim_component::policy::{AccessState, PathParameters};
use sansim_controllers::controller::{ControllerParameters, ControllerRole, PairParameters};
use sansim_controllers::resources::{ControllerResourcePool, ResourceParameters};
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Choice, NameList, NamesIfAny};
use sansim_schema::table;

use crate::buses::{check_buses, join_buses, mark_idle_registers};
use crate::sides::{DeviceSideAdapter, HostSideAdapter, Sides, outages_of, paths};
use crate::{KindMember, Part};

pub(crate) const INSIDE: NamesIfAny = NamesIfAny(NameList { example: r#"["controller"]"# });
const TO: NameList = NameList { example: r#"["drives"]"# };

table! {
    /// A storage controller. It presents a device of its own for each device behind it, of the same capacity and in the same order. A
    /// cache, an array or volumes behind it are its modules if they are `inside` it; so is a controller behind these, whose `back` adapters
    /// reach the drives.
    pub struct ControllerKind {
        /// The devices behind the controller: it reaches devices on a loop through its `back` adapters, and other devices directly.
        to: Vec<String> = TO, required r#"["drives"]"#, source "";
        /// How many equal controllers the table describes. `"one"` is one controller with the name of the table; a number makes a group
        /// with the members `NAME[0]`, `NAME[1]` and so on. Each member has as many of the devices of `to`, and of the modules inside, as
        /// every other member.
        count: Option<u32> = MEMBERS, default r#""one""#, source "ours: one, as long as nobody says otherwise";
        /// The controller of which it is a module, and whose resources it uses: then its requests are internal I/Os.
        inside: Vec<String> = INSIDE, default "[]", source "Wang 2005, figure 3.3";
        /// Inside a pair of controllers, the one in which it is while that works.
        side: ControllerSide = Choice::<ControllerSide>::ANY, default r#""a""#, source "ours: the first";
    }
    parts {
        /// Its choice among several paths.
        path: PathParameters;
        /// The queue depth that each of its logical units announces to hosts.
        announced: AnnouncedProperties;
        /// Its processor. It has tables of its own, which stand behind all keys.
        controller: ControllerParameters;
    }
    tables {
        /// The adapter on the network of the hosts. In `stations` it is called `CONTROLLER.front`.
        front: HostSideAdapter;
        /// The adapter on the network of the drives. In `stations` it is called `CONTROLLER.back`.
        back: DeviceSideAdapter;
        /// The resources that its modules share: processors, bridge, system bus, memory. The controller uses them itself, and so do the
        /// devices `inside` it.
        resources: ResourceParameters;
        /// Whether it is two controllers that stand in for each other.
        pair: PairParameters;
    }
    named {
        /// Where it has several adapters on networks of hosts: each of them, in place of `front`.
        fronts: HostSideAdapter;
        /// Where it has several adapters on networks of drives: each of them, in place of `back`.
        backs: DeviceSideAdapter;
        /// The buses by which its adapters get at its memory. Without one each moves data as if it were alone.
        buses: BusParameters;
    }
    checks(check_buses, check_resources, check_halves)
    idle(of_no_bus)
    renamed("half" to "side")
}

impl ControllerKind {
    fn sides(&self) -> Sides<'_> {
        let fronts = paths(&self.front, "front", &self.fronts);
        Sides { fronts, backs: paths(&self.back, "back", &self.backs) }
    }

    fn check_halves(&self, keys: &mut Keys<'_, '_>) {
        self.sides().check_controller_numbers(&self.pair, keys);
    }

    /// Marks the bytes of commands as idle at adapters on no bus. The bus of a module is that of its controller, which names its cards.
    fn of_no_bus(&self, idle: &mut IdleKeys) {
        if self.inside.is_empty() {
            mark_idle_registers(idle, &self.member(), &self.buses);
        }
    }

    fn check_buses(&self, keys: &mut Keys<'_, '_>) {
        check_buses(keys, &self.member(), &self.buses);
    }

    /// A module has no resources of its own.
    fn check_resources(&self, keys: &mut Keys<'_, '_>) {
        let Some(outer) = self.inside.first().filter(|_| self.resources.any_job_takes_time()) else { return };
        if keys.all_readable(&["inside", "resources"]) {
            let message = format!("it uses the resources of `{}`, and so none of its own", outer);
            let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position("inside"), message)
                .with_label("a module of another controller")
                .with_help(format!("take out {}, or `inside`", keys.full_path("resources")));
            keys.report("inside", fault);
        }
    }
}

impl ComponentKind<Part> for ControllerKind {
    fn members(&self) -> Option<u32> {
        self.count
    }

    fn member(&self) -> KindMember {
        let stands =
            if self.inside.is_empty() { ControllerRole::BeforeHosts } else { ControllerRole::BehindOthers };
        let parameters = (self.controller.clone(), self.path.clone(), stands, self.pair);
        let (mut member, processor) =
            self.sides().member::<sansim_controllers::controller::Controller>(parameters);
        join_buses(&mut member, &self.buses);
        if self.inside.is_empty()
            && (self.resources.any_job_takes_time() || self.pair.has_several_controllers())
        {
            let resources = member.add_part::<ControllerResourcePool>(
                "resources".to_owned(),
                (self.resources.clone(), self.pair.cluster()),
            );
            member.shared.push((processor, resources));
            member.resources = Some(resources);
        }
        member
    }

    fn references(&self) -> Vec<ComponentReference<'_>> {
        let inside =
            ComponentReference { key: "inside", names: &self.inside, joins: ReferenceRelation::Inside };
        vec![ComponentReference { key: "to", names: &self.to, joins: ReferenceRelation::Behind }, inside]
    }

    fn presents(&self, behind: &[u64]) -> Vec<u64> {
        behind.to_vec()
    }

    fn announces(&self) -> AnnouncedProperties {
        self.announced
    }

    fn side(&self) -> ControllerSide {
        self.side
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
            falls.push(DependentFailure { path: "resources".to_owned(), thing: Some(thing) });
        }
        falls
    }
}
