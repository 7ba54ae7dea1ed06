"""Results of studies for the tests of their tables and plots, and a look at whether a plot's texts stand apart."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import polars as pl
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from sansim.study import units
from sansim.study.model import Axis, AxisValue, Metric, Setting, Study

ONE = "one replication, no interval"
Point = Mapping[str, AxisValue]
Found = float | str | tuple[float, float] | None
"""A metric at a point: a number, a word, a number with half the width of its interval, or nothing."""


def make_axis(name: str, labels: Sequence[str], unit: str = "", label: str = "") -> Axis:
    """An axis whose numbers are read off its labels."""
    values = []
    for text in labels:
        quantity = units.read_quantity(text)
        plain = text.replace(".", "", 1).isdecimal() and text.isascii()
        values.append(AxisValue(text, quantity[0] if quantity else float(text) if plain else None, ()))
    return Axis(name, label or name, unit, tuple(values))


def make_metric(name: str, unit: str = "", label: str = "") -> Metric:
    return Metric(name, label or name, unit, Setting("nothing"))


def make_study(axes: Sequence[Axis], metrics: Sequence[Metric], title: str = "A study") -> Study:
    return Study(
        file=Path("study.toml"),
        title=title,
        source="",
        description="",
        scenario_text="",
        scenario_name="",
        scenario_folder=Path(),
        settings=(),
        axes=tuple(axes),
        groups=tuple((axis.name,) for axis in axes),
        metrics=tuple(metrics),
    )


def make_frame(
    axes: Sequence[Axis],
    metrics: Sequence[Metric],
    find: Callable[[str, Point], Found],
    *,
    lost: Mapping[str, str] | None = None,
    points: Sequence[tuple[AxisValue, ...]] | None = None,
    replications: int = 5,
) -> pl.DataFrame:
    """A long frame; `lost` names the axis along which a metric was derived."""
    rows: dict[tuple[object, ...], dict[str, object]] = {}
    combinations = list(itertools.product(*(axis.values for axis in axes))) if points is None else points
    for metric in metrics:
        gone = (lost or {}).get(metric.name)
        for place, values in enumerate(combinations):
            found = find(metric.name, {axis.name: value for axis, value in zip(axes, values, strict=True)})
            if found is None:
                continue
            row: dict[str, object] = {"point": None if gone else place}
            for axis, value in zip(axes, values, strict=True):
                shown = None if value.number is None else value.number / units.factor_of(axis.unit)
                row |= {axis.name: value.label, f"{axis.name}_value": shown}
                if axis.name == gone:
                    row |= {axis.name: None, f"{axis.name}_value": None}
            number_or_word, half = found if isinstance(found, tuple) else (found, None)
            word = isinstance(number_or_word, str)
            many = f"{replications} independent replications, Student t, 95 %"
            rows.setdefault(
                (metric.name, *(row[axis.name] for axis in axes)),
                row
                | {
                    "metric": metric.name,
                    "value": None if word else number_or_word,
                    "half_width_95": half,
                    "n": None if word else 1 if half is None else replications,
                    "method": number_or_word if word else ONE if half is None else many,
                    "unit": metric.unit,
                },
            )
    schema: dict[str, pl.DataType] = {"point": pl.Int64()}
    for axis in axes:
        schema |= {axis.name: pl.String(), f"{axis.name}_value": pl.Float64()}
    schema |= {"metric": pl.String(), "value": pl.Float64(), "half_width_95": pl.Float64()}
    schema |= {"n": pl.Int64(), "method": pl.String(), "unit": pl.String()}
    return pl.DataFrame(list(rows.values()), schema=schema, orient="row")


def published_frame(axes: Sequence[Axis], rows: Sequence[Sequence[object]], metric: str = "throughput") -> pl.DataFrame:
    """The frame of published values: the labels on each axis, then the value."""
    columns: dict[str, list[object]] = {"id": [f"W-{n}" for n in range(len(rows))], "metric": [metric] * len(rows)}
    for place, axis in enumerate(axes):
        columns[axis.name] = [row[place] for row in rows]
    values = [row[len(axes)] for row in rows]
    columns |= {"value": values, "low": values, "high": values, "ours": values}
    columns |= {"unit": ["MiB/s"] * len(rows), "verdict": ["pass"] * len(rows)}
    floats = dict.fromkeys(("value", "low", "high", "ours"), pl.Float64)
    return pl.DataFrame(columns, schema_overrides=floats | {axis.name: pl.String for axis in axes})


def boxes(figure: Figure) -> dict[str, Bbox]:
    """Where every text that is seen stands, in pixels."""
    found: dict[str, Bbox] = {}

    def add(name: str, text: Text) -> None:
        if text.get_visible() and text.get_text():
            found[f"{name}: {text.get_text()}"] = text.get_window_extent()

    figure.draw_without_rendering()
    for text in figure.texts:
        add("title", text)
    for number, axes in enumerate(figure.axes):
        add(f"{number} title", axes._left_title)  # type: ignore[attr-defined]
        for which, axis, limits in (("x", axes.xaxis, axes.get_xlim()), ("y", axes.yaxis, axes.get_ylim())):
            add(f"{number} {which}", axis.label)
            for tick in axis.get_major_ticks():
                if limits[0] <= tick.get_loc() <= limits[1] and tick.label1.get_visible():
                    add(f"{number} {which} tick {tick.get_loc()}", tick.label1)
    for legend in figure.legends:
        found["legend"] = legend.get_window_extent()
        found |= {f"panel {number}": axes.get_window_extent() for number, axes in enumerate(figure.axes)}
    return found


def check_layout(figure: Figure) -> None:
    """Complains about what covers something else or lies outside the figure."""
    found = boxes(figure)
    sheet = figure.bbox.padded(1.5)
    turned = any(text.get_rotation() for axes in figure.axes for text in axes.get_xticklabels())
    for name, box in found.items():
        assert sheet.x0 <= box.x0 <= box.x1 <= sheet.x1, name
        assert sheet.y0 <= box.y0 <= box.y1 <= sheet.y1, name
    for (one, a), (other, b) in itertools.combinations(found.items(), 2):
        # A turned text has a box that is larger than itself.
        if turned and " x " in one + other:
            continue
        overlap = Bbox.intersection(a.padded(-1), b.padded(-1))
        assert overlap is None or overlap.width <= 0 or overlap.height <= 0, f"{one} and {other}"
    for axes in figure.axes:
        assert axes.get_window_extent().width > 100, "a panel is too narrow"
        assert axes.get_window_extent().height > 80, "a panel is too low"
        legend = axes.get_legend()
        if legend:
            box = legend.get_window_extent()
            for line in axes.lines:
                points = line.get_transform().transform(line.get_xydata())
                assert not any(box.contains(*point) for point in points), "the legend covers points"
