//! Mean time to data loss by formula, for exponential lives and rebuilds.
//!
//! Sources: Patterson, Gibson and Katz, "A case for redundant arrays of inexpensive disks (RAID)", SIGMOD 1988; Chen, Lee, Gibson, Katz
//! and Patterson, "RAID: high-performance, reliable secondary storage", ACM Computing Surveys 26(2), 1994; Holland and Gibson, "Parity
//! declustering for continuous operation in redundant disk arrays", ASPLOS 1992.

use super::Redundancy;
use sansim_kernel::functions::exponential;

/// The formula in common use: MTTF^(f+1) / (N (N-1) ... (N-f) MTTR^f), where f members may be failed. The classic formula is valid where a
/// rebuild is much shorter than a life, and for f > 1 counts one rebuild at a time; with a rebuild for each failed member use
/// [`exact_mttdl_h`], which is longer by f!.
pub fn classic_mttdl_h(array: Redundancy, mttf_h: f64, mttr_h: f64) -> f64 {
    let mut mttdl = mttf_h / f64::from(array.members);
    for failed in 1..=array.stands.min(array.members.saturating_sub(1)) {
        mttdl *= mttf_h / (f64::from(array.members - failed) * mttr_h);
    }
    mttdl
}

/// The mean time to data loss without approximation, as a birth and death process: with k members failed the next one fails at the rate
/// `(N - k) / MTTF`, and k rebuilds, or one, are in progress at the rate `1 / MTTR` each. The mean time from k to k + 1 failed members is
/// one over the rate of failures, plus the time from k - 1 to k as often as a rebuild ends first.
pub fn exact_mttdl_h(array: Redundancy, mttf_h: f64, mttr_h: f64, one_at_a_time: bool) -> f64 {
    exact_mttdl_from_h(array, mttf_h, mttr_h, one_at_a_time, 0)
}

/// The exact mean time from this many failed members on, each of which is rebuilt from then on.
pub fn exact_mttdl_from_h(
    array: Redundancy,
    mttf_h: f64,
    mttr_h: f64,
    one_at_a_time: bool,
    failed_at_start: u32,
) -> f64 {
    let (mut total, mut to_next) = (0.0, 0.0);
    for failed in 0..=array.stands.min(array.members.saturating_sub(1)) {
        let fails = f64::from(array.members - failed) / mttf_h;
        let rebuilds = if one_at_a_time { failed.min(1) } else { failed };
        to_next = 1.0 / fails + f64::from(rebuilds) / mttr_h / fails * to_next;
        if failed >= failed_at_start {
            total += to_next;
        }
    }
    total
}

/// The mean time for several such groups, none of which may lose data: for RAID 1+0 the groups are the mirrors. The formula is valid where
/// losses come at a constant rate, which is nearly so where a rebuild is much shorter than a life.
pub fn mttdl_of_groups_h(mttdl_h: f64, groups: u32) -> f64 {
    mttdl_h / f64::from(groups)
}

/// The mean time to data loss of RAID 5 where a rebuild also fails on an unreadable sector. Each time a member fails, data are lost if
/// another member fails before the rebuild is over, or else at its end if the N - 1 others cannot all be read. The formula is exact for
/// exponential lives and rebuilds: the mean time from one failure to the next with all members working between, over the probability of a
/// loss.
pub fn raid5_with_sector_errors_h(
    members: u32,
    mttf_h: f64,
    mttr_h: f64,
    member_bytes: f64,
    errors_per_byte: f64,
) -> f64 {
    let (fails, survivors) = (f64::from(members) / mttf_h, f64::from(members - 1));
    let unreadable = 1.0 - exponential(-survivors * member_bytes * errors_per_byte);
    // The two rates, of the next failure and of the end of the rebuild, determine the first event.
    let (next, end) = (survivors / mttf_h, 1.0 / mttr_h);
    let fails_meanwhile = next / (next + end);
    let is_lost = fails_meanwhile + (1.0 - fails_meanwhile) * unreadable;
    (1.0 / fails + 1.0 / (next + end)) / is_lost
}

/// The time of a rebuild into distributed spare space, if it is as fast as members can read and write: each survivor reads its share of the
/// stripes that had units on the failed member, (width - 1) / (members - 1) of its data, and writes 1 / (members - 1).
pub fn declustered_rebuild_h(member_bytes: f64, bytes_per_s: f64, width: u32, members: u32) -> f64 {
    let survivors = f64::from(members - 1);
    let moved = member_bytes * (f64::from(width - 1) + 1.0) / survivors;
    moved / bytes_per_s / 3600.0
}
