use super::*;

#[test]
fn the_generator_is_xoshiro256_plus_plus() {
    // The values are the published reference values from the state 1, 2, 3, 4.
    let mut stream = RandomStream { state: [1, 2, 3, 4] };
    let values = [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386];
    assert_eq!([0; 4].map(|_| stream.next_u64()), values);
}

#[test]
fn the_first_values_of_a_stream_never_change() {
    let mut stream = RandomStream::new(1, "drives.3.access");
    let values: Vec<u64> = (0..4).map(|_| stream.next_u64()).collect();
    assert_eq!(values, GOLDEN_WORDS);
    let values =
        [stream.unit_f64(), stream.exponential(2.0), stream.normal(5.0, 2.0), stream.uniform(3.0, 4.0)];
    assert_eq!(values.map(f64::to_bits), GOLDEN_FLOATS.map(f64::to_bits));
    assert_eq!(
        [stream.draw_below(6), stream.draw_below(1_000_000), stream.draw_below(u64::MAX)],
        GOLDEN_INTEGERS
    );
}

#[test]
fn equal_seed_and_path_give_equal_streams_and_any_difference_gives_another() {
    let first = |seed, path: &str| RandomStream::new(seed, path).next_u64();
    assert_eq!(first(7, "a.b"), first(7, "a.b"));
    let mut firsts: Vec<u64> =
        ["", "a", "b", "a.b", "b.a", "a.", ".a"].iter().map(|path| first(7, path)).collect();
    firsts.extend((0..1_000).map(|seed| first(seed, "x")));
    firsts.extend((0..1_000).map(|i| first(7, &format!("drives.{i}.access"))));
    let count = firsts.len();
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!(firsts.len(), count);
}

#[test]
fn streams_of_neighbouring_paths_and_seeds_are_uncorrelated() {
    const N: usize = 20_000;
    let values = |seed, path: &str| {
        let mut stream = RandomStream::new(seed, path);
        (0..N).map(|_| stream.unit_f64() - 0.5).collect::<Vec<_>>()
    };
    let one = values(1, "drives.1");
    for other in [values(1, "drives.2"), values(2, "drives.1"), values(0, ""), one[1..].to_vec()] {
        let sum: f64 = one.iter().zip(&other).map(|(a, b)| a * b).sum();
        // Each product has a standard deviation of 1/12.
        let deviations = sum * 12.0 / (N as f64).sqrt();
        assert!(deviations.abs() < 4.0, "{deviations} standard deviations");
    }
}

#[test]
fn below_hits_every_number_equally_often() {
    let mut stream = RandomStream::new(3, "dice");
    let mut counts = [0_u32; 6];
    (0..60_000).for_each(|_| counts[stream.draw_below(6) as usize] += 1);
    let chi_square: f64 = counts.iter().map(|count| (f64::from(*count) - 10_000.0).powi(2) / 10_000.0).sum();
    // The limit is the 99.9 % point of chi square with 5 degrees of freedom.
    assert!(chi_square < 20.5, "{chi_square}");
    assert!((0..1_000).all(|_| stream.draw_below(1) == 0));
    assert!((0..1_000).all(|_| stream.draw_below(u64::MAX) < u64::MAX));
}

#[test]
fn the_unit_interval_is_filled_evenly_and_never_reaches_one() {
    let mut stream = RandomStream::new(3, "unit");
    let mut counts = [0_u32; 100];
    for _ in 0..100_000 {
        let value = stream.unit_f64();
        assert!((0.0..1.0).contains(&value));
        counts[(value * 100.0) as usize] += 1;
    }
    let chi_square: f64 = counts.iter().map(|count| (f64::from(*count) - 1_000.0).powi(2) / 1_000.0).sum();
    // The limit is the 99.9 % point of chi square with 99 degrees of freedom.
    assert!(chi_square < 148.2, "{chi_square}");
}

#[test]
fn distributions_have_their_mean_and_deviation() {
    const N: usize = 200_000;
    let moments = |mut draw: Box<dyn FnMut() -> f64>| {
        let values: Vec<f64> = (0..N).map(|_| draw()).collect();
        let mean = values.iter().sum::<f64>() / N as f64;
        (mean, (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / N as f64).sqrt())
    };
    let stream = |path: &str| RandomStream::new(11, path);
    let near =
        |value: f64, expected: f64| assert!((value / expected - 1.0).abs() < 0.01, "{value} for {expected}");

    let mut s = stream("exponential");
    let (mean, deviation) = moments(Box::new(move || s.exponential(2.0)));
    near(mean, 2.0);
    near(deviation, 2.0);
    let mut s = stream("normal");
    let (mean, deviation) = moments(Box::new(move || s.normal(10.0, 3.0)));
    near(mean, 10.0);
    near(deviation, 3.0);
    let mut s = stream("uniform");
    let (mean, deviation) = moments(Box::new(move || s.uniform(2.0, 8.0)));
    near(mean, 5.0);
    near(deviation, 6.0 / 12.0_f64.sqrt());
    let mut s = stream("chance");
    let (mean, _) = moments(Box::new(move || f64::from(u8::from(s.chance(0.3)))));
    near(mean, 0.3);
}

#[test]
fn certain_and_impossible_chances_are_just_that() {
    let mut stream = RandomStream::new(0, "chance");
    assert!((0..1_000).all(|_| stream.chance(1.0)));
    assert!((0..1_000).all(|_| !stream.chance(0.0)));
}

const GOLDEN_WORDS: [u64; 4] = [
    14_636_049_805_904_321_153,
    13_780_060_543_021_551_265,
    1_315_982_950_953_174_963,
    3_185_556_345_858_358_606,
];
const GOLDEN_FLOATS: [f64; 4] =
    [0.843_232_317_739_642_5, 5.673_636_840_093_173, 6.520_121_100_021_377_5, 3.655_829_819_238_487];
const GOLDEN_INTEGERS: [u64; 3] = [4, 270_541, 14_886_788_763_163_897_788];
