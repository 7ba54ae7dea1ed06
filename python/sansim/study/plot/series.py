"""The content of a plot: from the long frame to the lines of each panel."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from sansim.doubts import UNSTABLE
from sansim.study import units
from sansim.study.model import Along, Axis, Metric, Plot, Points
from sansim.study.table.frame import finite, shown_numbers

if TYPE_CHECKING:
    import polars as pl

MOST_LINES = 48
"""More lines in a panel cannot be distinguished."""
MOST_PANELS = 24
SPREAD = 0.6
"""The share of the place of a word within which the points of several lines stand side by side."""

Key: TypeAlias = "tuple[str | None, ...]"
"""Labels on the axes of the lines; None on one that the metric lacks."""


@dataclass(frozen=True)
class XAxis:
    """The places along a plot."""

    axis: Axis
    labels: tuple[str, ...]
    numbers: tuple[float, ...] | None
    """In the unit of the axis; None if the places are words, which stand side by side."""
    measured: tuple[Metric, ...] = ()
    """If the points lie over a metric, or each line over its own: those. `numbers` are then all their values."""

    beyond: tuple[float, ...] = ()
    """Further numbers that the axis has to show: of points of other sources."""

    @property
    def unit(self) -> str:
        """The unit of the numbers."""
        return self.measured[0].unit if self.measured else self.axis.unit

    @property
    def positions(self) -> tuple[float, ...]:
        """Where they lie."""
        return self.numbers or tuple(map(float, range(len(self.labels))))

    def shifted(self, line: Line) -> list[float]:
        """Where the points of a line lie: side by side over words, where those of several would cover each other."""
        if self.measured:
            return list(line.over)
        index, count = line.slot
        shift = SPREAD * ((index + 0.5) / count - 0.5) if self.numbers is None else 0.0
        return [position + shift for position in self.positions]


@dataclass
class Line:
    """A metric along the x axis."""

    panel: int
    metric: Metric
    key: Key
    values: list[float]
    """At every place of the x axis; NaN where there is none."""
    half_widths: list[float]
    """Half the width of the 95 % interval; NaN where it is unknown."""
    published: list[tuple[int, float]] = field(default_factory=list)
    """Published values and their places on the x axis."""
    unstable: list[int] = field(default_factory=list)
    """Places where there is no value because more requests arrive than complete."""
    marks: list[tuple[int, str]] = field(default_factory=list)
    """Places that are marked, and as what."""
    over: list[float] = field(default_factory=list)
    """Where its points lie if they lie over a metric; NaN where that has no value."""
    over_half_widths: list[float] = field(default_factory=list)
    published_over: dict[int, float] = field(default_factory=dict)
    """Published values of that metric by place."""
    slot: tuple[int, int] = (0, 1)
    """Its place among so many lines, the same in every panel."""

    @property
    def known(self) -> list[bool]:
        """Where there is an interval."""
        return [not math.isnan(value + half) for value, half in zip(self.values, self.half_widths, strict=True)]

    @property
    def banded(self) -> list[bool]:
        """Where there is one at a neighbour, too, so that a band leads there."""
        known = [False, *self.known, False]
        return [here and (before or after) for before, here, after in zip(known, known[1:], known[2:], strict=False)]


@dataclass(frozen=True)
class Contents:
    """Everything that a plot shows."""

    plot: Plot
    x: XAxis
    lines_axes: tuple[Axis, ...]
    panel_axis: Axis | None
    panels: tuple[str | None, ...]
    """Labels of the panels."""
    groups: tuple[tuple[Metric, ...], ...]
    """Metrics by unit: those of one unit share axes."""
    lines: tuple[Line, ...]

    def position_of_published(self, line: Line, place: int) -> float:
        """Where a published value lies along `x`: over the published value of the metric there, or else over ours."""
        return line.published_over.get(place, self.x.shifted(line)[place])

    def points(self, group: Sequence[Metric]) -> list[Points]:
        """The points of other sources in the panels of some metrics."""
        names = [metric.name for metric in group]
        return [points for points in self.plot.points if points.of in names]

    def crosses(self, lines: Sequence[Line]) -> dict[float, list[Line]]:
        """The lines of a panel that have no value because more requests arrive than complete, by position."""
        found: dict[float, list[Line]] = {}
        for line in lines:
            shifted = self.x.shifted(line)
            for at in line.unstable:
                if math.isnan(shifted[at]):
                    continue
                found.setdefault(shifted[at], []).append(line)
        return found


def contents(
    plot: Plot,
    axes: Sequence[Axis],
    metrics: Sequence[Metric],
    frame: pl.DataFrame,
    published: pl.DataFrame | None,
) -> Contents:
    """Collects what a plot shows.

    Raises:
        ValueError: It cannot be drawn; the text says why and what to do.
    """
    known = {axis.name: axis for axis in axes}
    chosen = [metric_named(plot, name, metrics) for name in plot.y]
    for name in (plot.x, *plot.lines, *([plot.panels] if plot.panels else []), *plot.at):
        if name not in known:
            raise fault(plot, f"there is no axis '{name}'")
    records = selected(plot, frame)
    have = [record for record in records if finite(record["value"]) is not None]
    if not have:
        at = ", ".join(f"{name} = {' or '.join(labels)}" for name, labels in plot.at.items())
        raise fault(
            plot, f"there is no value of {', '.join(plot.y)}{f' at {at}' if at else ''}; has the study been run?"
        )
    x = x_axis(plot, known[plot.x])
    panels: tuple[str | None, ...] = (None,)
    if plot.panels:
        panels = tuple(present(known[plot.panels], records, plot.panels)) or (None,)
        if len(panels) > MOST_PANELS:
            raise fault(plot, f"{len(panels)} panels are too many (at most {MOST_PANELS}); take fewer with `at`")
    lines = make_lines(plot, known, x, panels, chosen, records)
    if published is not None and plot.published:
        # Axes that the plot says nothing of have one value in it; published values at others do not belong here.
        others = {name: {record[name] for record in records} for name in known}
        add_published(plot, x, panels, lines, published, others)
    add_marks(plot, x, panels, lines, metrics, frame)
    if plot.over:
        x = laid_over(plot, known, x, panels, lines, metrics, frame, published)
    elif plot.points:
        if x.numbers is None:
            raise fault(plot, f"'{plot.x}' has words, along which points of other sources have no place")
        x = replace(x, beyond=tuple(at for points in plot.points for at in points.x))
    shown = [line for line in lines if line.published or line.unstable or has_values(line)]
    for group in by_unit(chosen):
        here = [line for line in shown if line.metric in group]
        different = list(dict.fromkeys((line.key, line.metric.name) for line in here))
        for line in here:
            line.slot = different.index((line.key, line.metric.name)), len(different)
    for panel, group in itertools.product(range(len(panels)), by_unit(chosen)):
        count = sum(line.panel == panel and line.metric in group for line in shown)
        if count > MOST_LINES:
            raise fault(
                plot, f"{count} lines are too many (at most {MOST_LINES}); make an axis `panels`, or fix it with `at`"
            )
    panel_axis = known[plot.panels] if plot.panels and panels != (None,) else None
    return Contents(
        plot, x, tuple(known[name] for name in plot.lines), panel_axis, panels, by_unit(chosen), tuple(shown)
    )


def fault(plot: Plot, text: str) -> ValueError:
    """The exception for a plot that cannot be drawn."""
    return ValueError(f"plot '{plot.name}': {text}")


def metric_named(plot: Plot, name: str, metrics: Sequence[Metric]) -> Metric:
    """The metric with this name."""
    for metric in metrics:
        if metric.name == name:
            return metric
    raise fault(plot, f"there is no metric '{name}'")


def by_unit(metrics: Sequence[Metric]) -> tuple[tuple[Metric, ...], ...]:
    """Metrics of the same unit together."""
    groups: dict[str, list[Metric]] = {}
    for metric in metrics:
        groups.setdefault(metric.unit, []).append(metric)
    return tuple(map(tuple, groups.values()))


def selected(plot: Plot, frame: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of the frame that the plot is about; those that lack an axis that `at` fixes belong to it, too."""
    part = frame.filter(frame["metric"].is_in(list(plot.y)))
    for name, labels in plot.at.items():
        part = part.filter(part[name].is_null() | part[name].is_in(list(labels)))
    return part.to_dicts()


