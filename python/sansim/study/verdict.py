"""Published values and claims beside ours."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sansim.doubts import UNSTABLE
from sansim.study import units
from sansim.study.classes import PREDICTED, REMARK, SEEN, class_of, marks_of, seen_for
from sansim.study.measure.metrics import Cell, Measured, grows_where_unstable
from sansim.study.measure.series import straight
from sansim.study.measure.statistics import Estimate
from sansim.study.model import Axis, Bounds, Check, Expected, Metric, Places, Remark, Study, Trend, Value, Word

PASS, MISS, MISSING = "pass", "miss", "missing"
"""The verdicts on an expected row: within its tolerance, outside, or not run."""

JUDGED = (PASS, MISS, MISSING)
"""The verdicts of rows; remarks have words of their own."""


@dataclass(frozen=True)
class Verdict:
    """The verdict on a published value or claim."""

    target: str
    study: str
    source: str
    kind: str
    metric: str
    where: str
    """The place on the axes, in words."""
    published: float | str
    """A number in `unit`, or the claim in words."""
    ours: float | str | None
    unit: str
    error: float | str | None
    """Per cent of the published number, or in words."""
    verdict: str
    note: str = ""
    low: float | None = None
    high: float | None = None
    """Range that ours has to be in, where the row is about one value."""
    places: tuple[Places, ...] = ()
    """Where it was looked at, by the groups of the metric."""
    class_: str = PREDICTED
    """Its evidence, see `sansim.study.classes`."""
    tolerance: str = ""
    """How far ours may be from the published value, in words; what a trend lets pass."""
    marks: tuple[str, ...] = ()
    """`derived`, `corrected`."""
    means: str = ""
    """The meaning of a miss for a user."""


def judge(study: Study, measured: Mapping[str, Measured]) -> list[Verdict]:
    """The verdict on every expected row and remark of a study, in the order of the file."""
    rows = [judge_row(study, row, measured[row.metric]) for row in study.expected]
    return [*rows, *(of_remark(study, remark) for remark in study.remarks)]


def of_remark(study: Study, remark: Remark) -> Verdict:
    """A remark among the verdicts."""
    note = f"counts as {remark.same_as}" if remark.same_as else ""
    told = Verdict(remark.target, study.name, "", "remark", "", "", remark.text, None, "", None, remark.verdict, note)
    return replace(told, class_=REMARK)


def judge_row(study: Study, row: Expected, measured: Measured) -> Verdict:
    """The verdict on one row."""
    places = study.places(measured.groups, row.at)
    where = ", ".join(f"{name} = {' or '.join(labels)}" for name, labels in row.at.items())
    factor = units.factor_of(measured.metric.unit) / units.factor_of(row.unit)
    # Values that the row itself has need not be repeated.
    open_groups = [group for group in measured.groups if len(study.allowed(group, row.at)) > 1]
    outcomes = judge_places(study, row, measured, places, factor, open_groups)
    worst = worst_of(outcomes)
    class_ = class_of(study, row)
    notes = [
        f"seen for {', '.join(seen_for(study, row))}" if class_ == SEEN else "",
        f"given: {row.restates}" if row.restates else "",
        f"derived: {row.derived}" if row.derived else "",
        f"printed: {row.corrected}" if row.corrected else "",
        row.note,
        which(row, outcomes, worst),
    ]
    low, high = limits(row.check)
    return Verdict(
        row.target,
        study.name,
        row.source or study.source,
        row.kind,
        row.metric,
        where,
        claim(row),
        worst.ours,
        row.unit,
        worst.error,
        worst.verdict,
        "; ".join(note for note in notes if note),
        low,
        high,
        tuple(places),
        class_,
        allowed(row),
        tuple(marks_of(row)),
        row.means if worst.verdict == MISS else "",
    )


def allowed(row: Expected) -> str:
    """How far ours may be from what a row says, in words."""
    match row.check:
        case Value(value=value, tolerance=tolerance):
            return tolerance.in_words(value, row.unit)
        case Trend(slack=slack) if slack:
            return f"{100 * slack:g} %"
    return ""


def worst_of(outcomes: Sequence[Outcome]) -> Outcome:
    """The one that speaks most against the claim; of those that differ by rounding only the first one."""
    if not outcomes:
        return Outcome(None, None, MISSING)
    worst = max(outcomes, key=lambda outcome: (outcome.rank, outcome.size))
    return next(outcome for outcome in outcomes if outcome.rank == worst.rank and alike(outcome, worst))


def alike(one: Outcome, other: Outcome) -> bool:
    """Whether two are equally far from the claim, but for rounding."""
    least = 1e-9 * abs(other.ours) if isinstance(other.ours, float) else 0.0
    return math.isclose(one.size, other.size, rel_tol=1e-9, abs_tol=least)


def which(row: Expected, outcomes: Sequence[Outcome], worst: Outcome) -> str:
    """The place of the verdict among several, in words."""
    if len(outcomes) < 2 or worst.verdict == MISSING or not worst.where:
        return ""
    if isinstance(row.check, Trend) and worst.verdict == PASS:
        return f"on all of {len(outcomes)} lines; shown: {worst.where}"
    if all(outcome.verdict == worst.verdict and alike(outcome, worst) for outcome in outcomes):
        return ""
    return f"worst of {len(outcomes)} {'lines' if isinstance(row.check, Trend) else 'values'}: {worst.where}"


def judge_places(
    study: Study,
    row: Expected,
    measured: Measured,
    places: Sequence[Places],
    factor: float,
    open_groups: Sequence[int],
) -> list[Outcome]:
    """The outcomes at the places of a row: at each of them, or along each line of them."""
    if isinstance(row.check, Trend):
        return judge_trend(study, row.check, measured, places, factor, open_groups)
    outcomes = []
    for place in places:
        cell = measured.cells.get(place)
        if cell is not None and isinstance(row.check, Bounds) and above_all(row.check, measured.metric, cell, factor):
            here = Outcome(UNSTABLE, None, PASS)
        else:
            here = Outcome(None, None, MISSING) if cell is None else judge_cell(row.check, cell, factor, row.unit)
        outcomes.append(replace(here, where=study.in_words(place, measured.groups, open_groups)))
    return outcomes


@dataclass(frozen=True)
class Outcome:
    """The outcome at one place."""

    ours: float | str | None
    error: float | str | None
    verdict: str
    size: float = 0.0
    """How far it is from the claim; of several places the largest one counts."""
    where: str = ""
    """The place, in words."""

    @property
    def rank(self) -> int:
        """How bad the verdict is."""
        return (PASS, MISS, MISSING).index(self.verdict)


def above_all(check: Bounds, metric: Metric, cell: Cell, factor: float) -> bool:
    """Whether a claim that something is above a value holds since it grows without end, in some of the replications.

    More comes than is served, so the longer the run, the larger the time. All replications with a number have to be
    above the value too.
    """
    others = [number * factor > (check.low or 0.0) for number in cell.numbers]
    return check.high is None and cell.word == UNSTABLE and grows_where_unstable(metric) and all(others)


def judge_cell(check: Check, cell: Cell, factor: float, unit: str) -> Outcome:
    """A claim about single values."""
    if isinstance(check, Word):
        said = {units.short(value) if isinstance(value, float) else value for value in cell.values} - {None}
        word = " or ".join(sorted(str(value) for value in said))
        return Outcome(word, None, PASS if word == check.value else MISS) if said else Outcome(None, None, MISSING)
    estimate = cell.estimate
    if estimate is None:
        # A number is expected, and the setting is a word.
        return Outcome(cell.word, None, MISS, math.inf) if cell.word is not None else Outcome(None, None, MISSING)
    ours = estimate.mean * factor
    if isinstance(check, Value):
        verdict = PASS if check.tolerance.allows(ours, check.value) else MISS
        size = abs(ours - check.value)
        if check.value == 0 or check.tolerance.share(check.value) is None:
            # The last bits of a division are no error.
            apart = 0.0 if math.isclose(ours, check.value, rel_tol=1e-9) else ours - check.value
            return Outcome(ours, f"{apart:+.3g} {unit}".strip(), verdict, size)
        return Outcome(ours, 100 * (ours - check.value) / abs(check.value), verdict, size)
    if not isinstance(check, Bounds):
        raise TypeError(check)
    return judge_bounds(check, ours, (estimate.half_width_95 or 0.0) * abs(factor), unit)


def judge_bounds(check: Bounds, ours: float, half: float, unit: str) -> Outcome:
    """A claim about a side: the whole interval of ours has to lie on it, or chance may have put it there."""
    low = -math.inf if check.low is None else check.low
    high = math.inf if check.high is None else check.high
    # The last bit of a division is no miss; but the threshold of `above` is itself not above it.
    slack = 1e-9 * abs(ours) if check.inclusive else 0.0
    below = ours < low - slack or (ours == low and not check.inclusive)
    above = ours > high + slack or (ours == high and not check.inclusive)
    error = f"{ours - (low if below else high):+.3g} {unit}".strip() if below or above else None
    if error is None and (ours - half < low - slack or ours + half > high + slack):
        error = f"±{half:.3g} {unit}".rstrip() + " crosses it"
    return Outcome(ours, error, PASS if error is None else MISS, max(low - ours, ours - high) + half)


def limits(check: Check) -> tuple[float | None, float | None]:
    """The range that ours has to be in."""
    match check:
        case Bounds(low=low, high=high):
            return low, high
        case Value(value=value, tolerance=tolerance):
            far = tolerance.far(value)
            return value - far, value + far
    return None, None


def claim(row: Expected) -> float | str:
    """The published number, or the claim in words."""
    match row.check:
        case Value(value=value):
            return value
        case Word(value=word):
            return word
        case Bounds(low=low, high=high, inclusive=True) if low is not None and high is not None:
            return f"{short(low)} to {short(high)} {row.unit}".strip()
        case Bounds(low=low, high=high):
            sides = (("above", low), ("below", high))
            said = " and ".join(f"{word} {short(limit)}" for word, limit in sides if limit is not None)
            return f"{said} {row.unit}".strip()
        case Trend(rule="order", order=order):
            return " > ".join(order)
        case Trend(rule=rule, axis=axis):
            return f"{rule} along {axis}"
    raise TypeError(row.check)


def short(number: float) -> str:
    """A limit as it was written."""
    return units.short(number) if abs(number) < 1e10 else f"{number:g}"


def judge_trend(
    study: Study,
    trend: Trend,
    measured: Measured,
    places: Sequence[Places],
    factor: float,
    open_groups: Sequence[int],
) -> list[Outcome]:
    """A claim about the shape along an axis, at every place of the other axes."""
    axis, gone = study.axis(trend.axis), study.group_of(trend.axis)
    if gone not in measured.groups:
        return []
    at = measured.groups.index(gone)
    others = (*measured.groups[:at], *measured.groups[at + 1 :])
    part = set(axis.part(trend.over))
    lines: dict[Places, list[tuple[int, Estimate | None]]] = {}
    for place in places:
        if place[at] in part:
            cell = measured.cells.get(place)
            lines.setdefault((*place[:at], *place[at + 1 :]), []).append((place[at], cell.estimate if cell else None))
    outcomes = []
    for rest, line in lines.items():
        present = [(index, estimate) for index, estimate in line if estimate is not None]
        here = Outcome(None, None, MISSING)
        if len(present) == len(line):
            halves = [(estimate.half_width_95 or 0.0) * abs(factor) for _, estimate in present]
            here = judge_line(axis, trend, [(index, estimate.mean * factor) for index, estimate in present], halves)
        outcomes.append(replace(here, where=study.in_words(rest, others, open_groups)))
    return outcomes


def judge_line(axis: Axis, trend: Trend, line: Sequence[tuple[int, float]], halves: Sequence[float]) -> Outcome:
    """The shape of one line: the values by their place on the axis, with half the widths of their intervals."""
    if trend.rule == "order":
        return judge_order(axis, trend, line, halves)
    if len(line) < 2:
        return Outcome(None, None, MISSING)
    values = [value for _, value in line]
    match trend.rule:
        case "constant":
            error, size = varies(trend, values)
        case "linear":
            error, size = bends(axis, trend, line)
        case _:
            error, size = turns(axis, trend, line, math.hypot(halves[0], halves[-1]))
    return Outcome(series(values), error, PASS if error is None else MISS, size)


def judge_order(axis: Axis, trend: Trend, line: Sequence[tuple[int, float]], halves: Sequence[float]) -> Outcome:
    """Whether the values on a line are in an order, each below the one before by more than their intervals."""
    by_label = {axis.values[index].label: value for index, value in line}
    if any(label not in by_label for label in trend.order):
        return Outcome(None, None, MISSING)
    half_of = {axis.values[index].label: half for (index, _), half in zip(line, halves, strict=True)}
    ranked = [(label, by_label[label]) for label in trend.order]
    broken = []
    for (upper, a), (lower, b) in itertools.pairwise(ranked):
        half = math.hypot(half_of[upper], half_of[lower])
        if b - a + half >= trend.slack * abs(b) and not (trend.slack and a == b and not half):
            told = "is not below" if b >= a else "is no more than an interval below"
            broken.append((b - a + half, f"{lower} {told} {upper}"))
    ours = " > ".join(f"{label} {value:.4g}" for label, value in sorted(ranked, key=lambda pair: -pair[1]))
    size, error = max(broken, default=(0.0, None))
    return Outcome(ours, error, MISS if broken else PASS, size)


def varies(trend: Trend, values: Sequence[float]) -> tuple[str | None, float]:
    """The deviation of a line from being constant, in words, and its size."""
    size = max(abs(value) for value in values)
    off = (max(values) - min(values)) / size if size else 0.0
    return (f"varies by {100 * off:.3g} %" if off > trend.slack else None), off


def bends(axis: Axis, trend: Trend, line: Sequence[tuple[int, float]]) -> tuple[str | None, float]:
    """The deviation of a line from being straight, in words, and its size."""
    points = [(axis.values[index], value) for index, value in line]
    found = straight(points)
    if found is None:
        return f"there is no line along {axis.name}", math.inf
    slope, intercept = found
    largest = max(abs(value) for _, value in points)
    off = max(abs(value - intercept - slope * (at.number or 0.0)) for at, value in points) / (largest or 1.0)
    return (f"up to {100 * off:.3g} % off the line" if off > trend.slack else None), off


def turns(axis: Axis, trend: Trend, line: Sequence[tuple[int, float]], half: float) -> tuple[str | None, float]:
    """The deviation of a line from rising, or falling, in words, and its size.

    Every step has to go in that direction, and the whole by more than `half`, half the width of the interval of the
    difference of its ends: neighbours may be as close as the grid is fine, but a change that does not show over the
    whole line is chance.
    """
    sign = 1.0 if trend.rule == "increasing" else -1.0
    worst: tuple[float, str] | None = None
    for (index, before), (_, after) in itertools.pairwise(line):
        back = -sign * (after - before)
        # Without slack a value that stays is no rise.
        if back > trend.slack * abs(before) or (back == 0 and not trend.slack):
            found = (back, f"breaks behind {axis.values[index].label}: {before:.4g}, {after:.4g}")
            worst = max(worst, found) if worst is not None else found
    first, last = line[0][1], line[-1][1]
    if worst is None and sign * (last - first) <= half:
        # For lines that differ by little, the digits that distinguish them.
        digits = 4 if f"{first:.4g}" != f"{last:.4g}" else 7
        told = f"from {first:.{digits}g} to {last:.{digits}g}"
        worst = (0.0, f"{told}, ±{half:.2g}" if half else told)
    return (None, 0.0) if worst is None else (worst[1], worst[0])


def series(values: Sequence[float]) -> str:
    """Some values in words; of many only the ends."""
    told = [f"{value:.4g}" for value in values]
    return ", ".join(told if len(told) <= 6 else [*told[:3], "...", *told[-2:]])
