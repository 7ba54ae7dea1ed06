//! The codes of everything that can be wrong with a scenario.

use sansim_describe::codes::{self, Code};

sansim_describe::codes! {
    /// The same AL_PA is given to two ports.
    DUPLICATE_AL_PA = 301,
    /// The loop has more than 127 ports.
    TOO_MANY_PORTS = 302,
    /// A component with ports is on no loop.
    ON_NO_LOOP = 305,
}

/// Every code, in ascending order.
pub fn all() -> Vec<Code> {
    let mut all = [codes::ALL, sansim_fc::codes::ALL, ALL].concat();
    all.sort();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_number_of_its_own() {
        let mut numbers: Vec<String> = all().iter().map(Code::to_string).collect();
        let count = numbers.len();
        numbers.dedup();
        assert_eq!(numbers.len(), count);
    }
}
