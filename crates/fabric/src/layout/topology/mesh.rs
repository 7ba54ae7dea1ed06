//! A grid of switches, each linked to the switches beside, above and below it. A grid has cycles: routes that use any shortest path
//! may run into a deadlock.

use super::{Drawing, Skeleton};

/// Draws the grid, row by row.
pub fn draw(parameters: &Drawing<'_>) -> Skeleton {
    let (width, height) = (parameters.size.width as u16, parameters.size.height as u16);
    let mut skeleton = Skeleton::default();
    for row in 0..height {
        for column in 0..width {
            let here = skeleton.edge_switch(format!("s{row}_{column}"));
            if column > 0 {
                skeleton.link(here - 1, here);
            }
            if row > 0 {
                skeleton.link(here - width, here);
            }
        }
    }
    skeleton
}
