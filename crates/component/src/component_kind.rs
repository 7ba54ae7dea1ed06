//! The description of a component kind beyond its keys: number of members, the parts of each, how they are joined, and the ports that it
//! exposes.
//!
//! A kind knows its own components and not the list of all parts, `P`; that list only needs a place for each of them ([`PartList`]). The
//! code of a kind is therefore in the folder of its component.

use crate::announced::AnnouncedProperties;
use crate::contract::Component;
use crate::controller_side::{Cluster, ControllerSide};
use crate::groups::DeviceDivision;
use crate::limits::LimitParameters;
pub use crate::network::NetworkPortRole;
use crate::policy::{AccessState, InitiatorPathKeys, PathParameters, TargetPathKeys};
use crate::port_keys::PortKeys;
use sansim_kernel::Span;
use sansim_schema::keys::Keys;
use sansim_schema::source::SourceRange;

/// A list of parts that contains this component.
pub trait PartList<C: Component> {
    /// The part from which the component is built.
    fn part(parameters: C::Parameters) -> Self;
}

/// A kind of component that a scenario can describe. All members of a kind are equal.
pub trait ComponentKind<P> {
    /// The number of members of a group; none for a single component, which has no number. A workload has this many members for each of its
    /// hosts.
    fn members(&self) -> Option<u32> {
        None
    }

    /// The insides and the network ports of each member.
    fn member(&self) -> Member<P>;

    /// The keys in which the component names other components.
    fn references(&self) -> Vec<ComponentReference<'_>> {
        Vec::new()
    }

    /// How the workloads of a group divide their devices among themselves.
    fn division(&self) -> DeviceDivision {
        DeviceDivision::All
    }

    /// The devices that are hidden from the component, by the names of components or of single devices.
    fn masked(&self) -> &[String] {
        &[]
    }

    /// The load of a workload; none for other kinds.
    fn load(&self) -> Option<OfferedLoad> {
        None
    }

    /// The streams of a workload, by their numbers. The only stream of a workload has no name.
    fn streams(&self) -> Vec<StreamName> {
        vec![StreamName::default()]
    }

    /// The streams of a workload for which its devices are one address space and striped, and the stripe unit in bytes.
    fn stripes(&self) -> Vec<(String, u64)> {
        Vec::new()
    }

    /// The limits that a host applies to the workload.
    fn limits(&self) -> LimitParameters {
        LimitParameters::NONE
    }

    /// The capacity in bytes of each device that a member presents to its askers, given the capacities of the devices behind it. A
    /// component that presents no device is no device.
    fn presents(&self, _behind: &[u64]) -> Vec<u64> {
        Vec::new()
    }

    /// The announcement of each device that the component presents.
    fn announces(&self) -> AnnouncedProperties {
        AnnouncedProperties::default()
    }

    /// Remarks for the user about the interpretation of the component's keys, a line each.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// The least number of devices behind each member.
    fn least_behind(&self) -> usize {
        0
    }

    /// Reports errors for requests of this size. `keys` are the keys of the component.
    fn check_request(&self, _request: &CheckedRequest<'_>, _keys: &mut Keys<'_, '_>) {}

    /// The actions that an event may apply to the component.
    fn actions(&self) -> &'static [EventAction] {
        &[]
    }

    /// The parts of each member that can fail separately and be repaired, by their names in events: `what = "NAME.WORD"`.
    fn fallible(&self) -> Vec<String> {
        self.cluster().failable_parts()
    }

    /// Whether the members fail at random themselves.
    fn fails_by_itself(&self) -> bool {
        false
    }

    /// The separately failing parts that fail at random.
    fn outages(&self) -> Vec<RandomOutage> {
        Vec::new()
    }

    /// The controller that contains this module while that controller works.
    fn side(&self) -> ControllerSide {
        ControllerSide::A
    }

    /// The controller of a pair to which one of the component's adapters belongs.
    fn side_of(&self, _adapter: &str) -> ControllerSide {
        ControllerSide::A
    }

    /// The access state of one of the component's devices, by its logical unit, through one of its adapters, if it is not the same for all
    /// devices.
    fn access(&self, _unit: u32, _adapter: &str) -> Option<AccessState> {
        None
    }

    /// The parameters of the component's path choice, if it has one.
    fn chooses(&self) -> Option<PathParameters> {
        None
    }

    /// The number of controllers that take over from each other.
    fn cluster(&self) -> Cluster {
        Cluster::default()
    }

    /// The parts of a member that fail, and are repaired, with a part of a cluster of controllers ([`Cluster::failable_parts`]): parts of the
    /// controllers and of their modules. `which` is the number of a module among the modules that its controller owns.
    fn falls_with(&self, _thing: usize, _of: Cluster, _which: usize) -> Vec<DependentFailure> {
        Vec::new()
    }

    /// Reports errors in the names of the devices of a workload, given in their order. `keys` are the keys of the workload.
    fn check_devices(&self, _names: &[&str], _keys: &mut Keys<'_, '_>) {}

    /// Reports errors if a member has devices of these capacities in bytes behind it. `keys` are the keys of the component itself.
    fn check_behind(&self, _behind: &[u64], _keys: &mut Keys<'_, '_>) {}
}

