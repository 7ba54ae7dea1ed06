//! The description of a component kind beyond its keys: number of members, the parts of each, how they are joined, and the ports that it
//! exposes.
//!
//! A kind knows its own components and not the list of all parts, `P`; that list only needs a place for each of them ([`PartList`]). So a
//! kind is in the folder of its component.

use crate::announced::Announced;
use crate::contract::Component;
use crate::controller_side::{Cluster, ControllerSide};
use crate::groups::DeviceDivision;
use crate::limits::LimitParameters;
pub use crate::network::Side;
use crate::policy::{AccessState, AskingEnd, PathParameters, ServingEnd};
use crate::port_keys::PortKeys;
use sansim_kernel::Span;
use sansim_schema::keys::Keys;
use sansim_schema::source::SourceRange;

/// A list of parts that contains this component.
pub trait PartList<C: Component> {
    /// The part from which such a component is built.
    fn part(parameters: C::Parameters) -> Self;
}

/// Something that can be described in a scenario. All its members are equal.
pub trait ComponentKind<P> {
    /// How many members a group has; none for what is one by itself and has no number. A workload has as many for each of its hosts.
    fn members(&self) -> Option<u32> {
        None
    }

    /// The insides and the network ports of each member.
    fn member(&self) -> Member<P>;

    /// The keys in which it names other components.
    fn references(&self) -> Vec<Reference<'_>> {
        Vec::new()
    }

    /// How the workloads of a group divide their devices among themselves.
    fn division(&self) -> DeviceDivision {
        DeviceDivision::All
    }

    /// The devices that are not shown to it, by the names of components or of single devices.
    fn masked(&self) -> &[String] {
        &[]
    }

    /// The load of a workload; none for other kinds.
    fn load(&self) -> Option<OfferedLoad> {
        None
    }

    /// The streams of a workload, by their numbers. One that has no others has no name.
    fn streams(&self) -> Vec<StreamName> {
        vec![StreamName::default()]
    }

    /// The streams of a workload for which its devices are one address space and striped, and the stripe unit in bytes.
    fn stripes(&self) -> Vec<(String, u64)> {
        Vec::new()
    }

    /// How much of a workload its host lets begin in a time.
    fn limits(&self) -> LimitParameters {
        LimitParameters::NONE
    }

    /// The capacity in bytes of each of the devices that a member presents to those who ask it, where it asks devices of these
    /// capacities itself. A member that presents none is no device.
    fn presents(&self, _behind: &[u64]) -> Vec<u64> {
        Vec::new()
    }

    /// The announcement of each device that it presents.
    fn announces(&self) -> Announced {
        Announced::default()
    }

    /// Remarks for the user about how it is interpreted, a line each.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }

    /// How many devices each member has to ask at least.
    fn least_behind(&self) -> usize {
        0
    }

    /// Tells what is wrong if requests of this size come to it. `keys` are its own.
    fn check_request(&self, _request: &CheckedRequest<'_>, _keys: &mut Keys<'_, '_>) {}

    /// The actions that an event may apply to it.
    fn actions(&self) -> &'static [EventAction] {
        &[]
    }

    /// The things in each member that can fail by themselves and be repaired, by their names in events: `what = "NAME.WORD"`.
    fn fallible(&self) -> Vec<String> {
        self.cluster().things()
    }

    /// Whether its members fail at random themselves.
    fn fails_by_itself(&self) -> bool {
        false
    }

    /// The things among them that fail at random.
    fn outages(&self) -> Vec<Outage> {
        Vec::new()
    }

    /// The controller that has this module while that controller works.
    fn side(&self) -> ControllerSide {
        ControllerSide::A
    }

    /// The one of a pair of controllers to which one of its adapters belongs.
    fn side_of(&self, _adapter: &str) -> ControllerSide {
        ControllerSide::A
    }

    /// How well one of its devices, by its logical unit, can be reached by one of its adapters, if that is not the same for all devices.
    fn access(&self, _unit: u32, _adapter: &str) -> Option<AccessState> {
        None
    }

    /// The parameters of its path choice, if it has one.
    fn chooses(&self) -> Option<PathParameters> {
        None
    }

    /// How many controllers it is that stand in for each other.
    fn cluster(&self) -> Cluster {
        Cluster::default()
    }

    /// The parts of a member that fail, and are repaired, with a thing of a cluster of controllers ([`Cluster::things`]): parts of the
    /// controllers and of their modules. `which` is the number of a module among those at home in its controller.
    fn falls_with(&self, _thing: usize, _of: Cluster, _which: usize) -> Vec<Falls> {
        Vec::new()
    }

    /// A workload reports what is wrong with the names of its devices, which are given in their order. `keys` are those of the workload.
    fn check_devices(&self, _names: &[&str], _keys: &mut Keys<'_, '_>) {}

    /// Tells what is wrong if a member asks devices of these capacities in bytes. `keys` are its own.
    fn check_behind(&self, _behind: &[u64], _keys: &mut Keys<'_, '_>) {}
}

