use super::bijection::Bijection;
use super::walk::{LeafReadProgress, WalkStyle, Walker};
use super::zipf::ZipfRanks;
use super::*;
use crate::testing::{checked, keys};
use sansim_kernel::functions::normal_probability;
use sansim_kernel::goodness_of_fit::chi_square;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

const KIB: u64 = 1024;
const BLOCK: u64 = 4 * KIB;

/// Every pattern of places, some with several settings.
fn all() -> Vec<Pattern> {
    vec![
        Pattern::Uniform(keys("")),
        Pattern::Uniform(keys("align = \"512 B\"")),
        Pattern::Sequential(keys("")),
        Pattern::Sequential(keys("start = \"99.9 %\"")),
        Pattern::Runs(keys("from = \"20 %\"\nto = \"60 %\"\nlength = \"10 %\"")),
        Pattern::Strided(keys("stride = \"64 KiB\"\nstart = \"30 %\"")),
        Pattern::Zones(keys(
            "accesses = [\"50 %\", \"30 %\", \"20 %\"]\nsizes = [\"5 %\", \"15 %\", \"80 %\"]",
        )),
        Pattern::HotSpot(keys("begin = \"80 %\"")),
        Pattern::Zipf(keys("theta = 1.1")),
        Pattern::Zipf(keys("theta = 0\nscattered = false\nblock = \"512 B\"")),
        Pattern::Pareto(keys("")),
        Pattern::Normal(keys("middle = \"100 %\"")),
        Pattern::Permutation(keys("block = \"8 KiB\"")),
        Pattern::Files(keys("files = 100\nfile_size = \"48 KiB\"\npart = \"40 %\"")),
        Pattern::Walk(keys("")),
        Pattern::Walk(keys("style = \"fixed\"")),
        Pattern::Walk(keys("style = \"v2\"")),
    ]
}

/// The number of draws of each block of a region.
fn counts(pattern: &Pattern, blocks: u64, draws: usize) -> Vec<u64> {
    let mut random = RandomStream::new(8, "locations");
    let mut locations = pattern.generator(blocks * BLOCK, &mut random);
    let mut counts = vec![0; blocks as usize];
    for _ in 0..draws {
        let offset = locations.next(BLOCK, false, &mut random);
        assert_eq!(offset % BLOCK, 0, "{}", pattern.word());
        counts[(offset / BLOCK) as usize] += 1;
    }
    counts
}

/// The first offsets of a pattern, in KiB.
fn first(pattern: &Pattern, region: u64, bytes: u64, count: usize) -> Vec<u64> {
    let mut random = RandomStream::new(8, "locations");
    let mut locations = pattern.generator(region, &mut random);
    (0..count).map(|_| locations.next(bytes, false, &mut random) / KIB).collect()
}

#[test]
fn every_request_lies_on_a_sector_and_within_its_region() {
    let mut random = RandomStream::new(1, "any");
    for pattern in all() {
        for round in 0..600 {
            let bytes = 1 + random.draw_below(if round % 2 == 0 { 4_096 } else { 300_000 });
            // The sizes range from one request up, over and over near the limit.
            let more = match round % 3 {
                0 => 0,
                1 => random.draw_below(10_000),
                _ => random.draw_below(100_000_000),
            };
            let region = bytes + more;
            let mut locations = pattern.generator(region, &mut random);
            for step in 0..40 {
                // Some requests are smaller than the largest size.
                let bytes = if step % 3 == 0 { 1 + random.draw_below(bytes) } else { bytes };
                let offset = locations.next(bytes, random.chance(0.5), &mut random);
                assert_eq!(offset % 512, 0, "{pattern:?}");
                assert!(offset + bytes <= region, "{pattern:?}: {offset} + {bytes} in {region}");
            }
        }
    }
    let mut words: Vec<&str> = all().iter().map(Pattern::word).collect();
    words.dedup();
    assert_eq!(words, Pattern::WORDS);
}

