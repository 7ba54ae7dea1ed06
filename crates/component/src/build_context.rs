//! The build context: a component gets it together with its keys when it is built. It has the component's identity and its role in the system.
//!
//! Every component gets the same few fields ([`BuildContext`]) and those of its role: a network gets its attached nodes, an adapter its address, a device the devices that it
//! presents and the devices behind it. A component declares its role ([`Component::Role`](crate::Component::Role)).

use crate::controller_side::ControllerSide;
use crate::limits::LimitParameters;
use crate::network::{NetworkModel, NodePace, Side};
use crate::policy::DevicePath;
use crate::port_keys::PortKeys;
use sansim_kernel::{RandomStream, Span};
use sansim_pdu::Address;
use sansim_schema::context::Facts;
use std::ops::{Deref, Range};

/// The fields that every component gets when it is built.
///
/// Its ports are numbered from 0: first those at networks (of a network those of its stations), then those by which it serves, then
/// those by which it asks, then those at which others share it, then those at what it shares with others: buses, processors.
pub struct BuildContext<'a, R> {
    /// Its name in the scenario, as `drives[3].adapter`.
    pub name: &'a str,
    /// Name of its group, and which of the members it belongs to.
    pub group: &'a str,
    /// See [`BuildContext::group`].
    pub member: u32,
    /// Seed of all random streams.
    pub seed: u64,
    /// Its ports at buses, processors and resources.
    pub uses: Range<u16>,
    /// The facts that hold for the whole scenario, such as the word time.
    pub facts: &'a Facts,
    /// The fields that only its role has.
    pub role: R,
}

impl<R> Deref for BuildContext<'_, R> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.role
    }
}

impl<'a> BuildContext<'a, ()> {
    /// The same with a role.
    pub fn with<R>(self, role: R) -> BuildContext<'a, R> {
        let Self { name, group, member, seed, uses, facts, role: () } = self;
        BuildContext { name, group, member, seed, uses, facts, role }
    }
}

impl<R> BuildContext<'_, R> {
    /// The name of a random stream of this member of its group, by what it is for.
    pub fn stream_name(&self, what: &str) -> String {
        format!("{}/{}/{what}", self.group, self.member)
    }

    /// The random stream of that name. It depends on the member's place in its group only, so components elsewhere do not change it.
    pub fn stream(&self, what: &str) -> RandomStream {
        RandomStream::new(self.seed, &self.stream_name(what))
    }

    /// A random stream that goes by the name of the component.
    pub fn stream_by_name(&self, what: &str) -> RandomStream {
        RandomStream::new(self.seed, &format!("{}/{what}", self.name))
    }
}

/// A role in a system.
pub trait Role {
    /// Takes the fields of this role from the system.
    fn of(system: &dyn Tells) -> Self;
}

/// The system, as it fills in the fields of each role for one component.
pub trait Tells {
    /// A network.
    fn network(&self) -> NetworkRole;
    /// An adapter.
    fn adapter(&self) -> AdapterRole;
    /// A device, or who asks devices.
    fn device(&self) -> DeviceRole;
    /// A host.
    fn host(&self) -> HostRole;
    /// A source of requests.
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
}

/// The node attached to a station of a network.
#[derive(Clone, Debug)]
pub struct NetworkNode {
    /// As `stations` of the network has it.
    pub listed: String,
    /// The node is an initiator, a target, a way into another network, or nothing but a port that repeats.
    pub side: Side,
    /// Its address there.
    pub address: Address,
    /// The keys of its port.
    pub port: PortKeys,
    /// The enclosure that the port is in, by its number among those of the network.
    pub enclosure: Option<usize>,
    /// Whether the node waits for its circuits to end, and so is notified of the end.
    pub hears_ends: bool,
    /// How it makes frames and takes them.
    pub pace: NodePace,
    /// The processors that do there what the network leaves to software, if there are any.
    pub processors: Option<AtProcessors>,
}

/// The port by which a network gives work to the processors of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtProcessors {
    /// Its port at them.
    pub port: u16,
    /// The number of the adapter at the station among those that they look at, if they do.
    pub card: Option<u16>,
    /// Whether they poll, and so are not interrupted.
    pub poll: bool,
}

