//! Changes of a loop while it runs: nodes that are taken out and put in, and initialisations; who learns of them, and when.
//!
//! A port that has left is missed by the others after the initialisation: they compare LILP with their logins (FC-AL; PLDA 2.1). Without an
//! initialisation a port misses the other after E_D_TOV, in which it gets no frame. A node that is taken out notices it by the loss of
//! synchronisation: an initiator after R_T_TOV, counted from the time at which the others have missed it; a target at once.
//!
//! Assumption: an initiator that is taken out answers its host after all targets have ended its exchanges, and a target that is taken out
//! ends its exchanges at once, so that a request that is repeated on another path is never at a device twice.

use super::{Account, Balance, LoopNetwork, kind_index, request_of, segment, what};
use crate::stations::{AttachedPort, fc_port_keys};
use sansim_component::context::UnitStep;
use sansim_component::incident_log::{IncidentKind, IncidentSubject};
use sansim_component::network::NetworkPortRole;
use sansim_component::{Context, EventTurn, Message, NetworkChange, PortKeys, Timer};
use sansim_fc::arbitrated_loop::{LoopParameters, LoopStation};
use sansim_fc::frame::{Frame, PduKind};
use sansim_fc::initialisation_frame::ERROR_DETECT_TIME_OUT;
use sansim_fc::loop_port::FcPort;
use sansim_kernel::{Span, Time};
use sansim_request::LossCause;

/// R_T_TOV: a port that has lost synchronisation for this time has a link failure (Hitachi Ultrastar 15K450, table 87).
const LINK_FAILURE_TIME_OUT: Span = Span::from_ms(100);

/// The nodes, and what they have not noticed yet.
#[derive(Clone, Debug, Default)]
pub(super) struct LoopNodes {
    nodes: Vec<AttachedPort>,
    /// For each node the ports that have left, and which the node has not missed yet.
    unnoticed: Vec<u128>,
    /// For each node the number of its last removal: timers of earlier ones are stale.
    removals: Vec<u32>,
}

impl LoopNodes {
    pub(super) fn new(nodes: Vec<AttachedPort>) -> Self {
        let (unnoticed, removals) = (vec![0; nodes.len()], vec![0; nodes.len()]);
        Self { nodes, unnoticed, removals }
    }

    /// A port has left: no node has noticed it, and the port itself has lost all others.
    fn leaves(&mut self, port: usize) {
        for (node, unnoticed) in self.unnoticed.iter_mut().enumerate() {
            *unnoticed |= if node == port { !(1 << port) } else { 1 << port };
        }
        self.removals[port] += 1;
    }

    /// A node notices these ports that have left.
    fn notices(&mut self, cx: &mut Context<'_>, node: usize, ports: u128) {
        let noticed = self.unnoticed[node] & ports;
        self.unnoticed[node] &= !ports;
        for (port, other) in self.nodes.iter().enumerate() {
            if noticed >> port & 1 == 1 {
                cx.send(node as u16, Message::PortLeft(other.address));
            }
        }
    }
}

impl LoopNetwork {
    /// Carries out a change.
    pub(super) fn loop_changes(&mut self, cx: &mut Context<'_>, change: NetworkChange) {
        match change {
            NetworkChange::RemoveNode { port, initialise } => self.remove(cx, usize::from(port), initialise),
            NetworkChange::AddNode { port, initialise } => self.add(cx, usize::from(port), initialise),
            NetworkChange::Initialise => {
                self.initialised(cx, |on, now, around| on.initialise(now, around));
            }
            NetworkChange::Detached | NetworkChange::Attached => {}
        }
    }

    /// The cables and the schedules of the ports are those of these keys from now on.
    #[cold]
    pub(super) fn stations_change(
        &mut self,
        cx: &mut Context<'_>,
        parameters: &LoopParameters,
        ports: &[PortKeys],
    ) {
        let before = self.stations.clone();
        for (station, keys) in self.stations.iter_mut().zip(ports) {
            let FcPort { port, schedule } = fc_port_keys(keys);
            (station.port.cable, station.schedule) = (port.cable, schedule.clone());
        }
        let is_other = |(one, other): (&LoopStation, &LoopStation)| one != other;
        let Some(changed) = before.iter().zip(&self.stations).position(is_other) else { return };
        let stations = self.stations.clone();
        self.initialised(cx, |on, now, around| {
            on.change_stations(now, (parameters, &stations), changed, around)
        });
    }

