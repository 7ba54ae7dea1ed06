//! One switch.

use super::Skeleton;
use crate::parameters::FabricParameters;

/// Draws it.
pub fn draw(_: &FabricParameters) -> Skeleton {
    let mut skeleton = Skeleton::default();
    skeleton.edge_switch("switch".to_owned());
    skeleton
}
