//! Multicast: a frame for a group address, which switches copy to all members of the group.
//!
//! Source: Wang 2005, 2.1 (FC-3); FC-FS: class 3 only, as nothing acknowledges a frame that has several receivers.
//!
//! A frame goes as one frame as far as the paths to its members are the same. The switch at which they part copies it: each copy waits for its
//! own output, uses credit of its own there, and goes on by itself. All copies are in the one buffer in which the frame came in, which is
//! empty, and returns its R_RDY, when the last of them has left. So a member that takes frames slowly holds up the buffers of that switch, and
//! with them all that comes in there by the same link.
//!
//! Assumption: a crossbar passes copies one after another or at a time, as it does with other frames of one port.

use super::buffered_frame::BufferedFrame;
use super::{Fabric, FabricHost, NodeEvent};
use sansim_kernel::Time;
use sansim_pdu::Address;
use std::collections::{BTreeMap, BTreeSet};

/// The groups of a fabric, and the frames for them.
#[derive(Clone, Debug, Default)]
pub struct MulticastGroups {
    /// The members of each group, by its address.
    groups: BTreeMap<Address, Vec<u16>>,
    /// The members to which each frame for a group goes, by the number of the frame.
    members: BTreeMap<u32, Vec<u16>>,
    /// The buffer that each copy shares with others, by the number of the copy; and for each such buffer the number of copies in it.
    buffer_of: BTreeMap<u32, u32>,
    copies_in: BTreeMap<u32, u32>,
    buffers: u32,
}

impl MulticastGroups {
    /// A frame is in the next buffer, too.
    pub fn follow(&mut self, held: u32, ahead: u32) {
        if let Some(members) = self.members.get(&held).cloned() {
            self.members.insert(ahead, members);
        }
    }

    /// The frame with this number is gone.
    pub fn forget(&mut self, held: u32) {
        self.members.remove(&held);
    }

    /// A frame leaves its buffer. Returns whether the buffer is empty then, because no copy of the frame is in it any more.
    pub fn leaves_empty(&mut self, held: u32) -> bool {
        let Some(buffer) = self.buffer_of.remove(&held) else { return true };
        let copies = self.copies_in.entry(buffer).or_default();
        *copies -= 1;
        let is_empty = *copies == 0;
        if is_empty {
            self.copies_in.remove(&buffer);
        }
        is_empty
    }

    /// The number of buffers that these frames occupy.
    pub fn buffers_of(&self, frames: impl Iterator<Item = u32>) -> usize {
        let mut shared = BTreeSet::new();
        let alone = frames.filter(|held| match self.buffer_of.get(held) {
            Some(&buffer) => {
                shared.insert(buffer);
                false
            }
            None => true,
        });
        let alone = alone.count();
        alone + shared.len()
    }

    /// A copy shares the buffer of a frame.
    fn shares(&mut self, held: u32, copy: u32) {
        let buffer = *self.buffer_of.entry(held).or_insert_with(|| {
            self.buffers += 1;
            self.copies_in.insert(self.buffers, 1);
            self.buffers
        });
        self.buffer_of.insert(copy, buffer);
        *self.copies_in.entry(buffer).or_default() += 1;
    }
}

impl Fabric {
    /// Adds groups: for each address the nodes to which frames for it go.
    #[must_use]
    pub fn with_multicast_groups(mut self, groups: Vec<(Address, Vec<u16>)>) -> Self {
        if !groups.is_empty() {
            let groups = groups.into_iter().collect();
            self.multicast = Some(Box::new(MulticastGroups { groups, ..MulticastGroups::default() }));
        }
        self.choose_path()
    }

    /// The members of a group that are in the fabric; none if the address is that of no group.
    fn members_of(&self, address: Address) -> Option<Vec<u16>> {
        let members = self.multicast.as_ref()?.groups.get(&address)?;
        Some(members.iter().copied().filter(|&member| self.is_present(member)).collect())
    }

    /// The first member of the group with this address, if it has one; `to` if the address is that of no group.
    #[cold]
    pub(super) fn first_member_or(&self, to: Option<u16>, address: Address) -> Option<u16> {
        self.members_of(address).map_or(to, |members| members.first().copied())
    }

    /// Whether a frame goes to a group. Such frames belong to no flow: where frames choose their paths, they may overtake each other.
    pub(super) fn is_for_group(&self, held: u32) -> bool {
        self.multicast.as_ref().is_some_and(|multicast| multicast.members.contains_key(&held))
    }

    /// Notes the members to which a frame goes, if it goes to a group.
    #[cold]
    pub(super) fn goes_to_group(&mut self, held: u32, address: Address) {
        if let Some(members) = self.members_of(address) {
            self.goes_to(held, members);
        }
    }

    /// Notes the members to which a frame goes.
    pub(super) fn goes_to(&mut self, held: u32, members: Vec<u16>) {
        if let Some(multicast) = &mut self.multicast {
            multicast.members.insert(held, members);
        }
    }

    /// A frame has been routed at a switch: if its members have several paths from there, the frame keeps those of one path, and for each
    /// of the others there is a copy, which is routed now.
    #[cold]
    pub(super) fn copy_for_members(
        &mut self,
        now: Time,
        switch: u32,
        held: u32,
        around: &mut impl FabricHost,
    ) {
        let Some(members) = self.multicast.as_ref().and_then(|all| all.members.get(&held)).cloned() else {
            return;
        };
        let mut parts: Vec<(super::buffered_frame::OutputPaths, Vec<u16>)> = Vec::new();
        for member in members {
            self.held[held].to = member;
            let ways = self.allowed_paths(switch, held);
            match parts.iter_mut().find(|(other, _)| *other == ways) {
                Some((_, together)) => together.push(member),
                None => parts.push((ways, vec![member])),
            }
        }
        let mut parts = parts.into_iter().map(|(_, members)| members);
        let Some(first) = parts.next() else { return };
        self.held[held].to = first[0];
        self.goes_to(held, first);
        let copies: Vec<u32> = parts.map(|members| self.copy(now, held, members, around)).collect();
        copies.into_iter().for_each(|copy| self.routed(now, switch, copy, around));
    }

    /// A copy of a frame in its buffer, for these members.
    fn copy(&mut self, now: Time, held: u32, members: Vec<u16>, around: &mut impl FabricHost) -> u32 {
        let at = self.held[held];
        let copy = self.held.occupy_buffer(at.frame, members[0], at.port, at.header_at);
        self.held[copy] = BufferedFrame { to: members[0], arrival: self.arrivals, ..at };
        self.arrivals += 1;
        self.goes_to(copy, members);
        if let Some(multicast) = &mut self.multicast {
            multicast.shares(held, copy);
        }
        let lead = self.ports[at.port as usize].lead;
        self.ports[lead as usize].waiting.push(copy, at.channel);
        self.holds(now, lead, copy, around);
        self.counts.copied += 1;
        let node = self.by_address.get(&at.frame.source).copied().unwrap_or_default();
        around.upcall(now, node, NodeEvent::Copied(at.frame));
        copy
    }
}
