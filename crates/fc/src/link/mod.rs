//! One direction of a point-to-point link: between two nodes, a node and a switch, or two switches.
//!
//! [`rules`] has the cost of a word and the words between frames, [`coding`] the bits of a word and the time for which a receiver holds
//! words back for error correction, [`line`] the times at which a transmitter sends, [`credit`] the frames that it may send; [`loss`]
//! decides which frames and R_RDYs are lost, and [`recovery`] restores the lost credit; [`state`] how its ends bring it up and reset it. No
//! module of the link has an event of its own: a link on which nothing happens costs nothing.

pub mod coding;
pub mod credit;
pub mod line;
pub mod loss;
pub mod recovery;
pub mod rules;
pub mod state;
#[cfg(test)]
mod tests;

pub use credit::LinkCredit;
pub use line::BusyTransmitter;
pub use loss::ExactProbability;
pub use recovery::RecoveryCounters;
pub use rules::LinkRules;
pub use state::{LinkState, LinkTimes, PrimitiveSequence};
