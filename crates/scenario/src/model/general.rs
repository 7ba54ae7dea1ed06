//! The settings that belong to no component: the run itself and the information units of FCP.

use crate::quantity::{Count, Size, WarmUpRule};
use crate::table::table;
use crate::values::WarmUp;

table! {
    /// How long the simulation runs and what is measured.
    pub struct Run {
        /// Seed of all random streams. The same scenario with the same seed gives the same result to the last bit.
        seed: u64 = Count::<u64>::between(0, i64::MAX as u64), default "1", source "";
        /// How many I/Os are measured.
        measured_ios: u64 = Count::<u64>::between(1, 1_000_000_000), default "8000", source "";
        /// I/Os left out at the beginning, and again at the end, for each slot (drive times queue depth). With `"auto"`
        /// the beginning is cut where the MSER-5 rule puts the end of the transient.
        warm_up: WarmUp = WarmUpRule, default "10", source "Wang 2005, 6.2.2";
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
