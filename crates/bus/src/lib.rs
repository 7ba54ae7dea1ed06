//! Buses, which join the adapters of a host or a controller to its memory.
//!
//! Source: Friedman, "SAN Capacity Planning", on scalability: while a card has the bus, the transfer runs at the pace of the slower of the
//! two, and no other card can use the bus meanwhile (`wait_states`). PCI Local Bus 2.2, 3.4 and 3.5: a card waits for a grant, the arbiter
//! serves all in turn, and a card whose grant is removed goes on until its latency timer has run out.
//!
//! * The DMA engine of an adapter requests the bus for one chunk at a time; each engine does so independently.
//! * A card is granted the bus for one turn (`turn`, the latency timer). If no other card waits at the end of the turn the transfer
//!   continues; otherwise the card yields the bus and waits.
//! * A transaction begins with `transaction_overhead`, in which the bus is busy and no data move: each chunk is a transaction, and so is
//!   the rest of a chunk whose card had to yield. Arbitration takes no time of its own, because it happens during the previous transfer.
//! * Without `wait_states` (PCI-X, PCI Express) a card has the data of its turn in a buffer and moves them at the pace of the bus. A card
//!   slower than the bus then leaves the bus to other cards until its next data are ready.
//! * With `full_duplex` (PCI Express) each direction of the bus carries transfers independently.
#![forbid(unsafe_code)]

mod catalogue;
mod parameters;
mod standard;

pub use parameters::{BusArbitration, BusParameters};
pub use standard::BusStandard;

use catalogue::{CATALOGUE, meter};
use sansim_component::demand::{Demand, DemandContext, RequestClass, TimeDemand};
use sansim_component::{
    BuildContext, BusTransfer, Component, Context, EventTurn, LeftoverFindings, Message, MoveEnd, Movement,
    ObservableKind, SharedRole, Timer,
};
use sansim_kernel::{Span, Time, TimeWeighted, Total};
use sansim_schema::catalogue::Catalogue;

/// The timer of a card that is ready for its next turn; timers 0 and 1 are the ends of turns in each direction.
const CAUGHT_UP: u8 = 2;

/// The smallest number of bytes of a turn: a data phase of 32 bits.
const DATA_PHASE_BYTES: u64 = 4;

/// A transfer in progress or waiting for the bus.
#[derive(Clone, Copy, Debug)]
struct Asked {
    transfer: BusTransfer,
    moved_bytes: u64,
    /// The largest number of bytes that the transfer moves in a turn.
    turn_bytes: u64,
    /// The time at which the card is ready for its next turn.
    ready_at: Time,
    /// The bus has finished the turn, and the slower card is not ready yet.
    catches_up: bool,
}

impl Asked {
    fn left(&self) -> u64 {
        self.transfer.bytes - self.moved_bytes
    }
}

/// A channel that carries one transfer at a time: the bus, or one direction of it.
#[derive(Clone, Debug)]
struct Direction {
    /// The port that has its turn, and the number of bytes that it moves in the turn.
    at_work: Option<(usize, u64)>,
    /// The port that had the last turn.
    last: usize,
    busy: TimeWeighted,
}

/// A bus, which joins the adapters of a host or a controller to its memory.
#[derive(Clone, Debug)]
pub struct Bus {
    parameters: BusParameters,
    /// The transfer of each port.
    asked: Vec<Option<Asked>>,
    /// The two directions; without `full_duplex` only the first is used.
    directions: [Direction; 2],
    moved_bytes: u64,
    transactions: u64,
}

impl Bus {
    /// An idle bus with this number of ports that request transfers.
    pub fn new(parameters: &BusParameters, askers: usize) -> Self {
        let direction =
            || Direction { at_work: None, last: askers.saturating_sub(1), busy: TimeWeighted::new() };
        Self {
            parameters: parameters.clone(),
            asked: vec![None; askers],
            directions: [direction(), direction()],
            moved_bytes: 0,
            transactions: 0,
        }
    }

    fn direction_of(&self, transfer: &BusTransfer) -> usize {
        usize::from(self.parameters.full_duplex && transfer.into_memory)
    }