#[test]
fn uniform_requests_are_anywhere_alike() {
    let counts = counts(&Pattern::Uniform(keys("")), 1_000, 100_000);
    assert!(chi_square(&counts, &[1.0; 1_000], 0.001).is_consistent());
    let even: Vec<f64> = (0..1_000).map(|block| if block < 100 { 1.3 } else { 1.0 }).collect();
    assert!(!chi_square(&counts, &even, 0.001).is_consistent());
}

#[test]
fn sequential_and_strided_requests_follow_each_other_and_begin_again() {
    let sequential = Pattern::Sequential(keys("start = \"50 %\""));
    assert_eq!(first(&sequential, 20 * KIB, 4 * KIB, 6), [10, 14, 0, 4, 8, 12]);
    let strided = Pattern::Strided(keys("stride = \"8 KiB\"\nstart = \"5 %\""));
    assert_eq!(first(&strided, 20 * KIB, 4 * KIB, 4), [1, 9, 1, 9]);
}

#[test]
fn runs_begin_in_their_range_and_last_as_long_as_they_are() {
    let runs = Pattern::Runs(keys("from = \"20 %\"\nto = \"60 %\"\nlength = \"10 %\""));
    let region = 1 << 30;
    let offsets = first(&runs, region, 16 * KIB, 200_000);
    let mut starts = vec![offsets[0]];
    let mut lengths = Vec::new();
    let mut length = 1;
    for pair in offsets.windows(2) {
        if pair[1] == pair[0] + 16 {
            length += 1;
        } else {
            starts.push(pair[1]);
            lengths.push(length);
            length = 1;
        }
    }
    let per_cent = |kib: u64| kib as f64 * KIB as f64 / region as f64 * 100.0;
    assert!(starts.iter().all(|start| start % 64 == 0 && (19.99..60.0).contains(&per_cent(*start))));
    // Ten per cent of the region are 6,553.6 requests; both ends are rounded to 64 KiB, which is four requests, and the last request would
    // reach the end.
    assert!(
        lengths.len() > 25 && lengths.iter().all(|length| (6_548..=6_557).contains(length)),
        "{lengths:?}"
    );
    let mean = starts.iter().map(|start| per_cent(*start)).sum::<f64>() / starts.len() as f64;
    assert!((mean - 40.0).abs() < 4.0 * 11.55 / (starts.len() as f64).sqrt(), "{mean}");
}

#[test]
fn zones_and_hot_spots_take_their_parts_of_the_accesses() {
    let zones = Pattern::Zones(keys(
        "accesses = [\"50 %\", \"30 %\", \"20 %\"]\nsizes = [\"5 %\", \"15 %\", \"80 %\"]",
    ));
    let weights: Vec<f64> = (0..1_000)
        .map(|block| {
            if block < 50 {
                10.0
            } else if block < 200 {
                2.0
            } else {
                0.25
            }
        })
        .collect();
    assert!(chi_square(&counts(&zones, 1_000, 100_000), &weights, 0.001).is_consistent());
    let spot = Pattern::HotSpot(keys("accesses = \"80 %\"\nspace = \"20 %\"\nbegin = \"30 %\""));
    let weights: Vec<f64> =
        (0..1_000).map(|block| if (300..500).contains(&block) { 4.0 } else { 0.25 }).collect();
    assert!(chi_square(&counts(&spot, 1_000, 100_000), &weights, 0.001).is_consistent());
    let even = Pattern::HotSpot(keys("accesses = \"75 %\"\nspace = \"20 %\"\nbegin = \"30 %\""));
    assert!(!chi_square(&counts(&even, 1_000, 100_000), &weights, 0.001).is_consistent());
}

#[test]
fn ranks_are_as_popular_as_the_law_of_zipf_says() {
    for theta in [0.0, 0.5, 0.99, 1.0, 1.0001, 1.1, 2.0, 5.0] {
        for count in [1, 2, 3, 1_000] {
            let mut random = RandomStream::new(6, "zipf");
            let ranks = ZipfRanks::new(count, theta);
            let mut found = vec![0; count as usize];
            (0..100_000).for_each(|_| found[ranks.draw(&mut random) as usize] += 1);
            let weights = |theta: f64| (1..=count).map(|rank| (rank as f64).powf(-theta)).collect::<Vec<_>>();
            if count == 1 {
                assert_eq!(found, [100_000]);
                continue;
            }
            let fit = chi_square(&found, &weights(theta), 0.001);
            assert!(fit.is_consistent(), "theta {theta}, {count} ranks: {fit:?}");
            if count == 1_000 && theta <= 2.0 {
                assert!(!chi_square(&found, &weights(theta + 0.03), 0.001).is_consistent(), "theta {theta}");
            }
        }
    }
}

