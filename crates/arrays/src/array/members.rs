//! The members of an array: the device of each member, the spares, and the accesses in work at each.

use sansim_component::policy::{AnyChoicePolicy, ChoiceCandidate, ChoiceContext, ChoicePolicy, PolicyName};
use sansim_kernel::Time;
use sansim_raid::PlanContext;
use sansim_request::Request;
use sansim_rules::RuleName;
use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

/// The work in progress of a member, and the positions of its last accesses.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    parts: u32,
    bytes: u64,
    /// The end of the last access of the member, and the end of its last read.
    head: u64,
    read_to: Option<u64>,
    /// Whether the device has a position (its platters turn), so that the distance of an access matters.
    turns: bool,
}

/// The members of an array, by the indices of the devices behind it.
#[derive(Clone, Debug)]
pub(super) struct Members {
    /// The device of each member.
    places: Vec<u32>,
    /// Devices that work and are not in use by a member.
    pub spares: VecDeque<u32>,
    /// Devices that have failed.
    pub gone: Vec<u32>,
    loads: Vec<Load>,
    /// The policies that choose among copies, by the member of the first copy.
    choosers: Vec<AnyChoicePolicy>,
    candidates: Vec<ChoiceCandidate>,
}

impl Members {
    /// This number of members, followed by this number of spares.
    pub fn new(members: u32, spares: u32, policy: &RuleName<PolicyName>) -> Self {
        Self {
            places: (0..members).collect(),
            spares: (members..members + spares).collect(),
            gone: Vec::new(),
            loads: vec![Load::default(); members as usize],
            choosers: (0..members).map(|_| AnyChoicePolicy::of_rule(policy)).collect(),
            candidates: Vec::with_capacity(members as usize),
        }
    }

    /// Sets for each device whether it has a position; spares are as members are.
    pub fn set_moving_heads(&mut self, turns: &[bool]) {
        self.loads.iter_mut().zip(turns).for_each(|(load, &turns)| load.turns = turns);
    }

    /// The device of a member.
    pub fn member_device(&self, member: u32) -> u32 {
        self.places[member as usize]
    }

    /// Gives a member another device.
    pub fn set_member_device(&mut self, member: u32, place: u32) {
        self.places[member as usize] = place;
    }

    /// Notes an access of a member to these bytes.
    pub fn access_started(&mut self, member: u32, bytes: Range<u64>, write: bool) {
        let load = &mut self.loads[member as usize];
        load.parts += 1;
        load.bytes += bytes.end - bytes.start;
        load.head = bytes.end;
        if !write {
            load.read_to = Some(bytes.end);
        }
    }

    /// Notes the end of an access of a member.
    pub fn access_completed(&mut self, member: u32, bytes: u64) {
        let load = &mut self.loads[member as usize];
        load.parts -= 1;
        load.bytes -= bytes;
    }

    /// The index of the member that is read, among these members, which have copies.
    fn choose(&mut self, now: Time, request: &Request, members: &[u32], at: u64) -> usize {
        let Some(&first) = members.iter().min() else { return 0 };
        self.candidates.clear();
        let candidate = |&member: &u32| {
            let Load { parts, bytes, head, read_to, turns } = self.loads[member as usize];
            ChoiceCandidate {
                distance: turns.then(|| head.abs_diff(at)),
                follows: read_to == Some(at),
                ..ChoiceCandidate::independent_candidate(member as u16, parts, bytes)
            }
        };
        self.candidates.extend(members.iter().map(candidate));
        // Copies may wrap around: the copy of the last member is then before that of the first.
        self.candidates.sort_unstable_by_key(|candidate| candidate.number);
        let place = self.choosers[first as usize].choose(&ChoiceContext::at(now), request, &self.candidates);
        let chosen = u32::from(self.candidates[place].number);
        members.iter().position(|&member| member == chosen).unwrap_or(0)
    }
}

/// The context of a plan: the policy chooses among copies, and a rebuild does not read lost stripes.
pub(super) struct Sight<'a> {
    pub members: &'a mut Members,
    pub now: Time,
    pub request: Request,
    /// Stripes that are permanently lost, and the bytes of a stripe; for a rebuild.
    pub lost: Option<(&'a BTreeSet<u64>, u64)>,
}

impl PlanContext for Sight<'_> {
    fn cached(&self, offset: u64, _bytes: u64) -> bool {
        self.lost.is_some_and(|(lost, stripe_bytes)| lost.contains(&(offset / stripe_bytes)))
    }

    fn cached_check(&self, check: sansim_raid::layout::StripeUnit, _from: u64, _upto: u64) -> bool {
        self.lost.is_some_and(|(lost, _)| lost.contains(&check.stripe))
    }

    fn copy(&mut self, members: &[u32], at: u64) -> usize {
        self.members.choose(self.now, &self.request, members, at)
    }
}
