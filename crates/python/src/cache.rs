//! Caches of blocks without a simulation: how often a stream of addresses hits one.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sansim_cache::CacheContent;
use sansim_cache::optimum::optimal_hits;
use sansim_cache::replacement::ReplacementPolicy;
use sansim_kernel::RandomStream;

/// The optimum, which knows the future and so is not a policy of a cache.
const OPTIMUM: &str = "belady";

/// How often addresses hit a cache of so many blocks that holds nothing at first.
///
/// Each address is one block; one that is not held comes in, and another one goes if there is no room. The policy is a word as
/// in scenarios ("lru", "arc", ...), with its keys as they are by default, or "belady": the optimum, which knows the future.
#[pyfunction]
pub fn cache_hits(py: Python<'_>, policy: &str, capacity_blocks: u32, addresses: Vec<u64>) -> PyResult<u64> {
    if !(1..=CacheContent::MOST).contains(&capacity_blocks) {
        let message =
            format!("a cache has between 1 and {} blocks, not {capacity_blocks}", CacheContent::MOST);
        return Err(PyValueError::new_err(message));
    }
    if policy == OPTIMUM {
        return Ok(py.detach(|| optimal_hits(capacity_blocks as usize, &addresses)));
    }
    let Some(known) = ReplacementPolicy::of_word(policy) else {
        let words = ReplacementPolicy::WORDS.join(", ");
        let message = format!("there is no policy \"{policy}\"; there are {words}, and {OPTIMUM}");
        return Err(PyValueError::new_err(message));
    };
    let mut content = CacheContent::new(&known, capacity_blocks, RandomStream::new(1, "cache_hits"));
    Ok(py.detach(|| addresses.into_iter().map(|block| u64::from(content.access(block))).sum()))
}
