//! The units of NVMe/RDMA: capsules, and the requests by which a target reads data from the memory of a host.
//!
//! Source: Linux, `drivers/nvme/target/rdma.c`: a command capsule is sent with the data of a small write, the target writes the data of a read
//! into the memory of the host, or reads those of a larger write from it, and sends a response capsule.

use crate::stream_headers::StreamHeaders;
use crate::unit_sizes::UnitSizes;

/// A submission queue entry, and a completion queue entry.
const COMMAND: u64 = 64;
const RESPONSE: u64 = 16;
/// The header of the request of an RDMA READ (RETH), which is all of its payload.
const READ_REQUEST: u64 = 16;
/// More than any request has: its data are one message.
const UNLIMITED: u64 = 1 << 40;

/// The bytes of the units without data.
pub(crate) const SIZES: UnitSizes =
    UnitSizes { command_payload: COMMAND, xfer_rdy_payload: READ_REQUEST, response_payload: RESPONSE };

/// The bytes beside data: the command before data that come with it.
pub(crate) const HEADERS: StreamHeaders = StreamHeaders {
    header: 0,
    command: COMMAND,
    digest: 0,
    most: [UNLIMITED, UNLIMITED],
    most_with_command: UNLIMITED,
};

/// The bytes of the command Abort and of its answers.
pub(crate) const ABORT_BYTES: [u64; 3] = [COMMAND, RESPONSE, RESPONSE];
