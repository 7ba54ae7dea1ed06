//! The port between an adapter and the loop.

use crate::quantity::{AlPas, Cable, Count, Flag, WithinSequenceRule, WordsOrTime};
use crate::table::table;
use crate::values::{AlPaChoice, Delay, Length};
use sansim_fc::al_pa::AlPa;
use sansim_fc::loop_port::WithinSequence;

table! {
    /// The Fibre Channel port of an adapter.
    pub struct Port {
        /// Address on the loop, which is also its priority: the lower the number, the higher. `"auto"` gives the highest
        /// free ones to controllers, the next to drives and the last to passive ports, each in the order of the loop.
        al_pa: AlPaChoice = AlPas, default r#""auto""#, source "FC-AL-2";
        /// Buffers for received frames. Three of them with one login credit keep a loop of 127 ports without long cables
        /// busy.
        incoming_buffers: u32 = Count::<u32>::between(1, 1024), default "3", source "Wang 2005, 5.2.2 and table 6.2";
        /// Login BB_Credit: frames that may be sent to this port before its first R_RDY. At most `incoming_buffers`.
        login_credit: u32 = Count::<u32>::between(0, 1024), default "0", source "Wang 2005, 6.2.1";
        /// Whether the port opens circuits with OPN(yx), in which both sides may send data.
        full_duplex: bool = Flag, default "false", source "FC-AL-2; Wang 2005, table 6.2";
        /// Time from a word entering the port to the same word leaving it.
        delay: Delay = WordsOrTime, follows "`port_delay` of the loop" |context| context.port_delay, source "FC-AL-2";
        /// Length of the cable from this port to the next one downstream. In a group, of each of its ports.
        cable: Length = Cable, follows "`cable` of the loop" |context| context.cable, source "";
        /// Time from receiving an R_RDY to the first word of the frame that waited for it.
        frame_reaction: Delay = WordsOrTime, default r#""1 word""#, source "";
        /// Whether the port answers a CLS only when it has processed the frames it received before.
        close_after_frames: bool = Flag, default "false", source "";
        /// Whether the port sends R_RDYs only while no frame is coming in. A buffer that is emptied later than six words after
        /// its frame is then announced one frame later, which two buffers do not hide on a long loop.
        ready_between_frames: bool = Flag, default "false", source "Wang 2005, 4.3.1.3";
        /// What the port does when it has sent a frame and the next of the sequence is still on its way from memory. `"hold"`
        /// keeps the circuit open, with fill words. `"close"` closes it and arbitrates again for the next frame; so does a
        /// number, but only when so many frames have come from memory, or the last of the sequence has.
        within_sequence: WithinSequence = WithinSequenceRule, default r#""hold""#, source "Ruwart 1999, 2 (hold); Wang 2005, 4.3.1.3 (close)";
    }
    tables {}
    computed {
        /// The address of each port of the component, whether it was given or found.
        al_pas: Vec<AlPa> = Vec::new();
    }
}

table! {
    /// A port that only repeats.
    pub struct PassivePort {
        /// Address on the loop; as for other ports.
        al_pa: AlPaChoice = AlPas, default r#""auto""#, source "FC-AL-2";
        /// Time from a word entering the port to the same word leaving it.
        delay: Delay = WordsOrTime, follows "`port_delay` of the loop" |context| context.port_delay, source "FC-AL-2";
        /// Length of the cable from each of the ports to the next one downstream.
        cable: Length = Cable, follows "`cable` of the loop" |context| context.cable, source "";
    }
    tables {}
    computed {
        /// The address of each port of the component, whether it was given or found.
        al_pas: Vec<AlPa> = Vec::new();
    }
}
