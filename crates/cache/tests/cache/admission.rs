//! Tests of admission: by hand, equal to rules of users that rewrite a policy, and the laws of a cache that refuses blocks.

// An answer has lists of ranges, some with a single range.
#![allow(clippy::single_range_in_vec_init)]

use crate::common::stream;
use proptest::prelude::*;
use sansim_cache::CacheParameters;
use sansim_cache::block_cache::{BlockCache, CacheAnswer, WriteOutcome};
use sansim_kernel::RandomStream;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;
use std::ops::Range;

const KIB: u64 = 1_024;

/// A cache of this many blocks of 4 KiB with this policy of admission, which is TOML.
fn cache(blocks: u64, admission: &str, other: &str) -> BlockCache {
    let keys = format!("capacity = \"{} KiB\"\nadmission = {{ {admission} }}\n{other}", blocks * 4);
    let parameters =
        CacheParameters::from_toml(&keys, &Facts::default()).unwrap_or_else(|report| panic!("{report}"));
    BlockCache::new(&parameters, 4_000_000 * KIB, RandomStream::new(1, "cache"))
}

fn bytes(blocks: Range<u64>) -> Range<u64> {
    blocks.start * 4 * KIB..blocks.end * 4 * KIB
}

/// Reads whole blocks, which come at once. Returns the blocks that came in, and those that passed the cache by.
fn read(cache: &mut BlockCache, blocks: Range<u64>) -> (Vec<Range<u64>>, Vec<Range<u64>>) {
    let mut answer = CacheAnswer::default();
    cache.read(bytes(blocks), &mut answer);
    answer.fetch.iter().chain(&answer.ahead).for_each(|blocks| cache.fetched(blocks.clone()));
    (answer.fetch, answer.bypass)
}

/// A write through of whole blocks, which arrives at once.
fn write(cache: &mut BlockCache, blocks: Range<u64>) -> WriteOutcome {
    let mut answer = CacheAnswer::default();
    let outcome = cache.write(bytes(blocks), &mut answer);
    answer.through.iter().for_each(|blocks| cache.destaged(blocks.clone()));
    outcome
}

const THROUGH: &str = "[write]\nmode = \"through\"";

#[test]
fn a_block_comes_in_at_its_second_miss_while_it_is_remembered() {
    // Half of four blocks is two that are remembered.
    let mut cache = cache(4, "policy = \"second-miss\"", "");
    let comes_in = |block: u64, cache: &mut BlockCache| read(cache, block..block + 1).0 == [block..block + 1];
    assert!(!comes_in(1, &mut cache));
    assert!(!comes_in(2, &mut cache));
    assert!(comes_in(1, &mut cache), "it is remembered, and remembered no more from then on");
    assert!(!comes_in(3, &mut cache), "the list has 2 and 3");
    assert!(!comes_in(4, &mut cache), "the list has 3 and 4");
    assert!(!comes_in(2, &mut cache), "it was forgotten; the list has 4 and 2");
    assert!(comes_in(4, &mut cache));
    assert_eq!((cache.resident_block_count(), cache.counts().blocks_refused), (2, 5));
    assert!(cache.read(bytes(1..2), &mut CacheAnswer::default()) && cache.contains_block(4));
}

#[test]
fn a_block_that_was_evicted_must_miss_twice_again() {
    let mut cache = cache(1, "policy = \"second-miss\", remembered = \"200 %\"", "");
    for block in [1, 1, 2, 2] {
        read(&mut cache, block..block + 1);
    }
    assert!(cache.contains_block(2) && !cache.contains_block(1), "2 came in for 1");
    assert_eq!(read(&mut cache, 1..2), (vec![], vec![1..2]));
    assert_eq!(read(&mut cache, 1..2), (vec![1..2], vec![]));
}

