//! Enclosures: what drives are put into, and what a word passes there.
//!
//! * JBOD: the slots are a daisy chain; a word goes from drive to drive. An empty slot is bridged and takes no time.
//! * MBOD: each slot is a port of a hub with port bypass, which forwards every word after a fixed delay, whether its slot is populated or
//!   not (Storlite final report). To the drives an MBOD is a loop.
//!
//! In an SBOD each drive has a port of a loop switch of its own, so an SBOD is a network of its own kind
//! ([`crate::loop_switch`]). A JBOD or MBOD at a port of a switch shares that port.

use crate::arbitrated_loop::LoopParameters;
use crate::cable::{Cable, CableLength};
use crate::delay::{Delay, WordsOrTime};
use crate::loop_port::PortParameters;
use sansim_kernel::Span;
use sansim_schema::fault::Diagnostic;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Choice, Count, NameList, Time};
use sansim_schema::table::NamedValue;
use sansim_schema::{codes, table, words};

words! {
    /// The connection between the slots of an enclosure.
    pub enum EnclosureKind {
        /// A daisy chain. A failure takes the whole loop down.
        Jbod = "jbod",
        /// A hub with port bypass.
        Mbod = "mbod",
    }
}

const HOLDS: NameList = NameList { example: r#"["drives"]"# };

table! {
    /// An enclosure on a loop. The next one is cascaded: its drives follow in `stations`.
    pub struct EnclosureParameters {
        /// The connection between its slots.
        kind: EnclosureKind = Choice::<EnclosureKind>::ANY, required r#""mbod""#, source "Storlite final report, RAID Systems";
        /// The components in the slots of the enclosure, side by side as in `stations`.
        holds: Vec<String> = HOLDS, required r#"["drives"]"#, source "";
        /// Number of empty slots of the enclosure. Empty slots are before the first drive; a word passes an empty slot of an MBOD as slowly
        /// as any other slot.
        empty_slots: u64 = Count::<u64>::between(0, 126), default "0", source "ours: an enclosure that is full";
        /// Time in which a word passes a slot of an MBOD, in addition to the delay of the drive's port. Storlite gives no figure; a managed
        /// hub adds from a few bits to a few words.
        slot_delay: Delay = WordsOrTime, default r#""2 words""#, source "assumption";
        /// Time for which the loop of an MBOD is interrupted when a port fails and is bypassed, and again when the port is repaired,
        /// because the loop is initialised anew. The default is AL_TIME, for which ports send LIP; the rest is taken to be short beside
        /// that. A JBOD has no bypass: its loop is down until the port is repaired.
        interruption: Span = Time::ANY, default r#""15 ms""#, source "FC-AL-2, AL_TIME; assumption";
        /// Length of the cable from this enclosure to the next, in addition to the cable of its last port.
        cable: CableLength = Cable, default r#""0 m""#, source "ours: a cable that is left out has no length";
    }
}

impl EnclosureParameters {
    /// The parameters of a drive's port in slot `slot` of an enclosure with `held` drives.
    pub fn drive_port(&self, port: &PortParameters, (slot, held): (u64, u64)) -> PortParameters {
        let per_slot = if self.kind == EnclosureKind::Mbod { self.slot_delay.span } else { Span::ZERO };
        let empty = if slot == 0 { self.empty_slots } else { 0 };
        let cable = if slot + 1 == held { self.cable.um() } else { 0 };
        PortParameters {
            delay: Delay { span: port.delay.span + per_slot * (1 + empty), in_words: port.delay.in_words },
            cable: CableLength::from_um(port.cable.um() + cable),
            ..port.clone()
        }
    }
}

/// The number of the enclosure that holds the station with this name, if there is one.
pub fn enclosure_of_station(enclosures: &[NamedValue<EnclosureParameters>], station: &str) -> Option<usize> {
    enclosures.iter().position(|one| one.described.holds.iter().any(|held| held == station))
}

impl LoopParameters {
    /// The components of an enclosure are side by side on the loop, and in no other enclosure.
    pub(crate) fn check_enclosures(&self, keys: &mut Keys<'_, '_>) {
        for (number, enclosure) in self.enclosures.iter().enumerate() {
            let key = format!("enclosures.{}.holds", enclosure.name);
            if !keys.all_readable(&[&key, "stations"]) {
                continue;
            }
            let holds = &enclosure.described.holds;
            let place = |name: &String| self.stations.iter().position(|station| station == name);
            let at: Option<Vec<usize>> = holds.iter().map(place).collect();
            let (message, label) = match &at {
                None => {
                    let missing =
                        holds.iter().find(|name| place(name).is_none()).cloned().unwrap_or_default();
                    (
                        format!("`{missing}` is in an enclosure of this loop and is not attached to it"),
                        "not in stations",
                    )
                }
                Some(at) if at.windows(2).any(|pair| pair[1] != pair[0] + 1) => (
                    "what is in one enclosure stands side by side on the loop".to_owned(),
                    "not in the order of stations",
                ),
                Some(_)
                    if holds
                        .iter()
                        .any(|name| enclosure_of_station(&self.enclosures, name) != Some(number)) =>
                {
                    ("nothing is in two enclosures".to_owned(), "is in another one already")
                }
                Some(_) => continue,
            };
            keys.report(
                &key,
                Diagnostic::new(codes::CONTRADICTION, keys.value_position(&key), message).with_label(label),
            );
        }
    }
}