    /// The time in which the bus carries this number of bytes of a transfer.
    fn carry_time(&self, bytes: u64) -> Span {
        let packets = self.parameters.packet_bytes.map_or(0, |packet| bytes.div_ceil(packet));
        Span::to_move(bytes + packets * self.parameters.packet_overhead, self.parameters.bandwidth)
    }

    /// The times that the card and the bus need for the next bytes of a transfer.
    fn move_times(&self, asked: &Asked, bytes: u64) -> (Span, Span) {
        // Both times are computed from the beginning of the transfer, so that rounding errors do not add up.
        let (from, upto) = (asked.moved_bytes, asked.moved_bytes + bytes);
        let card =
            |bytes| asked.transfer.bytes_per_second.map_or(Span::ZERO, |rate| Span::to_move(bytes, rate));
        let card = card(upto) - card(from);
        let bus = self.carry_time(upto) - self.carry_time(from);
        (card, bus.max(Span(1)))
    }

    /// The largest number of bytes that a transfer moves in a turn.
    fn turn_bytes(&self, transfer: &BusTransfer) -> u64 {
        // With a single port no other card can ever wait, so the whole transfer is one turn.
        if self.asked.len() == 1 {
            return transfer.bytes;
        }
        let mut pace = self.parameters.bandwidth;
        if self.parameters.wait_states {
            pace = pace.min(transfer.bytes_per_second.unwrap_or(u64::MAX));
        }
        let ticks = u128::from(self.parameters.turn.ticks()) * u128::from(pace);
        let bytes = ticks.div_ceil(u128::from(Span::from_s(1).ticks()));
        // A turn completes the data phase or packet that it began.
        let unit = self.parameters.packet_bytes.unwrap_or(DATA_PHASE_BYTES);
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX / 2).min(u64::MAX / 2);
        bytes.max(1).next_multiple_of(unit)
    }

    /// The port whose turn is next in a direction.
    fn next(&self, direction: usize) -> Option<usize> {
        let ports = self.asked.len();
        let last = self.directions[direction].last;
        let first = match self.parameters.arbitration {
            BusArbitration::RoundRobin if last + 1 < ports => last + 1,
            BusArbitration::RoundRobin | BusArbitration::Fixed => 0,
        };
        let waits = |port: &usize| {
            self.asked[*port]
                .is_some_and(|asked| !asked.catches_up && self.direction_of(&asked.transfer) == direction)
        };
        (first..ports).chain(0..first).find(waits)
    }

    /// Gives the next turn to a port, if any port waits. `interrupted` is the port whose turn has just ended with bytes left.
    fn grant(&mut self, cx: &mut Context<'_>, direction: usize, interrupted: Option<usize>) {
        let next = self.next(direction);
        if let Some(held) = interrupted.filter(|_| next != interrupted)
            && let Some(asked) = self.asked[held]
        {
            cx.send(held as u16, Message::Preempted(asked.transfer.request));
        }
        let Some((port, mut asked)) = next.and_then(|port| Some((port, self.asked[port]?))) else {
            self.directions[direction].busy.set(cx.now, 0);
            return;
        };
        let bytes = asked.left().min(asked.turn_bytes);
        let (card, bus) = self.move_times(&asked, bytes);
        let mut takes = if self.parameters.wait_states { card.max(bus) } else { bus };
        if interrupted != Some(port) {
            takes += self.parameters.transaction_overhead;
            self.transactions += 1;
        }
        let until = cx.now + takes;
        asked.ready_at = cx.now + takes.max(card);
        self.asked[port] = Some(asked);
        let at = &mut self.directions[direction];
        at.last = port;
        at.at_work = Some((port, bytes));
        at.busy.set(cx.now, 1);
        if cx.wanted_sights().ports {
            let ends = [MoveEnd::Peer(port as u16), MoveEnd::Place(0)];
            let [from, to] = if asked.transfer.into_memory { ends } else { [ends[1], ends[0]] };
            let movement = Movement {
                kind: u8::from(!asked.transfer.into_memory),
                from,
                to,
                began: cx.now,
                lasts: takes,
                arrives: Some(cx.now),
                request: asked.transfer.request,
                bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
                hop: None,
            };
            cx.report_observation(cx.now, ObservableKind::Moves(movement));
        }
        cx.set_timer(until, EventTurn::turn_of_node(direction as u32), Timer::new(direction as u8, 0));
        cx.send(port as u16, Message::Granted(asked.transfer.request, asked.ready_at));
    }

    /// The time in which a direction of the bus was busy, up to now.
    fn taken(&self, now: Time, direction: usize) -> Total {
        self.directions[direction].busy.total(now)
    }

    /// All bytes of a transfer have been moved.
    fn answer(&mut self, cx: &mut Context<'_>, port: usize) {
        if let Some(Asked { transfer, .. }) = self.asked[port].take() {
            cx.send(port as u16, Message::Transferred(transfer.request, transfer.bytes));
        }
    }

    /// A card that is slower than the bus has handled the data that the bus already moved.
    fn caught_up(&mut self, cx: &mut Context<'_>, port: usize) {
        let Some(asked) = &mut self.asked[port] else { return };
        asked.catches_up = false;
        let asked = *asked;
        if asked.left() == 0 {
            self.answer(cx, port);
            return;
        }
        let direction = self.direction_of(&asked.transfer);
        if self.directions[direction].at_work.is_none() {
            self.grant(cx, direction, None);
        } else {
            cx.send(port as u16, Message::Preempted(asked.transfer.request));
        }
    }
}