#[test]
fn a_sequence_as_long_as_the_cutoff_passes_the_cache_by() {
    let mut cache = cache(100, "policy = \"sequential-cutoff\", cutoff = \"16 KiB\"", "");
    for block in 0..3 {
        // Two sequences in turn: each is followed by itself.
        assert_eq!(read(&mut cache, block..block + 1).0.len(), 1, "{block}");
        assert_eq!(read(&mut cache, 500 + block..501 + block).0.len(), 1, "{block}");
    }
    assert_eq!(read(&mut cache, 3..4), (vec![], vec![3..4]), "16 KiB in sequence");
    assert_eq!(read(&mut cache, 503..505), (vec![], vec![503..505]));
    assert_eq!(read(&mut cache, 40..43), (vec![40..43], vec![]), "one request of 12 KiB");
    assert_eq!(read(&mut cache, 50..54), (vec![], vec![50..54]), "one request of 16 KiB");
    assert_eq!(read(&mut cache, 54..55), (vec![], vec![54..55]), "it goes on");
    assert_eq!(read(&mut cache, 0..4), (vec![], vec![3..4]), "what is in the cache is found there");
    assert_eq!(cache.resident_block_count(), 9);
}

#[test]
fn a_write_through_asks_for_admission_and_a_write_back_comes_in() {
    let mut through = cache(8, "policy = \"second-miss\"", THROUGH);
    assert_eq!(write(&mut through, 1..2), WriteOutcome::Through);
    assert!(!through.contains_block(1), "refused");
    assert_eq!(write(&mut through, 1..2), WriteOutcome::Through);
    assert!(through.contains_block(1), "the second miss");
    let refused = through.counts().blocks_refused;
    write(&mut through, 1..2);
    assert_eq!(
        through.counts().blocks_refused,
        refused,
        "what is in the cache is kept up to date without a decision"
    );
    let mut back = cache(8, "policy = \"second-miss\"", "");
    assert_eq!(write(&mut back, 1..2), WriteOutcome::Back);
    assert_eq!((back.contains_block(1), back.counts().blocks_refused), (true, 0));
    let mut none = cache(8, "policy = \"second-miss\"", &format!("{THROUGH}\nallocate = false"));
    write(&mut none, 1..2);
    assert_eq!(none.counts().blocks_refused, 0, "`allocate` keeps the block out without a decision");
}

#[test]
fn what_is_read_ahead_comes_in_whatever_the_policy() {
    let ahead = "read_ahead = { policy = \"fixed\", amount = \"8 KiB\" }";
    let mut cache = cache(8, "policy = { expression = \"admit\" }", ahead);
    assert_eq!(read(&mut cache, 0..1), (vec![], vec![0..1]));
    assert!(cache.contains_block(1) && cache.contains_block(2) && !cache.contains_block(0));
}

/// Random accesses of a few blocks, some of them in sequence, with writes in between.
fn accesses() -> impl Strategy<Value = Vec<(bool, Range<u64>)>> {
    let one = (prop::bool::weighted(0.3), 0..60_u64, 1..4_u64);
    prop::collection::vec(one, 1..200).prop_map(|drawn| {
        let mut end = 0;
        let access = |(writes, block, blocks): (bool, u64, u64)| {
            let start = if block < 30 { end } else { block };
            end = start + blocks;
            (writes, start..end)
        };
        drawn.into_iter().map(access).collect()
    })
}

/// The blocks that an access brought in, those that passed the cache by, and the number of blocks in the cache then.
type Step = (Vec<Range<u64>>, Vec<Range<u64>>, u32);