/// The processors of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnProcessors {
    /// The part with the processors.
    pub part: usize,
    /// The clock of the processors, if the scenario has one.
    pub speed_mhz: Option<u64>,
    /// Whether the processors poll, and so are not interrupted.
    pub poll: bool,
}

/// A member of a component.
#[derive(Clone, Debug, PartialEq)]
pub struct Member<P> {
    /// The parts of a member, in the order in which they react to simultaneous events.
    pub parts: Vec<MemberPart<P>>,
    /// Block ports that are joined inside, as numbers of parts: the asking part, and the serving part.
    pub joins: Vec<(usize, usize)>,
    /// Ports at shared resources that are joined inside the member, as numbers of parts: an adapter and its bus (twice for an adapter with
    /// two DMA engines), or a part and the processors that work for it.
    pub shared: Vec<(usize, usize)>,
    /// Adapters of the component's modules that are on buses of the component: the bus, and the adapter as `COMPONENT.PATH`.
    pub cards_of_modules: Vec<(usize, String)>,
    /// The network ports of a member.
    pub ports: Vec<NetworkPort>,
    /// Keys and tables that the member may have and does not use as it is configured.
    pub unused: Vec<SinglePortKeys>,
    /// The part that sends requests to the components that the scenario names as devices, if there are any.
    pub asks: Option<usize>,
    /// The part that serves requests of the components that name this one, if it serves any.
    pub serves: Option<usize>,
    /// The part with the resources that the modules inside the component share, if there are any.
    pub resources: Option<usize>,
    /// The processors of the component that do the work that its networks leave to software, if there are any.
    pub processors: Option<OwnProcessors>,
}

/// Keys and tables of a single port or adapter, which have no meaning where there are several: each of these then has its own table.
#[derive(Clone, Debug, PartialEq)]
pub struct SinglePortKeys {
    /// The kind of thing that exists several times: `"adapter"`.
    pub what: &'static str,
    /// The keys and tables of a single one.
    pub keys: Vec<&'static str>,
    /// The paths of the tables to use instead, one for each of several.
    pub instead: Vec<String>,
}

/// A part of a member.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberPart<P> {
    /// The name of the part within the member, which is the path of its table; empty for the part that has the member's name.
    pub path: String,
    /// The part.
    pub part: P,
}

/// A port that frames pass, of one member.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkPort {
    /// The name of the port within the component, as in `stations`; empty for a single port.
    pub path: String,
    /// The path of the table of the port within the table of the component.
    pub table: String,
    /// The tables that concern only this port; they have no effect if it is not on a network.
    pub owns: Vec<String>,
    /// The device at the port: initiator, target or repeater.
    pub side: NetworkPortRole,
    /// The adapter behind the port, as the number of its part; none for a port that only repeats. Several ports of one part are its ports
    /// in order.
    pub part: Option<usize>,
    /// The keys of the port.
    pub keys: PortKeys,
    /// The keys of the paths that begin at the port, if its side is the initiator.
    pub from: InitiatorPathKeys,
    /// The keys of the paths that end at the port, if its side is the target.
    pub to: TargetPathKeys,
}

/// A key in which a component names other components.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentReference<'a> {
    /// The key.
    pub key: &'static str,
    /// The names.
    pub names: &'a [String],
    /// The relation to the named components.
    pub joins: ReferenceRelation,
}

