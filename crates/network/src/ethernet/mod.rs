//! An Ethernet as a component: switches, and nodes with a transport protocol at them.
//!
//! The switches and links are those of `sansim_fabric::ethernet`. A transport ([`Transport`]) hands frames over, one for each port at a time, and
//! is notified of frames that have left, have arrived, or are lost; it knows nothing of the switches between. `kind = "tcp"` is a
//! short form with one switch that stores frames ([`crate::tcp`]), `kind = "ethernet"` has all keys ([`EthernetParameters`]).

pub(crate) mod catalogue;
mod contract;
pub(crate) mod frames;
mod keys;
mod parameters;
mod sights;
#[cfg(test)]
mod tests;
pub(crate) mod timers;
mod transport;

pub use parameters::{EthernetParameters, EthernetRouting};

pub use transport::{EthernetTransport, Transport};

use crate::contract::Network;
#[cfg(test)]
use crate::tcp::TcpEndpoints;
use crate::tcp::{EthernetDemandKeys, figure, gauge, meter, place_meter};
use catalogue::{gauge as own_gauge, meter as own_meter};
use frames::Frames;
use sansim_component::demand::{Demand, DemandContext, RequestClass};
use sansim_component::{
    Action, BuildContext, Component, Context, LeftoverFindings, Message, NetworkRole, Timer,
};
use sansim_fabric::ethernet::{
    EthernetEvent, EthernetHost, EthernetNotice, EthernetPlan, EthernetSwitches, LinkPassage, PassingFrame,
};
use sansim_kernel::{Span, Time, Total};
use sansim_schema::catalogue::{Catalogue, PlaceMeter};
use sansim_tcp::TcpParameters;
use sights::PortPlaces;
use std::collections::VecDeque;
use std::marker::PhantomData;
use timers::{Timers, timer};

/// The most nodes on an Ethernet.
pub const MOST_NODES: usize = 1_024;

/// The meters of shares of nodes: of initiators, and of targets.
const OF_NODES: [[usize; 2]; 3] = [meter::SENDING, meter::STACK, meter::RECEIVING];

/// The keys of a kind of Ethernet.
pub trait EthernetKeys: Network {
    /// The catalogue of the network.
    const CATALOGUE: &'static Catalogue;

    /// The switches and links, for the nodes of the network, by their names in `stations`.
    fn plan(&self, nodes: &[&str]) -> EthernetPlan;

    /// The ports of switches that observers see, in the order of [`Network::inner_ports`].
    fn shown_ports(&self, _nodes: &[&str]) -> Vec<u32> {
        Vec::new()
    }

    /// The nodes with their protocol.
    fn endpoints(&self, cx: &BuildContext<'_, NetworkRole>) -> Transport;

    /// The keys from which the demands of a request follow.
    fn demand_keys(&self) -> EthernetDemandKeys<'_>;
}

/// A switched network on which nodes speak TCP, as `kind = "tcp"` describes it.
pub type TcpNetwork = PacketNetwork<TcpParameters>;

/// An Ethernet, as `kind = "ethernet"` describes it.
pub type EthernetNetwork = PacketNetwork<EthernetParameters>;

/// A network of switches with Ethernet, with the keys of either kind. The component is described in the module text.
#[derive(Clone, Debug)]
pub struct PacketNetwork<K> {
    switches: EthernetSwitches,
    transport: Transport,
    frames: Frames,
    /// The side of each node: 0 for an initiator, 1 for a target.
    sides: Vec<usize>,
    /// The ports of switches that observers see, by their places behind those of the nodes.
    inner_ports: Vec<u32>,
    places: PortPlaces,
    keys: PhantomData<K>,
}

/// The surroundings of the switches while they handle an event.
struct Surroundings<'a, 'b> {
    cx: &'a mut Context<'b>,
    notices: &'a mut VecDeque<EthernetNotice>,
    transport: &'a Transport,
    places: &'a PortPlaces,
}

impl EthernetHost for Surroundings<'_, '_> {
    fn schedule(&mut self, at: Time, event: EthernetEvent) {
        let (what, number) = match event {
            EthernetEvent::Arrives(port) => (timer::ARRIVES, port),
            EthernetEvent::Left(port) => (timer::LEFT, port),
            EthernetEvent::Pause(port) => (timer::PAUSE, port),
            EthernetEvent::Taken(node) => (timer::TAKEN, node.into()),
            EthernetEvent::Converged => (timer::CONVERGED, 0),
        };
        self.cx.wake_once(at, what, number);
    }

    fn notify(&mut self, notice: EthernetNotice) {
        self.notices.push_back(notice);
    }

