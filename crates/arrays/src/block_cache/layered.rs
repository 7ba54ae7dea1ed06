//! A cache as a layer between a group of devices and the devices behind them.

use super::failures::{LINK, THINGS, node};
use super::{BlockCacheParameters, DeviceCache};
use sansim_component::ControllerSide;
use sansim_component::controller_side::Cluster;
use sansim_component::layered::LayeredDeviceKeys;

impl LayeredDeviceKeys for BlockCacheParameters {
    type Device = DeviceCache;

    fn presents(&self, behind: &[u64]) -> Vec<u64> {
        behind.to_vec()
    }

    fn falls_with(&self, home: ControllerSide, thing: usize, of: Cluster, which: usize) -> Option<usize> {
        let rank = of
            .node_at(thing)
            .map(|node| of.takeover_order(home.index(), which).position(|other| other == node));
        match rank {
            Some(rank) => rank.map(|rank| node(of.nodes, rank)),
            None => Some(LINK),
        }
    }

    fn fallible(&self) -> Vec<String> {
        THINGS.iter().map(|&thing| thing.to_owned()).collect()
    }
}
