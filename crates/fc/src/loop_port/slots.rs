//! The slots for which a port asks, in which it will have something to do if no input comes before.

use super::{LoopPort, PortEffect, PortEffectReceiver};
use sansim_kernel::Time;

impl LoopPort {
    /// Asks to be served at `at` unless the port will be served earlier anyhow.
    pub(super) fn wake(&mut self, at: Time, effects: &mut impl PortEffectReceiver) {
        if at < self.wake_at {
            if at != self.also_asked {
                effects.push(PortEffect::Wake(at));
            }
            let replaced = std::mem::replace(&mut self.wake_at, at);
            if replaced < Time::NEVER {
                self.also_asked = replaced;
            }
        }
    }

    /// Handles a slot for which the port asked. Returns whether [`Self::handle_slot`] would act in this slot.
    pub(crate) fn slot_comes(&mut self, now: Time) -> bool {
        if self.also_asked == now {
            self.also_asked = Time::NEVER;
        }
        self.wake_at == now
    }

    /// Asks to be served when the port will have something to do, at `soonest` at the earliest.
    ///
    /// A slot in which nothing is left to do still matters, because waits are reported in it ([`Self::handle_slot`]). The fast loop and the
    /// reference loop therefore have to ask for the same slots.
    pub(super) fn plan(&mut self, soonest: Time, effects: &mut impl PortEffectReceiver) {
        if self.wake_at <= soonest {
            return;
        }
        let next = self.next_to_do();
        if next < Time::NEVER {
            self.wake(next.max(soonest), effects);
        }
    }
}
