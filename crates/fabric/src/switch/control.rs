//! Priority of short control messages over long messages with data: there are four kinds of priority, which can be
//! combined.
//!
//! Source: Molero et al. 2001, section 3. The routing unit may serve new control messages first (`routing_unit`); control messages may go
//! first at an output, or stop a data message that is being sent (`engine/preempt`); control messages may have input buffers of their own,
//! so that they occupy no buffer for data messages; and data may be sent in packets (`max_payload` of adapters), which have to fit the
//! buffers.

use sansim_fc::frame::{Frame, PduKind};
use sansim_schema::quantities::{Choice, Count, Flag, Size};
use sansim_schema::{table, words};

words! {
    /// The priority of control messages among the messages that wait for a link.
    pub enum ControlPriority {
        /// That of any other message.
        InTurn = "in-turn",
        /// Before data, when the message that is being sent has been.
        First = "first",
        /// The same, and a data message that is being sent stops for them and goes on behind them. Only on plain links: nothing goes
        /// between the words of a frame of Fibre Channel.
        Preempts = "preempts",
    }
}

table! {
    /// Priority of short control messages: frames that carry no data and do not follow data of their exchange.
    #[derive(Copy, Eq)]
    pub struct ControlParameters {
        /// Whether the routing unit takes up new control messages first: of each port one in a round. One that does not find an output free
        /// in the first slot in which it could leave has no further preference.
        routing_first: bool = Flag, default "false", source "Molero 2001, 3: routing with higher priority";
        /// The priority of control messages at the outputs of switches.
        transmission: ControlPriority = Choice::<ControlPriority>::ANY, default r#""in-turn""#, source "Molero 2001, 3: transmission with higher priority";
        /// The priority of control messages at the ports of nodes: with `"in-turn"` frames leave in the order in which the adapter made them.
        nodes: ControlPriority = Choice::<ControlPriority>::ANY, default r#""in-turn""#, source "ours: a node that does nothing of the kind";
        /// Input buffers of each port of a switch that are for control messages only, beside `buffers`, which are for the others then. With
        /// 0 all share `buffers`.
        buffers: u32 = Count::<u32>::between(0, 4096), default "0", source "Molero 2001, 3: separating input buffers; 5: 2, 4, 8";
        /// Size of each of them: the most payload that a control message may have.
        buffer_size: u64 = Size::between(1, 2112), default r#""64 B""#, source "ours: room for FCP_CMND, FCP_XFER_RDY and FCP_RSP, whose payloads have 32, 12 and 24 bytes";
    }
}

impl ControlParameters {
    /// Control messages have no priority.
    pub const NONE: Self = Self {
        routing_first: false,
        transmission: ControlPriority::InTurn,
        nodes: ControlPriority::InTurn,
        buffers: 0,
        buffer_size: 64,
    };

    /// The size of the buffers for control messages, if the buffers for data have the size `data`.
    pub fn control_buffer_bytes(&self, data: u64) -> u64 {
        if self.buffers > 0 { self.buffer_size } else { data }
    }

    /// Whether a message may stop another.
    pub fn control_preempts(&self) -> bool {
        self.transmission == ControlPriority::Preempts || self.nodes == ControlPriority::Preempts
    }

    /// Whether control messages may go first at outputs of switches.
    pub fn control_goes_first(&self) -> bool {
        self.transmission != ControlPriority::InTurn || self.routing_first
    }

    /// Whether nodes send in another order than that in which they were given frames: control messages first, or each kind
    /// when it has credit.
    pub fn reorders_at_nodes(&self) -> bool {
        self.nodes != ControlPriority::InTurn || self.buffers > 0
    }

    /// Whether control messages may overtake other frames in the same queue.
    pub fn control_overtakes(&self) -> bool {
        self.transmission != ControlPriority::InTurn || self.buffers > 0
    }
}

/// Whether a frame is a control message. A frame that follows data of its exchange on the same path is not a control message, so that it
/// never overtakes the data: the FCP_RSP of a read, and the messages about an aborted exchange. All frames of one exchange and direction
/// are of one kind, except commands and the frames that follow when a command has arrived.
#[inline]
pub fn is_control(frame: &Frame) -> bool {
    match frame.kind {
        // No source classifies frames that are no part of an I/O; the priorities are not for class 2, whose answers
        // are such frames.
        PduKind::Data | PduKind::Ip | PduKind::Control => false,
        PduKind::Command | PduKind::TransferReady | PduKind::Confirm => true,
        PduKind::Response
        | PduKind::AbortAccept
        | PduKind::AbortReject
        | PduKind::ServiceAccept
        | PduKind::ServiceReject => frame.write,
        // The question must not arrive before data that it is about.
        PduKind::ServiceRequest => false,
        PduKind::Abort => frame.burst_bytes == 0,
    }
}
