//! Accesses to each member per request, for requests of one data unit at random places, of which a fraction `reads` are reads: times the
//! rate of requests it is the rate of accesses to a member.
//!
//! By counting the accesses of a small write: two to a mirror, four to parity (data and P read and written), six with Q.

/// RAID 1+0 of pairs.
pub fn mirror(members: u32, reads: f64) -> f64 {
    (reads + 2.0 * (1.0 - reads)) / f64::from(members)
}

/// RAID 5 with read-modify-write.
pub fn raid5(members: u32, reads: f64) -> f64 {
    (reads + 4.0 * (1.0 - reads)) / f64::from(members)
}

/// RAID 6 with read-modify-write.
pub fn raid6(members: u32, reads: f64) -> f64 {
    (reads + 6.0 * (1.0 - reads)) / f64::from(members)
}

/// RAID 5 after one member has failed, for each remaining member. Reads are twice as many. For a write, with probability 1/N each: data were on the
/// failed member, N - 2 others are read and parity written; or parity was on it, and only data are written. All other writes need four accesses.
pub fn degraded_raid5(members: u32, reads: f64) -> f64 {
    let n = f64::from(members);
    2.0 * reads / n + (1.0 - reads) * (5.0 * n - 8.0) / (n * (n - 1.0))
}
