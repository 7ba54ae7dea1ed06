//! The state of arrays of arrays for the simulation of lives and rebuilds: what works, what is being rebuilt, and when data are lost.

use super::{RebuildTimes, Redundancy};
use sansim_kernel::RandomStream;
use sansim_kernel::functions::exponential;

/// One level of nested arrays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NestLevel {
    /// The number of members of an array of this level, and how many of them may be failed. Groups that all have to keep their data, as the
    /// mirrors of RAID 1+0, are a level that tolerates no failure.
    pub group: Redundancy,
    /// The time to rebuild a member of the level.
    pub rebuilds: RebuildTimes,
}

/// The end of a rebuild.
#[derive(Clone, Copy)]
enum Ends {
    /// The rebuild ends at this time.
    At(f64),
    /// The rebuild ends at a random time, at this rate per hour.
    Per(f64),
}

/// A rebuild in progress.
#[derive(Clone, Copy)]
struct Rebuild {
    ends: Ends,
    level: usize,
    /// The member that is rebuilt, numbered over all arrays of the level.
    member: usize,
}

/// A level with the state of all of its arrays.
struct Floor {
    members: usize,
    stands: u32,
    rebuilds: RebuildTimes,
    /// The number of drives in one member.
    drives_of_member: u64,
    /// The number of failed members of each array that are not rebuilt.
    failed: Vec<u32>,
    /// For each member of each array, the number of its drives that work and matter: 0 for a failed member.
    working: Vec<u64>,
    /// For each member, the number of rebuilds inside it, without its own.
    troubled: Vec<u32>,
}

/// Nested arrays; the first level is that over drives. An array that has lost data is a failed member of the array above it. The array
/// above rebuilds a lost member as a whole: its drives are new and work from then on, and do not matter until the rebuild is done.
pub(super) struct Nest {
    floors: Vec<Floor>,
    rebuilds: Vec<Rebuild>,
    /// The number of unreadable sectors per drive that a rebuild without remaining redundancy has to read.
    unreadable_per_drive: f64,
    working: u64,
    /// The number of drives that have failed so far.
    pub(super) failures: u64,
}

/// The weight of a random step: its natural probability divided by its biased probability.
pub(super) type Weight = f64;

/// The bias by which failures are made likely. See the text of `rare.rs`.
#[derive(Clone, Copy)]
pub(super) struct Bias {
    /// The probability that is given to a failure before the next end of a rebuild.
    pub(super) failure: f64,
    /// The probability that is given to a failure in an array that is being rebuilt.
    pub(super) troubled: f64,
}

impl Nest {
    /// Nested arrays in which all drives work. The levels begin with that over drives; a drive has `unreadable_per_drive` unreadable
    /// sectors in the mean.
    pub(super) fn new(levels: &[NestLevel], unreadable_per_drive: f64) -> Self {
        let members = |level: &NestLevel| level.group.members.max(1) as usize;
        let (mut floors, mut drives_of_member) = (Vec::new(), 1);
        for (number, level) in levels.iter().enumerate() {
            let arrays: usize = levels[number + 1..].iter().map(members).product();
            let all = arrays * members(level);
            floors.push(Floor {
                members: members(level),
                stands: level.group.stands.min(level.group.members.max(1) - 1),
                rebuilds: level.rebuilds,
                drives_of_member,
                failed: vec![0; arrays],
                working: vec![drives_of_member; all],
                troubled: vec![0; all],
            });
            drives_of_member *= members(level) as u64;
        }
        let working = drives_of_member;
        Self { floors, rebuilds: Vec::new(), unreadable_per_drive, working, failures: 0 }
    }

    /// All members work again, on new drives.
    pub(super) fn renew(&mut self) {
        for level in 0..self.floors.len() {
            let floor = &mut self.floors[level];
            floor.failed.fill(0);
            floor.working.fill(floor.drives_of_member);
            floor.troubled.fill(0);
        }
        self.working = self.floors.last().map_or(0, |top| top.drives_of_member * top.members as u64);
        self.rebuilds.clear();
    }

    /// The number of drives that work and whose failure matters.
    pub(super) fn working(&self) -> u64 {
        self.working
    }

    /// Whether no member is being rebuilt.
    pub(super) fn is_whole(&self) -> bool {
        self.rebuilds.is_empty()
    }

    /// The first known end of a rebuild, and the index of that rebuild; never and no index if no end is known.
    pub(super) fn known_end(&self) -> (f64, usize) {
        let known = self.rebuilds.iter().enumerate().filter_map(|(place, rebuild)| match rebuild.ends {
            Ends::At(end_h) => Some((end_h, place)),
            Ends::Per(_) => None,
        });
        known.min_by(|one, other| one.0.total_cmp(&other.0)).unwrap_or((f64::INFINITY, usize::MAX))
    }

    /// The sum of the rates, per hour, at which rebuilds with random ends come to their end.
    pub(super) fn other_ends_per_h(&self) -> f64 {
        let rates =
            self.rebuilds.iter().map(|rebuild| if let Ends::Per(rate) = rebuild.ends { rate } else { 0.0 });
        rates.sum()
    }

    /// The index of the rebuild with a random end that ends.
    pub(super) fn other_end(&self, random: &mut RandomStream) -> usize {
        let mut left = random.unit_f64() * self.other_ends_per_h();
        let mut last = 0;
        for (place, rebuild) in self.rebuilds.iter().enumerate() {
            if let Ends::Per(rate) = rebuild.ends {
                last = place;
                left -= rate;
                if left < 0.0 {
                    break;
                }
            }
        }
        last
    }

