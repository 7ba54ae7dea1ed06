"""Statistics of replications: means and differences with intervals, and how many replications are enough.

Replications are runs of one scenario with different seeds. They are independent, so Student's t applies to their
results (Law, "Simulation Modeling and Analysis", 5th edition, section 9.4.1). Two designs that were run with the same
seeds have met the same random numbers; then the differences of the pairs are what to look at (sections 10.2.1 and
11.2), and their interval is narrower than that of two independent samples wherever both designs answer the same luck
in the same way.

Every estimate carries the text that belongs beside its number: which method, from how many replications.
Values are in the unit of the metric they belong to. Nothing here draws random numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

CONFIDENCE = 0.95
"""The share of experiments whose interval contains the true value."""

LEAST_REPLICATIONS = 10
"""Fewest replications from which the width of an interval may decide that there are enough (Law, section 9.4.1: at
least ten; with fewer, the estimated variance is too often small by chance, and the run stops too soon)."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its uncertainty.

    Attributes:
        mean: The estimate.
        half_width_95: Half the width of the 95 % confidence interval; None if it cannot be estimated.
        n: How many replications (pairs, for a paired difference) it rests on.
        method: How the interval was formed: the text beside the number.
    """

    mean: float
    half_width_95: float | None
    n: int
    method: str

    @property
    def relative(self) -> float | None:
        """Half width as a share of the mean's size; None without an interval, infinite if only the mean is 0."""
        if self.half_width_95 is None:
            return None
        if self.half_width_95 == 0.0:
            return 0.0
        return self.half_width_95 / abs(self.mean) if self.mean else math.inf

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval lies on one side of zero: of a difference, whether the two designs differ at all."""
        return self.half_width_95 is not None and abs(self.mean) > self.half_width_95


def over_replications(values: Sequence[float], statistic: str = "mean") -> Estimate:
    """The mean of a metric over replications, with its interval by Student's t.

    A percentile is treated like any other metric: each replication gives its own, and the interval is that of their
    mean (Law, section 9.4.2). It is not the percentile of all replications thrown together, from which it differs by
    the bias of a percentile taken from one run; that bias does not shrink with more replications but with longer
    ones.

    Args:
        values: The metric of each replication.
        statistic: What each value is, for the text of the method: "mean", "p99".

    Raises:
        ValueError: There are no values, or one of them is not finite.
    """
    mean, deviation = _mean_and_deviation(values)
    n = len(values)
    what = "" if statistic == "mean" else f" of {statistic}"
    if n < 2:
        return Estimate(mean, None, n, f"one replication{what}, no interval")
    half_width = student_t_quantile(0.5 + CONFIDENCE / 2, n - 1) * deviation / math.sqrt(n)
    return Estimate(mean, half_width, n, f"{n} independent replications{what}, Student t, 95 %")


def paired_difference(a: Sequence[float], b: Sequence[float]) -> Estimate:
    """How much larger a metric is with design `a` than with `b`, both run on common random numbers.

    Replication i of one design must have had the seed of replication i of the other.

    Raises:
        ValueError: The numbers of replications differ, there are none, or a value is not finite.
    """
    if len(a) != len(b):
        raise ValueError(f"pairs need equally many replications, not {len(a)} and {len(b)}")
    estimate = over_replications([x - y for x, y in zip(a, b, strict=True)])
    n = estimate.n
    if n < 2:
        return Estimate(estimate.mean, None, n, "difference of one pair, no interval")
    text = f"paired difference of {n} replications with common random numbers, Student t, 95 %"
    return Estimate(estimate.mean, estimate.half_width_95, n, text)


def unpaired_difference(a: Sequence[float], b: Sequence[float]) -> Estimate:
    """How much larger a metric is with design `a` than with `b`, run independently of each other.

    By Welch's t (Law, section 10.2.2). `n` of the estimate is the number of replications of both together.

    Raises:
        ValueError: One of them has no values, or a value is not finite.
    """
    mean_a, deviation_a = _mean_and_deviation(a)
    mean_b, deviation_b = _mean_and_deviation(b)
    n = len(a) + len(b)
    if len(a) < 2 or len(b) < 2:
        return Estimate(mean_a - mean_b, None, n, "difference of too few replications, no interval")
    share_a, share_b = deviation_a**2 / len(a), deviation_b**2 / len(b)
    variance = share_a + share_b
    half_width = 0.0
    if variance > 0.0:
        # Welch and Satterthwaite; shares of the sum, so that tiny variances do not underflow.
        degrees = 1.0 / ((share_a / variance) ** 2 / (len(a) - 1) + (share_b / variance) ** 2 / (len(b) - 1))
        half_width = student_t_quantile(0.5 + CONFIDENCE / 2, degrees) * math.sqrt(variance)
    text = f"difference of {len(a)} and {len(b)} independent replications, Welch's t, 95 %"
    return Estimate(mean_a - mean_b, half_width, n, text)


def within(estimate: Estimate, fraction: float) -> bool:
    """Whether the estimate is known to within `fraction` of the true value: "1 %" is 0.01.

    The half width may then be at most fraction / (1 + fraction) of the estimated mean: the error is promised relative
    to the true mean, and only the estimated one is known (Law, section 9.4.1).

    Raises:
        ValueError: The fraction is not above 0.
    """
    relative = estimate.relative
    return relative is not None and relative <= _allowed(fraction)


def replications_needed(values: Sequence[float], fraction: float, *, most: int = 1000) -> int:
    """How many replications, those in `values` included, the mean is likely to need to be within `fraction`.

    Law's sequential procedure (section 9.4.1): start with at least `LEAST_REPLICATIONS`, and as long as the answer is
    more than there are, make more and ask again. The answer is the smallest number at which the interval would be
    narrow enough if mean and variance stayed as they are estimated now, but at most twice what there are, since an
    early estimate of the variance may be far off, and at most `most`.

    Args:
        values: The metric of each replication so far.
        fraction: The precision asked for: 0.01 for "within 1 %".
        most: The most replications anyone is ready to make.

    Raises:
        ValueError: There are no values, one of them is not finite, or the fraction is not above 0.
    """
    mean, deviation = _mean_and_deviation(values)
    allowed = _allowed(fraction) * abs(mean)
    least = max(len(values), LEAST_REPLICATIONS)
    if len(values) < LEAST_REPLICATIONS:
        return min(least, most)

    def enough(n: int) -> bool:
        return student_t_quantile(0.5 + CONFIDENCE / 2, n - 1) * deviation / math.sqrt(n) <= allowed

    highest = max(min(2 * len(values), most), len(values))
    if not enough(highest):
        return highest
    lowest = least
    while lowest < highest:
        middle = (lowest + highest) // 2
        if enough(middle):
            highest = middle
        else:
            lowest = middle + 1
    return lowest


@lru_cache(maxsize=1024)
def student_t_quantile(probability: float, degrees: float) -> float:
    """The value that a variable with Student's t distribution stays below with the given probability.

    By inversion of the incomplete beta function; right to about 12 digits for any number of degrees of freedom, whole
    or not.

    Args:
        probability: Above 0 and below 1.
        degrees: Degrees of freedom, above 0; math.inf is the normal distribution.

    Raises:
        ValueError: An argument is out of range.
    """
    if not 0.0 < probability < 1.0 or not degrees > 0.0:
        raise ValueError(f"no quantile of Student's t at {probability} with {degrees} degrees of freedom")
    if probability == 0.5:
        return 0.0
    tail = min(probability, 1.0 - probability)
    sign = 1.0 if probability > 0.5 else -1.0
    if degrees > 1e6:
        # First term of the expansion in 1 / degrees; what is left out is below 1e-11.
        z = NormalDist().inv_cdf(1.0 - tail)
        return sign * (z + (z**3 + z) / (4.0 * degrees) if math.isfinite(degrees) else z)
    low, high = 0.0, 1.0
    while _t_tail(high, degrees) > tail:
        low, high = high, 2.0 * high
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if _t_tail(middle, degrees) > tail:
            low = middle
        else:
            high = middle
    return sign * 0.5 * (low + high)


def _t_tail(t: float, degrees: float) -> float:
    """The probability that Student's t is above `t`, which is not negative."""
    return 0.5 * _incomplete_beta(degrees / (degrees + t * t), t * t / (degrees + t * t), 0.5 * degrees, 0.5)


