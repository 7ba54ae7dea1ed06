"""The long frame of a study: what its rows mean, and how the points lie in it.

One row is one metric at one point: `point`, a column with the label of each axis and one with its number
(`<axis>_value`, in the unit the axis is shown in), `metric`, `value`, `half_width_95`, `n`, `method`, `unit`. A metric
that was derived along an axis lacks that axis: its label is null there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from sansim.study.model import DOUBT, Axis
from sansim.study.units import factor_of

if TYPE_CHECKING:
    import polars as pl

FIXED = ("point", "metric", "value", "half_width_95", "n", "method", "unit")
"""Columns that every long frame has; no axis may have such a name."""

Labels: TypeAlias = "tuple[str | None, ...]"
"""Where a point lies: the label on each axis, None on an axis that the metric lacks."""


@dataclass(frozen=True)
class Cell:
    """A metric at a point."""

    value: float | None
    half_width_95: float | None
    n: int | None
    method: str

    @property
    def doubtful(self) -> bool:
        """Whether the run that gave the value doubts its interval."""
        return self.method.endswith(DOUBT)

    @property
    def word(self) -> str | None:
        """The word of a setting that is no number; it is stored in place of the method."""
        return self.method or None if self.value is None and self.n is None else None


@dataclass
class Row:
    """A point with its metrics."""

    labels: Labels
    point: int | None
    """Its number; None if metrics of several points stand here, as one derived along an axis."""
    numbers: tuple[float | None, ...]
    """Its places as numbers, in the unit the axis is shown in."""
    cells: dict[str, Cell] = field(default_factory=dict)


def axis_names(frame: pl.DataFrame) -> list[str]:
    """The axes of a frame, read off its columns."""
    names = set(frame.columns)
    return [name for name in frame.columns if name not in FIXED and f"{name}_value" in names]


def units(frame: pl.DataFrame) -> dict[str, str]:
    """The metrics of a frame in their order, and the unit of each ("" if it has none)."""
    found: dict[str, str] = {}
    for metric, unit in frame.select("metric", "unit").iter_rows():
        found[metric] = found.get(metric) or unit or ""
    return found


def with_unit(name: str, unit: str | None) -> str:
    """A heading: `Throughput [MiB/s]`."""
    return f"{name} [{unit}]" if unit else name


def finite(value: float | None) -> float | None:
    """A number that can be shown or drawn, or None."""
    return value if value is not None and math.isfinite(value) else None


def rows(frame: pl.DataFrame, axes: Sequence[str]) -> list[Row]:
    """The points of a frame, each with its metrics, in the order in which they appear.

    Raises:
        ValueError: A metric has two values at a point.
    """
    found: dict[Labels, Row] = {}
    for record in frame.iter_rows(named=True):
        labels = tuple(record[name] for name in axes)
        numbers = tuple(record[f"{name}_value"] for name in axes)
        row = found.setdefault(labels, Row(labels, record["point"], numbers))
        if row.point != record["point"]:
            row.point = None
        if record["metric"] in row.cells:
            place = ", ".join(f"{name} = {label}" for name, label in zip(axes, labels, strict=True))
            raise ValueError(f"metric '{record['metric']}' has two values at {place or 'the only point'}")
        cell = Cell(record["value"], record["half_width_95"], record["n"], record["method"] or "")
        row.cells[record["metric"]] = cell
    return list(found.values())


def ordered(points: Sequence[Row], axes: Sequence[Axis], first: int = 0) -> list[Row]:
    """Points in the order of the axes from the given one on, the last one fastest, whatever the order of the frame."""
    places = [{label: place for place, label in enumerate(dict.fromkeys(axis.labels))} for axis in axes]

    def key(row: Row) -> tuple[tuple[int, str], ...]:
        return tuple(
            (-1, "") if label is None else (known.get(label, len(known)), label)
            for known, label in zip(places[first:], row.labels[first:], strict=True)
        )

    return sorted(points, key=key)


def axes_of_metrics(frame: pl.DataFrame, axes: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The axes of each metric; one that was derived along an axis lacks it."""
    present: dict[str, set[str]] = {}
    for record in frame.select("metric", *axes).unique(maintain_order=True).iter_rows(named=True):
        here = present.setdefault(record["metric"], set())
        here.update(name for name in axes if record[name] is not None)
    return {metric: tuple(name for name in axes if name in here) for metric, here in present.items()}


def shown_numbers(axis: Axis) -> list[float | None]:
    """The places of an axis as numbers in the unit it is shown in."""
    factor = factor_of(axis.unit)
    return [None if value.number is None else value.number / factor for value in axis.values]