/// The fields of an adapter.
#[derive(Clone, Debug, Default)]
pub struct AdapterRole {
    /// Its address, if it is on a network.
    pub address: Option<Address>,
    /// For each of the ports by which it serves, the address on that network of each device of the system, by the number of the device: by each port
    /// it reaches another port of the device.
    pub addresses: Vec<Vec<Option<Address>>>,
    /// Those to whom it sends what is no request.
    pub peers: Vec<Address>,
    /// Its network takes all data of a sequence at once, and a word takes so long there.
    pub whole_sequences: Option<Span>,
}

/// The fields of a device, and of any component that asks devices.
#[derive(Clone, Debug, Default)]
pub struct DeviceRole {
    /// The devices that it presents, by its logical units.
    pub presents: Vec<u32>,
    /// Whether requests reach it through an adapter on a network.
    pub on_network: bool,
    /// The half of a pair of controllers that asks by each of the ports by which it serves; nothing where there is no second half.
    pub halves: Vec<ControllerSide>,
    /// The devices that it asks.
    pub behind: Vec<DeviceBehind>,
    /// The devices that it asks by leave of a metadata controller, or for which it gives others leave, and how many bytes each of them holds. They
    /// are not among those [`behind`](DeviceRole::behind).
    pub by_leave: Vec<(u32, u64)>,
    /// The paths to each device of the system, by the number of the device.
    pub paths: Vec<Vec<DevicePath>>,
}

/// A device behind another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceBehind {
    /// Its number in the system.
    pub device: u32,
    /// How many bytes it holds.
    pub bytes: u64,
    /// How many requests it takes at once: its queue depth, or those of what is behind it together.
    pub takes: u64,
    /// Whether it has a position, as a disk has: what is near the last access is there sooner.
    pub turns: bool,
}

impl DeviceRole {
    /// The place among those that it presents of each device of the system, by the number of the device; none of those that it does not present.
    pub fn places(&self) -> Vec<Option<u32>> {
        let mut places =
            vec![None; self.presents.iter().map(|&device| device as usize + 1).max().unwrap_or(0)];
        for (place, &device) in (0..).zip(&self.presents) {
            places[device as usize] = Some(place);
        }
        places
    }

    /// How many bytes each of the devices behind holds.
    pub fn bytes_behind(&self) -> Vec<u64> {
        self.behind.iter().map(|behind| behind.bytes).collect()
    }
}

/// The fields of a host.
#[derive(Clone, Debug, Default)]
pub struct HostRole {
    /// The paths to each device of the system, by the number of the device.
    pub paths: Vec<Vec<DevicePath>>,
    /// The most requests that it may have in flight at each device of the system, by the number of the device; none where the device sets
    /// no limit.
    pub shares: Vec<Option<u64>>,
    /// The limits of the workload at each of the ports by which it serves.
    pub limits: Vec<LimitParameters>,
}

/// The fields of a source of requests.
#[derive(Clone, Debug, Default)]
pub struct SourceRole {
    /// Its number among the workloads.
    pub number: u32,
    /// The devices that it is to ask, in their order.
    pub targets: Vec<TargetDevice>,
}

/// A device that a source is to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetDevice {
    /// Its number in the system.
    pub device: u32,
    /// Its name in the scenario, as `disk[3]`.
    pub name: String,
    /// How many blocks it has.
    pub blocks: u64,
}

/// The fields of a shared resource: a bus, processors, the resources of a controller.
#[derive(Clone, Debug, Default)]
pub struct SharedRole {
    /// The ports of all who ask.
    pub users: Range<u16>,
    /// The half of a pair of controllers that asks by each of those ports; nothing where there is no second half.
    pub halves: Vec<ControllerSide>,
}

macro_rules! roles {
    ($($role:ty: $method:ident;)*) => {
        $(impl Role for $role {
            fn of(system: &dyn Tells) -> Self {
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
    fn of(_: &dyn Tells) -> Self {}
}
