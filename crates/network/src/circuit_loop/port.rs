//! What waits at a port to be sent.

use sansim_component::network::Pace;
use sansim_fc::al_pa::AlPa;
use sansim_fc::arbitrated_loop::Station;
use sansim_fc::frame::{Frame, FrameKind, OVERHEAD_WORDS};
use sansim_fc::loop_port::{PortParameters, Schedule};
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

    /// Puts a sequence into the queue. What is no data lands behind the frames that are ready, and these are no more than the adapter
    /// keeps ready: a sequence that is longer goes on behind it.
    pub fn put(&mut self, frame: Frame) {
        let is_data = frame.kind == FrameKind::Data;
        let frames = match self.pace.payload_bytes {
            payload if is_data && payload > 0 => u64::from(frame.payload_bytes).div_ceil(payload).max(1),
            _ => 1,
        };
        let item = Item { frame, frames, ends: true };
        if self.schedule.command_first_queue && frame.kind == FrameKind::Command {
            self.commands.push_back(item);
            return;
        }
        let mut ready = self.pace.ready_frames;
        let place = if is_data { None } else { self.frames.iter().position(|item| {
            let fits = item.frames <= ready;
            ready -= item.frames.min(ready);
            !fits
        }) };
        let Some(place) = place else {
            self.frames.push_back(item);
            return;
        };
        // `ready` is what was left for the sequence at this place: nothing, or a part of it.
        let before: u64 = self.frames.iter().take(place).map(|item| item.frames).sum();
        let part = self.pace.ready_frames.saturating_sub(before);
        let whole = self.frames[place];
        let has_begun = part > 0;
        if has_begun {
            self.frames[place] = Item { frames: part, ends: false, ..whole };
            self.frames.insert(place + 1, Item { frames: whole.frames - part, ..whole });
        }
        // What is no data keeps its order.
        let mut at = place + usize::from(has_begun);
        while self.frames.get(at).is_some_and(|item| item.frame.kind != FrameKind::Data) {
            at += 1;
        }
        self.frames.insert(at, item);
    }

    /// The next sequence for a port in the circuit with it.
    pub fn take(&mut self, peer: AlPa) -> Option<Item> {
        let is_for = |item: &Item| AlPa::of(item.frame.destination) == peer;
        if self.commands.front().is_some_and(is_for) {
            self.commands.pop_front()
        } else if !self.is_preempted(peer) && self.frames.front().is_some_and(is_for) {
            self.frames.pop_front()
        } else {
            None
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
