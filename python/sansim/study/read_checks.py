"""The expected values and remarks of a study file."""

from __future__ import annotations

from collections.abc import Sequence

from sansim.study import units
from sansim.study.document import (
    BAD_CHECK,
    BAD_VALUE,
    MISSING_KEY,
    NOT_MEASURED,
    OUT_OF_RANGE,
    UNKNOWN_AXIS,
    UNKNOWN_UNIT,
    WRONG_TYPE,
    WRONG_UNIT,
    Item,
    Table,
    suggestion,
)
from sansim.study.model import (
    DEFAULT_TOLERANCE,
    KINDS,
    REMARKS,
    Along,
    Axis,
    Bounds,
    Check,
    Expected,
    Metric,
    Place,
    Remark,
    Setting,
    Tolerance,
    Trend,
    Value,
    Word,
)
from sansim.study.read_metrics import in_unit, read_axis_name, read_label, read_pair, read_share

RULES = ("increasing", "decreasing", "constant", "linear", "order")
"""Shapes along an axis."""
CHECKS = ("value", "between", "above", "below", "rule")
"""What a row can say; each says one of them, or `above` and `below` both."""


def read_place(table: Table, key: str, axes: Sequence[Axis]) -> Place:
    """`at = { size = "4 KiB", mix = ["read", "write"] }`."""
    inner = table.table(key)
    if inner is None:
        return {}
    place: dict[str, tuple[str, ...]] = {}
    known = {axis.name: axis for axis in axes}
    for name, (at, item) in inner.entries.items():
        if name not in known:
            message = f"there is no axis `{name}`"
            inner.findings.add(UNKNOWN_AXIS, at, inner.path, message, "", suggestion(name, known))
            continue
        labels = [read_label(known[name], part, inner) for part in item.items()]
        place[name] = tuple(label for label in labels if label is not None)
    return place


def vanished(metric: Metric, metrics: Sequence[Metric]) -> frozenset[str]:
    """The axes that a derived metric no longer has."""
    rule = metric.rule
    if not isinstance(rule, Along):
        return frozenset()
    inner = next((other for other in metrics if other.name == rule.of), None)
    return frozenset([rule.axis]) | (vanished(inner, metrics) if inner is not None else frozenset())


def read_expected(study: Table, axes: Sequence[Axis], metrics: Sequence[Metric]) -> tuple[Expected, ...]:
    """`[[expected]]`: groups of rows, or single rows."""
    found: list[Expected] = []
    for group in study.rows("expected"):
        rows = group.rows("rows")
        place = read_place(group, "at", axes)
        if not rows:
            row = read_row(group, place, axes, metrics)
            found.extend([] if row is None else [row])
        for table in rows:
            table.outer = group
            own = read_place(table, "at", axes) if "at" in table.entries else {}
            table.asked.append("at")
            row = read_row(table, {**place, **own}, axes, metrics)
            found.extend([] if row is None else [row])
            table.finish()
        # What a group may have is what its rows may have.
        group.asked.extend(ROW_KEYS)
        group.finish()
    return tuple(found)


ROW_KEYS = (
    *("id", "metric", "at", "kind", "tolerance", "unit", "source", "note", "fitted", "quick"),
    *CHECKS,
    *("along", "slack", "expect", "over"),
)


def read_row(table: Table, place: Place, axes: Sequence[Axis], metrics: Sequence[Metric]) -> Expected | None:
    """One expected value or claim."""
    findings = table.findings
    for key in ROW_KEYS:
        table.asked.append(key)
    target = table.text("id", example='"W-L04"')
    name = table.text("metric", example='"throughput"')
    kind = table.word("kind", KINDS, "exact")
    source, note, fitted = table.text("source"), table.text("note"), table.text("fitted")
    quick = table.flag("quick", False)
    item = table.item("metric")
    metric = next((metric for metric in metrics if metric.name == name), None)
    if metric is None:
        if item is not None and item.kind == "text":
            help_ = suggestion(name, [metric.name for metric in metrics])
            message = f"`{target}` expects a value of `{name}`, which the study does not measure"
            findings.add(NOT_MEASURED, item.range, item.path, message, "", help_)
        return None
    gone = vanished(metric, metrics) & set(place)
    if gone:
        axis = min(gone)
        message = f"`{name}` is one value for all of the axis `{axis}`, so `at` cannot name a place on it"
        findings.add(UNKNOWN_AXIS, table.place("at"), f"{table.path}.at", message)
    unit = table.text("unit") or metric.unit
    if units.dimension_of(unit) is None and unit != metric.unit:
        findings.add(UNKNOWN_UNIT, table.place("unit"), f"{table.path}.unit", f"there is no unit `{unit}`")
    elif unit != metric.unit and units.dimension_of(unit) != units.dimension_of(metric.unit):
        message = f"`{name}` is in `{metric.unit}`, which cannot be compared with `{unit}`"
        findings.add(WRONG_UNIT, table.place("unit"), f"{table.path}.unit", message)
    check = read_check(table, kind, unit, metric, axes)
    if check is None:
        return None
    if isinstance(check, Trend) and check.axis in vanished(metric, metrics):
        message = f"`{name}` no longer has the axis `{check.axis}`"
        findings.add(UNKNOWN_AXIS, table.place("along"), f"{table.path}.along", message)
    return Expected(target, name, place, kind, check, unit, source, note, fitted, quick)


