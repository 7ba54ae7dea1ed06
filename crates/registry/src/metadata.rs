//! Out-of-band data management: the metadata controller, a server on the networks of its clients, and the clients, devices in front of
//! others at hosts.

use sansim_component::announced::AnnouncedProperties;
use sansim_component::component_kind::{ComponentKind, ComponentReference, EventAction, ReferenceRelation};
use sansim_component::groups::MEMBERS;
use sansim_component::layered::LayeredDeviceKeys;
use sansim_component::policy::PathParameters;
use sansim_metadata::client::{MetadataClient, MetadataClientParameters};
use sansim_metadata::controller::{MetadataController, MetadataControllerParameters};
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Name, NameList};
use sansim_schema::table;

use crate::sides::{DeviceSideAdapter, HostSideAdapter, Sides, paths};
use crate::{KindMember, Part};

const TO: NameList = NameList { example: r#"["disks"]"# };

table! {
    /// A metadata controller, outside the data path: it manages access to volumes, leases, and the places of volumes. Clients reach it by
    /// its `front` adapters, and the devices directly.
    pub struct MetadataControllerKind {
        /// The devices on which the volumes are. The controller does not access them; its clients do, and each has a path of its own to them.
        to: Vec<String> = TO, required r#"["disks"]"#, source "";
    }
    parts {
        /// The queue depth that it announces to its clients.
        announced: AnnouncedProperties;
        /// Its processors and volumes. It has tables of its own, which stand behind all keys.
        controller: MetadataControllerParameters;
    }
    tables {
        /// The adapter on a network of the clients. In `stations` it is called `NAME.front`.
        front: HostSideAdapter;
    }
    named {
        /// Where it has several adapters on networks of clients: each of them, in place of `front`.
        fronts: HostSideAdapter;
    }
    idle(of_hosts, of_writes)
}

table! {
    /// The software of a client of a metadata controller, at a host that has it `attached`: a device for each volume of the controller. Its
    /// `back` adapters reach the controller and the devices that this manages.
    pub struct MetadataClientKind {
        /// Number of equal clients that the table describes, for a group of hosts that has the clients `attached`. `"one"` is one client
        /// with the name of the table; a number makes a group with the members `NAME[0]`, `NAME[1]` and so on.
        count: Option<u32> = MEMBERS, default r#""one""#, source "ours: one, as long as nobody says otherwise";
        /// The metadata controller.
        to: String = Name, required r#""metadata""#, source "";
    }
    parts {
        /// Its choice among several paths.
        path: PathParameters;
        /// The queue depth that each of its volumes announces to the host.
        announced: AnnouncedProperties;
        /// The client.
        client: MetadataClientParameters;
    }
    tables {
        /// The adapter on a network of the controller and the devices. In `stations` it is called `NAME.back`.
        back: DeviceSideAdapter;
    }
    named {
        /// Where it has several adapters on such networks: each of them, in place of `back`.
        backs: DeviceSideAdapter;
    }
}

impl MetadataControllerKind {
    /// Marks keys as unused that announce a device to hosts.
    fn of_hosts(&self, idle: &mut IdleKeys) {
        let of_hosts = ["queue_depth", "queue_depth_for"];
        idle.mark_idle_unless(false, &of_hosts, "clients of a metadata controller ask it, and no hosts");
    }

    /// Marks keys as unused for data that the adapters would receive, and for data longer than the smallest frame.
    fn of_writes(&self, idle: &mut IdleKeys) {
        let of_data = ["write_command_time", "burst_done", "dma_order", "dma_setup_per", "max_payload"];
        for (path, _) in paths(&self.front, "front", &self.fronts) {
            let why = "clients read short answers, and write nothing";
            idle.collect_table(&path, |idle| idle.mark_idle_unless(false, &of_data, why));
        }
    }
}

impl ComponentKind<Part> for MetadataControllerKind {
    fn member(&self) -> KindMember {
        let sides = Sides { fronts: paths(&self.front, "front", &self.fronts), backs: Vec::new() };
        sides.member::<MetadataController>(self.controller.clone()).0
    }

    fn references(&self) -> Vec<ComponentReference<'_>> {
        vec![ComponentReference { key: "to", names: &self.to, joins: ReferenceRelation::Manages }]
    }

    fn presents(&self, behind: &[u64]) -> Vec<u64> {
        self.controller.volume_capacities(behind)
    }

    fn announces(&self) -> AnnouncedProperties {
        self.announced
    }

    fn least_behind(&self) -> usize {
        1
    }

    fn check_behind(&self, behind: &[u64], keys: &mut Keys<'_, '_>) {
        if !behind.is_empty() {
            self.controller.check_volume_locations(behind, keys);
        }
    }

    fn actions(&self) -> &'static [EventAction] {
        &[EventAction::Fail, EventAction::Repair]
    }

    fn fallible(&self) -> Vec<String> {
        let leave = (0..self.controller.volume_count()).map(|volume| format!("leave[{volume}]"));
        leave.chain(self.controller.volumes_that_move().map(|volume| format!("place[{volume}]"))).collect()
    }
}

impl ComponentKind<Part> for MetadataClientKind {
    fn members(&self) -> Option<u32> {
        self.count
    }

    fn member(&self) -> KindMember {
        let sides = Sides { fronts: Vec::new(), backs: paths(&self.back, "back", &self.backs) };
        sides.member::<MetadataClient>((self.client, self.path.clone())).0
    }

    fn references(&self) -> Vec<ComponentReference<'_>> {
        vec![ComponentReference {
            key: "to",
            names: std::slice::from_ref(&self.to),
            joins: ReferenceRelation::Shares,
        }]
    }

    fn chooses(&self) -> Option<PathParameters> {
        Some(self.path.clone())
    }

    fn presents(&self, behind: &[u64]) -> Vec<u64> {
        self.client.presents(behind)
    }

    fn announces(&self) -> AnnouncedProperties {
        self.announced
    }

    fn least_behind(&self) -> usize {
        1
    }
}
