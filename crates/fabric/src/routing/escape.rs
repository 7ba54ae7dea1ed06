//! Routing on any shortest path, and on a path without cycles for a frame that finds none of the shortest
//! paths free.
//!
//! Source: Silla and Duato (2000): a link has channels on which frames use any shortest path, and one channel on which they use an
//! up*/down* path. A frame that uses the up*/down* channel stays on it, so there is always a path out of a cycle of waits.

use super::adaptive::AdaptiveRouting;
use super::{OutputPorts, RoutingRule};
use sansim_fc::frame::Frame;

/// The routing rule with an escape channel.
pub struct EscapeRouting;

impl RoutingRule for EscapeRouting {
    const UP_DOWN: bool = false;
    const ADAPTIVE: bool = true;
    const ESCAPE: bool = true;

    fn choose(frame: &Frame, allowed: &[u16]) -> OutputPorts {
        AdaptiveRouting::<false>::choose(frame, allowed)
    }
}
