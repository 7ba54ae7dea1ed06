//! A single station at which requests arrive at random.
//!
//! Sources: Erlang 1917; Pollaczek 1930 and Khinchin 1932; Lee and Longton, Operational Research Quarterly 10, 1959, for M/G/m; Sakasegawa,
//! Annals of the Institute of Statistical Mathematics 29A, 1977.

/// The probability that all of `servers` are busy, at an M/M/m station with `at_work` busy servers in the mean
/// (Erlang C).
pub fn all_busy_probability(servers: u32, at_work: f64) -> f64 {
    let m = f64::from(servers);
    if at_work >= m {
        return 1.0;
    }
    // The loss probability of Erlang B is computed by its recursion, which does not overflow.
    let lost = (1..=servers).fold(1.0, |lost, k| at_work * lost / (f64::from(k) + at_work * lost));
    lost / (1.0 - at_work / m * (1.0 - lost))
}

/// The mean wait at an M/G/m station: exact for M/M/m and M/G/1, else by Lee and Longton. The result is none if more requests
/// arrive than complete.
pub fn mean_wait(servers: u32, rate: f64, service: f64, scv: f64) -> Option<f64> {
    let m = f64::from(servers);
    let at_work = rate * service;
    (at_work < m)
        .then(|| (1.0 + scv) / 2.0 * all_busy_probability(servers, at_work) * service / (m - at_work))
}

/// Sakasegawa's approximation of [`all_busy_probability`] by the utilisation alone, for cases in which the utilisation is the one that a
/// request sees.
pub fn all_busy_by_utilisation(servers: u32, utilisation: f64) -> f64 {
    let use_of_each = utilisation.clamp(0.0, 1.0);
    if servers == 1 { use_of_each } else { use_of_each.powf((2.0 * f64::from(servers + 1)).sqrt() - 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textbook_queues_come_out() {
        let near = |ours: f64, theirs: f64| assert!((ours - theirs).abs() < 5e-4 * theirs, "{ours} {theirs}");
        // M/M/1 at utilisation 0.8: the wait is 4 service times. M/D/1 at the same utilisation: the wait is
        // half as long.
        near(mean_wait(1, 0.8, 1.0, 1.0).unwrap(), 4.0);
        near(mean_wait(1, 0.8, 1.0, 0.0).unwrap(), 2.0);
        // Erlang C is 1/3 for 2 servers with 1 erlang, and 0.5541 for 5 servers with 4 erlangs (tables of
        // Erlang C).
        near(all_busy_probability(2, 1.0), 1.0 / 3.0);
        near(all_busy_probability(5, 4.0), 0.5541);
        assert_eq!(mean_wait(2, 2.0, 1.0, 1.0), None);
    }
}