#[test]
fn popular_blocks_are_scattered_over_the_region_unless_told_otherwise() {
    let sorted = |text: &str| {
        let counts = counts(&Pattern::Zipf(keys(text)), 500, 100_000);
        let popular = counts.iter().enumerate().max_by_key(|(_, count)| **count).map(|(block, _)| block);
        let mut sorted = counts.clone();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        (popular, counts == sorted, sorted)
    };
    let (popular, _, in_order) = sorted("theta = 1\nscattered = false");
    assert_eq!(popular, Some(0));
    let (_, by_rank, scattered) = sorted("theta = 1");
    assert!(!by_rank);
    let weights: Vec<f64> = (1..=500).map(|rank| 1.0 / f64::from(rank)).collect();
    assert!(
        chi_square(&in_order, &weights, 0.001).is_consistent()
            && chi_square(&scattered, &weights, 0.001).is_consistent()
    );
}

#[test]
fn pareto_takes_eighty_per_cent_from_twenty_and_so_on_within() {
    let found = counts(&Pattern::Pareto(keys("scattered = false")), 1_000, 100_000);
    // The share x^(ln(1 - h) / ln h) of all accesses goes to the first x blocks.
    let up_to = |block: f64| (block / 1_000.0).powf(0.8_f64.ln() / 0.2_f64.ln());
    assert!((up_to(200.0) - 0.8).abs() < 1e-12);
    let weights: Vec<f64> =
        (0..1_000).map(|block| up_to(f64::from(block) + 1.0) - up_to(f64::from(block))).collect();
    assert!(chi_square(&found, &weights, 0.001).is_consistent());
}

#[test]
fn normal_requests_lie_about_their_middle() {
    let found = counts(&Pattern::Normal(keys("deviation = \"20 %\"\nmiddle = \"30 %\"")), 1_000, 100_000);
    let up_to = |block: f64| normal_probability((block / 1_000.0 - 0.3) / 0.2);
    let weights = |shift: f64| -> Vec<f64> {
        (0..1_000)
            .map(|block| up_to(f64::from(block) + shift + 1.0) - up_to(f64::from(block) + shift))
            .collect()
    };
    assert!(chi_square(&found, &weights(0.0), 0.001).is_consistent());
    assert!(!chi_square(&found, &weights(10.0), 0.001).is_consistent());
}

#[test]
fn a_bijection_reaches_every_number_once_and_each_order_is_as_likely() {
    let mut random = RandomStream::new(2, "order");
    for count in [1, 2, 3, 5, 64, 65, 1_000, 4_097] {
        let order = Bijection::new(count, &mut random);
        let mut images: Vec<u64> = (0..count).map(|number| order.permuted_number(number)).collect();
        images.sort_unstable();
        assert!(images.iter().copied().eq(0..count), "{count}");
    }
    // Counts the images of the first of ten numbers, and of the second if the first is mapped to zero.
    let mut places = vec![0; 100];
    for _ in 0..50_000 {
        let order = Bijection::new(10, &mut random);
        places[(order.permuted_number(0) * 10 + order.permuted_number(1)) as usize] += 1;
    }
    let weights: Vec<f64> = (0..100).map(|at| if at % 11 == 0 { 0.0 } else { 1.0 }).collect();
    assert!((0..100).step_by(11).all(|at| places[at] == 0));
    let fit = chi_square(&places, &weights, 0.001);
    assert!(fit.is_consistent(), "{fit:?}");
}

#[test]
fn a_permutation_gives_every_block_once_a_pass_and_passes_in_other_orders() {
    let blocks = first(&Pattern::Permutation(keys("")), 1_000 * BLOCK, BLOCK, 2_000);
    let (one, other) = blocks.split_at(1_000);
    for pass in [one, other] {
        let mut pass = pass.to_vec();
        pass.sort_unstable();
        assert!(pass.iter().copied().eq((0..1_000).map(|block| block * 4)));
    }
    assert_ne!(one, other);
}

