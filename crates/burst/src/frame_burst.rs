//! A frame burst in a simulation: its participants, its start, and how the ordinary state of its ends is set to the state that
//! the schedule gives.

use crate::schedule::{BurstSchedule, BurstStepReceiver, FURTHEST, Horizon, PresentByStepKind};
use sansim_component::{Context, EventTurn};
use sansim_fc::arbitrated_loop::burst::Circuit;
use sansim_fc::arbitrated_loop::{ArbitratedLoop, LoopEvent};
use sansim_fc::frame::{Frame, RequestTag};
use sansim_fc::loop_port::burst::{AroundFill, ReceivedBurstPart, SentBurstPart};
use sansim_fc::word::LinkItem;
use sansim_fcp::adapter::burst::{FrameSupply, StoredBurstPart, StoringEndState};
use sansim_fcp::adapter::{Adapter, AdapterBlock, ExchangeUse};
use sansim_kernel::{Order, Span, Time};
use sansim_network::LoopNetwork;
use sansim_network::arbitrated_loop::burst as wire;
use sansim_request::{LedgerLine, RequestId, Requests};
use std::ops::Add;

/// The order of the steps of a burst among simultaneous events: the ranks of the components that carry them out.
#[derive(Clone, Copy, Debug)]
pub struct BurstRanks {
    /// The rank of the loop's first port.
    pub first_port: u16,
    /// The rank of the adapter that sends.
    pub sender: u16,
    /// The rank of the adapter that receives.
    pub receiver: u16,
    /// The number of the ledger line of the loop's first segment.
    pub first_line: u32,
}

/// The orders of the steps of a burst, as numbers that compare in the same way.
#[derive(Clone, Copy, Debug)]
struct Orders {
    start: u64,
    ready_comes: u64,
    ready: u64,
    begin: u64,
    end: u64,
    processed: u64,
    stored: u64,
    fetched: u64,
}

fn number(Order { priority, rank, unit }: Order) -> u64 {
    u64::from(priority) << 48 | u64::from(rank) << 32 | u64::from(unit)
}

impl Orders {
    fn new(circuit: &Circuit, storing: &StoringEndState, ranks: &BurstRanks) -> Self {
        let (from, to) = (ranks.first_port + circuit.from as u16, ranks.first_port + circuit.to as u16);
        let block = |rank: u16, block: AdapterBlock| {
            let EventTurn { priority, unit } = EventTurn::turn_of_node(block as u32);
            number(Order { priority, rank, unit })
        };
        let end = number(LoopEvent::FrameEnd(0).event_order(to));
        // A block that takes no time is done when the frame has arrived.
        let takes_no_time = storing.frame_time.ticks() == 0;
        Self {
            start: number(LoopEvent::Slot.event_order(from)),
            ready_comes: number(LoopEvent::Item(0).event_order(from)),
            ready: number(LoopEvent::Slot.event_order(to)),
            begin: number(LoopEvent::Item(0).event_order(to)),
            end,
            processed: if takes_no_time { end } else { block(ranks.receiver, AdapterBlock::Incoming) },
            stored: block(ranks.receiver, storing.block),
            fetched: block(ranks.sender, AdapterBlock::Dma),
        }
    }

    /// The present at a place in the order of all events: of the steps at one instant, those before that place
    /// have happened.
    fn present(&self, now: Time, order: Order) -> PresentByStepKind {
        let order = number(order);
        let before = |step: u64| Time(now.ticks() + u64::from(step < order));
        PresentByStepKind {
            start: before(self.start),
            ready_comes: before(self.ready_comes),
            ready: before(self.ready),
            begin: before(self.begin),
            end: before(self.end),
            processed: before(self.processed),
            stored: before(self.stored),
            fetched: before(self.fetched),
        }
    }
}

