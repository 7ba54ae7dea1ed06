//! The angle of the platters: where a sector is at an instant, to the tick.
//!
//! The rotational latency is not drawn at random. A drive has a phase, which is drawn once, and from then on the simulated time determines
//! the sector under the heads.

use sansim_kernel::{Span, Time};

/// A minute in ticks.
const MINUTE: u64 = Span::from_s(60).0;

/// The speed of the platters, and their angle at the start of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// The ticks of a revolution, rounded to the nearest tick.
    period: u64,
    /// The ticks since slot 0 was under the heads, at the start of the simulation.
    phase: u64,
}

impl Rotation {
    /// Platters with this many revolutions per minute, at least one, that are `phase` ticks behind slot 0 at the start.
    pub fn new(rpm: u32, phase: u64) -> Self {
        let rpm = u64::from(rpm.max(1));
        let period = (MINUTE + rpm / 2) / rpm;
        Self { period, phase: phase % period }
    }

    /// A rotation at this speed with a given phase.
    #[must_use]
    pub fn with_phase(self, phase: u64) -> Self {
        Self { phase: phase % self.period, ..self }
    }

    /// The time of a revolution.
    pub fn revolution_time(&self) -> Span {
        Span(self.period)
    }

    /// The ticks since slot 0 was last under the heads.
    pub fn angle_at(&self, now: Time) -> u64 {
        (now.0 + self.phase) % self.period
    }

    /// The ticks from slot 0 to the beginning of a slot, with `sectors` slots on the track; more than a revolution for a slot behind the
    /// last.
    pub fn slot_offset(&self, slot: u32, sectors: u32) -> u64 {
        u64::from(slot) * self.period / u64::from(sectors)
    }

    /// The time from `now` until a slot begins.
    pub fn wait_for_slot(&self, now: Time, slot: u32, sectors: u32) -> Span {
        let (target, angle) = (self.slot_offset(slot, sectors), self.angle_at(now));
        Span(if target >= angle { target - angle } else { target + self.period - angle })
    }

    /// The first slot that begins at `now` or later; the number behind the last slot if that slot is 0 again.
    pub fn next_slot(&self, now: Time, sectors: u32) -> u32 {
        (self.angle_at(now) * u64::from(sectors)).div_ceil(self.period) as u32
    }

    /// The time for which `count` slots pass from the beginning of `slot` on.
    pub fn passing_time(&self, slot: u32, count: u32, sectors: u32) -> Span {
        Span(self.slot_offset(slot + count, sectors) - self.slot_offset(slot, sectors))
    }

    /// The number of whole slots that have passed after a span that began with `slot`.
    pub fn slots_passed(&self, slot: u32, since: Span, sectors: u32) -> u32 {
        // The slot is the last whose beginning, rounded down to a tick, is not after the instant.
        let upto = self.slot_offset(slot, sectors) + since.0;
        (((upto + 1) * u64::from(sectors) - 1) / self.period) as u32 - slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_slot_that_is_waited_for_begins_then(rpm in 1_u32..30_000, sectors in 1_u32..3_000, at in 0_u64..1 << 55, phase: u64, slot in 0_u32..3_000) {
            let rotation = Rotation::new(rpm, phase);
            let slot = slot % sectors;
            let (now, wait) = (Time(at), rotation.wait_for_slot(Time(at), slot, sectors));
            prop_assert!(wait < rotation.revolution_time());
            prop_assert_eq!(rotation.angle_at(now + wait), rotation.slot_offset(slot, sectors));
            prop_assert_eq!(rotation.next_slot(now + wait, sectors), slot);
        }

        #[test]
        fn slots_are_counted_as_they_pass(rpm in 1_u32..30_000, sectors in 1_u32..3_000, slot in 0_u32..3_000, count in 0_u32..3_000) {
            let rotation = Rotation::new(rpm, 0);
            let (slot, count) = (slot % sectors, count % (sectors + 1));
            let pass = rotation.passing_time(slot, count, sectors);
            prop_assert_eq!(rotation.slots_passed(slot, pass, sectors), count);
            if count > 0 {
                prop_assert_eq!(rotation.slots_passed(slot, pass - Span(1), sectors), count - 1);
            }
        }
    }

    #[test]
    fn a_revolution_takes_a_minute_over_their_number() {
        assert_eq!(Rotation::new(6_000, 0).revolution_time(), Span::from_ms(10));
        assert_eq!(Rotation::new(7_200, 0).revolution_time(), Span((MINUTE + 3_600) / 7_200));
    }
}