def read_check(table: Table, kind: str, unit: str, metric: Metric, axes: Sequence[Axis]) -> Check | None:
    """What a row says."""
    # A row's own claim replaces that of its group.
    own = [key for key in CHECKS if key in table.entries]
    given = own or [key for key in CHECKS if table.item(key) is not None]
    if set(given) not in ({"above", "below"}, *({key} for key in CHECKS)):
        said = f"both {' and '.join(given)}" if given else "nothing that could be checked"
        message = f"`{table.text('id')}` says {said}"
        help_ = "give one of value, between, above, below and rule"
        table.findings.add(BAD_CHECK, table.place(given[1] if given else "id"), table.path, message, "", help_)
        return None
    if given == ["rule"]:
        return read_trend(table, axes)
    if given == ["value"]:
        return read_value(table, kind, unit, metric)
    if given == ["between"]:
        item = table.item("between")
        parts = item.items() if item is not None else []
        bounds = [in_unit(table, part, unit) for part in parts]
        if item is None or len(bounds) != 2:
            if item is not None:
                message = f"`{item.path}` is a list of two values"
                table.findings.add(WRONG_TYPE, item.range, item.path, message)
            return None
        low, high = bounds
        if low is not None and high is not None and low > high:
            table.findings.add(OUT_OF_RANGE, item.range, item.path, "nothing lies between these: the first is larger")
        return Bounds(low, high)
    limits = {key: in_unit(table, item, unit) for key in given if (item := table.item(key)) is not None}
    return Bounds(limits.get("above"), limits.get("below"))


def read_value(table: Table, kind: str, unit: str, metric: Metric) -> Check | None:
    """`value = X` with its tolerance."""
    item = table.item("value")
    if item is None:
        return None
    if isinstance(metric.rule, Setting) and (item.kind == "flag" or (item.kind == "text" and not metric.unit)):
        return Word(str(item.content).lower() if item.kind == "flag" else str(item.content))
    value = in_unit(table, item, unit)
    return None if value is None else Value(value, read_tolerance(table, kind, unit))


def read_tolerance(table: Table, kind: str, unit: str) -> Tolerance:
    """`tolerance = "3 %"`, or an absolute one as `"0.1 ns"` or 0.5."""
    item = table.item("tolerance")
    if item is None:
        return Tolerance(relative=DEFAULT_TOLERANCE[kind])
    text = str(item.content).strip()
    if item.kind == "text" and text.endswith("%"):
        share = share_of(text)
        if share is None:
            table.findings.add(BAD_VALUE, item.range, item.path, f"`{text}` is no tolerance", "", 'write "3 %"')
        return Tolerance(relative=share or 0.0)
    number = in_unit(table, item, unit)
    if number is not None and number < 0:
        table.findings.add(OUT_OF_RANGE, item.range, item.path, "a tolerance is not negative")
    return Tolerance(absolute=number or 0.0)


def share_of(text: str) -> float | None:
    """`3 %` as 0.03."""
    try:
        share = float(text.rstrip("%").strip()) / 100
    except ValueError:
        return None
    return share if share >= 0 else None


def read_trend(table: Table, axes: Sequence[Axis]) -> Trend | None:
    """`rule`, `along`, `slack`, `expect`, `over`."""
    rule = table.word("rule", RULES, "increasing", required=True)
    axis = read_axis_name(table, "along", axes)
    slack = read_share(table, "slack", 0.01 if rule in ("constant", "linear") else 0.0)
    if axis is None:
        return None
    over = read_pair(table, "over", axis)
    order: list[str] = []
    if rule == "order":
        item = table.item("expect")
        if item is None:
            message = f"`{table.text('id')}` expects an order but does not say which"
            help_ = 'add expect = ["largest", ..., "smallest"]'
            table.findings.add(MISSING_KEY, table.place("rule"), table.path, message, "", help_)
            return None
        labels: list[tuple[Item, str | None]] = [(part, read_label(axis, part, table)) for part in item.items()]
        order = [label for _, label in labels if label is not None]
        if len(labels) < 2:
            table.findings.add(BAD_CHECK, item.range, item.path, "an order needs at least two values")
    return Trend(rule, axis.name, slack, tuple(order), over)


def read_remarks(study: Table) -> tuple[Remark, ...]:
    """`[[remarks]]`."""
    found = []
    for table in study.rows("remarks"):
        target = table.text("id", example='"W-M01"')
        verdict = table.word("verdict", REMARKS, "given", required=True)
        text = table.text("text", example='"why no run can judge it"')
        table.finish()
        found.append(Remark(target, verdict, text))
    return tuple(found)
