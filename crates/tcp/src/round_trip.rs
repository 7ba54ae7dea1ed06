//! The round trip as a sender measures it, and the time-out that follows from it (RFC 6298).

use sansim_kernel::Span;

/// The smoothed round trip of a connection and its variation.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoundTrip {
    smoothed: Option<Span>,
    variation: Span,
}

impl RoundTrip {
    /// A segment that was sent once has been acknowledged after this time (RFC 6298, 2.2 and 2.3).
    pub fn measured(&mut self, time: Span) {
        let Some(smoothed) = self.smoothed else {
            (self.smoothed, self.variation) = (Some(time), Span(time.ticks() / 2));
            return;
        };
        let apart = Span(smoothed.ticks().abs_diff(time.ticks()));
        self.variation = Span((3 * self.variation.ticks() + apart.ticks()) / 4);
        self.smoothed = Some(Span((7 * smoothed.ticks() + time.ticks()) / 8));
    }

    /// The smoothed round trip; zero before the first measurement.
    pub fn smoothed(&self) -> Span {
        self.smoothed.unwrap_or(Span::ZERO)
    }

    /// The time-out: `initial` before the first measurement, and never less than `least`. The clock of the sender has no granularity.
    pub fn time_out(&self, initial: Span, least: Span) -> Span {
        self.smoothed.map_or(initial, |smoothed| (smoothed + self.variation * 4).max(least))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_out_follows_the_round_trip_and_its_variation() {
        let mut of = RoundTrip::default();
        let time_out = |of: &RoundTrip| of.time_out(Span::from_s(1), Span::from_ms(1));
        assert_eq!(time_out(&of), Span::from_s(1));
        of.measured(Span::from_ms(8));
        assert_eq!(time_out(&of), Span::from_ms(8 + 4 * 4));
        of.measured(Span::from_ms(16));
        // The variation is 3/4 of 4 and 1/4 of 8 ms, the smoothed round trip 7/8 of 8 and 1/8 of 16 ms.
        assert_eq!((of.smoothed(), time_out(&of)), (Span::from_ms(9), Span::from_ms(9 + 4 * 5)));
        (0..100).for_each(|_| of.measured(Span::from_us(10)));
        assert_eq!(time_out(&of), Span::from_ms(1), "the least");
    }
}