impl Component for Bus {
    type Parameters = BusParameters;
    type Role = SharedRole;

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn demand(
        parameters: &BusParameters,
        class: &RequestClass,
        _around: &DemandContext<'_>,
    ) -> Option<Demand> {
        // The demand is that of the transfer of data; the cost of transactions and packets depends on the other cards.
        let takes = TimeDemand::fixed_ns(class.bytes / parameters.bandwidth as f64 * 1e9);
        Some(Demand::single_server_demand("bus", 1, takes))
    }

    fn build(parameters: &BusParameters, cx: &BuildContext<'_, SharedRole>) -> Self {
        Self::new(parameters, cx.users.len())
    }

    /// A turn is over, or a card is ready again.
    fn due(&mut self, cx: &mut Context<'_>, timer: Timer) {
        if timer.what == CAUGHT_UP {
            self.caught_up(cx, timer.number as usize);
            return;
        }
        let direction = usize::from(timer.what);
        let Some((port, bytes)) = self.directions[direction].at_work.take() else { return };
        let Some(asked) = &mut self.asked[port] else { return };
        asked.moved_bytes += bytes;
        self.moved_bytes += bytes;
        if asked.ready_at > cx.now {
            asked.catches_up = true;
            let number = port as u32;
            cx.set_timer(asked.ready_at, EventTurn::turn_of_node(2 + number), Timer::new(CAUGHT_UP, number));
        } else if asked.left() > 0 {
            self.grant(cx, direction, Some(port));
            return;
        } else {
            self.answer(cx, port);
        }
        self.grant(cx, direction, None);
    }

    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        let Message::Transfer(transfer) = message else { return };
        let turn_bytes = self.turn_bytes(&transfer);
        let asked = Asked { transfer, moved_bytes: 0, turn_bytes, ready_at: cx.now, catches_up: false };
        self.asked[usize::from(port)] = Some(asked);
        let direction = self.direction_of(&transfer);
        if self.directions[direction].at_work.is_none() {
            self.grant(cx, direction, None);
        }
    }

    fn gauge(&self, _now: Time, _gauge: usize, _place: u16) -> u32 {
        let at_work = self.directions.iter().filter(|direction| direction.at_work.is_some()).count();
        (self.asked.iter().flatten().filter(|asked| !asked.catches_up).count() - at_work) as u32
    }

    fn meter(&self, now: Time, meter: usize) -> Total {
        match meter {
            meter::BUSY => self.taken(now, 0) + self.taken(now, 1),
            meter::BYTES => Total(self.moved_bytes.into()),
            _ => Total(self.transactions.into()),
        }
    }

    fn capacity(&self, meter: usize) -> u64 {
        if meter == meter::BUSY && self.parameters.full_duplex { 2 } else { 1 }
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        leftovers.check_zero("transfers left on a bus", self.asked.iter().flatten().count() as u64);
    }
}

#[cfg(test)]
mod tests;
