//! Tests of the answers of a cache, step by step, and of the laws of its writes and its read-ahead.

// An answer has lists of ranges, some with a single range.
#![allow(clippy::single_range_in_vec_init)]

use crate::common::{content, stream};
use proptest::prelude::*;
use sansim_cache::block_cache::{
    BlockCache, CacheAnswer, CacheCounts, Destage, Failure, WarmUpAccess, WriteOutcome,
};
use sansim_cache::replacement::ReplacementPolicy;
use sansim_cache::{CacheParameters, HitRatioSettling};
use sansim_kernel::RandomStream;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;
use std::ops::Range;

const KIB: u64 = 1_024;
/// The number of blocks of the device.
const DEVICE: u64 = 1_000_000;

fn parameters(keys: &str) -> CacheParameters {
    CacheParameters::from_toml(keys, &Facts::default()).unwrap_or_else(|report| panic!("{report}"))
}

/// A cache of this many blocks of 4 KiB; `keys` are its other keys.
fn cache(blocks: u64, keys: &str) -> BlockCache {
    let parameters = parameters(&format!("capacity = \"{} KiB\"\n{keys}", blocks * 4));
    BlockCache::new(&parameters, DEVICE * 4 * KIB, RandomStream::new(1, "cache"))
}

fn bytes(blocks: Range<u64>) -> Range<u64> {
    blocks.start * 4 * KIB..blocks.end * 4 * KIB
}

/// Reads whole blocks; all blocks to be fetched come at once.
fn read(cache: &mut BlockCache, blocks: Range<u64>, answer: &mut CacheAnswer) -> bool {
    let hit = cache.read(bytes(blocks), answer);
    answer.fetch.iter().chain(&answer.ahead).for_each(|blocks| cache.fetched(blocks.clone()));
    hit
}

/// The next destage, with its blocks in ranges.
fn destage(cache: &mut BlockCache) -> Option<(Destage, Vec<Range<u64>>)> {
    let mut ranges = Vec::new();
    cache.destage_next(&mut ranges).map(|destage| (destage, ranges))
}

#[test]
fn a_cache_of_16_gib_has_4_mi_blocks_of_4_kib() {
    assert_eq!(parameters("capacity = \"16 GiB\"").blocks(), 4 << 20);
}

#[test]
fn a_range_hits_only_if_all_its_blocks_do_and_only_the_others_are_fetched() {
    let (mut cache, mut answer) = (cache(10, ""), CacheAnswer::default());
    assert!(!read(&mut cache, 4..6, &mut answer));
    assert_eq!(answer.fetch, [4..6]);
    assert!(!read(&mut cache, 3..8, &mut answer));
    assert_eq!(answer.fetch, [3..4, 6..8]);
    assert!(read(&mut cache, 3..8, &mut answer));
    assert!(cache.read(4 * 4 * KIB + 1..4 * 4 * KIB + 2, &mut answer), "a part of a block");
    let counts = *cache.counts();
    assert_eq!((counts.reads, counts.read_hits), (4, 2));
    assert_eq!((counts.blocks_read, counts.blocks_hit, counts.blocks_awaited), (13, 8, 0));
}

#[test]
fn what_is_on_its_way_is_not_fetched_twice_and_cannot_go() {
    let (mut cache, mut answer) = (cache(2, ""), CacheAnswer::default());
    cache.read(bytes(0..2), &mut answer);
    assert_eq!((answer.fetch.clone(), answer.awaited.len()), (vec![0..2], 0));
    cache.read(bytes(1..3), &mut answer);
    assert_eq!(
        (answer.fetch.len(), answer.awaited.clone(), answer.bypass.clone()),
        (0, vec![1..2], vec![2..3])
    );
    cache.fetched(0..2);
    cache.read(bytes(2..3), &mut answer);
    assert_eq!((answer.fetch.clone(), answer.evicted.clone()), (vec![2..3], vec![0]));
    assert!(!cache.fetch_failed(2..3));
    assert_eq!(cache.resident_block_count(), 1, "what could not be fetched is not there");
}

