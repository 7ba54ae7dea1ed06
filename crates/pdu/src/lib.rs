//! Protocol data units: the units that cross a network of any kind.
//!
//! A [`Pdu`] is an information unit of an exchange (a command, data, a status), or a part of one. A [`Pdu`] carries what the protocol
//! of the adapters needs, and no more: additions of a network, such as class and delimiters of Fibre Channel, are recorded in that
//! network alone. An [`Address`] has a meaning for the network that assigned it; all other components only store it.
#![forbid(unsafe_code)]

mod address;
mod frame_sight;
mod notice;
mod port_sight;

pub use address::Address;
pub use frame_sight::{
    FrameContent, FrameSight, PacketSight, PacketSightKind, SegmentSight, StreamUnitSight,
};
pub use notice::{Notice, NoticeKind};
pub use port_sight::{PortSight, ServiceUnit, WireUnit, WireWord};

/// The number of the request for which a unit is sent. In a command the tag replaces the content of the command; elsewhere only the
/// ledger and observers use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestTag(pub u32);

/// The identifier of an exchange at one of its ends: in FCP the OX_ID at the originator, the RX_ID at the responder. The identifier is
/// wider than the 16 bits on the wire, so that an end may have more than 65,535 open exchanges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExchangeId(pub u32);

impl ExchangeId {
    /// The identifier that has not been assigned yet.
    pub const UNASSIGNED: Self = Self(u32::MAX);
}

/// The command set of a unit's command, which decides the form of the unit on its network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CommandSet {
    /// SCSI: units of FCP on Fibre Channel, of iSCSI on TCP.
    #[default]
    Scsi,
    /// NVMe: units of FC-NVMe on Fibre Channel, of NVMe/TCP on TCP.
    Nvme,
}

/// On a network that carries streams of bytes: what goes with a part of data beside its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamPart(u8);

impl StreamPart {
    /// Nothing but the payload.
    pub const PLAIN: Self = Self(0);

    const JOINS_NEXT: u8 = 0x80;

    /// These bytes of protocol headers and digests, which are words of four bytes, at most 127. `joins_next`: the sender hands over another
    /// unit soon, with which the part may share a segment.
    pub fn new(header_bytes: u64, joins_next: bool) -> Self {
        debug_assert!(
            header_bytes.is_multiple_of(4) && header_bytes / 4 < u64::from(Self::JOINS_NEXT),
            "{header_bytes} bytes"
        );
        Self((header_bytes / 4) as u8 | if joins_next { Self::JOINS_NEXT } else { 0 })
    }

    /// The bytes of protocol headers and digests.
    pub fn header_bytes(self) -> u64 {
        4 * u64::from(self.0 & !Self::JOINS_NEXT)
    }

    /// Whether another unit comes soon, with which the part may share a segment.
    pub fn joins_next(self) -> bool {
        self.0 & Self::JOINS_NEXT != 0
    }
}

/// The kind of a unit, by its name in FCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PduKind {
    /// FCP_CMND, a command.
    Command,
    /// FCP_XFER_RDY, a request for the data of a write.
    TransferReady,
    /// FCP_DATA, data.
    Data,
    /// FCP_RSP, the status.
    Response,
    /// ABTS: the originator does not want the exchange any more.
    Abort,
    /// BA_ACC: the responder has ended the exchange.
    AbortAccept,
    /// BA_RJT: the responder has no such exchange.
    AbortReject,
    /// An IP datagram, which belongs to no exchange of adapters.
    Ip,
    /// A unit of the network itself, which no node receives.
    Control,
    /// FCP_CONF: the initiator has the status, and the target may forget the exchange.
    Confirm,
    /// A request of a link service other than ABTS, by its command code ([`link_service`]); or FCP_CMND with a flag of [`task_management`].
    ServiceRequest,
    /// LS_ACC: the answer to a link service; or FCP_RSP, the answer to a task management function.
    ServiceAccept,
    /// LS_RJT: the receiver refuses a link service.
    ServiceReject,
}

/// Command codes of link services.
pub mod link_service {
    /// PLOGI, an extended link service: a port logs in with another (FC-LS).
    pub const PORT_LOGIN: u8 = 0x03;
    /// LOGO, an extended link service: a port logs another out (FC-LS).
    pub const PORT_LOGOUT: u8 = 0x05;
    /// PRLI, an extended link service: an initiator agrees with a target on FCP (FC-LS; FCP-4, 6.3).
    pub const PROCESS_LOGIN: u8 = 0x20;
    /// ADISC, an extended link service: a port makes sure that it is still logged in with another (FC-LS).
    pub const ADDRESS_DISCOVERY: u8 = 0x52;
    /// REC, an extended link service: how far the responder of an exchange is (FC-LS; FCP-4, 6.5).
    pub const READ_EXCHANGE_CONCISE: u8 = 0x13;
    /// SRR, a link service of FCP: the responder sends a part of an exchange again (FCP-4, 8.2).
    pub const SEQUENCE_RETRANSMISSION: u8 = 0x14;
}

