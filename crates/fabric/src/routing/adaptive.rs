//! Adaptive routing on any shortest path, by the output that is free first.

use super::{OutputPorts, RoutingRule};
use sansim_fc::frame::Frame;

/// The adaptive routing rule.
pub struct AdaptiveRouting<const UP_DOWN: bool>;

impl<const UP_DOWN: bool> RoutingRule for AdaptiveRouting<UP_DOWN> {
    const UP_DOWN: bool = UP_DOWN;
    const ADAPTIVE: bool = true;

    /// All allowed ports; frames to different nodes begin at different ports, so that not all try the same
    /// port first.
    fn choose(frame: &Frame, allowed: &[u16]) -> OutputPorts {
        let begin = (frame.destination.value() >> 8 & 0xFF) as usize % allowed.len();
        let mut outputs = OutputPorts::default();
        allowed[begin..].iter().chain(&allowed[..begin]).for_each(|&port| outputs.add_port(port));
        outputs
    }
}
