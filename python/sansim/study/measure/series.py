"""Metrics along an axis: slopes, knees, peaks, ratios."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sansim.study import units
from sansim.study.model import Along, Axis, AxisValue, Metric

COMPARISONS = frozenset({"ratio", "difference", "gain"})
"""Results of comparing two values, the first against the second."""

PLACES = frozenset({"peak", "knee", "elbow", "begins", "ends"})
"""Results that are a value of the axis."""

ON_THE_CHORD = 1e-9
"""Closer to the chord, as a share of the whole curve, is rounding."""

Line = Sequence[tuple[AxisValue, float]]
"""Values of an axis with the metric there, in the order of the axis."""


def natural_unit(rule: Along, axis: Axis, inner: Metric) -> str:
    """The unit of what `take` gives."""
    base = units.base_unit(units.dimension_of(axis.unit) or "")
    match rule.take:
        case place if place in PLACES:
            return base
        case "gain" | "spread":
            return "%"
        case "ratio":
            return ""
        case "slope" if base and not rule.stepped:
            return f"{inner.unit or '1'}/{base}"
    return inner.unit


class NotTakenError(ArithmeticError):
    """A derived value that cannot be computed; the text says why."""


def take(rule: Along, line: Line) -> float | None:
    """The derived value of one line; None if there is none, as where no value is above a threshold.

    Args:
        rule: What is to be taken.
        line: The metric along the axis; with `between` the two values that are compared.

    Raises:
        NotTakenError: It cannot be computed, as a ratio to zero.
    """
    try:
        found = taken(rule, line) if line else None
    except OverflowError:
        found = math.inf
    if found is not None and not math.isfinite(found):
        raise NotTakenError(f"the {rule.take} of `{rule.of}` is too large a number")
    return found


def taken(rule: Along, line: Line) -> float | None:
    """As `take`, but it may be infinite."""
    values = [value for _, value in line]
    match rule.take:
        case "slope":
            fitted = straight(line)
            return None if fitted is None else fitted[0] * rule.per
        case "intercept":
            fitted = straight(line)
            return None if fitted is None else fitted[1]
        case "maximum":
            return max(values)
        case "minimum":
            return min(values)
        case "mean":
            return math.fsum(values) / len(values)
        case "first":
            return values[0]
        case "last":
            return values[-1]
        case "span":
            return max(values) - min(values)
        case "spread":
            if min(values) <= 0:
                raise NotTakenError(f"there is no spread of `{rule.of}` where it is {min(values):g}, not above 0")
            return 100 * (max(values) / min(values) - 1)
        case "ratio" | "difference" | "gain":
            return compared(rule, values)
    index = elbow(line) if rule.take == "elbow" else place(rule, values)
    return None if index is None else line[index][0].number


def compared(rule: Along, values: Sequence[float]) -> float | None:
    """The first of two values against the second."""
    if len(values) != 2:
        return None
    how = rule.take
    if how == "difference":
        return values[0] - values[1]
    if values[1] == 0:
        raise NotTakenError(f"there is no {how} of `{rule.of}` to 0")
    ratio = values[0] / values[1]
    return ratio if how == "ratio" else 100 * (ratio - 1)


def place(rule: Along, values: Sequence[float]) -> int | None:
    """The number of the axis value that is asked for."""
    match rule.take:
        case "peak":
            return values.index(max(values))
        case "knee":
            return next((index for index, value in enumerate(values) if value >= rule.reach * max(values)), None)
        case "begins":
            flags = [inside(rule, value) for value in values]
            return next((index for index in range(len(flags)) if all(flags[index:])), None)
        case "ends":
            flags = [inside(rule, value) for value in values]
            return next((index for index, flag in enumerate(flags) if not flag), len(flags)) - 1 if flags[0] else None
    raise ValueError(rule.take)


def elbow(line: Line) -> int | None:
    """The number of the value farthest from the chord, the straight line between the ends of the curve.

    Both axes are scaled to 0 to 1 first, as by Satopaa, Albrecht, Irwin, Raghavan, "Finding a Kneedle in a Haystack:
    Detecting Knee Points in System Behavior", ICDCSW 2011; without their smoothing and threshold, which find several
    knees in noisy data. The scaled distance from the chord is then that along either axis, but for a factor. None if
    there are fewer than three places, the ends are level, or all lie on the chord.
    """
    points = [(value.number, number) for value, number in line]
    xs = [x for x, _ in points if x is not None]
    if len(xs) < max(len(points), 3):
        return None
    (low, high), (first, last) = (xs[0], xs[-1]), (points[0][1], points[-1][1])
    if low == high or first == last:
        return None
    far = [abs((x - low) / (high - low) - (y - first) / (last - first)) for x, (_, y) in zip(xs, points, strict=True)]
    return far.index(max(far)) if max(far) > ON_THE_CHORD else None


def inside(rule: Along, value: float) -> bool:
    """Whether a value is on the side of the threshold that is asked for."""
    if rule.above is not None:
        return value > rule.above
    return rule.below is not None and value < rule.below


def straight(line: Line) -> tuple[float, float] | None:
    """Slope and intercept of the least-squares line; None if the axis has no two different numbers."""
    points = [(value.number, number) for value, number in line]
    xs = [x for x, _ in points if x is not None]
    if len(xs) < len(points) or len(set(xs)) < 2:
        return None
    mean_x, mean_y = math.fsum(xs) / len(xs), math.fsum(y for _, y in points) / len(points)
    square = math.fsum((x - mean_x) ** 2 for x in xs)
    slope = math.fsum((x - mean_x) * (y - mean_y) for x, (_, y) in zip(xs, points, strict=True)) / square
    return slope, mean_y - slope * mean_x
