//! The build context: a component gets the context together with its keys when it is built. The build context has the component's identity
//! and its role in the system.
//!
//! Every component gets the same few fields ([`BuildContext`]) and those of its role: a network gets its attached nodes, an adapter its
//! address, a device the devices that it presents and the devices behind it. A component declares its role
//! ([`Component::Role`](crate::Component::Role)).

use crate::by_device::ByDevice;
use crate::controller_side::ControllerSide;
use crate::limits::LimitParameters;
use crate::network::{NetworkModel, NetworkPortRole, NodePace, UnitTransport};
use crate::policy::DevicePath;
use crate::port_keys::PortKeys;
use sansim_kernel::RandomStream;
use sansim_pdu::Address;
use sansim_schema::context::Facts;
use std::ops::{Deref, Range};

/// The fields that every component gets when it is built.
///
/// Ports are numbered from 0: first those at networks (for a network those of its stations), then those by which the component serves, then
/// those by which it sends requests, then those at which others share it, then those at shared resources: buses, processors.
pub struct BuildContext<'a, R> {
    /// The name of the component in the scenario, such as `drives[3].adapter`.
    pub name: &'a str,
    /// The name of the component's group, and the number of the member to which it belongs.
    pub group: &'a str,
    /// The number of the member; see [`BuildContext::group`].
    pub member: u32,
    /// The seed of all random streams.
    pub seed: u64,
    /// The ports of the component at buses, processors and resources that it shares.
    pub uses: Range<u16>,
    /// The facts that hold for the whole scenario, such as the word time.
    pub facts: &'a Facts,
    /// The fields that only the component's role has.
    pub role: R,
}

impl<R> Deref for BuildContext<'_, R> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.role
    }
}

impl<'a> BuildContext<'a, ()> {
    /// A build context that differs from this one only in its role.
    pub fn with_role<R>(self, role: R) -> BuildContext<'a, R> {
        let Self { name, group, member, seed, uses, facts, role: () } = self;
        BuildContext { name, group, member, seed, uses, facts, role }
    }
}

impl<R> BuildContext<'_, R> {
    /// The name of a random stream of this member of its group; `what` names its purpose.
    pub fn random_stream_name(&self, what: &str) -> String {
        format!("{}/{}/{what}", self.group, self.member)
    }

    /// The random stream of that name. The stream depends only on the member's number in its group, so components elsewhere do not change
    /// it.
    pub fn random_stream(&self, what: &str) -> RandomStream {
        RandomStream::new(self.seed, &self.random_stream_name(what))
    }

    /// A random stream with the name of the component.
    pub fn component_random_stream(&self, what: &str) -> RandomStream {
        RandomStream::new(self.seed, &format!("{}/{what}", self.name))
    }
}

/// A role in a system.
pub trait Role {
    /// Gets the fields of this role from the system.
    fn of(system: &dyn RoleFacts) -> Self;
}

/// The system, as it fills in the fields of each role for one component.
pub trait RoleFacts {
    /// The role of a network.
    fn network(&self) -> NetworkRole;
    /// The role of an adapter.
    fn adapter(&self) -> AdapterRole;
    /// The role of a device, or of any component that sends requests to devices.
    fn device(&self) -> DeviceRole;
    /// The role of a host.
    fn host(&self) -> HostRole;
    /// The role of a source of requests.
    fn source(&self) -> SourceRole;
    /// The role of a component that others share.
    fn shared(&self) -> SharedRole;
}

/// The fields of a network.
#[derive(Clone, Debug, Default)]
pub struct NetworkRole {
    /// The node at each of its stations.
    pub nodes: Vec<NetworkNode>,
    /// The network model that runs; all models give the same result.
    pub model: NetworkModel,
    /// Whether an event of the scenario acts on the network or a part of it.
    pub is_acted_on: bool,
}

/// The node attached to a station of a network.
#[derive(Clone, Debug)]
pub struct NetworkNode {
    /// The name of the station in the list `stations` of the network.
    pub listed: String,
    /// The side of the node: an initiator, a target, a path into another network, or a port that only repeats.
    pub side: NetworkPortRole,
    /// The address of the node at the network.
    pub address: Address,
    /// The keys of the node's port.
    pub port: PortKeys,
    /// The number of the enclosure that the port is in, among the enclosures of the network.
    pub enclosure: Option<usize>,
    /// Whether the node waits for its circuits to end, and so is notified of the end.
    pub hears_ends: bool,
    /// The times in which the node builds frames and accepts them.
    pub pace: NodePace,
    /// The processors of the node that do the software part of the network, if there are any.
    pub processors: Option<ProcessorPort>,
    /// The group to which the node sends: its address, and those of its members; none for a node that sends to no group.
    pub group: Option<(Address, Vec<Address>)>,
}

