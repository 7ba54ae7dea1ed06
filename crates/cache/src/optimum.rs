//! Belady's optimum: the block is evicted whose next request is the latest. The optimum knows the future and is no policy of a cache, but a
//! bound with which every policy is compared.
//!
//! Source: Belady: A study of replacement algorithms for a virtual-storage computer, IBM Systems Journal 5(2), 1966.

use std::collections::{BTreeSet, HashMap};

/// The number of these addresses that hit in an optimal cache of this many blocks. Every requested block comes into the optimal cache, as
/// in all caches here.
pub fn optimal_hits(capacity: usize, addresses: &[u64]) -> u64 {
    const NEVER: usize = usize::MAX;
    // The next request of the same address, for each address.
    let mut next = vec![NEVER; addresses.len()];
    let mut later = HashMap::new();
    for (now, address) in addresses.iter().enumerate().rev() {
        next[now] = later.insert(address, now).unwrap_or(NEVER);
    }
    // The content ordered by the time of next use; the address distinguishes blocks that are never used again.
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