def present(axis: Axis, records: Sequence[Mapping[str, Any]], column: str) -> list[str]:
    """The labels of an axis that occur, in the order of the axis."""
    found = {record[column] for record in records}
    return [label for label in dict.fromkeys(axis.labels) if label in found]


def x_axis(plot: Plot, axis: Axis) -> XAxis:
    """The places of the x axis; also those where every point is missing, so that a gap shows."""
    allowed = plot.at.get(axis.name, axis.labels)
    numbers: dict[str, float | None] = {}
    for label, number in zip(axis.labels, shown_numbers(axis), strict=True):
        if label in allowed:
            numbers.setdefault(label, number)
    values = [number for number in numbers.values() if number is not None]
    if len(values) < len(numbers) or len(set(values)) < len(values):
        return XAxis(axis, tuple(numbers), None)
    labels = sorted(numbers, key=lambda label: numbers[label] or 0.0)
    return XAxis(axis, tuple(labels), tuple(sorted(values)))


def make_lines(
    plot: Plot,
    known: Mapping[str, Axis],
    x: XAxis,
    panels: Sequence[str | None],
    metrics: Sequence[Metric],
    records: Sequence[Mapping[str, Any]],
) -> list[Line]:
    """A line for each panel, combination of labels and metric, in the order of the axes."""
    found: dict[tuple[int, str, Key], Line] = {}
    choices: list[list[str | None]] = [[*present(known[name], records, name), None] for name in plot.lines]
    for panel in range(len(panels)):
        for key in itertools.product(*choices):
            for metric in metrics:
                nothing = [math.nan] * len(x.labels)
                found[panel, metric.name, key] = Line(panel, metric, key, nothing, nothing.copy())
    places = {label: place for place, label in enumerate(x.labels)}
    seen: dict[tuple[int, str, Key, int], Mapping[str, Any]] = {}
    for record in records:
        label = record[plot.x]
        if label is None:
            raise fault(plot, f"metric '{record['metric']}' is derived along '{plot.x}' and has no value at its places")
        key = tuple(record[name] for name in plot.lines)
        for panel in panels_of(plot, panels, record):
            at = (panel, record["metric"], key, places[label])
            if at in seen:
                raise several(plot, known, seen[at], record)
            seen[at] = record
            line = found[panel, record["metric"], key]
            line.values[places[label]] = number_or_nan(record["value"])
            line.half_widths[places[label]] = number_or_nan(record["half_width_95"])
            if record["value"] is None and record["method"] == UNSTABLE:
                line.unstable.append(places[label])
    return list(found.values())


