//! A parallel SCSI bus carries one connection at a time, each of which is computed in closed form.
//!
//! Sources: SPI-3 and SCSI-2 for the rules, Friedman (Fibre Channel protocol) for their costs. The adapters at the bus are the adapters of
//! other networks: a command, the data of a request, the request for data, and the status are the phases of the bus, and no frames are
//! sent.
//!
//! * A port that has something to send arbitrates when the bus is free; among the ports that arbitrate at one moment the SCSI ID of highest
//!   priority wins.
//! * A connection belongs to one I/O, between an initiator and a target. A connection begins with the message that names the I/O, and
//!   carries the data, command or status that either end has for that I/O.
//! * A target that has nothing more to send for the I/O disconnects after `disconnect_after`, and reselects the initiator when it has. A
//!   target that has asked for the data of a write waits for the data. With the status the connection is over.
//! * No other port arbitrates until the bus has been cleaned up.
//!
//! docs/model/scsi-bus.md lists what the model leaves out.

mod catalogue;
mod connection;
mod contract;
mod demand;
mod port;
#[cfg(test)]
mod tests;

pub use sansim_scsi::{BusSpeed, ConnectionOverheads, ScsiBusParameters};

use crate::frames::{FRAME_KINDS, kind_index};
use catalogue::{CATALOGUE, gauge, meter, segment};
use connection::Connection;
use port::Port;
use sansim_component::demand::{Demand, DemandContext, RequestClass};
use sansim_component::network::NodePace;
use sansim_component::{
    BuildContext, Component, Context, EventTurn, LeftoverFindings, Message, NetworkRole, Timer,
};
use sansim_kernel::{EventKey, Span, Time, Total};
use sansim_pdu::Address;
use sansim_pdu::{Pdu, PduKind};
use sansim_request::RequestId;
use sansim_schema::catalogue::Catalogue;
use sansim_scsi::ids;
use sansim_scsi::phases::BusTimes;

/// A parallel SCSI bus. The component is described in the module text.
#[derive(Clone, Debug)]
pub struct ScsiBus {
    times: BusTimes,
    disconnect_after: Option<Span>,
    ports: Vec<Port>,
    /// The port with each SCSI ID.
    by_id: [Option<u8>; 16],
    /// The present connection; none on a free bus.
    connection: Option<Connection>,
    /// Whether an arbitration will be decided at this moment.
    is_due: bool,
    used: Use,
    /// The number of frames that left a port, and of frames that arrived, by kind.
    sent: [u64; FRAME_KINDS.len()],
    received: [u64; FRAME_KINDS.len()],
}

/// The use of the bus, without connections in progress.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    taken: Span,
    data: Span,
    held: Span,
    connections: u64,
    bytes: u64,
}

/// The kinds of timers.
mod what {
    /// A phase is over.
    pub const ENDED: u8 = 0;
    /// The outgoing FIFO has room for the last piece of a sequence.
    pub const HAS_ROOM: u8 = 1;
    /// The last piece of a sequence begins.
    pub const LEFT: u8 = 2;
    /// The port that has won begins.
    pub const SELECTED: u8 = 3;
    /// The next phase of a connection is chosen.
    pub const GOES_ON: u8 = 4;
    /// The target disconnects.
    pub const DISCONNECTS: u8 = 5;
    /// The bus is free.
    pub const FREE: u8 = 6;
    /// The arbitration is decided.
    pub const ARBITRATES: u8 = 7;
}

/// Arrivals are handled before decisions of ports at the same moment, and decisions come after the actions of
/// nodes.
const ARRIVES: u8 = 1;
const DECIDES: u8 = 3;

fn wake(cx: &mut Context<'_>, at: Time, what: u8) -> EventKey {
    let priority = if what == what::ENDED { ARRIVES } else { DECIDES };
    let turn = EventTurn { priority, unit: u32::from(what) };
    cx.set_cancellable_timer(at, turn, Timer { what, place: 0, number: 0 })
}

fn request_of(frame: &Pdu) -> RequestId {
    RequestId(frame.tag.0)
}

impl ScsiBus {
    /// A free bus with ports at these addresses, for nodes with these rates.
    pub fn new(parameters: &ScsiBusParameters, addresses: &[Address], nodes: &[NodePace]) -> Self {
        let mut by_id = [None; 16];
        for (port, &address) in addresses.iter().enumerate() {
            if let Some(at) = by_id.get_mut(usize::from(ids::id_of_address(address))) {
                *at = Some(port as u8);
            }
        }
        let pace = |port: usize| nodes.get(port).copied().unwrap_or_default();
        let ports = addresses.iter().enumerate();
        Self {
            times: BusTimes::new(parameters),
            disconnect_after: parameters.disconnect_after,
            ports: ports
                .map(|(port, &at)| Port::new(ids::arbitration_rank(ids::id_of_address(at)), pace(port)))
                .collect(),
            by_id,
            connection: None,
            is_due: false,
            used: Use::default(),
            sent: Default::default(),
            received: Default::default(),
        }
    }