#[test]
fn a_cache_that_only_reads_hits_what_its_policy_hits() {
    for word in ReplacementPolicy::WORDS {
        for name in ["zipf 0.9", "scans and zipf", "two loops"] {
            let keys = format!("replacement = {{ policy = \"{word}\" }}");
            let (mut cache, mut plain) = (cache(300, &keys), content(word, 300));
            let mut answer = CacheAnswer::default();
            for block in stream(name, 20_000) {
                assert_eq!(read(&mut cache, block..block + 1, &mut answer), plain.access(block), "{word}");
            }
        }
    }
}

#[test]
fn a_block_is_written_overwritten_destaged_and_clean() {
    let (mut cache, mut answer) = (cache(8, "[write.destage]\nwhen = \"at-once\""), CacheAnswer::default());
    assert_eq!(cache.urgency(), 0.0);
    assert_eq!(cache.write(bytes(0..2), &mut answer), WriteOutcome::Back);
    assert_eq!((cache.dirty_block_count(), cache.urgency()), (2, 1.0));
    assert!(cache.read(bytes(0..2), &mut answer), "what was written is there");
    let (one, ranges) = destage(&mut cache).expect("two are dirty");
    assert_eq!((one, ranges), (Destage { stripe: 0, blocks: 2, whole: false }, vec![0..2]));
    assert_eq!(destage(&mut cache), None, "what is under way is not destaged twice");
    assert_eq!(cache.write(bytes(1..2), &mut answer), WriteOutcome::Back, "overwritten while it is destaged");
    assert_eq!(destage(&mut cache), None, "nor while an older one is under way");
    cache.destaged(0..2);
    assert_eq!((cache.is_dirty(0), cache.is_dirty(1), cache.dirty_block_count()), (false, true, 1));
    assert_eq!(destage(&mut cache).map(|(_, ranges)| ranges), Some(vec![1..2]));
    cache.destage_failed(1..2);
    assert_eq!((cache.is_dirty(1), destage(&mut cache).map(|(_, ranges)| ranges)), (true, Some(vec![1..2])));
    cache.destaged(1..2);
    assert_eq!((cache.dirty_block_count(), cache.urgency(), cache.resident_block_count()), (0, 0.0, 2));
    assert!(cache.read(bytes(0..2), &mut answer));
}

#[test]
fn a_write_of_a_part_of_a_block_has_the_rest_fetched_before_it_is_destaged() {
    let (mut cache, mut answer) = (cache(8, ""), CacheAnswer::default());
    assert_eq!(cache.write(2 * KIB..10 * KIB, &mut answer), WriteOutcome::Back);
    assert_eq!(answer.fetch, [0..1, 2..3]);
    assert_eq!(destage(&mut cache).map(|(_, ranges)| ranges), Some(vec![1..2]), "the one that is whole");
    assert!(!cache.read(0..KIB, &mut answer));
    assert_eq!((answer.fetch.len(), answer.awaited.clone()), (0, vec![0..1]));
    assert!(cache.fetch_failed(0..1), "it has to be fetched again");
    cache.fetched(0..1);
    cache.fetched(2..3);
    assert_eq!(destage(&mut cache).map(|(_, ranges)| ranges), Some(vec![0..1, 2..3]));
    cache.destaged(0..3);
    assert_eq!(cache.write(KIB..2 * KIB, &mut answer), WriteOutcome::Back);
    assert_eq!(answer.fetch, [], "all of it is here");
}

