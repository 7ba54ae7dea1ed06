//! Out-of-band data management: a metadata controller that manages the places of virtual volumes and the access to them, and its clients, which then
//! access the devices directly.
//!
//! * [`controller`] answers messages: it authenticates clients, gives out sessions with leases, locks on ranges of volumes, and maps; it ends
//!   sessions, and moves volumes from under them.
//! * [`client`] is a device before others at a host. A request needs a session whose lease holds, where the volume is shared locks on its ranges, and
//!   a map; then it goes to the devices directly.
//! * [`message`] defines their messages. Each is a small read of the client at the controller, which passes the networks as every request does.
//! * [`map`] gives the place of a volume.
//!
//! Source: Friedman, "An Introduction to SAN Capacity Planning", "SAN data management protocols" and figure 6. Details that the source leaves open
//! (renewal of leases, recall of locks, moves of volumes) are as in the protocols named in docs/model/metadata.md.

#![forbid(unsafe_code)]

pub mod client;
pub mod controller;
pub mod map;
pub mod message;

use sansim_kernel::{Span, TICKS_PER_NS};

/// The time of so many cycles at a speed in MHz.
fn time_of(cycles: u64, speed_mhz: u64) -> Span {
    let ticks = u128::from(cycles) * u128::from(TICKS_PER_NS) * 1_000 / u128::from(speed_mhz.max(1));
    Span(u64::try_from(ticks).unwrap_or(u64::MAX)).min(Span::LONGEST)
}

#[cfg(test)]
mod tests;
