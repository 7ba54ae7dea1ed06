//! The description that every network gives of itself: its nodes and their addresses, the messages that may cross it, the parts that can fail. No
//! component asks a network for its kind.
//!
//! A network derives it from its parameters, before anything is built. Methods that it leaves out have the default here.

pub use sansim_component::network::Side;

use sansim_component::component_kind::EventAction;
use sansim_component::{NetworkNode, PortKeys};
use sansim_fc::cable::CableMedium;
use sansim_fc::enclosure::EnclosureParameters;
use sansim_fc::speed::Speed;
use sansim_kernel::Span;
use sansim_pdu::Address;
use sansim_schema::context::Facts;
use sansim_schema::table::Named;

/// A kind of network, with the keys of one network of the scenario.
pub trait Network {
    /// The names of the ports attached to it, in the order of the file.
    fn stations(&self) -> &[String];

    /// The facts that the quantities of those ports need, as the time of a word in which delays are given.
    fn facts(&self) -> Facts {
        Facts::default()
    }

    /// Time of a transmission word on links without a speed of their own; for a network without words, the time of its smallest unit.
    fn word_time(&self) -> Span;

    // The messages that may cross it.

    /// Whether it is given all data of a sequence at once, and cuts them into no frames.
    fn takes_whole_sequences(&self) -> bool {
        false
    }

    /// The most payload of a unit with data, and of one without, that its buffers take, where they limit it.
    fn largest_units(&self) -> Option<[u64; 2]> {
        None
    }

    /// Whether IP datagrams may cross it.
    fn carries_ip(&self) -> bool {
        false
    }

    /// The end of a port between networks that may be attached to it, if one may.
    fn crossing(&self) -> Option<CrossingEnd> {
        None
    }

    /// Whether it, or a port at it, keeps a frame for which its receiver has no room yet.
    fn keeps_frames(&self) -> bool {
        true
    }

    /// The medium of its cables, and how fast they are used, where one may be too long for that.
    fn cables(&self) -> Option<(CableMedium, Speed)> {
        None
    }

    // The nodes that may be attached to it.

    /// The keys of a port (`port`) that mean something at it.
    fn port_keys(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Whether ports arbitrate for it, by the rules of each (`schedule`, `fairness`).
    fn arbitrates(&self) -> bool {
        false
    }

    /// Whether one of these nodes waits for its turn by a rule of fairness.
    fn is_fair_to(&self, _nodes: &[NetworkNode]) -> bool {
        false
    }

    /// Whether ports that only repeat may be attached to it.
    fn has_repeaters(&self) -> bool {
        false
    }

    /// The most ports of the network, if the number does not depend on its keys.
    fn most_ports(&self) -> Option<usize> {
        None
    }

    /// The work that it leaves to the software of a node, by the node's name in `stations`; none if it leaves nothing to it.
    fn software(&self, _listed: &str) -> Option<Software> {
        None
    }

    // Addresses.

    /// The addresses of its nodes, in their order.
    ///
    /// # Errors
    /// Why it cannot have them all.
    fn addresses(&self, nodes: &[AttachedNode<'_>]) -> Result<Vec<Address>, Vec<AddressFault>> {
        Ok((1..).map(Address::new).take(nodes.len()).collect())
    }

    /// The address of one of its nodes where it is attached to a port of another network, which has the address `above`; none where nothing can be
    /// attached to that.
    fn below(&self, own: Address, _above: Address) -> Option<Address> {
        Some(own)
    }

    /// An address in the notation of the network.
    fn written(&self, address: Address) -> String {
        address.to_string()
    }

    /// The order of the stations, in a word.
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

    // Places inside it.

    /// The ports inside a network of several places that belong to none of these nodes, in the order of the places.
    fn inner_ports(&self, _nodes: &[AttachedNode<'_>]) -> Vec<InnerPort> {
        Vec::new()
    }

    /// The enclosures that its ports are in.
    fn enclosures(&self) -> &[Named<EnclosureParameters>] {
        &[]
    }

    /// The cascaded switch of a station, by its name in `stations`; 0 is the first.
    fn switch_of(&self, _station: &str) -> usize {
        0
    }

    /// The number of the cascaded switch of this name, as [`Network::switch_of`] has it.
    fn cascaded(&self, _name: &str) -> Option<usize> {
        None
    }

    // How it is shown, and what is advised of it.

    /// The form in which reports draw the network.
    fn drawn() -> Drawn
    where
        Self: Sized,
    {
        Drawn::Box
    }

    /// The name of a second network like it, where one more adapter in a host, with a second network to all nodes there, is worth a try.
    fn second() -> Option<&'static str>
    where
        Self: Sized,
    {
        None
    }

    // The parts that can fail.

    /// The actions of an event on it as a whole.
    fn actions(&self) -> &'static [EventAction] {
        &[]
    }

    /// Its parts that can fail by themselves and be repaired, by the words that events have for them.
    fn fallible(&self) -> Vec<String> {
        Vec::new()
    }

    /// The failing part that an address is at, so that the address is unreachable while that has failed.
    fn at(&self, _address: Address) -> Option<usize> {
        None
    }

    /// For how long it interrupts the others when one of its ports that is in no enclosure fails or is repaired.
    fn interruption(&self) -> Span {
        Span::ZERO
    }
}

sansim_schema::words! {
    /// The form in which reports draw a network.
    pub enum Drawn {
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
pub enum CrossingEnd {
    /// The end of an FL_Port on the loop.
    OnLoop,
    /// The one at the switch.
    OnFabric,
}

/// A node of a network, as the network sees it.
#[derive(Clone, Copy, Debug)]
pub struct AttachedNode<'a> {
    /// The name in the list `stations`: `drives`, `host.adapters.a`. The members of a group have one name.
    pub listed: &'a str,
    /// The place of that among the stations; of members of a group that is the same.
    pub station: usize,
    /// The role of the component at it.
    pub side: Side,
    /// The keys of its port.
    pub port: &'a PortKeys,
}

/// Why nodes cannot have addresses. Stations are given by their places, addresses by their places in the list of a station.
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

/// The work that a network leaves to the software of a node, as far as it has to agree with the processors there. Keys are those of the network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Software {
    /// The speed of the processor for which its costs are.
    pub speed_mhz: u64,
    /// The key that says so.
    pub speed_key: String,
    /// The key that says that adapters interrupt, if one does.
    pub interrupts: Option<String>,
}

/// A port inside a network, of a switch say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InnerPort {
    /// The place of the port, by the word that events have for it: `switches.arm0_1`.
    pub place: String,
    /// The number of the port at its place.
    pub number: u16,
    /// The link that it ends, if that goes to another place and has a name: `links.arm0_1-centre0_0`.
    pub link: Option<String>,
    /// Whether it is the end of the link that is listed first.
    pub first_end: bool,
    /// The address of the port.
    pub address: Address,
    /// The device at the other end.
    pub leads_to: LeadsTo,
    /// Time of a word.
    pub word: Span,
}

/// The other end of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeadsTo {
    /// To another place inside the network.
    Place(String),
    /// To this of its nodes.
    Node(usize),
}