/// Steps by which NVMe over Fabrics associates an initiator with a target. The numbers are ours: a link service of FC-NVMe has the code of another one of FC-LS.
pub mod association {
    /// Create Association, a link service of FC-NVMe.
    pub const CREATE_ASSOCIATION: u8 = 0xC0;
    /// Create Connection, a link service of FC-NVMe.
    pub const CREATE_CONNECTION: u8 = 0xC1;
    /// The command Connect of a queue; on Fibre Channel the target asks for its data.
    pub const CONNECT: u8 = 0xC2;
    /// The data of Connect on Fibre Channel.
    pub const CONNECT_DATA: u8 = 0xC3;
    /// The command Property Get, or Property Set.
    pub const PROPERTY: u8 = 0xC4;
    /// ICReq of NVMe/TCP.
    pub const INITIALISE_CONNECTION: u8 = 0xC5;
}

/// The sense data of a response, by what they report (SPC-4, sense keys and additional sense codes).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// No sense data.
    None,
    /// NOT READY: the logical unit becomes ready.
    NotReady,
    /// NOT READY: the devices behind the responder cannot be reached through it, but perhaps through another port.
    NotAccessible,
    /// MEDIUM ERROR: some of the requested data cannot be read.
    MediumError,
    /// HARDWARE ERROR: the command could not be carried out, and would fail again on this path.
    HardwareError,
    /// UNIT ATTENTION: the device has something to report first.
    UnitAttention,
    /// ABORTED COMMAND: the device has ended the command.
    AbortedCommand,
}

/// The task management flags of FCP_CMND, of which a command has none (FCP-4, task management flags; Linux, `include/uapi/scsi/fc/fc_fcp.h`).
pub mod task_management {
    /// ABORT TASK SET.
    pub const ABORT_TASK_SET: u8 = 0x02;
    /// CLEAR TASK SET.
    pub const CLEAR_TASK_SET: u8 = 0x04;
    /// LOGICAL UNIT RESET.
    pub const LOGICAL_UNIT_RESET: u8 = 0x10;
    /// TARGET RESET.
    pub const TARGET_RESET: u8 = 0x20;
}

impl PduKind {
    /// Whether the unit manages an exchange and carries no part of its command, data or status.
    pub fn is_link_service(self) -> bool {
        matches!(
            self,
            Self::Abort
                | Self::AbortAccept
                | Self::AbortReject
                | Self::Confirm
                | Self::ServiceRequest
                | Self::ServiceAccept
                | Self::ServiceReject
        )
    }

    /// Whether a request waits for the unit: it is neither a unit of the network itself nor IP.
    pub fn belongs_to_request(self) -> bool {
        !matches!(self, Self::Control | Self::Ip)
    }
}

/// An information unit in flight, or a part of one. The payload itself is not simulated, only its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pdu {
    /// The request for which the unit is sent.
    pub tag: RequestTag,
    /// The number of the exchange at its originator.
    pub originator: ExchangeId,
    /// The number of the exchange at its responder; unassigned in a command.
    pub responder: ExchangeId,
    /// The port that sends the unit.
    pub source: Address,
    /// The port that is to receive the unit.
    pub destination: Address,
    /// The place of the first payload byte in the data of the exchange; in a unit that asks for data, the place of the first
    /// byte that it asks for. In a command of NVMe: its sequence number. In a response of NVMe: the head of the submission queue.
    pub offset: u32,
    /// In a unit that asks for data, and in the command of a read: the number of bytes that it asks for. In data that come with the command of
    /// a write: the number of bytes that come so. In an abort: the bytes of
    /// data of the exchange that its sender has sent before it, a number which is not carried on the wire. In a link service: the word
    /// that it carries, such as E_STAT of an exchange. In a response: 1 if the initiator is to confirm it; in a response of NVMe its sequence number.
    pub burst_bytes: u32,
    /// The payload in bytes; on a network that accepts whole units, the payload of the whole unit.
    pub payload_bytes: u32,
    /// The number of the information unit in the exchange, from 0: the command, then two for each burst. In Fibre Channel this number
    /// identifies the sequence.
    pub unit: u16,
    /// The number of the part in its unit, from 0. In Fibre Channel this number is SEQ_CNT.
    pub part: u16,
    /// The kind of the unit.
    pub kind: PduKind,
    /// Whether data go from the originator to the responder of the exchange.
    pub write: bool,
    /// In a response: the status byte of SCSI. In a link service and its answers: its command code. In task management and
    /// its answer: the flag of the function. In a command: 1 if its initiator
    /// has lost units sent again, which its target knows from process login (PRLI, RETRY).
    pub status: u8,
    /// In a response: its sense data.
    pub sense: Sense,
    /// Whether the part ends its unit.
    pub last_of_unit: bool,
    /// In data: whether the part is the last of the exchange.
    pub last_of_data: bool,
    /// The command set of the exchange.
    pub command_set: CommandSet,
    /// In data on a network that carries streams of bytes: what goes with the part.
    pub stream_part: StreamPart,
}

