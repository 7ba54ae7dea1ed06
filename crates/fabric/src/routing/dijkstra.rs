//! Shortest paths between switches by the costs of FSPF.

use sansim_fc::link::LinkRules;
use sansim_fc::speed::Speed;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A link as a step from one place to another, with its cost and the port by which it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoutingHop {
    /// The place at which the step begins.
    pub from: usize,
    /// The place at which the step ends.
    pub to: usize,
    /// The cost of the step.
    pub cost: u64,
    /// The port by which the step leaves.
    pub port: u16,
}

/// The cost of a link: 1.0625e12 divided by its baud rate (Cisco MDS), above 8GFC divided by the rate that 8b/10b would need for it: 1000
/// at 1GFC, 62 at 16GFC, and at least 1.
pub fn link_cost(rules: &LinkRules) -> u64 {
    (1_000 * rules.word.ticks() / Speed::G1.word_time().ticks()).max(1)
}

/// The distance of every place to `target`; none for a place without a path to it.
pub fn distances(places: usize, steps: &[RoutingHop], target: usize) -> Vec<Option<u64>> {
    let mut into: Vec<Vec<&RoutingHop>> = vec![Vec::new(); places];
    for step in steps {
        into[step.to].push(step);
    }
    let mut distance = vec![None; places];
    let mut open = BinaryHeap::from([Reverse((0, target))]);
    while let Some(Reverse((so_far, place))) = open.pop() {
        if distance[place].is_some() {
            continue;
        }
        distance[place] = Some(so_far);
        for step in &into[place] {
            if distance[step.from].is_none() {
                open.push(Reverse((so_far + step.cost, step.from)));
            }
        }
    }
    distance
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_kernel::Span;

    #[test]
    fn costs_are_those_of_fspf() {
        let at = |speed| link_cost(&LinkRules::for_fibre_channel(speed, Span::ZERO, false));
        assert_eq!([at(Speed::G1), at(Speed::G2), at(Speed::G4), at(Speed::G8)], [1_000, 500, 250, 125]);
        assert_eq!([at(Speed::G16), at(Speed::G32)], [62, 31]);
    }

    #[test]
    fn the_cheapest_way_counts_and_not_the_shortest() {
        let step = |from, to, cost| RoutingHop { from, to, cost, port: 0 };
        let steps = [step(0, 1, 1_000), step(0, 2, 250), step(2, 1, 500)];
        assert_eq!(distances(4, &steps, 1), [Some(750), Some(0), Some(500), None]);
    }
}
