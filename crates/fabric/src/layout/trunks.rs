//! Trunks: parallel links between two switches that are alike.
//!
//! Source: SilkWorm 4100 administrator's guide: a trunk has up to eight links of one speed and about one length, which keep
//! frames in order.

use super::{FabricLayout, LinkEndDevice};

/// The most links of a trunk.
pub const MOST: usize = 8;

/// For each port, which is an end of a link, the lead port of its trunk at this end: the port of the trunk's first link; a port in no
/// trunk leads itself.
pub fn trunk_lead_ports(layout: &FabricLayout, are_trunks: bool) -> Vec<u32> {
    let mut leads: Vec<u32> = (0..2 * layout.links.len() as u32).collect();
    if !are_trunks {
        return leads;
    }
    for (number, link) in layout.links.iter().enumerate() {
        let [LinkEndDevice::Switch(_), LinkEndDevice::Switch(_)] = link.ends else { continue };
        let first = (0..number).find(|&other| {
            let size = (0..number).filter(|&link| leads[2 * link] == 2 * other as u32).count();
            layout.links[other] == *link && leads[2 * other] == 2 * other as u32 && size < MOST
        });
        if let Some(first) = first {
            (leads[2 * number], leads[2 * number + 1]) = (2 * first as u32, 2 * first as u32 + 1);
        }
    }
    leads
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::LinkPlan;
    use sansim_fc::link::LinkRules;
    use sansim_fc::speed::Speed;
    use sansim_kernel::Span;

    #[test]
    fn links_side_by_side_that_are_alike_are_trunks_of_up_to_eight() {
        let link = |one, other, ns| LinkPlan {
            ends: [LinkEndDevice::Switch(one), LinkEndDevice::Switch(other)],
            rules: LinkRules::for_fibre_channel(Speed::G8, Span::from_ns(ns), false),
        };
        let mut layout = FabricLayout {
            links: vec![link(0, 1, 5), link(1, 2, 5), link(0, 1, 5)],
            ..FabricLayout::default()
        };
        layout.links.push(link(0, 1, 50));
        layout.links.extend([link(0, 1, 5); 7]);
        assert_eq!(trunk_lead_ports(&layout, false), (0..22).collect::<Vec<u32>>());
        let first: Vec<u32> = trunk_lead_ports(&layout, true).into_iter().step_by(2).collect();
        assert_eq!(first, [0, 2, 0, 6, 0, 0, 0, 0, 0, 0, 20]);
    }
}
