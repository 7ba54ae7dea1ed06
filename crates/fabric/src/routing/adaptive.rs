//! Adaptive routing on any shortest path, by the output that is free first.

use super::{Chooses, Outputs};
use sansim_fc::frame::Frame;

/// The adaptive routing rule; see the module text.
pub struct AdaptiveRouting<const UP_DOWN: bool>;

impl<const UP_DOWN: bool> Chooses for AdaptiveRouting<UP_DOWN> {
    const UP_DOWN: bool = UP_DOWN;
    const ADAPTIVE: bool = true;

    /// All allowed ports; frames to different nodes begin at different ports, so that not all try the same
    /// port first.
    fn choose(frame: &Frame, allowed: &[u16]) -> Outputs {
        let begin = (frame.destination.value() >> 8 & 0xFF) as usize % allowed.len();
        let mut outputs = Outputs::default();
        allowed[begin..].iter().chain(&allowed[..begin]).for_each(|&port| outputs.add(port));
        outputs
    }
}
