//! The answer of a port to a fill word, announced before its slot has come.
//!
//! A port that reacts to a word does so from the next slot on. If nothing comes from the loop until then, and no action of the node
//! meanwhile changes what the port transmits in that slot, the transmission need not wait for the slot.

use super::{LoopPort, PortEffectReceiver, PortState};
use sansim_kernel::Time;

impl LoopPort {
    /// Transmits what the port is certain to send in the next slot, in which nothing arrives from the loop. The port transmits nothing
    /// ahead if it has to be served in the present slot as well, and may transmit now. Returns the first slot in which the port may have
    /// something else to do.
    pub(super) fn transmit_ahead(&mut self, now: Time, effects: &mut impl PortEffectReceiver) -> Time {
        let next = now + self.link.word;
        if self.wake_at == now {
            return next;
        }
        match self.state {
            PortState::ArbitrationWon if self.is_sure_to_open(next) => {
                self.tell_waiting(now, effects);
                self.open(next, effects);
                next + self.link.word
            }
            PortState::Open | PortState::Opened | PortState::ReceivedClose
                if self.current_fill != self.sent_fill
                    && self.fill_may_change_at() <= next
                    && self.is_sure_to_send_nothing(next) =>
            {
                self.sync_fill(next, effects);
                next
            }
            _ => next,
        }
    }

    /// Whether OPN is transmitted in this slot, which is the next, whatever the node hands over before.
    fn is_sure_to_open(&self, slot: Time) -> bool {
        let head_stays = !self.schedule.command_first_queue || !self.commands.is_empty();
        head_stays
            && self.head().is_some()
            && self.sending.is_none()
            && self.free_at <= slot
            && self.due().at <= slot
    }

    /// Whether neither a signal nor a frame is transmitted in this slot, which is the next, whatever the node does
    /// before.
    fn is_sure_to_send_nothing(&self, slot: Time) -> bool {
        // The end of a frame is reported in a slot; an FL_Port closes for frames that come from the fabric.
        if self.sending.is_some() || self.link.is_fl_port {
            return false;
        }
        let earliest = &self.earliest;
        if earliest.ready > slot && earliest.frame > slot && earliest.close > slot {
            return true;
        }
        self.due().at > slot
            && !self.frame_may_become_due(slot)
            && !self.ready_may_become_due(slot)
            && !self.close_may_become_due(slot)
            && !self.hold_may_end(slot)
    }

    /// Whether a frame that the node hands over before this slot could be sent in it.
    fn frame_may_become_due(&self, slot: Time) -> bool {
        self.circuit.may_send && self.frame_may_go_at().is_some_and(|at| at <= slot)
    }

    /// Whether an R_RDY could be sent in this slot for a buffer that is emptied before.
    fn ready_may_become_due(&self, slot: Time) -> bool {
        let usable =
            self.state != PortState::Open || self.parameters.full_duplex || self.circuit.relinquished;
        let may_be_owed = self.owes_ready() || self.occupied_buffers > 0 || self.frame_may_end_by(slot);
        usable && self.earliest.ready <= slot && may_be_owed
    }

    /// Whether CLS could be sent in this slot for a command that is handed over, or a buffer that is emptied,
    /// before the slot.
    fn close_may_become_due(&self, slot: Time) -> bool {
        let waits_for_buffers = self.state == PortState::ReceivedClose || self.wants_to_close();
        self.earliest.close <= slot && (waits_for_buffers || self.schedule.command_first_preemption)
    }

    /// Whether CLS or DHD (which may go earlier than CLS) could be sent in this slot: a frame for another port that is handed over before
    /// makes the port release its circuit.
    fn hold_may_end(&self, slot: Time) -> bool {
        self.earliest.ready <= slot && self.holds_circuit()
    }
}
