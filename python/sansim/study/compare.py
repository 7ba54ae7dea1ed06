"""Two designs beside each other: the difference of every metric, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sansim.study.measure.metrics import Cell, project
from sansim.study.measure.statistics import Estimate, paired_difference, unpaired_difference
from sansim.study.model import Axis, Places
from sansim.study.points.plan import seed_of
from sansim.study.session import Outcome

Seeds: TypeAlias = tuple[int, ...]
"""The seeds of the replications of a point."""


@dataclass(frozen=True)
class Difference:
    """A metric of two designs at the same point of everything else."""

    where: str
    metric: str
    unit: str
    first: float
    second: float
    difference: Estimate
    """First minus second."""

    @property
    def gain(self) -> float | None:
        """How much larger the first is, in per cent of the second."""
        return 100 * (self.first / self.second - 1) if self.second else None


def compare_values(
    outcome: Outcome, axis: Axis, first: str, second: str, metrics: Sequence[str] = ()
) -> list[Difference]:
    """Compares two values of an axis at all values of the other axes.

    Args:
        outcome: The results.
        axis: The axis whose values are the two designs.
        first: Label of one.
        second: Label of the other.
        metrics: Names of the metrics; all if none is given.
    """
    study = outcome.study
    gone = study.group_of(axis.name)
    indices = [min(axis.indices(label)) for label in (first, second)]
    found = []
    for name, measured in outcome.measured.items():
        if (metrics and name not in metrics) or gone not in measured.groups:
            continue
        at = measured.groups.index(gone)
        others = (*measured.groups[:at], *measured.groups[at + 1 :])
        seeds = seeds_of(outcome, measured.groups)
        for places, cell in measured.cells.items():
            opposite = (*places[:at], indices[1], *places[at + 1 :])
            other = measured.cells.get(opposite)
            if places[at] != indices[0] or other is None:
                continue
            where = study.in_words((*places[:at], *places[at + 1 :]), others)
            paired = common(seeds.get(places, ()), seeds.get(opposite, ()))
            row = difference(where, name, measured.metric.unit, cell, other, paired=paired)
            found.extend([] if row is None else [row])
    return found


def compare_studies(first: Outcome, second: Outcome, metrics: Sequence[str] = ()) -> list[Difference]:
    """Compares two studies at the points that both have, by the labels of the axes."""
    found = []
    for name, measured in first.measured.items():
        other = second.measured.get(name)
        if other is None or (metrics and name not in metrics) or other.metric.unit != measured.metric.unit:
            continue
        theirs = {labels_of(second, other.groups, places): places for places in other.cells}
        seeds, their_seeds = seeds_of(first, measured.groups), seeds_of(second, other.groups)
        for places, cell in measured.cells.items():
            opposite = theirs.get(labels_of(first, measured.groups, places))
            if opposite is None:
                continue
            where = first.study.in_words(places, measured.groups)
            paired = common(seeds.get(places, ()), their_seeds.get(opposite, ()))
            row = difference(where, name, measured.metric.unit, cell, other.cells[opposite], paired=paired)
            found.extend([] if row is None else [row])
    return found


def seeds_of(outcome: Outcome, groups: Sequence[int]) -> dict[Places, Seeds]:
    """The seeds of the runs behind each place on some groups of axes.

    Where several points are behind a place, as behind a metric that was derived along an axis, those of one of them.
    """
    every = outcome.study.every_group
    return {project(places, every, groups): tuple(map(seed_of, jobs)) for places, jobs in outcome.plan.jobs.items()}


def common(first: Seeds, second: Seeds) -> bool:
    """Whether two designs met the same random numbers, as far as both were run."""
    return all(one == other for one, other in zip(first, second, strict=False))


def labels_of(outcome: Outcome, groups: Sequence[int], places: Sequence[int]) -> frozenset[tuple[str, str]]:
    """A point by the labels of its axes."""
    study = outcome.study
    return frozenset(
        (axis.name, axis.values[places[groups.index(study.group_of(axis.name))]].label)
        for axis in study.axes
        if study.group_of(axis.name) in groups
    )


def difference(where: str, metric: str, unit: str, first: Cell, second: Cell, *, paired: bool) -> Difference | None:
    """The difference of a metric at two points.

    Args:
        where: The point, in words.
        metric: The name of the metric.
        unit: Its unit.
        first: The metric of one design.
        second: That of the other.
        paired: Whether replications of the same number had the same random numbers.
    """
    if first.estimate is None or second.estimate is None:
        return None
    a, b = first.numbers, second.numbers
    if paired:
        # By the rule of precision one may have more than the other.
        count = min(len(a), len(b))
        a, b = a[:count], b[:count]
    estimate = paired_difference(a, b) if paired else unpaired_difference(a, b)
    return Difference(where, metric, unit, sum(a) / len(a), sum(b) / len(b), estimate)