#[test]
fn a_dirty_cache_writes_through_or_waits_as_it_is_told() {
    let keys = |when: &str| format!("[write]\ndirty_limit = \"50 %\"\nwhen_full = \"{when}\"");
    let mut answer = CacheAnswer::default();
    let mut through = cache(8, &keys("through"));
    assert_eq!(through.write(bytes(0..4), &mut answer), WriteOutcome::Back);
    assert_eq!(
        through.write(bytes(0..2), &mut answer),
        WriteOutcome::Back,
        "what is dirty needs no more room"
    );
    assert_eq!(through.write(bytes(3..5), &mut answer), WriteOutcome::Through);
    assert_eq!(answer.through, [3..5]);
    assert_eq!(
        through.write(bytes(4..5), &mut answer),
        WriteOutcome::Wait,
        "the older one may get there later"
    );
    through.destaged(3..5);
    assert_eq!(through.dirty_block_count(), 3);
    assert!(through.read(bytes(0..5), &mut answer));

    let mut waiting = cache(8, &keys("wait"));
    assert_eq!(waiting.write(bytes(0..2), &mut answer), WriteOutcome::Back);
    assert_eq!(waiting.urgency(), 0.0, "it is not yet at the mark");
    assert_eq!(waiting.write(bytes(4..7), &mut answer), WriteOutcome::Wait);
    assert_eq!(waiting.urgency(), 1.0, "somebody waits");
    assert_eq!(waiting.write(bytes(10..15), &mut answer), WriteOutcome::Through, "it would never fit");
    waiting.destaged(10..15);
    assert!(destage(&mut waiting).is_some());
    waiting.destaged(0..2);
    assert_eq!(waiting.urgency(), 0.0);
    assert_eq!(waiting.write(bytes(4..7), &mut answer), WriteOutcome::Back);
}

#[test]
fn destaging_begins_at_the_high_mark_and_ends_at_the_low_one() {
    let (mut cache, mut answer) = (cache(100, "[write]\nstripe_size = \"4 KiB\""), CacheAnswer::default());
    let mut seen = Vec::new();
    for block in 0..90 {
        cache.write(bytes(block..block + 1), &mut answer);
        if cache.urgency() > 0.0 {
            seen.push(cache.dirty_block_count());
            while cache.urgency() > 0.0 {
                let (_, ranges) = destage(&mut cache).expect("some are dirty");
                ranges.into_iter().for_each(|blocks| cache.destaged(blocks));
            }
            seen.push(cache.dirty_block_count());
        }
    }
    assert_eq!(seen, [80, 60]);
}

#[test]
fn the_linear_rate_grows_from_nothing_at_the_low_mark_to_all_at_the_high_one() {
    let keys = "[write.destage]\nwhen = \"linear\"\nlow = \"20 %\"\nhigh = \"70 %\"";
    let (mut cache, mut answer) = (cache(100, keys), CacheAnswer::default());
    for block in 0..100 {
        cache.write(bytes(block..block + 1), &mut answer);
        let expected = ((f64::from(cache.dirty_block_count()) - 20.0) / 50.0).clamp(0.0, 1.0);
        assert!((cache.urgency() - expected).abs() < 1e-12);
    }
}

/// With stripes of 4 blocks that are written in this order of blocks: the order in which the stripes are destaged.
fn destaged(order: &str, writes: &[Range<u64>]) -> Vec<u64> {
    let keys = format!("[write]\nstripe_size = \"16 KiB\"\norder = {{ first = \"{order}\" }}");
    let (mut cache, mut answer) = (cache(100, &keys), CacheAnswer::default());
    for blocks in writes {
        cache.write(bytes(blocks.clone()), &mut answer);
    }
    std::iter::from_fn(|| destage(&mut cache).map(|(one, _)| one.stripe)).collect()
}

#[test]
fn each_order_of_destaging_goes_as_its_name_says() {
    let writes = [40..41, 8..12, 20..21, 0..2, 41..42, 12..16, 20..21];
    assert_eq!(destaged("oldest", &writes), [10, 2, 5, 0, 3]);
    assert_eq!(destaged("least-recently-written", &writes), [2, 0, 10, 3, 5]);
    assert_eq!(destaged("c-look", &writes), [0, 2, 3, 5, 10]);
    assert_eq!(destaged("whole-stripes", &writes), [2, 3, 10, 5, 0]);
}

