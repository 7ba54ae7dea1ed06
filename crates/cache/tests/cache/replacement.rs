//! Tests that every replacement policy has exactly the hits of a model of the policy in twenty lines, and keeps the laws of its paper.

use crate::common::models::{self, Model};
use crate::common::{STREAMS, content, hits, stream};
use proptest::prelude::*;
use sansim_cache::replacement::{AnyReplacement, ReplacementPolicy};
use sansim_cache::slots::ListEnd;
use sansim_cache::{CacheContent, optimum::optimal_hits};
use sansim_kernel::RandomStream;

fn model(word: &str, capacity: usize) -> Option<Box<dyn Model>> {
    Some(match word {
        "lru" => Box::new(models::Lru::new(capacity)),
        "fifo" => Box::new(models::Fifo::new(capacity)),
        "clock" => Box::new(models::Clock::new(capacity)),
        "sieve" => Box::new(models::Sieve::new(capacity)),
        "slru" => Box::new(models::Slru::new(capacity)),
        "2q" => Box::new(models::TwoQ::new(capacity)),
        "arc" => Box::new(models::Arc::new(capacity)),
        "car" => Box::new(models::Car::new(capacity)),
        "lfu" => Box::new(models::Lfu::new(capacity, false)),
        "lfu-da" => Box::new(models::Lfu::new(capacity, true)),
        _ => return None,
    })
}

#[test]
fn every_policy_but_the_random_one_has_a_model() {
    let without: Vec<_> = ReplacementPolicy::WORDS.iter().filter(|word| model(word, 1).is_none()).collect();
    assert_eq!(without, [&"random"]);
}

#[test]
fn each_policy_hits_what_its_model_hits_on_streams_of_every_kind() {
    for name in STREAMS {
        let addresses = stream(name, 6_000);
        for word in ReplacementPolicy::WORDS {
            for capacity in [1, 3, 8, 60, 401] {
                let Some(mut model) = model(word, capacity as usize) else { continue };
                let mut content = content(word, capacity);
                for (now, block) in addresses.iter().enumerate() {
                    let (ours, theirs) = (content.access(*block), model.access(*block));
                    assert_eq!(ours, theirs, "{word} with {capacity} blocks, access {now} of {name}");
                }
            }
        }
    }
}

/// Addresses of a few blocks, so that blocks recur, in runs and jumps.
fn addresses() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec((0..40_u64, 1..4_u64), 0..300)
        .prop_map(|runs| runs.into_iter().flat_map(|(start, length)| start..start + length).collect())
}

