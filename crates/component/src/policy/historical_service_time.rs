//! The policy that chooses the path on which a request would be done first, by the service times of the requests before.
//!
//! The rules are those of the path selector with this name in Linux (`drivers/md/dm-ps-historical-service-time.c`, version 0.1.1, with its
//! defaults):
//!
//! * The service time of a request is counted from when it was sent, or from when the path last answered if that was later.
//! * The history of a path is a moving average of its service times, in which a new time has the more weight the longer it took.
//! * The estimate for a path is its history times one more than its unanswered requests.
//! * A path is stale if it has not answered for as long as its history times the number of paths. An idle path that is stale is tried; of
//!   several idle paths the one that became stale first is. A stale path with the better estimate gets a request only if it does not have
//!   more unanswered requests than the other.
//!
//! Numbers are fixed-point with ten bits of fraction, as there.

use super::rotation::TurnRotation;
use super::{ChoiceAnswer, ChoiceCandidate, ChoiceContext, ChoicePolicy};
use sansim_kernel::Time;
use sansim_request::Request;

const FRACTION_BITS: u32 = 10;
const ONE: u64 = 1 << FRACTION_BITS;
/// The weight of the history for a service time in the first bucket: 0.95.
const BASE_WEIGHT: u64 = 972;
/// Service times are put into buckets of 2^24 ns; from the last bucket on the history has no weight.
const BUCKET_BITS: u32 = 24;
const BUCKETS: u64 = 64;

/// The history of a path; times are in nanoseconds.
#[derive(Clone, Copy, Debug)]
struct PathHistory {
    /// The moving average of service times, with a fraction.
    service_time: u64,
    last_answer_ns: u64,
    stale_after_ns: u64,
}

impl PathHistory {
    const NEW: Self = Self { service_time: ONE, last_answer_ns: 0, stale_after_ns: 0 };
}

/// The policy that chooses by the service times of the requests before.
#[derive(Clone, Debug, Default)]
pub struct HistoricalServiceTime {
    rotation: TurnRotation,
    /// The history of each path by its number.
    histories: Vec<PathHistory>,
}

fn ns(time: Time) -> u64 {
    time.0 / sansim_kernel::TICKS_PER_NS
}

/// A weight to a power, rounded after each multiplication.
fn power(weight: u64, exponent: u64) -> u64 {
    let product = |one: u64, other: u64| (one * other + ONE / 2) >> FRACTION_BITS;
    let (mut result, mut square, mut rest) = (ONE, weight, exponent);
    while rest > 0 {
        if rest & 1 == 1 {
            result = product(result, square);
        }
        rest >>= 1;
        if rest > 0 {
            square = product(square, square);
        }
    }
    result
}

/// The weight of the history beside a service time.
fn history_weight(service_ns: u64) -> u64 {
    let bucket = (service_ns >> BUCKET_BITS).min(BUCKETS - 1);
    if bucket == BUCKETS - 1 { 0 } else { power(BASE_WEIGHT, bucket + 1) }
}

impl ChoicePolicy for HistoricalServiceTime {
    fn choose(&mut self, context: &ChoiceContext, _: &Request, candidates: &[ChoiceCandidate]) -> usize {
        let most = candidates.iter().map(|candidate| usize::from(candidate.number) + 1).max().unwrap_or(0);
        if self.histories.len() < most {
            self.histories.resize(most, PathHistory::NEW);
        }
        let (now_ns, histories) = (ns(context.now), &self.histories);
        let of = |candidate: &ChoiceCandidate| {
            (histories[usize::from(candidate.number)], u64::from(candidate.by_way))
        };
        self.rotation.choose_candidate(candidates, |one, other| is_better(of(one), of(other), now_ns))
    }

    fn answered(&mut self, answer: &ChoiceAnswer) {
        let Some(history) = self.histories.get_mut(usize::from(answer.number)) else { return };
        let now_ns = ns(answer.now);
        let service_ns = now_ns.saturating_sub(ns(answer.sent).max(history.last_answer_ns));
        let weight = history_weight(service_ns);
        let most = u64::MAX >> FRACTION_BITS;
        let sum = u128::from(history.service_time) * u128::from(weight)
            + u128::from(service_ns.saturating_mul(ONE).min(most)) * u128::from(ONE - weight)
            + u128::from(ONE / 2);
        history.service_time = u64::try_from(sum >> FRACTION_BITS).unwrap_or(most);
        history.last_answer_ns = now_ns;
        history.stale_after_ns = now_ns
            .saturating_add((history.service_time >> FRACTION_BITS).saturating_mul(answer.usable.into()));
    }
}

