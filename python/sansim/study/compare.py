"""Two designs beside each other: the difference of every metric, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sansim.study.measure import Cell
from sansim.study.model import Axis
from sansim.study.session import Outcome
from sansim.study.statistics import Estimate, paired_difference


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
    indices = [sorted(axis.indices(label)) for label in (first, second)]
    found = []
    for name, measured in outcome.measured.items():
        if (metrics and name not in metrics) or gone not in measured.groups or not all(indices):
            continue
        at = measured.groups.index(gone)
        for places, cell in measured.cells.items():
            if places[at] != indices[0][0]:
                continue
            other = measured.cells.get((*places[:at], indices[1][0], *places[at + 1 :]))
            where = ", ".join(
                f"{inner.name} = {inner.values[places[measured.groups.index(study.group_of(inner.name))]].label}"
                for inner in study.axes
                if study.group_of(inner.name) != gone and study.group_of(inner.name) in measured.groups
            )
            row = None if other is None else difference(where, name, measured.metric.unit, cell, other)
            found.extend([] if row is None else [row])
    return found


def compare_studies(first: Outcome, second: Outcome, metrics: Sequence[str] = ()) -> list[Difference]:
    """Compares two studies at the points that both have, by the labels of the axes."""
    found = []
    for name, measured in first.measured.items():
        other = second.measured.get(name)
        if other is None or (metrics and name not in metrics) or other.metric.unit != measured.metric.unit:
            continue
        theirs = {labels_of(second, other.groups, places): cell for places, cell in other.cells.items()}
        for places, cell in measured.cells.items():
            labels = labels_of(first, measured.groups, places)
            if labels in theirs:
                where = ", ".join(f"{axis} = {label}" for axis, label in sorted(labels))
                row = difference(where, name, measured.metric.unit, cell, theirs[labels])
                found.extend([] if row is None else [row])
    return found


def labels_of(outcome: Outcome, groups: Sequence[int], places: Sequence[int]) -> frozenset[tuple[str, str]]:
    """A point by the labels of its axes."""
    study = outcome.study
    return frozenset(
        (axis.name, axis.values[places[groups.index(study.group_of(axis.name))]].label)
        for axis in study.axes
        if study.group_of(axis.name) in groups
    )


def difference(where: str, metric: str, unit: str, first: Cell, second: Cell) -> Difference | None:
    """The difference of a metric at two points that were run on common random numbers."""
    count = min(len(first.numbers), len(second.numbers))
    if first.estimate is None or second.estimate is None or count == 0:
        return None
    a, b = first.numbers[:count], second.numbers[:count]
    return Difference(where, metric, unit, sum(a) / count, sum(b) / count, paired_difference(a, b))
