//! The messages of an I/O, as they follow from the protocol of an adapter and from its network.

use super::{AdapterParameters, ResponseStart, UnitSizes};
use crate::login::LoginProtocol;
use crate::protocol::{DataWithCommand, Protocol};
use crate::stream_headers::StreamHeaders;
use crate::{iscsi, nvme, unit};
use sansim_component::UnitTransport;
use sansim_pdu::CommandSet;

impl AdapterParameters {
    /// The payloads of the units without data at a network of this form; those of FCP are given by the scenario.
    pub fn unit_sizes(&self, transport: UnitTransport, fcp: UnitSizes) -> UnitSizes {
        match (self.protocol, transport) {
            (Protocol::Fcp | Protocol::TwoMessage, _) => fcp,
            (Protocol::Nvme, UnitTransport::Stream) => nvme::tcp::sizes(&self.nvme),
            (Protocol::Nvme, UnitTransport::Rdma) => nvme::rdma::SIZES,
            (Protocol::Nvme, UnitTransport::Transactions(_)) => nvme::ENTRY_SIZES,
            (Protocol::Nvme, _) => nvme::fc::SIZES,
            (Protocol::Iscsi, _) => iscsi::sizes(&self.iscsi),
        }
    }
}

/// The messages of an I/O of an adapter: what [`Protocol`] and network make of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MessageRules {
    pub(crate) command_set: CommandSet,
    /// The protocol by which an initiator logs in.
    pub(crate) login: LoginProtocol,
    pub(crate) with_command: DataWithCommand,
    /// The most bytes of data of a write that follow its command unasked.
    pub(crate) first_burst: u64,
    /// Whether the last data of a read are its status, if it is good.
    pub(crate) status_in_data: bool,
    /// Whether the last data of a read share a segment with the response that follows them.
    pub(crate) joins_response: bool,
    /// The most bytes of a sequence of data that a target asks for or sends.
    pub(crate) largest_sequence: u64,
    /// Whether the responses of FC-NVMe are short or long.
    pub(crate) has_long_responses: bool,
    /// Whether units get numbers or headers.
    pub(crate) completes_units: bool,
    /// The headers of data in a stream of bytes, if the protocol has some.
    pub(crate) headers: Option<StreamHeaders>,
    /// The bytes of an abort, of the answer that accepts it, and of the answer that rejects it.
    pub(crate) abort_bytes: [u64; 3],
    /// Whether initiators know functions of task management.
    pub(crate) manages_tasks: bool,
    /// The bytes of the answer to such a function.
    pub(crate) function_response_bytes: usize,
}

impl MessageRules {
    const FCP: Self = Self {
        command_set: CommandSet::Scsi,
        login: LoginProtocol::Fcp,
        with_command: DataWithCommand::Nothing,
        first_burst: 0,
        status_in_data: false,
        joins_response: false,
        largest_sequence: u64::MAX,
        has_long_responses: false,
        completes_units: false,
        headers: None,
        abort_bytes: [0, unit::ACCEPT_BYTES as u64, unit::REJECT_BYTES as u64],
        manages_tasks: true,
        function_response_bytes: unit::FUNCTION_RESPONSE_BYTES,
    };

    /// The messages of an adapter at a network of this form.
    pub(crate) fn new(parameters: &AdapterParameters, transport: UnitTransport) -> Self {
        let AdapterParameters { nvme, iscsi, .. } = parameters;
        let rules = match (parameters.protocol, transport) {
            (Protocol::Fcp, _) => Self::FCP,
            (Protocol::TwoMessage, _) => {
                let with_command = DataWithCommand::All;
                Self { with_command, status_in_data: true, manages_tasks: false, ..Self::FCP }
            }
            (Protocol::Nvme, UnitTransport::Frames | UnitTransport::Sequences(_)) => Self {
                command_set: CommandSet::Nvme,
                largest_sequence: nvme.largest_sequence,
                first_burst: if transport == UnitTransport::Frames { nvme.first_burst } else { 0 },
                has_long_responses: true,
                completes_units: true,
                manages_tasks: false,
                ..Self::FCP
            },
            (Protocol::Nvme, UnitTransport::Transactions(_)) => {
                Self { command_set: CommandSet::Nvme, manages_tasks: false, ..Self::FCP }
            }
            (Protocol::Nvme, UnitTransport::Stream) => {
                let [command, answer] = nvme::tcp::capsules(nvme);
                Self {
                    command_set: CommandSet::Nvme,
                    with_command: DataWithCommand::OfWritesUpTo(nvme.in_capsule),
                    status_in_data: nvme.success_flag,
                    // A response that waits for the end of the data's transmission cannot share a segment with them.
                    joins_response: !nvme.success_flag && parameters.response_start == ResponseStart::Fetched,
                    completes_units: true,
                    headers: Some(nvme::tcp::headers(nvme)),
                    abort_bytes: [command, answer, answer],
                    manages_tasks: false,
                    ..Self::FCP
                }
            }
            (Protocol::Nvme, UnitTransport::Rdma) => Self {
                command_set: CommandSet::Nvme,
                with_command: DataWithCommand::OfWritesUpTo(nvme.rdma_in_capsule),
                completes_units: true,
                headers: Some(nvme::rdma::HEADERS),
                abort_bytes: nvme::rdma::ABORT_BYTES,
                manages_tasks: false,
                ..Self::FCP
            },
            (Protocol::Iscsi, _) => {
                let segment = iscsi::header_bytes(iscsi);
                Self {
                    with_command: iscsi::data_with_command(iscsi),
                    status_in_data: iscsi.status_in_data,
                    largest_sequence: iscsi.max_burst,
                    completes_units: true,
                    headers: Some(iscsi::headers(iscsi)),
                    abort_bytes: [segment; 3],
                    function_response_bytes: segment as usize,
                    ..Self::FCP
                }
            }
        };
        let is_nvme = parameters.protocol == Protocol::Nvme;
        let login = if is_nvme { LoginProtocol::of_nvme(transport) } else { rules.login };
        Self { login, ..rules }
    }

    /// The bytes of data that the command of a write of this size brings with it.
    #[inline]
    pub(crate) fn bytes_with_command(&self, bytes: u64) -> u64 {
        match self.with_command {
            DataWithCommand::Nothing => 0,
            DataWithCommand::All => bytes,
            DataWithCommand::OfWritesUpTo(most) => {
                if bytes <= most {
                    bytes
                } else {
                    0
                }
            }
            DataWithCommand::First(most) => bytes.min(most),
        }
    }

    /// Whether a request for data has less than all for which the server has room: data may come with the command, or a sequence has a
    /// limit.
    #[inline]
    pub(crate) fn limits_requests(&self) -> bool {
        self.brings_data() || self.first_burst > 0 || self.largest_sequence < u64::MAX
    }

    /// Whether data may come with a command.
    #[inline]
    pub(crate) fn brings_data(&self) -> bool {
        self.with_command != DataWithCommand::Nothing
    }
}
