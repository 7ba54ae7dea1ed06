//! The keys of a loop port.

use crate::al_pa::{AlPaChoice, AlPas};
use crate::cable::{Cable, CableLength};
use crate::delay::{Delay, WordsOrTime};
use crate::loop_port::ArbitrationSchedule;
use sansim_schema::context::Facts;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Choice, Count, Flag, OrUnlimited};
use sansim_schema::quantity::{Quantity, quoted, shown_in_message};
use sansim_schema::suggest::nearest;
use sansim_schema::tree::{Value, ValueNode};
use sansim_schema::{Json, codes, json, table, words};

/// The values of the loop for all ports that give no values of their own: a fact of the [`Facts`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortDefaults {
    /// The time from a word entering a port to the same word leaving the port.
    pub port_delay: Delay,
    /// Length of the cable to the next port downstream.
    pub cable: CableLength,
}

words! {
    /// The frames of its queue that a port sends in a circuit.
    pub enum CircuitFrames {
        /// Those at the head for the port that it is connected to. One for another port ends the circuit.
        Head = "head",
        /// All for the port that it is connected to, wherever in the queue.
        All = "all",
    }
}

table! {
    /// The Fibre Channel port of an adapter.
    pub struct PortParameters {
        /// Address on the loop, which is also its priority: the lower the number, the higher. `"auto"` gives the highest
        /// free ones to hosts, the next to drives and the last to passive ports, each in the order of the loop.
        al_pa: AlPaChoice = AlPas, default r#""auto""#, source "FC-AL-2";
        /// Buffers for received frames. Three of them with one login credit keep a loop of 127 ports without long cables
        /// busy.
        incoming_buffers: u32 = Count::<u32>::between(1, 1024), default "3", source "Wang 2005, 5.2.2 and table 6.2";
        /// Login BB_Credit: frames that may be sent to this port before its first R_RDY. At most `incoming_buffers`.
        login_credit: u32 = Count::<u32>::between(0, 1024), default "0", source "Wang 2005, 6.2.1";
        /// Whether the port opens circuits with OPN(yx), in which both sides may send data.
        full_duplex: bool = Flag, default "false", source "FC-AL-2; Wang 2005, table 6.2";
        /// Number of frames after which the port gives up the loop; it arbitrates again for further frames, a fair port in the next access
        /// window. Without a limit it gives up the loop when it has no more to send to the port it opened.
        frames_per_tenancy: Option<u64> = OrUnlimited::between(1, 1_000_000), default r#""unlimited""#, source "none";
        /// Whether the port supports DHD. If both ends of a circuit support DHD, the opener sends DHD instead of CLS when it has no more
        /// frames; then the opened port sends its frames for the opener and closes the circuit. A half-duplex port names itself in its OPN
        /// for that and gives credit after its DHD only.
        dynamic_half_duplex: bool = Flag, default "false", source "FC-AL-2; Seagate Fibre Channel Interface manual, 5.4.1";
        /// Time from a word entering the port to the same word leaving it.
        delay: Delay = WordsOrTime, follows "`port_delay` of the loop" |context| context.fact::<PortDefaults>().port_delay, source "FC-AL-2";
        /// Length of the cable from this port to the next one downstream. In a group, every port has a cable of this length.
        cable: CableLength = Cable, follows "`cable` of the loop" |context| context.fact::<PortDefaults>().cable, source "ours: cables of a loop are alike unless one is said to be different" changes;
        /// Time from receiving an R_RDY to the first word of the frame that waited for it.
        frame_reaction: Delay = WordsOrTime, default r#""1 word""#, source "ours: the shortest reaction, that to other signals in Wang 2005, figure 5.2";
        /// Whether the port answers a CLS only when it has processed the frames it received before.
        close_after_frames: bool = Flag, default "false", source "ours: a port answers as soon as it can";
        /// Whether a port that is opened while it has no free buffer sends CLS at once, so that others get the loop; its opener tries again.
        /// Otherwise the circuit waits for a buffer.
        close_without_buffer: bool = Flag, default "false", source "Fujitsu MAT3300FC interface specification (C141-C008), 1-26 (true); ours (false): the circuit waits, as for each later R_RDY";
        /// Whether the port sends R_RDYs only while no frame is coming in. A buffer that is emptied later than six words after
        /// its frame is then announced one frame later, which two buffers do not hide on a long loop.
        ready_between_frames: bool = Flag, default "false", source "Wang 2005, 4.3.1.3";
        /// The behaviour of the port when it has sent a frame and the next of the sequence is still on its way from memory. `"hold"` keeps
        /// the circuit open, with fill words. `"close"` closes it and arbitrates again for the next frame; so does a number, but only when
        /// so many frames have come from memory, or the last of the sequence has.
        within_sequence: WithinSequence = WithinSequenceRule, default r#""hold""#, source "Ruwart 1999, 2 (hold); Wang 2005, 4.3.1.3 (close)";
        /// The frames of its queue that the port sends in a circuit.
        circuit_frames: CircuitFrames = Choice::<CircuitFrames>::ANY, default r#""head""#, source "Wang 2005, 4.3.1.3: \"waiting frames in the outgoing frame buffer that are heading to the connected port\"";
    }    checks(check_credit)
}

/// All keys of a network port of Fibre Channel: the keys of its own table, and the arbitration schedule.
#[derive(Clone, Debug, PartialEq)]
pub struct FcPort {
    /// The keys of the port's own table.
    pub port: PortParameters,
    /// The arbitration schedule of the port.
    pub schedule: ArbitrationSchedule,
}

