use super::mix::{MixParameters, SizeMix};
use super::named::{FILE_SERVER, PATTERNS, SMIX};
use super::range::RangeParameters;
use super::*;
use crate::testing::checked;
use sansim_kernel::goodness_of_fit::chi_square;
use sansim_schema::context::Facts;
use sansim_schema::table::Tabular;

const KIB: u64 = 1024;

/// The number of draws of each of some sizes.
fn counts(mut sizes: Sizes, of: &[u64], draws: usize) -> Vec<u64> {
    let mut random = RandomStream::new(4, "sizes");
    let mut counts = vec![0; of.len()];
    for _ in 0..draws {
        let size = sizes.draw(&mut random);
        counts[of.iter().position(|known| *known == size).unwrap_or_else(|| panic!("{size} B"))] += 1;
    }
    counts
}

#[test]
fn every_named_mix_is_drawn_as_its_percentages_say_and_not_as_others() {
    let mixes = PATTERNS.iter().map(|pattern| pattern.mix).chain([SMIX]);
    for mix in mixes {
        let (sizes, mut weights): (Vec<u64>, Vec<f64>) =
            mix.parts.iter().map(|(size, percent)| (*size, f64::from(*percent))).unzip();
        assert_eq!(weights.iter().sum::<f64>(), 100.0, "{}", mix.name);
        let counts = counts(Sizes::Mix(SizeMix::from_weighted_sizes(mix.parts)), &sizes, 100_000);
        assert!(chi_square(&counts, &weights, 0.001).is_consistent(), "{}", mix.name);
        if weights.len() > 1 {
            weights[0] *= 1.1;
            assert!(!chi_square(&counts, &weights, 0.001).is_consistent(), "{}", mix.name);
        }
    }
    assert_eq!((SMIX.mean() / 1024.0, FILE_SERVER.mix.mean() / 1024.0), (14.4, 11.08));
}

#[test]
fn a_range_draws_every_multiple_of_its_step_alike() {
    let range = RangeParameters { least: 4 * KIB, most: 17 * KIB, step: 4 * KIB };
    assert_eq!((range.mean(), range.largest()), (10.0 * 1024.0, 16 * KIB));
    let counts = counts(SizeRule::Range(range).generator(), &[4 * KIB, 8 * KIB, 12 * KIB, 16 * KIB], 20_000);
    assert!(chi_square(&counts, &[1.0; 4], 0.001).is_consistent());
    let read = RangeParameters::from_toml("least = \"512 B\"\nmost = \"1 KiB\"", &Facts::default());
    assert_eq!(read.map(|range| range.step).ok(), Some(512));
}

#[test]
fn a_mix_without_weights_that_choose_is_still_a_mix() {
    let mix = MixParameters { sizes: vec![KIB, 2 * KIB], weights: vec![0.0, 0.0] };
    let counts = counts(SizeRule::Mix(mix).generator(), &[KIB, 2 * KIB], 1_000);
    assert!(counts.iter().all(|count| *count > 400));
}

#[test]
fn all_keys_of_sizes_can_be_left_at_their_examples() {
    let context = Facts::default();
    let unreadable = [
        fixed::FixedSizeParameters::unreadable_defaults,
        MixParameters::unreadable_defaults,
        RangeParameters::unreadable_defaults,
    ];
    assert!(unreadable.iter().all(|unreadable| unreadable(&context).is_empty()));
}

#[test]
fn keys_that_contradict_each_other_are_told_with_what_to_do() {
    let mix = checked::<MixParameters>;
    assert!(mix("sizes = [\"1 KiB\"]\nweights = [1, 2]").contains("not as many weights as sizes"));
    assert!(mix("sizes = [\"1 KiB\"]\nweights = [0]").contains("all weights are zero"));
    assert_eq!(mix("sizes = [\"1 KiB\"]\nweights = [1]"), "");
    let range = checked::<RangeParameters>;
    assert!(range("least = \"2 KiB\"\nmost = \"1 KiB\"").contains("swap the two"));
}
