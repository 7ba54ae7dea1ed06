//! A group of devices before other devices: arrays, caches, volumes. The table of such a group is the same for all devices in front of
//! others.
//!
//! Devices in front of others can be combined in any order, with networks between or without: the devices behind a group are other such
//! groups or a group of drives; each device has adapters on networks of its initiators and of its own devices, if it is attached to
//! networks.

use sansim_component::ControllerSide;
use sansim_component::announced::AnnouncedProperties;
use sansim_component::component_kind::{
    CheckedRequest, ComponentKind, ComponentReference, DependentFailure, EventAction, PartList,
    ReferenceRelation,
};
use sansim_component::controller_side::Cluster;
use sansim_component::layered::LayeredDeviceKeys;
use sansim_component::policy::PathParameters;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Choice, Count, NameList};
use sansim_schema::table;

use crate::controller::INSIDE;
use crate::sides::{DeviceSideAdapter, HostSideAdapter, Sides, paths};
use crate::{KindMember, Part};

const TO: NameList = NameList { example: r#"["drives"]"# };

table! {
    /// A group of devices before other devices.
    pub struct LayeredDeviceGroup<D: LayeredDeviceKeys> {
        /// The devices behind it: those on a loop that it reaches by its `back` adapters, and others without a network between. If the
        /// table describes several components, each gets the same number of devices of every group, in their order.
        to: Vec<String> = TO, required r#"["drives"]"#, source "";
        /// The controller of which it is a module, and whose processors and memory it uses.
        inside: Vec<String> = INSIDE, default "[]", source "Wang 2005, figure 3.3";
        /// Inside a pair of controllers, the one in which it is while that works.
        side: ControllerSide = Choice::<ControllerSide>::ANY, default r#""a""#, source "ours: the first";
        /// How many.
        count: u32 = Count::<u32>::between(0, 1_000_000), default "1", source "ours: one, unless the file says otherwise";
    }
    parts {
        /// Its choice among several paths.
        path: PathParameters;
        /// The queue depth that each announces to hosts.
        announced: AnnouncedProperties;
        /// Each of them. It has tables of its own, which stand behind all keys.
        device: D;
    }
    tables {
        /// The adapter on a network of its initiators. In `stations` it is called `NAME.front`.
        front: HostSideAdapter;
        /// The adapter on a network of the devices behind it. In `stations` it is called `NAME.back`.
        back: DeviceSideAdapter;
    }
    named {
        /// Where it has several adapters on networks of its initiators: each of them, in place of `front`.
        fronts: HostSideAdapter;
        /// Where it has several adapters on networks of the devices behind it: each of them, in place of `back`.
        backs: DeviceSideAdapter;
    }
    renamed("half" to "side")
}

impl<D: LayeredDeviceKeys> LayeredDeviceGroup<D> {
    fn sides(&self) -> Sides<'_> {
        let fronts = paths(&self.front, "front", &self.fronts);
        Sides { fronts, backs: paths(&self.back, "back", &self.backs) }
    }
}

impl<D: LayeredDeviceKeys> ComponentKind<Part> for LayeredDeviceGroup<D>
where
    Part: PartList<D::Device>,
{
    fn members(&self) -> Option<u32> {
        Some(self.count)
    }

    fn member(&self) -> KindMember {
        self.sides().member::<D::Device>((self.device.clone(), self.path.clone())).0
    }

    fn references(&self) -> Vec<ComponentReference<'_>> {
        let inside =
            ComponentReference { key: "inside", names: &self.inside, joins: ReferenceRelation::Inside };
        vec![ComponentReference { key: "to", names: &self.to, joins: ReferenceRelation::Behind }, inside]
    }

    fn presents(&self, behind: &[u64]) -> Vec<u64> {
        self.device.presents(behind)
    }

    fn announces(&self) -> AnnouncedProperties {
        self.announced
    }

    fn least_behind(&self) -> usize {
        self.device.least_behind()
    }

    fn check_behind(&self, behind: &[u64], keys: &mut Keys<'_, '_>) {
        if behind.len() >= self.device.least_behind() {
            self.device.check_behind(behind, keys);
        }
    }

    fn fallible(&self) -> Vec<String> {
        self.device.fallible()
    }

    fn check_request(&self, request: &CheckedRequest<'_>, keys: &mut Keys<'_, '_>) {
        self.device.check_request(request, keys);
    }

    fn side(&self) -> ControllerSide {
        self.side
    }

    fn falls_with(&self, thing: usize, of: Cluster, which: usize) -> Vec<DependentFailure> {
        let mut falls = self.sides().adapters_of_controller(thing);
        let device = self.device.falls_with(self.side, thing, of, which);
        falls.extend(device.map(|thing| DependentFailure { path: String::new(), thing: Some(thing) }));
        falls
    }

    fn chooses(&self) -> Option<PathParameters> {
        Some(self.path.clone())
    }

    fn actions(&self) -> &'static [EventAction] {
        &[EventAction::Fail, EventAction::Repair]
    }
}
