//! PCI Express between a host and its NVMe drives: each drive has a link of its own, on which the steps of its commands are packets.
//!
//! The adapters of the host and of the drives have the protocol `"nvme"`; the units that they hand over are what the steps amount to:
//!
//! * A command gets an entry of the submission queue of its queue pair, and waits if none is free. The doorbell is rung; the controller fetches
//!   the entry, in the order of its arbitration, and the list of pages if the data have more than two.
//! * The data of a read are written into the host's memory. A controller asks for the data of a write, and the memory answers.
//! * A completion is written into the completion queue; the host learns of it by an interrupt ([`completion`]), or polls. Then it writes the
//!   head of the completion queue.
//!
//! Each direction of a link carries one packet at a time, in the order in which they were ready; data go in pages, between which other packets
//! have their turn. [`packets`] has the bytes of each step, [`submission`] the order of fetches.
//!
//! Assumptions: buffers at both ends never run full, so there is no flow control. A controller requests all data of a write at once, and the
//! memory answers only after the last of these requests. The controller fetches entries one by one. A host sends an abort by the administrative
//! queue pair, and only after the controller has fetched the command.

mod catalogue;
mod completion;
mod contract;
mod demand;
mod link;
mod packets;
mod parameters;
mod parcel;
mod submission;

pub use parameters::{PcieGeneration, PcieParameters, QueueArbitration, QueueChoice};

use crate::frames::{FRAME_KINDS, kind_index};
use catalogue::{CATALOGUE, gauge, meter, segment};
use link::Link;
use packets::{PacketSizes, Step, first_step, list_bytes};
use parcel::Parcel;
use sansim_component::context::UnitStep;
use sansim_component::demand::{Demand, DemandContext, RequestClass};
use sansim_component::network::{NetworkPortRole, NodePace};
use sansim_component::{
    BuildContext, Component, Context, EventTurn, LeftoverFindings, Message, NetworkRole, Timer,
};
use sansim_kernel::{Span, Time, Total};
use sansim_pdu::{Address, Pdu, PduKind};
use sansim_request::RequestId;
use sansim_schema::catalogue::Catalogue;
use submission::{SubmissionQueues, queue_of};

/// The kinds of timers.
mod what {
    /// A packet, or a page of data, has left the end of a link.
    pub const SENT: u8 = 0;
    /// The other end acts on a packet.
    pub const ARRIVED: u8 = 1;
    /// The time of interrupt coalescing is over.
    pub const COALESCED: u8 = 2;
}

/// Arrivals are handled before decisions at the same moment.
const ARRIVES: u8 = 1;

fn request_of(unit: &Pdu) -> RequestId {
    RequestId(unit.tag.0)
}

/// A port of the network.
#[derive(Clone, Copy, Debug)]
struct Port {
    pace: NodePace,
    /// The link of a drive; none at the port of the host.
    link: Option<usize>,
    /// The units that have arrived and occupy the node's buffers.
    occupied: u32,
}

/// The counts of the network.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    link_bytes: u64,
    data_bytes: u64,
    interrupts: u64,
    completions: u64,
}

/// PCI Express between a host and its drives.
#[derive(Clone, Debug)]
pub struct PcieNetwork {
    parameters: PcieParameters,
    sizes: PacketSizes,
    rate: u64,
    ports: Vec<Port>,
    /// The port of the host.
    host: usize,
    links: Vec<Link>,
    /// The packets that have left one end of a link and on which the other end has not acted, each with its link, by the numbers of their
    /// timers.
    in_flight: Vec<Option<(usize, Parcel)>>,
    free_numbers: Vec<u32>,
    counts: Counts,
    /// The number of units that left a port, and of units that arrived, by kind.
    sent: [u64; FRAME_KINDS.len()],
    received: [u64; FRAME_KINDS.len()],
}

