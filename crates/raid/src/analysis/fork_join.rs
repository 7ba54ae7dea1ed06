//! Response times of requests that fork into `branches` parts and are done when the last part is: means in mean service times, where each
//! branch is M/M/1 with the same `utilisation` below 1.
//!
//! Sources: Nelson and Tantawi, "Approximate analysis of fork/join synchronization in parallel queues", IEEE Transactions on Computers
//! 37(6), 1988, for the exact value of two branches (Flatto and Hahn), the upper bound and the approximation, which is given there for up
//! to 32 branches; Varki, Merchant and Chen for the mean of the bounds.

/// The harmonic number 1 + 1/2 + ... + 1/n.
pub fn harmonic_number(n: u32) -> f64 {
    (1..=n).rev().map(|k| 1.0 / f64::from(k)).sum()
}

/// The exact mean response time with two branches.
pub fn response_of_two_branches(utilisation: f64) -> f64 {
    (12.0 - utilisation) / 8.0 / (1.0 - utilisation)
}

/// The upper bound of the mean response time: independent branches.
pub fn response_upper_bound(branches: u32, utilisation: f64) -> f64 {
    harmonic_number(branches) / (1.0 - utilisation)
}

/// The lower bound of the mean response time: the sum of 1 / (i - utilisation).
pub fn response_lower_bound(branches: u32, utilisation: f64) -> f64 {
    (1..=branches).rev().map(|i| 1.0 / (f64::from(i) - utilisation)).sum()
}

/// The mean of the two bounds, which Varki, Merchant and Chen use as an approximation.
pub fn mean_of_response_bounds(branches: u32, utilisation: f64) -> f64 {
    0.5 * (response_upper_bound(branches, utilisation) + response_lower_bound(branches, utilisation))
}

/// The approximation of Nelson and Tantawi, for two branches and more; one branch is M/M/1.
pub fn nelson_tantawi_response(branches: u32, utilisation: f64) -> f64 {
    if branches < 2 {
        return 1.0 / (1.0 - utilisation);
    }
    let growth = harmonic_number(branches) / harmonic_number(2);
    (growth + 4.0 / 11.0 * (1.0 - growth) * utilisation) * response_of_two_branches(utilisation)
}
