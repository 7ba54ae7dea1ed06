//! The responses of FC-NVMe: short ones (RSP) and long ones (ERSP).
//!
//! Source: Linux, `drivers/nvme/target/fc.c`, `nvmet_fc_prep_fcp_rsp`: a response is long if its number is a multiple of `ersp_ratio`, if the
//! command failed, or if the submission queue is 90 % full. Commands of fabrics, fused commands and results in the completion queue entry are
//! not modelled.

use super::fc::{LONG_RESPONSE_BYTES, RESPONSE_BYTES};
use crate::target::Target;
use sansim_pdu::Address;
use sansim_request::Status;

impl Target {
    /// The payload of the response to a command of this initiator.
    pub(crate) fn response_bytes(&mut self, initiator: Address, status: Status) -> u64 {
        let nvme = self.parameters.nvme;
        let (number, is_full) = self.submission_queues.command_answered(initiator, &nvme);
        let is_long = number.is_multiple_of(nvme.ersp_ratio) || status != Status::Good || is_full;
        (if is_long { LONG_RESPONSE_BYTES } else { RESPONSE_BYTES }) as u64
    }
}
