//! Optical drivers: how many transmitters a storage system needs if all its links are optical, counted link by link.
//!
//! Every link in one direction has a driver at its beginning. A passive star (multi-splitter) distributes the light of one driver to all
//! listeners, so that one driver serves all links from the switch to the drives; each drive still needs its own driver for the opposite
//! direction.

use crate::arbitrated_loop::LoopStation;
use std::collections::BTreeSet;

sansim_schema::words! {
    /// The cabling between the stations and a loop switch.
    pub enum SwitchCabling {
        /// A link to and from each port of the switch.
        PointToPoint = "point-to-point",
        /// A passive optical star: one transmitter of the switch for all its ports, so that it can send to one at a time, and a link back
        /// from each station. It passes words after `splitter_delay`, and the stations do not know of it.
        Star = "star",
    }
}

/// The connection between the stations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchTopology {
    /// Each station is cabled to the next station.
    Chain,
    /// Each station is cabled to a port of a hub and back; slots of a JBOD have no port of the hub, slots of
    /// an MBOD have one.
    Hub,
    /// Each station is cabled to a port of a switch and back.
    Switch(SwitchCabling),
}

/// The location of a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Transmitter {
    Station(usize),
    Port(usize),
    /// A driver of a star at a switch, with its number.
    Star(usize),
}

/// The number of drivers of a system with these stations, counted by links. On a star `per_driver` consecutive stations
/// share one driver.
pub fn driver_count(topology: SwitchTopology, stations: &[LoopStation], per_driver: u64) -> usize {
    let per_driver =
        if topology == SwitchTopology::Switch(SwitchCabling::Star) { per_driver.max(1) as usize } else { 1 };
    let mut transmitters = BTreeSet::new();
    let mut port = 0;
    for (index, station) in stations.iter().enumerate() {
        // The driver of the link from the station on, to its neighbour or to its port.
        transmitters.insert(Transmitter::Station(index / per_driver));
        if !station.shares_port {
            port = index;
        }
        // The driver of the link to the station.
        match topology {
            SwitchTopology::Chain => {}
            SwitchTopology::Hub => {
                transmitters.insert(Transmitter::Port(index));
            }
            SwitchTopology::Switch(SwitchCabling::PointToPoint) => {
                transmitters.insert(Transmitter::Port(port));
            }
            SwitchTopology::Switch(SwitchCabling::Star) => {
                transmitters.insert(Transmitter::Star(station.switch));
            }
        }
    }
    // A trunk has one driver at either end.
    let switches: BTreeSet<usize> = stations.iter().map(|station| station.switch).collect();
    transmitters.len() + 2 * switches.len().saturating_sub(1)
}
