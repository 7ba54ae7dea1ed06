//! The protocol of adapters.

use sansim_component::UnitTransport;

sansim_schema::words! {
    /// The messages of an I/O.
    pub enum Protocol {
        /// FCP: FCP_CMND, FCP_XFER_RDY, FCP_DATA, FCP_RSP.
        Fcp = "fcp",
        /// NVMe: FC-NVMe on networks of Fibre Channel, NVMe/TCP on a network with TCP, NVMe/RDMA on one with RDMA, and NVMe itself on PCI Express.
        Nvme = "nvme",
        /// iSCSI, on a network with TCP.
        Iscsi = "iscsi",
        /// A request and a reply, of which one is short and the other carries the data (Molero 2001).
        TwoMessage = "two-message",
    }
}

impl Protocol {
    /// Whether the protocol has units for networks of this form.
    pub fn is_carried_by(self, transport: UnitTransport) -> bool {
        match transport {
            UnitTransport::Stream => true,
            UnitTransport::Rdma | UnitTransport::Transactions(_) => self == Self::Nvme,
            UnitTransport::Frames | UnitTransport::Sequences(_) => self != Self::Iscsi,
        }
    }
}

/// The data that the command of a write brings with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataWithCommand {
    /// None: the target asks for all data.
    Nothing,
    /// All data.
    All,
    /// All data of a write of at most this number of bytes.
    OfWritesUpTo(u64),
    /// The first bytes of each write, up to this number.
    First(u64),
}
