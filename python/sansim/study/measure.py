"""What the metrics of a study are at its points, from the results of the runs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sansim.study import formula, units
from sansim.study.along import take
from sansim.study.model import Along, Axis, Figure, Formula, Interval, Metric, Setting, Study
from sansim.study.points import Places, Plan, setting_of
from sansim.study.statistics import Estimate, over_replications

Number = float | str | None
"""A value of a metric: a number in its unit, the word of a setting, or nothing."""

Results = Mapping[str, object]
"""What a job left: `summary` and `traces`."""


@dataclass(frozen=True)
class Cell:
    """A metric at one point."""

    values: tuple[Number, ...]
    """Of each replication."""
    within_run: tuple[float, str] | None = None
    """Half width of the interval that the run itself gives, and its method; used if there is one replication."""

    @property
    def numbers(self) -> list[float]:
        """The values that are numbers."""
        return [value for value in self.values if isinstance(value, float)]

    @property
    def estimate(self) -> Estimate | None:
        """The mean over the replications with its interval; None if there is no number, or one is missing."""
        numbers = self.numbers
        if not numbers or len(numbers) < len(self.values):
            return None
        if len(numbers) == 1 and self.within_run is not None:
            return Estimate(numbers[0], *self.within_run[:1], 1, self.within_run[1])
        return over_replications(numbers)

    @property
    def word(self) -> str | None:
        """The setting, if it is a word."""
        words = {value for value in self.values if isinstance(value, str)}
        return words.pop() if len(words) == 1 else None


@dataclass(frozen=True)
class Measured:
    """A metric at all points."""

    metric: Metric
    groups: tuple[int, ...]
    """The groups of axes it has a value for; a derived metric has lost some."""
    cells: Mapping[Places, Cell]
    """By the places in these groups."""


def measure(plan: Plan, result_of: Callable[[str], Results | None]) -> dict[str, Measured]:
    """Every metric of a study, by name.

    Args:
        plan: The points and their jobs.
        result_of: The result of a job by its key; None if there is none.
    """
    study = plan.study
    results = {places: [result_of(job.key) for job in jobs] for places, jobs in plan.jobs.items()}
    found: dict[str, Measured] = {}
    for metric in study.metrics:
        match metric.rule:
            case Formula():
                found[metric.name] = by_formula(study, metric, metric.rule, found)
            case Along():
                found[metric.name] = by_axis(study, metric, metric.rule, found)
            case _:
                cells = {places: direct(metric, plan, places, runs) for places, runs in results.items()}
                found[metric.name] = Measured(metric, tuple(range(len(study.groups))), cells)
    return found


def direct(metric: Metric, plan: Plan, places: Places, runs: Sequence[Results | None]) -> Cell:
    """A metric that each run gives by itself."""
    factor = units.factor_of(metric.unit)
    match metric.rule:
        case Setting(key=key):
            return Cell(tuple(in_base(setting_of(job.scenario, key), metric) for job in plan.jobs[places]))
        case Interval():
            times = [None if run is None else look_up(run, f"traces.{metric.name}") for run in runs]
            return Cell(tuple(time / factor if isinstance(time, (int, float)) else None for time in times))
        case Figure():
            path = path_at(plan.study, metric.rule.path, places)
            values = [None if run is None else number_at(run, path) for run in runs]
            half = None if len(runs) != 1 or runs[0] is None else half_width(runs[0], path)
            return Cell(
                tuple(None if value is None else value / factor for value in values),
                None if half is None else (half[0] / factor, half[1]),
            )
    raise TypeError(metric.rule)


def in_base(value: object, metric: Metric) -> Number:
    """A setting as a number in the metric's unit, or as the word it is."""
    if isinstance(value, bool):
        return str(value).lower() if not metric.unit else float(value)
    if isinstance(value, (int, float)):
        return float(value) / units.factor_of(metric.unit)
    if isinstance(value, list) and len(value) == 1:
        return in_base(value[0], metric)
    if not isinstance(value, str):
        return None
    quantity = units.read_quantity(value)
    if quantity is None or not metric.unit:
        return value
    return quantity[0] / units.factor_of(metric.unit)


def path_at(study: Study, path: str, places: Places) -> str:
    """The path of a figure at a point: `finished_s.{drive}` is `finished_s.3` where the axis `drive` is 3."""
    for axis in study.axes:
        number = axis.values[places[study.group_of(axis.name)]].number
        if number is not None:
            path = path.replace(f"{{{axis.name}}}", units.short(number))
    return path


