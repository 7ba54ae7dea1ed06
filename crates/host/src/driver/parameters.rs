//! The keys of a driver.

use sansim_describe::quantities::{Count, Time};
use sansim_describe::table;
use sansim_kernel::Span;

table! {
    /// The driver: how an I/O gets from the application to the adapter and back.
    #[derive(Copy, Eq)]
    pub struct DriverParameters {
        /// Time of the arrival process for each I/O.
        arrival_time: Span = Time::ANY, default r#""0 ns""#, source "Wang 2005, 4.3.3.1";
        /// Time of the completion process for each I/O.
        completion_time: Span = Time::ANY, default r#""0 ns""#, source "Wang 2005, 4.3.3.1";
        /// Most I/Os that are outstanding at the adapter; further ones wait in the driver.
        outstanding_limit: u32 = Count::<u32>::between(1, 1_000_000), default "255", source "Wang 2005, 3.2.2";
    }
}
