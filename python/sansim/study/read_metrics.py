"""The metrics of a study file."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sansim.study import formula, units
from sansim.study.document import (
    BAD_CHECK,
    BAD_FORMULA,
    BAD_VALUE,
    NOT_MEASURED,
    OUT_OF_RANGE,
    UNKNOWN_AXIS,
    WRONG_TYPE,
    WRONG_UNIT,
    Item,
    Table,
    suggestion,
)
from sansim.study.model import Along, Axis, Figure, Formula, Interval, Metric, Rule, Setting

TAKES = (
    "slope",
    "intercept",
    "maximum",
    "minimum",
    "mean",
    "first",
    "last",
    "span",
    "spread",
    "peak",
    "knee",
    "begins",
    "ends",
    "ratio",
    "difference",
    "gain",
)
"""What can be taken of a metric along an axis."""
PLACES = ("peak", "knee", "begins", "ends")
"""Of these, the ones that are a value of the axis."""
WAYS = ("value", "setting", "formula", "of", "trace")
"""How a metric can be found; each metric has one of them."""


def read_metrics(study: Table, axes: Sequence[Axis]) -> tuple[Metric, ...]:
    """`[metrics.NAME]`, in an order in which each follows those that it needs."""
    findings = study.findings
    tables = study.tables("metrics")
    names = [name for name, _ in tables]
    if not tables and not any(finding[2] == "metrics" for finding in findings.found):
        study.missing("metrics.NAME", '{ value = "response_time_ns.mean", unit = "us" }')
    found: dict[str, Metric] = {}
    places: dict[str, Table] = {}
    for name, table in tables:
        metric = read_metric(name, table, axes, names)
        if metric is not None:
            found[name], places[name] = metric, table
        if name in [axis.name for axis in axes] or not name.isidentifier():
            message = f"`{name}` cannot be the name of a metric"
            help_ = "use letters, digits and _, and no name of an axis, so that formulas can name it"
            findings.add(BAD_VALUE, table.range, table.path, message, "", help_)
    return in_order(found, places)


def in_order(metrics: dict[str, Metric], places: dict[str, Table]) -> tuple[Metric, ...]:
    """The metrics such that each follows those it needs; a circle is reported."""
    ordered: dict[str, Metric] = {}
    waiting = dict(metrics)
    while waiting:
        ready = [name for name, metric in waiting.items() if not needs(metric) & set(waiting)]
        if not ready:
            name = next(iter(waiting))
            table = places[name]
            message = f"the metrics {', '.join(f'`{other}`' for other in waiting)} need each other"
            table.findings.add(BAD_FORMULA, table.range, table.path, message)
            break
        for name in ready:
            ordered[name] = waiting.pop(name)
    return (
        tuple(metric for name in metrics for metric in [ordered.get(name)] if metric is not None)
        if waiting
        else tuple(ordered.values())
    )


def needs(metric: Metric) -> frozenset[str]:
    """The metrics (and axes) a metric is made of."""
    match metric.rule:
        case Formula(names=names):
            return names
        case Along(of=of):
            return frozenset([of])
    return frozenset()


def read_metric(name: str, table: Table, axes: Sequence[Axis], names: Sequence[str]) -> Metric | None:
    """One metric."""
    findings = table.findings
    given = [way for way in WAYS if table.item(way) is not None]
    label, unit = table.text("label", name), table.text("unit")
    if len(given) != 1:
        message = f"`{table.path}` needs one of {', '.join(WAYS)}" + (f", not {' and '.join(given)}" if given else "")
        findings.add(BAD_CHECK, table.range, table.path, message, "", 'for instance value = "response_time_ns.mean"')
        for key in (*WAYS, "along", "take", "over", "between", "reach", "above", "below", "per"):
            table.item(key)
        table.finish()
        return None
    rule: Rule | None
    match given[0]:
        case "value":
            path = table.text("value")
            check_path(table, path, axes)
            rule, natural = Figure(path), units.dimension_of_figure(path)
            unit = unit or units.base_unit(natural)
            if unit and units.dimension_of(unit) != natural:
                wrong_unit(table, unit, natural)
        case "setting":
            rule = Setting(table.text("setting"))
        case "formula":
            rule = read_formula(table, axes, names)
        case "trace":
            rule, unit = read_interval(table), unit or "ns"
            if units.dimension_of(unit) != "time":
                wrong_unit(table, unit, "time")
        case _:
            rule = read_along(table, axes, names)
            unit = unit or unit_along(rule, axes)
    table.finish()
    return None if rule is None else Metric(name, label, unit, rule)


def check_path(table: Table, path: str, axes: Sequence[Axis]) -> None:
    """Whether what stands in braces is an axis with numbers."""
    counted = [axis.name for axis in axes if all(value.number is not None for value in axis.values)]
    for name in re.findall(r"\{(.*?)\}", path):
        if name not in counted:
            message = f"there is no axis `{name}` with numbers"
            at, key = table.place("value"), f"{table.path}.value"
            table.findings.add(UNKNOWN_AXIS, at, key, message, "", suggestion(name, counted))


def unit_along(rule: Along | None, axes: Sequence[Axis]) -> str:
    """The unit of a value of the axis; of anything else the study file has to say it."""
    if rule is None or rule.take not in PLACES:
        return "%" if rule is not None and rule.take in ("gain", "spread") else ""
    return next((axis.unit for axis in axes if axis.name == rule.axis), "")


def wrong_unit(table: Table, unit: str, natural: str) -> None:
    """Notes that a figure is not measured in such a unit."""
    known = [name for name, (dimension, _) in units.factors().items() if dimension == natural and name]
    message = f"this is a {natural}, which is not measured in `{unit}`"
    table.findings.add(WRONG_UNIT, table.place("unit"), f"{table.path}.unit", message, "", f"one of {', '.join(known)}")


def read_formula(table: Table, axes: Sequence[Axis], names: Sequence[str]) -> Formula | None:
    """`formula = "..."`."""
    text = table.text("formula")
    at = table.item("formula")
    if at is None or at.kind != "text":
        return None
    try:
        needed = formula.names(text)
    except formula.FormulaError as error:
        table.findings.add(BAD_FORMULA, at.range, at.path, f"this formula cannot be computed: {error}")
        return None
    known = [*names, *(axis.name for axis in axes)]
    for name in sorted(needed):
        if name not in known:
            help_ = suggestion(name, known)
            message = f"the formula names `{name}`, which is neither a metric nor an axis"
            table.findings.add(NOT_MEASURED, at.range, at.path, message, "", help_)
    wordy = [axis for axis in axes if axis.name in needed and any(value.number is None for value in axis.values)]
    for axis in wordy:
        message = f"the values of the axis `{axis.name}` are no numbers, so no formula can use them"
        table.findings.add(BAD_FORMULA, at.range, at.path, message, "", "give cases a `value`")
    return Formula(text, needed)


def read_interval(table: Table) -> Interval | None:
    """`trace = { from = "...", to = "..." }`."""
    from sansim.study.trace import PatternError, parse_pattern

    inner = table.table("trace")
    if inner is None:
        return None
    start = inner.text("from", example='"controller OPN"')
    end = inner.text("to", example='"drive[0] R_RDY"')
    inner.finish()
    for key, text in (("from", start), ("to", end)):
        try:
            parse_pattern(text)
        except PatternError as error:
            if inner.item(key) is not None:
                inner.findings.add(BAD_VALUE, inner.place(key), f"{inner.path}.{key}", str(error))
    return Interval(start, end)


def read_label(axis: Axis, item: Item, table: Table) -> str | None:
    """A value of an axis, by its label, its value or anything that means the same, as 65536 B for 64 KiB."""
    wanted = str(item.content) if item.kind == "text" else table.findings.written(item)
    if wanted in axis.labels:
        return wanted
    number: float | None = None
    if item.kind in ("integer", "float"):
        number = float(str(item.content))
    elif (quantity := units.read_quantity(wanted)) is not None:
        number = quantity[0]
    for value in axis.values:
        if number is not None and value.number == number:
            return value.label
        if any(text.strip('"') == wanted for _, text in value.overrides[:1]):
            return value.label
    help_ = suggestion(wanted, axis.labels) if len(axis.values) <= 20 else None
    table.findings.add(UNKNOWN_AXIS, item.range, item.path, f"the axis `{axis.name}` has no value {wanted}", "", help_)
    return None


def read_axis_name(table: Table, key: str, axes: Sequence[Axis], *, required: bool = True) -> Axis | None:
    """The name of an axis."""
    name = table.text(key, example='"size"' if required else None)
    item = table.item(key)
    if item is None or item.kind != "text":
        return None
    axis = next((axis for axis in axes if axis.name == name), None)
    if axis is None:
        help_ = suggestion(name, [axis.name for axis in axes])
        table.findings.add(UNKNOWN_AXIS, item.range, item.path, f"there is no axis `{name}`", "", help_)
    return axis


def read_pair(table: Table, key: str, axis: Axis) -> tuple[str, str] | None:
    """Two values of an axis."""
    item = table.item(key)
    if item is None:
        return None
    parts = item.items()
    if item.kind != "list" or len(parts) != 2:
        table.findings.add(WRONG_TYPE, item.range, item.path, f"`{item.path}` is two values of `{axis.name}` in a list")
        return None
    labels = [read_label(axis, part, table) for part in parts]
    return None if labels[0] is None or labels[1] is None else (labels[0], labels[1])


def read_share(table: Table, key: str, default: float) -> float:
    """A share, as `"95 %"` or 0.95."""
    item = table.item(key)
    if item is None:
        return default
    number = number_of(item)
    if number is None or not 0 <= number <= 1:
        message = f"`{item.path}` is a share between 0 % and 100 %"
        table.findings.add(OUT_OF_RANGE, item.range, item.path, message, "", f'write {key} = "95 %"')
        return default
    return number


def number_of(item: Item) -> float | None:
    """A number or a quantity as a plain number in base units; None if it is neither."""
    if item.kind in ("integer", "float"):
        return float(str(item.content))
    quantity = units.read_quantity(str(item.content).lstrip("-")) if item.kind == "text" else None
    if quantity is None:
        return None
    return -quantity[0] if str(item.content).startswith("-") else quantity[0]


def in_unit(table: Table, item: Item, unit: str) -> float | None:
    """A number, or a quantity converted to a unit; a bare number counts as being in it already."""
    number = number_of(item)
    if number is None:
        table.wrong(item, "a number or a quantity")
        return None
    if item.kind != "text":
        return number
    quantity = units.split_quantity(str(item.content).lstrip("-"))
    if quantity is not None and units.dimension_of(quantity[1]) != units.dimension_of(unit):
        message = f"`{item.content}` cannot be compared with `{unit or 'a plain number'}`"
        table.findings.add(WRONG_UNIT, item.range, item.path, message)
        return None
    return number / units.factor_of(unit)


def read_along(table: Table, axes: Sequence[Axis], names: Sequence[str]) -> Along | None:
    """`of`, `along`, `take` and what belongs to them."""
    of = table.text("of")
    item = table.item("of")
    if of not in names and item is not None and item.kind == "text":
        help_ = suggestion(of, names)
        table.findings.add(NOT_MEASURED, item.range, item.path, f"there is no metric `{of}`", "", help_)
    axis = read_axis_name(table, "along", axes)
    take = table.word("take", TAKES, "maximum", required=True)
    reach = read_share(table, "reach", 0.95)
    limits: dict[str, float | None] = {}
    for key in ("above", "below"):
        limit = table.item(key)
        limits[key] = None if limit is None else number_of(limit)
        if limit is not None and limits[key] is None:
            table.wrong(limit, "a number")
    per = table.item("per")
    step = 1.0 if per is None else number_of(per) or 1.0
    over = None if axis is None else read_pair(table, "over", axis)
    between = None if axis is None else read_pair(table, "between", axis)
    if axis is None:
        table.item("over"), table.item("between")
        return None
    if take in ("ratio", "difference", "gain") and between is None and table.item("between") is None:
        table.missing(
            "between", f'["{axis.labels[-1] if axis.values else "b"}", "{axis.labels[0] if axis.values else "a"}"]'
        )
    if take in ("begins", "ends") and (limits["above"] is None) == (limits["below"] is None):
        message = f"`{table.path}` needs one of above and below"
        table.findings.add(BAD_CHECK, table.place("take"), table.path, message)
    if take in ("slope", "intercept", *PLACES) and any(value.number is None for value in axis.values):
        message = f"the values of `{axis.name}` are no numbers, so there is no {take} along it"
        table.findings.add(BAD_CHECK, table.place("along"), table.path, message, "", "give cases a `value`")
    return Along(of, axis.name, take, over, between, reach, limits["above"], limits["below"], step)
