//! An adapter that has fallen silent, by an event: its port still takes frames and returns credit, and nothing comes of them.
//!
//! Each frame that comes in is lost, and no link reports an error. A target ends the commands that it has, at the device too, and answers none;
//! what its port has accepted before still leaves. An initiator keeps its exchanges, and waits for answers in vain. Hosts find a silent
//! adapter by the time-out of an I/O or by a path checker.
//!
//! A repair is no reset: a target reports no unit attention condition after it, and an initiator stays logged in.

use super::{Adapter, ExchangeUse};
use sansim_component::Context;

impl<R: ExchangeUse> Adapter<R> {
    /// The adapter receives and answers nothing from now on.
    #[cold]
    pub(super) fn fall_silent(&mut self, cx: &mut Context<'_>) {
        self.is_silent = true;
        R::fell_silent(self, cx);
        self.run_at_once(cx);
    }
}