impl PcieNetwork {
    /// Idle links between nodes of these sides and rates.
    pub fn new(parameters: &PcieParameters, nodes: &[(NetworkPortRole, NodePace)]) -> Self {
        let mut links = Vec::new();
        let mut port = |(number, (side, pace)): (usize, &(NetworkPortRole, NodePace))| {
            let link = (*side != NetworkPortRole::Initiator).then(|| {
                links.push(Link::new(number, parameters));
                links.len() - 1
            });
            Port { pace: *pace, link, occupied: 0 }
        };
        let ports: Vec<Port> = nodes.iter().enumerate().map(&mut port).collect();
        Self {
            parameters: parameters.clone(),
            sizes: PacketSizes::new(parameters),
            rate: parameters.link_rate(),
            host: ports.iter().position(|port| port.link.is_none()).unwrap_or(0),
            ports,
            links,
            in_flight: Vec::new(),
            free_numbers: Vec::new(),
            counts: Counts::default(),
            sent: Default::default(),
            received: Default::default(),
        }
    }

    /// The port of an address: addresses are numbered from 1 in the order of the ports.
    fn port_at(address: Address) -> usize {
        (address.value() as usize).wrapping_sub(1)
    }

    /// A node hands over a unit.
    fn hand_over(&mut self, cx: &mut Context<'_>, port: usize, unit: Pdu) {
        self.sent[kind_index(unit.kind)] += 1;
        let drive = if port == self.host { Self::port_at(unit.destination) } else { port };
        let Some(number) = self.ports.get(drive).and_then(|port| port.link) else { return };
        let step = first_step(&unit);
        let request = *cx.request(request_of(&unit));
        let queue = match unit.kind {
            PduKind::Abort | PduKind::AbortAccept | PduKind::AbortReject => self.parameters.queues,
            _ => queue_of(self.parameters.queue_of, &request.origin, self.parameters.queues),
        };
        let link = &mut self.links[number];
        let waits = match step {
            Step::Doorbell if unit.kind == PduKind::Abort => !link.abort_submitted(&unit),
            Step::Doorbell => {
                link.command_submitted(&unit, queue);
                !link.submission.submit(queue, unit)
            }
            Step::Completion => {
                link.command_left_controller(&unit);
                false
            }
            _ => false,
        };
        if waits {
            if unit.kind == PduKind::Command {
                cx.ledger().enter_segment(request_of(&unit), segment::SUBMISSION);
            }
            return;
        }
        self.put(cx, number, Parcel::new(step, unit, queue));
        if step == Step::Completion {
            self.fetch(cx, number);
        }
    }

    /// A step waits for its direction of a link.
    fn put(&mut self, cx: &mut Context<'_>, number: usize, parcel: Parcel) {
        if parcel.has_request {
            cx.ledger().enter_segment(request_of(&parcel.unit), segment::QUEUE);
        }
        let direction = usize::from(!parcel.step.goes_to_drive());
        let direction_of = &mut self.links[number].directions[direction];
        direction_of.waiting.push_back(parcel);
        if direction_of.sending.is_none() {
            self.send_next(cx, number, direction);
        }
    }

    /// A direction of a link is free for the next packets.
    fn send_next(&mut self, cx: &mut Context<'_>, number: usize, direction: usize) {
        let Some(mut parcel) = self.links[number].directions[direction].waiting.pop_front() else { return };
        let request = request_of(&parcel.unit);
        let data = parcel.next_data_bytes();
        let bytes = self.sizes.link_bytes(parcel.step, data);
        let [from, to] = if direction == 0 {
            [self.host, self.links[number].port]
        } else {
            [self.links[number].port, self.host]
        };
        let mut takes = Span::to_move(bytes, self.rate);
        if parcel.moves_data() {
            // Neither a sender that fetches more slowly nor a receiver that stores more slowly gets ahead.
            let frames = match self.ports[from].pace.payload_bytes {
                0 => 1,
                payload => data.div_ceil(payload).max(1),
            };
            let slower = self.ports[from].pace.fetch.max(self.ports[to].pace.take);
            takes = takes.max(slower * frames);
            self.counts.data_bytes += data;
        }
        self.counts.link_bytes += bytes;
        if parcel.has_request {
            if !std::mem::replace(&mut parcel.has_left, true) {
                cx.ledger().advance_unit(request, UnitStep::Leaves);
            }
            cx.ledger().enter_segment(request, segment::LINK);
        }
        parcel::show_move(cx, &parcel, [from, to], takes, data);
        parcel.left -= data;
        if parcel.moves_data() && parcel.left == 0 {
            // The outgoing FIFO has room for the last piece of the sequence, which leaves it now.
            if !parcel.unit.write {
                cx.send(from as u16, Message::LastUnitFits(parcel.unit));
            }
            cx.send(from as u16, Message::Left(parcel.unit));
        }
        let until = cx.now + takes;
        let direction_of = &mut self.links[number].directions[direction];
        direction_of.taken += takes;
        direction_of.sending = Some((parcel, until));
        let unit = (number * 2 + direction) as u32;
        cx.set_timer(until, EventTurn { priority: ARRIVES, unit }, Timer::new(what::SENT, unit));
    }

