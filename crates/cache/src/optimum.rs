//! Belady's optimum: the one goes that is asked for again last. It knows the future and is no policy of a cache, but what every
//! policy is measured by.
//!
//! Source: Belady: A study of replacement algorithms for a virtual-storage computer, IBM Systems Journal 5(2), 1966.

use std::collections::{BTreeSet, HashMap};

/// How often an optimal cache of so many blocks hits these addresses. Every block comes in when it is asked for, as in all
/// caches here.
pub fn optimal_hits(capacity: usize, addresses: &[u64]) -> u64 {
    const NEVER: usize = usize::MAX;
    // When each address is asked for the next time.
    let mut next = vec![NEVER; addresses.len()];
    let mut later = HashMap::new();
    for (now, address) in addresses.iter().enumerate().rev() {
        next[now] = later.insert(address, now).unwrap_or(NEVER);
    }
    // The content by time of next use; the address distinguishes blocks that are never used again.
    let mut held = BTreeSet::new();
    let mut hits = 0;
    for (now, address) in addresses.iter().enumerate() {
        if held.remove(&(now, *address)) {
            hits += 1;
        } else if held.len() >= capacity.max(1) {
            held.pop_last();
        }
        held.insert((next[now], *address));
    }
    hits
}