#[test]
fn c_look_goes_upwards_and_begins_again_with_what_came_behind_it() {
    let keys = "[write]\nstripe_size = \"4 KiB\"\norder = { first = \"c-look\" }";
    let (mut cache, mut answer) = (cache(100, keys), CacheAnswer::default());
    let mut went = Vec::new();
    for block in [50, 20, 70] {
        cache.write(bytes(block..block + 1), &mut answer);
    }
    for next in [60, 30, 10, 90, 80] {
        went.extend(destage(&mut cache).map(|(one, _)| one.stripe));
        cache.write(bytes(next..next + 1), &mut answer);
    }
    went.extend(std::iter::from_fn(|| destage(&mut cache).map(|(one, _)| one.stripe)));
    assert_eq!(went, [20, 50, 60, 70, 90, 10, 30, 80]);
}

#[test]
fn a_cache_without_its_partner_or_battery_writes_through_and_empties_itself() {
    for (keys, what) in [("mirrored = true", Failure::Partner), ("battery = true", Failure::Battery)] {
        for flushes in [true, false] {
            let keys = format!("[write]\n{keys}\nflush_on_failure = {flushes}");
            let (mut cache, mut answer) = (cache(8, &keys), CacheAnswer::default());
            assert_eq!(cache.write(bytes(0..1), &mut answer), WriteOutcome::Back);
            cache.fail(what);
            assert_eq!(cache.write(bytes(1..2), &mut answer), WriteOutcome::Through);
            cache.destaged(1..2);
            assert_eq!(cache.urgency(), if flushes { 1.0 } else { 0.0 });
            cache.repair(what);
            assert_eq!(cache.urgency(), 0.0);
            assert_eq!(cache.write(bytes(1..2), &mut answer), WriteOutcome::Back);
        }
    }
}

#[test]
fn where_destaged_blocks_stand_is_as_configured() {
    let next_to_go = |destaged: &str| {
        let keys = format!("[write]\ndestaged = \"{destaged}\"");
        let (mut cache, mut answer) = (cache(3, &keys), CacheAnswer::default());
        cache.write(bytes(0..1), &mut answer);
        read(&mut cache, 1..3, &mut answer);
        destage(&mut cache);
        cache.destaged(0..1);
        read(&mut cache, 3..4, &mut answer);
        answer.evicted[0]
    };
    assert_eq!((next_to_go("old"), next_to_go("young")), (0, 1));
}

/// Reads one range of blocks after the other; the blocks that are fetched ahead with each read.
fn ahead(keys: &str, reads: &[Range<u64>]) -> Vec<Vec<Range<u64>>> {
    let (mut cache, mut answer) = (cache(1_000, &format!("[read_ahead]\n{keys}")), CacheAnswer::default());
    reads
        .iter()
        .map(|blocks| {
            read(&mut cache, blocks.clone(), &mut answer);
            answer.ahead.clone()
        })
        .collect()
}

#[test]
fn each_read_ahead_fetches_what_its_name_says() {
    let none: Vec<Vec<Range<u64>>> = vec![vec![], vec![]];
    assert_eq!(ahead("policy = \"none\"", &[0..1, 1..2]), none);
    let fixed =
        ahead("policy = \"fixed\"\namount = \"16 KiB\"", &[10..12, 13..14, 15..17, DEVICE - 2..DEVICE - 1]);
    assert_eq!(fixed, [vec![12..16], vec![], vec![17..21], vec![DEVICE - 1..DEVICE]]);
    let strips = ahead("policy = \"stripe-unit\"\nstripe_unit = \"16 KiB\"", &[5..6, 7..8, 11..13]);
    assert_eq!(strips, [vec![4..5, 6..8], vec![], vec![8..11, 13..16]]);
}

