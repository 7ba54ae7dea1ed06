//! The codes of everything that can be wrong with a scenario or a study.

use sansim_describe::codes::{self, Code};

sansim_describe::codes! {
    /// The same AL_PA is given to two ports.
    DUPLICATE_AL_PA = 301,
    /// The loop has more than 127 ports.
    TOO_MANY_PORTS = 302,
    /// A component with ports is on no loop.
    ON_NO_LOOP = 305,
}

/// What only a study can have wrong. Studies are read in Python, which names the codes.
pub mod study {
    sansim_describe::codes! {
        /// A study has no axis of this name, or the axis has no such value.
        UNKNOWN_AXIS = 401,
        /// An axis has no values.
        EMPTY_AXIS = 402,
        /// Something refers to a metric that the study does not measure.
        NOT_MEASURED = 403,
        /// Axes that advance together have different numbers of values.
        ZIP_LENGTHS = 404,
        /// A point of a study is not a valid scenario.
        BAD_POINT = 405,
        /// A formula cannot be computed.
        BAD_FORMULA = 406,
        /// An expected value says nothing that could be checked, or several things at once.
        BAD_CHECK = 407,
        /// A run has no such figure, or it is no number.
        NO_SUCH_FIGURE = 408,
    }
}

/// Every code, in ascending order.
pub fn all() -> Vec<Code> {
    let mut all = [codes::ALL, sansim_fc::codes::ALL, ALL, study::ALL].concat();
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
