//! The keys of a switch.

use super::arbiter::ArbiterName;
use sansim_describe::quantities::{Choice, Count, OrUnlimited, Time};
use sansim_describe::{table, words};
use sansim_kernel::Span;

/// Up to a second.
const DELAY: Time = Time::between(Span::ZERO, Span::from_s(1));

words! {
    /// When a switch begins to forward a frame.
    pub enum Switching {
        /// When its header is in and routed. One that goes from a slow port to a faster one is stored whole before.
        CutThrough = "cut-through",
        /// When all of it is in.
        StoreAndForward = "store-and-forward",
    }
}

words! {
    /// In which order frames leave an input port.
    pub enum Queueing {
        /// In that in which they came: one that waits keeps those behind it, wherever they go.
        Fifo = "fifo",
        /// Those for each output by themselves.
        PerOutput = "per-output",
    }
}

words! {
    /// How many frames an input port sends through the crossbar at a time.
    pub enum Crossbar {
        /// One: the crossbar has an input for each port.
        PerPort = "per-port",
        /// As many as it has buffers: the crossbar has an input for each of them.
        PerBuffer = "per-buffer",
    }
}

table! {
    /// What all switches of a fabric have in common.
    pub struct SwitchParameters {
        /// Buffers for frames at every port, which is the credit that the other end of its link gets.
        buffers: u32 = Count::<u32>::between(1, 4096), default "8", source "Molero 2001, 4; QLogic 4 Gb port guides: 8 or 16";
        /// Time that the routing unit takes for a header. It serves one at a time.
        routing_delay: Span = DELAY, default r#""150 ns""#, source "Molero 2001, 4 (Myrinet)";
        /// Time from the routed frame to its first word at the output, and so of each of its words through the switch.
        forwarding_delay: Span = DELAY, default r#""0 ns""#, source "Molero 2001, 4: contained in the 150 ns";
        /// When the switch begins to forward a frame.
        switching: Switching = Choice::<Switching>::ANY, default r#""cut-through""#, source "Molero 2001, 2";
        /// In which order frames leave an input port.
        queueing: Queueing = Choice::<Queueing>::ANY, default r#""per-output""#, source "Molero 2001, 2: any buffer of a port";
        /// How many frames an input port sends through the crossbar at a time.
        crossbar: Crossbar = Choice::<Crossbar>::ANY, default r#""per-buffer""#, source "Molero 2001, 2";
        /// Who is next at an output.
        arbiter: ArbiterName = Choice::<ArbiterName>::ANY, default r#""round-robin""#, source "";
        /// Frames that pass the crossbar of a switch at a time, whatever their ports.
        transactions: Option<u64> = OrUnlimited::between(1, 1_000_000), default r#""unlimited""#, source "";
    }
}
