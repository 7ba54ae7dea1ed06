//! Fibre Channel up to FC-2: speeds, transmission words, frames, credit, loop ports and the arbitrated loop.
//!
//! A [`loop_port::LoopPort`] is a pure state machine: it is given the time and an input and says what it transmits
//! and when it wants to be woken. [`arbitrated_loop::ArbitratedLoop`] joins ports with cables, either visiting every
//! port for every change of a word (the reference) or only the ports that do more than repeat (the fast loop).
#![forbid(unsafe_code)]

pub mod address;
pub mod al_pa;
pub mod arbitrated_loop;
pub mod cable;
pub mod class_2;
pub mod codes;
pub mod credit;
pub mod delay;
pub mod drivers;
pub mod enclosure;
pub mod frame;
pub mod initialisation_frame;
pub mod link;
pub mod loop_port;
pub mod loop_switch;
pub mod moves;
pub mod observation;
pub mod slots;
pub mod speed;
pub mod wire;
pub mod word;
