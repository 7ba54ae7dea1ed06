"""Results for other programs: CSV, Parquet, xarray."""

from __future__ import annotations

import csv as csv_format
import io
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sansim.file_types import PARQUET
from sansim.files import whole_file, write_parquet
from sansim.study.model import Axis, Metric
from sansim.study.table.frame import Row, axis_names, ordered, rows, shown_numbers, units, with_unit

if TYPE_CHECKING:
    import polars as pl
    import xarray as xr


def csv(frame: pl.DataFrame, axes: Sequence[Axis] = ()) -> str:
    """The results as wide CSV (RFC 4180, UTF-8, lines end in CRLF: write it as bytes or with newline="").

    A row is a point: its number, the label on each axis, the number there if it has one, and for each metric the value
    and half the width of its 95 % interval, with the unit in the heading (`throughput [MiB/s]`, `throughput ci95
    [MiB/s]`). Numbers have all their digits. Missing values are empty. A metric that was derived along an axis is in
    rows in which that axis is empty.

    Args:
        frame: The long frame.
        axes: For the order of the points and the units of the axes; without them the rows stay as they are.
    """
    names = axis_names(frame)
    points = rows(frame, names)
    known = {axis.name: axis for axis in axes}
    if known.keys() >= set(names):
        points = ordered(points, [known[name] for name in names])
    numeric = [name for name in names if frame[f"{name}_value"].is_not_null().any()]
    header = ["point"]
    for name in names:
        header.append(name)
        if name in numeric:
            header.append(with_unit(f"{name}_value", known[name].unit if name in known else None))
    metrics = units(frame)
    for metric, unit in metrics.items():
        header += [with_unit(metric, unit), with_unit(f"{metric} ci95", unit)]
    lines = [[text(value) for value in record(row, names, numeric, metrics)] for row in points]
    return csv_text([header, *lines])


def record(row: Row, names: Sequence[str], numeric: Sequence[str], metrics: dict[str, str]) -> list[object]:
    """The fields of a point."""
    fields: list[object] = [row.point]
    for name, label, number in zip(names, row.labels, row.numbers, strict=True):
        fields += [label, number] if name in numeric else [label]
    for metric in metrics:
        cell = row.cells.get(metric)
        fields += [cell.word or cell.value, cell.half_width_95] if cell else [None, None]
    return fields


def text(value: object) -> str:
    """A field, with every digit of a number."""
    if value is None:
        return ""
    return repr(value) if isinstance(value, float) else str(value)


def csv_text(lines: Sequence[Sequence[str]]) -> str:
    """CSV as RFC 4180 has it."""
    file = io.StringIO(newline="")
    csv_format.writer(file).writerows(lines)
    return file.getvalue()


def parquet(frame: pl.DataFrame, file: str | os.PathLike[str], *, force: bool = False) -> None:
    """Writes the long frame as a Parquet file into a folder of results, whole or not at all.

    Raises:
        OtherKindError: Something else has the name, and `force` is not given.
        OSError: It cannot be written, or a folder has the name.
    """
    with whole_file(file, PARQUET, force=force, linked=False) as place:
        write_parquet(frame, place)


def to_xarray(
    axes: Sequence[Axis],
    frame: pl.DataFrame,
    metrics: Sequence[Metric] = (),
    groups: Sequence[Sequence[str]] = (),
) -> xr.Dataset:
    """The results as an xarray dataset: a dimension per axis, a variable per metric.

    Axes that advance together share the dimension of the first of them. Coordinates are numbers in the unit the axis is
    shown in, if it has them, else labels. Half the width of a metric's 95 % interval is the variable `<metric>_ci95`.
    Points that are missing are NaN; of a setting that is a word they are empty.

    Args:
        axes: The axes of the study.
        frame: The long frame.
        metrics: For their labels; without them a metric's name serves.
        groups: Which axes advance together, by name, as in the study; those not named advance alone.

    Raises:
        ImportError: xarray is not installed.
        ValueError: Two variables would have the same name, or a metric has two values at a point.
    """
    try:
        import xarray as xr
    except ImportError:
        raise ImportError('this needs xarray; install it with: pip install "sansim[xarray]"') from None
    import numpy as np

    together = dimensions(axes, groups)
    names = [axis.name for axis in axes]
    labels = {metric.name: metric.label for metric in metrics}
    coordinates = {axis.name: coordinate(axis, group[0].name) for group in together for axis in group}
    variables: dict[str, Any] = {}
    for metric, unit in units(frame).items():
        points = rows(frame.filter(frame["metric"] == metric), names)
        # One derived along an axis lacks its dimension.
        mine = [group for group in together if any(places(group, names, row) for row in points)]
        shape = [len(group[0].values) for group in mine]
        words = any(row.cells[metric].word for row in points)
        values, halves = (
            np.full(shape, "" if words else np.nan, dtype=object if words else float),
            np.full(shape, np.nan),
        )
        for row in points:
            place = tuple(place_of(group, names, row) for group in mine)
            cell = row.cells[metric]
            nothing = "" if words else np.nan
            values[place] = cell.word or (nothing if cell.value is None else cell.value)
            halves[place] = np.nan if cell.half_width_95 is None else cell.half_width_95
        dims = [group[0].name for group in mine]
        label = labels.get(metric, metric)
        methods = {row.cells[metric].method for row in points if not row.cells[metric].word} - {""}
        about = {
            "units": unit,
            "long_name": f"half width of the 95 % interval of {label}",
            "method": "; ".join(sorted(methods)),
        }
        for name, content in (
            (metric, (dims, values, {"units": unit, "long_name": label})),
            (f"{metric}_ci95", (dims, halves, about)),
        ):
            if name in variables or name in coordinates:
                raise ValueError(f"two things would be called '{name}' in the dataset; rename the metric '{metric}'")
            variables[name] = content
    return xr.Dataset(variables, coordinates)


def dimensions(axes: Sequence[Axis], groups: Sequence[Sequence[str]]) -> list[list[Axis]]:
    """The axes of each dimension."""
    known = {axis.name: axis for axis in axes}
    grouped = {name for group in groups for name in group}
    return [
        *([known[name] for name in group] for group in groups),
        *([axis] for axis in axes if axis.name not in grouped),
    ]


def places(group: Sequence[Axis], names: Sequence[str], row: Row) -> frozenset[int]:
    """Where on a dimension a point may lie; nowhere if it lacks the dimension."""
    found: frozenset[int] | None = None
    for axis in group:
        label = row.labels[names.index(axis.name)]
        if label is not None:
            found = axis.indices(label) if found is None else found & axis.indices(label)
    return found or frozenset()


def place_of(group: Sequence[Axis], names: Sequence[str], row: Row) -> int:
    """The place of a point on a dimension.

    Raises:
        ValueError: There is none, or several.
    """
    found = places(group, names, row)
    if len(found) != 1:
        here = ", ".join(
            f"{name} = {label}" for name, label in zip(names, row.labels, strict=True) if label is not None
        )
        raise ValueError(f"the axes do not tell where the point with {here} lies")
    return next(iter(found))


def coordinate(axis: Axis, dimension: str) -> Any:
    """The places of an axis as xarray takes them: numbers if all of them have one, else labels."""
    numbers = shown_numbers(axis)
    # As index of a dimension they have to tell the places apart.
    if None in numbers or (axis.name == dimension and len(set(numbers)) < len(numbers)):
        return dimension, list(axis.labels), {"long_name": axis.label}
    return dimension, numbers, {"long_name": axis.label} | ({"units": axis.unit} if axis.unit else {})
