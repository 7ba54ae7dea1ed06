//! The ports on shortest paths in random fabrics are compared with the distances of Floyd and Warshall.

use crate::common::layout;
use proptest::prelude::*;
use sansim_fabric::layout::{FabricLayout, LinkEndDevice, trunks};
use sansim_fabric::routing::dijkstra::link_cost;
use sansim_fabric::routing::{RouteTable, up_down};
use sansim_fc::link::LinkRules;
use sansim_fc::speed::Speed;
use sansim_kernel::Span;

/// A step between places: a place is a switch, and whether the path has gone down before.
type Step = (usize, usize, u64, u16);

/// All steps over working links, and the number of places: twice the number of switches where paths must not go up again.
fn steps(layout: &FabricLayout, works: &[bool], depths: Option<&[u32]>) -> (Vec<Step>, usize) {
    let switches = layout.switches.len();
    let mut steps = Vec::new();
    for (number, link) in layout.links.iter().enumerate().filter(|(number, _)| works[*number]) {
        let [LinkEndDevice::Switch(one), LinkEndDevice::Switch(other)] = link.ends else { continue };
        let (one, other) = (usize::from(one), usize::from(other));
        for (end, from, to) in [(0, one, other), (1, other, one)] {
            let (cost, port) = (link_cost(&link.rules), (2 * number + end) as u16);
            let up = depths.is_none_or(|depths| (depths[to], to) < (depths[from], from));
            if depths.is_none() || up {
                steps.push((from, to, cost, port));
            } else {
                steps.push((from, switches + to, cost, port));
                steps.push((switches + from, switches + to, cost, port));
            }
        }
    }
    (steps, if depths.is_some() { 2 * switches } else { switches })
}

/// The distance of each place to each other place.
fn floyd_warshall(steps: &[Step], places: usize) -> Vec<Vec<Option<u64>>> {
    let mut far = vec![vec![None; places]; places];
    (0..places).for_each(|place| far[place][place] = Some(0));
    for &(from, to, cost, _) in steps {
        let known: &mut Option<u64> = &mut far[from][to];
        *known = Some(known.map_or(cost, |before| before.min(cost)));
    }
    for by in 0..places {
        for from in 0..places {
            for to in 0..places {
                if let (Some(first), Some(second)) = (far[from][by], far[by][to]) {
                    let way = first + second;
                    far[from][to] = Some(far[from][to].map_or(way, |before| before.min(way)));
                }
            }
        }
    }
    far
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(sansim_trials::case_count(400)))]

    #[test]
    fn the_ports_to_a_switch_are_those_on_its_shortest_ways(
        switches in 2_u16..9,
        links in prop::collection::vec((0_u16..9, 0_u16..9, 0_usize..5, any::<u8>()), 1..20),
    ) {
        let speeds = [Speed::G2, Speed::G4, Speed::G8, Speed::G16, Speed::G32];
        let links: Vec<_> = links
            .into_iter()
            .map(|(one, other, speed, breaks)| (one % switches, other % switches, speed, breaks))
            .filter(|(one, other, ..)| one != other)
            .collect();
        let pairs: Vec<(u16, u16)> = links.iter().map(|&(one, other, ..)| (one, other)).collect();
        let rules = |speed| LinkRules::for_fibre_channel(speed, Span::ZERO, false);
        let mut plan = layout(switches.into(), &pairs, &[], rules(Speed::G8), 4);
        // One of six links does not work.
        let works: Vec<bool> = links.iter().map(|link| link.3 % 6 != 0).collect();
        plan.links.iter_mut().zip(&links).for_each(|(link, of)| link.rules = rules(speeds[of.2]));
        for is_up_down in [false, true] {
            let depths = is_up_down.then(|| up_down::switch_depths(switches.into(), &plan.links, &works));
            let (steps, places) = steps(&plan, &works, depths.as_deref());
            let far = floyd_warshall(&steps, places);
            let routes = RouteTable::find_paths(&plan, &works, &trunks::trunk_lead_ports(&plan, false), is_up_down);
            let n = usize::from(switches);
            // A path may arrive at a switch having gone down or not.
            let to = |place: usize, target: usize| {
                [far[place][target], if is_up_down { far[place][target + n] } else { None }].into_iter().flatten().min()
            };
            for at in 0..n {
                for target in (0..n).filter(|&target| target != at) {
                    // The frame comes from a node, or from every neighbouring switch.
                    let beside = steps.iter().filter(|step| step.1 % n == at).map(|step| Some(step.0 % n));
                    for from in std::iter::once(None).chain(beside) {
                        let went_down = from.zip(depths.as_ref()).is_some_and(|(from, depths)| {
                            (depths[at], at) > (depths[from], from)
                        });
                        let place = if went_down { at + n } else { at };
                        let on_way = steps.iter().filter(|step| {
                            step.0 == place && to(step.1, target).is_some_and(|rest| to(place, target) == Some(rest + step.2))
                        });
                        let mut expected: Vec<u16> = on_way.map(|step| step.3).collect();
                        let ports = routes.ports(at as u16, from.map(|from| from as u16), target as u16);
                        let mut found = ports.to_vec();
                        found.sort_unstable();
                        expected.sort_unstable();
                        prop_assert_eq!(found, expected, "at {} from {:?} to {}", at, from, target);
                    }
                }
            }
        }
    }
}
