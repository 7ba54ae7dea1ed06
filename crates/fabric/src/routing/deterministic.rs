//! The same way for all frames to a node.

use super::{Chooses, Outputs};
use sansim_fc::frame::Frame;

/// See the module text.
pub struct Deterministic<const UP_DOWN: bool>;

impl<const UP_DOWN: bool> Chooses for Deterministic<UP_DOWN> {
    const UP_DOWN: bool = UP_DOWN;

    /// By the area of the destination, which is its port: nodes of one switch are spread over equal ways.
    fn choose(frame: &Frame, allowed: &[u16]) -> Outputs {
        let area = (frame.destination.value() >> 8 & 0xFF) as usize;
        Outputs::one(allowed[area % allowed.len()])
    }
}
