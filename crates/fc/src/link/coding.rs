//! How transmission words become bits on the line, and how long the receiver of a link holds them back for forward error correction.
//!
//! Sources: FC-PI and FC-FS for the codes. A receiver that corrects errors has to have a whole code block before it can hand on its first
//! word, so the time of a block is the least that correction adds to every link; the time that a decoder takes beyond that is in no
//! public source and is left out.

/// A line code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineCode {
    /// 8b/10b: 40 bits for a word of four bytes.
    EightTen,
    /// 64b/66b: 66 bits for two words. Where both ends agree they correct errors, in blocks of 2,112 bits; the correction adds no
    /// bits to a block.
    SixtyFour,
    /// 256b/257b, 257 bits for eight words, and Reed-Solomon (528, 514): 5,280 bits for 160 words.
    ReedSolomon528,
    /// 256b/257b and Reed-Solomon (544, 514): 5,440 bits for 160 words.
    ReedSolomon544,
}

/// Whether the receivers of links correct errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorCorrection {
    /// The speed has no forward error correction.
    Never,
    /// Forward error correction is active if both ends of the link agree on it.
    IfAgreed,
    /// Every link corrects errors.
    Always,
}

impl LineCode {
    /// Bits of a word on the line, with its part of the overhead of the code.
    pub const fn word_bits(self) -> u64 {
        match self {
            Self::EightTen => 40,
            Self::SixtyFour | Self::ReedSolomon528 => 33,
            Self::ReedSolomon544 => 34,
        }
    }

    /// Bits of a code block; none without forward error correction.
    pub const fn block_bits(self) -> u64 {
        match self {
            Self::EightTen => 0,
            Self::SixtyFour => 2_112,
            Self::ReedSolomon528 => 5_280,
            Self::ReedSolomon544 => 5_440,
        }
    }

    /// Whether links with this code correct errors.
    pub const fn corrects(self) -> ErrorCorrection {
        match self {
            Self::EightTen => ErrorCorrection::Never,
            Self::SixtyFour => ErrorCorrection::IfAgreed,
            Self::ReedSolomon528 | Self::ReedSolomon544 => ErrorCorrection::Always,
        }
    }
}
