//! The keys of an SPC-1-like workload.

use crate::aims::{FROM, TO};
use crate::locations::walk::WalkStyle;
use sansim_component::groups::WorkloadGroup;
use sansim_component::limits::LimitParameters;
use sansim_request::BLOCK_BYTES;
use sansim_schema::quantities::{Choice, Count, Dimensioned, Number, Size};
use sansim_schema::table;

table! {
    /// The load of an on-line transaction system, as the workload of SPC-1 has it; no result of it is an SPC-1 result. The devices, one
    /// behind another, are divided into three application storage units: data store 45 %, user store 45 %, log 10 %. Each business scaling
    /// unit makes 50 I/Os per second in eight open streams.
    pub struct Spc1Parameters {
        /// The host that the I/Os go through. From a group of hosts, or from several, there is a workload for each of them.
        from: Vec<String> = FROM, required r#""host""#, source "";
        /// The devices that the I/Os go to: groups, or chosen members: `"drives[3]"` is one of them, `"drives[4..8]"` are members 4 to 7.
        to: Vec<String> = TO, required r#"["drives"]"#, source "";
        /// Business scaling units.
        business_scaling_units: u32 = Count::<u32>::between(1, 1_000_000), required "20", source "NetApp SPC-1 workload library V1.4";
        /// Size of the stripe unit in which the devices are one address space, a unit of each in turn; one behind another without it.
        stripe_unit: Option<u64> = Size { range: (BLOCK_BYTES, 1 << 40), step: BLOCK_BYTES }.or("none"), default r#""none""#, source "none";
        /// The rate of all streams is multiplied by this: the response-time ramp of a test has 0.95, 0.9, 0.8, 0.5 and 0.1.
        load: f64 = Number::between(1e-6, 1e6), default "1.0", source "ours: the rate that the business scaling units stand for";
        /// The reading of the hierarchical-reuse random walk.
        walk: WalkStyle = Choice::<WalkStyle>::ANY, default r#""classic""#, source "NetApp SPC-1 workload library V1.4";
        /// How many I/Os of a stream are outstanding at most. The response time of an I/O that arrives at the limit counts from its
        /// arrival.
        outstanding: u32 = Count::<u32>::between(1, 65_536), default "4096", source "ours: far more than a stable load has in flight";
    }
    parts {
        /// The number of equal workloads.
        group: WorkloadGroup;
    }
    tables {
        /// How much of it the host lets begin in a time.
        limits: LimitParameters;
    }
    renamed("stripe" to "stripe_unit")
}
