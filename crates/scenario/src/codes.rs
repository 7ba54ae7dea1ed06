//! The codes of all errors of scenarios.

use sansim_schema::codes::{self, Code};

sansim_schema::codes! {
    /// The same AL_PA is given to two ports.
    DUPLICATE_AL_PA = 301,
    /// The loop has more than 127 ports.
    TOO_MANY_PORTS = 302,
    /// A component with ports is on no loop.
    ON_NO_LOOP = 305,
    /// A port is in the stations of two loops.
    PORT_TWICE = 310,
    /// A device has two owners.
    TWO_OWNERS = 311,
    /// Components ask each other in a ring.
    ROUND_IN_A_RING = 312,
    /// Groups have more members than can be built.
    TOO_MANY_PARTS = 313,
    /// No path leads from an asker to its device.
    NO_WAY = 314,
    /// The action of an event is not possible for a component of this kind.
    NOT_POSSIBLE = 315,
    /// A template contains itself.
    TEMPLATE_IN_ITSELF = 316,
}

/// Every code, in ascending order.
pub fn all_codes() -> Vec<Code> {
    let mut all = [codes::ALL, sansim_fc::codes::ALL, ALL].concat();
    all.sort();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_number_of_its_own() {
        let mut numbers: Vec<String> = all_codes().iter().map(Code::to_string).collect();
        let count = numbers.len();
        numbers.dedup();
        assert_eq!(numbers.len(), count);
    }
}
