//! The buses of a component, and the adapters on each.

use crate::{KindMember, Part};
use sansim_bus::{Bus, BusParameters};
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::suggest::{nearest, words_in_prose};
use sansim_schema::table::NamedValue;

/// Whether an adapter is on a bus, by the list of the bus; a single bus without a list has all adapters.
fn is_on(bus: &NamedValue<BusParameters>, card: &str, buses: usize) -> bool {
    let cards = &bus.described.cards;
    cards.iter().any(|other| other == card) || (cards.is_empty() && buses == 1)
}

/// The number of the bus with the adapter of this path.
pub(crate) fn bus_of(buses: &[NamedValue<BusParameters>], card: &str) -> Option<usize> {
    buses.iter().position(|bus| is_on(bus, card, buses.len()))
}

/// The first bus with an adapter of a module inside, by its number.
pub(crate) fn bus_of_modules(buses: &[NamedValue<BusParameters>]) -> Option<usize> {
    buses.iter().position(|bus| bus.described.cards.iter().any(|card| may_be_of_a_module(card)))
}

/// Whether a card may be one of a module inside: `backend.back`, `backend.backs.a`.
fn may_be_of_a_module(card: &str) -> bool {
    const TABLES: [&str; 4] = ["front", "back", "fronts", "backs"];
    let mut words = card.split('.');
    let (first, second) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    !TABLES.contains(&first) && TABLES.contains(&second)
}

/// The number of ports of an adapter at its bus, each of which requests the bus separately: its DMA engines, and its registers, if
/// commands are written to them over the bus.
pub fn bus_port_count(part: &Part) -> usize {
    match part {
        Part::Initiator(adapter) => {
            1 + usize::from(adapter.dma_bidirectional) + usize::from(adapter.register_bytes > 0)
        }
        Part::Target(adapter) => 1 + usize::from(adapter.dma_bidirectional),
        _ => 0,
    }
}

/// Marks the bytes of commands as idle at adapters that no bus of their component joins to its memory.
pub(crate) fn mark_idle_registers(
    idle: &mut IdleKeys,
    member: &KindMember,
    buses: &[NamedValue<BusParameters>],
) {
    for inside in &member.parts {
        if let Part::Initiator(adapter) = &inside.part {
            let is_used = adapter.register_bytes == 0 || bus_of(buses, &inside.path).is_some();
            idle.collect_table(&inside.path, |idle| {
                idle.mark_idle_unless(is_used, &["register_bytes"], "the adapter is on no bus (`buses`)");
            });
        }
    }
}

/// The paths of the adapters of a member.
fn cards(member: &KindMember) -> Vec<&str> {
    member
        .parts
        .iter()
        .filter(|inside| bus_port_count(&inside.part) > 0)
        .map(|inside| inside.path.as_str())
        .collect()
}

/// Adds the buses to a member that has its adapters already. Returns the numbers of the buses' parts.
pub(crate) fn join_buses(member: &mut KindMember, buses: &[NamedValue<BusParameters>]) -> Vec<usize> {
    let mut parts = Vec::with_capacity(buses.len());
    let adapters = member.parts.len();
    for bus in buses {
        let path = format!("buses.{}", bus.name);
        let number = member.add_part::<Bus>(path, bus.described.clone());
        parts.push(number);
        // The adapters are joined in the order of the list, which is that of the slots.
        let mut on_it: Vec<usize> =
            (0..adapters).filter(|&part| is_on(bus, &member.parts[part].path, buses.len())).collect();
        let slot =
            |part: &usize| bus.described.cards.iter().position(|card| *card == member.parts[*part].path);
        on_it.sort_by_key(slot);
        let of_modules = bus.described.cards.iter().filter(|card| may_be_of_a_module(card));
        member.cards_of_modules.extend(of_modules.map(|card| (number, card.clone())));
        for adapter in on_it {
            let ports = bus_port_count(&member.parts[adapter].part);
            member.shared.extend((0..ports).map(|_| (adapter, number)));
        }
    }
    parts
}

/// Checks that every card of a list is an adapter, and is on no other bus, and that a bus has no more cards than slots.
pub(crate) fn check_buses(keys: &mut Keys<'_, '_>, member: &KindMember, buses: &[NamedValue<BusParameters>]) {
    let adapters = cards(member);
    let mut keys = keys.keys_of_inner_table("buses");
    for (number, bus) in buses.iter().enumerate() {
        let mut keys = keys.keys_of_inner_table(&bus.name);
        if !keys.all_readable(&["cards", "slots", "standard"]) {
            continue;
        }
        check_cards(&mut keys, bus, &adapters, &buses[..number], buses.len());
        let own = adapters.iter().copied().filter(|card| is_on(bus, card, buses.len()));
        let of_modules =
            bus.described.cards.iter().map(String::as_str).filter(|card| may_be_of_a_module(card));
        let on_it: Vec<&str> = own.chain(of_modules).collect();
        let slots = bus.described.slots as usize;
        if on_it.len() > slots {
            let fault = Diagnostic::new(
                codes::CONTRADICTION,
                keys.value_position("slots"),
                format!("{} adapters are on a bus with room for {slots}: {}", on_it.len(), one_list(&on_it)),
            )
            .with_label("too few slots")
            .with_help(
                "put some of them on another bus, by the `cards` of each, or say that it has more `slots`",
            );
            let cards = keys.written_position("cards").map(|place| (place, "the cards on it"));
            keys.report_with("slots", fault, cards);
        }
    }
}

fn check_cards(
    keys: &mut Keys<'_, '_>,
    bus: &NamedValue<BusParameters>,
    adapters: &[&str],
    earlier: &[NamedValue<BusParameters>],
    buses: usize,
) {
    let cards = &bus.described.cards;
    if cards.is_empty() && buses > 1 {
        let fault = Diagnostic::new(
            codes::CONTRADICTION,
            keys.value_position("cards"),
            format!("which adapters are on the bus `{}`? There are {buses} buses", bus.name),
        )
        .with_label("needs a list of adapters")
        .with_help(format!("its adapters are {}", one_list(adapters)));
        keys.report("cards", fault);
    }
    for (number, card) in cards.iter().enumerate() {
        let other = earlier.iter().find(|other| other.described.cards.contains(card));
        if !adapters.contains(&card.as_str()) && !may_be_of_a_module(card) {
            let near = nearest(card, adapters.iter().copied());
            let help = match near {
                Some(near) => format!("did you mean \"{near}\"?"),
                None => format!("write one of {}", words_in_prose(adapters.iter().copied())),
            };
            let place = keys.value_position("cards");
            let fault =
                Diagnostic::new(codes::UNKNOWN_NAME, place, format!("there is no adapter `{card}` here"))
                    .with_label("not an adapter")
                    .with_help(help);
            keys.report("cards", fault);
        } else if cards[..number].contains(card) || other.is_some() {
            let message = match other {
                Some(other) => format!("`{card}` is on the bus `{}` already", other.name),
                None => format!("`{card}` stands twice in the list"),
            };
            let fault = Diagnostic::new(codes::NAMED_TWICE, keys.value_position("cards"), message)
                .with_label("a card has one slot")
                .with_help("take it out of one of the lists");
            keys.report("cards", fault);
        }
    }
}

/// The names as a list for a message: `a`, `b` and so on.
fn one_list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<String>>().join(", ")
}
