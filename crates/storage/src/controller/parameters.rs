//! The keys of a storage controller.

use sansim_component::errors::ErrorParameters;
use sansim_describe::quantities::{OrUnlimited, Time};
use sansim_describe::table;
use sansim_kernel::Span;

table! {
    /// The processor of a storage controller: it takes a command from the host's side and asks the drive behind for it.
    #[derive(Copy)]
    pub struct ControllerParameters {
        /// Time of the processor for each request; it works on one at a time.
        processor_time: Span = Time::ANY, default r#""0 ns""#, source "Wang 2005, figure 3.2: a controller between two loops";
        /// Requests that it takes in all, for all of its devices; to a further one it says QUEUE FULL. It announces `queue_depth` for each device.
        queue_limit: Option<u64> = OrUnlimited::between(1, 1_000_000), default r#""unlimited""#, source "SAM-5, TASK SET FULL";
    }
    tables {
        /// The errors that it makes with requests of hosts.
        errors: ErrorParameters;
    }
}
