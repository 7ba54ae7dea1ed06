//! The settings that belong to no component: the run itself and the information units of FCP.

use crate::quantity::{Choice, Count, DurationRule, MeasuredRule, PrecisionRule, Size, WarmUpRule};
use crate::table::table;
use crate::values::{PrecisionGoal, PrecisionOf, WarmUp};
use sansim_kernel::Span;

table! {
    /// How long the simulation runs and what is measured.
    pub struct Run {
        /// Seed of all random streams. The same scenario with the same seed gives the same result to the last bit.
        seed: u64 = Count::<u64>::between(0, i64::MAX as u64), default "1", source "";
        /// The simulated length of the measured interval, in place of `measured_ios`: with a `warm_up` that is a time, too, exactly
        /// what completes from the one to the sum of both is measured.
        duration: Option<Span> = DurationRule, default r#""none""#, source "";
        /// How many I/Os are measured; with `precision` the least. `"none"` if `duration` says how long the run is.
        measured_ios: Option<u64> = MeasuredRule, follows "8000, or `\"none\"` with `duration`" |_context| if duration.is_some() { None } else { Some(8000) },
            source "";
        /// I/Os left out at the beginning, and again at the end, for each slot (drive times queue depth). As a time: the
        /// simulated time at which the measured interval begins. With `"auto"` the beginning is cut where the MSER-5 rule puts the
        /// end of the transient.
        warm_up: WarmUp = WarmUpRule, default "10", source "Wang 2005, 6.2.2";
        /// Goes on until the 95 % interval of the figure `precision_of` is so narrow that the figure is within this share of
        /// its true value. Looked at after `measured_ios`, then whenever half as many again are measured.
        precision: PrecisionGoal = PrecisionRule, default r#""off""#, source "Law, Simulation Modeling and Analysis, 9.4.1; Heidelberger and Welch 1983";
        /// The figure that has to be precise.
        precision_of: PrecisionOf = Choice::<PrecisionOf>::ANY, default r#""response-time""#, source "";
        /// With `precision`: how many I/Os are measured at most, whether or not it is reached.
        most_ios: u64 = Count::<u64>::between(1, 1_000_000_000), follows "100 times `measured_ios`, at most 1000000000" |_context| measured_ios.unwrap_or(8000).saturating_mul(100).min(1_000_000_000),
            source "";
    }
    tables {}
    computed {}
}

table! {
    /// The payload sizes of the information units of FCP. On the wire every frame adds 36 bytes (SOF, header, CRC, EOF).
    pub struct Fcp {
        /// Payload of a command, FCP_CMND, in bytes: 32 with a 16-byte CDB. Wang's simulator sent 28.
        command_payload: u64 = Size::between(1, 2112), default r#""32 B""#, source "FCP-4; Wang 2005, fig. 5.3";
        /// Payload of FCP_XFER_RDY in bytes, with which a target asks for write data.
        xfer_rdy_payload: u64 = Size::between(1, 2112), default r#""12 B""#, source "FCP-4; Wang 2005, 6.3.1";
        /// Payload of the response, FCP_RSP, in bytes; 24 without sense data.
        response_payload: u64 = Size::between(1, 2112), default r#""24 B""#, source "FCP-4; Wang 2005, 6.3.1";
    }
    tables {}
    computed {}
}
