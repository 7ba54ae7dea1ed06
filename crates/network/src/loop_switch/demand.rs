//! What a request needs of a loop switch: its frames on one of the wires that carry at once, and the short way round, through its own port of the
//! switch and that of the other end.
//!
//! Each conversation joins a port at which somebody asks to one at which somebody answers, and these carry no other meanwhile. So no more go on at
//! once than there are ports of either kind, than the switch allows, and, where every conversation has to cross a trunk, than there are trunks.
//! How long OPN is looked up is no part of it: several requests may share a conversation, as a tenancy of a loop.

use crate::demand::{WORDS_BESIDE, wires};
use sansim_component::demand::{Around, Class, Demand, Say};
use sansim_component::network::Side;
use sansim_fc::arbitrated_loop::Station;
use sansim_fc::loop_switch::{LoopSwitch, LoopSwitchParameters};
use std::collections::BTreeSet;

/// See the module text.
pub(super) fn of(parameters: &LoopSwitchParameters, class: &Class, around: &Around<'_>) -> Demand {
    let word_ns = parameters.on.word_time().as_ns_f64();
    Demand {
        servers: wires(at_once(parameters, around), word_ns, WORDS_BESIDE, class, &around.frames),
        delay_ns: short_way_ns(parameters, around.stations),
        less_because: (around.say == Say::Mean)
            .then_some("how conversations of a loop switch wait for each other is not followed"),
        ..Demand::default()
    }
}

/// Conversations that go on at once at most. A port to a fabric may stand on either side.
fn at_once(parameters: &LoopSwitchParameters, around: &Around<'_>) -> u32 {
    let stations = around.stations;
    let ports = LoopSwitch::ports_of(parameters, stations);
    let on_side = |side: Side| {
        let stands = move |place: &usize| {
            matches!(around.standing[*place].side, Side::Crossing) || around.standing[*place].side == side
        };
        (0..stations.len().min(around.standing.len())).filter(stands)
    };
    let ports_of =
        |side: Side| on_side(side).map(|place| ports[place]).collect::<BTreeSet<usize>>().len() as u64;
    let most = ports_of(Side::Initiator).min(ports_of(Side::Target));
    let most = parameters.most_conversations().map_or(most, |limit| most.min(limit));
    let switches_of =
        |side: Side| on_side(side).map(|place| stations[place].switch).collect::<BTreeSet<usize>>();
    let all_cross = switches_of(Side::Initiator).is_disjoint(&switches_of(Side::Target));
    let most = if all_cross { most.min(parameters.cascaded.len() as u64) } else { most };
    most.max(1) as u32
}

/// The cables and the two passages of the switch that a command and its answer have at least, whoever talks. Nothing where stations share a port: two
/// of these need not pass the switch.
fn short_way_ns(parameters: &LoopSwitchParameters, stations: &[Station]) -> f64 {
    if stations.iter().any(|station| station.shares_port) {
        return 0.0;
    }
    let cables =
        stations.iter().map(|station| parameters.on.propagation.delay(station.port.cable).as_ns_f64());
    let mut cables: Vec<f64> = cables.collect();
    cables.sort_by(f64::total_cmp);
    let two: f64 = cables.iter().take(2).sum();
    2.0 * (two + parameters.way_through().as_ns_f64())
}
