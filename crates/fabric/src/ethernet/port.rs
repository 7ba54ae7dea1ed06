//! A port: an end of a link, with the frames that wait to leave by it, the frames in flight behind it, and the bytes that came in by it.

use super::frame::{EthernetFrame, MOST_CLASSES};
use super::output_queues::{OutputQueues, WaitingFrame};
use super::pause::{PauseRequest, PauseRule};
use crate::layout::LinkEndDevice;
use sansim_kernel::{Span, Time};
use std::collections::VecDeque;

/// The transmission of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transmission {
    /// The port sends a frame.
    Frame(WaitingFrame),
    /// The port sends a pause frame.
    Pause,
}

/// The counts and times of a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EthernetPortUse {
    /// Frames that the port has begun to send, without pause frames.
    pub frames: u64,
    /// Their bytes on the link.
    pub bytes: u64,
    /// Pause frames that the port has begun to send.
    pub pauses: u64,
    /// Frames that found no room at this output, or that came in by this port in a lossless class without room.
    pub dropped: u64,
    /// Frames that were marked at this output.
    pub marked: u64,
    /// The time for which the port has sent, up to the end of the present transmission.
    pub sending: Span,
    /// The time in which the port had frames to send and was asked to pause all of their classes.
    pub paused: Span,
}

/// A port.
#[derive(Clone, Debug)]
pub struct EthernetPort {
    /// The device whose port it is.
    pub at: LinkEndDevice,
    /// The bytes per second of its link.
    pub rate: u64,
    /// The time that a bit takes along the link, with the time of error correction.
    pub delay: Span,
    /// The time from the end of a frame on the wire at the other end until the device there may act on it; for a device that cuts through, from its begin.
    pub latency: Span,
    /// Whether the device at the other end cuts frames through.
    pub cuts_through: bool,
    /// The rules of pauses for the frames that come in, by class.
    pub pause_rules: [Option<PauseRule>; MOST_CLASSES],
    /// The frames that wait to leave by the port.
    pub queues: OutputQueues,
    /// The bytes that wait to leave by the port, or are leaving. Where frames leave in turn, they count until [`EthernetPort::settle`].
    pub waiting_bytes: u64,
    /// Where frames leave in turn: the times at which they have left, with their bytes.
    pub departures: VecDeque<(Time, u32)>,
    /// Whether the link and the devices at both its ends work.
    pub is_alive: bool,
    /// The present transmission, and its end.
    pub sends: Option<Transmission>,
    /// See [`EthernetPort::sends`].
    pub sends_until: Time,
    /// The classes that the other end has asked to pause, as bits, and the time since which no frame may leave for that reason.
    pub paused: u8,
    /// See [`EthernetPort::paused`].
    pub paused_since: Option<Time>,
    /// Pause frames that wait to leave by the port.
    pub requests: VecDeque<PauseRequest>,
    /// The frames in flight to the other end, with the times at which it may act on them, in order.
    pub in_flight: VecDeque<(Time, EthernetFrame)>,
    /// The pause frames in flight to the other end.
    pub pauses_in_flight: VecDeque<(Time, PauseRequest)>,
    /// The bytes in the device that came in by the port, by class; counted for lossless classes only.
    pub came_in: [u64; MOST_CLASSES],
    /// The classes that the port has asked the other end to pause, as bits.
    pub asked: u8,
    /// The counts and times of the port.
    pub usage: EthernetPortUse,
}

impl EthernetPort {
    /// An idle port.
    pub fn new(at: LinkEndDevice, rate: u64, delay: Span, classes: usize) -> Self {
        Self {
            at,
            rate,
            delay,
            latency: Span::ZERO,
            cuts_through: false,
            pause_rules: [None; MOST_CLASSES],
            queues: OutputQueues::new(classes),
            waiting_bytes: 0,
            departures: VecDeque::new(),
            is_alive: true,
            sends: None,
            sends_until: Time::ZERO,
            paused: 0,
            paused_since: None,
            requests: VecDeque::new(),
            in_flight: VecDeque::new(),
            pauses_in_flight: VecDeque::new(),
            came_in: [0; MOST_CLASSES],
            asked: 0,
            usage: EthernetPortUse::default(),
        }
    }

    /// Forgets the frames that have left before this time.
    pub fn settle(&mut self, now: Time) {
        while let Some(&(left_at, bytes)) = self.departures.front()
            && left_at < now
        {
            self.departures.pop_front();
            self.waiting_bytes -= u64::from(bytes);
        }
    }

    /// The bytes of a class that wait to leave by the port, or are leaving.
    pub fn class_waiting_bytes(&self, class: u8) -> u64 {
        let leaving = match self.sends {
            Some(Transmission::Frame(sent)) if sent.frame.class == class => u64::from(sent.frame.bytes),
            // Where frames leave in turn there is one class.
            _ if !self.departures.is_empty() => self.waiting_bytes,
            _ => 0,
        };
        self.queues.class_bytes(class) + leaving
    }

    /// The time for which the port has sent.
    pub fn sending_time(&self, now: Time) -> Span {
        self.usage.sending - self.sends_until.saturating_since(now)
    }

    /// The time in which the port had frames to send and was asked to pause all of their classes.
    pub fn paused_time(&self, now: Time) -> Span {
        self.usage.paused + self.paused_since.map_or(Span::ZERO, |since| now.saturating_since(since))
    }
}