/// A frame burst with its participants. A burst that is over is kept to reuse its memory.
#[derive(Clone, Debug)]
pub struct FrameBurst {
    circuit: Circuit,
    /// The end of the work that the DMA of the sender had at the start.
    fetched_until: Option<Time>,
    storing: StoringEndState,
    orders: Orders,
    first_line: u32,
    /// The first frame in flight when the burst began, or the first frame of the burst.
    oldest: Frame,
    course: BurstSchedule,
    quiet_until: Time,
    ready: Vec<Time>,
    frames: Vec<(Time, Frame)>,
    ends: Vec<Time>,
    carried: BurstCounts,
}

/// The frames carried in bursts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BurstCounts {
    /// The number of bursts.
    pub trains: u64,
    /// The number of frames in bursts that have ended.
    pub frames: u64,
}

impl Add for BurstCounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { trains: self.trains + other.trains, frames: self.frames + other.frames }
    }
}

/// The receivers of a burst's steps: the ledger and the loop.
struct Way<'a> {
    now: Time,
    requests: &'a mut Requests,
    arbitrated_loop: &'a mut LoopNetwork,
    circuit: &'a Circuit,
    length: Span,
    request: RequestId,
    first_line: u32,
}

impl Way<'_> {
    fn line(&self, segment: usize) -> LedgerLine {
        LedgerLine(self.first_line + segment as u32)
    }
}

impl BurstStepReceiver for Way<'_> {
    fn starts(&mut self, at: Time) {
        self.requests.enter_line(at, self.request, self.line(wire::WIRE));
        let payload = self.circuit.sending.first.payload_bytes;
        self.arbitrated_loop.burst_frame_started(self.now, at, self.circuit, self.length, payload);
    }

    fn ends(&mut self, at: Time) {
        self.arbitrated_loop.burst_frame_ended(at, self.circuit.sending.first.payload_bytes);
    }

    fn ready(&mut self, at: Time) {
        self.arbitrated_loop.burst_ready_sent(self.now, at, self.circuit);
    }

    fn wire_is_empty(&mut self, at: Time) {
        if self.requests.ledger_line(self.request) == self.line(wire::WIRE) {
            self.requests.enter_line(at, self.request, self.line(wire::QUEUE));
        }
    }

    fn waits_for_credit(&mut self, at: Time) {
        self.requests.enter_line(at, self.request, self.line(wire::CREDIT));
    }
}

fn request_of(tag: RequestTag) -> RequestId {
    RequestId(tag.0)
}

impl FrameBurst {
    /// An empty burst, which is kept to reuse its memory.
    fn new(circuit: Circuit, storing: StoringEndState, ranks: &BurstRanks) -> Self {
        Self {
            circuit,
            fetched_until: None,
            storing,
            orders: Orders::new(&circuit, &storing, ranks),
            first_line: 0,
            oldest: circuit.sending.first,
            course: BurstSchedule::new(circuit, storing),
            quiet_until: Time::ZERO,
            ready: Vec::with_capacity(FURTHEST),
            frames: Vec::with_capacity(FURTHEST),
            ends: Vec::with_capacity(FURTHEST),
            carried: BurstCounts::default(),
        }
    }

    /// Checks whether the frames that a port is about to send form a burst, and begins it. `kept` are the bursts that are
    /// over.
    pub fn begin<S: ExchangeUse, D: ExchangeUse>(
        kept: &mut Vec<Box<Self>>,
        ranks: &BurstRanks,
        (arbitrated_loop, circuit): (&LoopNetwork, Circuit),
        sender: &Adapter<S>,
        receiver: &Adapter<D>,
    ) -> Option<Box<Self>> {
        let first = circuit.sending.first;
        let storing = receiver.storing_state(&first)?;
        if storing.incoming != circuit.receiving.occupied || !sender.may_send_burst() {
            return None;
        }
        let mut train = kept.pop().unwrap_or_else(|| Box::new(Self::new(circuit, storing, ranks)));
        if train
            .begin_with(arbitrated_loop.loop_model(), circuit, sender.frame_supply(&first), storing)
            .is_none()
        {
            kept.push(train);
            return None;
        }
        (train.orders, train.first_line) = (Orders::new(&circuit, &storing, ranks), ranks.first_line);
        train.quiet_until = train.course.no_visible_step_before();
        train.carried.trains += 1;
        Some(train)
    }

