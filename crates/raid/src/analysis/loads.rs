//! Accesses to each member per request, for requests of one data unit at random offsets, of which a fraction `reads` are reads: times the
//! rate of requests it is the rate of accesses to a member.
//!
//! The loads follow from counting the accesses of a small write: two for a mirror, four for parity (data and P read and written), six with
//! Q.

/// The accesses per member of RAID 1+0 of pairs.
pub fn mirror_member_accesses(members: u32, reads: f64) -> f64 {
    (reads + 2.0 * (1.0 - reads)) / f64::from(members)
}

/// The accesses per member of RAID 5 with read-modify-write.
pub fn raid5_member_accesses(members: u32, reads: f64) -> f64 {
    (reads + 4.0 * (1.0 - reads)) / f64::from(members)
}

/// The accesses per member of RAID 6 with read-modify-write.
pub fn raid6_member_accesses(members: u32, reads: f64) -> f64 {
    (reads + 6.0 * (1.0 - reads)) / f64::from(members)
}

/// The accesses per remaining member of RAID 5 after one member has failed. The accesses of reads are twice as many after a failure. For a
/// write there are two cases with probability 1/N each: the data unit was on the failed member, so N - 2 others are read and parity is
/// written; or parity was on the failed member, and only data are written. All other writes to a degraded RAID 5 need four accesses.
pub fn degraded_raid5_member_accesses(members: u32, reads: f64) -> f64 {
    let n = f64::from(members);
    2.0 * reads / n + (1.0 - reads) * (5.0 * n - 8.0) / (n * (n - 1.0))
}
