"""Intervals over replications: Student's t to the table, known small cases, and coverage where the truth is known."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from sansim.study.measure.statistics import (
    LEAST_REPLICATIONS,
    Estimate,
    over_replications,
    paired_difference,
    replications_needed,
    student_t_quantile,
    unpaired_difference,
    within,
)

Floats = npt.NDArray[np.float64]


@pytest.mark.parametrize(
    ("probability", "degrees", "expected"),
    [
        # Abramowitz and Stegun, table 26.10.
        (0.975, 1, 12.706),
        (0.975, 2, 4.303),
        (0.975, 3, 3.182),
        (0.975, 4, 2.776),
        (0.975, 5, 2.571),
        (0.975, 9, 2.262),
        (0.975, 19, 2.093),
        (0.975, 30, 2.042),
        (0.975, 120, 1.980),
        (0.975, math.inf, 1.960),
        (0.95, 1, 6.314),
        (0.95, 7, 1.895),
        (0.995, 1, 63.657),
        (0.995, 4, 4.604),
    ],
)
def test_student_t_is_that_of_the_table(probability: float, degrees: float, expected: float) -> None:
    assert student_t_quantile(probability, degrees) == pytest.approx(expected, abs=1.01e-3)
    assert student_t_quantile(1.0 - probability, degrees) == pytest.approx(-expected, abs=1.01e-3)


@pytest.mark.parametrize("probability", [1e-9, 0.001, 0.025, 0.3, 0.6, 0.9, 0.975, 0.9999])
def test_student_t_is_exact_where_there_is_a_formula(probability: float) -> None:
    t = student_t_quantile(probability, 1)
    assert t == pytest.approx(math.tan(math.pi * (probability - 0.5)), rel=1e-6)
    p = 2.0 * probability - 1.0
    assert student_t_quantile(probability, 2) == pytest.approx(p * math.sqrt(2.0 / (1.0 - p * p)), rel=1e-6)


def test_student_t_of_any_degrees_falls_without_a_step() -> None:
    degrees = [0.5, 1.0, 1.3, 2.0, 7.7, 100.0, 999_999.0, 1_000_001.0, 1e9, math.inf]
    quantiles = [student_t_quantile(0.975, d) for d in degrees]
    assert quantiles == sorted(quantiles, reverse=True)
    assert quantiles[6] == pytest.approx(quantiles[7], rel=1e-10)
    assert student_t_quantile(0.5, 3) == 0.0


@pytest.mark.parametrize(("probability", "degrees"), [(0.0, 3), (1.0, 3), (0.9, 0.0), (math.nan, 3), (0.9, math.nan)])
def test_student_t_of_nonsense_is_an_error(probability: float, degrees: float) -> None:
    with pytest.raises(ValueError, match="no quantile"):
        student_t_quantile(probability, degrees)


def test_mean_of_a_small_sample_by_hand() -> None:
    estimate = over_replications([1.0, 2.0, 3.0])
    assert estimate.mean == 2.0
    assert estimate.half_width_95 == pytest.approx(4.302653 / math.sqrt(3), rel=1e-6)
    assert (estimate.n, estimate.method) == (3, "3 independent replications, Student t, 95 %")
    assert "of p99" in over_replications([1.0, 2.0], "p99").method


def test_one_replication_has_no_interval_and_equal_ones_have_none_to_speak_of() -> None:
    assert over_replications([5.0]).half_width_95 is None
    assert "no interval" in over_replications([5.0]).method
    equal = over_replications([0.1, 0.1, 0.1])
    assert (equal.mean, equal.half_width_95, equal.relative) == (0.1, 0.0, 0.0)


@pytest.mark.parametrize("values", [[], [1.0, math.nan], [math.inf]])
def test_what_is_no_sample_is_an_error(values: list[float]) -> None:
    with pytest.raises(ValueError, match="replication"):
        over_replications(values)


def test_pairs_take_out_what_both_designs_share() -> None:
    shared = [1.0, 9.0, 4.0, 7.0]
    a = [x + 0.5 for x in shared]
    paired = paired_difference(a, shared)
    assert (paired.mean, paired.half_width_95, paired.n) == (0.5, 0.0, 4)
    assert paired.excludes_zero
    assert "common random numbers" in paired.method
    unpaired = unpaired_difference(a, shared)
    assert unpaired.mean == 0.5
    assert not unpaired.excludes_zero
    assert "Welch" in unpaired.method


@pytest.mark.parametrize(
    ("mean", "half_width", "expected"),
    [(2.0, 1.9, True), (-2.0, 1.9, True), (2.0, 2.0, False), (2.0, 2.1, False), (-2.0, 2.1, False), (2.0, None, False)],
)
def test_an_interval_excludes_zero_where_it_does_not_touch_it(
    mean: float, half_width: float | None, *, expected: bool
) -> None:
    assert Estimate(mean, half_width, 10, "").excludes_zero is expected


def test_pairs_must_be_pairs() -> None:
    with pytest.raises(ValueError, match="equally many"):
        paired_difference([1.0, 2.0], [1.0])
    assert paired_difference([3.0], [1.0]).half_width_95 is None
    assert unpaired_difference([3.0], [1.0, 2.0]).half_width_95 is None


def test_welch_by_hand() -> None:
    # Variances 1 and 4 of 3 and 5 values: s^2 = 1/3 + 4/5, degrees = s^4 / ((1/3)^2 / 2 + (4/5)^2 / 4).
    a, b = [1.0, 2.0, 3.0], [0.0, 2.0, 2.0, 2.0, 2.0]
    b = [x * math.sqrt(5.0) for x in b]
    variance = 1.0 / 3.0 + 4.0 / 5.0
    degrees = variance**2 / ((1.0 / 3.0) ** 2 / 2.0 + (4.0 / 5.0) ** 2 / 4.0)
    expected = student_t_quantile(0.975, degrees) * math.sqrt(variance)
    assert unpaired_difference(a, b).half_width_95 == pytest.approx(expected, rel=1e-12)
    assert unpaired_difference([2.0, 2.0], [1.0, 1.0]).half_width_95 == 0.0


def test_within_allows_for_the_mean_being_an_estimate_too() -> None:
    assert within(Estimate(100.0, 9.0, 10, ""), 0.1)
    assert not within(Estimate(100.0, 9.5, 10, ""), 0.1)
    assert not within(Estimate(100.0, None, 1, ""), 0.1)
    assert not within(Estimate(0.0, 1.0, 10, ""), 0.1)
    assert within(Estimate(0.0, 0.0, 10, ""), 0.1)
    with pytest.raises(ValueError, match="precision"):
        within(Estimate(1.0, 0.1, 10, ""), 0.0)


def test_replications_needed_is_the_first_number_that_is_enough() -> None:
    values = [10.0 + (-1) ** i for i in range(20)]
    needed = replications_needed(values, 0.04)
    deviation = math.sqrt(20.0 / 19.0)

    def half_width(n: int) -> float:
        return student_t_quantile(0.975, n - 1) * deviation / math.sqrt(n)

    allowed = 10.0 * 0.04 / 1.04
    assert half_width(needed) <= allowed < half_width(needed - 1)
    assert needed == 30


def test_replications_needed_keeps_to_its_bounds() -> None:
    assert replications_needed([1.0, 2.0], 0.1) == LEAST_REPLICATIONS
    assert replications_needed([1.0, 2.0], 0.1, most=4) == 4
    wild = [float(i % 5) for i in range(12)]
    assert replications_needed(wild, 1e-6) == 24
    assert replications_needed(wild, 1e-6, most=15) == 15
    assert replications_needed(wild, 1e-6, most=5) == 12
    assert replications_needed([7.0] * 12, 1e-6) == 12


# --- Coverage on M/M/1, whose mean sojourn time is 1 / (service rate - arrival rate). --------------------------------


def mm1_means(rng: np.random.Generator, runs: int, customers: int, arrival: float, services: Floats) -> Floats:
    """Mean sojourn time of the first customers of many M/M/1 queues that start in their steady state.

    `services` are the service rates of designs that meet the same random numbers; the answer has a row for each.
    By Lindley's recursion. In the steady state a customer waits not at all with probability 1 - load, otherwise an
    exponential time with mean 1 / (service - arrival).
    """
    rates = services[:, None]
    idle = rng.random(runs)
    waiting = rng.exponential(size=runs) / (rates - arrival) * (idle < arrival / rates)
    total = np.zeros_like(waiting)
    for _ in range(customers):
        sojourn = waiting + rng.exponential(size=runs) / rates
        total += sojourn
        waiting = np.maximum(0.0, sojourn - rng.exponential(size=runs) / arrival)
    return np.asarray(total / customers)


EXPERIMENTS = 2000
REPLICATIONS = 10


@pytest.fixture(scope="module")
def mm1() -> Floats:
    """Two designs (service rates 1 and 1.1 at arrival rate 0.6), experiments, replications."""
    services = np.array([1.0, 1.1])
    means = mm1_means(np.random.default_rng(1), EXPERIMENTS * REPLICATIONS, 1500, 0.6, services)
    return means.reshape(2, EXPERIMENTS, REPLICATIONS)


def covered(estimate: Estimate, truth: float) -> bool:
    assert estimate.half_width_95 is not None
    return abs(estimate.mean - truth) <= estimate.half_width_95


def test_interval_over_replications_covers_as_promised(mm1: Floats) -> None:
    hits = [covered(over_replications(row.tolist()), 2.5) for row in mm1[0]]
    assert 0.93 <= np.mean(hits) <= 0.97


def test_paired_difference_covers_as_promised_and_is_narrower(mm1: Floats) -> None:
    paired = [paired_difference(a.tolist(), b.tolist()) for a, b in zip(mm1[0], mm1[1], strict=True)]
    hits = [covered(estimate, 2.5 - 2.0) for estimate in paired]
    assert 0.93 <= np.mean(hits) <= 0.97
    widths = [estimate.half_width_95 or 0.0 for estimate in paired]
    unpaired = [unpaired_difference(a.tolist(), b.tolist()) for a, b in zip(mm1[0], mm1[1], strict=True)]
    assert np.mean(widths) < 0.5 * np.mean([estimate.half_width_95 or 0.0 for estimate in unpaired])


def test_unpaired_difference_of_independent_runs_covers_as_promised(mm1: Floats) -> None:
    # The second design of the next experiment: other random numbers.
    others = np.roll(mm1[1], 1, axis=0)
    hits = [covered(unpaired_difference(a.tolist(), b.tolist()), 0.5) for a, b in zip(mm1[0], others, strict=True)]
    assert 0.93 <= np.mean(hits) <= 0.97


def test_precision_rule_keeps_its_promise(mm1: Floats) -> None:
    fraction, errors, made = 0.03, [], []
    pool = mm1[0].reshape(100, -1)
    for row in pool:
        n = LEAST_REPLICATIONS
        while n < len(row):
            needed = replications_needed(row[:n].tolist(), fraction, most=len(row))
            if needed <= n:
                break
            n = needed
        estimate = over_replications(row[:n].tolist())
        assert within(estimate, fraction)
        errors.append(abs(estimate.mean / 2.5 - 1.0))
        made.append(n)
    # 95 % in the mean of many studies; 100 of them scatter by 2 %.
    assert np.mean(np.array(errors) <= fraction) >= 0.90
    assert LEAST_REPLICATIONS < np.mean(made) < 60