/// Whether the first of two paths, each with its unanswered requests, is better.
fn is_better(one: (PathHistory, u64), other: (PathHistory, u64), now_ns: u64) -> bool {
    let [(first, first_out), (second, second_out)] = [one, other];
    if first.service_time == 0 && second.service_time == 0 {
        return first_out < second_out;
    }
    let is_stale = |of: PathHistory| of.stale_after_ns < now_ns;
    let is_tried = |of: PathHistory, out: u64| out == 0 && is_stale(of);
    let both_idle = first_out == 0 && second_out == 0;
    if is_tried(first, first_out) || is_tried(second, second_out) || both_idle {
        let first_weighs = if second_out == 0 { first.stale_after_ns } else { 0 };
        let second_weighs = if first_out == 0 { second.stale_after_ns } else { 0 };
        return first_weighs < second_weighs;
    }
    let estimate = |of: PathHistory, out: u64| u128::from(1 + out) * u128::from(of.service_time);
    let second_wins = estimate(first, first_out) > estimate(second, second_out);
    let winner = if second_wins { second } else { first };
    if is_stale(winner) { first_out < second_out } else { !second_wins }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::tests::a_read;
    use sansim_kernel::Span;

    fn at_us(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    fn candidates(outstanding: &[u32]) -> Vec<ChoiceCandidate> {
        let of = |(number, &outstanding)| ChoiceCandidate::independent_candidate(number, outstanding, 0);
        (0..).zip(outstanding).map(of).collect()
    }

    fn choose(policy: &mut HistoricalServiceTime, us: u64, outstanding: &[u32]) -> usize {
        policy.choose(&ChoiceContext::at(at_us(us)), &a_read(512), &candidates(outstanding))
    }

    #[test]
    fn weights_are_powers_of_095_and_the_last_is_zero() {
        assert_eq!((power(BASE_WEIGHT, 0), power(BASE_WEIGHT, 1)), (ONE, 972));
        for exponent in 1..64 {
            let exact = 0.949_218_75_f64.powi(exponent) * 1_024.0;
            assert!((power(BASE_WEIGHT, exponent as u64) as f64 - exact).abs() < 3.0, "{exponent}");
        }
        assert_eq!((history_weight(1 << 24), history_weight(1 << 30)), (power(972, 2), 0));
    }

    /// One path serves a request in 100 us, the other in 300 us: while both are fresh, a request is as long on the first with five others as on
    /// the second with one.
    #[test]
    fn requests_are_shared_by_the_service_times_before() {
        let mut policy = HistoricalServiceTime::default();
        choose(&mut policy, 1, &[0, 0]);
        for number in 0..400_u64 {
            let sent = 1_000 * number;
            for (path, us) in [(0, 200), (1, 0)] {
                let (now, sent) = (at_us(sent + 300), at_us(sent + us));
                policy.answered(&ChoiceAnswer { now, number: path, sent, usable: 2 });
            }
        }
        let history = |path: usize| policy.histories[path].service_time >> FRACTION_BITS;
        assert!(history(0).abs_diff(100_000) < 100 && history(1).abs_diff(300_000) < 100);
        let now = 399_301;
        assert_eq!([1, 4, 6].map(|out| choose(&mut policy.clone(), now, &[out, 1])), [0, 0, 1]);
    }

    #[test]
    fn a_service_time_begins_when_the_path_last_answered() {
        let mut policy = HistoricalServiceTime::default();
        choose(&mut policy, 1, &[0]);
        let mut answer = |now, sent| {
            policy.answered(&ChoiceAnswer { now: at_us(now), number: 0, sent: at_us(sent), usable: 1 });
            policy.histories[0].service_time
        };
        let first = answer(100, 0);
        let second = answer(101, 0);
        // The second request took 1 us behind the first, so the average falls.
        assert!(second < first);
    }

    #[test]
    fn an_idle_path_that_is_stale_is_tried_and_a_stale_winner_gets_no_more_than_the_other() {
        let mut policy = HistoricalServiceTime::default();
        choose(&mut policy, 1, &[0, 0]);
        for (path, us) in [(0, 10), (1, 5_000)] {
            (0..200_u64).for_each(|number| {
                policy.answered(&ChoiceAnswer {
                    now: at_us(10_000 * number + us),
                    number: path,
                    sent: at_us(10_000 * number),
                    usable: 2,
                });
            });
        }
        // The slow path was last heard of at 1,995 ms and is fresh for 10 ms, the fast one at 1,990.01 ms and is fresh for 20 us.
        assert_eq!(choose(&mut policy.clone(), 1_996_000, &[3, 1]), 1, "the fast one is stale");
        assert_eq!(choose(&mut policy.clone(), 1_996_000, &[1, 2]), 0);
        assert_eq!(choose(&mut policy.clone(), 1_996_000, &[0, 1]), 0);
        assert_eq!(choose(&mut policy.clone(), 2_100_000, &[1, 0]), 1, "idle and stale");
    }
}