/// The steps of accesses.
fn course(cache: &mut BlockCache, accesses: &[(bool, Range<u64>)]) -> Vec<Step> {
    let of = |(writes, blocks): &(bool, Range<u64>)| {
        let (fetch, bypass) = if *writes {
            write(cache, blocks.clone());
            (vec![], vec![])
        } else {
            read(cache, blocks.clone())
        };
        (fetch, bypass, cache.resident_block_count())
    };
    accesses.iter().map(of).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(sansim_trials::case_count(300)) })]

    #[test]
    fn an_expression_admits_as_the_policy_that_it_rewrites(
        accesses in accesses(), blocks in 1..40_u64, mode in prop::sample::select(vec!["back", "through"]),
    ) {
        let other = format!("[write]\nmode = \"{mode}\"");
        let rewritten = [
            ("policy = \"always\"", "policy = { expression = \"-admit\" }"),
            (
                "policy = \"sequential-cutoff\", cutoff = \"12 KiB\"",
                "policy = { expression = \"admit != (sequence < 12 KiB)\" }",
            ),
        ];
        for (word, expression) in rewritten {
            let [mut one, mut other] = [word, expression].map(|admission| cache(blocks, admission, &other));
            prop_assert_eq!(course(&mut one, &accesses), course(&mut other, &accesses));
            prop_assert_eq!(one.counts(), other.counts());
        }
    }

    /// A list that is never full forgets nothing, and then a block comes in if it was ever refused and is not there.
    #[test]
    fn a_long_list_admits_what_was_refused_before(accesses in accesses(), blocks in 1..40_u64) {
        let policies = ["policy = \"second-miss\", remembered = \"10000 %\"", "policy = { expression = \"admit != (since_refused < capacity)\" }"];
        let [mut listed, mut ruled] = policies.map(|admission| cache(blocks, admission, THROUGH));
        let mut refused = std::collections::HashSet::new();
        for (writes, range) in &accesses {
            for block in range.clone() {
                let missed = !listed.contains_block(block);
                if *writes { write(&mut listed, block..block + 1); } else { read(&mut listed, block..block + 1); }
                if missed {
                    prop_assert_eq!(listed.contains_block(block), refused.remove(&block), "block {}", block);
                    if !listed.contains_block(block) { refused.insert(block); }
                }
            }
        }
        course(&mut ruled, &accesses);
        prop_assert!(ruled.counts().blocks_refused > 0, "the first miss of each block");
    }

    /// Each block that is read is found, awaited, fetched or passed by; and a policy that refuses all leaves the cache empty.
    #[test]
    fn blocks_add_up_and_a_cache_that_refuses_all_stays_empty(
        accesses in accesses(), blocks in 1..40_u64,
        policy in prop::sample::select(vec!["\"always\"", "\"second-miss\"", "\"sequential-cutoff\", cutoff = \"8 KiB\"", "{ expression = \"admit\" }"]),
    ) {
        let mut cache = cache(blocks, &format!("policy = {policy}"), THROUGH);
        let course = course(&mut cache, &accesses);
        let of = |ranges: &Vec<Range<u64>>| ranges.iter().map(|range| range.end - range.start).sum::<u64>();
        let missed: u64 = course.iter().map(|(fetched, passed, _)| of(fetched) + of(passed)).sum();
        let counts = *cache.counts();
        prop_assert_eq!(counts.blocks_read, counts.blocks_hit + counts.blocks_awaited + missed);
        prop_assert!(counts.read_hits <= counts.reads);
        if policy.starts_with('{') {
            prop_assert_eq!((cache.resident_block_count(), counts.blocks_hit, counts.blocks_evicted), (0, 0, 0));
            prop_assert!(counts.blocks_refused >= counts.blocks_read);
        }
        if policy == "\"always\"" {
            prop_assert_eq!(counts.blocks_refused, 0);
        }
    }
}

/// A scan brings in blocks of no use: with admission at the second miss a cache keeps what is read often beside it.
#[test]
fn a_scan_that_is_refused_leaves_the_cache_to_what_is_read_often() {
    let addresses = stream("scans and zipf", 20_000);
    let hits = |policy: &str| {
        let mut cache = cache(200, &format!("policy = {policy}"), "");
        addresses.iter().filter(|&&block| read(&mut cache, block..block + 1) == (vec![], vec![])).count()
    };
    let [always, second, cutoff] =
        ["\"always\"", "\"second-miss\"", "\"sequential-cutoff\", cutoff = \"64 KiB\""].map(hits);
    assert!(second > always + 200, "{second} and {always}");
    assert!(cutoff > always + 200, "{cutoff} and {always}");
}
