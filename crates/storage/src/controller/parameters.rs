//! The keys of a storage controller.

use sansim_describe::quantities::Time;
use sansim_describe::table;
use sansim_kernel::Span;

table! {
    /// The processor of a storage controller: it takes a command from the host's side and asks the drive behind for it.
    #[derive(Copy, Eq)]
    pub struct ControllerParameters {
        /// Time of the processor for each request; it works on one at a time.
        processor_time: Span = Time::ANY, default r#""0 ns""#, source "Wang 2005, figure 3.2: a controller between two loops";
    }
}
