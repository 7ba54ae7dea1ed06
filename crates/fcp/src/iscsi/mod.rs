//! iSCSI: the units of SCSI as bytes of a stream of TCP.
//!
//! Source: RFC 7143: basic header segments of 48 bytes (11.1 to 11.8), keys of operation (13), phase collapse of data and status (11.7), task
//! management (11.5, 11.6).
//!
//! | | to the target | back |
//! |---|---|---|
//! | read | SCSI Command | SCSI Data-In, of which the last has the status |
//! | write | SCSI Command with immediate data, SCSI Data-Out for each R2T | R2T for each burst, SCSI Response |
//!
//! Unsolicited data are immediate data, and with `initial_r2t = false` Data-Out units up to `first_burst`; the target begins when all of
//! them have come. One R2T is outstanding for a command (MaxOutstandingR2T is 1). Assumption: there is one session with one connection
//! between two adapters, and it exists from the beginning. A command that is given up is aborted by ABORT TASK.

pub(crate) mod segments;

use crate::protocol::DataWithCommand;
use crate::stream_headers::StreamHeaders;
use crate::unit_sizes::UnitSizes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Flag, Size};
use sansim_schema::{codes, table};

/// A basic header segment.
const HEADER_SEGMENT: u64 = 48;
/// A CRC32C.
const DIGEST: u64 = 4;
/// The length of sense data, before them in the data segment of a SCSI Response.
const SENSE_LENGTH: u64 = 2;

table! {
    /// iSCSI (`protocol = "iscsi"`). Both ends of a network agree on these keys, so all its adapters have the same.
    #[derive(Copy, Eq)]
    pub struct IscsiParameters {
        /// Whether the command of a write has the first data in its unit (ImmediateData).
        immediate_data: bool = Flag, default "true", source "RFC 7143, 13.11";
        /// Whether a target asks for all data but immediate ones (InitialR2T); else data up to `first_burst` come without R2T.
        initial_r2t: bool = Flag, default "true", source "RFC 7143, 13.10";
        /// Most data that come without R2T (FirstBurstLength).
        first_burst: u64 = Size::between(512, (1 << 24) - 1), default r#""64 KiB""#, source "RFC 7143, 13.14";
        /// Most data of an R2T (MaxBurstLength).
        max_burst: u64 = Size::between(512, (1 << 24) - 1), default r#""256 KiB""#, source "RFC 7143, 13.13";
        /// Most data of a unit (MaxRecvDataSegmentLength), either way. RFC 7143 allows 512 bytes; here a frame's payload must not have more than two
        /// headers. Linux has 256 KiB (open-iscsi).
        max_data_segment: u64 = Size::between(4096, (1 << 24) - 1), default r#""8 KiB""#, source "RFC 7143, 13.12";
        /// Whether the last Data-In of a read that succeeds has its status; else a SCSI Response follows.
        status_in_data: bool = Flag, default "true", source "RFC 7143, 11.7.3";
        /// Whether headers have a CRC32C of 4 bytes.
        header_digest: bool = Flag, default "false", source "RFC 7143, 13.1";
        /// Whether data have a CRC32C of 4 bytes.
        data_digest: bool = Flag, default "false", source "RFC 7143, 13.1";
    }
    checks(check_bursts)
}

impl IscsiParameters {
    /// Checks that the first burst is no longer than others.
    fn check_bursts(&self, keys: &mut Keys<'_, '_>) {
        if self.first_burst <= self.max_burst || !keys.all_readable(&["first_burst", "max_burst"]) {
            return;
        }
        let fault = Diagnostic::new(
            codes::CONTRADICTION,
            keys.value_position("first_burst"),
            format!("the first burst is longer than the longest, of {} bytes", self.max_burst),
        )
        .with_label("must not exceed `max_burst` (RFC 7143, 13.14)")
        .with_help("make it smaller, or `max_burst` larger");
        keys.report("first_burst", fault);
    }
}

/// The bytes of a basic header segment with its digest.
pub(crate) fn header_bytes(parameters: &IscsiParameters) -> u64 {
    HEADER_SEGMENT + if parameters.header_digest { DIGEST } else { 0 }
}

/// The bytes of the units without data.
pub(crate) fn sizes(parameters: &IscsiParameters) -> UnitSizes {
    let bytes = header_bytes(parameters);
    UnitSizes { command_payload: bytes, xfer_rdy_payload: bytes, response_payload: bytes }
}

/// The bytes of sense data in a SCSI Response, padded to words, with the digest of its data segment.
pub(crate) fn sense_bytes(parameters: &IscsiParameters, sense_data: u64) -> u64 {
    let digest = if parameters.data_digest { DIGEST } else { 0 };
    (SENSE_LENGTH + sense_data).next_multiple_of(4) + digest
}

/// The data that come without R2T.
pub(crate) fn data_with_command(parameters: &IscsiParameters) -> DataWithCommand {
    let IscsiParameters { immediate_data, initial_r2t, first_burst, max_data_segment, .. } = *parameters;
    match (immediate_data, initial_r2t) {
        (_, false) => DataWithCommand::First(first_burst),
        (true, true) => DataWithCommand::First(first_burst.min(max_data_segment)),
        (false, true) => DataWithCommand::Nothing,
    }
}

/// The headers of data. Data that come with a command without immediate data have a header of their own behind that of the command.
pub(crate) fn headers(parameters: &IscsiParameters) -> StreamHeaders {
    let header = header_bytes(parameters);
    StreamHeaders {
        header,
        command: if parameters.immediate_data { header } else { 2 * header },
        digest: if parameters.data_digest { DIGEST } else { 0 },
        most: [parameters.max_data_segment; 2],
        most_with_command: parameters.max_data_segment,
    }
}
