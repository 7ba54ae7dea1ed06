//! The units of NVMe/TCP as bytes of a stream.
//!
//! Source: SPDK, `include/spdk/nvmf_spec.h` (lengths of headers); Linux, `drivers/nvme/target/tcp.c`: the data of a read are one C2HData unit,
//! which shares a segment with the response behind it (MSG_MORE), and one R2T asks for all data of a write that are not in its capsule.

use super::NvmeParameters;
use crate::stream_headers::StreamHeaders;
use crate::unit_sizes::UnitSizes;

/// The header of CapsuleCmd: a common header of 8 bytes and a submission queue entry.
const COMMAND_CAPSULE: u64 = 72;
/// The header of CapsuleResp: a common header and a completion queue entry.
const RESPONSE_CAPSULE: u64 = 24;
/// The header of R2T, H2CData and C2HData.
const DATA_HEADER: u64 = 24;
/// More than any request has: its data are one unit.
const UNLIMITED: u64 = 1 << 40;
/// A CRC32C.
const DIGEST: u64 = 4;

fn header_digest(parameters: &NvmeParameters) -> u64 {
    if parameters.header_digest { DIGEST } else { 0 }
}

/// The bytes of CapsuleCmd without data, and of CapsuleResp.
pub(crate) fn capsules(parameters: &NvmeParameters) -> [u64; 2] {
    [COMMAND_CAPSULE, RESPONSE_CAPSULE].map(|bytes| bytes + header_digest(parameters))
}

/// The bytes of the units without data.
pub(crate) fn sizes(parameters: &NvmeParameters) -> UnitSizes {
    let [command_payload, response_payload] = capsules(parameters);
    let xfer_rdy_payload = DATA_HEADER + header_digest(parameters);
    UnitSizes { command_payload, xfer_rdy_payload, response_payload }
}

/// The headers of data.
pub(crate) fn headers(parameters: &NvmeParameters) -> StreamHeaders {
    StreamHeaders {
        header: DATA_HEADER + header_digest(parameters),
        command: COMMAND_CAPSULE + header_digest(parameters),
        digest: if parameters.data_digest { DIGEST } else { 0 },
        most: [parameters.max_h2c_data, UNLIMITED],
        most_with_command: UNLIMITED,
    }
}
