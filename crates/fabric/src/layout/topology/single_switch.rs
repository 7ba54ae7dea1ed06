//! The topology of one switch.

use super::{Drawing, Skeleton};

/// Draws one switch.
pub fn draw(_: &Drawing<'_>) -> Skeleton {
    let mut skeleton = Skeleton::default();
    skeleton.edge_switch("switch".to_owned());
    skeleton
}
