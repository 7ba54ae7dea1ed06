//! Workloads: where requests come from. A folder for each kind.
//!
//! [`closed`] is the closed system of section 5.2 of Wang 2005. All other kinds are put together from [`streams`], of which each has a pace and a
//! content. Synthetic contents are put together from generators that know nothing of components: [`arrivals`] says when requests come,
//! [`sizes`] how large they are, [`locations`] where they go.
//! Files that describe loads are read in [`fio_job`] and [`iometer`], what is wrong with them told by [`faults`].
#![forbid(unsafe_code)]

pub mod aims;
pub mod arrivals;
pub mod backup;
pub mod closed;
pub mod devices;
pub mod faults;
pub mod fio_job;
pub mod fit;
pub mod iometer;
pub mod locations;
mod priority;
pub mod sizes;
pub mod spc1;
pub mod spc2;
pub mod streams;
pub mod synthetic;
pub mod trace;

#[cfg(test)]
mod testing;
