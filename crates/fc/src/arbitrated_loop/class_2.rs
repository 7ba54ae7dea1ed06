//! A loop whose ports send in class 2; the rules of a port are in `crate::loop_port`.

use super::{ArbitratedLoop, LoopHost};
use crate::class_2::LoopClass2Parameters;
use sansim_kernel::Time;
use std::sync::Arc;

impl ArbitratedLoop {
    /// The same loop, whose ports send in class 2. No input is announced ahead, and no circuit is cached: the fast model gives way to
    /// [`super::LoopModel::Stepped`].
    #[must_use]
    pub fn with_class_2(mut self, parameters: &LoopClass2Parameters) -> Self {
        let mut credit = [0; 256];
        for port in &self.ports {
            credit[usize::from(port.al_pa().address_byte())] = match parameters.end_to_end_credit {
                0 => port.parameters().incoming_buffers,
                agreed => agreed,
            };
        }
        let credit = Arc::new(credit);
        self.ports.iter_mut().for_each(|port| port.sends_in_class_2(&credit));
        self.tells_nothing_ahead();
        self.is_class_2 = true;
        self
    }

    /// A node has emptied a buffer: its port acknowledges the frame that was in it. A port that is bypassed loses the ACK.
    #[cold]
    pub(super) fn acknowledge(&mut self, now: Time, port: usize, around: &mut impl LoopHost) {
        if let Some(ack) = self.ports[port].acknowledges() {
            self.enqueue(now, port, ack, around);
        }
    }
}