def look_up(content: object, path: str) -> object:
    """What stands at a path of nested tables and lists; None if there is nothing."""
    for part in path.split("."):
        if isinstance(content, Mapping) and part in content:
            content = content[part]
        elif isinstance(content, Sequence) and not isinstance(content, str) and part.isdigit():
            content = content[int(part)] if int(part) < len(content) else None
        else:
            return None
    return content


def number_at(run: Results, path: str) -> float | None:
    """A figure of the summary in base units."""
    value = look_up(run, f"summary.{path}")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return units.base_of_figure(path, float(value))


def half_width(run: Results, path: str) -> tuple[float, str] | None:
    """Half the width of the interval that the run gives for a figure, if it does, and how it was formed."""
    parent, _, last = path.rpartition(".")
    if last == "mean":
        value = look_up(run, f"summary.{parent}.ci95")
        method = "batch means within the run"
    else:
        value = look_up(run, f"summary.{parent}.ci95_{last}" if parent else f"summary.ci95_{last}")
        method = "batches within the run"
    return (float(value), method) if isinstance(value, (int, float)) else None


def by_formula(study: Study, metric: Metric, rule: Formula, known: Mapping[str, Measured]) -> Measured:
    """A metric that is computed from others at the same point."""
    parts = {name: known[name] for name in rule.names if name in known}
    axes = [axis for axis in study.axes if axis.name in rule.names]
    groups = {study.group_of(axis.name) for axis in axes}.union(*(part.groups for part in parts.values()))
    ordered = tuple(sorted(groups))
    lengths = study.lengths()
    cells: dict[Places, Cell] = {}
    for places in itertools.product(*(range(lengths[group]) for group in ordered)):
        inner = {name: part.cells.get(project(places, ordered, part.groups)) for name, part in parts.items()}
        if any(cell is None for cell in inner.values()):
            continue
        present = {name: cell for name, cell in inner.items() if cell is not None}
        count = min((len(cell.values) for cell in present.values()), default=1)
        values: list[Number] = []
        for replication in range(count):
            numbers = {name: cell.values[replication] for name, cell in present.items()}
            for axis in axes:
                numbers[axis.name] = axis.values[places[ordered.index(study.group_of(axis.name))]].number
            usable = {name: number for name, number in numbers.items() if isinstance(number, float)}
            values.append(formula.evaluate(rule.text, usable) if len(usable) == len(numbers) else None)
        cells[places] = Cell(tuple(values))
    return Measured(metric, ordered, cells)


def project(places: Places, groups: Sequence[int], onto: Sequence[int]) -> Places:
    """The part of a point that belongs to some of its groups."""
    return tuple(places[groups.index(group)] for group in onto)


def by_axis(study: Study, metric: Metric, rule: Along, known: Mapping[str, Measured]) -> Measured:
    """A metric that says what becomes of another one along an axis."""
    inner = known[rule.of]
    axis = study.axis(rule.axis)
    gone = study.group_of(rule.axis)
    left = tuple(group for group in inner.groups if group != gone)
    if gone not in inner.groups:
        return Measured(metric, inner.groups, {})
    lengths = study.lengths()
    cells: dict[Places, Cell] = {}
    for places in itertools.product(*(range(lengths[group]) for group in left)):
        line = []
        for index in chosen(axis, rule):
            full = tuple(index if group == gone else places[left.index(group)] for group in inner.groups)
            line.append((axis.values[index], inner.cells.get(full)))
        if any(cell is None for _, cell in line):
            continue
        present = [(value, cell) for value, cell in line if cell is not None]
        count = min(len(cell.values) for _, cell in present)
        unit = units.factor_of(metric.unit) if units.dimension_of(metric.unit) != units.PLAIN else 1.0
        values: list[Number] = []
        for replication in range(count):
            numbers = [(value, cell.values[replication]) for value, cell in present]
            usable = [(value, number) for value, number in numbers if isinstance(number, float)]
            values.append(take(rule, usable, unit) if len(usable) == len(numbers) else None)
        cells[places] = Cell(tuple(values))
    return Measured(metric, left, cells)


def chosen(axis: Axis, rule: Along) -> list[int]:
    """The values of the axis that a derived metric looks at."""
    if rule.between is not None:
        return [index for label in rule.between for index in sorted(axis.indices(label))[:1]]
    return part_of(axis, rule.over)


def part_of(axis: Axis, over: tuple[str, str] | None) -> list[int]:
    """The places of an axis from one value to another, both included."""
    if over is None:
        return list(range(len(axis.values)))
    ends = [sorted(axis.indices(label)) for label in over]
    if not ends[0] or not ends[1]:
        return []
    low, high = ends[0][0], ends[1][-1]
    return list(range(min(low, high), max(low, high) + 1))
