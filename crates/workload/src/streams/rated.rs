//! Reads and writes that each come at a rate of their own, as those of a fio job do.
//!
//! Source: the behaviour of fio 3.33. A direction is due as soon as the bytes that it has moved would have been moved at its rate; a
//! direction that is behind its rate catches up. The direction of an I/O is drawn as without rates. If the drawn direction is not due and
//! the other is, the I/O has the other direction; if neither is due, the I/O waits for the first that will be.

use super::plan::{DirectionRate, DirectionRates};
use super::wanted::DueDirections;
use crate::arrivals::poisson::PoissonArrivals;
use sansim_kernel::{RandomStream, Span, Time};
use sansim_request::Operation;

/// The ticks of a second.
const TICKS_PER_S: u128 = Span::from_s(1).ticks() as u128;

/// The times of the next read and of the next write.
#[derive(Clone, Debug)]
pub(super) struct Rated {
    of: [Option<OfDirection>; 2],
    begun: Time,
}

#[derive(Clone, Debug)]
struct OfDirection {
    limit: DirectionRate,
    gaps: Option<PoissonArrivals>,
    bytes: u64,
    /// The time of the direction's next request, counted from the beginning.
    next: Span,
}

impl Rated {
    /// The first request of each direction comes at the beginning.
    pub fn new(rates: &DirectionRates, begun: Time) -> Self {
        let of = |limit: DirectionRate| OfDirection {
            limit,
            gaps: if let DirectionRate::Poisson(parameters) = limit {
                Some(parameters.generator())
            } else {
                None
            },
            bytes: 0,
            next: Span::ZERO,
        };
        Self { of: rates.of.map(|limit| limit.map(of)), begun }
    }

    /// The time of the next request, which may be past; never, if no direction has requests.
    pub fn next(&self) -> Time {
        let times = self.of.iter().flatten().map(|of| self.begun.saturating_add(of.next));
        times.min().unwrap_or(Time::NEVER)
    }

    /// The directions whose next request is due.
    pub fn due_directions(&self, now: Time) -> DueDirections {
        let is_due = |of: &Option<OfDirection>| {
            of.as_ref().is_some_and(|of| self.begun.saturating_add(of.next) <= now)
        };
        DueDirections { read: is_due(&self.of[0]), write: is_due(&self.of[1]) }
    }

    /// Counts a request of this many bytes; returns its arrival time. A request of a direction without a rate arrives when there is room
    /// for it.
    pub fn count_request(
        &mut self,
        operation: Operation,
        bytes: u64,
        now: Time,
        random: &mut RandomStream,
    ) -> Time {
        let direction = match operation {
            Operation::Read => 0,
            Operation::Write => 1,
            // None of them has a rate.
            Operation::Flush | Operation::Deallocate | Operation::CheckPath => return now,
        };
        let Some(of) = &mut self.of[direction] else { return now };
        let came = self.begun.saturating_add(of.next);
        of.bytes = of.bytes.saturating_add(bytes);
        match of.limit {
            DirectionRate::None => return now,
            DirectionRate::Bytes { per_s, .. } => {
                let ticks = u128::from(of.bytes) * TICKS_PER_S / u128::from(per_s.max(1));
                of.next = Span(u64::try_from(ticks).unwrap_or(u64::MAX));
            }
            DirectionRate::Poisson(_) => {
                let gap = of.gaps.as_mut().map_or(Span::ZERO, |gaps| gaps.gap(random));
                of.next = Span(of.next.0.saturating_add(gap.0));
            }
        }
        came
    }
}
