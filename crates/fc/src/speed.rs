//! Link speeds: the name of each speed, its bits on the line, and its line code. All other values of a speed follow from these,
//! such as the time of one transmission word.
//!
//! A transmission word carries 32 bits, and takes more on the line (`coding.rs`). For the speeds named G GFC up to 64GFC it lasts exactly
//! 640/(17 G) ns, at serial 128GFC 10/33 ns.

use crate::link::coding::LineCode;
use sansim_kernel::Span;

/// Declares the speeds, the slowest first, each by its name, its bits on the line in a millisecond, and its line
/// code.
macro_rules! speeds {
    ($($(#[doc = $doc:literal])* $speed:ident = $name:literal, $bits_per_ms:literal, $coding:ident;)*) => {
        sansim_schema::words! {
            /// A Fibre Channel link speed.
            #[derive(PartialOrd, Ord)]
            pub enum Speed {
                $($(#[doc = $doc])* $speed = $name,)*
            }
        }

        impl Speed {
            /// The number of bits on the line in a millisecond, including the overhead of the code.
            pub const fn bits_per_ms(self) -> u64 {
                match self {
                    $(Self::$speed => $bits_per_ms,)*
                }
            }

            /// The code that turns words into bits.
            pub const fn coding(self) -> LineCode {
                match self {
                    $(Self::$speed => LineCode::$coding,)*
                }
            }
        }
    };
}

speeds! {
    /// 1.0625 GBd, word 640/17 ns.
    G1 = "1GFC", 1_062_500, EightTen;
    /// 2.125 GBd, word 320/17 ns.
    G2 = "2GFC", 2_125_000, EightTen;
    /// 4.25 GBd, word 160/17 ns.
    G4 = "4GFC", 4_250_000, EightTen;
    /// 8.5 GBd, word 80/17 ns.
    G8 = "8GFC", 8_500_000, EightTen;
    /// 14.025 GBd, word 40/17 ns; not on a loop.
    G16 = "16GFC", 14_025_000, SixtyFour;
    /// 28.05 GBd, word 20/17 ns; not on a loop.
    G32 = "32GFC", 28_050_000, ReedSolomon528;
    /// 28.9 GBd PAM4, word 10/17 ns; not on a loop.
    G64 = "64GFC", 57_800_000, ReedSolomon544;
    /// 56.1 GBd PAM4 (serial), word 10/33 ns; not on a loop.
    G128 = "128GFC", 112_200_000, ReedSolomon544;
}

impl Speed {
    /// The time of this number of bits on the line.
    pub const fn line_time(self, bits: u64) -> Span {
        Span::from_ns_ratio(bits * 1_000_000, self.bits_per_ms())
    }

    /// The exact time of one transmission word.
    pub const fn word_time(self) -> Span {
        self.line_time(self.coding().word_bits())
    }

    /// The time of a code block, by which error correction delays every word; zero at a speed without correction.
    pub const fn correction_latency(self) -> Span {
        self.line_time(self.coding().block_bits())
    }

    /// Whether an arbitrated loop exists at this speed (1GFC to 8GFC).
    pub fn has_loop(self) -> bool {
        self.coding() == LineCode::EightTen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_schema::words::Word;

    #[test]
    fn a_word_takes_what_the_name_of_a_speed_says() {
        for (speed, name, _) in Speed::ALL {
            let number: u64 = name.trim_end_matches("GFC").parse().expect("a number");
            let ns = if number < 128 { (640, 17 * number) } else { (1_280, 33 * number) };
            assert_eq!(speed.word_time(), Span::from_ns_ratio(ns.0, ns.1), "{name}");
        }
        let ticks: Vec<u64> = Speed::ALL.iter().map(|(speed, _, _)| speed.word_time().ticks()).collect();
        assert_eq!(ticks, [21120, 10560, 5280, 2640, 1320, 660, 330, 170], "each is a whole number");
    }

    #[test]
    fn speeds_are_in_their_order() {
        assert!(Speed::ALL.is_sorted_by_key(|(speed, _, _)| speed.bits_per_ms()));
    }

    #[test]
    fn loops_end_at_8gfc() {
        assert!(Speed::G8.has_loop());
        assert!(!Speed::G16.has_loop());
    }
}