    #[inline]
    fn observes(&self) -> bool {
        self.cx.wanted_sights().ports
    }

    #[cold]
    fn passes(&mut self, link: LinkPassage, what: PassingFrame) {
        sights::show_passage(self, link, what);
    }
}

impl<K: EthernetKeys> PacketNetwork<K> {
    /// A network in which nothing is in flight.
    pub(crate) fn new(switches: EthernetSwitches, mut transport: Transport) -> Self {
        transport.set_rates(&switches);
        let sides = transport.sides();
        let places = PortPlaces::new(&switches, sides.len(), &[]);
        Self {
            switches,
            transport,
            frames: Frames::default(),
            sides,
            inner_ports: Vec::new(),
            places,
            keys: PhantomData,
        }
    }

    /// Hands frames over to the switches, and notices to the transport, until there are none.
    fn exchange(&mut self, cx: &mut Context<'_>) {
        let Self { switches, transport, frames, places, .. } = self;
        loop {
            if let Some(frame) = frames.handed.pop_front() {
                let notices = &mut frames.notices;
                switches.send(cx.now, frame, &mut Surroundings { cx, notices, transport, places });
            } else if let Some(notice) = frames.notices.pop_front() {
                if let EthernetNotice::Lost(frame) = notice {
                    sights::show_loss(cx, (transport, places), frame);
                }
                transport.notice(cx, frames, notice);
            } else {
                return;
            }
        }
    }

    /// Gives the switches an input, and carries out its effects.
    fn react(
        &mut self,
        cx: &mut Context<'_>,
        input: impl FnOnce(&mut EthernetSwitches, Time, &mut Surroundings<'_, '_>),
    ) {
        let Self { switches, frames: Frames { notices, .. }, transport, places, .. } = self;
        input(switches, cx.now, &mut Surroundings { cx, notices, transport, places });
        self.exchange(cx);
    }

    /// The nodes with TCP.
    #[cfg(test)]
    pub(crate) fn tcp(&self) -> &TcpEndpoints {
        match &self.transport {
            Transport::Tcp(tcp) => tcp,
            Transport::Rdma(_) => panic!("nodes with RDMA"),
        }
    }

    /// The port of a switch at a place; none for the place of a node.
    fn inner_port(&self, place: u16) -> Option<u32> {
        self.inner_ports.get(usize::from(place).checked_sub(self.sides.len())?).copied()
    }

    fn sum_over_ports(&self, of: impl Fn(u32) -> Span) -> Total {
        (0..self.switches.port_count() as u32).map(of).sum::<Span>().into()
    }

    fn nodes_of_side(&self, side: usize) -> impl Iterator<Item = u16> {
        (0..).zip(&self.sides).filter(move |(_, of)| **of == side).map(|(node, _)| node)
    }
}

impl<K: EthernetKeys + Clone> Component for PacketNetwork<K> {
    type Parameters = K;
    type Role = NetworkRole;

    const CATALOGUE: &'static Catalogue = K::CATALOGUE;

    const PLACE_METERS: &'static [PlaceMeter] = crate::tcp::PLACE_METERS;

    fn demand(keys: &K, class: &RequestClass, around: &DemandContext<'_>) -> Option<Demand> {
        Some(keys.demand_keys().demand(class, around))
    }

    fn build(keys: &K, cx: &BuildContext<'_, NetworkRole>) -> Self {
        let names: Vec<&str> = cx.nodes.iter().map(|node| node.listed.as_str()).collect();
        let plan = EthernetPlan { may_fail: cx.is_acted_on, ..keys.plan(&names) };
        let switches = EthernetSwitches::new(&plan, |name| cx.component_random_stream(name));
        let inner_ports = keys.shown_ports(&names);
        let places = PortPlaces::new(&switches, names.len(), &inner_ports);
        Self { inner_ports, places, ..Self::new(switches, keys.endpoints(cx)) }
    }

    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        let event = match timer.what {
            timer::ARRIVES => EthernetEvent::Arrives(timer.number),
            timer::LEFT => EthernetEvent::Left(timer.number),
            timer::PAUSE => EthernetEvent::Pause(timer.number),
            timer::TAKEN => EthernetEvent::Taken(timer.number as u16),
            timer::CONVERGED => EthernetEvent::Converged,
            what => {
                self.transport.due(cx, &mut self.frames, what, timer.number as usize);
                return self.exchange(cx);
            }
        };
        self.react(cx, |switches, now, around| switches.handle(now, event, around));
    }

    /// All switches fail, or are repaired.
    fn act(&mut self, cx: &mut Context<'_>, action: Action) {
        let works = match action {
            Action::Fail => false,
            Action::Repair => true,
            _ => return,
        };
        self.react(cx, |switches, now, around| {
            (0..switches.switch_count()).for_each(|switch| {
                switches.set_switch_state(now, switch, works, around);
            });
        });
    }

