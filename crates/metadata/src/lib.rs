//! Out-of-band data management: a metadata controller manages the places of virtual volumes and the access to them, and its clients then
//! access the devices directly.
//!
//! * The [`controller`] answers messages: it authenticates clients, grants sessions with leases and locks on ranges of volumes, gives out
//!   maps, ends sessions, and moves volumes that are in use.
//! * A [`client`] is a device in the host through which the host reaches the storage devices. A request to a client needs a session with a
//!   valid lease, locks on its ranges if the volume is shared, and a map; then the client sends it to the devices directly.
//! * The messages between clients and controller are defined in [`message`]. Each message is a small read of the client at the controller,
//!   which passes the networks like any request.
//! * The place of a volume is given by its [`map`].
//!
//! Source: Friedman, "An Introduction to SAN Capacity Planning", "SAN data management protocols" and figure 6. Details that the source leaves open
//! (renewal of leases, recall of locks, moves of volumes) are as in the protocols named in docs/model/metadata.md.

#![forbid(unsafe_code)]

pub mod client;
pub mod controller;
pub mod map;
pub mod message;

use sansim_kernel::{Span, TICKS_PER_NS};

/// The time of this number of cycles at a speed in MHz.
fn time_of(cycles: u64, speed_mhz: u64) -> Span {
    let ticks = u128::from(cycles) * u128::from(TICKS_PER_NS) * 1_000 / u128::from(speed_mhz.max(1));
    Span(u64::try_from(ticks).unwrap_or(u64::MAX)).min(Span::LONGEST)
}

#[cfg(test)]
mod tests;