def _incomplete_beta(x: float, rest: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b), with `rest` = 1 - x given apart to keep its digits.

    By the continued fraction DLMF 8.17.22, which converges fast on one side of the mean; the other is its complement.
    """
    if x <= 0.0 or rest <= 0.0:
        return 0.0 if x <= 0.0 else 1.0
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - _incomplete_beta(rest, x, b, a)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest)) / a
    # Lentz's method, as modified by Thompson and Barnett (J. Comput. Phys. 64, 1986).
    tiny = 1e-300
    value, c, d = 1.0, 1.0, 0.0
    for step in range(10_000):
        m = step // 2
        if step == 0:
            factor = 1.0
        elif step % 2 == 0:
            factor = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            factor = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1.0 / (1.0 + factor * d or tiny)
        c = 1.0 + factor / c or tiny
        value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return front * (value - 1.0)


def _allowed(fraction: float) -> float:
    """The largest half width, as a share of the estimated mean, for an error within `fraction` of the true one."""
    if not fraction > 0.0:
        raise ValueError(f"a precision must be above 0, not {fraction}")
    return fraction / (1.0 + fraction)


def _mean_and_deviation(values: Sequence[float]) -> tuple[float, float]:
    """Mean and sample standard deviation (0 for a single value)."""
    if len(values) == 0:
        raise ValueError("no replications")
    if not all(math.isfinite(value) for value in values):
        raise ValueError("the metric of a replication is not a finite number")
    # Differences to the first value: large, nearly equal values keep their digits, and equal ones have no deviation.
    first = float(values[0])
    apart = [float(value) - first for value in values]
    mean = math.fsum(apart) / len(apart)
    squares = math.fsum((difference - mean) * (difference - mean) for difference in apart)
    return first + mean, math.sqrt(squares / (len(apart) - 1)) if len(apart) > 1 else 0.0
