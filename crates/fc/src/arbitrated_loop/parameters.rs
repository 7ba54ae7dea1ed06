//! The keys of an arbitrated loop.

use crate::cable::{Cable, CableLength, CableMedium, FibreDelay, Propagation};
use crate::class_2::{LoopClass2Parameters, ServiceClass};
use crate::codes::SPEED_NOT_ON_LOOP;
use crate::delay::{Delay, WordTime, WordsOrTime};
use crate::enclosure::EnclosureParameters;
use crate::initialisation_frame::LONGEST_HOLD_TIME;
use crate::loop_port::PortDefaults;
use crate::speed::Speed;
use sansim_kernel::Span;
use sansim_schema::context::Facts;
use sansim_schema::fault::{Diagnostic, NOT_MODELLED};
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Choice, Dimensioned, Flag, Fraction, NameList, Time, write_time};
use sansim_schema::{codes, table};

/// The word time is between a tenth of a nanosecond (a word of 128GFC takes 0.3 ns) and a microsecond (a word
/// of 1GFC takes 38 ns).
const WORD_TIME: Time = Time::between(Span(57), Span(561_000));

/// A port may keep an initialisation frame for LIS_HOLD_TIME at most.
const HOLD_TIME: Time = Time::between(Span::ZERO, LONGEST_HOLD_TIME);

