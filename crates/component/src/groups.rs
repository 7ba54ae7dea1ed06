//! Groups: several equal components described by one table, and how the workloads of a group divide their devices.

use sansim_schema::quantities::{Choice, Count, OrElse};
use sansim_schema::{table, words};

/// The members of a group, or `"one"`: then the component is no group, and its name has no number.
pub const MEMBERS: OrElse<Count<u32>> = OrElse { quantity: Count::<u32>::between(1, 100_000), word: "one" };

words! {
    /// How the workloads of a group divide the devices of `to` among themselves.
    pub enum DeviceDivision {
        /// Each goes to all of them.
        All = "all",
        /// Each goes to one: the first workload to the first device, the second to the second. Where there are fewer devices than workloads
        /// the next workload goes to the first device again.
        One = "one",
        /// The devices are dealt out in turns: of three workloads and twelve devices the first has devices 0, 3, 6 and 9.
        Turns = "turns",
        /// Each has as many consecutive devices: of three workloads and twelve devices the first has devices 0 to 3.
        Shares = "shares",
    }
}

table! {
    /// How many workloads the table describes, and which devices each of them goes to.
    #[derive(Copy, Eq)]
    pub struct WorkloadGroup {
        /// Number of equal workloads for each host of `from`. `"one"` is one workload with the name of the table; a number makes a group
        /// with the members `NAME[0]`, `NAME[1]` and so on, each with random numbers of its own. A workload from a group of hosts is a
        /// group in any case: its members go through the hosts in their order.
        count: Option<u32> = MEMBERS, default r#""one""#, source "ours: one, as long as nobody says otherwise";
        /// The share of the devices of `to` that each workload of a group goes to.
        devices_each: DeviceDivision = Choice::<DeviceDivision>::ANY, default r#""all""#, source "ours: a workload goes to all the devices that it names";
    }
}

impl DeviceDivision {
    /// The devices, by their numbers below `devices`, of a member of a group of `members` workloads.
    pub fn devices_of_member(self, member: u32, members: u32, devices: usize) -> Vec<usize> {
        let (member, members) = (member as usize, (members as usize).max(1));
        if devices == 0 {
            return Vec::new();
        }
        match self {
            Self::All => (0..devices).collect(),
            Self::One => vec![member % devices],
            Self::Turns | Self::Shares if devices < members => match self {
                Self::Turns => vec![member % devices],
                _ => vec![member * devices / members],
            },
            Self::Turns => (member..devices).step_by(members).collect(),
            Self::Shares => (member * devices / members..(member + 1) * devices / members).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_each(division: DeviceDivision, members: u32, devices: usize) -> Vec<Vec<usize>> {
        (0..members).map(|member| division.devices_of_member(member, members, devices)).collect()
    }

    #[test]
    fn each_division_is_what_its_description_says() {
        assert_eq!(of_each(DeviceDivision::All, 2, 3), [[0, 1, 2], [0, 1, 2]]);
        assert_eq!(of_each(DeviceDivision::One, 3, 2), [[0], [1], [0]]);
        assert_eq!(of_each(DeviceDivision::Turns, 3, 12)[0], [0, 3, 6, 9]);
        assert_eq!(of_each(DeviceDivision::Shares, 3, 12)[0], [0, 1, 2, 3]);
    }

    #[test]
    fn turns_and_shares_give_every_device_to_one_workload_and_every_workload_a_device() {
        for division in [DeviceDivision::Turns, DeviceDivision::Shares] {
            for (members, devices) in [(1, 1), (3, 12), (3, 13), (5, 7), (7, 5), (4, 1)] {
                let all = of_each(division, members, devices);
                assert!(all.iter().all(|own| !own.is_empty()), "{division:?}, {members} of {devices}");
                let mut taken: Vec<usize> = all.concat();
                taken.sort_unstable();
                if devices >= members as usize {
                    assert_eq!(taken, (0..devices).collect::<Vec<usize>>());
                }
                taken.dedup();
                assert_eq!(taken.len(), devices, "{division:?}, {members} of {devices}");
            }
        }
    }
}