    fn port_at(&self, address: Address) -> Option<usize> {
        let at = self.by_id.get(usize::from(ids::id_of_address(address)))?;
        at.map(usize::from)
    }

    /// The node of a port hands over a unit to be sent.
    fn enqueue(&mut self, cx: &mut Context<'_>, port: usize, frame: Pdu) {
        self.ports[port].put(frame);
        if self.connection.is_some() {
            self.queued_in_connection(cx, port, &frame);
        } else if !self.is_due {
            self.is_due = true;
            wake(cx, cx.now, what::ARBITRATES);
        }
        if self.ports[port].queued() == 1 {
            self.tell_head(cx, port);
        }
    }

    /// The first frame at a port waits for the bus, unless the connection in progress is for its I/O.
    fn tell_head(&self, cx: &mut Context<'_>, port: usize) {
        let Some(head) = self.ports[port].arbitrating_frame() else { return };
        if !self.connection.as_ref().is_some_and(|connection| connection.is_phase_in_progress(head)) {
            cx.ledger().enter_segment(request_of(head), segment::BUS);
        }
    }

    /// Lets the ports with units in their queues arbitrate for the free bus.
    fn arbitrate(&mut self, cx: &mut Context<'_>) {
        self.is_due = false;
        let contends = |port: &usize| self.ports[*port].queued() > 0;
        let wins = (0..self.ports.len()).filter(contends).min_by_key(|&port| self.ports[port].priority);
        let Some(winner) = wins else { return };
        let Some(head) = self.ports[winner].arbitrating_frame().copied() else { return };
        let Some(other) = self.port_at(head.destination) else { return };
        self.used.connections += 1;
        self.connection = Some(Connection::new(cx.now, head.tag, [winner, other]));
        cx.ledger().enter_segment(request_of(&head), segment::ARBITRATION);
        wake(cx, cx.now + self.times.arbitration, what::SELECTED);
    }

    /// The use of the bus up to now.
    fn used(&self, now: Time) -> Use {
        let Some(connection) = &self.connection else { return self.used };
        let mut used = self.used;
        used.taken += now - connection.begin;
        used.held += connection.idle_connection_time(now);
        used.data += connection.data_transfer_time(now);
        used
    }
}

impl Component for ScsiBus {
    type Parameters = ScsiBusParameters;
    type Role = NetworkRole;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn demand(
        parameters: &ScsiBusParameters,
        class: &RequestClass,
        around: &DemandContext<'_>,
    ) -> Option<Demand> {
        Some(demand::of(parameters, class, around))
    }

    fn build(parameters: &ScsiBusParameters, cx: &BuildContext<'_, NetworkRole>) -> Self {
        let addresses: Vec<Address> = cx.nodes.iter().map(|node| node.address).collect();
        let paces: Vec<NodePace> = cx.nodes.iter().map(|node| node.pace).collect();
        Self::new(parameters, &addresses, &paces)
    }

    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        match timer.what {
            what::ENDED => self.phase_ended(cx),
            what::HAS_ROOM => self.has_room(cx),
            what::LEFT => self.last_piece_begins(cx),
            what::SELECTED => self.selected(cx),
            what::GOES_ON => self.go_on(cx),
            what::DISCONNECTS => self.disconnect(cx),
            what::FREE => self.free(cx),
            _ => self.arbitrate(cx),
        }
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        match message {
            Message::Send(frame) => self.enqueue(cx, usize::from(port), frame),
            Message::BufferFreed => self.ports[usize::from(port)].occupied -= 1,
            _ => {}
        }
    }

    fn places(&self) -> u16 {
        self.ports.len() as u16
    }

    fn gauge(&self, _now: Time, gauge: usize, place: u16) -> u32 {
        let port = &self.ports[usize::from(place)];
        if gauge == gauge::PORT_QUEUE { port.queued() as u32 } else { 0 }
    }

    fn busy(&self, now: Time, _block: usize) -> Total {
        let used = self.used(now);
        (used.taken - used.held).into()
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        let used = self.used(now);
        match meter {
            meter::TAKEN => used.taken.into(),
            meter::DATA => used.data.into(),
            meter::OVERHEAD => (used.taken - used.data - used.held).into(),
            meter::HELD => used.held.into(),
            meter::CONNECTIONS => Total(used.connections.into()),
            _ => Total(used.bytes.into()),
        }
    }

    fn constant(&self, _figure: usize) -> f64 {
        self.ports.len() as f64
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        for (kind, (sent, received)) in FRAME_KINDS.iter().zip(self.sent.into_iter().zip(self.received)) {
            leftovers.check_equal(kind, ("sent", sent), ("received", received));
        }
        let queued: usize = self.ports.iter().map(Port::queued).sum();
        leftovers.check_zero("sequences left in the queues of ports", queued as u64);
        let occupied: u64 = self.ports.iter().map(|port| u64::from(port.occupied)).sum();
        leftovers.check_zero("buffers left taken", occupied);
    }
}