/// The processors of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnProcessors {
    /// The part with the processors.
    pub part: usize,
    /// Their speed, if it was said.
    pub speed_mhz: Option<u64>,
    /// Whether they poll, and so are not interrupted.
    pub poll: bool,
}

/// A member of a component.
#[derive(Clone, Debug, PartialEq)]
pub struct Member<P> {
    /// Its parts, in the order in which they react to what happens at one moment.
    pub parts: Vec<Inside<P>>,
    /// Block ports that are joined inside, as parts: who asks, and who serves.
    pub joins: Vec<(usize, usize)>,
    /// Ports at what its parts share that are joined inside, as parts: the adapter that asks, and the bus (one with two DMA engines has
    /// two); or for whom processors work, and these.
    pub shared: Vec<(usize, usize)>,
    /// Adapters of its modules on buses of its own: the bus, and the adapter as `COMPONENT.PATH`.
    pub cards_of_modules: Vec<(usize, String)>,
    /// Its network ports.
    pub ports: Vec<NetworkPort>,
    /// Keys and tables that it may have and does not use as it is described.
    pub unused: Vec<OfAnOnly>,
    /// The part that asks those whom the component names, if it names some.
    pub asks: Option<usize>,
    /// The part that serves those who name the component, if it serves requests.
    pub serves: Option<usize>,
    /// The part with what those share that are inside the component, if it has such.
    pub resources: Option<usize>,
    /// Its processors, if it has some that do what its networks leave to software.
    pub processors: Option<OwnProcessors>,
}

/// Keys and tables that stand for an only one, and mean nothing where there are several: each of these has its own.
#[derive(Clone, Debug, PartialEq)]
pub struct OfAnOnly {
    /// The thing that exists several times: `"adapter"`.
    pub what: &'static str,
    /// The keys and tables of an only one.
    pub keys: Vec<&'static str>,
    /// The paths of the tables of those that there are.
    pub instead: Vec<String>,
}

/// A part of a member.
#[derive(Clone, Debug, PartialEq)]
pub struct Inside<P> {
    /// Its name within the member, which is the path of its table; empty for the one that goes by the member's name.
    pub path: String,
    /// The part.
    pub part: P,
}

/// A port that frames pass, of one member.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkPort {
    /// Its name within the component as `stations` has it; empty for the only one.
    pub path: String,
    /// The path of its table within that of the component.
    pub table: String,
    /// The tables that concern only this port; they have no effect if it is not on a network.
    pub owns: Vec<String>,
    /// The device at the port: initiator, target or repeater.
    pub side: Side,
    /// The adapter behind it, as a part; none for one that only repeats. Several ports of one part are its ports in their order.
    pub part: Option<usize>,
    /// Its keys.
    pub keys: PortKeys,
    /// The keys of the paths that begin at it, if its side is the initiator.
    pub from: AskingEnd,
    /// The keys of the paths that end at it, if its side is the target.
    pub to: ServingEnd,
}

