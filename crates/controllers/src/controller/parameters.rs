//! The keys of a storage controller.

use sansim_component::errors::ErrorParameters;
use sansim_component::scheduling::QueueOrder;
use sansim_kernel::Distribution;
use sansim_schema::quantities::{OrUnlimited, TimeOrDistribution};
use sansim_schema::table;

table! {
    /// The main control of a storage controller: it takes a command from the host's side and asks the device behind for it.
    pub struct ControllerParameters {
        /// Time of a processor of its own for each request; it works on one at a time. With a distribution it is drawn for each request.
        /// The use of shared processors by modules is in `resources`.
        processor_time: Distribution = TimeOrDistribution::ANY, default r#""0 ns""#, source "Wang 2005, figure 3.2: a controller between two loops";
        /// Most requests that the controller accepts for all of its devices together; it answers a further request with QUEUE FULL. It
        /// announces `queue_depth` for each device.
        queue_limit: Option<u64> = OrUnlimited::between(1, 1_000_000), default r#""unlimited""#, source "SAM-5, TASK SET FULL";
        /// Requests that the controller works on at a time; further requests wait in its storage-side queue.
        at_once: Option<u64> = OrUnlimited::between(1, 1_000_000), default r#""unlimited""#, source "Wang 2005, 3.2.1";
        /// Requests in flight by each of its adapters on networks of drives, or at each device that it reaches without a network; further
        /// ones wait in its internal queue. In Windows it was 255.
        internal_limit: Option<u64> = OrUnlimited::between(1, 1_000_000), default r#""unlimited""#, source "Wang 2005, 3.2.2";
    }
    tables {
        /// In which order the requests of its storage-side queue go on that are for one device.
        storage_side_queue: QueueOrder;
        /// In which order the requests of its internal queue go on that are for one device.
        internal_queue: QueueOrder;
        /// The errors that it makes with requests of hosts.
        errors: ErrorParameters;
    }
}
