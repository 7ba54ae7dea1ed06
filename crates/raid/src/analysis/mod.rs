//! What theory says of arrays, in closed form: to check simulations against.

pub mod fork_join;
pub mod loads;
pub mod striping;
