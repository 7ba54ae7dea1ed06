//! How the speeds of Fibre Channel are written in a scenario.

use crate::words::Word;
use sansim_fc::speed::Speed;

impl Word for Speed {
    const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Speed::G1, "1GFC", "1.0625 GBd, word 640/17 ns."),
        (Speed::G2, "2GFC", "2.125 GBd, word 320/17 ns."),
        (Speed::G4, "4GFC", "4.25 GBd, word 160/17 ns."),
        (Speed::G8, "8GFC", "8.5 GBd, word 80/17 ns."),
        (Speed::G16, "16GFC", "14.025 GBd, word 40/17 ns; not on a loop."),
        (Speed::G32, "32GFC", "28.05 GBd, word 20/17 ns; not on a loop."),
        (Speed::G64, "64GFC", "28.9 GBd PAM4, word 10/17 ns; not on a loop."),
        (Speed::G128, "128GFC", "56.1 GBd PAM4 (serial), word 10/33 ns; not on a loop."),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_speed_is_written_by_its_name() {
        let words: Vec<&str> = <Speed as Word>::ALL.iter().map(|(_, word, _)| *word).collect();
        let names: Vec<String> = Speed::ALL.iter().map(ToString::to_string).collect();
        assert_eq!(words, names);
    }
}
