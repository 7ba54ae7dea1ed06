"""Metrics of a study file that are taken of another one along an axis."""

from __future__ import annotations

from sansim._core import Code
from sansim.study import units
from sansim.study.keys import words
from sansim.study.measure.series import natural_unit
from sansim.study.model import Along, Axis, Metric, Study
from sansim.study.read.document import Table
from sansim.study.read.values import must_measure, read_axis_name, read_number, read_pair, read_share
from sansim.study.suggest import suggestion

PLACES = ("peak", "knee", "elbow", "begins", "ends")
"""Results that are a value of the axis."""
LINES = ("slope", "intercept")
"""The ones that a straight line through the points has."""
COMPARED = ("ratio", "difference", "gain")
"""The ones that compare two values of the axis."""
LIMITED = ("begins", "ends")
"""The ones that ask from or up to where the metric is beyond a limit."""

BELONGS = {
    "per": ("slope",),
    "reach": ("knee",),
    "above": LIMITED,
    "below": LIMITED,
    "between": COMPARED,
    "over": tuple(take for take in words("metrics.NAME", "take") if take not in COMPARED),
}
"""Keys that have a meaning with some of them only."""
ALONG_KEYS = ("along", "take", *BELONGS)
"""The keys of such a metric besides `of`."""


def read_along(table: Table, study: Study, unit: str) -> tuple[Along | None, str]:
    """`of`, `along`, `take` and what belongs to them, with the unit."""
    of = table.text("of", example=f'"{study.metrics[0].name}"' if study.metrics else '"throughput"')
    item = table.item("of")
    inner = next((metric for metric in study.metrics if metric.name == of), None)
    if inner is None and item is not None and item.kind == "text" and of:
        help_ = suggestion(of, [metric.name for metric in study.metrics])
        table.findings.about(Code.NOT_MEASURED, item, f"there is no metric `{of}`", "", help_)
    axis = read_axis_name(table, "along", study.axes, needed=True)
    take = table.word("take", needed=True)
    if take:
        others = [key for key, takes in BELONGS.items() if take not in takes]
        table.has_no_use(others, f'has no meaning with take = "{take}"')
    if axis is None or inner is None or not take:
        return None, unit
    if study.group_of(axis.name) not in study.groups_of(inner):
        message = f"`{of}` is one value for all of the axis `{axis.name}`, so there is nothing to take along it"
        table.add(Code.UNKNOWN_AXIS, "along", message)
    check_axis(table, axis, take)
    rule = Along(
        of,
        axis.name,
        take,
        read_pair(table, "over", axis) if take not in COMPARED else None,
        read_pair(table, "between", axis) if take in COMPARED else None,
        read_share(table, "reach", "95 %") if take == "knee" else Along.reach,
        read_limit(table, "above", inner) if take in LIMITED else None,
        read_limit(table, "below", inner) if take in LIMITED else None,
        per=read_step(table, axis) if take == "slope" else 1.0,
        stepped=table.item("per") is not None,
    )
    natural = natural_unit(rule, axis, inner)
    if unit and units.dimension_of(natural) is not None and units.dimension_of(unit) is not None:
        must_measure(table, unit, units.dimension_of(natural) or "", f"the {take} of `{of}`")
    return rule, unit or (axis.unit if take in PLACES else natural)


def check_axis(table: Table, axis: Axis, take: str) -> None:
    """Notes what cannot be taken along an axis, or lacks what it needs."""
    if take in COMPARED and table.item("between") is None and axis.values:
        table.missing("between", f'["{axis.labels[-1]}", "{axis.labels[0]}"]')
    if take in LIMITED and (table.item("above") is None) == (table.item("below") is None):
        both = table.item("above") is not None
        message = f'take = "{take}" needs one of `above` and `below`{", not both" if both else ""}'
        table.add(Code.BAD_CHECK if both else Code.MISSING_KEY, "below" if both else "take", message)
    word = next((value for value in axis.values if value.number is None), None)
    if take in (*LINES, *PLACES) and word is not None:
        message = f"there is no {take} along `{axis.name}`, whose value `{word.label}` is no number"
        table.add(
            Code.BAD_CHECK, "along", message, "", "`cases` can have a number for each of their values: value = 12"
        )
    elif take in LINES and axis.values and len({value.number for value in axis.values}) < 2:
        table.add(Code.BAD_CHECK, "along", f"there is no {take} along `{axis.name}`, which has only one number")


def read_limit(table: Table, key: str, inner: Metric) -> float | None:
    """A limit in the unit of the metric that is looked at."""
    item = table.item(key)
    return None if item is None else read_number(table, item, inner.unit)


def read_step(table: Table, axis: Axis) -> float:
    """`per`: so much of the axis is one step of a slope, in base units. A bare number counts in base units, too."""
    item = table.item("per")
    if item is None:
        return 1.0
    step = read_number(table, item, units.base_unit(units.dimension_of(axis.unit) or ""))
    if step is not None and step <= 0:
        table.findings.about(Code.OUT_OF_RANGE, item, "`per` is out of range", "must be above 0")
    return step or 1.0