def laid_over(
    plot: Plot,
    known: Mapping[str, Axis],
    x: XAxis,
    panels: Sequence[str | None],
    lines: Sequence[Line],
    metrics: Sequence[Metric],
    frame: pl.DataFrame,
    published: pl.DataFrame | None,
) -> XAxis:
    """Gives each line the values of the metric that it is drawn over, and the x axis that has them all.

    A point without a value of that metric is not drawn. Published values lie over the published value of the metric at
    the same place where there is one.
    """
    chosen = [metric_named(plot, name, metrics) for name in plot.over]
    inner = replace(plot, y=plot.over)
    under = make_lines(inner, known, x, panels, chosen, selected(inner, frame))
    if published is not None and plot.published:
        add_published(inner, x, panels, under, published, {})
    for line in lines:
        name = plot.over_metric(line.metric.name)
        own = [
            other
            for other in under
            if other.metric.name == name
            and other.panel == line.panel
            and matches(other.key, line.key)
            and has_values(other)
        ]
        nothing = [math.nan] * len(x.labels)
        line.over = own[0].values if own else nothing
        line.over_half_widths = own[0].half_widths if own else nothing
        line.published_over = dict(own[0].published) if own else {}
        # Neither a value nor an interval without a place.
        placed = [not math.isnan(at) for at in line.over]
        line.values = [value if there else math.nan for value, there in zip(line.values, placed, strict=True)]
    numbers = [at for line in lines for at in (*line.over, *line.published_over.values()) if not math.isnan(at)]
    numbers += [at for points in plot.points for at in points.x]
    if not numbers:
        raise fault(
            plot, f"there is no value of {', '.join(plot.over)}, over which it is drawn; has the study been run?"
        )
    return replace(x, numbers=tuple(sorted(set(numbers))), measured=tuple(chosen))


