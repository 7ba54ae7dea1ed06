//! A loop switch as a component: a port for every station. The words of the loop switch never leave the
//! component.

mod catalogue;
mod contract;
mod demand;

use crate::arbitrated_loop::{Account, event_of, what};
use crate::stations::{loop_model, loop_stations};
use catalogue::{CATALOGUE, figure, gauge, meter};
use sansim_component::NetworkNode;
use sansim_component::demand::{Demand, DemandContext as Needed, RequestClass};
use sansim_component::{
    BuildContext, Component, Context, EventTurn, LeftoverFindings, Message, NetworkRole, ObservableKind,
    Timer,
};
use sansim_fc::arbitrated_loop::{LoopEvent, LoopHost, LoopModel, LoopStation, PortEvent};
use sansim_fc::drivers::{SwitchTopology, driver_count};
use sansim_fc::loop_switch::cascade::SwitchNodeRole;
use sansim_fc::loop_switch::{self, LoopSwitchParameters};
use sansim_fc::observation::Observation;
use sansim_kernel::{Order, Time, Total};
use sansim_schema::catalogue::Catalogue;

/// A loop switch as a component.
#[derive(Clone, Debug)]
pub struct LoopSwitchNetwork {
    switch: loop_switch::LoopSwitch,
    account: Account,
    /// The place of each node of the switch, and the node's role there.
    places: Vec<(u16, u8)>,
    /// The nodes of each place.
    nodes_at: Vec<[usize; SwitchNodeRole::ALL.len()]>,
    drivers: usize,
}

/// The switch's view of the rest of the system.
struct Around<'a, 'b> {
    cx: &'a mut Context<'b>,
    account: &'a mut Account,
    places: &'a [(u16, u8)],
}

/// A timer has a multiple of this number for each node of its place: the station, its port of the switch, the trunks of the switch.
const NODE: u8 = 8;

impl LoopHost for Around<'_, '_> {
    #[inline]
    fn schedule(&mut self, at: Time, node: usize, event: LoopEvent) {
        let Order { priority, unit, .. } = event.event_order(0);
        let (what, number) = match event {
            LoopEvent::Fill => (what::FILL, 0),
            LoopEvent::Item(id) => (what::ITEM, id),
            LoopEvent::FrameEnd(id) => (what::FRAME_END, id),
            // A switch has no cache of circuits, and is not initialised.
            LoopEvent::Slot | LoopEvent::Known(..) | LoopEvent::Initialisation(_) | LoopEvent::TimeOut => {
                (what::SLOT, 0)
            }
        };
        let (place, node) = self.places[node];
        let turn = EventTurn { priority, unit: unit + 2 * u32::from(node) };
        self.cx.set_timer(at, turn, Timer { what: what + NODE * node, place, number });
    }

    #[inline]
    fn upcall(&mut self, _now: Time, port: usize, upcall: PortEvent) {
        // Several stations own a segment each at a time; a switch counts conversations instead of ownership.
        if !matches!(upcall, PortEvent::Owns(_)) {
            self.account.carry_out(self.cx, port as u16, upcall);
        }
    }

    #[inline]
    fn observe(&mut self, now: Time, port: usize, what: impl FnOnce() -> Observation) {
        if self.cx.wanted_sights().ports {
            self.cx.report_observation(now, ObservableKind::Port(port as u16, what().into()));
        }
    }

    #[inline]
    fn observe_repeated(&mut self, now: Time, port: usize, what: impl FnOnce() -> Observation) {
        if self.cx.wanted_sights().repeaters {
            self.cx.report_observation(now, ObservableKind::Repeater(port as u16, what().into()));
        }
    }
}

/// The stations of a switch, or of several cascaded switches.
fn stations_of(parameters: &LoopSwitchParameters, nodes: &[NetworkNode]) -> Vec<LoopStation> {
    loop_stations(nodes, |listed| parameters.switch_of(listed))
}

