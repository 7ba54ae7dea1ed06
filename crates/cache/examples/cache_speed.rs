//! The cost of an access, in time and memory, of a cache of 16 GiB in blocks of 4 KiB, for each policy: `cargo run --release -p sansim-cache
//! --example cache_speed`; after it `--` and the words of some policies, if not of all.
//!
//! Addresses have a Zipf distribution with a skew of 0.9 over four times as many blocks as fit, scattered over the device. The addresses
//! are drawn beforehand.

use sansim_cache::CacheContent;
use sansim_cache::CacheParameters;
use sansim_cache::block_cache::{BlockCache, CacheAnswer};
use sansim_cache::replacement::ReplacementPolicy;
use sansim_kernel::functions::power;
use sansim_kernel::{RandomStream, Weighted};
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;
use std::time::Instant;

const BLOCKS: u32 = 4 << 20;
/// The number of accesses that fill a cache, and the number of those that are measured.
const WARM_UP: usize = 20_000_000;
const ACCESSES: usize = 10_000_000;
/// The number of accesses in a portion that is timed.
const PORTION: usize = 2_000;

fn addresses() -> Vec<u64> {
    let weights: Vec<f64> = (1..=4 * BLOCKS).map(|rank| 1.0 / power(f64::from(rank), 0.9)).collect();
    let weighted = Weighted::new(&weights).expect("weights that are right");
    let mut random = RandomStream::new(1, "speed");
    // An odd factor scatters the ranks over 2^40 blocks, each to a different block.
    let scattered = |rank: u64| rank.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24;
    (0..WARM_UP + ACCESSES).map(|_| scattered(weighted.draw(&mut random) as u64)).collect()
}

/// The cost of an access in ns, and the number of hits: the median over portions, which other load on the machine hardly moves.
fn measure(addresses: &[u64], mut access: impl FnMut(u64) -> bool) -> (f64, usize) {
    let (mut times, mut hits) = (Vec::new(), 0);
    for portion in addresses.chunks(PORTION) {
        let start = Instant::now();
        hits += portion.iter().filter(|block| access(**block)).count();
        times.push(start.elapsed().as_nanos() as f64 / portion.len() as f64);
    }
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], hits)
}

fn main() {
    let addresses = addresses();
    let (warm_up, measured) = addresses.split_at(WARM_UP);
    println!("{:24}{:>12}{:>12}{:>12}{:>10}", "policy", "ns/access", "bytes/block", "MiB", "hits");
    let tell = |name: &str, ns: f64, bytes: usize, hits: usize| {
        let (per_block, mib) = (bytes as f64 / f64::from(BLOCKS), bytes as f64 / f64::from(1 << 20));
        println!(
            "{name:24}{ns:12.1}{per_block:12.1}{mib:12.1}{:9.2}%",
            100.0 * hits as f64 / ACCESSES as f64
        );
    };
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let is_chosen = |word: &&&str| chosen.is_empty() || chosen.iter().any(|one| one == **word);
    for word in ReplacementPolicy::WORDS.iter().filter(is_chosen) {
        let Some(policy) = ReplacementPolicy::of_word(word) else { continue };
        let mut content = CacheContent::new(&policy, BLOCKS, RandomStream::new(1, "cache"));
        warm_up.iter().for_each(|block| {
            content.access(*block);
        });
        let (ns, hits) = measure(measured, |block| content.access(block));
        tell(word, ns, content.memory_bytes(), hits);
    }
    let parameters = CacheParameters::from_toml("capacity = \"16 GiB\"", &Facts::default());
    let Ok(parameters) = parameters else { return };
    let mut cache = BlockCache::new(&parameters, 1 << 52, RandomStream::new(1, "cache"));
    let mut answer = CacheAnswer::default();
    let mut read = |block: u64| {
        let hit = cache.read(block * 4_096..block * 4_096 + 4_096, &mut answer);
        answer.fetch.iter().for_each(|blocks| cache.fetched(blocks.clone()));
        hit
    };
    warm_up.iter().for_each(|block| {
        read(*block);
    });
    let (ns, hits) = measure(measured, read);
    tell("lru, as a block cache", ns, cache.memory_bytes(), hits);
}
