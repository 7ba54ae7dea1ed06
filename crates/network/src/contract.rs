//! The description that every network gives of itself: its nodes and their addresses, the messages that may cross it, the parts that can
//! fail. No component asks a network for its kind.
//!
//! A network derives this description from its parameters, before anything is built. A method that a network does not
//! define has the default of this trait.

pub use sansim_component::network::NetworkPortRole;

use sansim_component::component_kind::EventAction;
use sansim_component::{NetworkNode, PortKeys, UnitTransport};
use sansim_fc::cable::CableMedium;
use sansim_fc::enclosure::EnclosureParameters;
use sansim_fc::link::LinkRules;
use sansim_fc::speed::Speed;
use sansim_kernel::Span;
use sansim_pdu::Address;
use sansim_schema::context::Facts;
use sansim_schema::table::NamedValue;

/// A kind of network, with the keys of one network of the scenario.
pub trait Network {
    /// The names of the ports attached to the network, in the order of the file.
    fn stations(&self) -> &[String];

    /// The facts that the quantities of the attached ports need, such as the word time in which delays are
    /// given.
    fn facts(&self) -> Facts {
        Facts::default()
    }

    /// The time of a transmission word on links without a speed of their own; for a network without words, the time of its smallest
    /// unit.
    fn word_time(&self) -> Span;

    // The methods that follow describe the messages that may cross the network.

    /// The form in which the network carries the units of adapters.
    fn transport(&self) -> UnitTransport {
        UnitTransport::Frames
    }

    /// The key of the network that adds bytes to each unit, if it adds some.
    fn unit_header_key(&self) -> Option<&'static str> {
        None
    }

    /// The most payload of a unit with data, and of a unit without data, that the buffers of the network
    /// accept, if they limit the payload.
    fn largest_units(&self) -> Option<[u64; 2]> {
        None
    }

    /// Whether IP datagrams may cross the network.
    fn carries_ip(&self) -> bool {
        false
    }

    /// Whether the network copies frames for the members of a group.
    fn carries_multicast(&self) -> bool {
        false
    }

    /// The end of a port between networks that may be attached to this network, if any may be.
    fn crossing(&self) -> Option<CrossingPortEnd> {
        None
    }

    /// Whether the network, or a port at it, keeps a frame for which its receiver has no room yet.
    fn keeps_frames(&self) -> bool {
        true
    }

    /// The medium and the speed of the cables of the network, if a cable may be too long for its speed.
    fn cables(&self) -> Option<(CableMedium, Speed)> {
        None
    }

    // The methods that follow describe the nodes that may be attached to the network.

    /// The keys of a port (`port`) that have a meaning at this network.
    fn port_keys(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Whether ports arbitrate for the network, by the rules of each port (`schedule`, `fairness`).
    fn arbitrates(&self) -> bool {
        false
    }

    /// Whether one of these nodes waits for its turn by a rule of fairness.
    fn is_fair_to(&self, _nodes: &[NetworkNode]) -> bool {
        false
    }

    /// Whether a rule of the user decides at a port with these keys, so that the network is simulated step by step.
    fn has_own_rules(&self, _port: &PortKeys) -> bool {
        false
    }

    /// Whether ports that only repeat may be attached to the network.
    fn has_repeaters(&self) -> bool {
        false
    }

    /// The most ports of the network, if the number does not depend on its keys.
    fn most_ports(&self) -> Option<usize> {
        None
    }

    /// The work that the network leaves to the software of a node, by the node's name in `stations`; none if the software
    /// has no work.
    fn software(&self, _listed: &str) -> Option<NodeSoftware> {
        None
    }

    // The methods that follow describe the addresses of the network.

    /// The addresses of the network's nodes, in their order.
    ///
    /// # Errors
    /// The error says why not all nodes can have addresses.
    fn addresses(&self, nodes: &[AttachedNode<'_>]) -> Result<Vec<Address>, Vec<AddressFault>> {
        Ok((1..).map(Address::new).take(nodes.len()).collect())
    }

    /// The address of one of the nodes if this network is attached to a port of another network, which has the address `above`; none if
    /// nothing can be attached to such a port.
    fn below(&self, own: Address, _above: Address) -> Option<Address> {
        Some(own)
    }

    /// An address in the notation of the network.
    fn written(&self, address: Address) -> String {
        address.to_string()
    }

    /// The order of the stations, as a word.
    fn order(&self) -> &'static str {
        "list"
    }

    /// Whether two ports may communicate, each given by its name and the name of its group.
    fn may_talk(&self, _one: &[&str; 2], _other: &[&str; 2]) -> bool {
        true
    }

    /// The ports that its zones, and other lists of ports, name, with the key of each list.
    fn zoned(&self) -> Vec<(String, &[String])> {
        Vec::new()
    }

    // The methods that follow describe places inside the network.

    /// The ports inside a network of several places that belong to none of these nodes, in the order of the places.
    fn inner_ports(&self, _nodes: &[AttachedNode<'_>]) -> Vec<InnerPort> {
        Vec::new()
    }

    /// The enclosures in which the ports of the network are.
    fn enclosures(&self) -> &[NamedValue<EnclosureParameters>] {
        &[]
    }

    /// The cascaded switch of a station, by its name in `stations`; 0 is the first.
    fn switch_of(&self, _station: &str) -> usize {
        0
    }

    /// The number of the cascaded switch of this name, as [`Network::switch_of`] numbers it.
    fn cascaded(&self, _name: &str) -> Option<usize> {
        None
    }

    /// The hops from each of these nodes to the next, for a network whose ports form a ring; empty for other networks.
    fn ring(&self, _nodes: &[AttachedNode<'_>]) -> Vec<RingHop> {
        Vec::new()
    }

    // The methods that follow describe how the network is shown, and what is recommended about it.

    /// The form in which reports draw the network.
    fn drawn() -> NetworkDrawing
    where
        Self: Sized,
    {
        NetworkDrawing::Box
    }

    /// The name of a second network of the same kind, if one more adapter in a host, with a second network to all nodes, is recommended
    /// as a change to try.
    fn second() -> Option<&'static str>
    where
        Self: Sized,
    {
        None
    }

    // The methods that follow describe the parts that can fail.

    /// The actions of an event on the network as a whole.
    fn actions(&self) -> &'static [EventAction] {
        &[]
    }

    /// Whether nodes can leave a network of this kind while it runs, and come back.
    fn nodes_change() -> bool
    where
        Self: Sized,
    {
        false
    }

    /// The keys of ports (`port`) at this network that an event may change during a run.
    fn changing_port_keys(&self) -> &'static [&'static str] {
        &[]
    }

    /// The links of the network that keep frames in order together, as a number for each end of each link; none if no links do.
    fn link_groups(&self, _nodes: &[AttachedNode<'_>]) -> Vec<u32> {
        Vec::new()
    }

    /// The reason why the network with these nodes cannot follow from `before` by a change during a run; none if it can.
    fn change_fault(
        &self,
        nodes: &[AttachedNode<'_>],
        before: (&dyn Network, &[AttachedNode<'_>]),
    ) -> Option<&'static str> {
        (self.link_groups(nodes) != before.0.link_groups(before.1))
            .then_some("the links of a trunk would no longer have one speed and one length")
    }

    /// The parts of the network that can fail by themselves and be repaired, by the words that events have
    /// for them.
    fn fallible(&self) -> Vec<String> {
        Vec::new()
    }

    /// The part that can fail at which an address is, so that the address is unreachable while the part has
    /// failed.
    fn at(&self, _address: Address) -> Option<usize> {
        None
    }

    /// The time for which the network interrupts the other ports when a port that is in no enclosure fails or is
    /// repaired.
    fn interruption(&self) -> Span {
        Span::ZERO
    }
}

sansim_schema::words! {
    /// The form in which reports draw a network.
    pub enum NetworkDrawing {
        /// A ring, with its stations in order.
        Ring = "ring",
        /// The places inside the network, and the links between them.
        Places = "places",
        /// A box.
        Box = "box",
    }
}

/// An end of a port between networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrossingPortEnd {
    /// The end is on the loop, as one end of an FL_Port is.
    OnLoop,
    /// The end is at the switch, as the other end of an FL_Port is.
    OnFabric,
}

/// The hop from a port of a ring to the next port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingHop {
    /// The time that the cable takes: from the first word that the port sends to its arrival at the next port.
    pub cable: Span,
    /// The time from the first word that the port sends to the first word that the next port repeats.
    pub delay: Span,
}

/// A node of a network, as the network sees it.
#[derive(Clone, Copy, Debug)]
pub struct AttachedNode<'a> {
    /// The name in the list `stations`: `drives`, `host.adapters.a`. The members of a group have one name.
    pub listed: &'a str,
    /// The place of that name among the stations; the members of a group have the same place.
    pub station: usize,
    /// The role of the component at the node.
    pub side: NetworkPortRole,
    /// The keys of the node's port.
    pub port: &'a PortKeys,
}

