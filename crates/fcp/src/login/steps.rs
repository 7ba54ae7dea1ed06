//! The steps by which an initiator comes to talk with a target again: each is a message, for whose answer the next waits.
//!
//! | protocol | steps |
//! |---|---|
//! | FCP and others on Fibre Channel | PLOGI, PRLI |
//! | FC-NVMe | PLOGI, PRLI with TYPE 28, Create Association, Connect, three properties; for each I/O queue Create Connection and Connect |
//! | NVMe/TCP | ICReq, Connect, three properties; for each I/O queue ICReq and Connect |
//! | NVMe/RDMA | Connect, three properties; for each I/O queue Connect |
//! | NVMe on PCI Express | only after a reset: PLOGI and PRLI, in place of the disabling and enabling of the controller (assumption) |
//!
//! Source: Linux 6.12, `drivers/nvme/host/fc.c` (`nvme_fc_create_association`, `nvme_fc_create_io_queues`), `tcp.c` (`nvme_tcp_alloc_queue`,
//! `nvme_tcp_start_queue`), `rdma.c`, `core.c` (`nvme_enable_ctrl`: Property Get of CAP, Property Set of CC, Property Get of CSTS), `fabrics.c`;
//! `include/linux/nvme-fc.h` and SPDK, `include/spdk/nvmf_fc_spec.h` (lengths of link services). The data of Connect are 1,024 bytes: on Fibre Channel a
//! target asks for them by XFER_RDY, elsewhere they are in the capsule. Responses to commands of fabrics are long (ERSP).
//!
//! Assumptions: a controller is ready at the first read of CSTS; Identify and the other admin commands that a host sends then, and the opening of
//! connections of TCP and RDMA, are left out; without a number of `queues` there is one.

use crate::nvme::NvmeParameters;
use crate::nvme::fc::{COMMAND_BYTES, LONG_RESPONSE_BYTES, TRANSFER_READY_BYTES};
use crate::nvme::{rdma, tcp};
use crate::unit::login::{PORT_LOGIN_BYTES, PROCESS_LOGIN_BYTES};
use sansim_component::UnitTransport;
use sansim_pdu::{association, link_service};

/// The payload of Create Association and of the answer that accepts it.
const CREATE_ASSOCIATION: [usize; 2] = [1024, 56];
/// The payload of Create Connection and of the answer that accepts it.
const CREATE_CONNECTION: [usize; 2] = [80, 40];
/// The data of Connect: the identifier of the host, the controller, and the names of subsystem and host.
const CONNECT_DATA: usize = 1024;
/// ICReq, and ICResp.
const INITIALISE_CONNECTION: [usize; 2] = [128, 128];

/// A step: its code, and the payload of the message and of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LoginStep {
    pub code: u8,
    pub bytes: [usize; 2],
}

const fn step(code: u8, bytes: [usize; 2]) -> LoginStep {
    LoginStep { code, bytes }
}

const PORT_LOGIN: LoginStep = step(link_service::PORT_LOGIN, [PORT_LOGIN_BYTES; 2]);
const PROCESS_LOGIN: LoginStep = step(link_service::PROCESS_LOGIN, [PROCESS_LOGIN_BYTES; 2]);

/// The protocol whose steps an initiator takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoginProtocol {
    /// FCP, and protocols of which no other login is modelled.
    Fcp,
    /// NVMe on Fibre Channel.
    FcNvme,
    /// NVMe on TCP.
    Tcp,
    /// NVMe on RDMA.
    Rdma,
    /// NVMe on PCI Express.
    Memory,
}

impl LoginProtocol {
    /// The protocol of an adapter that speaks NVMe on a network of this form.
    pub(crate) fn of_nvme(transport: UnitTransport) -> Self {
        match transport {
            UnitTransport::Frames | UnitTransport::Sequences(_) => Self::FcNvme,
            UnitTransport::Stream => Self::Tcp,
            UnitTransport::Rdma => Self::Rdma,
            UnitTransport::Transactions(_) => Self::Memory,
        }
    }

    /// Whether ports of the protocol log in when one comes back.
    pub(crate) fn logs_in(self) -> bool {
        self != Self::Memory
    }