/// The number of the unit with the first burst of a write in its exchange: the command is before it, and data that are asked for have even numbers.
pub const FIRST_BURST_UNIT: u16 = 1;

impl Pdu {
    /// An IP datagram, which is a unit by itself, before its fields are set.
    pub const IP: Self = Self { kind: PduKind::Ip, ..Self::EXAMPLE };

    /// A unit of a link service, which is a unit by itself and carries no part of data, before its fields are set.
    pub const SERVICE: Self = Self {
        kind: PduKind::ServiceRequest,
        payload_bytes: 0,
        unit: 0,
        last_of_data: false,
        ..Self::EXAMPLE
    };

    const EXAMPLE: Self = Self {
        tag: RequestTag(0),
        originator: ExchangeId(0),
        responder: ExchangeId(0),
        source: Address::new(1),
        destination: Address::new(2),
        offset: 0,
        burst_bytes: 0,
        payload_bytes: 2048,
        unit: 2,
        part: 0,
        kind: PduKind::Data,
        write: false,
        status: 0,
        sense: Sense::None,
        last_of_unit: true,
        last_of_data: true,
        command_set: CommandSet::Scsi,
        stream_part: StreamPart::PLAIN,
    };

    /// A data unit of a read with 2048 bytes, for tests.
    pub fn example() -> Self {
        Self::EXAMPLE
    }

    /// Whether the unit is PLOGI, LOGO, PRLI or ADISC, or LS_ACC to one of them. PRLI has the code that is the flag of TARGET RESET, and carries service
    /// parameters.
    pub fn is_of_login(&self) -> bool {
        matches!(self.kind, PduKind::ServiceRequest | PduKind::ServiceAccept)
            && (matches!(
                self.status,
                link_service::PORT_LOGIN | link_service::PORT_LOGOUT | link_service::ADDRESS_DISCOVERY
            ) || (self.status == link_service::PROCESS_LOGIN && self.burst_bytes > 0))
    }

    /// Whether the unit is a step of an association of NVMe, or the answer to one.
    pub fn is_of_association(&self) -> bool {
        matches!(self.kind, PduKind::ServiceRequest | PduKind::ServiceAccept)
            && (association::CREATE_ASSOCIATION..=association::INITIALISE_CONNECTION).contains(&self.status)
    }

    /// Whether the unit asks for a task management function, or answers one: its code is a flag and no code of a link service.
    pub fn manages_tasks(&self) -> bool {
        matches!(self.kind, PduKind::ServiceRequest | PduKind::ServiceAccept)
            && self.burst_bytes == 0
            && matches!(
                self.status,
                task_management::ABORT_TASK_SET
                    | task_management::CLEAR_TASK_SET
                    | task_management::LOGICAL_UNIT_RESET
                    | task_management::TARGET_RESET
            )
    }

    /// Whether the part carries data of a write that go right behind its command, unasked.
    pub fn is_of_first_burst(&self) -> bool {
        self.kind == PduKind::Data && self.write && self.unit == FIRST_BURST_UNIT
    }

    /// Whether the part carries data and other parts of its unit follow it.
    pub fn is_within_unit(&self) -> bool {
        self.kind == PduKind::Data && !self.last_of_unit
    }

    /// The number of bytes of data for which the unit asks.
    pub fn asks_for_bytes(&self) -> u32 {
        match self.kind {
            PduKind::TransferReady => self.burst_bytes,
            PduKind::Command if !self.write => self.burst_bytes,
            _ => 0,
        }
    }

    /// The part of the same unit that comes `parts` parts later, if all parts between carry as much.
    pub fn later_part(&self, parts: usize) -> Self {
        Self {
            offset: self.offset.wrapping_add(parts as u32 * self.payload_bytes),
            part: self.part.wrapping_add(parts as u16),
            ..*self
        }
    }

    /// In a response: whether its initiator is to confirm it.
    pub fn is_to_be_confirmed(&self) -> bool {
        self.burst_bytes > 0 && self.command_set == CommandSet::Scsi
    }

    /// Whether the originator of the exchange sends the unit.
    pub fn is_from_originator(&self) -> bool {
        match self.kind {
            PduKind::Command | PduKind::Abort | PduKind::Ip | PduKind::Confirm | PduKind::ServiceRequest => {
                true
            }
            PduKind::Data => self.write,
            PduKind::TransferReady
            | PduKind::Response
            | PduKind::AbortAccept
            | PduKind::AbortReject
            | PduKind::Control
            | PduKind::ServiceAccept
            | PduKind::ServiceReject => false,
        }
    }
}
