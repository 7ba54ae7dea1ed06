//! Counters and timers of a fabric, for readers. The functions in this file change nothing.

use super::Fabric;
use super::port::{FabricPort, PortUse};
use crate::layout::LinkEndDevice;
use sansim_kernel::{Time, Total};

/// The counts of frames, which must balance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FabricBalance {
    /// The number of frames that left nodes.
    pub sent: u64,
    /// The number of frames that arrived at nodes.
    pub received: u64,
    /// The number of frames that were lost, including discarded frames.
    pub lost: u64,
    /// The number of frames that were discarded at the end of their hold time.
    pub discarded: u64,
    /// The number of copies that switches made for the members of groups.
    pub copied: u64,
    /// The number of hops: a frame that leaves a switch makes a hop.
    pub hops: u64,
    /// The number of links that were reset because an end had no credit for too long.
    pub resets: u64,
    /// The number of notices that nodes were sent.
    pub notices: u64,
}

impl Fabric {
    /// The number of places that can be read: the nodes, then the ports of the switches, switch by switch.
    pub fn place_count(&self) -> u16 {
        self.at_place.len() as u16
    }

    /// The number of frames that wait at a place to leave by its port.
    pub fn queued_frames(&self, place: u16) -> usize {
        let port = self.port_at(place);
        port.queue.len() + port.requests.len() + port.in_lanes as usize
    }

    /// The number of buffers of a place that are occupied, or have a frame in flight to them.
    pub fn occupied_buffers(&self, now: Time, place: u16) -> u32 {
        let port = self.port_at(place);
        port.occupied - port.departures.iter().filter(|&&at| at <= now).count() as u32
    }

    /// The number of frames that the port of a place may send now.
    pub fn port_credit(&self, now: Time, place: u16) -> u32 {
        let port = self.at_place[usize::from(place)];
        let of = &self.ports[port as usize];
        let credit: u32 = of.credits.credit_by_channel().map(|credit| credit.credit_at(now)).sum();
        credit + self.readies_of_departures(now, port ^ 1)
    }

    /// The number of frames in the fabric: in queues, in buffers and on links.
    pub fn in_flight(&self) -> usize {
        self.held.buffered_frames().count()
    }

    /// The number of occupied buffers of all switches.
    pub fn occupied_switch_buffers(&self) -> u64 {
        let of_switches = self.ports.iter().filter(|port| matches!(port.at, LinkEndDevice::Switch(_)));
        of_switches.map(|port| u64::from(port.occupied) - port.departures.len() as u64).sum()
    }

    /// The credit that is missing at any port: none when nothing is in flight. Links that are not up are left out, because their
    /// credit is counted again when they come up.
    pub fn credit_missing(&self) -> u64 {
        let missing = |port: &FabricPort| {
            port.credits.credit_by_channel().map(|credit| u64::from(credit.outstanding_credit())).sum::<u64>()
        };
        let leaving = |port: &FabricPort| port.departures.len() as u64;
        self.of_links_that_are_up().map(missing).sum::<u64>()
            - self.of_links_that_are_up().map(leaving).sum::<u64>()
    }

    /// The ports of links whose ends are both active.
    fn of_links_that_are_up(&self) -> impl Iterator<Item = &FabricPort> {
        self.ports.chunks(2).filter(|ends| ends.iter().all(|port| port.is_active)).flatten()
    }

    /// The credit that was lost with frames and R_RDYs on links and has not come back.
    pub fn credit_lost(&self) -> u64 {
        self.of_links_that_are_up().filter_map(|port| port.losses.as_ref()).map(|losses| losses.missing).sum()
    }

    /// The time in which ports sent frames, summed over all ports.
    pub fn sending_time(&self, now: Time) -> Total {
        self.ports[..self.shown_ports].iter().map(|port| port.sending_time(now)).sum()
    }

    /// The time in which the port of a place sent frames.
    pub fn port_sending_time(&self, now: Time, place: u16) -> Total {
        self.port_at(place).sending_time(now).into()
    }

    /// The time in which the port of a place had a frame to send and no credit.
    pub fn port_stalled_time(&self, now: Time, place: u16) -> Total {
        self.port_at(place).stalled_time(now).into()
    }

    /// The time for which frames were on links, from their first words at one end to their last words at the other,
    /// summed over all links.
    pub fn time_on_links(&self, now: Time) -> Total {
        let of = |port: &FabricPort| port.sending_time(now) + port.usage.time_on_cables(&port.rules);
        self.ports[..self.shown_ports].iter().map(of).sum()
    }

    /// The time in which ports had a frame to send and no credit, summed over all ports.
    pub fn stalled_time(&self, now: Time) -> Total {
        self.ports[..self.shown_ports].iter().map(|port| port.stalled_time(now)).sum()
    }

    /// The use of the ports at both ends of each link, in the order of links.
    pub fn port_use(&self) -> impl Iterator<Item = (LinkEndDevice, &PortUse)> {
        self.ports.iter().map(|port| (port.at, &port.usage))
    }

    fn port_at(&self, place: u16) -> &FabricPort {
        &self.ports[self.at_place[usize::from(place)] as usize]
    }
}