/// The port by which a network gives work to the processors of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessorPort {
    /// The port of the node at its processors.
    pub port: u16,
    /// The number of the adapter among those that the processors poll, if they poll it.
    pub card: Option<u16>,
    /// Whether the processors poll, and so are not interrupted.
    pub poll: bool,
}

/// The fields of an adapter.
#[derive(Clone, Debug, Default)]
pub struct AdapterRole {
    /// The address of the adapter, if it is on a network.
    pub address: Option<Address>,
    /// For each of the ports by which it serves, the address on that network of each device that it reaches: each port reaches another
    /// port of the device.
    pub addresses: Vec<ByDevice<Address>>,
    /// The addresses to which the adapter sends messages that belong to no request: those of others, or that of a group of them.
    pub peers: Vec<Address>,
    /// The devices that are unavailable through the adapter at first, by their numbers in the system.
    pub unavailable: Vec<u32>,
    /// The form in which the adapter's network carries its units.
    pub transport: UnitTransport,
}

/// The fields of a device, and of any component that asks devices.
#[derive(Clone, Debug, Default)]
pub struct DeviceRole {
    /// The devices that the component presents, by its logical units.
    pub presents: Vec<u32>,
    /// Whether requests reach the component through an adapter on a network.
    pub on_network: bool,
    /// The controller side at each of the ports by which the device serves; empty if there is no second side.
    pub halves: Vec<ControllerSide>,
    /// The devices behind the component.
    pub behind: Vec<DeviceBehind>,
    /// The devices that the component accesses with leases of a metadata controller, or for which it grants leases, each with its bytes.
    /// Devices with leases are not among those [`behind`](DeviceRole::behind).
    pub by_leave: Vec<(u32, u64)>,
    /// The paths to each device to which it may send requests.
    pub paths: ByDevice<Vec<DevicePath>>,
}

/// A device behind another component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceBehind {
    /// The number of the device in the system.
    pub device: u32,
    /// The capacity of the device in bytes.
    pub bytes: u64,
    /// The number of requests that the device accepts at once: its queue depth, or the sum over the devices behind it.
    pub takes: u64,
    /// Whether the device has a position, as a disk has, so that a request near the last access needs less time.
    pub turns: bool,
}

impl DeviceRole {
    /// For each device of the system, by its number, its place among the presented devices; none if it is not presented.
    pub fn device_indices(&self) -> Vec<Option<u32>> {
        let mut places =
            vec![None; self.presents.iter().map(|&device| device as usize + 1).max().unwrap_or(0)];
        for (place, &device) in (0..).zip(&self.presents) {
            places[device as usize] = Some(place);
        }
        places
    }

    /// The capacity in bytes of each device behind.
    pub fn device_capacities(&self) -> Vec<u64> {
        self.behind.iter().map(|behind| behind.bytes).collect()
    }
}

/// The fields of a host.
#[derive(Clone, Debug, Default)]
pub struct HostRole {
    /// The paths to each device to which it may send requests.
    pub paths: ByDevice<Vec<DevicePath>>,
    /// The most requests that the host may have in flight at each of these devices; none where the device sets no limit.
    pub shares: ByDevice<Option<u64>>,
    /// The limits of the workload at each of the ports by which the host serves.
    pub limits: Vec<LimitParameters>,
}

/// The fields of a source of requests.
#[derive(Clone, Debug, Default)]
pub struct SourceRole {
    /// The number of the workload among all workloads.
    pub number: u32,
    /// The devices to which the source sends requests, in their order.
    pub targets: Vec<TargetDevice>,
}

/// A device to which a source sends requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetDevice {
    /// The number of the device in the system.
    pub device: u32,
    /// The name of the device in the scenario, such as `disk[3]`.
    pub name: String,
    /// The number of blocks of the device.
    pub blocks: u64,
}

/// The fields of a shared resource: a bus, processors, the resources of a controller.
#[derive(Clone, Debug, Default)]
pub struct SharedRole {
    /// The ports of all users of the shared resource.
    pub users: Range<u16>,
    /// The controller side at each of those ports; empty if there is no second side.
    pub halves: Vec<ControllerSide>,
}

macro_rules! roles {
    ($($role:ty: $method:ident;)*) => {
        $(impl Role for $role {
            fn of(system: &dyn RoleFacts) -> Self {
                system.$method()
            }
        })*
    };
}

roles! {
    NetworkRole: network;
    AdapterRole: adapter;
    DeviceRole: device;
    HostRole: host;
    SourceRole: source;
    SharedRole: shared;
}

/// The role of a component that needs only the common build context.
impl Role for () {
    fn of(_: &dyn RoleFacts) -> Self {}
}
