//! The number of cases that random tests try: all that a test names in a long run, a share of them otherwise.
//!
//! A test names as many cases as are needed to trust a change of the tested code. `./dev test --long` tries all cases; every other run
//! tries a share, from the seed of its commit, so that the commits of a week have tried more together than one run of all cases.
//!
//! ```
//! std::hint::black_box(sansim_trials::case_count(600)); // 120, or 600 in a long run
//! ```
#![forbid(unsafe_code)]

/// The environment variable that has all cases tried, whatever its value.
pub const ALL: &str = "SANSIM_ALL_TRIALS";

/// One of this many cases is tried in a short run.
const OF: u32 = 5;

/// The fewest cases of a random test.
const LEAST: u32 = 16;

/// Whether all cases are to be tried, as in a long run.
pub fn tries_all_cases() -> bool {
    std::env::var_os(ALL).is_some()
}

/// The number of cases to try of those that a test names.
pub fn case_count(whole: u32) -> u32 {
    if tries_all_cases() { whole } else { share(whole) }
}

fn share(whole: u32) -> u32 {
    (whole / OF).max(LEAST).min(whole)
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn a_share_is_no_more_than_the_whole_and_no_less_than_the_least() {
        assert_eq!((share(600), share(40), share(12), share(0)), (120, 16, 12, 0));
    }
}
