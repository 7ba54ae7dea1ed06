//! The frames of a cached circuit, each with a number: first the frames that its ports had at the start, then
//! the frames in the order in which they come.
//!
//! Only frames that may be sent or inspected are numbered: the frames for ports of the circuit, and the first frame of a queue that is for
//! another port, at which that queue halts. All other frames stay in the queues and make no difference to the circuit. No two numbered
//! frames may be equal, or one frame could be mistaken for a later frame; a circuit with link services, of which two may be equal, is not
//! cached.

use super::outcome::Shape;
use super::{ActiveCircuit, ArbitratedLoop, Ports};
use crate::al_pa::AlPa;
use crate::frame::{Frame, RequestTag};
use crate::loop_port::LoopPort;

/// The most frames that a circuit may have at its start to be cached.
const MOST_AT_FIRST: usize = 24;
/// The most frames in the queues of the circuit's ports that are searched.
const MOST_IN_QUEUES: usize = 128;

/// The frames of a cached circuit, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Frames {
    frames: Vec<Frame>,
    /// For each frame, the number of the port that had it or to which it was handed.
    ports: Vec<u8>,
}

impl Frames {
    /// The most frames of a cached circuit: their numbers fit into a byte, with some to spare.
    pub(super) const MOST: usize = 200;

    fn clear(&mut self) {
        self.frames.clear();
        self.ports.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.frames.len()
    }

    /// Appends a frame at a port.
    #[inline]
    pub(super) fn put(&mut self, frame: &Frame, port: u8) {
        self.frames.push(*frame);
        self.ports.push(port);
    }

    #[inline(always)]
    pub(super) fn get(&self, number: u8) -> Option<&Frame> {
        self.frames.get(usize::from(number))
    }

    /// The tag of a frame.
    pub(super) fn tag(&self, number: u8) -> Option<RequestTag> {
        self.frames.get(usize::from(number)).map(|frame| frame.tag)
    }

    /// The number of a frame.
    #[inline]
    pub(super) fn number_of(&self, frame: &Frame) -> Option<u8> {
        self.frames.iter().position(|other| other == frame).map(|place| place as u8)
    }

    /// Whether a frame is one of the numbered frames.
    #[inline]
    pub(super) fn has(&self, frame: &Frame) -> bool {
        self.number_of_tag(frame.tag).is_some() && self.number_of(frame).is_some()
    }

    /// The number of the first frame with a tag.
    #[inline]
    pub(super) fn number_of_tag(&self, tag: RequestTag) -> Option<u8> {
        self.frames.iter().position(|frame| frame.tag == tag).map(|place| place as u8)
    }

    /// The numbers of the frames of a port that are no longer in its queues.
    pub(super) fn gone_from<'a>(&'a self, number: u8, port: &'a LoopPort) -> impl Iterator<Item = u8> + 'a {
        let is_in_queue = |frame: &Frame| port.queues().iter().any(|queue| queue.contains(frame));
        let all = (0u8..).zip(self.frames.iter().zip(&self.ports));
        let gone = all.filter(move |&(_, (frame, &at))| at == number && !is_in_queue(frame));
        gone.map(|(number, _)| number)
    }
}

impl ArbitratedLoop {
    /// The number of the circuit's port to which a frame of a port goes; none if it is for another port.
    pub(super) fn goes_to(&self, port: usize, frame: &Frame) -> Option<u8> {
        let to = self.index_of(self.ports[port].towards(frame.destination))?;
        self.known.going.ports.number_of(to)
    }

    /// Numbers the frames in the queues of the ports. Returns whether all frames can be numbered: there are not too many, and
    /// all differ.
    pub(super) fn takes_frames(&mut self, ports: Ports) -> bool {
        let queued: usize = ports.iter().map(|port| self.ports[port].queued_frames()).sum();
        if queued > MOST_IN_QUEUES {
            return false;
        }
        let Self { ports: all, by_address, known, .. } = self;
        let ActiveCircuit { frames, within, .. } = &mut known.going;
        let shapes = &mut known.scratch.beginning.shapes;
        frames.clear();
        shapes.clear();
        *within = 0;
        // No port of the circuit has this number.
        let goes_to = |to: AlPa| ports.number_of(by_address[usize::from(to.address_byte())].into());
        for (number, port) in (0u8..).zip(ports.iter()) {
            let (it, is_end) = (&all[port], ports.is_end(number));
            if it.queued_frames() == 0 {
                continue;
            }
            let peer = it.opens().and_then(goes_to);
            // The outcome for a port that waits ends when the first frame within its sequence starts, so frames behind two frames of that
            // kind have no part in the outcome.
            let ends_within = !is_end && !it.gathers();
            for (is_command, queue) in (0u8..).zip(it.queues()).filter(|(_, queue)| !queue.is_empty()) {
                let mut before: Option<RequestTag> = None;
                for (frame, goes) in it.that_matter(queue, goes_to) {
                    let tag_of = frames.number_of_tag(frame.tag);
                    // Link services aside, frames of different commands have different tags. An initiator that gets no
                    // answer sends an identical frame again.
                    let is_told_apart = !frame.kind.is_link_service()
                        && (tag_of.is_none() || frames.number_of(frame).is_none());
                    if frames.len() == MOST_AT_FIRST || !is_told_apart {
                        return false;
                    }
                    let shape = Shape::of_tag(frame, goes, tag_of.unwrap_or(frames.len() as u8));
                    shapes.push((number << 1 | is_command, shape));
                    frames.put(frame, number);
                    let is_within = frame.is_within_unit();
                    *within += u32::from(is_end && is_within);
                    if is_within && ends_within && before == Some(frame.tag) {
                        break;
                    }
                    before = (is_within && goes == peer).then_some(frame.tag);
                }
            }
        }
        true
    }
}
