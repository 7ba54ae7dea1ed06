//! How transmission words become bits on the line, and how long the receiver of a link holds them back for forward error correction.
//!
//! Sources: FC-PI for the codes. A receiver that corrects errors has to have a whole code block before it can hand on its first word, so
//! the time of a block is the least that correction adds to every link; the time that a decoder takes beyond that is in no
//! public source and is left out.

use crate::speed::Speed;
use sansim_kernel::Span;

/// A line code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// 8b/10b: 40 bits for a word of four bytes.
    EightTen,
    /// 64b/66b: 66 bits for two words.
    SixtyFour,
    /// 256b/257b with a Reed-Solomon code: 257 bits for eight words, and its parity.
    TwoFiftySix,
}

/// Code blocks: bits on the line, and the line's bits per microsecond.
const FEC_16: (u64, u64) = (2_112, 14_025);
const RS_528_AT_32: (u64, u64) = (5_280, 28_050);
const RS_544_AT_64: (u64, u64) = (5_440, 57_800);
const RS_544_AT_128: (u64, u64) = (5_440, 112_200);

impl Coding {
    /// The code at a speed.
    pub fn of(speed: Speed) -> Self {
        match speed {
            Speed::G1 | Speed::G2 | Speed::G4 | Speed::G8 => Self::EightTen,
            Speed::G16 => Self::SixtyFour,
            Speed::G32 | Speed::G64 | Speed::G128 => Self::TwoFiftySix,
        }
    }
}

/// Whether every link of a speed corrects errors: from 32GFC on. At 16GFC both ends may agree on it; below there is none.
pub fn always_corrects(speed: Speed) -> bool {
    Coding::of(speed) == Coding::TwoFiftySix
}

/// The time of a code block, which correction adds to the way of every word; nothing at a speed that has none.
pub fn correction_latency(speed: Speed) -> Span {
    let (bits, per_us) = match speed {
        Speed::G1 | Speed::G2 | Speed::G4 | Speed::G8 => return Span::ZERO,
        Speed::G16 => FEC_16,
        Speed::G32 => RS_528_AT_32,
        Speed::G64 => RS_544_AT_64,
        Speed::G128 => RS_544_AT_128,
    };
    Span::from_ns_ratio(bits * 1_000, per_us)
}