    /// The drive that fails next. All working drives are equally likely to fail; with a bias, drives of arrays that are being rebuilt are
    /// chosen more often.
    pub(super) fn choose(&self, random: &mut RandomStream, bias: Option<Bias>) -> (usize, Weight) {
        let (mut array, mut weight) = (0, 1.0);
        for floor in self.floors.iter().rev() {
            let members = array * floor.members..(array + 1) * floor.members;
            let of = |is_troubled: Option<bool>| {
                let counts = members.clone().filter(move |&member| {
                    is_troubled.is_none_or(|wanted| (floor.troubled[member] > 0) == wanted)
                });
                counts.map(|member| floor.working[member]).sum::<u64>()
            };
            let (all, troubled) = (of(None), of(Some(true)));
            let mut wanted = None;
            if let Some(bias) = bias.filter(|_| troubled > 0 && troubled < all) {
                let share = troubled as f64 / all as f64;
                let made = bias.troubled.max(share);
                let is_troubled = random.chance(made);
                weight *= if is_troubled { share / made } else { (1.0 - share) / (1.0 - made) };
                wanted = Some(is_troubled);
            }
            let mut left = random.draw_below(of(wanted));
            array = members.start;
            for member in members.clone() {
                if wanted.is_some_and(|wanted| (floor.troubled[member] > 0) != wanted) {
                    continue;
                }
                array = member;
                let Some(less) = left.checked_sub(floor.working[member]) else { break };
                left = less;
            }
        }
        (array, weight)
    }

    /// A drive fails. Returns whether data are lost for good.
    pub(super) fn fail(&mut self, now_h: f64, drive: usize) -> bool {
        self.failures += 1;
        self.fail_member(now_h, 0, drive)
    }

    /// A rebuild has come to its end. Returns the probability that not all sectors could be read: it is above 0 only with no redundancy
    /// left.
    pub(super) fn unreadable(&self, place: usize) -> f64 {
        let Rebuild { level, member, .. } = self.rebuilds[place];
        let floor = &self.floors[level];
        let failed = floor.failed[member / floor.members];
        if level > 0 || failed < floor.stands || self.unreadable_per_drive == 0.0 {
            return 0.0;
        }
        let read = floor.members as u32 - failed;
        1.0 - exponential(-f64::from(read) * self.unreadable_per_drive)
    }

    /// A rebuild has come to its end, and its member works again, or with `is_lost` its array has lost data. Returns whether the data of
    /// the outermost array are lost.
    pub(super) fn end(&mut self, now_h: f64, place: usize, is_lost: bool) -> bool {
        let Rebuild { level, member, .. } = self.rebuilds[place];
        if is_lost {
            return self.lose(now_h, level, member / self.floors[level].members);
        }
        self.rebuilds.swap_remove(place);
        self.count_rebuild(level, member, false);
        let floor = &mut self.floors[level];
        floor.failed[member / floor.members] -= 1;
        let drives = floor.drives_of_member;
        self.count_working(level, member, drives, 0);
        false
    }

    /// A member of an array fails, and is rebuilt from now on if the array tolerates the failure.
    fn fail_member(&mut self, now_h: f64, level: usize, member: usize) -> bool {
        let floor = &mut self.floors[level];
        let array = member / floor.members;
        floor.failed[array] += 1;
        let working = floor.working[member];
        if floor.failed[array] > floor.stands {
            return self.lose(now_h, level, array);
        }
        let ends = match floor.rebuilds {
            RebuildTimes::Fixed { hours } => Ends::At(now_h + hours),
            RebuildTimes::Exponential { mean_h } => Ends::Per(1.0 / mean_h),
        };
        self.count_working(level, member, 0, working);
        self.rebuilds.push(Rebuild { ends, level, member });
        self.count_rebuild(level, member, true);
        false
    }

    /// An array has lost data. All arrays inside a lost array are set up anew with it, so their rebuilds end.
    fn lose(&mut self, now_h: f64, level: usize, array: usize) -> bool {
        if level + 1 == self.floors.len() {
            return true;
        }
        let mut place = 0;
        while let Some(&Rebuild { level: at, member, .. }) = self.rebuilds.get(place) {
            if at <= level && self.member_at(at, member, level + 1) == array {
                self.rebuilds.swap_remove(place);
                self.count_rebuild(at, member, false);
            } else {
                place += 1;
            }
        }
        let mut members = array..array + 1;
        for below in (0..=level).rev() {
            let floor = &mut self.floors[below];
            floor.failed[members.clone()].fill(0);
            members = members.start * floor.members..members.end * floor.members;
            floor.working[members.clone()].fill(floor.drives_of_member);
        }
        self.fail_member(now_h, level + 1, array)
    }

    /// The member of a level that contains a member of a lower level.
    fn member_at(&self, from: usize, member: usize, level: usize) -> usize {
        self.floors[from..level].iter().fold(member, |member, floor| member / floor.members)
    }

    /// Counts a rebuild of a member that begins or ends, in all members that contain it.
    fn count_rebuild(&mut self, level: usize, member: usize, begins: bool) {
        let mut at = member;
        for lower in level..self.floors.len() - 1 {
            at /= self.floors[lower].members;
            let troubled = &mut self.floors[lower + 1].troubled[at];
            *troubled = if begins { *troubled + 1 } else { *troubled - 1 };
        }
    }

    /// Counts the drives of a member that begin to matter, and those that cease to, in all members that contain it.
    fn count_working(&mut self, level: usize, member: usize, more: u64, less: u64) {
        let mut at = member;
        for floor in &mut self.floors[level..] {
            floor.working[at] = floor.working[at] + more - less;
            at /= floor.members;
        }
        self.working = self.working + more - less;
    }
}
