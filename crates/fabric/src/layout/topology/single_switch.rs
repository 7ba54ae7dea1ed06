//! The topology of one switch.

use super::{TopologyDrawing, TopologyInput};

/// Draws one switch.
pub fn draw_topology(_: &TopologyInput<'_>) -> TopologyDrawing {
    let mut skeleton = TopologyDrawing::default();
    skeleton.add_edge_switch("switch".to_owned());
    skeleton
}