    /// The step at a place, from 0; none behind the last.
    pub(crate) fn step_at(self, place: u32, nvme: &NvmeParameters) -> Option<LoginStep> {
        let fixed = |steps: &[LoginStep]| steps.get(place as usize).copied();
        // The steps before those of the I/O queues, and those of each I/O queue.
        match self {
            Self::Fcp | Self::Memory => fixed(&[PORT_LOGIN, PROCESS_LOGIN]),
            Self::FcNvme => {
                let connect = [
                    step(association::CONNECT, [COMMAND_BYTES, TRANSFER_READY_BYTES]),
                    step(association::CONNECT_DATA, [CONNECT_DATA, LONG_RESPONSE_BYTES]),
                ];
                let property = step(association::PROPERTY, [COMMAND_BYTES, LONG_RESPONSE_BYTES]);
                let create = step(association::CREATE_ASSOCIATION, CREATE_ASSOCIATION);
                let connection = step(association::CREATE_CONNECTION, CREATE_CONNECTION);
                let first =
                    [PORT_LOGIN, PROCESS_LOGIN, create, connect[0], connect[1], property, property, property];
                of_queues(place, &first, &[connection, connect[0], connect[1]], nvme)
            }
            Self::Tcp => {
                let [command, answer] = tcp::capsules(nvme).map(|bytes| bytes as usize);
                let connection = step(association::INITIALISE_CONNECTION, INITIALISE_CONNECTION);
                let digest = if nvme.data_digest { 4 } else { 0 };
                let connect = step(association::CONNECT, [command + CONNECT_DATA + digest, answer]);
                let property = step(association::PROPERTY, [command, answer]);
                let first = [connection, connect, property, property, property];
                of_queues(place, &first, &[connection, connect], nvme)
            }
            Self::Rdma => {
                let [command, answer] = [rdma::SIZES.command_payload, rdma::SIZES.response_payload];
                let [command, answer] = [command, answer].map(|bytes| bytes as usize);
                let connect = step(association::CONNECT, [command + CONNECT_DATA, answer]);
                let property = step(association::PROPERTY, [command, answer]);
                of_queues(place, &[connect, property, property, property], &[connect], nvme)
            }
        }
    }

    /// The payload of the answer to a step with this code.
    pub(crate) fn answer_bytes(self, code: u8, nvme: &NvmeParameters) -> usize {
        let steps = (0..).map_while(|place| self.step_at(place, nvme));
        steps.into_iter().find(|step| step.code == code).map_or(0, |step| step.bytes[1])
    }

    /// Whether a step is the first of this protocol, at which a target ends the exchanges that the initiator has given up.
    pub(crate) fn begins_with(self, code: u8, nvme: &NvmeParameters) -> bool {
        self.step_at(0, nvme).is_some_and(|first| first.code == code)
    }
}

/// The step at a place: first those of the admin queue, then those of each I/O queue.
fn of_queues(
    place: u32,
    first: &[LoginStep],
    each: &[LoginStep],
    nvme: &NvmeParameters,
) -> Option<LoginStep> {
    let place = place as usize;
    let behind = || {
        let place = place - first.len();
        let is_of_queue = place / each.len() < nvme.queues.unwrap_or(1) as usize;
        is_of_queue.then(|| each[place % each.len()])
    };
    first.get(place).copied().or_else(behind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_schema::context::Facts;
    use sansim_schema::table::Tabular;

    fn messages(protocol: LoginProtocol, keys: &str) -> Vec<[usize; 2]> {
        let nvme = NvmeParameters::from_toml(keys, &Facts::default()).expect("keys of NVMe");
        (0..).map_while(|place| protocol.step_at(place, &nvme)).map(|step| step.bytes).collect()
    }

    #[test]
    fn each_protocol_has_its_steps_with_their_lengths() {
        let fcp = messages(LoginProtocol::Fcp, "");
        assert_eq!(fcp, [[116, 116], [20, 20]]);
        let admin = [[1024, 56], [96, 12], [1024, 32], [96, 32], [96, 32], [96, 32]];
        let queue = [[80, 40], [96, 12], [1024, 32]];
        assert_eq!(messages(LoginProtocol::FcNvme, ""), [&fcp[..], &admin, &queue].concat());
        assert_eq!(
            messages(LoginProtocol::FcNvme, "queues = 3"),
            [&fcp[..], &admin, &queue, &queue, &queue].concat()
        );
        let properties = [[72, 24]; 3];
        let connect = [[128, 128], [72 + 1024, 24]];
        assert_eq!(
            messages(LoginProtocol::Tcp, "queues = 2"),
            [&connect[..], &properties, &connect, &connect].concat()
        );
        let digests = messages(LoginProtocol::Tcp, "header_digest = true\ndata_digest = true");
        assert_eq!(digests[1..3], [[72 + 4 + 1024 + 4, 24 + 4], [76, 28]]);
        assert_eq!(
            messages(LoginProtocol::Rdma, ""),
            [[64 + 1024, 16], [64, 16], [64, 16], [64, 16], [64 + 1024, 16]]
        );
        assert!(!LoginProtocol::Memory.logs_in());
    }
}
