"""The results of a study as data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from sansim.study import units
from sansim.study.measure.metrics import Cell, Measured
from sansim.study.model import Axis, Places, Study, Value
from sansim.study.points.plan import Plan
from sansim.study.verdict import Verdict


def long_frame(plan: Plan, measured: Mapping[str, Measured]) -> pl.DataFrame:
    """A row per point and metric.

    Columns: `point` (its number, none for a derived metric), for each axis its label and, as `<axis>_value`, its number
    in the unit in which it is shown, then `metric`, `value`, `half_width_95`, `n` (replications), `method` (how the
    interval was formed) and `unit`. An axis along which a metric was derived is null.
    """
    study = plan.study
    numbers = {point.places: point.number for point in plan.points}
    rows: list[dict[str, object]] = []
    for metric in study.metrics:
        found = measured[metric.name]
        for places, cell in found.cells.items():
            row: dict[str, object] = {"point": numbers.get(places) if len(found.groups) == len(study.groups) else None}
            for axis in study.axes:
                row |= coordinates(study, axis, found, places)
            rows.append({**row, "metric": metric.name, **figures(cell), "unit": metric.unit})
    return pl.DataFrame(rows, schema=schema_of(study), orient="row")


def schema_of(study: Study) -> dict[str, pl.DataType]:
    """The columns of the long frame."""
    text, number, whole = pl.String(), pl.Float64(), pl.Int64()
    schema: dict[str, pl.DataType] = {"point": whole}
    for axis in study.axes:
        schema |= {axis.name: text, f"{axis.name}_value": number}
    tail: dict[str, pl.DataType] = {"metric": text, "value": number, "half_width_95": number, "n": whole}
    return {**schema, **tail, "method": text, "unit": text}


def coordinates(study: Study, axis: Axis, measured: Measured, places: Places) -> dict[str, object]:
    """Label and number of an axis at a place; nothing if the metric has lost the axis."""
    group = study.group_of(axis.name)
    if group not in measured.groups:
        return {axis.name: None, f"{axis.name}_value": None}
    value = axis.values[places[measured.groups.index(group)]]
    number = None if value.number is None else value.number / units.factor_of(axis.unit)
    return {axis.name: value.label, f"{axis.name}_value": number}


def figures(cell: Cell) -> dict[str, object]:
    """Value, interval and method of a cell."""
    estimate = cell.estimate
    if estimate is None:
        # The word of a setting is in the place of a method.
        return {"value": None, "half_width_95": None, "n": None, "method": cell.word or ""}
    half_width = estimate.half_width_95
    return {"value": estimate.mean, "half_width_95": half_width, "n": estimate.n, "method": estimate.method}


def published_frame(study: Study, measured: Mapping[str, Measured], verdicts: Sequence[Verdict]) -> pl.DataFrame:
    """A row per published number that belongs to one place.

    Columns: `id`, `metric`, the axes as in the long frame, `value`, `low`, `high`, `ours`, `unit`, `verdict`. Numbers
    are in the unit of the metric, so that they can be drawn beside ours.
    """
    rows: list[dict[str, object]] = []
    for row, verdict in zip(study.expected, verdicts, strict=False):
        if not isinstance(row.check, Value) or len(verdict.places) != 1:
            continue
        found = measured[row.metric]
        factor = units.factor_of(row.unit) / units.factor_of(found.metric.unit)
        record: dict[str, object] = {"id": row.target, "metric": row.metric}
        for axis in study.axes:
            record |= coordinates(study, axis, found, verdict.places[0])
        scaled = {"value": row.check.value, "low": verdict.low, "high": verdict.high, "ours": verdict.ours}
        numbers = {name: number * factor if isinstance(number, float) else None for name, number in scaled.items()}
        rows.append({**record, **numbers, "unit": found.metric.unit, "verdict": verdict.verdict})
    text, number = pl.String(), pl.Float64()
    schema: dict[str, pl.DataType] = {"id": text, "metric": text}
    for axis in study.axes:
        schema |= {axis.name: text, f"{axis.name}_value": number}
    schema |= {"value": number, "low": number, "high": number, "ours": number, "unit": text, "verdict": text}
    return pl.DataFrame(rows, schema=schema, orient="row")
