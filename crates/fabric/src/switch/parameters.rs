//! The keys of a switch.

use super::arbiter::{ARBITER, ArbiterName};
use super::channel::ChannelName;
use super::control::ControlParameters;
use crate::congestion::CongestionParameters;
use sansim_kernel::Span;
use sansim_rules::{RuleName, RuleOf};
use sansim_schema::quantities::{ByteRate, Choice, Count, Dimensioned, Flag, OrUnlimited, Size, Time};
use sansim_schema::{table, words};

/// A hold time may be a microsecond to ten seconds, which is R_A_TOV.
const HOLD: Time = Time::between(Span::from_us(1), Span::from_s(10));

/// A delay of a switch may be up to a second.
const DELAY: Time = Time::between(Span::ZERO, Span::from_s(1));

/// The cross-section may be a megabyte to a petabyte per second.
const CROSS_SECTION: ByteRate = ByteRate { range: (1_000_000, 1_000_000_000_000_000) };

words! {
    /// When a switch begins to forward a frame.
    pub enum SwitchingMode {
        /// When its header is in and routed. A frame from a slow port to a faster port is stored completely before.
        CutThrough = "cut-through",
        /// When all of it is in.
        StoreAndForward = "store-and-forward",
    }
}

words! {
    /// The order in which frames leave an input port.
    pub enum InputQueueing {
        /// In that in which they came: one that waits keeps those behind it, wherever they go.
        Fifo = "fifo",
        /// Those for each output by themselves.
        PerOutput = "per-output",
    }
}

words! {
    /// The number of frames that an input port sends through the crossbar at a time.
    pub enum Crossbar {
        /// One: the crossbar has an input for each port.
        PerPort = "per-port",
        /// As many as it has buffers: the crossbar has an input for each of them.
        PerBuffer = "per-buffer",
    }
}

words! {
    /// The buffers of a port between switches that are not for frames of nodes.
    pub enum BufferReserve {
        /// None.
        None = "none",
        /// An eighth, at most 15: for control traffic of the switches, which is not simulated.
        Eighth = "eighth",
    }
}

impl BufferReserve {
    /// The number of buffers that are reserved out of `buffers`.
    pub fn reserved_buffers(self, buffers: u32) -> u32 {
        match self {
            Self::None => 0,
            Self::Eighth => (buffers / 8).min(15),
        }
    }
}

table! {
    /// The parameters that all switches of a fabric have in common.
    pub struct SwitchParameters {
        /// Buffers for frames at every port, which is the credit that the other end of its link gets.
        buffers: u32 = Count::<u32>::between(1, 4096), default "8", source "Molero 2001, 4; QLogic 4 Gb port guides: 8 or 16";
        /// Size of a buffer: the largest payload of a frame. An adapter whose messages are longer has to send them in packets
        /// (`max_payload`).
        buffer_size: u64 = Size::between(1, 2112), default r#""2112 B""#, source "FC-FS: the largest data field; Molero 2001, 4: 2048";
        /// Time that the routing unit takes for a header. The routing unit serves one header at a time.
        routing_delay: Span = DELAY, default r#""150 ns""#, source "Molero 2001, 4 (Myrinet)";
        /// Time from the routed frame to its first word at the output, and so of each of its words through the switch.
        forwarding_delay: Span = DELAY, default r#""0 ns""#, source "Molero 2001, 4: contained in the 150 ns";
        /// When the switch begins to forward a frame.
        switching: SwitchingMode = Choice::<SwitchingMode>::ANY, default r#""cut-through""#, source "Molero 2001, 2";
        /// The order in which frames leave an input port.
        queueing: InputQueueing = Choice::<InputQueueing>::ANY, default r#""per-output""#, source "Molero 2001, 2: any buffer of a port";
        /// The number of frames that an input port sends through the crossbar at a time.
        crossbar: Crossbar = Choice::<Crossbar>::ANY, default r#""per-buffer""#, source "Molero 2001, 2";
        /// The rule that chooses the next input at an output.
        arbiter: RuleName<ArbiterName> = RuleOf::<ArbiterName>::decision(&ARBITER), default r#""round-robin""#, source "ours: it favours no port";
        /// Frames that pass the crossbar of a switch at a time, whatever their ports.
        transactions: Option<u64> = OrUnlimited::between(1, 1_000_000), default r#""unlimited""#, source "none";
        /// The most bytes per second of all frames together that pass the crossbar of a switch at a time: each counts with the rate of the
        /// link by which it leaves. One passes in any case.
        cross_section: Option<u64> = CROSS_SECTION.or("unlimited"), default r#""unlimited""#, source "none";
        /// With adaptive routing: whether frames of an exchange keep their order. One takes another path than the one before it only when
        /// none before it is in flight beyond the switch; how a switch would know that is left open.
        in_order: bool = Flag, default "true", source "FC-SW: in-order delivery";
        /// Virtual channels of links between switches. The virtual channels divide the buffers of each port among them.
        channels: u8 = Count::<u8>::between(1, 16), default "1", source "Fabric OS 7.1: 4 for data, 8 with QoS";
        /// The rule that assigns frames to virtual channels.
        channel: ChannelName = Choice::<ChannelName>::ANY, default r#""destination""#, source "ours: frames keep their order by it";
        /// The buffers of a port between switches that are not for frames of nodes.
        credit_reserve: BufferReserve = Choice::<BufferReserve>::ANY, default r#""none""#, source "Cisco tech note 212530: an eighth, at most 15";
        /// Whether parallel links between two switches are one trunk, on whose links frames go in order, each on the next free link. At
        /// most eight alike links make a trunk.
        trunks: bool = Flag, default "false", source "SilkWorm 4100 administrator's guide";
        /// How long a frame waits in a switch before it is discarded, from when its header is in.
        hold_time: Option<Span> = HOLD.or("unlimited"), default r#""unlimited""#, source "usual: 500 ms";
    }
    tables {
        /// How short control messages are favoured.
        control: ControlParameters;
        /// Detection of the nodes and links that keep others waiting, and countermeasures.
        congestion: CongestionParameters;
    }
}
