"""The metrics of a study file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sansim._core import Code
from sansim.study import units
from sansim.study.measure import formula
from sansim.study.measure.trace import PatternError, check_pattern
from sansim.study.model import Figure, Formula, Interval, Metric, Rule, Setting, Study
from sansim.study.read.axes import is_name
from sansim.study.read.document import Item, Table
from sansim.study.read.series import ALONG_KEYS, read_along
from sansim.study.read.values import must_measure, read_unit
from sansim.study.suggest import suggestion

WAYS = ("value", "setting", "formula", "of", "trace")
"""How a metric can be found; each metric has one of them."""
WHOSE = ("workload", "stream", "host", "device", "device_group")
"""Whose figure a `value` is, if it is not that of the whole."""
BELONGS = {
    ("workload",): "workloads.{workload}",
    ("workload", "stream"): "workloads.{workload}.streams.{stream}",
    ("host",): "hosts.{host}",
    ("device",): "devices.{device}",
    ("host", "device"): "hosts.{host}.devices.{device}",
    ("device_group",): "device_groups.{device_group}",
}
"""The valid combinations, and the place of the figure for each."""
BROKEN = Figure("")
"""The rule of a metric whose own cannot be read, so that the metric is reported only once."""


def read_metrics(document: Table, study: Study) -> tuple[Metric, ...]:
    """`[metrics.NAME]`, in an order in which each follows those that it needs."""
    findings = document.findings
    tables = {name: table for name, _, table in document.tables("metrics") if table is not None}
    item = document.item("metrics")
    if item is None or item.plain() == {}:
        help_ = 'add for instance [metrics.response] with value = "response_time_ns.mean" and unit = "us"'
        findings.add(Code.MISSING_KEY, document.place("metrics"), "metrics", "the study measures nothing", "", help_)
    axes = [axis.name for axis in study.axes]
    for name, at, _ in document.tables("metrics"):
        path = f"metrics.{name}"
        if name in axes:
            message = f"`{name}` is the name of an axis"
            findings.add(
                Code.BAD_VALUE, at, path, message, "", "give the metric another name; what people read is `label`"
            )
        elif not is_name(name):
            help_ = "use letters, digits and _, so that formulas can name it; what people read is `label`"
            findings.add(Code.BAD_VALUE, at, path, f"`{name}` cannot be the name of a metric", "", help_)
    # A metric whose table is none is there for those that name it.
    draft = replace(study, metrics=tuple(Metric(name, name, "", BROKEN) for name, _, _ in document.tables("metrics")))
    for name in in_order(tables):
        metric = read_metric(name, tables[name], draft)
        others = (other for other in draft.metrics if other.name != name)
        draft = replace(draft, metrics=(*others, metric))
    return draft.metrics


def in_order(tables: Mapping[str, Table]) -> list[str]:
    """The names of the metrics such that each follows those it needs; those that need each other are reported."""
    waiting = {name: needs(table) & set(tables) for name, table in tables.items()}
    ordered: list[str] = []
    while waiting:
        ready = [name for name, needed in waiting.items() if not needed & set(waiting)]
        if not ready:
            report_circle(tables, {name: needed & set(waiting) for name, needed in waiting.items()})
            # They are left as they are: broken.
            break
        for name in ready:
            ordered.append(name)
            del waiting[name]
    return ordered


def report_circle(tables: Mapping[str, Table], waiting: Mapping[str, Iterable[str]]) -> None:
    """Reports a circle among metrics that all wait for others."""
    way = [next(iter(waiting))]
    while way[-1] not in way[:-1]:
        way.append(min(waiting[way[-1]]))
    circle = way[way.index(way[-1]) :]
    table = tables[circle[0]]
    if len(circle) == 2:
        message = f"`{circle[0]}` is to be computed from itself"
    else:
        told = ", which needs ".join(f"`{name}`" for name in circle[1:])
        message = f"`{circle[0]}` needs {told}: none of them can be computed first"
    key = "of" if table.has("of") else "formula"
    table.add(Code.BAD_FORMULA, key, message)


def needs(table: Table) -> frozenset[str]:
    """The metrics (and axes) that a metric is made of, as far as it can be read."""
    found: set[str] = set()
    for key in ("of", "formula"):
        item = table.item(key)
        if item is None or item.kind != "text":
            continue
        text = str(item.content)
        try:
            found |= {text} if key == "of" else formula.names(text)
        except formula.FormulaError:
            continue
    return frozenset(found)


def read_metric(name: str, table: Table, study: Study) -> Metric:
    """One metric; the ones that it needs have been read."""
    findings = table.findings
    before = len(findings.found)
    given = [way for way in WAYS if table.item(way) is not None]
    label, unit = table.text("label", name), read_unit(table, "")
    rule: Rule | None = None
    if len(given) != 1:
        said = f", not both {' and '.join(f'`{way}`' for way in given)}" if given else ""
        message = f"`{table.path}` needs one of {', '.join(f'`{way}`' for way in WAYS)}{said}"
        table.add(
            Code.BAD_CHECK,
            given[1] if given else "",
            message,
            "",
            None if given else 'as value = "response_time_ns.mean"',
        )
    else:
        if given != ["of"]:
            table.has_no_use(ALONG_KEYS, "belongs to a metric that is taken `of` another one")
        if given != ["value"]:
            table.has_no_use(WHOSE, "says whose figure a `value` is")
        match given[0]:
            case "value":
                rule, unit = read_figure(table, study, unit)
            case "setting":
                key = table.text("setting", example='"workload.size"')
                rule = Setting(key) if key else None
            case "formula":
                rule = read_formula(table, study)
            case "trace":
                rule, unit = read_interval(table), unit or "ns"
                must_measure(table, unit, "time", "an interval of a trace")
            case _:
                rule, unit = read_along(table, study, unit)
    table.finish()
    return Metric(name, label, unit, BROKEN if rule is None or len(findings.found) > before else rule)


def read_figure(table: Table, study: Study, unit: str) -> tuple[Figure | None, str]:
    """`value = "response_time_ns.mean"`, with the unit it is shown in."""
    path = table.text("value", example='"response_time_ns.mean"')
    if not path:
        return None, unit
    whose = {key: text for key in WHOSE if table.item(key) is not None and (text := table.text(key))}
    if whose:
        at = BELONGS.get(tuple(whose))
        if at is None:
            keys = " and ".join(f"`{key}`" for key in whose)
            alone = " without its `workload`" if tuple(whose) == ("stream",) else ""
            message = f"no figure is that of {keys}{alone}"
            ways = [" and ".join(f"`{key}`" for key in way) for way in BELONGS]
            help_ = f"a `value` may be that of {', of '.join(ways[:-1])} or of {ways[-1]}"
            table.add(Code.BAD_CHECK, list(whose)[-1], message, "", help_)
            return None, unit
        for key, text in whose.items():
            at = at.replace(f"{{{key}}}", text)
        path = f"{at}.{path}"
    counted = [
        axis.name
        for axis in study.axes
        if all(value.number is not None and value.number == int(value.number) >= 0 for value in axis.values)
    ]
    for name in re.findall(r"\{(.*?)\}", path):
        if name not in counted:
            help_ = suggestion(name, counted) if counted else "an axis that counts has for instance keys = [], from = 0"
            table.add(Code.UNKNOWN_AXIS, "value", f"there is no axis `{name}` that counts from 0", "", help_)
    natural = units.dimension_of_figure(path)
    if natural is None:
        # `points/probe.py` says so, and what was meant.
        return Figure(path), unit
    unit = unit or units.unit_of_figure(path)
    # A plain number may be anything that only the file knows: frames, packets.
    if natural != units.PLAIN or units.dimension_of(unit) is not None:
        must_measure(table, unit, natural, f"`{path}`")
    return Figure(path), unit


def read_formula(table: Table, study: Study) -> Formula | None:
    """`formula = "..."`."""
    text = table.text("formula", example='"1e6 / iops"')
    item = table.item("formula")
    if item is None or item.kind != "text" or not text.strip():
        return None
    try:
        needed = formula.names(text)
    except formula.FormulaError as error:
        table.findings.about(Code.BAD_FORMULA, item, f"this formula cannot be computed: {error}")
        return None
    check_names(table, item, needed, study)
    return Formula(text, needed)


def check_names(table: Table, item: Item, needed: Iterable[str], study: Study) -> None:
    """Notes names in a formula that mean nothing, and axes that are no numbers."""
    known = [*(metric.name for metric in study.metrics), *(axis.name for axis in study.axes)]
    for name in sorted(needed):
        if name not in known:
            message = f"the formula names `{name}`, which is neither a metric nor an axis"
            table.findings.about(Code.NOT_MEASURED, item, message, "", suggestion(name, known))
    for axis in study.axes:
        word = next((value for value in axis.values if value.number is None), None)
        if axis.name in needed and word is not None:
            message = f"the formula names the axis `{axis.name}`, and its value `{word.label}` is no number"
            help_ = "`cases` can have a number for each of their values: value = 12"
            table.findings.about(Code.BAD_FORMULA, item, message, "", help_)


def read_interval(table: Table) -> Interval | None:
    """`trace = { from = "...", to = "..." }`."""
    inner = table.table("trace")
    if inner is None:
        return None
    found: Sequence[str] = (inner.text("from"), inner.text("to"))
    inner.finish()
    for key, text in zip(("from", "to"), found, strict=True):
        item = inner.item(key)
        if item is None or item.kind != "text" or not text.strip():
            continue
        try:
            check_pattern(text)
        except PatternError as error:
            inner.findings.about(Code.BAD_VALUE, item, str(error), "", error.remedy)
    return Interval(*found)
