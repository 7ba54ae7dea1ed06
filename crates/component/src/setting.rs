//! What a component is told of where it stands when it is built, beside what was described of it.

use crate::half::Half;
use crate::limits::LimitParameters;
use crate::network::{Pace, Side};
use crate::policy::Way;
use sansim_describe::context::Context as Facts;
use sansim_fc::arbitrated_loop::{LoopModel, Station};
use sansim_kernel::Span;
use sansim_pdu::Address;

/// Who stands at a station of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// As `stations` of the network has it.
    pub listed: String,
    /// What stands there.
    pub side: Side,
    /// Its address there.
    pub address: Address,
    /// The processors that do there what the network leaves to software, if there are any.
    pub processors: Option<AtProcessors>,
}

/// How a network has processors of a node work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtProcessors {
    /// Its port at them.
    pub port: u16,
    /// The number of the adapter at the station among those that they look at, if they do.
    pub card: Option<u16>,
    /// Whether they poll, and so are not interrupted.
    pub poll: bool,
}

/// Where a component stands.
///
/// Its ports are numbered from 0: first those at networks (of a network those of its stations), then those by which it serves, then
/// those by which it asks, then those at which others share it, then those at what it shares with others: buses, processors.
pub struct Setting<'a> {
    /// Its name in the scenario, as `drives[3].adapter`.
    pub name: &'a str,
    /// Name of its group, and which of the members it belongs to.
    pub group: &'a str,
    /// See [`Setting::group`].
    pub member: u32,
    /// Seed of all random streams.
    pub seed: u64,
    /// Ports at networks.
    pub networks: u16,
    /// Ports by which it serves.
    pub serves: u16,
    /// Of a bus, of processors or of resources: the ports of all who ask.
    pub users: std::ops::Range<u16>,
    /// Its ports at buses, processors and resources.
    pub uses: std::ops::Range<u16>,
    /// The half of a pair of controllers that asks by each of the ports by which it serves, or by each of those that others share it by; nothing where
    /// there is no second half.
    pub halves: Vec<Half>,
    /// Whether requests reach this device through an adapter on a network.
    pub on_network: bool,
    /// Its address, if it stands on a network.
    pub address: Option<Address>,
    /// For each of the ports by which it serves, the address on that network of each device of the system, by the number of the device: by each port
    /// it reaches another port of the device.
    pub addresses: Vec<Vec<Option<Address>>>,
    /// The ways by which it can ask each device of the system, by the number of the device.
    pub ways: Vec<Vec<Way>>,
    /// The most requests that it may have under way at each device of the system, by the number of the device; none where the
    /// device does not say.
    pub shares: Vec<Option<u64>>,
    /// Of a host: the limits of the workload at each of the ports by which it serves.
    pub limits: Vec<LimitParameters>,
    /// The devices that it presents, by its logical units.
    pub presents: Vec<u32>,
    /// The devices that it asks.
    pub behind: Vec<u32>,
    /// How many bytes each of them holds.
    pub behind_bytes: Vec<u64>,
    /// How many requests each of them takes at once: its queue depth, or those of what is behind it together.
    pub behind_takes: Vec<u64>,
    /// Whether each of them has a position, as a disk has: what is near the last access is there sooner.
    pub behind_turns: Vec<bool>,
    /// The devices that it asks by leave of a metadata controller, or for which it gives others leave, and how many bytes each of them holds. They
    /// are not among those [`behind`](Setting::behind).
    pub by_leave: Vec<(u32, u64)>,
    /// Of a source: its number among the workloads, and the capacity in blocks of each of the devices behind.
    pub source: Option<(u32, Vec<u64>)>,
    /// The names of the devices of a workload, in their order.
    pub behind_names: Vec<String>,
    /// Of an IP port: the addresses to which it sends.
    pub peers: Vec<Address>,
    /// Of a network: its stations, and of a loop which of the two equal loops it is.
    pub stations: Vec<Station>,
    /// Of a network: who stands at each of them.
    pub standing: Vec<Standing>,
    /// See [`Setting::stations`].
    pub model: LoopModel,
    /// Of a network: the pace of the node at each of its stations.
    pub nodes: Vec<Pace>,
    /// Of a node: its network takes all data of a sequence at once, and a word takes so long there.
    pub whole_sequences: Option<Span>,
    /// What counts for the whole scenario.
    pub facts: &'a Facts,
}
