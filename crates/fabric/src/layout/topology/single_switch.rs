//! One switch.

use super::{Drawing, Skeleton};

/// Draws it.
pub fn draw(_: &Drawing<'_>) -> Skeleton {
    let mut skeleton = Skeleton::default();
    skeleton.edge_switch("switch".to_owned());
    skeleton
}