/// The reason why nodes cannot have addresses. Stations are given by their places, and addresses by their places in the
/// list of a station.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddressFault {
    /// These nodes cannot be attached to one network, for this reason.
    Nodes(String),
    /// The number of addresses given for a station differs from the number of its nodes.
    Number {
        /// The station.
        station: usize,
        /// The number of addresses that are given.
        given: usize,
        /// The number of addresses that are needed.
        needed: usize,
    },
    /// An address is given twice.
    Twice {
        /// The address, as it is written.
        address: String,
        /// The place in the scenario at which the address is given again.
        again: (usize, usize),
        /// The place in the scenario at which the address is given first.
        first: (usize, usize),
    },
}

/// The work that a network leaves to the software of a node, as far as it has to agree with the processors of the node. The keys are keys
/// of the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeSoftware {
    /// The speed of the processor for which the costs of the software are given.
    pub speed_mhz: u64,
    /// The key that gives the speed of the processor.
    pub speed_key: String,
    /// The key that says that adapters interrupt the processor, if there is one.
    pub interrupts: Option<String>,
}

/// A port inside a network, for example of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InnerPort {
    /// The place of the port, by the word that events have for the place: `switches.arm0_1`.
    pub place: String,
    /// The number of the port at its place.
    pub number: u16,
    /// The link of the port, if it leads to another place and has a name: `links.arm0_1-centre0_0`.
    pub link: Option<String>,
    /// Whether the port is the end of the link that is listed first.
    pub first_end: bool,
    /// The address of the port.
    pub address: Address,
    /// The device at the other end of the port's link.
    pub leads_to: InnerLinkEnd,
    /// The rules of the link.
    pub rules: LinkRules,
}

/// The other end of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InnerLinkEnd {
    /// The link leads to another place inside the network.
    Place(String),
    /// The link leads to this node of the network.
    Node(usize),
}
