"""The records of a study: a base scenario, axes, metrics, expected values and plots.

These are plain records, as read from a study file (`sansim.study.read`); nothing is run here. The study file is
described in docs/study-reference.md.
"""

from __future__ import annotations

import fnmatch
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

Overrides: TypeAlias = tuple[tuple[str, str], ...]
"""Keys of a scenario with the TOML text of their values."""

Places: TypeAlias = tuple[int, ...]
"""A place on some groups of axes: of each the number of the value. On all of them it is a point."""

DOUBT = ", in doubt"
"""End of the method of a value whose interval the run itself doubts."""


@dataclass(frozen=True)
class AxisValue:
    """One value of an axis."""

    label: str
    number: float | None
    """As a number in base units (bytes, ns, bytes/s, m), if it is one."""
    overrides: Overrides
    """The values that it sets in the scenario."""
    unit: str = ""
    """In which it was written, if it is a number."""


@dataclass(frozen=True)
class Axis:
    """Something that is varied."""

    name: str
    label: str
    """Its label in plots and tables."""
    unit: str
    """Unit in which its numbers are shown; empty for plain numbers and words."""
    values: tuple[AxisValue, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the values."""
        return tuple(value.label for value in self.values)

    def indices(self, label: str) -> frozenset[int]:
        """The places of the values with this label; several if an axis that goes along with another repeats one."""
        return frozenset(index for index, value in enumerate(self.values) if value.label == label)

    def part(self, over: tuple[str, str] | None) -> list[int]:
        """The places from one label to another, both included; all places if there are no labels."""
        if over is None:
            return list(range(len(self.values)))
        ends = [index for label in over for index in self.indices(label)]
        return list(range(min(ends), max(ends) + 1))


@dataclass(frozen=True)
class Figure:
    """A figure of the run's summary, by its path. `{AXIS}` in it is the number of an axis at the point."""

    path: str


@dataclass(frozen=True)
class Setting:
    """A value of the resolved scenario, by its key."""

    key: str


@dataclass(frozen=True)
class Formula:
    """An expression over other metrics and axes."""

    text: str
    names: frozenset[str]


@dataclass(frozen=True)
class Along:
    """A result of another metric along an axis, which vanishes."""

    of: str
    axis: str
    take: str
    over: tuple[str, str] | None = None
    """The part of the axis that counts: first and last value, by label."""
    between: tuple[str, str] | None = None
    """The two values of the axis that are compared, by label."""
    reach: float = 0.95
    """Share of the maximum at which there is a knee."""
    above: float | None = None
    below: float | None = None
    per: float = 1.0
    """So much of the axis, in base units, is one step of a slope."""
    stepped: bool = False
    """Whether the study file says what a step is."""


@dataclass(frozen=True)
class Interval:
    """The time from one line of a word trace to a later one; see `sansim.study.measure.trace`."""

    start: str
    end: str


Rule: TypeAlias = Figure | Setting | Formula | Along | Interval
"""How a metric is found."""


@dataclass(frozen=True)
class Metric:
    """Something that is measured at every point."""

    name: str
    label: str
    unit: str
    rule: Rule


@dataclass(frozen=True)
class Tolerance:
    """How far ours may be from the published value."""

    relative: float | None = None
    absolute: float | None = None
    rounding: float = 0.0
    """How far the true number may be from the printed one, which allows as much where it is the coarser of the two."""

    def share(self, published: float) -> float | None:
        """How far ours may be as a share of the published value; None where a distance is what counts."""
        if self.absolute is not None or self.rounding > (self.relative or 0.0) * abs(published):
            return None
        return self.relative or 0.0

    def far(self, published: float) -> float:
        """How far ours may be from the published value, in its unit."""
        share = self.share(published)
        return max(self.absolute or 0.0, self.rounding) if share is None else share * abs(published)

    def allows(self, ours: float, published: float) -> bool:
        """Whether the difference is small enough."""
        # A printed 3.00 % is no miss because of the last bit of a division.
        slack = 1e-9 * max(abs(ours), abs(published))
        return abs(ours - published) <= self.far(published) + slack

    def in_words(self, published: float, unit: str) -> str:
        """As a person writes it."""
        share = self.share(published)
        return f"{self.far(published):g} {unit}".strip() if share is None else f"{100 * share:g} %"


@dataclass(frozen=True)
class Value:
    """Ours is the published value within the tolerance."""

    value: float
    tolerance: Tolerance


@dataclass(frozen=True)
class Bounds:
    """Ours lies between two values, or on one side of one."""

    low: float | None
    high: float | None
    inclusive: bool = False
    """Whether ours may be one of the bounds themselves."""


@dataclass(frozen=True)
class Trend:
    """The metric rises, falls, stays, is a straight line, or has an order, along an axis."""

    rule: str
    axis: str
    slack: float
    """The tolerance of equality, as a share of the larger value."""
    order: tuple[str, ...] = ()
    """With the rule `order`: labels of the axis, the largest value first."""
    over: tuple[str, str] | None = None
    """The part of the axis that counts: first and last value, by label."""


@dataclass(frozen=True)
class Word:
    """A setting is this word, or this truth value."""

    value: str


Check: TypeAlias = Value | Bounds | Trend | Word
"""The condition of an expected row on the metric."""

Place: TypeAlias = Mapping[str, tuple[str, ...]]
"""Values of some axes, by label; where an axis has several, all of them are meant."""

DEFAULT_TOLERANCE = {"exact": 0.03, "measured": 0.10, "approximate": 0.10, "trend": 0.0, "parameter": 0.001}
"""Relative tolerance by kind, where a row says none."""


@dataclass(frozen=True)
class Expected:
    """A published value or claim."""

    target: str
    """Its id."""
    metric: str
    at: Place
    kind: str
    check: Check
    unit: str
    """Unit of the published numbers."""
    source: str
    note: str
    """A note about it, above all if it is missed."""
    quick: bool
    derived: str = ""
    """From what the published number was computed, if it is not printed itself."""
    corrected: str = ""
    """The printed number, if that is a misprint: the row has the side that we take."""
    restates: str = ""
    """The reason why the row does not depend on a run: sums of settings, geometry, an identity."""
    means: str = ""
    """The meaning of a miss for a user who trusts the simulator with a design."""


@dataclass(frozen=True)
class Remark:
    """A target that is not judged."""

    target: str
    verdict: str
    text: str
    same_as: str = ""
    """The target that is the same number, under which it counts."""


@dataclass(frozen=True)
class Chosen:
    """A constant, or a reading of the source, that was fitted or chosen by published values."""

    what: str
    """A key of the scenario, or the reading in words."""
    how: str
    """Its value, and why it is that."""
    saw: tuple[str, ...]
    """Targets used for fitting: `W-X02`, `W-T65-*`, or the rows of one metric of a target, `R-R20/next`."""

    def in_view(self, target: str, metric: str) -> bool:
        """Whether a row of a target was used for this choice."""
        return any(matches(pattern, target, metric) for pattern in self.saw)


def matches(pattern: str, target: str, metric: str) -> bool:
    """Whether a target, or its rows of a metric, are meant by an entry of `saw`."""
    wanted, _, part = pattern.partition("/")
    return fnmatch.fnmatchcase(target, wanted) and part in ("", metric)


@dataclass(frozen=True)
class LeaveOut:
    """How it is found out what chosen constants are worth: they are chosen again on half of the rows."""

    rows: tuple[str, ...]
    """Targets that take part, as in `saw`."""
    halves: str
    """The axis by whose values the rows are halved: every second one."""
    settings: Overrides
    """The settings of all these runs."""
    constants: tuple[Axis, ...]
    """The values that are searched."""

    def takes(self, row: Expected) -> bool:
        """Whether a row takes part."""
        return any(matches(pattern, row.target, row.metric) for pattern in self.rows)


@dataclass(frozen=True)
class Points:
    """Points of another source that are drawn over the lines of a plot."""

    label: str
    of: str
    """The metric in whose panel they are."""
    x: tuple[float, ...]
    y: tuple[float, ...]
    source: str = ""


@dataclass(frozen=True)
class Plot:
    """A figure to be drawn."""

    name: str
    title: str
    x: str
    """The axis along which points are joined."""
    y: tuple[str, ...]
    lines: tuple[str, ...]
    panels: str | None
    at: Place
    log: tuple[str, ...]
    published: bool
    marks: tuple[str, ...] = ()
    """Metrics that are a value of `x`, by name; marked on the lines of what they are taken of."""
    over: tuple[str, ...] = ()
    """Metrics over which those of `y` are drawn, one for all or one for each; without any they are drawn over `x`."""
    points: tuple[Points, ...] = ()

    def over_metric(self, y: str) -> str | None:
        """The metric over which a metric of `y` is drawn; None if that is the axis."""
        if len(self.over) < 2:
            return self.over[0] if self.over else None
        return self.over[self.y.index(y)]


@dataclass(frozen=True)
class Replications:
    """How often each point is run."""

    count: int = 1
    within: float | None = None
    """Runs are added until the interval of `metric` is within this share of its mean at every point."""
    metric: str = ""
    most: int = 1


@dataclass(frozen=True)
class Study:
    """A study file."""

    file: Path
    title: str
    source: str
    description: str
    scenario_text: str
    scenario_name: str
    """The name of the scenario in messages."""
    scenario_folder: Path
    """The folder of files that the scenario names: its own, or that of the study file for a scenario within it."""
    settings: Overrides
    axes: tuple[Axis, ...]
    groups: tuple[tuple[str, ...], ...]
    """Axes that advance together, by name; most groups have one axis."""
    replications: Replications = field(default_factory=Replications)
    metrics: tuple[Metric, ...] = ()
    expected: tuple[Expected, ...] = ()
    remarks: tuple[Remark, ...] = ()
    chosen: tuple[Chosen, ...] = ()
    leave_out: LeaveOut | None = None
    plots: tuple[Plot, ...] = ()
    text: str | None = field(default=None, repr=False)
    """The content of the file; None if it has to be read."""

    @property
    def name(self) -> str:
        """The file's name without `.toml`."""
        return self.file.stem

    def axis(self, name: str) -> Axis:
        """The axis with this name."""
        return next(axis for axis in self.axes if axis.name == name)

    def group_of(self, axis: str) -> int:
        """The number of the group of an axis."""
        return next(number for number, group in enumerate(self.groups) if axis in group)

    def lengths(self) -> tuple[int, ...]:
        """How many values each group has."""
        return tuple(len(self.axis(group[0]).values) for group in self.groups)

    def metric(self, name: str) -> Metric:
        """The metric with this name."""
        return next(metric for metric in self.metrics if metric.name == name)

    @property
    def every_group(self) -> tuple[int, ...]:
        """The numbers of all groups."""
        return tuple(range(len(self.groups)))

    def groups_of(self, metric: Metric) -> tuple[int, ...]:
        """The groups of axes that a metric has values for; a derived one has lost some."""
        match metric.rule:
            case Along(of=of, axis=axis):
                gone = self.group_of(axis)
                return tuple(group for group in self.groups_of(self.metric(of)) if group != gone)
            case Formula(names=names):
                metrics = [other for other in self.metrics if other.name in names]
                axes = {self.group_of(axis.name) for axis in self.axes if axis.name in names}
                return tuple(sorted(axes.union(*(self.groups_of(other) for other in metrics))))
        return self.every_group

    def allowed(self, group: int, at: Place) -> list[int]:
        """The values of a group that agree with what a place says of its axes."""
        chosen = set(range(self.lengths()[group]))
        for name in self.groups[group]:
            if name in at:
                axis = self.axis(name)
                chosen &= {index for label in at[name] for index in axis.indices(label)}
        return sorted(chosen)

    def places(self, groups: Sequence[int], at: Place) -> list[Places]:
        """The places on some groups of axes that agree with what is said of the axes."""
        return list(itertools.product(*(self.allowed(group, at) for group in groups)))

    def in_words(self, places: Places, groups: Sequence[int] | None = None, only: Sequence[int] | None = None) -> str:
        """A place by the labels of its axes: `size = 4 KiB, mix = read`.

        Args:
            places: The place.
            groups: The groups of axes it lies on; all if not given.
            only: The groups that are named; all of them if not given.
        """
        on = self.every_group if groups is None else groups
        told = [
            f"{axis.name} = {axis.values[places[on.index(group)]].label}"
            for axis in self.axes
            if (group := self.group_of(axis.name)) in on and (only is None or group in only)
        ]
        return ", ".join(told)