const STATIONS: NameList = NameList { example: r#"["host", "drives"]"# };

table! {
    /// A Fibre Channel arbitrated loop: up to 127 ports in a ring, of which two at a time exchange frames.
    pub struct LoopParameters {
        /// Link rate. Loops exist from 1GFC to 8GFC.
        speed: Speed = Choice::<Speed>::ANY, required r#""2GFC""#, source "FC-PI, FC-AL-2";
        /// Time of a transmission word of four bytes. `"exact"` is 640 / (17 G) ns at G GFC; a given time replaces it, for
        /// simulators that counted whole nanoseconds (Wang 2005: 38 ns and 19 ns).
        word_time: Option<Span> = WORD_TIME.or("exact"), default r#""exact""#, source "FC-PI";
        /// Delay of a word in a port of the loop, for every port without a `delay` of its own. The standard allows at most six words.
        port_delay: Delay = WordsOrTime, default r#""6 words""#, source "FC-AL-2; Wang 2005, 5.2.2";
        /// Length of the cable from a port to the next port downstream, for every port without a `cable` of its own.
        cable: CableLength = Cable, default r#""0 m""#, source "ours: a cable that is left out has no length" changes;
        /// The material of the cables; decides their propagation delay. A cable may be of any length: one that is longer than its medium
        /// carries is warned of.
        medium: CableMedium = Choice::<CableMedium>::ANY, default r#""fibre""#, source "Wang 2005, 4.3.1.1; Ruwart 1999 and FC-PI for the lengths";
        /// Propagation delay of the cables.
        propagation: Propagation = FibreDelay, follows "`medium`: 5 ns/m for fibre, 4.3 ns/m for copper" |_context| medium.propagation(),
            source "Wang 2005, 4.3.1.1";
        /// Whether an IDLE that a port receives while it is in a circuit opens its access window. If `false`, only an IDLE opens it that
        /// the port receives outside a circuit, or that still comes in when the port leaves its circuit.
        access_in_circuit: bool = Flag, default "true", source "ours: a reading of FC-AL-2, which does not except ports in a circuit";
        /// Time for which a port keeps an initialisation frame before it sends it on, when the loop is initialised. The default is the
        /// longest that the standard allows, LIS_HOLD_TIME.
        initialisation_hold_time: Span = HOLD_TIME, default r#""1 ms""#, source "Hitachi Ultrastar 15K450 (FC-AL) specification, table 87";
        /// Probability for each word on each cable that it is damaged, independently for each word: a signal is lost, a frame is discarded.
        /// A bit error rate of 1e-12, the most that the standard allows, damages 4e-11 of the words of 40 bits. Other than zero it makes runs
        /// slower, as every port then sees every word.
        word_loss: f64 = Fraction, default "0.0", source "FC-FS; FC-PI for the bit error rate";
        /// In which class of service ports send. In class 2 the receiver of a frame answers it by ACK_1 when it has emptied the buffer: in
        /// the circuit if this is still open, else in a circuit of its own. IP frames go in class 3 in any case. Class 2 makes runs slower.
        class: ServiceClass = Choice::<ServiceClass>::ANY, default r#""class-3""#, source "FC-FS";
        /// The components on the loop in the order in which words pass them. The ports of a group are side by side.
        stations: Vec<String> = STATIONS, required r#"["host", "drives"]"#, source "";
    }
    tables {
        /// The parameters that ports agree on in class 2.
        class_2: LoopClass2Parameters;
    }
    named {
        /// The enclosures that its drives are in. Without one the drives are joined one to the next as `stations` says.
        enclosures: EnclosureParameters;
    }
    checks(check_speed, check_enclosures, check_class)
    idle(of_class_2)
    removed(
        "fidelity" since "2026-11-29": "every loop is simulated to the word: leave it out; where the loop is not the question, attach devices without one (`attached`)"
    )
}

impl LoopParameters {
    /// The time of a transmission word on this loop.
    pub fn word_time(&self) -> Span {
        self.word_time.unwrap_or_else(|| self.speed.word_time())
    }

    /// The facts that the quantities of this loop and of its components need.
    pub fn facts(&self) -> Facts {
        Facts::default()
            .with_fact(WordTime(self.word_time()))
            .with_fact(PortDefaults { port_delay: self.port_delay, cable: self.cable })
    }

    /// The keys of class 2 have no effect in class 3.
    fn of_class_2(&self, idle: &mut IdleKeys) {
        let is_class_2 = self.class == ServiceClass::Class2;
        idle.mark_idle_unless(is_class_2, &["class_2"], "ports send in class 3 (`class`)");
    }

    /// Keys of class 2 require class 2, in which no words are damaged.
    fn check_class(&self, keys: &mut Keys<'_, '_>) {
        let is_class_2 = self.class == ServiceClass::Class2;
        if is_class_2 && self.word_loss > 0.0 && keys.all_readable(&["class", "word_loss"]) {
            let message =
                "damaged words are simulated in class 3 only: no port of the loop would miss a lost ACK";
            let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position("word_loss"), message)
                .with_label("given beside class 2")
                .with_help(format!("leave it out, or set {} = \"class-3\"", keys.full_path("class")));
            keys.report("word_loss", fault);
        }
        let says_nothing = self.class_2 == LoopClass2Parameters::NOTHING_SAID;
        if is_class_2 || says_nothing || !keys.all_readable(&["class", "class_2"]) {
            return;
        }
        if let Some(place) = keys.written_position("class_2") {
            let message = format!("ports of class = \"{}\" agree on nothing of class 2", self.class);
            let fault = Diagnostic::new(codes::CONTRADICTION, place, message)
                .with_label("given for class 2")
                .with_help(format!("{} = \"class-2\" has every frame acknowledged", keys.full_path("class")));
            keys.report("class_2", fault);
        }
    }

    /// Loops exist up to 8GFC, and a word time that is given must be the word time of the speed, rounded.
    fn check_speed(&self, keys: &mut Keys<'_, '_>) {
        let speed = self.speed;
        if keys.all_readable(&["speed"]) && !speed.has_loop() {
            let fault = Diagnostic::new(
                SPEED_NOT_ON_LOOP,
                keys.value_position("speed"),
                format!("there is no arbitrated loop at {speed}"),
            )
            .with_label("needs 1GFC, 2GFC, 4GFC or 8GFC")
            .with_help(format!(
                "from 16GFC on Fibre Channel runs point to point and through switches only; {NOT_MODELLED} lists what is left out"
            ));
            keys.report("speed", fault);
            return;
        }
        let Some(given) = self.word_time else { return };
        let exact = speed.word_time();
        let off = given.ticks().abs_diff(exact.ticks());
        // At 8GFC, where a word takes 4.7 ns, a word time in whole ns is 6 % off.
        if off * 10 <= exact.ticks() || !keys.all_readable(&["word_time", "speed"]) {
            return;
        }
        let fault = Diagnostic::new(
            codes::CONTRADICTION,
            keys.value_position("word_time"),
            format!(
                "a word of {} does not fit {speed}, at which it takes {:.3} ns",
                write_time(given.ticks()),
                exact.as_ns_f64()
            ),
        )
        .with_label("more than 10 % off")
        .with_help(format!("{} = \"exact\" follows the speed", keys.full_path("word_time")));
        keys.report("word_time", fault);
    }
}