#[test]
fn files_are_read_from_end_to_end_and_the_popular_ones_again() {
    let files = Pattern::Files(keys("files = 50\nfile_size = \"32 KiB\"\ntheta = 1"));
    let offsets = first(&files, 1 << 24, 8 * KIB, 40_000);
    let mut read = std::collections::HashMap::new();
    for file in offsets.chunks(4) {
        assert_eq!(file[0] % 32, 0);
        assert_eq!(file[1..], [file[0] + 8, file[0] + 16, file[0] + 24]);
        *read.entry(file[0]).or_insert(0_u64) += 1;
    }
    let mut read: Vec<u64> = read.into_values().collect();
    read.sort_unstable_by(|a, b| b.cmp(a));
    let weights: Vec<f64> = (1..=50).map(|rank| 1.0 / f64::from(rank)).collect();
    assert!(chi_square(&read, &weights, 0.001).is_consistent());
    // The part is a quarter of a file: one request, anywhere in it.
    let part = Pattern::Files(keys("files = 1\nfile_size = \"32 KiB\"\npart = \"25 %\""));
    let places = first(&part, 32 * KIB, 8 * KIB, 10_000);
    assert!(places.contains(&0) && places.contains(&24) && places.iter().all(|at| *at <= 24));
}

#[test]
fn a_step_of_the_walk_climbs_with_the_probability_of_the_rule() {
    // Classic style: a step stays within 2^7 leaves with probability 0.56, within 2^8 with 0.56 * 0.44, and so on up to the whole tree of
    // 2^10. A read shows the position of the walk.
    let mut random = RandomStream::new(3, "walk");
    let mut leaves = LeafReadProgress::new(WalkStyle::Classic, 1024 * 32 * KIB);
    let mut walker = Walker::new(&leaves, &mut random);
    let mut groups = [0_u64; 4];
    let mut before = walker.next_block(&mut leaves, false, &mut random) / 8;
    for _ in 0..200_000 {
        let leaf = walker.next_block(&mut leaves, false, &mut random) / 8;
        let level = (64 - (leaf ^ before).leading_zeros()).max(7) - 7;
        groups[level as usize] += 1;
        before = leaf;
    }
    // The smallest group that contains both leaves: half of the jumps within 2^h leaves stay in the same half.
    let climbs = [0.56, 0.56 * 0.44, 0.56 * 0.44_f64.powi(2), 0.44_f64.powi(3)];
    let first_common = |level: usize| -> f64 {
        (level..4).map(|h| climbs[h] / f64::from(1 << (h - level)) * if level == 0 { 1.0 } else { 0.5 }).sum()
    };
    let weights: Vec<f64> = (0..4).map(first_common).collect();
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let fit = chi_square(&groups, &weights, 0.001);
    assert!(fit.is_consistent(), "{groups:?} for {weights:?}");
}

#[test]
fn writes_of_the_walk_begin_at_every_eighth_leaf_and_some_are_repeated() {
    for style in [WalkStyle::Classic, WalkStyle::Fixed, WalkStyle::V2] {
        let mut random = RandomStream::new(3, "walk");
        let mut leaves = LeafReadProgress::new(style, 1_000 * 32 * KIB);
        let mut walker = Walker::new(&leaves, &mut random);
        let blocks: Vec<u64> =
            (0..100_000).map(|_| walker.next_block(&mut leaves, true, &mut random)).collect();
        // Trees of a stream's own begin at any leaf, so only the distances are multiples.
        assert!(blocks.iter().all(|block| block / 8 % 8 == blocks[0] / 8 % 8), "{style}");
        let repeated =
            blocks.windows(2).filter(|pair| pair[0] == pair[1]).count() as f64 / blocks.len() as f64;
        // By chance the next write goes to the same one of 2^(h - 3) leaves, and there to the same block if both writes follow the reads or
        // by one in eight.
        let (lowest, highest) = if style == WalkStyle::Classic { (7, 9) } else { (6, 9) };
        let leaf: f64 = (lowest..=highest)
            .map(|h| {
                let stays = if h == highest { 1.0 } else { 0.56 };
                stays * 0.44_f64.powi(h - lowest) / f64::from(1 << (h - 3))
            })
            .sum();
        let chance = leaf * (0.25 + 0.75 / 8.0);
        // 0.15 of the writes that are no repeats are repeated.
        let expected = (0.15 + 0.85 * chance) / 1.15;
        assert!((repeated - expected).abs() < 0.005, "{style}: {repeated} for {expected}");
    }
}

