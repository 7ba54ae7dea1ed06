use super::*;
use crate::random::RandomStream;
use crate::time::Span;
use proptest::prelude::*;

#[test]
fn a_time_weighted_mean_weighs_by_time() {
    let mut queue = TimeWeighted::new();
    queue.set(Time(10), 2); // the queue is 0 for 10 ticks
    queue.increase(Time(20), 3); // the queue is 2 for 10 ticks
    queue.decrease(Time(25), 4); // the queue is 5 for 5 ticks
    assert_eq!(queue.mean(Time(50)), (2.0 * 10.0 + 5.0 * 5.0 + 1.0 * 25.0) / 50.0);
    assert_eq!(queue.total(Time(50)), Total(70));
    assert_eq!((queue.value(), queue.max()), (1, 5));
    queue.reset(Time(50));
    assert_eq!((queue.value(), queue.max()), (1, 1));
    assert_eq!(queue.mean(Time(50)), 1.0);
    queue.set(Time(60), 3);
    assert_eq!(queue.mean(Time(70)), 2.0);
}

proptest! {
    #[test]
    fn a_time_weighted_mean_does_not_depend_on_how_time_is_cut(
        changes in prop::collection::vec((0_u64..1 << 40, 0_u64..100, any::<bool>()), 1..50),
    ) {
        let (mut cut, mut whole) = (TimeWeighted::new(), TimeWeighted::new());
        let mut now = Time::ZERO;
        for (ticks, value, again) in changes {
            if again {
                cut.set(now + Span(ticks / 2), cut.value());
            }
            now += Span(ticks);
            cut.set(now, value);
            whole.set(now, value);
        }
        prop_assert_eq!(cut, whole);
    }

    #[test]
    fn percentiles_are_within_a_twentieth_of_a_percent(
        mut values in prop::collection::vec((1_u32..=64, any::<u64>()).prop_map(|(bits, v)| v >> (64 - bits)), 1..300),
        percent in 0.0..=100.0,
    ) {
        let mut histogram = Histogram::new();
        values.iter().for_each(|value| histogram.record(*value));
        values.sort_unstable();
        for percent in [percent, 0.0, 50.0, 100.0] {
            let rank = ((percent / 100.0 * values.len() as f64).ceil() as usize).clamp(1, values.len());
            let exact = values[rank - 1];
            let error = histogram.percentile(percent).abs_diff(exact);
            prop_assert!(u128::from(error) * 2_048 <= u128::from(exact), "{percent} %: {exact} off by {error}");
        }
        prop_assert_eq!(histogram.percentile(0.0), values[0]);
        prop_assert_eq!(histogram.percentile(100.0), values[values.len() - 1]);
    }

    #[test]
    fn a_merged_histogram_equals_one_that_saw_everything(
        left in prop::collection::vec(any::<u64>(), 0..50),
        right in prop::collection::vec(0_u64..100_000, 0..50),
    ) {
        let fill = |values: &[u64]| {
            let mut histogram = Histogram::with_largest(u64::MAX);
            values.iter().for_each(|value| histogram.record(*value));
            histogram
        };
        let mut merged = fill(&left);
        merged.merge(&fill(&right));
        prop_assert_eq!(merged, fill(&[left, right].concat()));
    }
}

#[test]
fn small_values_are_exact_in_every_percentile() {
    let mut histogram = Histogram::new();
    (1..=1_000).for_each(|value| histogram.record(value));
    assert_eq!(histogram.percentile(50.0), 500);
    assert_eq!(histogram.percentile(99.0), 990);
    assert_eq!(histogram.percentile(99.9), 999);
    assert_eq!(histogram.percentile(100.0), 1_000);
    assert_eq!((histogram.min(), histogram.max(), histogram.len()), (1, 1_000, 1_000));
    assert_eq!(histogram.mean(), 500.5);
}

#[test]
fn every_value_has_a_bucket_that_holds_it() {
    let mut stream = RandomStream::new(1, "values");
    let edges = (0..64).flat_map(|bit| [(1_u64 << bit) - 1, 1 << bit, (1 << bit) + 1]);
    let random = (0..10_000).map(|i| stream.next_u64() >> (i % 64)).collect::<Vec<_>>();
    for value in edges.chain(random).chain([u64::MAX]) {
        let middle = middle_of(bucket_of(value));
        assert_eq!(bucket_of(middle), bucket_of(value), "{value}");
        assert!(middle.abs_diff(value) <= value / 2_048, "{value} in the bucket of {middle}");
        assert!(value == 0 || bucket_of(value - 1) <= bucket_of(value));
    }
    assert!(Histogram::with_largest(u64::MAX).buckets.len() * 8 <= 440 * 1_024);
}

#[test]
fn an_empty_histogram_answers_zero() {
    let mut histogram = Histogram::new();
    let answers = |h: &Histogram| (h.len(), h.min(), h.max(), h.mean(), h.percentile(50.0), h.is_empty());
    assert_eq!(answers(&histogram), (0, 0, 0, 0.0, 0, true));
    histogram.record(7);
    histogram.reset();
    assert_eq!(answers(&histogram), (0, 0, 0, 0.0, 0, true));
    histogram.record(9);
    assert_eq!((histogram.min(), histogram.percentile(0.0)), (9, 9));
}

#[test]
fn buckets_that_are_looked_at_together_are_told_apart() {
    let together = TOGETHER as u64;
    // The values are at the ends of groups of buckets that are checked together, with gaps longer than a group, and
    // beyond the buckets of single values.
    let values: Vec<u64> =
        [0, 1, together - 1, together, together + 1, 3 * together, 7 * together - 1, 1 << 20, 1 << 33]
            .iter()
            .flat_map(|&value| std::iter::repeat_n(value, 1 + value as usize % 3))
            .collect();
    for first in 0..values.len() {
        let values = &values[first..];
        let mut histogram = Histogram::new();
        values.iter().for_each(|&value| histogram.record(value));
        for rank in 1..=values.len() as u64 {
            let bucket = bucket_of(values[rank as usize - 1]);
            let below = values.iter().filter(|&&value| bucket_of(value) < bucket).count() as u64;
            let at = values.iter().filter(|&&value| bucket_of(value) == bucket).count() as u64;
            assert_eq!(histogram.bucket_at(rank), (bucket, below, at));
        }
        let (mut total, mut counts) = (Histogram::new(), Vec::new());
        histogram.drain_into(&mut total, &mut counts);
        let mut buckets: Vec<usize> = values.iter().map(|&value| bucket_of(value)).collect();
        buckets.dedup();
        assert_eq!(counts.iter().map(|&(bucket, _)| bucket as usize).collect::<Vec<_>>(), buckets);
        assert_eq!(counts.iter().map(|&(_, count)| u64::from(count)).sum::<u64>(), total.len());
        assert!(histogram.is_empty() && histogram.buckets.iter().all(|&count| count == 0));
        assert_eq!(total.bucket_at(total.len()).0, bucket_of(1 << 33));
    }
}
