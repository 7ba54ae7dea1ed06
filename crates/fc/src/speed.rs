//! Link speeds and the time of one transmission word.
//!
//! A transmission word carries 32 bits. For the speeds named G GFC it lasts exactly 640/(17 G) ns (40 bits of 8b/10b at
//! 1.0625 G GBd up to 8GFC; 64b/66b and 256b/257b above come out the same), serial 128GFC lasts 10/33 ns.

use sansim_describe::words::Word;
use sansim_kernel::Span;

sansim_describe::words! {
    /// A Fibre Channel link speed.
    #[derive(PartialOrd, Ord)]
    pub enum Speed {
        /// 1.0625 GBd, word 640/17 ns.
        G1 = "1GFC",
        /// 2.125 GBd, word 320/17 ns.
        G2 = "2GFC",
        /// 4.25 GBd, word 160/17 ns.
        G4 = "4GFC",
        /// 8.5 GBd, word 80/17 ns.
        G8 = "8GFC",
        /// 14.025 GBd, word 40/17 ns; not on a loop.
        G16 = "16GFC",
        /// 28.05 GBd, word 20/17 ns; not on a loop.
        G32 = "32GFC",
        /// 28.9 GBd PAM4, word 10/17 ns; not on a loop.
        G64 = "64GFC",
        /// 56.1 GBd PAM4 (serial), word 10/33 ns; not on a loop.
        G128 = "128GFC",
    }
}

impl Speed {
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
        Self::ALL.iter().find(|(_, word, _)| *word == name).map(|(speed, _, _)| *speed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_time_is_a_whole_number_of_ticks() {
        let ticks: Vec<u64> = Speed::ALL.iter().map(|(speed, _, _)| speed.word_time().ticks()).collect();
        assert_eq!(ticks, [21120, 10560, 5280, 2640, 1320, 660, 330, 170]);
    }

    #[test]
    fn the_number_of_a_speed_is_that_of_its_name() {
        for (speed, name, _) in Speed::ALL {
            assert_eq!(format!("{}GFC", speed.gfc()), *name);
        }
    }

    #[test]
    fn loops_end_at_8gfc() {
        assert!(Speed::G8.has_loop());
        assert!(!Speed::G16.has_loop());
        assert_eq!(Speed::from_name("8GFC"), Some(Speed::G8));
        assert_eq!(Speed::from_name("3GFC"), None);
    }
}
