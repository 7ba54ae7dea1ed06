//! Optical drivers: how many transmitters a storage system needs if all its links are optical, counted link by link.
//!
//! Every link in one direction has a driver at its beginning. A passive star (multi-splitter) takes the light of one driver to all who listen,
//! so that of all links from the switch to the drives one driver is left; each drive still needs its own for the way back.

use crate::arbitrated_loop::Station;

sansim_describe::words! {
    /// How the stations are joined to a loop switch.
    pub enum Links {
        /// A link to and from each port of the switch.
        PointToPoint = "point-to-point",
        /// A passive optical star: one transmitter of the switch for all its ports, so that it can send to one at a time, and a link back from each
        /// station. It passes words without a delay of its own, and the stations do not know of it.
        Star = "star",
    }
}

/// What stands between the stations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// Each station to the next.
    Chain,
    /// Each to a port of a hub and back: JBOD slots have no port, those of an MBOD do.
    Hub,
    /// Each to a port of a switch and back.
    Switch(Links),
}

/// Where a driver stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Transmitter {
    Station(usize),
    Port(usize),
    Star,
}

/// The drivers of a system with these stations, by their links.
pub fn drivers(topology: Topology, stations: &[Station]) -> usize {
    let mut transmitters = std::collections::BTreeSet::new();
    let mut port = 0;
    for (index, station) in stations.iter().enumerate() {
        // From the station on, to its neighbour or to its port.
        transmitters.insert(Transmitter::Station(index));
        if !station.shares_port {
            port = index;
        }
        // And to the station.
        match topology {
            Topology::Chain => {}
            Topology::Hub => {
                transmitters.insert(Transmitter::Port(index));
            }
            Topology::Switch(Links::PointToPoint) => {
                transmitters.insert(Transmitter::Port(port));
            }
            Topology::Switch(Links::Star) => {
                transmitters.insert(Transmitter::Star);
            }
        }
    }
    transmitters.len()
}