    /// Records the items in flight, and begins the schedule. The result is none if an item in flight does not belong to a
    /// burst, or if the burst would be too short.
    fn begin_with(
        &mut self,
        there: &ArbitratedLoop,
        circuit: Circuit,
        supply: Option<FrameSupply>,
        storing: StoringEndState,
    ) -> Option<()> {
        let first = circuit.sending.first;
        self.ready.clear();
        if there.in_flight(circuit.from).next().is_some() || there.ready_in_flight(circuit.to).len() > 0 {
            return None;
        }
        self.ready.extend(there.ready_in_flight(circuit.from));
        self.frames.clear();
        for (item, ends) in there.in_flight(circuit.to) {
            match item {
                LinkItem::Frame(frame) if frame.is_within_unit() && frame.tag == first.tag => {
                    self.frames.push((ends, frame));
                }
                _ => return None,
            }
        }
        if self.ready.len() + self.frames.len() > FURTHEST / 4 {
            return None;
        }
        self.frames.sort_unstable_by_key(|&(ends, _)| ends);
        self.oldest = self.frames.first().map_or(first, |&(_, frame)| frame);
        if self.oldest.frame_later_in_sequence(self.frames.len()) != first {
            return None;
        }
        self.ends.clear();
        self.ends.extend(self.frames.iter().map(|&(ends, _)| ends));
        (self.circuit, self.storing) = (circuit, storing);
        self.course.begin(circuit, supply, storing, (&self.ready, &self.ends)).then_some(())
    }

    /// Begins the burst at the sending adapter.
    pub fn begins_at_sender<S: ExchangeUse>(&mut self, sender: &mut Adapter<S>) {
        let sending = &self.circuit.sending;
        // With other frames behind them the last frame of the burst does not leave an empty queue.
        let queued = sending.queued + usize::from(sending.most_of_queue.is_some());
        self.fetched_until = sender.begin_burst(sending.first.tag, queued, self.course.has_frames_to_fetch());
    }

    /// The DMA of the sender may be asked for other data: the burst is limited to the frames in the queue. Returns whether the burst
    /// continues.
    pub fn limit_to_queue<S: ExchangeUse>(&mut self, sender: &mut Adapter<S>) -> bool {
        self.course.limit_to_queue(sender.end_frame_supply())
    }

    /// The request to which the frames of the burst belong.
    pub fn request(&self) -> RequestId {
        request_of(self.circuit.sending.first.tag)
    }

    /// The sending and the receiving port.
    pub fn sender_and_receiver(&self) -> [u16; 2] {
        [self.circuit.from as u16, self.circuit.to as u16]
    }

    /// The R_RDYs before and after the present at the receiving port; the burst has been computed up to the
    /// present.
    pub fn readies_around_fill(&mut self) -> AroundFill {
        self.course.readies_around_fill()
    }

    /// The time at which the last frame that has started is sent completely, as the burst has been computed up to the
    /// present; none if no frame has started.
    pub fn last_frame_end(&self) -> Option<Time> {
        self.course.last_frame_end()
    }

    /// The state of the receiving adapter on which the burst depends.
    pub fn receiving_adapter_state(&self) -> &StoringEndState {
        &self.storing
    }

    /// Computes all steps before the present and records them in the ledger, in the meters and repeaters of the loop, and in the sending
    /// adapter. Returns whether all of these steps were before the horizon of the burst.
    pub fn advance<S: ExchangeUse>(
        &mut self,
        cx: &mut Context<'_>,
        order: Order,
        arbitrated_loop: &mut LoopNetwork,
        sender: &mut Adapter<S>,
    ) -> bool {
        let present = self.orders.present(cx.now, order);
        let request = self.request();
        let length = self.course.frame_length();
        let (circuit, first_line) = (&self.circuit, self.first_line);
        let now = cx.now;
        let requests = cx.requests();
        let way = &mut Way { now, requests, arbitrated_loop, circuit, length, request, first_line };
        let sends_within = self.course.advance(&present, way);
        let fetches_within =
            sender.catch_up_fetching(cx, self.course.unreported_frame_starts(), present.fetched);
        self.quiet_until = self.course.no_visible_step_before();
        sends_within && fetches_within
    }

