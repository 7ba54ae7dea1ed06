//! Frames: kinds, sizes on the wire.
//!
//! Source: FC-FS frame layout. SOF 1 word, header 6, data field 0 to 528, CRC 1, EOF 1.

use crate::al_pa::AlPa;

/// Words of a frame besides its data field: SOF, six header words, CRC, EOF.
pub const OVERHEAD_WORDS: u64 = 9;

/// Names one exchange (one SCSI command from start to status) during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExchangeId(pub u32);

/// The information unit that a frame carries (all or part of).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrameKind {
    /// FCP_CMND
    Command,
    /// FCP_XFER_RDY
    TransferReady,
    /// FCP_DATA
    Data,
    /// FCP_RSP
    Response,
}

/// A frame on its way. The payload itself is not simulated, only its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The exchange it belongs to.
    pub exchange: ExchangeId,
    /// What it carries.
    pub kind: FrameKind,
    /// Sending port.
    pub source: AlPa,
    /// Receiving port.
    pub destination: AlPa,
    /// Payload bytes, 0 to 2112.
    pub payload_bytes: u16,
    /// Number of the frame in its sequence, from 0 (SEQ_CNT).
    pub sequence_count: u16,
    /// Place of the first payload byte in the data of the exchange (relative offset); of FCP_XFER_RDY the place of the
    /// burst it asks for.
    pub offset: u32,
    /// Whether it ends its sequence (EOFt).
    pub last_of_sequence: bool,
    /// For a data frame: whether it ends the data of the exchange.
    /// For FCP_XFER_RDY the burst length does not travel here; both ends know it by the exchange.
    pub last_of_data: bool,
}

impl Frame {
    /// Length from SOF to EOF in transmission words; the payload is filled up to whole words.
    pub fn words(&self) -> u64 {
        OVERHEAD_WORDS + u64::from(self.payload_bytes).div_ceil(4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(payload_bytes: u16) -> Frame {
        let port = AlPa::new(1).expect("valid");
        Frame {
            exchange: ExchangeId(0),
            kind: FrameKind::Data,
            source: port,
            destination: port,
            payload_bytes,
            sequence_count: 0,
            offset: 0,
            last_of_sequence: true,
            last_of_data: true,
        }
    }

    #[test]
    fn sizes_on_the_wire_are_those_of_the_standard() {
        // Information units of FCP and their frames: payload bytes, words from SOF to EOF.
        for (payload, words) in [(0, 9), (32, 17), (12, 12), (24, 15), (2048, 521), (2112, 537), (1, 10)] {
            assert_eq!(frame(payload).words(), words, "{payload} bytes");
        }
    }
}
