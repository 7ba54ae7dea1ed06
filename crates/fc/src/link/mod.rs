//! One direction of a point-to-point link: between two nodes, a node and a switch, or two switches.
//!
//! [`rules`] say what a word costs and what lies between frames, [`coding`] how words become bits and how long a receiver holds them
//! back for error correction, [`line`] when a transmitter sends what, [`credit`] which frames it may send; [`loss`] what is lost on the way,
//! and [`recovery`] how its credit comes back; [`state`] how its ends bring it up and reset it. None of them has an event of its own: a link on which nothing happens costs nothing.

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
pub use loss::Chance;
pub use recovery::Counting;
pub use rules::LinkRules;
pub use state::{LinkState, LinkTimes, Sequence};
