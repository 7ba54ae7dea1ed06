//! The arbitrated loop, and ports on it that only repeat.

use sansim_kernel::Span;

use crate::model::PassivePort;
use crate::quantity::{Cable, Choice, Count, FibreDelay, Flag, Names, WordTimeRule, WordsOrTime};
use crate::scenario::StationRef;
use crate::table::table;
use crate::values::{Delay, Length, Medium, Propagation, WordTime};
use sansim_fc::speed::Speed;

table! {
    /// A Fibre Channel arbitrated loop: up to 127 ports in a ring, of which two at a time exchange frames.
    pub struct ArbitratedLoop {
        /// Link rate. Loops exist from 1GFC to 8GFC.
        speed: Speed = Choice::<Speed>::ANY, required r#""2GFC""#, source "FC-PI, FC-AL-2";
        /// Time of a transmission word of four bytes. `"exact"` is 640 / (17 G) ns at G GFC; a given time replaces it, for
        /// simulators that counted whole nanoseconds (Wang 2005: 38 ns and 19 ns).
        word_time: WordTime = WordTimeRule, default r#""exact""#, source "FC-PI";
        /// Time from a word entering a port to the same word leaving it, for every port that says nothing else.
        /// The standard allows at most six words.
        port_delay: Delay = WordsOrTime, default r#""6 words""#, source "FC-AL-2; Wang 2005, 5.2.2";
        /// Length of the cable from a port to the next one downstream, for every port that says nothing else.
        cable: Length = Cable, default r#""0 m""#, source "";
        /// What the cables are made of; decides their propagation delay. A cable may be of any length: one that is longer
        /// than its medium carries is warned of.
        medium: Medium = Choice::<Medium>::ANY, default r#""fibre""#, source "Wang 2005, 4.3.1.1; Ruwart 1999 and FC-PI for the lengths";
        /// Propagation delay of the cables.
        propagation: Propagation = FibreDelay, follows "`medium`: 5 ns/m for fibre, 4.3 ns/m for copper" |_context| medium.propagation(),
            source "Wang 2005, 4.3.1.1";
        /// Whether an IDLE that a port receives while it is in a circuit opens its access window. If not, only one that it
        /// receives outside does, or that is still coming in when it leaves the circuit.
        access_in_circuit: bool = Flag, default "true", source "";
        /// The components on the loop in the order in which words pass them. The ports of a group stand side by side.
        stations: Vec<String> = Names, required r#"["controller", "drives"]"#, source "";
    }
    tables {}
    computed {
        /// Name of the component.
        name: String = String::new();
        /// `stations`, found among the components.
        order: Vec<StationRef> = Vec::new();
    }
}

impl ArbitratedLoop {
    /// How long a transmission word takes on this loop.
    pub fn word_time(&self) -> Span {
        match self.word_time {
            WordTime::Exact => self.speed.word_time(),
            WordTime::Given(span) => span,
        }
    }
}

table! {
    /// Ports that take part in the loop but never send anything of their own: they repeat, and add their delay.
    pub struct PassiveGroup {
        /// How many ports; 0 as well, so that a study can begin with none.
        count: u32 = Count::<u32>::between(0, 1_000_000), default "1", source "";
    }
    tables {
        /// Each of the ports.
        port: PassivePort;
    }
    computed {
        /// Name of the component.
        name: String = String::new();
    }
}
