//! Logins as bytes: PLOGI, LOGO, PRLI, ADISC, and LS_ACC to each of them.
//!
//! Source: FC-LS; FCP-4, 6.3; for the layouts Linux, `include/uapi/scsi/fc/fc_els.h`. The names of ports and nodes are made from addresses,
//! as for IP.

use super::{SERVICE_ACCEPTED, ip};
use sansim_fc::frame::{Frame, PduKind};
use sansim_fc::wire::TYPE_FCP;
use sansim_pdu::{CommandSet, link_service};

/// The payload of PLOGI, and of LS_ACC to it.
pub const PORT_LOGIN_BYTES: usize = 116;
/// The payload of PRLI with one page of service parameters, and of LS_ACC to it.
pub const PROCESS_LOGIN_BYTES: usize = 20;
/// The payload of LOGO.
pub const LOGOUT_BYTES: usize = 16;
/// The payload of ADISC, and of LS_ACC to it.
pub const DISCOVERY_BYTES: usize = 28;

/// The versions of FC-PH that a port has, and its common features: continuously increasing relative offset.
const LOGIN_VERSIONS_AND_FEATURES: [u8; 6] = [0x20, 0x20, 0, 1, 0x80, 0x00];
/// The largest data field that a port receives, 2112 bytes.
const LARGEST_DATA_FIELD: [u8; 2] = 2112u16.to_be_bytes();
/// E_D_TOV in milliseconds.
const ERROR_DETECT_TIME_OUT_MS: u32 = 2000;
/// The service parameters of class 3: the class is valid, with sequential delivery.
const CLASS_3_OPTIONS: [u8; 2] = [0x88, 0x00];
/// The service parameters of FCP of a target: target function, and no FCP_XFER_RDY for reads.
const TARGET_PARAMETERS: u32 = 0x12;

/// TYPE of FC-NVMe in the page of PRLI.
const TYPE_NVME: u8 = 0x28;
/// The service parameters of FC-NVMe of a target: target function. Source: Linux, `drivers/scsi/lpfc/lpfc_hw4.h`, `lpfc_nvme_prli`.
const NVME_TARGET_PARAMETERS: u32 = 0x10;

/// Writes PLOGI, LOGO, PRLI or ADISC, or LS_ACC to one of them.
pub(super) fn write(bytes: &mut [u8], frame: &Frame) {
    let is_request = frame.kind == PduKind::ServiceRequest;
    bytes[0] = if is_request { frame.status } else { SERVICE_ACCEPTED };
    if frame.status == link_service::PORT_LOGIN {
        bytes[4..10].copy_from_slice(&LOGIN_VERSIONS_AND_FEATURES);
        bytes[10..12].copy_from_slice(&LARGEST_DATA_FIELD);
        // Concurrent sequences, and the information categories with relative offset.
        (bytes[13], bytes[15]) = (0xFF, 0x1F);
        bytes[16..20].copy_from_slice(&ERROR_DETECT_TIME_OUT_MS.to_be_bytes());
        bytes[20..28].copy_from_slice(&ip::world_wide_name(frame.source));
        bytes[28..36].copy_from_slice(&ip::world_wide_name(frame.source));
        bytes[68..70].copy_from_slice(&CLASS_3_OPTIONS);
        bytes[74..76].copy_from_slice(&LARGEST_DATA_FIELD);
        // Concurrent sequences, and the open sequences of an exchange.
        (bytes[77], bytes[81]) = (0xFF, 1);
    } else if frame.status == link_service::PORT_LOGOUT {
        if is_request {
            // The address and the name of the port that logs out.
            bytes[4..8].copy_from_slice(&frame.source.value().to_be_bytes());
            bytes[8..16].copy_from_slice(&ip::world_wide_name(frame.source));
        }
    } else if frame.status == link_service::ADDRESS_DISCOVERY {
        // The hard address is that which the port has; the names of port and node; the address.
        let address = frame.source.value().to_be_bytes();
        bytes[4..8].copy_from_slice(&address);
        bytes[8..16].copy_from_slice(&ip::world_wide_name(frame.source));
        bytes[16..24].copy_from_slice(&ip::world_wide_name(frame.source));
        bytes[24..28].copy_from_slice(&address);
    } else {
        // The length of a page and of the payload; the page is for FCP or FC-NVMe, and asks for an image pair or says that there is one.
        let is_nvme = frame.command_set == CommandSet::Nvme;
        let page = if is_nvme { TYPE_NVME } else { TYPE_FCP };
        (bytes[1], bytes[3], bytes[4]) = (16, PROCESS_LOGIN_BYTES as u8, page);
        bytes[6] = if is_request { 0x20 } else { 0x21 };
        let of_target = if is_nvme { NVME_TARGET_PARAMETERS } else { TARGET_PARAMETERS };
        let parameters = if is_request { frame.burst_bytes } else { of_target };
        bytes[16..20].copy_from_slice(&parameters.to_be_bytes());
    }
}
