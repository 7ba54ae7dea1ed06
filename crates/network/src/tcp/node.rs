//! A node of a network with TCP: the processor of its software, or its place at the processors of the node, how that learns of frames, and its link.

use sansim_component::AtProcessors;
use sansim_kernel::{EventKey, Span, Time};
use sansim_tcp::costs::{Costs, SoftwareJob, TcpSegment};
use std::collections::VecDeque;

/// See the module text.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// 0 for one that asks, 1 for one that serves.
    pub side: usize,
    pub costs: Costs,
    /// The processors that do what its software does; none if it has one of its own.
    pub processors: Option<AtProcessors>,
    /// Frames that its adapter keeps ready.
    pub ready_frames: u64,
    /// Frames that the adapter has handed over and that have not been sent.
    pub unsent_frames: u64,
    /// Frames with data that have been made and have not left.
    pub made: u32,
    /// The jobs of its software, of which the first is being done; by a processor of its own until then.
    pub jobs: VecDeque<SoftwareJob>,
    pub job_until: Option<Time>,
    /// Frames that came in, and of which the software does not know.
    pub gathered: VecDeque<TcpSegment>,
    pub gathering: Option<EventKey>,
    /// Frames that wait for the link, of which the first is on it until then.
    pub out: VecDeque<TcpSegment>,
    pub out_until: Option<Time>,
    /// The time at which the link from the switch to the node is free, and the frames in flight there, in order.
    pub in_free: Time,
    pub coming: VecDeque<TcpSegment>,
    /// Time of its software, and of its link, that is over or has been begun; for processors of the node only the time that is over.
    pub worked: Span,
    pub sent: Span,
    pub interrupts: u64,
}

impl Node {
    pub fn new(side: usize, costs: Costs, ready_frames: u64) -> Self {
        let queue = || VecDeque::with_capacity(64);
        Self {
            side,
            costs,
            processors: None,
            ready_frames,
            unsent_frames: 0,
            made: 0,
            jobs: VecDeque::with_capacity(64),
            job_until: None,
            gathered: queue(),
            gathering: None,
            out: queue(),
            out_until: None,
            in_free: Time::ZERO,
            coming: queue(),
            worked: Span::ZERO,
            sent: Span::ZERO,
            interrupts: 0,
        }
    }

    /// The same node with processors that run its TCP.
    pub fn at(self, processors: Option<AtProcessors>) -> Self {
        Self { processors, ..self }
    }

    /// Whether its adapter hands nothing over until something has been sent, and nothing is about to be.
    pub fn is_stuck(&self) -> bool {
        self.made == 0 && self.ready_frames > 0 && self.unsent_frames >= self.ready_frames
    }

    /// Time in which its software was at work, up to now.
    pub fn worked(&self, now: Time) -> Span {
        self.worked - self.job_until.map_or(Span::ZERO, |until| until.saturating_since(now))
    }

    /// Time in which its link carried frames, up to now.
    pub fn sent(&self, now: Time) -> Span {
        self.sent - self.out_until.map_or(Span::ZERO, |until| until.saturating_since(now))
    }
}