proptest! {
    #[test]
    fn each_policy_hits_what_its_model_hits(addresses in addresses(), capacity in 1..24_u32) {
        for word in ReplacementPolicy::WORDS {
            let Some(mut model) = model(word, capacity as usize) else { continue };
            let mut content = content(word, capacity);
            for block in &addresses {
                prop_assert_eq!(content.access(*block), model.access(*block), "{}", word);
            }
        }
    }

    #[test]
    fn no_policy_holds_more_than_fits_or_hits_what_it_does_not_hold(
        addresses in addresses(), capacity in 1..24_u32,
    ) {
        for word in ReplacementPolicy::WORDS {
            let mut content = content(word, capacity);
            for block in &addresses {
                let held = content.slot_of_block(*block).is_some();
                prop_assert_eq!(content.access(*block), held, "{}", word);
                prop_assert!(content.slot_of_block(*block).is_some(), "{} keeps what was just asked for", word);
                prop_assert!(content.resident_block_count() <= capacity, "{}", word);
            }
            let distinct: std::collections::HashSet<_> = addresses.iter().collect();
            prop_assert!(content.resident_block_count() as usize <= distinct.len(), "{}", word);
            let still_held = distinct.iter().filter(|block| content.slot_of_block(***block).is_some()).count();
            prop_assert_eq!(still_held as u32, content.resident_block_count(), "{}", word);
        }
    }

    #[test]
    fn a_larger_lru_cache_holds_all_that_a_smaller_one_holds(addresses in addresses(), capacity in 1..24_u32) {
        let [mut small, mut large] = [capacity, capacity + 1].map(|capacity| content("lru", capacity));
        for block in &addresses {
            let [in_small, in_large] = [small.access(*block), large.access(*block)];
            prop_assert!(in_large || !in_small);
        }
    }

    #[test]
    fn no_policy_is_better_than_the_optimum(addresses in addresses(), capacity in 1..24_u32) {
        let best = optimal_hits(capacity as usize, &addresses);
        for word in ReplacementPolicy::WORDS {
            prop_assert!(hits(word, capacity, &addresses) <= best, "{}", word);
        }
    }

    /// The invariants are I1 to I6 of Bansal and Modha, which ARC keeps as well.
    #[test]
    fn arc_and_car_keep_their_lists_within_what_their_papers_say(addresses in addresses(), capacity in 1..24_u32) {
        for word in ["arc", "car"] {
            let mut content = content(word, capacity);
            for block in &addresses {
                content.access(*block);
                let [t1, t2, b1, b2] = match content.policy() {
                    AnyReplacement::Arc(arc) => arc.list_lengths(),
                    AnyReplacement::Car(car) => car.list_lengths(),
                    _ => unreachable!(),
                };
                prop_assert!(t1 + t2 <= capacity, "I1 of {}", word);
                prop_assert!(t1 + b1 <= capacity, "I2 of {}", word);
                prop_assert!(t2 + b2 <= 2 * capacity, "I3 of {}", word);
                prop_assert!(t1 + t2 + b1 + b2 <= 2 * capacity, "I4 of {}", word);
                if t1 + t2 < capacity {
                    prop_assert_eq!(b1 + b2, 0, "I5 of {}", word);
                }
                if t1 + b1 + t2 + b2 >= capacity {
                    prop_assert_eq!(t1 + t2, capacity, "I6 of {}", word);
                }
            }
        }
    }

    /// Held-back blocks stay, other blocks come and are evicted, and every block keeps its identity.
    #[test]
    fn what_is_held_back_never_goes(
        steps in prop::collection::vec((0..40_u64, 0..4_u8), 0..300), capacity in 1..16_u32,
    ) {
        for word in ReplacementPolicy::WORDS {
            let mut content = content(word, capacity);
            let mut held_back = std::collections::BTreeSet::new();
            for (block, what) in &steps {
                let slot = content.slot_of_block(*block);
                match (what, slot) {
                    (0, Some(slot)) => {
                        content.pin(slot);
                        held_back.insert(*block);
                    }
                    (1, Some(slot)) => {
                        content.unpin(slot, if block % 2 == 0 { ListEnd::Young } else { ListEnd::Old });
                        held_back.remove(block);
                    }
                    (2, Some(slot)) if block % 3 == 0 => {
                        content.drop_block(slot);
                        held_back.remove(block);
                    }
                    (_, Some(slot)) => content.block_requested(slot),
                    (_, None) => {
                        let admitted = content.admit(*block);
                        prop_assert_eq!(admitted.is_none(), held_back.len() as u32 == capacity, "{}", word);
                    }
                }
                prop_assert_eq!(content.pinned_count() as usize, held_back.len());
                prop_assert!(content.resident_block_count() <= capacity);
                for block in &held_back {
                    prop_assert!(content.slot_of_block(*block).is_some(), "{} let {} go", word, block);
                }
            }
        }
    }
}

#[test]
fn with_all_dirty_and_then_let_go_a_policy_still_hits_like_one_of_the_same_order() {
    // A block that is held back while it comes in and released at once has the same place in its list as any other.
    for word in ReplacementPolicy::WORDS {
        let addresses = stream("zipf 0.9", 20_000);
        let [mut plain, mut held] = [content(word, 300), content(word, 300)];
        for block in &addresses {
            let hit = match held.slot_of_block(*block) {
                Some(slot) => {
                    held.block_requested(slot);
                    true
                }
                None => {
                    let slot = held.admit(*block).expect("nothing is held back").slot;
                    held.pin(slot);
                    held.unpin(slot, ListEnd::Young);
                    false
                }
            };
            assert_eq!(plain.access(*block), hit, "{word}");
        }
    }
}