    /// A moment before which no step happens that a reader of the ledger or an observer of the loop could see, except fetches of the
    /// sender.
    pub fn no_visible_step_before(&self) -> Time {
        self.quiet_until
    }

    /// A moment before which the burst affects no other component.
    pub fn horizon<S: ExchangeUse>(&self, sender: &Adapter<S>) -> Horizon {
        self.course.horizon(sender.next_dma_concern())
    }

    /// Sets the loop to its state at the present, up to which the burst has been advanced.
    pub fn end_at_loop<S: ExchangeUse>(
        &mut self,
        cx: &mut Context<'_>,
        order: Order,
        arbitrated_loop: &mut LoopNetwork,
        sender: &mut Adapter<S>,
    ) {
        let present = self.orders.present(cx.now, order);
        let passed = self.course.passed_steps();
        let (circuit, first) = (&self.circuit, self.circuit.sending.first);
        self.carried.frames += passed.starts as u64;
        let start = self.course.last_start_time();
        let (earliest, waits) =
            (self.course.next_start_after_ready(), self.course.waits_for_credit(sender.next_queue_time()));
        let sent = SentBurstPart {
            starts: passed.starts,
            last: start.map(|start| (first.frame_later_in_sequence(passed.starts - 1), start)),
            ready: passed.ready_came,
            ready_before: present.ready_comes,
            earliest,
            waits,
            left_none: sender.next_queue_time() > Time::ZERO,
            told_credit: self.course.credit_wait_reported(),
            slot: present.start,
        };
        let received = ReceivedBurstPart {
            ready: passed.ready,
            last_ready: self.course.last_ready_time(),
            ends: passed.ends,
            occupied: circuit.receiving.occupied + passed.ends - passed.processed,
            receiving: circuit.receiving.ready_between_frames && self.course.is_receiving(&present),
            slot: present.ready,
        };
        let course = &self.course;
        // Some of the frames that were made for the port have been sent.
        let made = sender.frames_made_in_burst(passed.starts.saturating_sub(circuit.sending.queued));
        arbitrated_loop.end_burst(cx, |arbitrated_loop, around, now| {
            arbitrated_loop.end_burst(now, circuit, (&sent, made.map(Frame::from)), &received, around);
            for (number, start) in course.frames_in_flight() {
                arbitrated_loop.put_frame(circuit, (start, first.frame_later_in_sequence(number)), around);
            }
            for at in course.readies_in_flight() {
                arbitrated_loop.put_ready(now, circuit, at, around);
            }
        });
        let requests = cx.requests();
        requests.units_passed(request_of(first.tag), passed.starts as u32, passed.ends as u32);
    }

    /// Sets the sending adapter to its state at the end of the burst.
    pub fn end_at_sender<S: ExchangeUse>(&self, cx: &mut Context<'_>, sender: &mut Adapter<S>) {
        sender.end_sent_burst(cx, self.fetched_until);
    }

    /// Sets the receiving adapter to its state at the end of the burst.
    pub fn end_at_receiver<D: ExchangeUse>(&self, cx: &mut Context<'_>, receiver: &mut Adapter<D>) {
        let passed = self.course.passed_steps();
        let stored = StoredBurstPart {
            came: passed.ends,
            processed: passed.processed,
            processed_at: self.course.frame_processing_end(),
            stored: passed.stored,
            stored_at: self.course.frame_store_time(),
        };
        let payload = u64::from(self.circuit.sending.first.payload_bytes);
        let oldest = self.oldest;
        receiver
            .apply_stored_part(cx, &self.storing, &stored, payload, |number| oldest.pdu.later_part(number));
    }

    /// The frames carried by this burst, and by the earlier bursts that used its memory.
    pub fn carried_frame_count(&self) -> BurstCounts {
        self.carried
    }
}