impl LoopSwitchNetwork {
    /// A quiet switch with these stations. The ports of the component are joined to the nodes in the same
    /// order.
    pub fn new(parameters: &LoopSwitchParameters, stations: &[LoopStation], model: LoopModel) -> Self {
        let switch = loop_switch::LoopSwitch::new(parameters, stations, model);
        let nodes = stations.len() + switch.switch_port_count();
        let place = |node| {
            let (place, is) = switch.station_of_node(node);
            (place as u16, is as u8)
        };
        let places: Vec<(u16, u8)> = (0..nodes).map(place).collect();
        let mut nodes_at = vec![[0; SwitchNodeRole::ALL.len()]; stations.len()];
        for (node, &(place, is)) in places.iter().enumerate() {
            nodes_at[usize::from(place)][usize::from(is)] = node;
        }
        let drivers =
            driver_count(SwitchTopology::Switch(parameters.links), stations, parameters.stations_per_driver);
        Self { switch, account: Account::new(parameters.on.word_time()), places, nodes_at, drivers }
    }

    /// Gives the switch an input and carries out its effects.
    #[inline]
    fn react(
        &mut self,
        cx: &mut Context<'_>,
        input: impl FnOnce(&mut loop_switch::LoopSwitch, Time, &mut Around<'_, '_>),
    ) {
        let now = cx.now;
        input(&mut self.switch, now, &mut Around { cx, account: &mut self.account, places: &self.places });
    }
}

impl Component for LoopSwitchNetwork {
    type Parameters = LoopSwitchParameters;
    type Role = NetworkRole;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn demand(
        parameters: &LoopSwitchParameters,
        class: &RequestClass,
        around: &Needed<'_>,
    ) -> Option<Demand> {
        Some(demand::of(parameters, class, around))
    }

    fn build(parameters: &LoopSwitchParameters, cx: &BuildContext<'_, NetworkRole>) -> Self {
        Self::new(parameters, &stations_of(parameters, &cx.nodes), loop_model(cx.model))
    }

    #[inline]
    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        let node = self.nodes_at[usize::from(timer.place)][usize::from(timer.what / NODE)];
        let event = event_of(Timer { what: timer.what % NODE, ..timer });
        self.react(cx, |switch, now, around| switch.handle(now, node, event, around));
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        let port = usize::from(port);
        match message {
            Message::Send(frame) => {
                self.react(cx, |switch, now, around| switch.enqueue(now, port, frame.into(), around))
            }
            Message::BufferFreed => {
                self.react(cx, |switch, now, around| switch.buffer_freed(now, port, around))
            }
            Message::SequenceEnds(tag) => {
                self.react(cx, |switch, now, around| switch.sequence_ends(now, port, tag, around))
            }
            _ => {}
        }
    }

    fn places(&self) -> u16 {
        self.switch.ports().len() as u16
    }

    fn gauge(&self, now: Time, gauge: usize, place: u16) -> u32 {
        let station = usize::from(place);
        let port = &self.switch.ports()[station];
        match gauge {
            gauge::PORT_QUEUE => port.queued_frames() as u32,
            gauge::BUFFERS => port.occupied_buffers(),
            gauge::CREDIT => port.credit(now),
            gauge::WAITING_FOR => self.switch.waiting_open_count(station) as u32,
            _ => 0,
        }
    }

    fn busy(&self, now: Time, _block: usize) -> Total {
        self.account.wire.total(now)
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        let used = self.switch.use_so_far(now);
        match meter {
            meter::CARRYING => self.account.usage.until(now).carrying.into(),
            meter::TALKING => Total(used.talking),
            meter::BUSY => used.busy.into(),
            meter::CONVERSATIONS => Total(used.conversations.into()),
            meter::REFUSED => Total(self.switch.refused_open_count().into()),
            _ => Total(self.account.usage.until(now).frame_count.into()),
        }
    }

    fn capacity(&self, meter: usize) -> u64 {
        match meter {
            meter::TALKING => (self.switch.most_open_conversations() as u64).max(1),
            _ => 1,
        }
    }

    fn constant(&self, figure: usize) -> f64 {
        match figure {
            figure::ROUND_TRIP => self.switch.longest_round().as_ns_f64(),
            figure::DRIVERS => self.drivers as f64,
            figure::SWITCH_PORTS => self.switch.switch_port_count() as f64,
            _ => self.switch.ports().len() as f64,
        }
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        self.account.balance.leftovers(leftovers);
        leftovers.check_zero("words left", self.switch.items_in_flight() as u64);
        leftovers.check_zero("OPNs left in the switch", self.switch.held_open_count() as u64);
        let queued: usize = self.switch.ports().iter().map(|port| port.queued_frames()).sum();
        leftovers.check_zero("frames left in the queues of ports", queued as u64);
    }
}
