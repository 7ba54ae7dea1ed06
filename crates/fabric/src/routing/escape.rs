//! Any shortest way, and one without cycles for a frame that finds none of them free.
//!
//! Source: Silla and Duato (2000): the channels of a link are those by which frames go on any shortest way, and one by which they go on an
//! up*/down* way. A frame that has taken the latter keeps to it, so there is always a way out of a cycle of waits.

use super::adaptive::AdaptiveRouting;
use super::{Chooses, Outputs};
use sansim_fc::frame::Frame;

/// See the module text.
pub struct Escape;

impl Chooses for Escape {
    const UP_DOWN: bool = false;
    const ADAPTIVE: bool = true;
    const ESCAPE: bool = true;

    fn choose(frame: &Frame, allowed: &[u16]) -> Outputs {
        AdaptiveRouting::<false>::choose(frame, allowed)
    }
}