    /// Packets have left: others have their turn, and the other end acts on them when the last of them has come.
    fn sent(&mut self, cx: &mut Context<'_>, number: usize, direction: usize) {
        let Some((parcel, _)) = self.links[number].directions[direction].sending.take() else { return };
        if parcel.moves_data() && parcel.left > 0 {
            self.put(cx, number, parcel);
        } else {
            let memory = if parcel.step.reads_memory() { self.parameters.memory_latency } else { Span::ZERO };
            let after = self.parameters.latency + memory;
            if after.is_zero() {
                self.arrived(cx, number, parcel);
            } else {
                self.fly(cx, number, parcel, after);
            }
        }
        if self.links[number].directions[direction].sending.is_none() {
            self.send_next(cx, number, direction);
        }
    }

    /// The other end acts on packets after this time.
    fn fly(&mut self, cx: &mut Context<'_>, link: usize, parcel: Parcel, after: Span) {
        if parcel.has_request {
            cx.ledger().enter_segment(request_of(&parcel.unit), segment::TRANSIT);
        }
        let number = self.free_numbers.pop().unwrap_or_else(|| {
            self.in_flight.push(None);
            self.in_flight.len() as u32 - 1
        });
        self.in_flight[number as usize] = Some((link, parcel));
        let unit = (self.links.len() * 2) as u32 + number;
        let turn = EventTurn { priority: ARRIVES, unit: unit % sansim_kernel::Order::UNITS };
        cx.set_timer(cx.now + after, turn, Timer::new(what::ARRIVED, number));
    }

    /// The other end acts on packets.
    fn arrived(&mut self, cx: &mut Context<'_>, number: usize, parcel: Parcel) {
        let Parcel { step, unit, queue, .. } = parcel;
        let next = |step| Parcel { step, ..parcel };
        match step {
            // The administrative queue has only aborts, and a controller fetches them at once.
            Step::Doorbell if unit.kind == PduKind::Abort => self.put(cx, number, next(Step::FetchEntry)),
            Step::Doorbell => {
                cx.ledger().enter_segment(request_of(&unit), segment::SUBMISSION);
                self.links[number].submission.ring(queue, unit);
                self.fetch(cx, number);
            }
            Step::FetchEntry => self.put(cx, number, next(Step::Entry)),
            Step::Entry => {
                let data = cx.request(request_of(&unit)).data_bytes();
                if unit.kind == PduKind::Command && list_bytes(data).is_some() {
                    self.put(cx, number, Parcel { step: Step::FetchList, left: data, ..parcel });
                } else {
                    self.deliver(cx, number, unit);
                }
            }
            Step::FetchList => {
                let data = cx.request(request_of(&unit)).data_bytes();
                self.put(cx, number, Parcel { step: Step::List, left: data, ..parcel });
            }
            Step::List | Step::AskData | Step::WriteData | Step::ReadData => self.deliver(cx, number, unit),
            Step::Completion => self.completion_written(cx, number, parcel),
            Step::Interrupt => self.interrupted(cx, number, queue),
            Step::HeadDoorbell => {}
        }
    }

    /// The controller of a drive fetches commands, as far as it has room.
    fn fetch(&mut self, cx: &mut Context<'_>, number: usize) {
        let most = self.parameters.controller_commands.unwrap_or(u64::MAX);
        while self.links[number].in_controller < most {
            let Some((queue, unit)) = self.links[number].submission.fetch() else { return };
            self.links[number].command_fetched(&unit);
            self.put(cx, number, Parcel::new(Step::FetchEntry, unit, queue));
        }
    }

