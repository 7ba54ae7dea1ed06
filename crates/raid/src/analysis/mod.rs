//! Closed forms for arrays, to check simulations against.

pub mod fork_join;
pub mod loads;
pub mod striping;
