//! Data frames that a node accepts without being notified of each.
//!
//! A frame within a sequence whose data an adapter stores in less time than the next frame needs to arrive affects nothing else. The adapter
//! says for which requests that holds; the buffers of their frames are free when the frames have arrived, and the frames are counted until
//! the adapter asks for them.

use super::super::Fabric;
use sansim_fc::frame::{Frame, PduKind};
use sansim_kernel::{Span, Time};
use sansim_pdu::RequestTag;

/// The frames of a request that a node has accepted, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AcceptedRun {
    /// The request.
    pub tag: RequestTag,
    /// The number of frames.
    pub frames: u32,
}

/// The frames that a node accepts without being notified.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Acceptance {
    /// The requests, and the payload of each of their frames.
    requests: Vec<RequestTag>,
    payload: u32,
    runs: Vec<AcceptedRun>,
    /// The time at which the last frame arrived.
    last: Time,
}

impl Fabric {
    /// A node accepts the further frames of a sequence of a request, each of which it stores in this time. Returns false if the fabric does not
    /// accept that, because the time is longer than the time of a frame.
    pub fn accept_frames(&mut self, node: u16, first: &Frame, takes: Span) -> bool {
        let sends = self.node_ports[usize::from(node)] ^ 1;
        if !self.is_longer_on_link(sends, first.payload_bytes, takes) || self.slow.is_some() {
            return false;
        }
        if self.accepted.is_empty() {
            self.accepted.resize_with(self.node_ports.len(), Acceptance::default);
        }
        let of = &mut self.accepted[usize::from(node)];
        of.payload = first.payload_bytes;
        if !of.requests.contains(&first.tag) {
            of.requests.push(first.tag);
        }
        true
    }

    /// A node is notified of the frames of a request from now on.
    pub fn end_acceptance_of(&mut self, node: u16, tag: RequestTag) {
        self.accepted[usize::from(node)].requests.retain(|&other| other != tag);
    }

    /// A node is notified of all frames from now on.
    pub fn end_acceptance(&mut self, node: u16) {
        self.accepted[usize::from(node)].requests.clear();
    }

    /// The frames that a node has accepted since it last asked, in order, with the time at which the last one arrived; the list is emptied.
    pub fn accepted_frames(&mut self, node: u16) -> (impl Iterator<Item = AcceptedRun>, Time) {
        let Acceptance { runs, last, .. } = &mut self.accepted[usize::from(node)];
        (runs.drain(..), *last)
    }

    /// A frame has arrived at a node. Returns whether the node has accepted it, and need not be notified.
    #[inline]
    pub(super) fn is_accepted(&mut self, now: Time, node: u16, frame: &Frame) -> bool {
        let Some(of) = self.accepted.get_mut(usize::from(node)) else { return false };
        if frame.kind != PduKind::Data || !of.requests.contains(&frame.tag) {
            return false;
        }
        if frame.last_of_unit || frame.payload_bytes != of.payload {
            self.end_acceptance_of(node, frame.tag);
            return false;
        }
        of.last = now;
        match of.runs.last_mut() {
            Some(run) if run.tag == frame.tag => run.frames += 1,
            _ => of.runs.push(AcceptedRun { tag: frame.tag, frames: 1 }),
        }
        true
    }
}
