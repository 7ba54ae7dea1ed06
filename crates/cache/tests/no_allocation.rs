//! Tests that a cache of its full size allocates nothing, whatever its policy; and that a block needs no more memory than documented.
//!
//! A counting allocator is the only way to see an allocation, and `GlobalAlloc` is an unsafe trait: therefore this test file allows unsafe
//! code. The counting allocator forwards every call to the system allocator.
#![allow(unsafe_code)]

mod common;

use common::content;
use sansim_cache::block_cache::{BlockCache, CacheAnswer};
use sansim_cache::replacement::ReplacementPolicy;
use sansim_cache::{CacheContent, CacheParameters};
use sansim_kernel::RandomStream;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every method passes its arguments unchanged to the system allocator and returns its result.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        unsafe { System.realloc(pointer, layout, new_size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_full_cache_allocates_nothing_and_a_block_takes_at_most_so_many_bytes() {
    for word in ReplacementPolicy::WORDS {
        // The cache is full at a power of two, as 16 GiB of 4 KiB are, where the index is largest per block.
        let mut content = content(word, 1 << 14);
        let mut draw = common::zipf(0.9, 1 << 17, "allocations");
        (0..800_000).for_each(|_| {
            content.access(draw());
        });
        let before = ALLOCATIONS.get();
        (0..100_000).for_each(|_| {
            content.access(draw());
        });
        assert_eq!(ALLOCATIONS.get(), before, "{word}");
        let bytes_per_block = content.memory_bytes() / (1 << 14);
        // A block needs 32 bytes of a slot and 16 of the index; each remembered block needs as many.
        let most = match *word {
            "arc" | "car" => 97,
            "2q" => 81,
            "random" | "lfu" | "lfu-da" => 56,
            _ => 48,
        };
        assert!(bytes_per_block <= most, "{word}: {bytes_per_block} bytes");
    }
}

#[test]
fn a_large_cache_that_is_little_used_is_small() {
    let mut content = content("lru", CacheContent::MOST);
    (0..1_000).for_each(|block| {
        content.access(block * 7_919);
    });
    assert!(content.memory_bytes() < 100_000, "{} bytes", content.memory_bytes());
}

#[test]
fn a_cache_with_reads_writes_and_destaging_allocates_nothing_once_it_has_its_size() {
    for order in ["oldest", "least-recently-written", "c-look", "whole-stripes"] {
        let text = format!(
            "capacity = \"8 MiB\"\nreplacement = {{ policy = \"arc\" }}\nread_ahead = {{ policy = \"adaptive\" }}\n[write]\norder = {{ first = \"{order}\" }}"
        );
        let parameters = CacheParameters::from_toml(&text, &Facts::default()).expect("keys that are right");
        let mut cache = BlockCache::new(&parameters, 1 << 30, RandomStream::new(1, "cache"));
        let (mut answer, mut ranges) = (CacheAnswer::default(), Vec::new());
        let mut random = RandomStream::new(2, "load");
        let mut load = |accesses: u32| {
            for _ in 0..accesses {
                let start = random.draw_below(1 << 16) * 8_192;
                let bytes = start..start + 1 + random.draw_below(40_000);
                if random.chance(0.5) {
                    cache.read(bytes, &mut answer);
                } else {
                    cache.write(bytes, &mut answer);
                }
                for blocks in answer.fetch.iter().chain(&answer.ahead) {
                    cache.fetched(blocks.clone());
                }
                answer.through.iter().for_each(|blocks| cache.destaged(blocks.clone()));
                while cache.urgency() > 0.0 && cache.destage_next(&mut ranges).is_some() {
                    ranges.iter().for_each(|blocks| cache.destaged(blocks.clone()));
                }
            }
        };
        load(60_000);
        let before = ALLOCATIONS.get();
        load(20_000);
        assert_eq!(ALLOCATIONS.get(), before, "{order}");
    }
}