/// Che's approximation: hit ratio = sum of q (1 - e^(-q T)), with T such that the sum of 1 - e^(-q T) is the capacity (Che, Tung, Wang,
/// IEEE JSAC 20(7), 2002).
#[test]
fn an_lru_cache_hits_zipf_addresses_as_often_as_ches_approximation_says() {
    use sansim_kernel::functions::{exponential, power};
    for (skew, capacity) in [(0.6, 500_u32), (0.9, 200), (0.9, 2_000), (1.2, 100)] {
        let weights: Vec<f64> = (1..=10_000).map(|rank| 1.0 / power(f64::from(rank), skew)).collect();
        let sum: f64 = weights.iter().sum();
        let held = |time: f64| -> f64 { weights.iter().map(|w| 1.0 - exponential(-w / sum * time)).sum() };
        let (mut low, mut high) = (0.0, 1e7);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if held(middle) < f64::from(capacity) { low = middle } else { high = middle }
        }
        let expected: f64 = weights.iter().map(|w| w / sum * (1.0 - exponential(-w / sum * low))).sum();
        let mut draw = crate::common::zipf(skew, 10_000, "che");
        let mut content = content("lru", capacity);
        (0..200_000).for_each(|_| {
            content.access(draw());
        });
        let measured = (0..400_000).filter(|_| content.access(draw())).count() as f64 / 400_000.0;
        let error = (measured / expected - 1.0).abs();
        assert!(error < 0.01, "skew {skew}, {capacity} blocks: {measured} against {expected}");
    }
}

/// With independent uniform references the hit ratio is the capacity over the number of blocks, whatever is evicted.
#[test]
fn uniform_addresses_hit_every_policy_as_often_as_it_has_blocks_of_them() {
    for word in ReplacementPolicy::WORDS {
        let mut random = RandomStream::new(3, "uniform");
        let mut content = content(word, 250);
        for _ in 0..5_000 {
            content.access(random.draw_below(1_000));
        }
        let hits = (0..200_000).filter(|_| content.access(random.draw_below(1_000))).count();
        // The standard error of the hit ratio is 0.001.
        assert!((hits as f64 / 200_000.0 - 0.25).abs() < 0.005, "{word}: {hits}");
    }
}

#[test]
fn a_loop_one_block_too_long_never_hits_lru_but_always_the_optimum_as_its_formula_says() {
    let addresses: Vec<u64> = (0..100_000).map(|at| at % 101).collect();
    for word in ["lru", "fifo", "clock"] {
        assert_eq!(hits(word, 100, &addresses), 0, "{word}");
    }
    // After the first round, 99 of 100 accesses hit.
    let expected = (100_000.0 - 101.0) * 99.0 / 100.0;
    assert!((optimal_hits(100, &addresses) as f64 - expected).abs() <= 1.0);
}

#[test]
fn what_was_hot_long_ago_stays_with_lfu_and_goes_with_ageing() {
    let mut addresses: Vec<u64> = (0..50_000).map(|at| at % 100).collect();
    addresses.extend((0..100_000).map(|at| 1_000 + at % 150));
    let [plain, ageing] = ["lfu", "lfu-da"].map(|word| hits(word, 150, &addresses));
    assert!(plain < 55_000, "{plain}");
    // It lasts some rounds until a block that was used 500 times is worth no more than a block that comes now.
    assert!(ageing > 110_000, "{ageing}");
}

#[test]
fn the_random_policy_takes_each_equally_often_and_draws_the_same_again() {
    let run = |seed| {
        let policy = ReplacementPolicy::of_word("random").expect("a policy");
        let mut content = CacheContent::new(&policy, 10, RandomStream::new(seed, "cache"));
        let mut gone = [0; 10];
        for _ in 0..20_000 {
            (0..10).for_each(|block| {
                content.access(block);
            });
            let evicted = content.admit(100).and_then(|admitted| admitted.evicted).expect("it is full");
            gone[evicted.block as usize] += 1;
            let slot = content.slot_of_block(100).expect("it has come in");
            content.drop_block(slot);
        }
        gone
    };
    assert_eq!(run(1), run(1));
    let gone = run(1);
    // Each block is evicted 2,000 times in the mean; the standard deviation is 42.
    assert!(gone.iter().all(|times| (1_830..2_170).contains(times)), "{gone:?}");
}