#[test]
fn reads_of_one_leaf_go_through_its_blocks_and_streams_share_how_far() {
    let mut random = RandomStream::new(3, "walk");
    // The region has only one leaf.
    let mut leaves = LeafReadProgress::new(WalkStyle::Classic, 32 * KIB);
    let mut walkers = [Walker::new(&leaves, &mut random), Walker::new(&leaves, &mut random)];
    let blocks: Vec<u64> =
        (0..16).map(|n| walkers[n % 2].next_block(&mut leaves, false, &mut random)).collect();
    assert!(blocks.iter().copied().eq((0..16).map(|n| n % 8)));
}

#[test]
fn all_keys_of_patterns_can_be_left_at_their_examples() {
    let context = Facts::default();
    for unreadable in [
        uniform::UniformParameters::unreadable_defaults,
        sequential::SequentialParameters::unreadable_defaults,
        runs::RunsParameters::unreadable_defaults,
        strided::StridedParameters::unreadable_defaults,
        zones::ZonesParameters::unreadable_defaults,
        hot_spot::HotSpotParameters::unreadable_defaults,
        zipf::ZipfParameters::unreadable_defaults,
        pareto::ParetoParameters::unreadable_defaults,
        normal::NormalParameters::unreadable_defaults,
        permutation::PermutationParameters::unreadable_defaults,
        files::FilesParameters::unreadable_defaults,
        walk::WalkParameters::unreadable_defaults,
    ] {
        assert_eq!(unreadable(&context), Vec::<&str>::new());
    }
}

#[test]
fn keys_that_contradict_each_other_are_told_with_what_to_do() {
    let runs = |from: u32, to: u32, length: u32| {
        checked::<runs::RunsParameters>(&format!(
            "from = \"{from} %\"\nto = \"{to} %\"\nlength = \"{length} %\""
        ))
    };
    assert!(runs(20, 20, 10).contains("there is no place to begin at"));
    assert!(runs(20, 95, 10).contains("runs would go beyond the end"));
    assert_eq!(runs(20, 90, 10), "");
    let zones = checked::<zones::ZonesParameters>;
    assert!(
        zones("accesses = [\"100 %\"]\nsizes = [\"50 %\", \"50 %\"]")
            .contains("not as many sizes as accesses")
    );
    let wrong = zones("accesses = [\"50 %\", \"40 %\"]\nsizes = [\"50 %\", \"60 %\"]");
    assert!(wrong.contains("all accesses are 90 %") && wrong.contains("all sizes are 110 %"), "{wrong}");
    let spot = checked::<hot_spot::HotSpotParameters>;
    assert!(spot("begin = \"90 %\"").contains("the hot spot goes beyond the end"));
    assert_eq!(spot("begin = \"80 %\""), "");
}

#[test]
fn the_first_places_never_change() {
    // The sum of a thousand offsets in KiB is the same on every machine, as stored results depend on it.
    let sums: Vec<u64> =
        all().iter().map(|pattern| first(pattern, 1 << 33, BLOCK, 1_000).iter().sum()).collect();
    assert_eq!(sums, FIRST_PLACES);
}

const FIRST_PLACES: [u64; 17] = [
    4_235_889_792,
    4_235_889_580,
    1_998_000,
    8_382_217_000,
    4_575_502_000,
    2_548_550_000,
    1_389_473_796,
    6_799_467_072,
    4_022_401_824,
    4_235_891_333,
    4_002_077_520,
    7_737_961_368,
    4_193_331_048,
    4_627_969_592,
    4_816_811_712,
    4_781_467_596,
    7_134_225_652,
];