    /// A unit is at its destination.
    fn deliver(&mut self, cx: &mut Context<'_>, number: usize, unit: Pdu) {
        self.received[kind_index(unit.kind)] += 1;
        let drive = self.links[number].port;
        let to = if Self::port_at(unit.destination) == drive { drive } else { self.host };
        self.ports[to].occupied += 1;
        cx.ledger().advance_unit(
            request_of(&unit),
            UnitStep::Arrives { wire: segment::LINK, queue: segment::QUEUE },
        );
        cx.send(to as u16, Message::Received(unit));
        if unit.kind == PduKind::Command {
            for abort in self.links[number].command_delivered(&unit) {
                self.put(cx, number, Parcel::new(Step::Doorbell, abort, self.parameters.queues));
            }
        }
    }

    /// The busy time of a direction of all links, up to now.
    fn direction_time(&self, now: Time, direction: usize) -> Total {
        self.links.iter().map(|link| Total::from(link.directions[direction].busy_time(now))).sum()
    }
}

impl Component for PcieNetwork {
    type Parameters = PcieParameters;
    type Role = NetworkRole;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn demand(
        parameters: &PcieParameters,
        class: &RequestClass,
        around: &DemandContext<'_>,
    ) -> Option<Demand> {
        Some(demand::of(parameters, class, around))
    }

    fn build(parameters: &PcieParameters, cx: &BuildContext<'_, NetworkRole>) -> Self {
        let nodes: Vec<_> = cx.nodes.iter().map(|node| (node.side, node.pace)).collect();
        Self::new(parameters, &nodes)
    }

    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        match timer.what {
            what::SENT => self.sent(cx, timer.number as usize / 2, timer.number as usize % 2),
            what::COALESCED => self.coalescing_over(cx, usize::from(timer.place), timer.number),
            _ => {
                let taken = self.in_flight.get_mut(timer.number as usize).and_then(Option::take);
                if let Some((link, parcel)) = taken {
                    self.free_numbers.push(timer.number);
                    self.arrived(cx, link, parcel);
                }
            }
        }
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        match message {
            Message::Send(unit) => self.hand_over(cx, usize::from(port), unit),
            Message::BufferFreed => self.ports[usize::from(port)].occupied -= 1,
            _ => {}
        }
    }

    fn places(&self) -> u16 {
        self.ports.len() as u16
    }

    fn gauge(&self, _now: Time, gauge: usize, place: u16) -> u32 {
        let link = self.ports[usize::from(place)].link.map(|link| &self.links[link]);
        if gauge == gauge::PORT_QUEUE { link.map_or(0, |link| link.waiting_step_count() as u32) } else { 0 }
    }

    fn busy(&self, now: Time, _block: usize) -> Total {
        self.direction_time(now, 0) + self.direction_time(now, 1)
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        match meter {
            meter::TO_DRIVES => self.direction_time(now, 0),
            meter::FROM_DRIVES => self.direction_time(now, 1),
            meter::LINK_BYTES => Total(self.counts.link_bytes.into()),
            meter::DATA_BYTES => Total(self.counts.data_bytes.into()),
            meter::INTERRUPTS => Total(self.counts.interrupts.into()),
            _ => Total(self.counts.completions.into()),
        }
    }

    fn capacity(&self, _meter: usize) -> u64 {
        self.links.len().max(1) as u64
    }

    fn constant(&self, _figure: usize) -> f64 {
        self.ports.len() as f64
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        for (kind, (sent, received)) in FRAME_KINDS.iter().zip(self.sent.into_iter().zip(self.received)) {
            leftovers.check_equal(kind, ("sent", sent), ("received", received));
        }
        let waiting: usize = self.links.iter().map(Link::waiting_step_count).sum();
        leftovers.check_zero("packets left in the queues of links", waiting as u64);
        let commands: usize = self.links.iter().map(|link| link.submission.waiting_command_count()).sum();
        leftovers.check_zero("commands left in submission queues", commands as u64);
        let submitted: u64 = self.links.iter().map(|link| link.submission.submitted_command_count()).sum();
        leftovers.check_zero("entries of submission queues left taken", submitted);
        let fetched: u64 = self.links.iter().map(|link| link.in_controller).sum();
        leftovers.check_zero("commands left in controllers", fetched);
        let written: usize = self.links.iter().map(Link::completion_count).sum();
        leftovers.check_zero("completions left without an interrupt", written as u64);
        let occupied: u64 = self.ports.iter().map(|port| u64::from(port.occupied)).sum();
        leftovers.check_zero("buffers left taken", occupied);
    }
}