    /// A part fails or is repaired, by its number: the switches, then the links in the order of the layout.
    fn act_on(&mut self, cx: &mut Context<'_>, thing: usize, works: bool) {
        self.react(cx, |switches, now, around| switches.set_part_state(now, thing, works, around));
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        self.transport.receive(cx, &mut self.frames, port, message);
        self.exchange(cx);
    }

    fn places(&self) -> u16 {
        (self.sides.len() + self.inner_ports.len()) as u16
    }

    fn gauge(&self, now: Time, gauge: usize, place: u16) -> u32 {
        let most = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        if let Some(port) = self.inner_port(place) {
            return match gauge {
                gauge::SEND_QUEUE => self.switches.waiting_frames(port, now),
                gauge::SWITCH_BUFFER => most(self.switches.waiting_bytes(port, now)),
                _ => 0,
            };
        }
        match gauge {
            gauge::SEND_QUEUE => self.transport.waiting_frames(place),
            gauge::SWITCH_BUFFER => {
                most(self.switches.waiting_bytes(self.switches.node_port(place) ^ 1, now))
            }
            gauge::CONGESTION_WINDOW => most(self.transport.congestion_windows(place)),
            own_gauge::RATE => most(self.transport.rates(place) / 1_000),
            _ => self.transport.waiting_jobs(place),
        }
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        // The port of a node is one end of its link, the port of the switch the other.
        let carrying = |side, end: u32| -> Span {
            let ports = self.nodes_of_side(side).map(|node| self.switches.node_port(node) ^ end);
            ports.map(|port| self.switches.sending_time(port, now)).sum()
        };
        let working = |side| -> Span {
            self.nodes_of_side(side).map(|node| self.transport.software_time(now, node)).sum()
        };
        let interrupts = |side| self.nodes_of_side(side).map(|node| self.transport.interrupts(node)).sum();
        let count: u64 = match meter {
            _ if meter == meter::SENDING[0] => return carrying(0, 0).into(),
            _ if meter == meter::SENDING[1] => return carrying(1, 0).into(),
            _ if meter == meter::RECEIVING[0] => return carrying(0, 1).into(),
            _ if meter == meter::RECEIVING[1] => return carrying(1, 1).into(),
            _ if meter == meter::STACK[0] => return working(0).into(),
            _ if meter == meter::STACK[1] => return working(1).into(),
            _ if meter == meter::INTERRUPTS[0] => interrupts(0),
            _ if meter == meter::INTERRUPTS[1] => interrupts(1),
            meter::LOST => self.switches.balance().lost,
            meter::DROPPED => self.switches.balance().dropped,
            meter::MARKED => self.switches.sum_of(|port| port.marked),
            own_meter::PAUSED => return self.sum_over_ports(|port| self.switches.paused_time(port, now)),
            own_meter::BACKBONE => {
                let between = |port| self.switches.is_between_switches(port);
                return self.sum_over_ports(|port| {
                    if between(port) { self.switches.sending_time(port, now) } else { Span::ZERO }
                });
            }
            own_meter::PAUSES => self.switches.sum_of(|port| port.pauses),
            _ => self.transport.count(meter),
        };
        Total(count.into())
    }

    fn place_meter(&self, now: Time, meter: usize, place: u16) -> Total {
        let inner = self.inner_port(place);
        if meter == place_meter::SENDING {
            let port = inner.unwrap_or_else(|| self.switches.node_port(place));
            self.switches.sending_time(port, now).into()
        } else if inner.is_some() {
            Span::ZERO.into()
        } else {
            self.transport.software_time(now, place).into()
        }
    }

    fn capacity(&self, meter: usize) -> u64 {
        let ports = 0..self.switches.port_count() as u32;
        match meter {
            _ if OF_NODES.iter().any(|pair| pair.contains(&meter)) => {
                let side = OF_NODES.iter().any(|pair| pair[1] == meter);
                (self.nodes_of_side(side.into()).count() as u64).max(1)
            }
            own_meter::PAUSED => ports.count() as u64,
            own_meter::BACKBONE => {
                (ports.filter(|&port| self.switches.is_between_switches(port)).count() as u64).max(1)
            }
            _ => 1,
        }
    }

    fn constant(&self, figure: usize) -> f64 {
        match figure {
            figure::SEGMENT => self.transport.data_bytes() as f64,
            figure::PORTS => self.sides.len() as f64,
            _ => self.switches.switch_count() as f64,
        }
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        self.transport.leftovers(leftovers);
    }
}
