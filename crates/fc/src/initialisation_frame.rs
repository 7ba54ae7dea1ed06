//! The frames of loop initialisation, and its timers.
//!
//! Source: Hitachi Ultrastar 15K450 (FC-AL) specification, table 253 for the frames, and 17.5 (table 87) for the timers.

use crate::al_pa::AlPa;
use crate::frame::OVERHEAD_WORDS;
use sansim_kernel::Span;

/// AL_TIME: twice the longest round trip of a very large loop. After LIP a port sends IDLE for this time (Seagate manual, 8.2; Hitachi
/// 15K450, table 87).
pub const AL_TIME: Span = Span::from_ms(15);
/// LIS_HOLD_TIME: the longest time for which a port may keep an initialisation frame (Hitachi 15K450, table 87).
pub const LONGEST_HOLD_TIME: Span = Span::from_ms(1);
/// E_D_TOV: a port that waits for the other end of its circuit for this time initialises the loop (Hitachi 15K450, table 87; the
/// Tachyon adapter does so).
pub const ERROR_DETECT_TIME_OUT: Span = Span::from_ms(2_000);
/// A loop initialisation sequence. Each consists of one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum InitialisationFrame {
    /// LISM selects the loop master.
    SelectMaster,
    /// LIFA has the addresses that the fabric assigned.
    FabricAssigned,
    /// LIPA has the addresses that ports had before.
    PreviouslyAcquired,
    /// LIHA has the addresses that hardware sets.
    HardAssigned,
    /// LISA has the addresses that ports choose.
    SoftAssigned,
    /// LIRP collects the addresses in the order of the loop.
    ReportPosition,
    /// LILP distributes the list of LIRP.
    LoopPosition,
}

impl InitialisationFrame {
    /// All frames, in the order in which they are sent.
    pub const ALL: [Self; 7] = [
        Self::SelectMaster,
        Self::FabricAssigned,
        Self::PreviouslyAcquired,
        Self::HardAssigned,
        Self::SoftAssigned,
        Self::ReportPosition,
        Self::LoopPosition,
    ];

    /// The name of the standard.
    pub fn name(self) -> &'static str {
        ["LISM", "LIFA", "LIPA", "LIHA", "LISA", "LIRP", "LILP"][self as usize]
    }

    /// The first word of the payload, which identifies the frame (Hitachi 15K450, table 253). In LISA its last byte but one says that
    /// LIRP and LILP follow.
    pub fn identifier(self) -> [u8; 4] {
        let supports_positions = u8::from(self == Self::SoftAssigned);
        [0x11, 1 + self as u8, supports_positions, 0]
    }

    /// The frame with this first word of its payload.
    pub fn from_identifier(identifier: [u8; 4]) -> Option<Self> {
        Self::ALL.into_iter().find(|frame| frame.identifier() == identifier)
    }

    /// The bytes of the payload: the identifier, and a port name, a bit map of addresses or a list of addresses.
    pub fn payload_bytes(self) -> u32 {
        match self {
            Self::SelectMaster => 4 + 8,
            Self::ReportPosition | Self::LoopPosition => 4 + 128,
            _ => 4 + 16,
        }
    }

    /// The length from SOF to EOF in transmission words.
    pub fn length_in_words(self) -> u64 {
        OVERHEAD_WORDS + u64::from(self.payload_bytes()) / 4
    }
}

/// An initialisation frame as a port sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InitialisationUnit {
    /// The frame.
    pub frame: InitialisationFrame,
    /// The addresses that have been entered, by their places in the bit map ([`place_in_bit_map`]); none in LISM, which has the port name
    /// of the master.
    pub map: u128,
    /// The loop master, at which LIRP and LILP begin.
    pub master: AlPa,
}

/// The place of an address in the bit map of an initialisation frame, from 1; place 0 says that a login is required (Seagate manual,
/// 8.1).
pub fn place_in_bit_map(al_pa: AlPa) -> usize {
    al_pa.priority_rank() + 1
}
