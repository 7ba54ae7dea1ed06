//! The counters and readings of an Ethernet.

use super::port::Transmission;
use super::{EthernetPortUse, EthernetSwitches};
use crate::layout::LinkEndDevice;
use sansim_kernel::{Span, Time};

/// The frames of an Ethernet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EthernetBalance {
    /// Frames that nodes have handed over.
    pub handed: u64,
    /// Frames that have arrived at their nodes.
    pub arrived: u64,
    /// Frames that links have lost.
    pub lost: u64,
    /// Frames that were dropped because there was no room for them, or no path.
    pub dropped: u64,
}

impl EthernetSwitches {
    /// The frames so far.
    pub fn balance(&self) -> EthernetBalance {
        self.counts
    }

    /// The frames that are neither lost nor at their nodes.
    pub fn frames_inside(&self) -> u64 {
        let EthernetBalance { handed, arrived, lost, dropped } = self.counts;
        handed - arrived - lost - dropped
    }

    /// The number of ports: two for each link.
    pub fn port_count(&self) -> usize {
        self.ports.len()
    }

    /// The number of switches.
    pub fn switch_count(&self) -> usize {
        self.memories.len()
    }

    /// Whether the link of a port is between two switches.
    pub fn is_between_switches(&self, port: u32) -> bool {
        let is_switch = |port: u32| matches!(self.ports[port as usize].at, LinkEndDevice::Switch(_));
        is_switch(port) && is_switch(port ^ 1)
    }

    /// The port of a node, at its own end of its link.
    pub fn node_port(&self, node: u16) -> u32 {
        self.node_ports[usize::from(node)]
    }

    /// The bytes per second of the link of a port.
    pub fn rate(&self, port: u32) -> u64 {
        self.ports[port as usize].rate
    }

    /// The bytes in the memory of a switch.
    pub fn memory_bytes(&self, switch: u16) -> u64 {
        let memory = &self.memories[usize::from(switch)];
        memory.used + memory.lossless_used
    }

    /// The bytes that wait to leave by a port, or are leaving.
    pub fn waiting_bytes(&self, port: u32, now: Time) -> u64 {
        let port = &self.ports[port as usize];
        let left = port.departures.iter().take_while(|(left_at, _)| *left_at < now);
        port.waiting_bytes - left.map(|&(_, bytes)| u64::from(bytes)).sum::<u64>()
    }

    /// The frames that wait to leave by a port, or are leaving.
    pub fn waiting_frames(&self, port: u32, now: Time) -> u32 {
        let port = &self.ports[port as usize];
        if !port.departures.is_empty() {
            return port.departures.iter().filter(|(left_at, _)| *left_at >= now).count() as u32;
        }
        port.queues.frame_count() as u32 + u32::from(matches!(port.sends, Some(Transmission::Frame(_))))
    }

    /// The counts of a port.
    pub fn usage(&self, port: u32) -> &EthernetPortUse {
        &self.ports[port as usize].usage
    }

    /// The time for which a port has sent.
    pub fn sending_time(&self, port: u32, now: Time) -> Span {
        self.ports[port as usize].sending_time(now)
    }

    /// The time in which a port had frames to send and was asked to pause all of their classes.
    pub fn paused_time(&self, port: u32, now: Time) -> Span {
        self.ports[port as usize].paused_time(now)
    }

    /// The sum of a count over all ports.
    pub fn sum_of(&self, count: impl Fn(&EthernetPortUse) -> u64) -> u64 {
        self.ports.iter().map(|port| count(&port.usage)).sum()
    }
}