#[test]
fn several_streams_are_told_apart_and_each_is_fetched_ahead_of_in_growing_amounts() {
    let keys = "policy = \"adaptive\"\nfirst = \"16 KiB\"\nmost = \"64 KiB\"\ntrigger = \"50 %\"";
    let mut reads = Vec::new();
    for block in 0..25 {
        reads.push(100 + block..101 + block);
        reads.push(5_000 + block..5_001 + block);
        reads.push(block * 977 + 20_000..block * 977 + 20_001);
    }
    let fetched = ahead(keys, &reads);
    // The second read makes a stream; then 4, 8 and 16 blocks are fetched ahead, whenever half of the last amount is left.
    let of_stream = |which: usize, first: u64| -> Vec<Range<u64>> {
        let ranges = fetched.iter().skip(which).step_by(3).flatten();
        ranges.map(|range| range.start - first..range.end - first).collect()
    };
    assert_eq!(of_stream(0, 100), [2..6, 6..14, 14..30, 30..46]);
    assert_eq!(of_stream(1, 5_000), of_stream(0, 100));
    assert_eq!(of_stream(2, 20_000), [], "nobody follows them");
}

#[test]
fn a_stream_is_served_without_a_miss_once_it_is_known() {
    let keys = "[read_ahead]\npolicy = \"adaptive\"\nfirst = \"16 KiB\"\nmost = \"64 KiB\"";
    let (mut cache, mut answer) = (cache(64, keys), CacheAnswer::default());
    let hits: Vec<bool> = (0..500).map(|block| read(&mut cache, block..block + 1, &mut answer)).collect();
    assert_eq!(hits.iter().position(|hit| *hit), Some(2));
    assert!(hits[2..].iter().all(|hit| *hit));
    let CacheCounts { blocks_ahead, blocks_ahead_used, blocks_ahead_wasted, .. } = *cache.counts();
    assert_eq!((blocks_ahead_used, blocks_ahead_wasted), (498, 0));
    assert!(blocks_ahead < 498 + 32);
}

/// Twelve streams read through a cache that is too small for the blocks fetched ahead of them: reducing the amounts wastes fewer blocks
/// than keeping them.
#[test]
fn amounts_are_cut_back_where_blocks_go_before_anybody_asks_for_them() {
    let wasted = |cut_back: &str| {
        let keys = format!(
            "[read_ahead]\npolicy = \"adaptive\"\nfirst = \"16 KiB\"\nmost = \"256 KiB\"\ncut_back = \"{cut_back}\"\ngrowth = 1.5"
        );
        let (mut cache, mut answer) = (cache(80, &keys), CacheAnswer::default());
        for block in 0..1_000 {
            for stream in 0..12 {
                read(&mut cache, stream * 10_000 + block..stream * 10_000 + block + 1, &mut answer);
            }
        }
        let counts = *cache.counts();
        (counts.blocks_ahead_wasted, counts.read_hits)
    };
    let [(insisting, few), (cutting, many)] = [wasted("100 %"), wasted("25 %")];
    assert!(
        cutting * 2 < insisting && many > few,
        "{cutting} against {insisting}, hits {many} against {few}"
    );
}

#[test]
fn warming_up_leaves_the_content_that_running_does_and_counts_nothing() {
    let addresses = stream("zipf 0.9", 20_000);
    let [mut warmed, mut run] = [cache(300, ""), cache(300, "")];
    let mut answer = CacheAnswer::default();
    for (at, block) in addresses.iter().enumerate() {
        let writes = at % 3 == 0;
        warmed.apply_warm_up_access(&WarmUpAccess { writes, bytes: bytes(*block..block + 1) }, &mut answer);
        if writes {
            run.write(bytes(*block..block + 1), &mut answer);
        } else {
            read(&mut run, *block..block + 1, &mut answer);
        }
        while run.dirty_block_count() > 240 {
            let (_, ranges) = destage(&mut run).expect("some are dirty");
            ranges.into_iter().for_each(|blocks| run.destaged(blocks));
        }
    }
    assert_eq!(*warmed.counts(), CacheCounts::default());
    assert_eq!((warmed.resident_block_count(), run.resident_block_count()), (300, 300));
    for block in 0..2_000 {
        assert_eq!(
            (warmed.contains_block(block), warmed.is_dirty(block)),
            (run.contains_block(block), run.is_dirty(block))
        );
    }
    assert!(
        warmed.dirty_block_count() <= 240 && warmed.dirty_block_count() > 180,
        "as many stay dirty as destaging leaves"
    );
}

