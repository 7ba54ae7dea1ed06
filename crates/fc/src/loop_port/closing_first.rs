//! When an opened port closes first: after DHD, for a command, or without a buffer.

use super::LoopPort;

impl LoopPort {
    /// Whether an opened port that has nothing to send shall close first: after DHD, without a buffer, or for a command that cannot be sent
    /// in this circuit. For a command the port lets the owner send one frame before; two ports that want the loop could
    /// otherwise close each other's circuits for ever.
    #[inline]
    pub(super) fn wants_to_close(&self) -> bool {
        self.circuit.relinquished || (self.may_close_first && self.has_reason_to_close())
    }

    /// Works out whether the port may ever have a reason to close first, apart from DHD. Call this function when its schedule, or its place on
    /// the loop, has changed.
    pub(super) fn update_closing_first(&mut self) {
        self.may_close_first = self.schedule.command_first_preemption
            || self.link.is_fl_port
            || self.parameters.close_without_buffer;
    }

    #[inline(never)]
    fn has_reason_to_close(&self) -> bool {
        (self.preempted() && self.circuit.receiver.frames_received() > 0)
            || (self.link.is_fl_port && self.is_full_fl_port())
            || (self.parameters.close_without_buffer && self.was_opened_without_buffer())
    }

    /// Whether the port was opened without a buffer, and has none yet: it has promised nothing and received nothing.
    fn was_opened_without_buffer(&self) -> bool {
        let has_begun = self.circuit.receiver.ready_and_frame_counts() != (0, 0);
        !has_begun && self.occupied_buffers == self.parameters.incoming_buffers
    }

    /// Whether this is an FL_Port that can receive no more frames, and has some for the loop. The FL_Port then gives the loop back: the
    /// opener could wait until the fabric accepts earlier frames, and the fabric until the loop accepts the frames that the fabric has for
    /// it. Source: FC-AL-2, a port that is opened may close when it has no buffer.
    fn is_full_fl_port(&self) -> bool {
        let free = self.parameters.incoming_buffers - self.occupied_buffers;
        self.wants_loop()
            && self.circuit.receiver.outstanding_credit() == 0
            && free <= self.parameters.login_credit
    }
}
