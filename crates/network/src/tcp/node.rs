//! A node of a network with TCP: the processor of its software, or its port at the processors of the node, the reporting of frames to the
//! software.

use sansim_component::ProcessorPort;
use sansim_kernel::{EventKey, Span, Time};
use sansim_tcp::costs::{SoftwareCosts, SoftwareJob, TcpSegment};
use std::collections::VecDeque;

/// A node of a network with TCP.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The side of the node: 0 for an initiator, 1 for a target.
    pub side: usize,
    pub costs: SoftwareCosts,
    /// The processors that do the work of the node's software; none if the software has a processor of its
    /// own.
    pub processors: Option<ProcessorPort>,
    /// The number of frames that the node's adapter keeps ready.
    pub ready_frames: u64,
    /// The number of frames that the adapter has handed over and that have not been sent.
    pub unsent_frames: u64,
    /// The number of frames with data that have been made and have not left.
    pub made: u32,
    /// The jobs of the node's software, of which the first is in service; with a processor of its own, until
    /// `job_until`.
    pub jobs: VecDeque<SoftwareJob>,
    pub job_until: Option<Time>,
    /// The frames that have arrived and have not been reported to the software.
    pub gathered: VecDeque<TcpSegment>,
    pub gathering: Option<EventKey>,
    /// The frames that wait for the node's port, and the classes of which the port has one, as bits.
    pub out: VecDeque<TcpSegment>,
    pub sending: u8,
    /// The time of the node's software, including the job that has begun; for processors of the node only jobs that are over.
    pub worked: Span,
    pub interrupts: u64,
}

impl Node {
    pub fn new(side: usize, costs: SoftwareCosts, ready_frames: u64) -> Self {
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
            sending: 0,
            worked: Span::ZERO,
            interrupts: 0,
        }
    }

    /// Sets the processors that run the TCP of the node.
    pub fn with_processors(self, processors: Option<ProcessorPort>) -> Self {
        Self { processors, ..self }
    }

    /// Whether the node's adapter hands nothing over until something has been sent, and nothing is about to
    /// be sent.
    pub fn is_adapter_stuck(&self) -> bool {
        self.made == 0 && self.ready_frames > 0 && self.unsent_frames >= self.ready_frames
    }

    /// The time in which the node's software was at work, up to now.
    pub fn software_work_time(&self, now: Time) -> Span {
        self.worked - self.job_until.map_or(Span::ZERO, |until| until.saturating_since(now))
    }
}
