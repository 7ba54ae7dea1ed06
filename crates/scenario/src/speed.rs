//! The rates of Fibre Channel and the time of a transmission word at each.
//!
//! Source: FC-PI; for 8b/10b rates a word of four bytes is 40 line bits, for the later ones the rate after coding and
//! error correction counts. In both cases the word takes 640 / (17 G) ns at G GFC, up to 64GFC. Serial 128GFC is not
//! twice 64GFC: 112.2 Gbit/s x 514/544 x 256/257 = 105.6 Gbit/s, a word of 10/33 ns.

use sansim_kernel::{Span, TICKS_PER_NS};

use crate::words::words;

words! {
    /// A Fibre Channel rate by its name.
    pub enum Speed {
        /// 1.0625 GBd, word 640/17 ns.
        Gfc1 = "1GFC",
        /// 2.125 GBd, word 320/17 ns.
        Gfc2 = "2GFC",
        /// 4.25 GBd, word 160/17 ns.
        Gfc4 = "4GFC",
        /// 8.5 GBd, word 80/17 ns.
        Gfc8 = "8GFC",
        /// 14.025 GBd, word 40/17 ns; not on a loop.
        Gfc16 = "16GFC",
        /// 28.05 GBd, word 20/17 ns; not on a loop.
        Gfc32 = "32GFC",
        /// 28.9 GBd PAM4, word 10/17 ns; not on a loop.
        Gfc64 = "64GFC",
        /// 56.1 GBd PAM4 (serial), word 10/33 ns; not on a loop.
        Gfc128 = "128GFC",
    }
}

impl Speed {
    /// The number in the name: 2 for 2GFC.
    pub const fn gfc(self) -> u64 {
        match self {
            Speed::Gfc1 => 1,
            Speed::Gfc2 => 2,
            Speed::Gfc4 => 4,
            Speed::Gfc8 => 8,
            Speed::Gfc16 => 16,
            Speed::Gfc32 => 32,
            Speed::Gfc64 => 64,
            Speed::Gfc128 => 128,
        }
    }

    /// The exact time of one transmission word of four bytes; a whole number of ticks at every speed.
    pub const fn word_time(self) -> Span {
        match self {
            Speed::Gfc128 => Span(TICKS_PER_NS * 10 / 33),
            _ => Span(TICKS_PER_NS * 640 / (17 * self.gfc())),
        }
    }

    /// Whether arbitrated loops exist at this speed: 1GFC to 8GFC.
    pub const fn on_a_loop(self) -> bool {
        self.gfc() <= 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::Word;

    #[test]
    fn a_word_is_a_whole_number_of_ticks() {
        let ticks: Vec<u64> = Speed::ALL.iter().map(|(speed, _, _)| speed.word_time().ticks()).collect();
        assert_eq!(ticks, [21120, 10560, 5280, 2640, 1320, 660, 330, 170]);
        for &(speed, _, _) in Speed::ALL.iter().filter(|(speed, _, _)| *speed != Speed::Gfc128) {
            assert_eq!(speed.word_time() * 17 * speed.gfc(), Span::from_ns(640));
        }
    }
}