    /// Changes the loop, and adds up for how long it is initialised.
    fn initialised(
        &mut self,
        cx: &mut Context<'_>,
        change: impl FnOnce(
            &mut sansim_fc::arbitrated_loop::ArbitratedLoop,
            Time,
            &mut super::LoopContext<'_, '_>,
        ) -> Time,
    ) -> Time {
        let mut works_at = cx.now;
        self.react(cx, |on, now, around| works_at = change(on, now, around));
        if works_at > cx.now {
            self.account.usage.stops(cx.now);
            self.account.initialising.begins(cx.now, works_at);
            cx.failures().report_incident(
                IncidentKind::LoopInitialisation,
                works_at,
                IncidentSubject::Itself,
            );
        }
        works_at
    }

    fn remove(&mut self, cx: &mut Context<'_>, port: usize, initialise: bool) {
        if self.arbitrated_loop.is_bypassed(port) {
            return;
        }
        self.account.nodes.leaves(port);
        let works_at = self.initialised(cx, |on, now, around| on.bypass(now, port, initialise, around));
        let missed_at = if initialise { works_at } else { cx.now + ERROR_DETECT_TIME_OUT };
        let number = self.account.nodes.removals[port];
        let timer = |what| Timer { what, place: port as u16, number };
        if missed_at > works_at {
            cx.set_timer(missed_at, EventTurn { priority: 2, unit: 0 }, timer(what::MISSED));
        }
        match self.account.nodes.nodes[port].side {
            NetworkPortRole::Initiator => {
                let at = missed_at + LINK_FAILURE_TIME_OUT;
                cx.set_timer(at, EventTurn { priority: 2, unit: 1 }, timer(what::LINK_FAILED));
            }
            _ => self.account.nodes.notices(cx, port, u128::MAX),
        }
    }

    fn add(&mut self, cx: &mut Context<'_>, port: usize, initialise: bool) {
        if !self.arbitrated_loop.is_bypassed(port) {
            return;
        }
        // The nodes notice the removal now, if they have not yet: the port logs in anew.
        self.account.nodes.removals[port] += 1;
        for node in AttachedPort::targets_first(&self.account.nodes.nodes) {
            let ports = if node == port { u128::MAX } else { 1 << port };
            self.account.nodes.notices(cx, node, ports);
        }
        self.initialised(cx, |on, now, around| on.enable(now, port, initialise, around));
    }

    /// A timer of a removal is due.
    #[cold]
    pub(super) fn noticed(&mut self, cx: &mut Context<'_>, Timer { what, place, number }: Timer) {
        let port = usize::from(place);
        if self.account.nodes.removals[port] != number {
            return;
        }
        if what == what::LINK_FAILED {
            self.account.nodes.notices(cx, port, u128::MAX);
            return;
        }
        for node in AttachedPort::targets_first(&self.account.nodes.nodes).filter(|&node| node != port) {
            self.account.nodes.notices(cx, node, 1 << port);
        }
    }
}

impl Account {
    /// The loop has been initialised, and a port compares the list of ports with its logins.
    #[cold]
    pub(super) fn port_initialised(&mut self, cx: &mut Context<'_>, port: u16) {
        let node = usize::from(port);
        // A port that was taken out takes no part, and notices it otherwise.
        if self.nodes.unnoticed[node] != !(1 << node) {
            self.nodes.notices(cx, node, u128::MAX);
            cx.send(port, Message::Initialised);
        }
    }

    /// A frame is lost.
    #[cold]
    pub(super) fn frame_lost(&mut self, cx: &mut Context<'_>, frame: &Frame) {
        let Balance { lost, data, .. } = &mut self.balance;
        lost[kind_index(frame.kind)] += 1;
        if frame.kind == PduKind::Data {
            data[1] += u64::from(frame.payload_bytes);
        }
        self.wire.ends(cx.now);
        let request = request_of(frame.tag);
        if !frame.kind.belongs_to_request() {
            cx.release_record(request);
            return;
        }
        cx.ledger().advance_unit(request, UnitStep::Arrives { wire: segment::WIRE, queue: segment::QUEUE });
        cx.ledger().advance_unit(request, UnitStep::Taken);
        cx.failures().lose_request(request, LossCause::FrameLost);
        cx.ledger().locate_request(request, segment::LOST);
    }
}
