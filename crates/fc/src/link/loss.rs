//! Lost frames and lost credit on a link: the first word of a frame or R_RDY is damaged, so the receiver does not recognise it.
//!
//! A lost frame loses the credit of its buffer too, and a lost R_RDY loses the credit that it would have returned. A frame of which a later
//! word is damaged is a different case: it arrives, is discarded, and its buffer is free (`frame_loss` of an adapter).

use sansim_kernel::RandomStream;

/// An exact probability, as a multiple of 1/2^53.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExactProbability(u64);

impl ExactProbability {
    /// The probability of an event that never happens.
    pub const NEVER: Self = Self(0);

    /// The probability of this share, from 0 to 1.
    pub fn from_share(share: f64) -> Self {
        Self((share.clamp(0.0, 1.0) * (1_u64 << 53) as f64).round() as u64)
    }

    /// Whether the event never happens.
    pub fn is_never(self) -> bool {
        self == Self::NEVER
    }

    /// Whether the event happens this time. Draws a random number, unless the probability is zero.
    pub fn draw_event(self, random: &mut RandomStream) -> bool {
        !self.is_never() && random.next_u64() >> 11 < self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_happens_as_often_as_it_says() {
        let mut random = RandomStream::new(1, "chance");
        let mut count = |share| {
            (0..100_000).filter(|_| ExactProbability::from_share(share).draw_event(&mut random)).count()
        };
        assert_eq!((count(0.0), count(1.0)), (0, 100_000));
        // The tolerance is four standard deviations of a binomial distribution.
        assert!((count(0.1) as f64 - 10_000.0).abs() < 4.0 * (100_000.0_f64 * 0.09).sqrt());
    }
}
