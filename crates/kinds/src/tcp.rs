//! A switched network with TCP.

use sansim_component::compound::{Compound, Joins, NetworkKeys, Reference, Software, StandsAt};
use sansim_component::network::Carrier;
use sansim_fc::address::Address;
use sansim_fc::cable::Medium;
use sansim_fc::speed::Speed;
use sansim_network::Tcp;
use sansim_network::tcp::{self, TcpParameters};

use crate::{Member, Part};

impl Compound<Part> for TcpParameters {
    fn member(&self) -> Member {
        Member::of::<Tcp>(self.clone())
    }

    fn references(&self) -> Vec<Reference<'_>> {
        vec![Reference { key: "stations", names: &self.stations, joins: Joins::Stations }]
    }

    fn network(&self) -> Option<NetworkKeys<'_>> {
        Some(NetworkKeys {
            carrier: carrier(self),
            stations: &self.stations,
            context: self.context(),
            enclosures: &[],
        })
    }

    fn software(&self, listed: &str) -> Option<Software> {
        let stack = self.stack_of(listed).filter(|stack| stack.described.takes_time())?;
        let key = |key: &str| format!("stacks.{}.{key}", stack.name);
        Some(Software {
            speed_mhz: stack.described.speed_mhz,
            speed_key: key("speed_mhz"),
            interrupts: stack.described.interrupts().map(key),
        })
    }

    fn addresses(&self, nodes: &[StandsAt<'_>]) -> Result<Vec<Address>, String> {
        if nodes.len() > tcp::MOST_NODES {
            return Err(format!(
                "{} ports on a network with TCP that has room for {}",
                nodes.len(),
                tcp::MOST_NODES
            ));
        }
        Ok((0..nodes.len()).map(tcp::address).collect())
    }
}

/// What others ask about a network with TCP. Cables have no length here, so speed and medium of a link of Fibre Channel are those that nothing is warned of.
pub(crate) fn carrier(parameters: &TcpParameters) -> Carrier {
    Carrier {
        word: parameters.word_time(),
        speed: Speed::G1,
        medium: Medium::Extended,
        whole_sequences: false,
        buffer_sizes: None,
        keeps_frames: true,
        one_circuit: false,
        is_fabric: false,
        is_loop: false,
    }
}
