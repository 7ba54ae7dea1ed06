//! NVMe over Fabrics: FC-NVMe on networks of Fibre Channel, NVMe/TCP on a network with TCP, NVMe/RDMA on one with RDMA.
//!
//! Sources: Linux 6.12 (`include/linux/nvme-fc.h`, `nvme-tcp.h`, `nvme.h`; `drivers/nvme/host` and `target`, `fc.c` and `tcp.c`) and SPDK
//! (`include/spdk/nvmf_fc_spec.h`, `nvmf_spec.h`), which follow FC-NVMe-2 and the NVMe/TCP Transport Specification.
//!
//! | | FC-NVMe | NVMe/TCP | NVMe/RDMA |
//! |---|---|---|---|
//! | read | NVMe_CMND, DATA, RSP | CapsuleCmd, C2HData, CapsuleResp | SEND, RDMA WRITE, SEND |
//! | write | NVMe_CMND, XFER_RDY, DATA, RSP | CapsuleCmd, R2T, H2CData, CapsuleResp | SEND, RDMA READ and its response, SEND |
//! | small write | the same | CapsuleCmd with the data, CapsuleResp | SEND with the data, SEND |
//!
//! An exchange of FC-NVMe has the frames of an exchange of FCP, with other payloads; [`fc`] has their bytes, `response.rs` the rule of
//! long and short responses. `tcp.rs` has the units of NVMe/TCP, `rdma.rs` those of NVMe/RDMA. `parameters.rs` has the keys, whose values host and controller agree on.
//!
//! Assumptions: there is one association between two adapters, and it exists from the beginning. A command that is
//! given up is aborted by ABTS on Fibre Channel, by the command Abort otherwise.

pub(crate) mod capsules;
mod entries;
pub mod fc;
mod parameters;
pub(crate) mod queues;
pub(crate) mod rdma;
mod response;
pub(crate) mod tcp;

pub use parameters::{NvmeParameters, keys_of_other_transports};

use crate::unit_sizes::UnitSizes;

/// The payloads of NVMe on PCI Express: a submission queue entry, nothing that asks for data, a completion queue entry. The network adds its
/// packets. Source: Linux, `include/linux/nvme.h`.
pub(crate) const ENTRY_SIZES: UnitSizes =
    UnitSizes { command_payload: 64, xfer_rdy_payload: 0, response_payload: 16 };
