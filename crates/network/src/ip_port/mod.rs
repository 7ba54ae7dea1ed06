//! A port of a fabric, or of a loop, with IP behind it: it sends datagrams, and receives the datagrams that arrive. Datagrams are neither answered nor
//! repeated when lost: TCP is not simulated.
//!
//! Source: RFC 4338; for multicast Wang 2005, 2.1. A datagram is one frame, which is a sequence of an exchange that the port has with each of the other ports. A buffer
//! is empty as soon as its datagram has arrived (assumption). On a loop a port opens a circuit for its datagrams as for other frames, and
//! keeps the loop while it has datagrams for the same port. The port sends as long as workloads issue requests, so a run ends with its
//! I/Os.
//!
//! Frames have the number of a request, which observers use. The port has one request for all its datagrams, which does not count as a
//! request of a workload.

mod catalogue;
mod parameters;

use catalogue::{CATALOGUE, meter, segment};
pub use parameters::{DatagramArrivals, IpPortParameters};
use sansim_component::{
    AdapterRole, BuildContext, Component, Context, EventTurn, LeftoverFindings, Message, Timer,
};
use sansim_kernel::{RandomStream, Span, Time, Total};
use sansim_pdu::Address;
use sansim_pdu::{Pdu, PduKind, RequestTag};
use sansim_request::{Operation, Request, RequestId};
use sansim_schema::catalogue::Catalogue;

/// The port of the component at the network.
const NETWORK: u16 = 0;
/// The number of bytes of Network_Header, LLC and SNAP.
const HEADER_BYTES: u64 = 24;

/// An IP port as a component.
#[derive(Clone, Debug)]
pub struct IpPortComponent {
    address: Address,
    to: Vec<Address>,
    size: u64,
    /// The mean time from one datagram to the next.
    gap: Span,
    random: Option<RandomStream>,
    most_queued: u32,
    request: Option<RequestId>,
    /// The number of datagrams that were generated, whether or not they found room in the queue.
    came: u64,
    queued: u32,
    sent: u64,
    received: u64,
    dropped: u64,
}

impl IpPortComponent {
    fn next(&mut self, cx: &mut Context<'_>) {
        let gap = match &mut self.random {
            Some(random) => Span::from_ns_f64(random.exponential(self.gap.as_ns_f64())).min(Span::LONGEST),
            None => self.gap,
        };
        cx.set_timer(cx.now + gap, EventTurn::turn_of_node(0), Timer::new(0, 0));
    }

    /// The next datagram, for the next destination in turn.
    fn datagram(&mut self, request: RequestId) -> Pdu {
        let number = self.came - 1;
        let to = self.to[number as usize % self.to.len()];
        Pdu {
            tag: RequestTag(request.0),
            source: self.address,
            destination: to,
            payload_bytes: (HEADER_BYTES + self.size) as u32,
            // The number of the datagram within the exchange with its destination port.
            unit: (number / self.to.len() as u64) as u16,
            kind: PduKind::Ip,
            ..Pdu::IP
        }
    }
}

impl Component for IpPortComponent {
    type Parameters = IpPortParameters;
    type Role = AdapterRole;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn build(parameters: &IpPortParameters, cx: &BuildContext<'_, AdapterRole>) -> Self {
        let random = || cx.component_random_stream("datagrams");
        Self {
            address: cx.address.unwrap_or_default(),
            to: cx.peers.clone(),
            size: parameters.size,
            gap: Span::to_move(parameters.size, parameters.rate),
            random: (parameters.arrivals == DatagramArrivals::Poisson).then(random),
            most_queued: parameters.queue,
            request: None,
            came: 0,
            queued: 0,
            sent: 0,
            received: 0,
            dropped: 0,
        }
    }

    fn start(&mut self, cx: &mut Context<'_>) {
        if self.to.is_empty() {
            return;
        }
        // The number of the request is the number of no I/O.
        let request = Request::background_request(u64::MAX, Operation::Write, 0, &(0..self.size));
        self.request = Some(cx.background_requests().begin_detached(request, segment::SENDING));
        self.next(cx);
    }

    fn due(&mut self, cx: &mut Context<'_>, _: Timer) {
        let Some(request) = self.request else { return };
        if cx.background_requests().sources_exhausted() {
            self.request = None;
            cx.background_requests().end_detached(request);
            return;
        }
        self.came += 1;
        if self.queued == self.most_queued {
            self.dropped += 1;
        } else {
            self.queued += 1;
            let frame = self.datagram(request);
            cx.keep_record(request);
            cx.send(NETWORK, Message::Send(frame));
        }
        self.next(cx);
    }

    fn receive(&mut self, cx: &mut Context<'_>, _: u16, message: Message) {
        match message {
            Message::Sent(_) => {
                self.queued -= 1;
                self.sent += 1;
            }
            Message::Received(frame) => {
                self.received += 1;
                cx.release_record(RequestId(frame.tag.0));
                cx.send(NETWORK, Message::BufferFreed);
            }
            _ => {}
        }
    }

    fn gauge(&self, _: Time, _: usize, _: u16) -> u32 {
        self.queued
    }

    fn meter(&self, _: Time, meter: usize) -> Total {
        Total(
            match meter {
                meter::SENT => self.sent,
                meter::RECEIVED => self.received,
                _ => self.dropped,
            }
            .into(),
        )
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        leftovers.check_zero("IP datagrams left in the queue of their port", self.queued.into());
        leftovers.check_equal(
            "IP datagrams",
            ("sent or dropped", self.sent + self.dropped),
            ("came", self.came),
        );
    }
}
