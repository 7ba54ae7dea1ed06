//! A grid of switches, each linked to the switches beside, above and below it. A grid has cycles: routes that use any shortest path
//! may run into a deadlock.

use super::{TopologyDrawing, TopologyInput};

/// Draws the grid, row by row.
pub fn draw_topology(parameters: &TopologyInput<'_>) -> TopologyDrawing {
    let (width, height) = (parameters.size.width as u16, parameters.size.height as u16);
    let mut skeleton = TopologyDrawing::default();
    for row in 0..height {
        for column in 0..width {
            let here = skeleton.add_edge_switch(format!("s{row}_{column}"));
            if column > 0 {
                skeleton.add_link(here - 1, here);
            }
            if row > 0 {
                skeleton.add_link(here - width, here);
            }
        }
    }
    skeleton
}
