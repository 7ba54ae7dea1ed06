//! The slots of a port: consecutive intervals of a word time, from a phase of the port on.

use sansim_kernel::{Span, Time};

/// The slots of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordSlots {
    word: Span,
    phase: Span,
    /// 2^64 divided by the word time, rounded down: slots are computed often, and a multiplication is much faster than a division.
    words_in_2_64: u64,
}

impl WordSlots {
    /// The slots of this length of which one begins at `phase`, which is less than a word.
    ///
    /// # Panics
    ///
    /// Panics if a word takes no time.
    pub fn new(word: Span, phase: Span) -> Self {
        let words_in_2_64 = ((1u128 << u64::BITS) / u128::from(word.ticks())).min(u64::MAX.into()) as u64;
        Self { word, phase, words_in_2_64 }
    }

    /// The start of the first slot.
    pub fn first_slot_start(&self) -> Span {
        self.phase
    }

    /// The first slot that begins at or after a time.
    #[inline]
    pub fn first_slot_from(&self, at: Time) -> Time {
        let word = self.word.ticks();
        let since = at.ticks() + (word - self.phase.ticks());
        // The quotient is rounded down twice, so it is at most one too small.
        let words = ((u128::from(since) * u128::from(self.words_in_2_64)) >> u64::BITS) as u64;
        let past = since - words * word;
        let past = if past >= word { past - word } else { past };
        if past == 0 { at } else { at + Span(word - past) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_slot_is_the_first_of_its_port_that_is_not_over() {
        let slot_at = |ticks| WordSlots::new(Span(10), Span(3)).first_slot_from(Time(ticks)).ticks();
        assert_eq!([0, 3, 4, 13, 14].map(slot_at), [3, 3, 13, 13, 23]);
    }

    proptest! {
        /// The law: a slot is not over, begins within a word, lies whole words behind the first slot, and is the slot of its own beginning
        /// and of no later time.
        #[test]
        fn a_slot_begins_within_a_word_and_slots_never_go_back(
            (word, phase) in (1..1u64 << 40).prop_flat_map(|word| (Just(word), 0..word)),
            at in 0..1u64 << 62,
            later in 0..1u64 << 41,
        ) {
            let slots = WordSlots::new(Span(word), Span(phase));
            let slot = slots.first_slot_from(Time(at));
            prop_assert!(Time(at) <= slot && slot < Time(at + word));
            prop_assert_eq!((slot.ticks() + word - phase) % word, 0);
            prop_assert_eq!(slots.first_slot_from(slot), slot);
            prop_assert!(slot <= slots.first_slot_from(Time(at + later)));
        }

        #[test]
        fn slots_are_those_that_division_gives(
            word in prop_oneof![1..100u64, 1..u64::from(u32::MAX), 1..1u64 << 50],
            phase in any::<u64>(),
            at in prop_oneof![0..1_000u64, 0..1u64 << 62, (1u64 << 62) - 1_000..1u64 << 62],
        ) {
            let phase = phase % word;
            let past = (at + word - phase) % word;
            let next = if past == 0 { at } else { at + word - past };
            prop_assert_eq!(WordSlots::new(Span(word), Span(phase)).first_slot_from(Time(at)), Time(next));
        }
    }
}
