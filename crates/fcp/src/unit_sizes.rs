//! The payload sizes of information units that carry no data.

use sansim_schema::quantities::Size;
use sansim_schema::table;

table! {
    /// The payload sizes of the information units of FCP. On the wire every frame adds 36 bytes (SOF, header, CRC, EOF).
    #[derive(Copy, Eq)]
    pub struct UnitSizes {
        /// Payload of a command, FCP_CMND, in bytes: 32 with a 16-byte CDB. Wang's simulator sent 28.
        command_payload: u64 = Size::between(1, 2112), default r#""32 B""#, source "FCP-4; Wang 2005, fig. 5.3";
        /// Payload of FCP_XFER_RDY in bytes, with which a target asks for write data.
        xfer_rdy_payload: u64 = Size::between(1, 2112), default r#""12 B""#, source "FCP-4; Wang 2005, 6.3.1";
        /// Payload of the response, FCP_RSP, in bytes; 24 without sense data.
        response_payload: u64 = Size::between(1, 2112), default r#""24 B""#, source "FCP-4; Wang 2005, 6.3.1";
    }
}

impl Default for UnitSizes {
    /// The payloads of the standard.
    fn default() -> Self {
        Self { command_payload: 32, xfer_rdy_payload: 12, response_payload: 24 }
    }
}
