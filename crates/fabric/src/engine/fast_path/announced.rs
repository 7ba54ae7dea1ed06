//! Data frames that a node announces before it hands them over.
//!
//! An adapter with a DMA that is faster than its link fetches the next frame of a sequence while a frame leaves. Such frames need no message
//! and no event of the adapter: the adapter announces how many there are, and with each data frame that leaves, the next one joins the
//! queue of the port. A frame joins the queue when the fetch begins and cannot leave before the fetch ends, because the line is busy for
//! longer than that.

use super::super::Fabric;
use super::super::buffered_frame::BufferedFrame;
use sansim_fc::frame::{Frame, PduKind, RequestTag};
use sansim_kernel::{Span, Time};

/// Data frames of one size within a sequence, which their adapter fetches one by one.
#[derive(Clone, Copy, Debug)]
pub struct AnnouncedFrames {
    /// The first of them.
    pub first: Frame,
    /// The number of frames that the adapter is fetching.
    pub fetching: u32,
    /// The time until which it fetches the first of them.
    pub fetched_until: Time,
    /// The number of frames after these, of which the adapter fetches one for each frame that leaves.
    pub to_fetch: u32,
    /// The time in which the adapter fetches one of them.
    pub takes: Span,
}

/// The announcement of a node.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Announcement {
    /// The next frame that joins the queue, and the node to which it goes.
    next: Frame,
    to: u16,
    /// The number of frames that the adapter is still to begin to fetch, and the time in which it fetches one.
    to_fetch: u32,
    takes: Span,
    /// The time until which it fetches the frames that have joined the queue.
    fetches_until: Time,
    /// The number of frames that have joined the queue.
    joined: u32,
    /// The number of frames that have left since the node last asked.
    left: u32,
}

/// The part of an announcement that has happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassedAnnouncement {
    /// The number of frames that have left, for each of which the adapter was asked to fetch another one.
    pub left: u32,
    /// The number of frames that are not fetched yet.
    pub fetching: u32,
    /// The time until which the adapter fetches the first of them.
    pub fetched_until: Time,
}

impl Fabric {
    /// Whether frames of this payload need a longer time on the link from a port than `takes`, and the fabric takes the fast path: only then an
    /// adapter may be left without a notice of them.
    pub(super) fn is_longer_on_link(&self, port: u32, payload_bytes: u32, takes: Span) -> bool {
        let rules = &self.ports[port as usize].rules;
        self.is_fast && takes < rules.time_of_words(rules.frame_words(u64::from(payload_bytes)))
    }

    /// Whether a node may ever announce frames of this payload, which it fetches in this time.
    pub fn takes_announcements(&self, node: u16, payload_bytes: u32, takes: Span) -> bool {
        self.is_longer_on_link(self.node_ports[usize::from(node)], payload_bytes, takes)
    }

    /// A node announces frames that follow the last frame of its queue. Returns false if the fabric does not accept that, because the frames would
    /// not be fetched in time, or no frame before them is in the queue.
    pub fn announce_frames(&mut self, node: u16, announced: &AnnouncedFrames) -> bool {
        let &AnnouncedFrames { first, fetching, fetched_until, to_fetch, takes } = announced;
        let number = self.node_ports[usize::from(node)];
        let port = &self.ports[number as usize];
        let is_in_time = self.is_longer_on_link(number, first.payload_bytes, takes * u64::from(fetching + 1));
        let follows = port.queue.back().is_some_and(|&last| self.held[last].frame.tag == first.tag);
        let accepts = is_in_time && follows && self.is_present(node);
        let Some(to) = self.node_at_address(first.destination).filter(|_| accepts) else { return false };
        if self.announced.is_empty() {
            self.announced.resize(self.node_ports.len(), None);
        }
        let mut of = Announcement {
            next: first,
            to,
            to_fetch,
            takes,
            fetches_until: fetched_until,
            joined: 0,
            left: 0,
        };
        for place in 0..fetching {
            of.fetches_until = fetched_until + takes * u64::from(place);
            self.join_announced(number, &mut of);
        }
        self.announced[usize::from(node)] = Some(of);
        true
    }

    /// The next announced frame joins the queue of a port.
    #[inline]
    fn join_announced(&mut self, port: u32, of: &mut Announcement) {
        let held = self.held.occupy_buffer(of.next, of.to, port, of.fetches_until);
        self.held[held].ready_at = of.fetches_until;
        self.ports[port as usize].queue.push_back(held);
        of.next = of.next.frame_later_in_sequence(1);
        of.joined += 1;
    }

    /// The part of a node's announcement that has happened since the node last asked.
    pub fn passed_announcement(&mut self, node: u16, present: Time) -> PassedAnnouncement {
        let mut passed = PassedAnnouncement { left: 0, fetching: 0, fetched_until: Time::ZERO };
        let Some(of) = &mut self.announced[usize::from(node)] else { return passed };
        passed.left = std::mem::take(&mut of.left);
        if of.fetches_until >= present {
            let queue = &self.ports[self.node_ports[usize::from(node)] as usize].queue;
            let (joined, tag) = (of.joined as usize, of.next.tag);
            for &held in queue.iter().rev().take(joined) {
                let BufferedFrame { frame, ready_at, .. } = &self.held[held];
                if *ready_at < present || frame.tag != tag || frame.kind != PduKind::Data {
                    break;
                }
                (passed.fetching, passed.fetched_until) = (passed.fetching + 1, *ready_at);
            }
        }
        passed
    }

    /// The node hands over its frames itself, from this moment on. Its last frames, which are not fetched yet, leave its queue again.
    pub fn end_announcement(&mut self, node: u16, fetching: u32) {
        self.announced[usize::from(node)] = None;
        let port = self.node_ports[usize::from(node)];
        for _ in 0..fetching {
            if let Some(last) = self.ports[port as usize].queue.pop_back() {
                self.held.release_buffer(last);
            }
        }
    }

    /// A frame leaves a node. Returns the request of the announced frame that joins the queue for it, in which case the node need not be notified.
    #[inline]
    pub(super) fn announced_frame_follows(
        &mut self,
        now: Time,
        node: u16,
        frame: &Frame,
    ) -> Option<RequestTag> {
        let mut of = (*self.announced.get(usize::from(node))?)?;
        if of.to_fetch == 0 || frame.kind != PduKind::Data || frame.last_of_unit {
            return None;
        }
        of.fetches_until = now.max(of.fetches_until) + of.takes;
        (of.to_fetch, of.left) = (of.to_fetch - 1, of.left + 1);
        self.join_announced(self.node_ports[usize::from(node)], &mut of);
        self.announced[usize::from(node)] = Some(of);
        Some(of.next.tag)
    }
}
