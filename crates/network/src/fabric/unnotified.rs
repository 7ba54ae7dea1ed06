//! Data frames of which an adapter is not notified one by one: those that it has announced, and those that it has accepted. The rules are in
//! the fabric (`Fabric::announce_frames`, `Fabric::accept_frames`).

use super::FabricNetwork;
use sansim_component::Context;
pub use sansim_fabric::engine::fast_path::accepted::AcceptedRun;
pub use sansim_fabric::engine::fast_path::announced::{AnnouncedFrames, PassedAnnouncement};
use sansim_kernel::{Span, Time};
use sansim_pdu::{Pdu, RequestTag};
use sansim_request::RequestId;

impl FabricNetwork {
    /// Whether the adapter at a node may ever announce frames like this one, which it fetches in this time.
    pub fn takes_announcements(&self, node: u16, frame: &Pdu, takes: Span) -> bool {
        self.gateways.is_none() && self.fabric.takes_announcements(node, frame.payload_bytes, takes)
    }

    /// The adapter at a node announces frames of a request, of which a frame is in flight. Returns whether the fabric accepts that.
    pub fn announce_frames(&mut self, cx: &mut Context<'_>, node: u16, announced: &AnnouncedFrames) -> bool {
        let accepts = self.fabric.announce_frames(node, announced);
        if accepts {
            cx.requests().units_queued(RequestId(announced.first.tag.0), announced.fetching);
        }
        accepts
    }

    /// The part of the announcement of the adapter at a node that has happened since the adapter last asked.
    pub fn passed_announcement(&mut self, node: u16, present: Time) -> PassedAnnouncement {
        self.fabric.passed_announcement(node, present)
    }

    /// The adapter at a node hands over its frames, of this request, itself again. The last `fetching` of them are not fetched yet.
    pub fn end_announcement(&mut self, cx: &mut Context<'_>, node: u16, request: RequestId, fetching: u32) {
        self.fabric.end_announcement(node, fetching);
        if fetching > 0 {
            cx.requests().units_withdrawn(request, fetching);
        }
    }

    /// The adapter at a node accepts further frames of the sequence of this unit, each of which it stores in this time. Returns whether the
    /// fabric accepts that.
    pub fn accept_frames(&mut self, node: u16, first: Pdu, takes: Span) -> bool {
        self.fabric.accept_frames(node, &first.into(), takes)
    }

    /// The adapter at a node is notified of the frames of a request again.
    pub fn end_acceptance_of(&mut self, node: u16, tag: RequestTag) {
        self.fabric.end_acceptance_of(node, tag);
    }

    /// The adapter at a node is notified of all frames again.
    pub fn end_acceptance(&mut self, node: u16) {
        self.fabric.end_acceptance(node);
    }

    /// The frames that the adapter at a node has accepted since it last asked, with the time at which the last one arrived.
    pub fn accepted_frames(&mut self, node: u16) -> (impl Iterator<Item = AcceptedRun>, Time) {
        self.fabric.accepted_frames(node)
    }
}
