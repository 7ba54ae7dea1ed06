//! The report on links that had less credit than they need.

use sansim_fabric::Fabric;
use sansim_fabric::layout::LinkEndDevice;

/// The number of links that are reported one by one.
const SHOWN: usize = 4;

/// A remark for each pair of places whose link has too little credit, the greatest lack first.
pub fn credit_shortage_remarks(fabric: &Fabric, stations: &[String]) -> Vec<String> {
    let name = |at: LinkEndDevice| match at {
        LinkEndDevice::Switch(switch) => fabric.fabric_layout().switches.get(usize::from(switch)).cloned(),
        LinkEndDevice::Node(node) => stations.get(usize::from(node)).cloned(),
    };
    let mut pairs: Vec<(String, String, sansim_fabric::CreditShortage)> = Vec::new();
    for shortage in fabric.credit_shortages() {
        let (Some(from), Some(to)) = (name(shortage.from), name(shortage.to)) else { continue };
        match pairs.iter_mut().find(|pair| (&pair.0, &pair.1) == (&from, &to)) {
            Some(pair) if pair.2.needs < shortage.needs => pair.2 = shortage,
            Some(_) => {}
            None => pairs.push((from, to, shortage)),
        }
    }
    // Pairs that lack equally many credits stay in their order.
    pairs.sort_by_key(|(_, _, shortage)| std::cmp::Reverse(shortage.needs - shortage.has));
    let more = pairs.len().saturating_sub(SHOWN);
    let mut lines: Vec<String> = pairs
        .iter()
        .take(SHOWN)
        .map(|(from, to, shortage)| {
            format!(
                "the link from {from} to {to} had frames to send and no credit: it needs {} credits for its length, its speed and \
                 frames of {} bytes on average, and has {}",
                shortage.needs, shortage.mean_bytes, shortage.has
            )
        })
        .collect();
    if more > 0 {
        lines.push(format!("links with less credit than they need, beside these: {more}"));
    }
    lines
}
