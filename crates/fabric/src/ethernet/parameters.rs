//! The keys of the switches of an Ethernet, and of its classes of frames.

use super::pause::PauseRule;
use crate::switch::SwitchingMode;
use sansim_kernel::Span;
use sansim_schema::quantities::{Choice, Count, Dimensioned, Flag, Fraction, Number, OrElse, Size, Time};
use sansim_schema::table;

/// A delay of a switch may be up to a second.
const DELAY: Time = Time::between(Span::ZERO, Span::from_s(1));

/// Routing may take up to an hour.
const CONVERGENCE: Time = Time::between(Span::ZERO, Span::from_s(3_600));

/// A buffer may have up to a tebibyte.
const BUFFER: Size = Size::between(84, 1 << 40);
const MULTIPLE: OrElse<Number> = OrElse { quantity: Number::between(0.001, 1_000.0), word: "unlimited" };
const WEIGHT: OrElse<Count<u32>> = OrElse { quantity: Count::<u32>::between(1, 1_000), word: "strict" };

table! {
    /// The parameters that all switches of an Ethernet have in common.
    pub struct EthernetSwitchParameters {
        /// When a switch begins to forward a frame. A switch whose links have different rates stores every frame completely.
        switching: SwitchingMode = Choice::<SwitchingMode>::ANY, default r#""store-and-forward""#, source "Extreme EXOS 32.2: the default of many platforms";
        /// Latency of a switch for a frame that need not wait: from its last bit in to its first bit out, and for a switch that cuts through
        /// from its first bit in.
        latency: Span = DELAY, default r#""0 ns""#, source "RFC 1242 for its meaning; ours: what is left out takes no time";
        /// Memory of a switch, which its outputs share. A frame for which there is no room is dropped.
        buffer: Option<u64> = BUFFER.or("unlimited"), default r#""unlimited""#, source "ours: nothing is lost unless it is said";
        /// Most bytes of it that wait at one output.
        port_buffer: Option<u64> = BUFFER.or("unlimited"), default r#""unlimited""#, source "ours: nothing is lost unless it is said";
        /// Dynamic threshold: most bytes that wait at one output in one class, as a multiple of the free bytes of the memory.
        free_share: Option<f64> = MULTIPLE, default r#""unlimited""#, source "Choudhury and Hahne 1998";
        /// Time that a receiver of a pause takes to stop its transmitter, beside the rest of the frame that it sends.
        pause_response: Span = DELAY, default r#""0 ns""#, source "ours: what is left out takes no time";
        /// Time from the failure or repair of a link or switch until switches use other paths. Frames to a dead link are lost until then.
        convergence_time: Span = CONVERGENCE, default r#""0 ns""#, source "assumption, as for fabrics: switches know at once; routing protocols take milliseconds to seconds";
    }
}

table! {
    /// The treatment of the frames of a class in switches.
    #[derive(Copy)]
    pub struct EthernetQueueParameters {
        /// Share of an output against other classes, in bytes (deficit round robin); a class with `"strict"` goes before all that are not, and
        /// before later ones that are.
        weight: Option<u32> = WEIGHT, default "1", source "ours: classes are alike unless one is said to be different";
        /// Whether nothing of the class may be dropped: where many of its bytes wait that came in by one port, the switch makes the other end
        /// of that link pause (PFC).
        lossless: bool = Flag, default "false", source "IEEE 802.1Qbb";
        /// Bytes that came in by one port and wait, above which the switch asks the other end of the link to pause (XOFF).
        pause_above: u64 = BUFFER, default r#""100 KB""#, source "assumption: tables of products are not public";
        /// Bytes below which the other end may go on (XON).
        resume_below: u64 = Size::between(0, 1 << 40), default r#""80 KB""#, source "csg-htsim: four fifths of XOFF";
        /// Room for what comes in after a pause was asked for. `"exact"` is enough for frames of the largest size, the cable, and the times
        /// of both ends.
        headroom: Option<u64> = Size::between(0, 1 << 40).or("exact"), default r#""exact""#, source "IEEE 802.1Qbb; see the page of the model";
        /// Bytes that wait at an output in the class, above which the switch begins to mark frames whose sender heeds marks (ECN, Kmin).
        mark_above: Option<u64> = Size::between(0, 1 << 40).or("none"), default r#""none""#, source "ours: RFC 3168 leaves it to the switch";
        /// Bytes from which on it marks all of them (Kmax). Between both the share grows in proportion to `mark_share`. `"same"` is
        /// `mark_above`.
        mark_all_above: Option<u64> = Size::between(0, 1 << 40).or("same"), default r#""same""#, source "RFC 8257: a single threshold";
        /// Share of frames that it marks just below `mark_all_above` (Pmax).
        mark_share: f64 = Fraction, default "1.0", source "RFC 8257: all above the threshold";
    }
}

impl EthernetQueueParameters {
    /// The queue of frames of which nothing is said.
    pub fn plain() -> Self {
        Self {
            weight: Some(1),
            lossless: false,
            pause_above: 100_000,
            resume_below: 80_000,
            headroom: None,
            mark_above: None,
            mark_all_above: None,
            mark_share: 1.0,
        }
    }

    /// The rule of pauses on a link of this rate and one-way delay, for frames of at most `largest` bytes; none for a class that may lose frames.
    pub fn pause_rule(
        &self,
        switch: &EthernetSwitchParameters,
        link: (u64, Span),
        largest: u64,
        classes: usize,
    ) -> Option<PauseRule> {
        let (rate, delay) = link;
        let headroom = self.headroom.unwrap_or_else(|| {
            PauseRule::exact_headroom_bytes(
                rate,
                delay,
                switch.latency + switch.pause_response,
                largest,
                classes,
            )
        });
        self.lossless.then_some(PauseRule { above: self.pause_above, below: self.resume_below, headroom })
    }
}
