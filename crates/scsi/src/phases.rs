//! How long each phase of a connection takes.
//!
//! Sources: SPI-3 for the phases, SCSI-2 for messages. Each byte of a message, a command or a status has a handshake of its own. In a data
//! phase bytes move at the negotiated rate, or, where a node is slower, at the rate at which the slower node fetches or empties its
//! buffers.

use crate::parameters::ScsiBusParameters;
use sansim_kernel::Span;
use sansim_pdu::{Pdu, PduKind};

/// The bytes that begin a connection: IDENTIFY, and a queue tag message with its tag.
pub const OPENING_BYTES: u64 = 3;
/// The bytes of a command: READ(10) and WRITE(10).
pub const COMMAND_BYTES: u64 = 10;
/// The bytes that end a command: the status, and COMMAND COMPLETE.
pub const STATUS_BYTES: u64 = 2;
/// The bytes of an ABORT TAG message.
pub const ABORT_BYTES: u64 = 1;
/// The bytes of DISCONNECT after a command, and of SAVE DATA POINTER and DISCONNECT after data.
pub const DISCONNECT_BYTES: [u64; 2] = [1, 2];

/// The two nodes of a connection, as far as data phases depend on them.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionNodes {
    /// The bytes in a buffer of the sender; none for a node without buffers.
    pub payload_bytes: u64,
    /// The time that the sender takes to fetch the data of a buffer.
    pub fetch: Span,
    /// The time that the receiver takes to empty a buffer.
    pub take: Span,
}

/// The times that all connections of a bus have in common.
#[derive(Clone, Debug)]
pub struct BusTimes {
    /// The time from a free bus to the first message.
    pub arbitration: Span,
    /// The time from the last message to a free bus.
    pub clean_up: Span,
    control_byte: Span,
    parameters: ScsiBusParameters,
}

impl BusTimes {
    /// The times of the bus with these parameters.
    pub fn new(parameters: &ScsiBusParameters) -> Self {
        let &ScsiBusParameters { arbitration, clean_up, control_byte, .. } = parameters;
        Self { arbitration, clean_up, control_byte, parameters: parameters.clone() }
    }

    /// The time of this number of control bytes, each with a handshake.
    pub fn control_bytes_time(&self, bytes: u64) -> Span {
        self.control_byte * bytes
    }

    /// The time in which a buffer of data moves between two nodes.
    pub fn data_piece_time(&self, bytes: u64, nodes: &ConnectionNodes) -> Span {
        self.parameters.data_phase_time(bytes).max(nodes.fetch).max(nodes.take)
    }

    /// The time of the phase that carries this PDU.
    pub fn pdu_phase_time(&self, pdu: &Pdu, nodes: &ConnectionNodes) -> Span {
        match pdu.kind {
            PduKind::Data => self.data(pdu, nodes),
            PduKind::Command => self.control_bytes_time(COMMAND_BYTES),
            PduKind::Response => self.control_bytes_time(STATUS_BYTES),
            // The messages of task management have a byte as well.
            PduKind::Abort | PduKind::ServiceRequest => self.control_bytes_time(ABORT_BYTES),
            // Readiness for data takes no time, because the target goes on to the data phase; neither does the answer to an abort, which is
            // that the bus becomes free.
            _ => Span::ZERO,
        }
    }

    fn data(&self, pdu: &Pdu, nodes: &ConnectionNodes) -> Span {
        let (bytes, payload) = (u64::from(pdu.payload_bytes), nodes.payload_bytes);
        let by_rate = self.parameters.data_phase_time(bytes);
        if payload == 0 {
            return by_rate;
        }
        // A node slower than the bus delays each buffer of a sequence except the last, whose data are ready when the sequence is handed to
        // the bus.
        let before = bytes.div_ceil(payload).max(1) - 1;
        let piece = self.data_piece_time(payload, nodes);
        by_rate.max(piece * before + self.parameters.data_phase_time(bytes - before * payload))
    }
}