/// The relation of a component to the components that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceRelation {
    /// The component is a network, to which the ports of the named components are attached.
    Stations,
    /// Requests of the workload pass this host.
    Through,
    /// Requests of the workload are for these devices.
    Devices,
    /// The component sends requests to these devices without a network.
    Attached,
    /// The component sends requests to these devices: by its own ports if they are attached to a network, otherwise without one.
    Behind,
    /// The component asks this metadata controller over a network, and shares the devices of the controller with other clients.
    Shares,
    /// The component grants leases for these devices, and sends no requests to them.
    Manages,
    /// The component is a module of this controller.
    Inside,
    /// The component sends frames that belong to no request to these components.
    Sends,
}

/// A part of a component that fails at random, and is repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomOutage {
    /// The key that configures the outage.
    pub key: &'static str,
    /// The number of the part among those that can fail separately.
    pub thing: usize,
    /// The mean time until the part fails, from the beginning or from its repair.
    pub every: Span,
    /// The mean time until a failed part is repaired; none if it is not repaired.
    pub lasts: Option<Span>,
}

/// A part of a member that fails with another component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DependentFailure {
    /// The path of the part.
    pub path: String,
    /// The part inside that component that fails; none if the whole component fails.
    pub thing: Option<usize>,
}

/// The load that a workload offers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OfferedLoad {
    /// The size of a request in bytes.
    pub size: u64,
    /// The key that gives the size.
    pub size_key: &'static str,
    /// The share of reads.
    pub read_fraction: f64,
    /// Requests in flight for each device.
    pub slots_per_device: u64,
    /// Requests in flight for all devices together.
    pub slots_in_all: u64,
    /// Whether requests arrive independently of completions, so that the number in flight is not known.
    pub is_open: bool,
    /// Whether the workload comes to an end by itself.
    pub ends: bool,
}

/// A stream of a workload, as results have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamName {
    /// The name of the stream; empty for a single one.
    pub name: String,
    /// Whether its requests come whether or not earlier ones are done.
    pub is_open: bool,
    /// Whether reads and writes of the stream arrive at separate rates, so that one may fall behind and the other not.
    pub by_direction: bool,
}

/// A request that a component is checked against.
#[derive(Clone, Copy, Debug)]
pub struct CheckedRequest<'a> {
    /// The size of the request in bytes.
    pub bytes: u64,
    /// The dotted path of the key that gives the size.
    pub key: &'a str,
    /// The place of the size in the scenario file.
    pub place: SourceRange,
}

sansim_schema::words! {
    /// The effect of an event.
    pub enum EventAction {
        /// The component fails: requests that it has, and later ones, end with an error.
        Fail = "fail",
        /// The component works again.
        Repair = "repair",
        /// Every service time of the component is multiplied by `factor` until it is repaired; an adapter also has each command wait for
        /// `delay`.
        Slow = "slow",
        /// Nothing comes in at the adapter any more until it is repaired, and commands that it has got are not answered. No link reports an
        /// error.
        Silence = "silence",
        /// Some of its bytes, from `first_byte` on, cannot be read any more, until they are written.
        Unreadable = "unreadable",
        /// The ports of the component are taken out of their networks: hot plug.
        Remove = "remove",
        /// The ports of the component are put into their networks; if they were not removed before, they were not there from the beginning.
        Add = "add",
        /// The network is initialised: on a loop a port sends LIP.
        Initialise = "initialise",
        /// A key of the component has another value from then on.
        Change = "change",
    }
}

impl<P> Default for Member<P> {
    fn default() -> Self {
        let (parts, joins, shared) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            parts,
            joins,
            shared,
            cards_of_modules: Vec::new(),
            ports: Vec::new(),
            unused: Vec::new(),
            asks: None,
            serves: None,
            resources: None,
            processors: None,
        }
    }
}

impl<P> Member<P> {
    /// A member of one part without network ports, which has the member's name.
    pub fn single_part_member<C: Component>(parameters: C::Parameters) -> Self
    where
        P: PartList<C>,
    {
        let mut member = Self::default();
        member.add_part::<C>(String::new(), parameters);
        member
    }

    /// Adds a component under a path. Returns the number of the added component.
    pub fn add_part<C: Component>(&mut self, path: String, parameters: C::Parameters) -> usize
    where
        P: PartList<C>,
    {
        self.parts.push(MemberPart { path, part: P::part(parameters) });
        self.parts.len() - 1
    }

    /// Makes the first part of the member send requests to the named components.
    #[must_use]
    pub fn with_request_targets(self) -> Self {
        Self { asks: Some(0), ..self }
    }

    /// Makes the first part of the member serve the components that name the member.
    #[must_use]
    pub fn with_named_initiators(self) -> Self {
        Self { serves: Some(0), ..self }
    }
}
