"""Published values and claims beside ours."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sansim.study import units
from sansim.study.along import straight
from sansim.study.measure import Cell, Measured, part_of
from sansim.study.model import Axis, Bounds, Check, Expected, Study, Trend, Value, Word
from sansim.study.points import Places

PASS, MISS, MISSING, FITTED = "pass", "miss", "missing", "fitted"
"""What becomes of an expected row: within its tolerance, outside, not run, or used to fit a parameter."""

JUDGED = (PASS, MISS, MISSING)
"""The verdicts that count."""


@dataclass(frozen=True)
class Verdict:
    """What became of a published value or claim."""

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


def judge(study: Study, measured: Mapping[str, Measured]) -> list[Verdict]:
    """The verdict on every expected row and remark of a study, in the order of the file."""
    rows = [judge_row(study, row, measured[row.metric]) for row in study.expected]
    remarks = [
        Verdict(remark.target, study.name, "", "remark", "", "", remark.text, None, "", None, remark.verdict)
        for remark in study.remarks
    ]
    return [*rows, *remarks]


def places_of(study: Study, row: Expected, measured: Measured) -> list[Places]:
    """The places of the metric that a row speaks of."""
    allowed: list[list[int]] = []
    lengths = study.lengths()
    for group in measured.groups:
        chosen = set(range(lengths[group]))
        for name in study.groups[group]:
            if name in row.at:
                axis = study.axis(name)
                chosen &= {index for label in row.at[name] for index in axis.indices(label)}
        allowed.append(sorted(chosen))
    return list(itertools.product(*allowed))


def judge_row(study: Study, row: Expected, measured: Measured) -> Verdict:
    """The verdict on one row."""
    places = places_of(study, row, measured)
    where = ", ".join(f"{name} = {' or '.join(labels)}" for name, labels in row.at.items())
    factor = units.factor_of(measured.metric.unit) / units.factor_of(row.unit)
    cells = {place: measured.cells.get(place) for place in places}
    outcome: Outcome
    if not places or any(cell is None for cell in cells.values()):
        outcome = Outcome(None, None, MISSING)
    elif isinstance(row.check, Trend):
        outcome = judge_trend(study, row.check, measured, places, factor)
    else:
        present = {place: cell for place, cell in cells.items() if cell is not None}
        outcome = worst([judge_cell(row.check, cell, factor, row.unit) for cell in present.values()])
    low, high = limits(row.check)
    return Verdict(
        row.target,
        study.name,
        row.source or study.source,
        row.kind,
        row.metric,
        where,
        claim(row),
        outcome.ours,
        row.unit,
        outcome.error,
        FITTED if row.fitted else outcome.verdict,
        "; ".join(part for part in (f"fitted: {row.fitted}" if row.fitted else "", row.note) if part),
        low,
        high,
        tuple(places),
    )


@dataclass(frozen=True)
class Outcome:
    """What was found at one place."""

    ours: float | str | None
    error: float | str | None
    verdict: str

    @property
    def badness(self) -> tuple[int, float]:
        """For finding the worst of several."""
        size = abs(self.error) if isinstance(self.error, float) else 0.0
        return ((PASS, MISS, MISSING).index(self.verdict), size)


def worst(outcomes: Sequence[Outcome]) -> Outcome:
    """Of several places the one that speaks most against the claim."""
    return max(outcomes, key=lambda outcome: outcome.badness)


def judge_cell(check: Check, cell: Cell, factor: float, unit: str) -> Outcome:
    """A claim about single values."""
    if isinstance(check, Word):
        said = {value for value in cell.values if value is not None}
        word = " or ".join(str(value) for value in sorted(said, key=str))
        if not said:
            return Outcome(None, None, MISSING)
        return Outcome(word, None, PASS if word == check.value else MISS)
    estimate = cell.estimate
    if estimate is None:
        return Outcome(None, None, MISSING)
    ours = estimate.mean * factor
    if isinstance(check, Value):
        verdict = PASS if check.tolerance.allows(ours, check.value) else MISS
        if check.value == 0 or check.tolerance.absolute is not None:
            return Outcome(ours, f"{ours - check.value:+.3g} {unit}".strip(), verdict)
        return Outcome(ours, 100 * (ours / check.value - 1), verdict)
    low, high = limits(check)
    below, above = low is not None and ours < low, high is not None and ours > high
    # On the threshold itself is on neither side of it.
    edge = isinstance(check, Bounds) and (low is None) != (high is None) and ours in (low, high)
    bound = (low if below else high) or 0.0
    error = f"{ours - bound:+.3g} {unit}".strip() if below or above else None
    return Outcome(ours, error, MISS if below or above or edge else PASS)


def limits(check: Check) -> tuple[float | None, float | None]:
    """The range that ours has to be in."""
    match check:
        case Bounds(low=low, high=high):
            return low, high
        case Value(value=value, tolerance=tolerance):
            far = tolerance.absolute if tolerance.absolute is not None else abs(value) * (tolerance.relative or 0.0)
            return value - far, value + far
    return None, None


def claim(row: Expected) -> float | str:
    """What was published: a number, or the claim in words."""
    match row.check:
        case Value(value=value):
            return value
        case Word(value=word):
            return word
        case Bounds(low=low, high=high) if low is not None and high is not None:
            return f"{low:g} to {high:g} {row.unit}".strip()
        case Bounds(low=low, high=high):
            return f"above {low:g} {row.unit}".strip() if low is not None else f"below {high or 0:g} {row.unit}".strip()
        case Trend(rule="order", order=order):
            return " > ".join(order)
        case Trend(rule=rule, axis=axis):
            return f"{rule} along {axis}"
    raise TypeError(row.check)


def judge_trend(study: Study, trend: Trend, measured: Measured, places: Sequence[Places], factor: float) -> Outcome:
    """A claim about the shape along an axis; at every place of the other axes."""
    axis, gone = study.axis(trend.axis), study.group_of(trend.axis)
    if gone not in measured.groups:
        return Outcome(None, None, MISSING)
    at = measured.groups.index(gone)
    part = set(part_of(axis, trend.over))
    lines: dict[Places, list[tuple[int, float]]] = {}
    for place in places:
        if place[at] not in part:
            continue
        cell = measured.cells.get(place)
        estimate = None if cell is None else cell.estimate
        if estimate is None:
            return Outcome(None, None, MISSING)
        lines.setdefault((*place[:at], *place[at + 1 :]), []).append((place[at], estimate.mean * factor))
    outcomes = [judge_line(axis, trend, line) for line in lines.values()]
    if not outcomes:
        return Outcome(None, None, MISSING)
    return worst(outcomes)


def judge_line(axis: Axis, trend: Trend, line: Sequence[tuple[int, float]]) -> Outcome:
    """The shape of one line."""
    values = [value for _, value in line]
    if trend.rule == "order":
        by_label = {axis.values[index].label: value for index, value in line}
        if any(label not in by_label for label in trend.order):
            return Outcome(None, None, MISSING)
        ranked = [(label, by_label[label]) for label in trend.order]
        broken = [
            f"{b[0]} is not below {a[0]}"
            for a, b in itertools.pairwise(ranked)
            if not (a[1] > b[1] or a[1] - b[1] > -trend.slack * abs(b[1]))
        ]
        ours = " > ".join(f"{label} {value:.4g}" for label, value in sorted(ranked, key=lambda pair: -pair[1]))
        return Outcome(ours, broken[0] if broken else None, MISS if broken else PASS)
    if len(values) < 2:
        return Outcome(None, None, MISSING)
    return judge_shape(axis, trend, line, values)


def judge_shape(axis: Axis, trend: Trend, line: Sequence[tuple[int, float]], values: Sequence[float]) -> Outcome:
    """Rising, falling, constant or straight."""
    ours, error = series(values), None
    match trend.rule:
        case "constant":
            size = max(abs(value) for value in values)
            off = (max(values) - min(values)) / size if size else 0.0
            error = f"varies by {100 * off:.3g} %" if off > trend.slack else None
        case "linear":
            found = straight([(axis.values[index], value) for index, value in line])
            if found is None:
                return Outcome(None, None, MISSING)
            slope, intercept = found
            numbers = [(axis.values[index].number or 0.0, value) for index, value in line]
            off = max(abs(value - intercept - slope * x) for x, value in numbers)
            size = max(abs(value) for value in values)
            error = f"up to {100 * off / size:.3g} % off the line" if size and off > trend.slack * size else None
        case _:
            sign = 1.0 if trend.rule == "increasing" else -1.0
            for (index, before), (_, after) in itertools.pairwise(line):
                # Without slack a value that stays is no rise.
                if sign * (after - before) <= -trend.slack * abs(before):
                    error = f"breaks behind {axis.values[index].label}: {before:.4g}, {after:.4g}"
                    break
            if error is None and sign * (values[-1] - values[0]) <= 0:
                error = f"from {values[0]:.4g} to {values[-1]:.4g}"
    return Outcome(ours, error, PASS if error is None else MISS)


def series(values: Sequence[float]) -> str:
    """Some values in words; of many only the ends."""
    told = [f"{value:.4g}" for value in values]
    return ", ".join(told if len(told) <= 6 else [*told[:3], "...", *told[-2:]])
