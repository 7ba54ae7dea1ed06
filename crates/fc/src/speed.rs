//! Link speeds and the time of one transmission word.
//!
//! A transmission word carries 32 bits. For the speeds named G GFC it lasts exactly 640/(17 G) ns (40 bits of 8b/10b at
//! 1.0625 G GBd up to 8GFC; 64b/66b and 256b/257b above come out the same), serial 128GFC lasts 10/33 ns.

use sansim_kernel::Span;
use std::fmt;

/// A Fibre Channel link speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Speed {
    /// 1.0625 GBd
    G1,
    /// 2.125 GBd
    G2,
    /// 4.25 GBd
    G4,
    /// 8.5 GBd
    G8,
    /// 14.025 GBd, no loops from here on
    G16,
    /// 28.05 GBd
    G32,
    /// 28.9 GBd PAM4
    G64,
    /// 56.1 GBd PAM4, serial
    G128,
}

impl Speed {
    /// Every speed, slowest first.
    pub const ALL: [Self; 8] =
        [Self::G1, Self::G2, Self::G4, Self::G8, Self::G16, Self::G32, Self::G64, Self::G128];

    /// The number in the name: 2 for 2GFC.
    pub fn gfc(self) -> u64 {
        1 << (self as u64)
    }

    /// Exact time of one transmission word.
    pub fn word_time(self) -> Span {
        match self {
            Self::G128 => Span::from_ns_ratio(10, 33),
            _ => Span::from_ns_ratio(640, 17 * self.gfc()),
        }
    }

    /// Whether an arbitrated loop exists at this speed (1GFC to 8GFC).
    pub fn has_loop(self) -> bool {
        self <= Self::G8
    }

    /// The speed of a name such as `2GFC`, exactly so written.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.to_string() == name)
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}GFC", self.gfc())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_time_is_a_whole_number_of_ticks() {
        let ticks: Vec<u64> = Speed::ALL.iter().map(|s| s.word_time().ticks()).collect();
        assert_eq!(ticks, [21120, 10560, 5280, 2640, 1320, 660, 330, 170]);
    }

    #[test]
    fn loops_end_at_8gfc() {
        assert!(Speed::G8.has_loop());
        assert!(!Speed::G16.has_loop());
        assert_eq!(Speed::from_name("8GFC"), Some(Speed::G8));
        assert_eq!(Speed::from_name("3GFC"), None);
    }
}
