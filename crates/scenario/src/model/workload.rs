//! What I/Os are asked for.

use sansim_kernel::Span;

use crate::quantity::{Choice, Count, Fraction, Name, Names, OrUnlimited, Size, Time};
use crate::table::table;
use crate::values::{Pattern, QueueDepthPer};

table! {
    /// A closed workload: a fixed number of I/Os is outstanding; when one is done the next one follows.
    pub struct Workload {
        /// The controller that the I/Os go through.
        from: String = Name, required r#""controller""#, source "";
        /// The groups of drives that the I/Os go to.
        to: Vec<String> = Names, required r#"["drives"]"#, source "";
        /// Size of each I/O, in bytes.
        size: u64 = Size::between(1, u32::MAX as u64), required r#""64 KiB""#, source "Wang 2005, table 6.4";
        /// Which part of the I/Os are reads; the others are writes. 1.0 is pure read, 0.0 pure write.
        read_fraction: f64 = Fraction, default "1.0", source "Wang 2005, table 6.4";
        /// Where on a drive the I/Os go. A drive with a given access time takes the same time for all of them.
        pattern: Pattern = Choice::<Pattern>::ANY, default r#""random""#, source "";
        /// How many I/Os are outstanding.
        queue_depth: u32 = Count::<u32>::between(1, 65_536), default "1", source "Wang 2005, table 6.4";
        /// Whether `queue_depth` is for each drive or in all.
        queue_depth_per: QueueDepthPer = Choice::<QueueDepthPer>::ANY, default r#""drive""#, source "";
        /// Time between the end of an I/O and the request of the one that follows it.
        think_time: Span = Time::ANY, default r#""0 ns""#, source "Wang 2005, table 6.1";
        /// I/Os to each drive in a pass. Who has done them waits for the others; then all begin the next pass. The summary
        /// tells when each drive was done. The run ends by `run.measured_ios` all the same.
        ios_per_pass: Option<u64> = OrUnlimited::between(1, 1_000_000_000), default r#""unlimited""#, source "Ruwart 1999, xdd";
    }
    tables {}
    computed {
        /// Name of the component.
        name: String = String::new();
        /// Index of `from` in [`crate::Scenario::controllers`].
        controller: usize = 0;
        /// Indices of `to` in [`crate::Scenario::drives`].
        drives: Vec<usize> = Vec::new();
    }
}