impl PortParameters {
    /// The keys that have a meaning at a port on a fabric; the other keys are about loops.
    pub const OF_FABRICS: &[&str] = &["incoming_buffers", "cable"];

    /// A port cannot promise more buffers than it has.
    fn check_credit(&self, keys: &mut Keys<'_, '_>) {
        let (credit, buffers) = (self.login_credit, self.incoming_buffers);
        if credit <= buffers || !keys.all_readable(&["login_credit", "incoming_buffers"]) {
            return;
        }
        let fault = Diagnostic::new(
            codes::CONTRADICTION,
            keys.value_position("login_credit"),
            format!("a login credit of {credit} promises more frames than {buffers} buffers can hold"),
        )
        .with_label(format!("must be at most incoming_buffers, which is {buffers}"));
        let related = keys.written_position("incoming_buffers").map(|place| (place, "the buffers"));
        let help = related
            .is_none()
            .then(|| format!("set incoming_buffers to {credit} or more; {buffers} is its default"));
        keys.report_with("login_credit", fault.with_help_if_given(help), related);
    }
}

table! {
    /// A port that only repeats.
    pub struct PassivePortParameters {
        /// Address on the loop; as for other ports.
        al_pa: AlPaChoice = AlPas, default r#""auto""#, source "FC-AL-2";
        /// Time from a word entering the port to the same word leaving it.
        delay: Delay = WordsOrTime, follows "`port_delay` of the loop" |context| context.fact::<PortDefaults>().port_delay, source "FC-AL-2";
        /// Length of the cable from each of the ports to the next one downstream.
        cable: CableLength = Cable, follows "`cable` of the loop" |context| context.fact::<PortDefaults>().cable, source "ours: cables of a loop are alike unless one is said to be different" changes;
    }
}

impl PassivePortParameters {
    /// The port as a loop port that never sends a frame and is never opened.
    pub fn as_port(&self) -> PortParameters {
        PortParameters {
            al_pa: self.al_pa.clone(),
            incoming_buffers: 1,
            login_credit: 0,
            full_duplex: false,
            frames_per_tenancy: None,
            dynamic_half_duplex: false,
            delay: self.delay,
            cable: self.cable,
            frame_reaction: Delay::default(),
            close_after_frames: false,
            close_without_buffer: false,
            ready_between_frames: false,
            within_sequence: WithinSequence::default(),
            circuit_frames: CircuitFrames::Head,
        }
    }
}

/// The behaviour of a port between two frames of a sequence while the second is still being fetched from memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum WithinSequence {
    /// The port keeps the circuit open: a device closes "after the data transfer is complete" (Ruwart 1999,
    /// 2).
    #[default]
    Hold,
    /// The port closes, and arbitrates again for the next frame: "when there is no more frame to send" (Wang
    /// 4.3.1.3).
    Close,
    /// The port closes, and arbitrates again when this number of frames has come from memory, or the last frame
    /// of the sequence has.
    Gather(u32),
}

/// The value of a key that says what a port does between two frames of a sequence: one of two words, or the
/// number of frames to gather.
pub struct WithinSequenceRule;

impl WithinSequenceRule {
    const FRAMES: Count<u32> = Count::between(1, 1_000_000);
    const WORDS: [(&'static str, WithinSequence); 2] =
        [("hold", WithinSequence::Hold), ("close", WithinSequence::Close)];
}

impl Quantity for WithinSequenceRule {
    type Value = WithinSequence;

    fn read(&self, node: &ValueNode, _: &Facts) -> Result<WithinSequence, Vec<Diagnostic>> {
        let words = || WithinSequenceRule::WORDS.iter().map(|(word, _)| *word);
        match &node.value {
            Value::Text(text) if text.trim().parse::<u64>().is_err() => {
                let known = WithinSequenceRule::WORDS.iter().find(|(word, _)| *word == text.trim());
                known.map(|(_, meaning)| *meaning).ok_or_else(|| {
                    vec![
                        Diagnostic::new(
                            codes::UNKNOWN_WORD,
                            node.place,
                            format!("{} is not known here", shown_in_message(text)),
                        )
                        .with_label("needs \"hold\", \"close\" or a number of frames")
                        .with_help_if_given(
                            nearest(text, words()).map(|near| format!("did you mean \"{near}\"?")),
                        ),
                    ]
                })
            }
            _ => WithinSequenceRule::FRAMES
                .read_number(node, ", \"hold\" or \"close\"")
                .map(|frames| WithinSequence::Gather(u32::try_from(frames).unwrap_or(u32::MAX)))
                .map_err(|fault| vec![fault]),
        }
    }

    fn write(&self, value: &WithinSequence, _: &Facts) -> String {
        match value {
            WithinSequence::Hold => quoted("hold"),
            WithinSequence::Close => quoted("close"),
            WithinSequence::Gather(frames) => frames.to_string(),
        }
    }

    fn placeholder(&self) -> WithinSequence {
        WithinSequence::Hold
    }

    fn describe(&self) -> String {
        format!("`\"hold\"`, `\"close\"` or a {}", WithinSequenceRule::FRAMES.describe())
    }

    fn schema(&self) -> Json {
        json!({ "anyOf": [{ "enum": ["hold", "close"] }, WithinSequenceRule::FRAMES.schema()] })
    }
}
