//! Protocol data units: the units that cross a network of any kind.
//!
//! A [`Pdu`] is an information unit of an exchange (a command, data, a status), or a part of one. It carries what the protocol of the
//! adapters needs, and no more: additions of a network, as class and delimiters of Fibre Channel, are known to that network alone. An
//! [`Address`] has a meaning for the network that gave it; all other components only store it.
#![forbid(unsafe_code)]

mod address;
mod port_sight;

pub use address::Address;
pub use port_sight::{PortSight, WireUnit, WireWord};

/// The purpose of a unit, by the number of a request. In a command it replaces the content of the command; elsewhere only the ledger and
/// observers use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tag(pub u32);

/// An exchange as one of its ends knows it: in FCP the OX_ID of the originator, the RX_ID of the responder. Wider than the 16 bits of the wire, so that an end may have more than
/// 65,535 open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExchangeId(pub u32);

impl ExchangeId {
    /// Not given yet.
    pub const UNASSIGNED: Self = Self(u32::MAX);
}

/// The kind of a unit, by its name in FCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PduKind {
    /// FCP_CMND
    Command,
    /// FCP_XFER_RDY
    TransferReady,
    /// FCP_DATA
    Data,
    /// FCP_RSP
    Response,
    /// ABTS: the originator does not want the exchange any more.
    Abort,
    /// BA_ACC: the responder has given it up.
    AbortAccept,
    /// BA_RJT: the responder knows no such exchange.
    AbortReject,
    /// An IP datagram, of no exchange of adapters.
    Ip,
    /// Something of the network itself, which no node is given.
    Control,
}

impl PduKind {
    /// Whether it is about an exchange and no part of what is exchanged.
    pub fn is_link_service(self) -> bool {
        matches!(self, Self::Abort | Self::AbortAccept | Self::AbortReject)
    }

    /// Whether a request waits for it: it is neither of the network itself nor IP.
    pub fn is_of_request(self) -> bool {
        !matches!(self, Self::Control | Self::Ip)
    }
}

/// An information unit on its way, or a part of one. The payload itself is not simulated, only its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pdu {
    /// The request for which it is sent.
    pub tag: Tag,
    /// The exchange, as its originator numbers it.
    pub originator: ExchangeId,
    /// The exchange, as its responder numbers it; unassigned in a command.
    pub responder: ExchangeId,
    /// The port that sends it.
    pub source: Address,
    /// The port that is to receive it.
    pub destination: Address,
    /// Place of the first payload byte in the data of the exchange; of what asks for data the place of those that it asks for.
    pub offset: u32,
    /// In a unit that asks for data, and in the command of a read: the bytes that it asks for. In an abort: the bytes of data of the
    /// exchange that its sender has sent before it, which no wire carries.
    pub burst_bytes: u32,
    /// Payload bytes; on a network that takes units whole, those of the unit.
    pub payload_bytes: u32,
    /// Number of the information unit in the exchange, from 0: the command, then two for each burst. In Fibre Channel that is its sequence.
    pub unit: u16,
    /// Number of the part in its unit, from 0. In Fibre Channel that is SEQ_CNT.
    pub part: u16,
    /// Its kind.
    pub kind: PduKind,
    /// Whether data go from the originator to the responder.
    pub write: bool,
    /// In a response: the command could not be carried out, and will not be on this path if it is tried again; sense data report that.
    pub failed: bool,
    /// In a response: the status byte of SCSI.
    pub status: u8,
    /// In a response: some of the requested data cannot be read (MEDIUM ERROR); sense data report that.
    pub unreadable: bool,
    /// In a response: the devices behind the responder cannot be reached through it, and perhaps through another.
    pub unreachable: bool,
    /// Whether it ends its unit.
    pub last_of_unit: bool,
    /// In data: whether it is the last of the exchange.
    pub last_of_data: bool,
}

impl Pdu {
    /// An IP datagram, a unit by itself, of which nothing is said yet.
    pub const IP: Self = Self { kind: PduKind::Ip, ..Self::EXAMPLE };

    const EXAMPLE: Self = Self {
        tag: Tag(0),
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
        failed: false,
        status: 0,
        unreadable: false,
        unreachable: false,
        last_of_unit: true,
        last_of_data: true,
    };

    /// 2048 bytes of data of a read, for tests.
    pub fn example() -> Self {
        Self::EXAMPLE
    }

    /// Whether it carries data and others of its unit follow it.
    pub fn is_within_unit(&self) -> bool {
        self.kind == PduKind::Data && !self.last_of_unit
    }

    /// Bytes of data that its sender asks for with it.
    pub fn asks_for_bytes(&self) -> u32 {
        match self.kind {
            PduKind::TransferReady => self.burst_bytes,
            PduKind::Command if !self.write => self.burst_bytes,
            _ => 0,
        }
    }

    /// The part of its unit that comes so many later, if all between carry as much.
    pub fn later(&self, parts: usize) -> Self {
        Self {
            offset: self.offset.wrapping_add(parts as u32 * self.payload_bytes),
            part: self.part.wrapping_add(parts as u16),
            ..*self
        }
    }

    /// Whether the originator of the exchange sends it.
    pub fn is_from_originator(&self) -> bool {
        match self.kind {
            PduKind::Command | PduKind::Abort | PduKind::Ip => true,
            PduKind::Data => self.write,
            PduKind::TransferReady
            | PduKind::Response
            | PduKind::AbortAccept
            | PduKind::AbortReject
            | PduKind::Control => false,
        }
    }
}
