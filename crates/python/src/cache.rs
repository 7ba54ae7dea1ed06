//! Caches of blocks without a simulation: the number of hits of a stream of addresses.

use crate::run::RuleError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use sansim_cache::CacheContent;
use sansim_cache::optimum::optimal_hits;
use sansim_cache::replacement::ReplacementPolicy;
use sansim_kernel::RandomStream;
use sansim_rules::RulesOfRun;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

/// The optimal policy, which knows the future and so cannot be a policy of a simulated cache.
const OPTIMUM: &str = "belady";

/// The number of addresses that hit a cache of this number of blocks, which is empty at first.
///
/// Each address is that of one block; a block that misses is loaded into the cache, and if the cache is full another block is evicted. The
/// policy is a word as in scenarios ("lru", "arc", ...), with default values for its keys; or a rule of the user, in braces as in a scenario; or
/// "belady": the optimum, which knows the future.
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
    let known = if policy.starts_with('{') {
        let rule = ReplacementPolicy::from_toml(&format!("policy = {policy}"), &Facts::default());
        rule.map_err(|report| PyValueError::new_err(report.to_string()))?
    } else {
        ReplacementPolicy::of_word(policy).ok_or_else(|| {
            let words = ReplacementPolicy::WORDS.join(", ");
            let message = format!("there is no policy \"{policy}\"; there are {words}, and {OPTIMUM}");
            PyValueError::new_err(message)
        })?
    };
    let is_own = known.is_own();
    let mut content = CacheContent::new(&known, capacity_blocks, RandomStream::new(1, "cache_hits"));
    if !is_own {
        return Ok(py.detach(|| addresses.into_iter().map(|block| u64::from(content.access(block))).sum()));
    }
    let of_rule = |error: &dyn std::fmt::Display| RuleError::new_err(error.to_string());
    let rules = RulesOfRun::begin(1).map_err(|error| of_rule(&error))?;
    let mut hits = 0;
    for block in addresses {
        hits += u64::from(content.access(block));
        if let Some(failure) = rules.failure() {
            return Err(of_rule(&failure));
        }
    }
    rules.end(0).map_err(|failure| of_rule(&failure))?;
    Ok(hits)
}