/// The hit ratio of a long run is compared with the hit ratio at which warming up stopped.
#[test]
fn warming_up_stops_when_the_hit_ratio_has_settled_and_not_before() {
    for skew in [0.6, 0.9, 1.2] {
        let mut draw = crate::common::zipf(skew, 100_000, "settling");
        let mut cache = cache(20_000, "");
        let one = |block: u64| WarmUpAccess { writes: false, bytes: bytes(block..block + 1) };
        let warmed = cache.warm_up(
            std::iter::repeat_with(|| one(draw())).take(3_000_000),
            Some(HitRatioSettling::new(20_000, HitRatioSettling::TOLERANCE)),
        );
        assert!(warmed.settled && warmed.accesses < 1_000_000, "{warmed:?}");
        assert_eq!(cache.resident_block_count(), cache.capacity());
        let mut answer = CacheAnswer::default();
        let mut ratio = |count: u64| {
            (0..count).filter(|_| cache.apply_warm_up_access(&one(draw()), &mut answer)).count() as f64
                / count as f64
        };
        let [now, later] = [ratio(100_000), {
            ratio(1_000_000);
            ratio(200_000)
        }];
        assert!((now - later).abs() < 0.01, "skew {skew}: {now} and later {later}");
    }
}

#[test]
fn a_cache_that_still_fills_has_not_settled_and_an_endless_change_never_does() {
    // Each window brings few new blocks: the hit ratio hardly changes, and the cache is not full.
    let mut filling = HitRatioSettling::new(1_000, 0.01);
    assert!(!(0..600_000).any(|at| filling.count_access(at % 20 != 0, false)));
    let mut full = HitRatioSettling::new(1_000, 0.01);
    assert_eq!((0..600_000).position(|at| full.count_access(at % 20 != 0, true)), Some(89_999));
    let mut small = HitRatioSettling::new(1_000, 0.01);
    assert!((0..100_000).any(|_| small.count_access(true, false)), "all that is asked for fits");
    let mut changing = HitRatioSettling::new(1_000, 0.01);
    assert!(!(0..600_000_u64).any(|at| changing.count_access(at / 40_000 % 2 == 0, true)));
}

proptest! {
    /// The more blocks may be dirty, the fewer blocks are destaged, whatever is written; the saved destages equal the overwritten blocks.
    #[test]
    fn every_write_of_a_block_is_overwritten_destaged_or_still_dirty(
        writes in prop::collection::vec((0..60_u64, 1..4_u64), 1..300), limit in 10..100_u32,
    ) {
        let keys = format!("[write]\ndirty_limit = \"{limit} %\"\nwhen_full = \"wait\"");
        let (mut cache, mut answer) = (cache(50, &keys), CacheAnswer::default());
        let mut written = 0;
        for (start, length) in writes {
            while cache.write(bytes(start..start + length), &mut answer) == WriteOutcome::Wait {
                prop_assert_eq!(cache.urgency(), 1.0);
                let (_, ranges) = destage(&mut cache).expect("some are dirty");
                ranges.into_iter().for_each(|blocks| cache.destaged(blocks));
            }
            written += length;
            prop_assert!(cache.dirty_block_count() <= cache.dirty_limit());
        }
        let counts = *cache.counts();
        let still = u64::from(cache.dirty_block_count());
        prop_assert_eq!(counts.blocks_overwritten + counts.blocks_destaged + still, written);
    }
}
