//! The keys of a loop switch.

use super::arbitration::{Arbitration, LOOP_SWITCH};
use crate::arbitrated_loop::LoopParameters;
use crate::cable::{Cable, CableLength};
use crate::class_2::ServiceClass;
use crate::delay::{Delay, WordsOrTime};
use crate::drivers::SwitchCabling;
use sansim_kernel::Span;
use sansim_rules::{RuleName, RuleOf};
use sansim_schema::fault::Diagnostic;
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Choice, Count, NameList, OrUnlimited, Time};
use sansim_schema::table::NamedValue;
use sansim_schema::{codes, table};

const HOLDS: NameList = NameList { example: r#"["drives"]"# };

table! {
    /// A cascaded loop switch: an inter-switch link joins it to the switch before it. The switches form a chain, in the order in which
    /// their stations appear in `stations`; stations in none of these tables are at the first switch.
    pub struct CascadedSwitch {
        /// The components at it, as in `stations`.
        holds: Vec<String> = HOLDS, required r#"["drives"]"#, source "";
        /// Length of the inter-switch cable to the switch before.
        cable: CableLength = Cable, default r#""0 m""#, source "ours: a cable that is left out has no length";
    }
}

table! {
    /// A loop switch, as in an SBOD enclosure: each station is at a port of its own, and the switch joins two of them to a loop of two for
    /// as long as they talk to each other. Stations that `enclosures` puts together share a port. The devices speak the protocol of the
    /// arbitrated loop and do not know of the switch.
    pub struct LoopSwitchParameters {
        /// Time in which a word passes the switch, from one port to another or back to the one that it came from. No figure of a switch was
        /// published; six words are what a port of a loop may take at most.
        latency: Delay = WordsOrTime, default r#""6 words""#, source "assumption";
        /// Time in which the switch finds the port of the destination of an OPN. No figure was published; six to twelve words are a
        /// reasonable range.
        look_up: Delay = WordsOrTime, default r#""9 words""#, source "assumption";
        /// Most OPNs that wait for a busy port; one more is answered with CLS, and its sender tries again.
        queue_length: Option<u64> = OrUnlimited::between(1, 127), default r#""unlimited""#, source "HP P4459A loop switch guide (programmable)";
        /// Most conversations at once in a switch; a conversation over an inter-switch link counts at both of its switches.
        conversations: Option<u64> = OrUnlimited::between(1, 127), default r#""unlimited""#, source "none";
        /// How its stations are joined to it. A star lets one conversation go on at a time, and needs about half of the optical drivers.
        links: SwitchCabling = Choice::<SwitchCabling>::ANY, default r#""point-to-point""#, source "Storlite final report, Star Connect Topology";
        /// Time in which light passes the splitter of a star, from the switch to the stations, beside the cables and `latency`. No figure was
        /// published; a splitter of glass is some centimetres long, which light passes in less than a nanosecond.
        splitter_delay: Delay = WordsOrTime, default r#""0 ns""#, source "assumption";
        /// On a star, so many stations share one optical driver. The count of drivers changes nothing else:
        /// stations talk one at a time. Assumption: no station sends a fill word while another one talks.
        stations_per_driver: u64 = Count::<u64>::between(1, 127), default "1", source "assumption";
        /// The rule that chooses the next contender at a port that has become free: a station that wants to talk to it, or one at the port
        /// itself.
        arbitration: RuleName<Arbitration> = RuleOf::<Arbitration>::decision(&LOOP_SWITCH), default r#""fair""#, source "Storlite final report, SBOD Arbitration Policy; US 7,382,790";
        /// For how long the switch interrupts the others when a port fails and is bypassed, and when it is repaired.
        interruption: Span = Time::ANY, default r#""0 ns""#, source "assumption: a switch initialises the port alone";
    }
    parts {
        /// The parameters that it shares with an arbitrated loop: its stations, the speed, ports and cables.
        on: LoopParameters;
    }
    named {
        /// Further switches, cascaded, with what they have in common with this one.
        cascaded: CascadedSwitch;
    }
    checks(check_cascaded, check_star, check_splitter, check_switch_class)
    idle(of_a_star)
}

impl LoopSwitchParameters {
    /// The keys of drivers that several stations share, and those that act on a loop without a switch only.
    fn of_a_star(&self, idle: &mut IdleKeys) {
        idle.mark_idle_unless(
            self.links == SwitchCabling::Star,
            &["stations_per_driver"],
            "every station has a driver of its own (`links`)",
        );
        idle.mark_idle_unless(
            false,
            &["word_loss"],
            "a loop switch damages no words; an arbitrated loop does",
        );
    }

    /// The time from the arrival of a word at a port of the switch to its being at the cable of another port.
    pub fn transit_time(&self) -> Span {
        match self.links {
            SwitchCabling::Star => self.latency.span + self.splitter_delay.span,
            SwitchCabling::PointToPoint => self.latency.span,
        }
    }

    /// The most conversations at once; none if there is no limit.
    pub fn most_conversations(&self) -> Option<u64> {
        match self.links {
            SwitchCabling::Star => Some(1),
            SwitchCabling::PointToPoint => self.conversations,
        }
    }

    /// The switch of the station with this name: 0 is the first switch, other switches are numbered as in
    /// `cascaded`, from 1 on.
    pub fn switch_of(&self, station: &str) -> usize {
        let holds = |one: &NamedValue<CascadedSwitch>| one.described.holds.iter().any(|held| held == station);
        self.cascaded.iter().position(holds).map_or(0, |place| place + 1)
    }

    /// Each component at a cascaded switch is a station, is at one switch only, and shares no enclosure with components at other switches.
    fn check_cascaded(&self, keys: &mut Keys<'_, '_>) {
        for (number, switch) in self.cascaded.iter().enumerate() {
            let key = format!("cascaded.{}.holds", switch.name);
            if !keys.all_readable(&[&key, "stations"]) {
                continue;
            }
            let parted = |holds: &[String]| {
                let here = holds.iter().filter(|held| switch.described.holds.contains(held)).count();
                here > 0 && here < holds.len()
            };
            let enclosure = self.on.enclosures.iter().find(|one| parted(&one.described.holds));
            let fault = switch.described.holds.iter().find_map(|held| {
                if !self.on.stations.contains(held) {
                    let message =
                        format!("`{held}` is at a cascaded switch and is not attached to this network");
                    return Some((message, "not in stations"));
                }
                let elsewhere = self.switch_of(held) != number + 1;
                elsewhere
                    .then(|| (format!("`{held}` is attached to two switches"), "is at another one already"))
            });
            let fault = fault.or_else(|| {
                let name = &enclosure?.name;
                Some((format!("the enclosure `{name}` is at two switches"), "has only a part of it"))
            });
            if let Some((message, label)) = fault {
                keys.report(
                    &key,
                    Diagnostic::new(codes::CONTRADICTION, keys.value_position(&key), message)
                        .with_label(label),
                );
            }
        }
    }

    /// A star has no port for a trunk: all its stations receive everything that its switch sends.
    fn check_star(&self, keys: &mut Keys<'_, '_>) {
        if self.cascaded.is_empty() || self.links != SwitchCabling::Star || !keys.all_readable(&["links"]) {
            return;
        }
        let fault = Diagnostic::new(
            codes::CONTRADICTION,
            keys.value_position("links"),
            "a star is not cascaded".to_owned(),
        )
        .with_label("has no port for a trunk")
        .with_help("leave out `cascaded`, or set `links` to \"point-to-point\" and `conversations` to 1");
        keys.report("links", fault);
    }

    /// A loop switch carries class 3 only.
    fn check_switch_class(&self, keys: &mut Keys<'_, '_>) {
        if self.on.class == ServiceClass::Class3 || !keys.all_readable(&["class"]) {
            return;
        }
        let message = "class 2 is simulated on arbitrated loops and on fabrics, and not at a loop switch";
        let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position("class"), message)
            .with_label("given for a loop switch")
            .with_help("leave it out, or use kind = \"arbitrated-loop\"");
        keys.report("class", fault);
    }

    /// Only a star has a splitter.
    fn check_splitter(&self, keys: &mut Keys<'_, '_>) {
        let has_none = self.links == SwitchCabling::PointToPoint && self.splitter_delay.span > Span::ZERO;
        if !has_none || !keys.all_readable(&["splitter_delay", "links"]) {
            return;
        }
        let message = "only a star has a splitter".to_owned();
        let fault = Diagnostic::new(codes::CONTRADICTION, keys.value_position("splitter_delay"), message)
            .with_label("no light is split")
            .with_help("set `links` to \"star\", or leave this out");
        keys.report("splitter_delay", fault);
    }
}