/// A key in which a component names others.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference<'a> {
    /// The key.
    pub key: &'static str,
    /// The names.
    pub names: &'a [String],
    /// The relation to them.
    pub joins: Joins,
}

/// The relation of a component to those that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joins {
    /// It is a network, and their ports stand on it.
    Stations,
    /// Its requests go through this host.
    Through,
    /// Its requests are for these devices.
    Devices,
    /// It asks these devices with no network between.
    Attached,
    /// It asks these devices: those that stand on a network by its own ports, the others with no network between.
    Behind,
    /// It asks this metadata controller by a network, as others may too, and what that manages.
    Shares,
    /// It gives others leave to ask these devices, and sends no requests itself.
    Manages,
    /// It is a module of this controller.
    Inside,
    /// It sends frames to these, which are no requests.
    Sends,
}

/// A thing of a component that fails at random, and is repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// The key that says that it does.
    pub key: &'static str,
    /// Its number among those that can fail by themselves.
    pub thing: usize,
    /// Mean time until it fails, since the beginning or since it was repaired.
    pub every: Span,
    /// Mean time until it is repaired then; none if it is not.
    pub lasts: Option<Span>,
}

/// A part of a member that falls with something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Falls {
    /// The path of the part.
    pub path: String,
    /// The thing of it that fails; none if all of it does.
    pub thing: Option<usize>,
}

/// The load that a workload offers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OfferedLoad {
    /// Size of a request in bytes.
    pub size: u64,
    /// The key that says so.
    pub size_key: &'static str,
    /// Share of reads.
    pub read_fraction: f64,
    /// Requests in flight for each device.
    pub slots_per_device: u64,
    /// Requests in flight for all devices together.
    pub slots_in_all: u64,
    /// Whether requests arrive independently of completions, so that the number in flight is not known.
    pub is_open: bool,
    /// Whether it comes to an end by itself.
    pub ends: bool,
}

/// A stream of a workload, as results have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamName {
    /// Its name; empty for the only one.
    pub name: String,
    /// Whether its requests come whether or not earlier ones are done.
    pub is_open: bool,
    /// Whether its reads and its writes come at rates of their own, so that one may fall behind and the other not.
    pub by_direction: bool,
}

/// A request that a component is checked against.
#[derive(Clone, Copy, Debug)]
pub struct CheckedRequest<'a> {
    /// Its size in bytes.
    pub bytes: u64,
    /// The dotted path of the key that says so.
    pub key: &'a str,
    /// Where that is written.
    pub place: SourceRange,
}

sansim_schema::words! {
    /// The effect of an event.
    pub enum EventAction {
        /// It fails: what it is asked from now on, and what it works on, ends with an error.
        Fail = "fail",
        /// It works again.
        Repair = "repair",
        /// Everything that it does takes `factor` times as long, until it is repaired.
        Slow = "slow",
        /// Some of its bytes, from `first_byte` on, cannot be read any more, until they are written.
        Unreadable = "unreadable",
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
    /// One component without network ports that goes by the member's name.
    pub fn of<C: Component>(parameters: C::Parameters) -> Self
    where
        P: PartList<C>,
    {
        let mut member = Self::default();
        member.add::<C>(String::new(), parameters);
        member
    }

    /// Adds a component under a path. Returns its number.
    pub fn add<C: Component>(&mut self, path: String, parameters: C::Parameters) -> usize
    where
        P: PartList<C>,
    {
        self.parts.push(Inside { path, part: P::part(parameters) });
        self.parts.len() - 1
    }

    /// The same, and the first part asks those whom the component names.
    #[must_use]
    pub fn asking(self) -> Self {
        Self { asks: Some(0), ..self }
    }

    /// The same, and the first part serves those who name the component.
    #[must_use]
    pub fn serving(self) -> Self {
        Self { serves: Some(0), ..self }
    }
}
