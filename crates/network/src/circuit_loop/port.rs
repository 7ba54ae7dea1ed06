//! What waits at a port to be sent.

use sansim_component::network::Pace;
use sansim_fc::al_pa::AlPa;
use sansim_fc::arbitrated_loop::Station;
use sansim_fc::frame::{Frame, FrameKind, OVERHEAD_WORDS};
use sansim_fc::loop_port::{CircuitFrames, PortParameters, Schedule};
use sansim_kernel::Span;
use std::collections::VecDeque;

/// Frames that go one after another: a sequence, or a part of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    /// The sequence, with all its bytes.
    pub frame: Frame,
    /// How many frames there are, of which the last, if it ends the sequence, may be shorter.
    pub frames: u64,
    pub ends: bool,
    /// The node knows that the outgoing FIFO has room for its last frame.
    pub room_told: bool,
}

/// See the module text.
#[derive(Clone, Debug)]
pub(super) struct Port {
    pub parameters: PortParameters,
    pub schedule: Schedule,
    pub pace: Pace,
    pub frames: VecDeque<Item>,
    pub commands: VecDeque<Item>,
    /// Sequences that have come in and of which the last frame is in its buffer.
    pub occupied: u32,
}

impl Port {
    pub fn new(station: &Station, pace: Pace) -> Self {
        Self {
            parameters: station.port.clone(),
            schedule: station.schedule,
            pace,
            frames: VecDeque::with_capacity(64),
            commands: VecDeque::with_capacity(16),
            occupied: 0,
        }
    }

    pub fn queued(&self) -> usize {
        self.frames.len() + self.commands.len()
    }

    /// The sequence that decides where the next circuit goes.
    pub fn head(&self) -> Option<&Frame> {
        self.commands.front().or_else(|| self.frames.front()).map(|item| &item.frame)
    }

    /// Whether it may ask for the loop without regard to the access window.
    pub fn is_unfair(&self) -> bool {
        !self.schedule.is_fair()
            || (self.schedule.command_first_arbitration
                && self.head().is_some_and(|head| head.kind == FrameKind::Command))
    }

    /// Whether a command for somebody else shall end the circuit that it has with this port.
    pub fn is_preempted(&self, peer: AlPa) -> bool {
        self.schedule.command_first_preemption
            && self.commands.front().is_some_and(|command| AlPa::of(command.frame.destination) != peer)
    }

    /// Puts a sequence into the queue, with so many frames before it that are being sent.
    ///
    /// What is no data lands behind the frames that are ready, and these are no more than the adapter keeps ready: a sequence that is
    /// longer goes on behind it. A response is made when all data of its exchange are ready.
    pub fn put(&mut self, frame: Frame, sending: u64) {
        let is_data = frame.kind == FrameKind::Data;
        let frames = self.frames_of(&frame);
        let item = Item { frame, frames, ends: true, room_told: false };
        if self.schedule.command_first_queue && frame.kind == FrameKind::Command {
            self.commands.push_back(item);
        } else if is_data {
            self.frames.push_back(item);
        } else {
            let place = self.place_behind_ready(&frame, sending);
            self.frames.insert(place, item);
        }
    }

    /// How many frames a sequence has.
    pub fn frames_of(&self, frame: &Frame) -> u64 {
        match self.pace.payload_bytes {
            payload if frame.kind == FrameKind::Data && payload > 0 => {
                u64::from(frame.payload_bytes).div_ceil(payload).max(1)
            }
            _ => 1,
        }
    }

    /// The place behind the frames that are ready; a sequence of which that is a part becomes two.
    fn place_behind_ready(&mut self, frame: &Frame, sending: u64) -> usize {
        let follows = self.frames.iter().rposition(|item| item.frame.tag == frame.tag);
        let mut ready = self.pace.ready_frames.saturating_sub(sending);
        for place in 0..self.frames.len() {
            let item = self.frames[place];
            let is_behind = follows.is_none_or(|last| place > last);
            if is_behind && item.frame.kind == FrameKind::Data && item.frames > ready {
                if ready == 0 {
                    return place;
                }
                self.frames[place] = Item { frames: ready, ends: false, ..item };
                self.frames.insert(place + 1, Item { frames: item.frames - ready, ..item });
                return place + 1;
            }
            ready -= item.frames.min(ready);
        }
        self.frames.len()
    }

    /// The next sequence for a port in the circuit with it.
    pub fn take(&mut self, peer: AlPa) -> Option<Item> {
        let is_for = |item: &Item| AlPa::of(item.frame.destination) == peer;
        if self.commands.front().is_some_and(is_for) {
            self.commands.pop_front()
        } else if self.is_preempted(peer) {
            None
        } else {
            let place = match self.parameters.circuit_frames {
                CircuitFrames::Head => self.frames.front().is_some_and(is_for).then_some(0),
                CircuitFrames::All => self.frames.iter().position(is_for),
            };
            place.and_then(|place| self.frames.remove(place))
        }
    }

    /// Times of a full frame of these, and of the last.
    pub fn lengths(&self, item: &Item, word: Span) -> (Span, Span) {
        let time = |bytes: u64| word * (OVERHEAD_WORDS + bytes.div_ceil(4));
        let bytes = u64::from(item.frame.payload_bytes);
        let payload = self.pace.payload_bytes;
        if item.frame.kind != FrameKind::Data || payload == 0 {
            return (time(bytes), time(bytes));
        }
        let last = bytes - (bytes.div_ceil(payload).max(1) - 1) * payload;
        (time(payload.min(bytes)), time(if item.ends { last } else { payload }))
    }
}