def number_or_nan(value: float | None) -> float:
    """A number for matplotlib, which leaves out NaN."""
    kept = finite(value)
    return math.nan if kept is None else kept


def panels_of(plot: Plot, panels: Sequence[str | None], record: Mapping[str, Any]) -> Iterator[int]:
    """The panels of a value: its own, or all if it lacks their axis."""
    label = record[plot.panels] if plot.panels else None
    for panel, own in enumerate(panels):
        if label is None or label == own:
            yield panel


def several(plot: Plot, known: Mapping[str, Axis], one: Mapping[str, Any], other: Mapping[str, Any]) -> ValueError:
    """The exception for two values at one place of one line."""
    names = [name for name in known if one[name] != other[name]]
    differ = ", ".join(f"'{name}' ({one[name]}, {other[name]})" for name in names)
    return fault(
        plot,
        f"'{one['metric']}' has several values at {plot.x} = {one[plot.x]}, which differ in {differ};"
        " name the axis in `lines` or `panels`, or fix it with `at`",
    )


def add_published(
    plot: Plot,
    x: XAxis,
    panels: Sequence[str | None],
    lines: Sequence[Line],
    published: pl.DataFrame,
    others: Mapping[str, set[str | None]],
) -> None:
    """Gives each line its published values. One that says nothing of an axis holds at all its places."""
    places = {label: place for place, label in enumerate(x.labels)}
    own = {plot.x, plot.panels, *plot.lines, *plot.at}
    for record in published.filter(published["metric"].is_in(list(plot.y))).iter_rows(named=True):
        value = finite(record["value"])
        apart = any(
            name in record and record[name] is not None and None not in labels and record[name] not in labels
            for name, labels in others.items()
            if name not in own
        )
        elsewhere = any(record.get(name) not in (None, *labels) for name, labels in plot.at.items())
        if value is None or apart or elsewhere:
            continue
        wanted = tuple(record.get(name) for name in plot.lines)
        at = [record[plot.x]] if record.get(plot.x) is not None else list(x.labels)
        here = set(panels_of(plot, panels, record))
        for line in lines:
            # A line without values of ours is there for published ones that name it.
            fits = matches(wanted, line.key) if has_values(line) else wanted == line.key and None not in wanted
            if line.metric.name != record["metric"] or line.panel not in here or not fits:
                continue
            line.published += [(places[label], value) for label in at if label in places]


def add_marks(
    plot: Plot,
    x: XAxis,
    panels: Sequence[str | None],
    lines: Sequence[Line],
    metrics: Sequence[Metric],
    frame: pl.DataFrame,
) -> None:
    """Gives each line the places that metrics taken of it say."""
    for name in plot.marks if x.numbers else ():
        mark = metric_named(plot, name, metrics)
        for record in selected(replace(plot, y=(name,)), frame):
            value = finite(record["value"])
            if value is None or not isinstance(mark.rule, Along) or x.numbers is None:
                continue
            # The mean over replications may lie between two values of the axis.
            at = units.converted(value, mark.unit, x.axis.unit)
            place = min((abs(number - at), place) for place, number in enumerate(x.numbers))[1]
            key, here = tuple(record[axis] for axis in plot.lines), set(panels_of(plot, panels, record))
            for line in lines:
                fits = line.metric.name == mark.rule.of and line.panel in here and matches(key, line.key)
                if fits and not math.isnan(line.values[place]):
                    line.marks.append((place, mark.label))


def has_values(line: Line) -> bool:
    """Whether there is anything of ours on a line."""
    return not all(map(math.isnan, line.values))


def matches(wanted: Key, key: Key) -> bool:
    """Whether labels agree where both are given; a line that lacks an axis has any label on it."""
    return all(a is None or b is None or a == b for a, b in zip(wanted, key, strict=True))
