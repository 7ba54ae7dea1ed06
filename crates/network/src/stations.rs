//! The nodes at a network of Fibre Channel in the form that its rules need: their port keys, and the stations
//! of a loop.

use sansim_component::network::NetworkPortRole;
use sansim_component::{NetworkModel, NetworkNode, PortKeys};
use sansim_fc::al_pa::AlPa;
use sansim_fc::arbitrated_loop::{LoopModel, LoopStation};
use sansim_fc::loop_port::FcPort;
use sansim_pdu::Address;

/// The keys of a port at a network of Fibre Channel.
///
/// # Panics
/// A node without these keys has keys of another protocol: a kind of component gave it these, because no
/// scenario can.
pub fn fc_port_keys(keys: &PortKeys) -> &FcPort {
    keys.keys_of_protocol().expect("ports at networks of Fibre Channel have its keys")
}

/// The stations of a loop, or of a loop switch, in the order of the nodes. `switch_of` returns the cascaded switch of a node by its name in
/// `stations`.
pub fn loop_stations(nodes: &[NetworkNode], switch_of: impl Fn(&str) -> usize) -> Vec<LoopStation> {
    let mut before = None;
    let station = |node: &NetworkNode| {
        let shares_port = node.enclosure.is_some() && node.enclosure == before;
        before = node.enclosure;
        let FcPort { port, schedule } = fc_port_keys(&node.port);
        LoopStation {
            al_pa: AlPa::from_network_address(node.address),
            schedule: schedule.clone(),
            port: port.clone(),
            initiates: node.side == NetworkPortRole::Initiator,
            hears_ends: node.hears_ends,
            shares_port,
            switch: switch_of(&node.listed),
        }
    };
    nodes.iter().map(station).collect()
}

/// The loop model that corresponds to the model of networks.
pub(crate) fn loop_model(model: NetworkModel) -> LoopModel {
    match model {
        NetworkModel::Fast => LoopModel::Fast,
        NetworkModel::Stepped => LoopModel::Stepped,
        NetworkModel::Reference => LoopModel::Reference,
    }
}

/// A node of a network, as the others know it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttachedPort {
    /// The address of the node.
    pub(crate) address: Address,
    /// The side of the node.
    pub(crate) side: NetworkPortRole,
}

impl AttachedPort {
    /// The node as the others know it.
    pub(crate) fn of(node: &NetworkNode) -> Self {
        Self { address: node.address, side: node.side }
    }

    /// The numbers of the targets, and then of the initiators.
    pub(crate) fn targets_first(nodes: &[Self]) -> impl Iterator<Item = usize> + use<> {
        let mut ports: Vec<usize> = (0..nodes.len()).collect();
        ports.sort_by_key(|&port| nodes[port].side == NetworkPortRole::Initiator);
        ports.into_iter()
    }
}
