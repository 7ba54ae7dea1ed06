//! Common code of the tests: caches by their word, and streams of addresses.
#![allow(dead_code)]

pub mod models;
pub mod world;

use sansim_cache::CacheContent;
use sansim_cache::replacement::ReplacementPolicy;
use sansim_kernel::functions::power;
use sansim_kernel::{RandomStream, Weighted};

/// An empty cache with this policy, with the defaults of its keys.
pub fn content(word: &str, capacity: u32) -> CacheContent {
    let policy = ReplacementPolicy::of_word(word).expect("a word that is known");
    CacheContent::new(&policy, capacity, RandomStream::new(1, "cache"))
}

/// The number of addresses that hit.
pub fn hits(word: &str, capacity: u32, addresses: &[u64]) -> u64 {
    let mut content = content(word, capacity);
    addresses.iter().filter(|block| content.access(**block)).count() as u64
}

/// Independent draws, in which the rank k has the probability k^-skew over the sum of all of these.
pub fn zipf(skew: f64, blocks: u32, path: &str) -> impl FnMut() -> u64 {
    let weights: Vec<f64> = (1..=blocks).map(|rank| 1.0 / power(f64::from(rank), skew)).collect();
    let weighted = Weighted::new(&weights).expect("weights that are right");
    let mut random = RandomStream::new(7, path);
    move || weighted.draw(&mut random) as u64
}

pub const STREAMS: [&str; 8] =
    ["uniform", "zipf 0.6", "zipf 0.9", "zipf 1.2", "loop", "scans and zipf", "phases", "two loops"];

/// A stream of addresses by its name.
pub fn stream(name: &str, accesses: u64) -> Vec<u64> {
    let mut random = RandomStream::new(5, name);
    let skew = name.strip_prefix("zipf ").and_then(|skew| skew.parse().ok()).unwrap_or(0.9);
    let mut zipf = zipf(skew, 2_000, name);
    (0..accesses)
        .map(|at| match name {
            "uniform" => random.draw_below(1_000),
            "loop" => at % 450,
            "scans and zipf" if at / 500 % 2 == 1 => 1_000_000 + at,
            "phases" => zipf() + at / 2_000 * 10_000,
            "two loops" => {
                if at / 1_000 % 2 == 0 {
                    at % 50
                } else {
                    5_000 + at % 420
                }
            }
            _ => zipf(),
        })
        .collect()
}
