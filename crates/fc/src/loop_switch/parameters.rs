//! The keys of a loop switch.

use super::arbitration::Arbitration;
use crate::arbitrated_loop::{Fidelity, LoopParameters};
use crate::delay::{Delay, WordsOrTime};
use crate::drivers::Links;
use sansim_describe::fault::Fault;
use sansim_describe::keys::Keys;
use sansim_describe::quantities::{Choice, OrUnlimited, Time};
use sansim_describe::{codes, table};
use sansim_kernel::Span;

table! {
    /// A loop switch, as in an SBOD enclosure: each station stands at a port of its own, and the switch joins two of them to a loop of two
    /// for as long as they talk to each other. Stations that `enclosures` puts together share a port. The devices speak the protocol
    /// of the arbitrated loop and do not know of it.
    pub struct LoopSwitchParameters {
        /// Time in which a word passes the switch, from one port to another or back to the one that it came from. No figure of a switch was
        /// published; six words are what a port of a loop may take at most.
        latency: Delay = WordsOrTime, default r#""6 words""#, source "assumption";
        /// Time in which the switch finds out at which of its ports the destination of an OPN stands. No figure was published; six to
        /// twelve words are a reasonable range.
        look_up: Delay = WordsOrTime, default r#""9 words""#, source "assumption";
        /// Most OPNs that wait at a port for the one that they want to be free; one more is answered with CLS, and who sent it
        /// tries again.
        queue_length: Option<u64> = OrUnlimited::between(1, 127), default r#""unlimited""#, source "HP P4459A loop switch guide (programmable)";
        /// Most conversations at once.
        conversations: Option<u64> = OrUnlimited::between(1, 127), default r#""unlimited""#, source "";
        /// How its stations are joined to it. A star lets one conversation go on at a time, and needs about half of the optical drivers.
        links: Links = Choice::<Links>::ANY, default r#""point-to-point""#, source "Storlite final report, Star Connect Topology";
        /// Who is next at a port that has become free: one of those who want to talk to it, or who stands there.
        arbitration: Arbitration = Choice::<Arbitration>::ANY, default r#""fair""#, source "Storlite final report, SBOD Arbitration Policy; US 7,382,790";
        /// For how long the switch interrupts the others when a port fails and is bypassed, and when it is repaired.
        interruption: Span = Time::ANY, default r#""0 ns""#, source "assumption: a switch initialises the port alone";
    }
    parts {
        /// What it has in common with an arbitrated loop: its stations, the speed, ports and cables.
        on: LoopParameters;
    }
    checks(check_fidelity)
}

impl LoopSwitchParameters {
    /// Most conversations at once, none if there is no limit.
    pub fn most_conversations(&self) -> Option<u64> {
        match self.links {
            Links::Star => Some(1),
            Links::PointToPoint => self.conversations,
        }
    }

    /// There is no closed form of a switch.
    fn check_fidelity(&self, keys: &mut Keys<'_, '_>) {
        if self.on.fidelity == Fidelity::Words || !keys.are_sound(&["fidelity"]) {
            return;
        }
        let fault = Fault::new(
            codes::CONTRADICTION,
            keys.value("fidelity"),
            "a loop switch is simulated in words only".to_owned(),
        )
        .label("must be \"words\"");
        keys.report("fidelity", fault);
    }
}
