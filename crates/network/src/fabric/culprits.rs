//! Culprits and victims of congestion are listed by the names that parts have in the scenario.

use sansim_component::culprits::{CongestionCulprit, CongestionVictim};
use sansim_fabric::Fabric;
use sansim_fabric::engine::CongestionCause;
use sansim_fabric::layout::LinkEndDevice;
use sansim_kernel::Time;

/// The names of nodes; members of a group have a number after the name.
pub fn node_names(listed: &[String]) -> Vec<String> {
    let name = |(number, station): (usize, &String)| {
        let same = |others: &[String]| others.iter().filter(|other| *other == station).count();
        match same(listed) {
            1 => station.clone(),
            _ => format!("{station}[{}]", same(&listed[..number])),
        }
    };
    listed.iter().enumerate().map(name).collect()
}

/// All culprits of congestion, the worst first.
pub fn reported_culprits(fabric: &Fabric, stations: &[String], now: Time) -> Vec<CongestionCulprit> {
    let nodes = node_names(stations);
    let node = |number: u16| nodes.get(usize::from(number)).cloned().unwrap_or_default();
    let name = |at: LinkEndDevice| match at {
        LinkEndDevice::Switch(switch) => {
            fabric.fabric_layout().switches.get(usize::from(switch)).cloned().unwrap_or_default()
        }
        LinkEndDevice::Node(number) => node(number),
    };
    let of = |culprit: sansim_fabric::engine::CongestedPort| CongestionCulprit {
        from: name(culprit.from),
        to: name(culprit.to),
        withholds: culprit.cause == CongestionCause::Withholds,
        stalled: culprit.stalled,
        busy: culprit.busy,
        holds: culprit.holds,
        victims: culprit
            .victims
            .iter()
            .map(|victim| CongestionVictim {
                from: node(victim.from),
                to: node(victim.to),
                waiting: victim.waiting,
            })
            .collect(),
    };
    fabric.congestion_culprits(now).into_iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_of_a_group_have_numbers() {
        let listed = ["host", "drives", "drives"].map(str::to_owned);
        assert_eq!(node_names(&listed), ["host", "drives[0]", "drives[1]"]);
    }
}
